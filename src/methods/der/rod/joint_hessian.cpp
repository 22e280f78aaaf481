#include "methods/der/rod/joint_hessian.h"

#include "math/rotation.h"

namespace tendril::der {
namespace {

constexpr int A = 0, TA = 3, B = 4, TB = 7;  // places of xi_a, theta_a, xi_b, theta_b in z

struct Scalar {  // a function of z with its derivatives
  double value = 0;
  Vec8 g = Vec8::Zero();
  Mat8 H = Mat8::Zero();
};

// D(y, z); y_theta is dy/dtheta_a (zero where y is the tangent), likewise z_theta.
Scalar product(const Vec3& y, const Vec3& z, const Vec3& y_theta, const Vec3& z_theta, bool hessian) {
  Scalar d;
  d.value = y.dot(z);
  const Vec3 turn = y.cross(z);
  d.g.segment<3>(A) = turn;
  d.g.segment<3>(B) = -turn;
  d.g[TA] = y_theta.dot(z);
  d.g[TB] = y.dot(z_theta);
  if (!hessian) return d;
  const Mat3 own = 0.5 * (y * z.transpose() + z * y.transpose()) - d.value * Mat3::Identity();
  const Mat3 mixed = d.value * Mat3::Identity() - z * y.transpose();
  d.H.block<3, 3>(A, A) = own;
  d.H.block<3, 3>(B, B) = own;
  d.H.block<3, 3>(A, B) = mixed;
  d.H.block<3, 3>(B, A) = mixed.transpose();
  const Vec3 turn_a = y_theta.cross(z), turn_b = y.cross(z_theta);
  for (const auto& [place, turn_theta] : {std::pair(TA, turn_a), std::pair(TB, turn_b)}) {
    d.H.block<3, 1>(A, place) = turn_theta;
    d.H.block<1, 3>(place, A) = turn_theta.transpose();
    d.H.block<3, 1>(B, place) = -turn_theta;
    d.H.block<1, 3>(place, B) = -turn_theta.transpose();
  }
  // A director turned twice by a quarter turn is its opposite.
  if (y_theta.squaredNorm() > 0) d.H(TA, TA) = -d.value;
  if (z_theta.squaredNorm() > 0) d.H(TB, TB) = -d.value;
  return d;
}

// factor * n / chi
Scalar quotient(double factor, const Scalar& n, const Scalar& chi, bool hessian) {
  Scalar f;
  f.value = factor * n.value / chi.value;
  f.g = (factor * n.g - f.value * chi.g) / chi.value;
  if (hessian) {
    f.H = (factor * n.H - f.value * chi.H - f.g * chi.g.transpose() - chi.g * f.g.transpose()) / chi.value;
  }
  return f;
}

Scalar twist_of(const JointShape& s, double w, bool hessian) {
  Scalar m;
  const Vec3 tau = w * (s.a + s.b), kb = 2 * w * s.a.cross(s.b);
  m.value = s.twist;
  m.g.segment<3>(A) = -tau;
  m.g.segment<3>(B) = tau;
  m.g[TA] = -1;
  m.g[TB] = 1;
  if (!hessian) return m;
  const Mat3 own = 0.25 * (tau * kb.transpose() + kb * tau.transpose());
  const Mat3 mixed = 0.5 * skew(tau) - own;
  m.H.block<3, 3>(A, A) = own;
  m.H.block<3, 3>(B, B) = own;
  m.H.block<3, 3>(A, B) = mixed;
  m.H.block<3, 3>(B, A) = mixed.transpose();
  return m;
}

// Adds 1/2 dw^T S dw with dw = (f1 - rest1, f2 - rest2).
void add_quadratic(const Scalar& f1, const Scalar& f2, const Vec2& rest, const Mat2& S, bool hessian, JointEnergy& sum) {
  const Vec2 strain(f1.value - rest.x(), f2.value - rest.y());
  const Vec2 stress = S * strain;
  sum.energy += 0.5 * strain.dot(stress);
  sum.gradient += stress.x() * f1.g + stress.y() * f2.g;
  if (!hessian) return;
  const Mat8 cross = f1.g * f2.g.transpose();
  sum.hessian += S(0, 0) * f1.g * f1.g.transpose() + S(1, 1) * f2.g * f2.g.transpose() +
                 S(0, 1) * (cross + cross.transpose()) + stress.x() * f1.H + stress.y() * f2.H;
}

}  // namespace

JointEnergy joint_energy_with_derivatives(const JointShape& s, const JointStiffness& k, bool hessian) {
  JointEnergy sum;
  const Vec3 none = Vec3::Zero();
  Scalar chi = product(s.a, s.b, none, none, hessian);
  chi.value += 1;
  if (k.inverse_l > 0) {
    // directors turn with theta: dm1 = m2, dm2 = -m1
    const Scalar a1 = quotient(2, product(s.m1a, s.b, s.m2a, none, hessian), chi, hessian);
    const Scalar a2 = quotient(2, product(s.m2a, s.b, -s.m1a, none, hessian), chi, hessian);
    const Scalar b1 = quotient(-2, product(s.a, s.m1b, none, s.m2b, hessian), chi, hessian);
    const Scalar b2 = quotient(-2, product(s.a, s.m2b, none, -s.m1b, hessian), chi, hessian);
    add_quadratic(a1, a2, k.rest_a, k.inverse_l * k.Ba, hessian, sum);
    add_quadratic(b1, b2, k.rest_b, k.inverse_l * k.Bb, hessian, sum);
  }
  if (k.twist > 0) {
    const Scalar m = twist_of(s, 1 / chi.value, hessian);
    const double moment = k.twist * (m.value - k.rest_twist);
    sum.energy += 0.5 * moment * (m.value - k.rest_twist);
    sum.gradient += moment * m.g;
    if (hessian) sum.hessian += k.twist * m.g * m.g.transpose() + moment * m.H;
  }
  return sum;
}

void turns_to_edges(const JointShape& s, double inverse_a, double inverse_b, bool hessian, JointEnergy& joint) {
  const Mat3 Ja = inverse_a * skew(s.a), Jb = inverse_b * skew(s.b);
  const Vec3 ga = joint.gradient.segment<3>(A), gb = joint.gradient.segment<3>(B);
  joint.gradient.segment<3>(A) = Ja.transpose() * ga;
  joint.gradient.segment<3>(B) = Jb.transpose() * gb;
  if (!hessian) return;
  Mat8 J = Mat8::Zero();
  J.block<3, 3>(A, A) = Ja;
  J.block<3, 3>(B, B) = Jb;
  J(TA, TA) = J(TB, TB) = 1;
  joint.hessian = J.transpose() * joint.hessian * J;
  const auto bend_of_map = [](const Vec3& t, const Vec3& g, double inverse) -> Mat3 {
    const Vec3 across = g.cross(t);
    return -inverse * inverse * (t * across.transpose() + across * t.transpose());
  };
  joint.hessian.block<3, 3>(A, A) += bend_of_map(s.a, ga, inverse_a);
  joint.hessian.block<3, 3>(B, B) += bend_of_map(s.b, gb, inverse_b);
}

}  // namespace tendril::der
