// The exact tangent of a rod's rows.
#include "methods/galpha/problem.h"

namespace tendril::galpha {

// How the rotation vector of a step changes with the turn of its frame, in world axes: Jr(psi)^-1 R^T.
static Mat3 turn_of_step(const Vec3& psi, const Mat3& frame) { return right_jacobian_inverse(psi) * frame.transpose(); }

void RodProblem::assemble_node(int i) {
  const std::size_t k = z(i);
  PoseChain::Node& node = chain_.node(i);
  node.held = -1;
  node.rr.setZero(), node.rt.setZero(), node.tr.setZero(), node.tt.setZero();
  const double slope = stage_.slope(), damping = moving_ ? rod_.damping.mass : 0;
  if (moving_) {
    node.rr.diagonal().array() += rod_.mass[k] * (slope * slope + damping * slope);
    const Mat3 frame = q_[k].toRotationMatrix();
    const Vec3 momentum = rod_.inertia[k].cwiseProduct(spin_[k]);
    const Vec3 torque = rod_.inertia[k].cwiseProduct(spin_dot_[k]) + spin_[k].cross(momentum) + damping * momentum;
    const Mat3 I = rod_.inertia[k].asDiagonal();
    const Mat3 by_step = slope * ((slope + damping) * I + skew(spin_[k]) * I - skew(momentum));
    node.tt = frame * by_step * turn_of_step(psi_[k], frame) - skew(Vec3(frame * torque));
  }
  if (pull_ > 0) {
    const double mass = pull_ * rod_.mass[k];
    node.rr.diagonal().array() += mass;
    node.tt += mass * rod_.length * rod_.length * left_jacobian_inverse(log_rotation(Quat(q_[k] * from_->q[k].conjugate())));
  }
  if (rod_.plain_loads) return;
  // Loads on the edges on either side, and at the node.
  const LoadedPoint<double> at = point(i);
  const auto take = [&](const LoadTangent& t, double share) {
    node.rr -= share * (t.position.topRows<3>() + slope * t.velocity.topRows<3>()), node.rt -= share * t.turn.topRows<3>();
    node.tr -= share * (t.position.bottomRows<3>() + slope * t.velocity.bottomRows<3>());
    node.tt -= share * t.turn.bottomRows<3>();
  };
  take(load_tangent([&](const auto& p) { return loads_->at_node(rod_.node(i), p); }, at), 1);
  for (const int j : {i - 1, i})
    if (j >= 0 && j < rod_.edges())
      take(load_tangent([&](const auto& p) { return loads_->per_length(rod_.edge(j), p); }, at), rod_.half_length[z(j)]);
}

void RodProblem::assemble_grips() {
  chain_.clear_pairs();
  const double slope = stage_.slope();
  for (const Grip& grip : drive_->grips) {
    if (grip.rod != rod_.number) continue;
    const int a = grip.a.value - rod_.span.first_node, b = grip.b.value - rod_.span.first_node;
    const double s = grip.share, stiff = grip.stiffness + (moving_ ? grip.damping * slope : 0);
    chain_.node(a).rr.diagonal().array() += (1 - s) * (1 - s) * stiff;
    chain_.node(b).rr.diagonal().array() += s * s * stiff;
    if (s > 0 && s < 1) {
      const Mat3 both = s * (1 - s) * stiff * Mat3::Identity();
      chain_.add_pair({a, both, both});
    }
    if (grip.angular_stiffness == 0 && grip.angular_damping == 0) continue;
    const int near = s < 0.5 ? a : b;
    const LoadTangent t = grip_tangent(grip, q_[z(near)]);
    chain_.node(near).tt -= t.turn.bottomRows<3>();
    if (!moving_) continue;
    const Mat3 frame = q_[z(near)].toRotationMatrix();
    const Mat3 spin = slope * frame * turn_of_step(psi_[z(near)], frame) - skew(Vec3(frame * spin_[z(near)]));
    chain_.node(near).tt -= t.spin.bottomRows<3>() * spin;
  }
}

const SegmentTangent& RodProblem::tangent_of(int j) {
  differentiate(rod_.segments[z(j)], rod_.law, rate_of(j), q_[z(j)], now_[z(j)], tangent_);
  return tangent_;
}

void RodProblem::take_holds_into(PoseChain& chain) const {
  chain.clear_held();
  for (const NodeHold& hold : holds_) chain.hold(hold.node) = hold.rows;
}

PoseChain& RodProblem::assemble() {
  for (int i = 0; i < rod_.nodes(); ++i) assemble_node(i);
  for (int j = 0; j < rod_.edges(); ++j) {
    const SegmentTangent& t = tangent_of(j);
    chain_.link(j) = {t.aa, t.ab, t.ba, t.bb, t.ta, t.tb, t.pa, t.pb, t.give};
  }
  assemble_grips();
  take_holds_into(chain_);
  // From the end that is held: without inertia nothing else gives the places.
  bool near = false, far = false;
  for (const NodeHold& hold : holds_) {
    near = near || (hold.node == 0 && hold.place), far = far || (hold.node == rod_.nodes() - 1 && hold.place);
  }
  chain_.set_reversed(far && !near);
  return chain_;
}

}  // namespace tendril::galpha
