// Bodies that ropes pull at, light ones under large loads too: geometric stiffness as segments have it, and joints that take hold.
#include <cmath>

#include "math/rotation.h"
#include "methods/cable/cable.h"

namespace tendril::cable {

// A force that keeps its direction while the body turns: K = r.F across the lever r. Falls: also T/L across them. With A = dt h K,
//   (M + A) v' = (M + A) v + h f
// as for segments [ERRATA S23], A weighed by how unresolved the motion is: where dt^2 K is small beside M it is left out.
void Cable::stiffen_bodies(const StepSizes& step) {
  if (model_->bodies.empty()) return;
  for (auto& stiffness : stiffness_) stiffness.setZero();
  const auto add_turn = [&](int e, const Vec3& lever, const Vec3& force) {
    const Element& element = parts_.elements[z(e)];
    const double pull = lever.dot(force);
    if (element.kind != Element::Kind::body || element.led || !(pull > 0)) return;
    const Vec3 along = lever.normalized();
    stiffness_[z(element.number)].bottomRightCorner<3, 3>() +=
        (step.dt * step.h * pull) * (Mat3::Identity() - along * along.transpose());
  };
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (!state_.point_on[j] || joint.inner >= 0) continue;
    add_turn(joint.a, state_.q[z(joint.a)] * joint.point_a, -state_.force[j]);
    add_turn(joint.b, state_.q[z(joint.b)] * joint.point_b, state_.force[j]);
  }
  reevings_.add_stiffness(step, stiffness_);
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    const std::size_t i = z(parts_.first_body) + b;
    if (parts_.elements[i].led || stiffness_[b].isZero(0)) continue;
    const Response& r = response_[i];
    const double ratio = (r.linear * stiffness_[b].topLeftCorner<3, 3>()).trace() +
                         (r.angular * stiffness_[b].bottomRightCorner<3, 3>()).trace();
    if (ratio < 1e-3) continue;  // less than a millionth of it would count
    const Eigen::Matrix<double, 6, 6> added = need_of_damping(ratio) * stiffness_[b];
    Eigen::Matrix<double, 6, 1> v;
    v.head<3>() = r.v, v.tail<3>() = r.spin;
    load_response(i, added, added * v);
  }
}

// Implicit geometric stiffness by itself neither loses nor gains, and a rope under a load that an explicit scheme could not hold
// rings: a fifth of it is taken from the spins (system.h). Taken from each segment by itself that would brake a
// rope that turns as a whole, and with it the load; so it is taken from what a segment turns differently from its rod, c_i across
// its axis, P_i. With the mean w = (sum c_i P_i)^-1 sum c_i P_i w_i the moments of a rod add up to nothing.  [ERRATA S23, S25]
void Cable::calm_ropes() {
  for (const Chain& chain : parts_.chains) {
    double all = 0;
    for (const int e : chain.segments) all += parts_.elements[z(e)].led ? 0 : calm_[z(e)];
    if (!(all > 0)) continue;
    Mat3 sum = 1e-12 * Mat3::Identity();  // about the axis of a straight rope nothing is asked
    Vec3 turning = Vec3::Zero();
    const auto across = [&](std::size_t i, const Vec3& spin) {
      const Vec3 axis = state_.q[i] * Vec3::UnitZ();
      return Vec3(spin - axis.dot(spin) * axis);
    };
    for (const int e : chain.segments) {
      if (parts_.elements[z(e)].led) continue;
      const double share = calm_[z(e)] / all;
      const Vec3 axis = state_.q[z(e)] * Vec3::UnitZ();
      sum += share * (Mat3::Identity() - axis * axis.transpose()), turning += share * across(z(e), response_[z(e)].spin);
    }
    const Vec3 mean = sum.inverse() * turning;
    for (const int e : chain.segments) {
      if (parts_.elements[z(e)].led) continue;
      Response& r = response_[z(e)];
      r.y_spin -= r.angular * (calm_[z(e)] * across(z(e), r.spin - mean));
    }
  }
}

// What a joint takes from two things that move differently when it takes hold: half of its impulse times how fast they part.
double Cable::impact_loss(const StepSizes& step) const {
  double lost = 0;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    if (!switches_.is_new_point(j) && !switches_.is_new(j)) continue;
    const Joint& joint = parts_.joints[j];
    const auto motion = [&](int e) {
      const Element& element = parts_.elements[z(e)];
      if (!element.led) return Motion{state_.v[z(e)], spin_of(z(e))};
      return element.kind == Element::Kind::body ? drive_.bodies[z(element.number)].motion : Motion{};
    };
    const Motion a = motion(joint.a), b = motion(joint.b);
    const JointRows& rows = rows_[j];
    if (switches_.is_new_point(j))
      lost -= 0.5 * step.h *
              state_.force[j].dot(b.linear + b.angular.cross(rows.lever_b) - a.linear - a.angular.cross(rows.lever_a));
    if (switches_.is_new(j)) lost -= 0.5 * step.h * state_.couple[j].dot(rows.turn * (b.angular - a.angular));
  }
  return lost;
}

}  // namespace tendril::cable
