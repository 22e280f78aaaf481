#include "methods/cable/joint_forms.h"

#include "math/rotation.h"

namespace tendril::cable {
namespace {

// Angle between two unit vectors, and its gradient in a turn of b against a: their common normal. Where they are parallel there is none;
// 1/(|d_x| + eps_0) stands for 1/|d_x|.  [Servin 2008, eqs. (21), (27); ERRATA S14]
double angle_between(const Vec3& a, const Vec3& b, Vec3& gradient) {
  constexpr double eps_0 = 1e-12;
  const Vec3 normal = a.cross(b);
  const double size = normal.norm();
  gradient = normal / (size + eps_0);
  return math::atan2(size, a.dot(b));
}

}  // namespace

void place_form(JointForm form, const Quat& qa, const Quat& qb, double near, JointRows& rows, double& twist) {
  const Mat3 a = qa.toRotationMatrix(), b = qb.toRotationMatrix();
  const StrainPoint p = strain_point(StrainKind::angle, qa.conjugate() * qb, near);
  twist = p.strain[2];
  rows.turn.setZero();
  if (form == JointForm::cosine_lock) {
    // c = e.f, e of a and f of b: dc/dt = (w_b - w_a).(f x e)
    rows.strain = Vec3(-a.col(1).dot(b.col(2)), a.col(0).dot(b.col(2)), a.col(1).dot(b.col(0)));
    rows.turn.row(0) = -b.col(2).cross(a.col(1));
    rows.turn.row(1) = b.col(2).cross(a.col(0));
    rows.turn.row(2) = b.col(0).cross(a.col(1));
    return;
  }
  Vec3 gradient;
  rows.strain[0] = angle_between(a.col(2), b.col(2), gradient);
  rows.turn.row(0) = gradient;
  rows.strain[1] = 0;
  if (form == JointForm::paper_aligned) {
    rows.strain[2] = angle_between(a.col(0), b.col(0), gradient);
    rows.turn.row(2) = gradient;
  } else {
    rows.strain[2] = twist;
    rows.turn.row(2) = strain_gradient(p).row(2) * a.transpose();
  }
}

}  // namespace tendril::cable
