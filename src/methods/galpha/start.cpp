// A consistent start: poses that keep lengths, velocities that keep them too, and accelerations and forces that fit both. Needed at the
// start and after every jump of a load or a hold; without it the scheme is of first order.  [ERRATA B12, B20]
#include <cmath>

#include "methods/galpha/problem.h"

namespace tendril::galpha {
namespace {
constexpr double instant = 1e-5;  // of a step: how long what stretches is looked at
}

// Mass and inertia with the constraints; what gives has no time to: its force stays.
void RodProblem::mass_matrix(double give_over) {
  for (int i = 0; i < rod_.nodes(); ++i) {
    PoseChain::Node& node = chain_.node(i);
    const Mat3 frame = q_[z(i)].toRotationMatrix();
    node = {rod_.mass[z(i)] * Mat3::Identity(), Mat3::Zero(), Mat3::Zero(),
            frame * rod_.inertia[z(i)].asDiagonal() * frame.transpose(), -1};
  }
  const Mat3 none = Mat3::Zero();
  for (int j = 0; j < rod_.edges(); ++j) {
    const SegmentTangent& t = tangent_of(j);
    chain_.link(j) = {none, none, none, none, t.ta, t.tb, t.pa, t.pb, give_over * t.give};
  }
  chain_.clear_pairs();
  take_holds_into(chain_);
  chain_.set_reversed(false);
}

bool RodProblem::project_velocities(RodState& state, double dt) {
  look_at(state);
  mass_matrix(1 / (instant * instant * dt * dt));
  if (!chain_.factor()) return false;
  step_.resize(rod_.nodes());
  for (int j = 0; j < rod_.edges(); ++j)
    step_.n[z(j)] =
        -link_rate(now_[z(j)], rod_.segments[z(j)], v_[z(j)], v_[z(j + 1)], state.spin_of(j), state.spin_of(j + 1));
  for (const NodeHold& hold : holds_) {
    const std::size_t i = z(hold.node);
    const Vec3 place = hold.rows.place * (hold.motion.linear - v_[i]),
               turn = hold.rows.turn * (hold.motion.angular - state.spin_of(hold.node));
    for (int k = 0; k < 3; ++k) {
      if (hold.rows.place_held[k]) step_.r[i][k] = place[k];
      if (hold.rows.turn_held[k]) step_.q[i][k] = turn[k];
    }
  }
  chain_.solve(step_);
  for (std::size_t i = 0; i < r_.size(); ++i) {
    if (!step_.r[i].allFinite() || !step_.q[i].allFinite()) return false;
    state.place.dot[i] += step_.r[i];
    state.turn.dot[i] += state.q[i].conjugate() * step_.q[i];
  }
  return true;
}

bool RodProblem::find_accelerations(RodState& state, double dt) {
  for (auto* list : {&state.velocity.dot, &state.spin.dot}) std::fill(list->begin(), list->end(), Vec3::Zero());
  look_at(state);
  for (std::size_t j = 0; j < known_strain_.size(); ++j) {
    // True rates of the turns, from the spins.
    const Quat& a = state.q[j];
    const Vec3 apart = a.conjugate() * (state.spin_of(int(j) + 1) - state.spin_of(int(j)));
    state.strain.dot[j] = left_jacobian_inverse(now_[j].w) * apart;
  }
  if (!known_strain_.empty()) look_at(state);
  rows_to_column(step_, -1);
  // How the rates of the constraints change while poses move on: by differences along the motion.
  double fastest = 0;
  for (int i = 0; i < rod_.nodes(); ++i) fastest = std::max({fastest, spin_[z(i)].norm(), v_[z(i)].norm() / rod_.length});
  const double h = fastest > 0 ? 1e-5 / fastest : 0;
  SegmentNow moved;
  for (int j = 0; j < rod_.edges(); ++j) {
    step_.n[z(j)].setZero();
    if (h == 0) continue;
    const Vec3 spin_a = state.spin_of(j), spin_b = state.spin_of(j + 1);
    for (const double side : {1.0, -1.0}) {
      const Quat a = exp_quat(Vec3(side * h * spin_a)) * q_[z(j)], b = exp_quat(Vec3(side * h * spin_b)) * q_[z(j + 1)];
      galpha::evaluate(rod_.segments[z(j)], rod_.law, {}, a, b, n_[z(j)], moved);
      step_.n[z(j)] -= (side / (2 * h)) * link_rate(moved, rod_.segments[z(j)], v_[z(j)], v_[z(j + 1)], spin_a, spin_b);
    }
  }
  mass_matrix(1 / (instant * instant * dt * dt));
  for (const NodeHold& hold : holds_) {
    const std::size_t i = z(hold.node);
    const Vec3 place = hold.rows.place * hold.acceleration.linear, turn = hold.rows.turn * hold.acceleration.angular;
    for (int k = 0; k < 3; ++k) {
      if (hold.rows.place_held[k]) step_.r[i][k] = place[k];
      if (hold.rows.turn_held[k]) step_.q[i][k] = turn[k];
    }
  }
  if (!chain_.factor()) return false;
  chain_.solve(step_);
  for (std::size_t i = 0; i < r_.size(); ++i)
    if (!step_.r[i].allFinite() || !step_.q[i].allFinite()) return false;
  for (std::size_t i = 0; i < r_.size(); ++i) {
    state.velocity.dot[i] = step_.r[i];
    state.spin.dot[i] = state.q[i].conjugate() * step_.q[i];
  }
  for (std::size_t j = 0; j < n_.size(); ++j) state.n[j] += step_.n[j];
  look_at(state);
  return true;
}

bool RodProblem::project_poses(RodState& state) {
  constexpr int most = 30;
  constexpr double fine = 1e-13, turning = 0.01;  // frames give way sooner than places
  for (int round = 0; round < most; ++round) {
    look_at(state);
    double gap = 0;
    for (const Vec3& g : rows_.n) gap = std::max(gap, g.norm());
    for (const NodeHold& hold : holds_)
      gap = std::max({gap, hold.missing_place.norm(), rod_.length * hold.missing_turn.norm()});
    if (too_far_ || !std::isfinite(gap)) return false;
    if (gap <= fine * rod_.length) return true;
    mass_matrix(1);
    const double stiff = 1e9 * rod_.EI / (rod_.length * rod_.length * rod_.length * rod_.total);
    for (int i = 0; i < rod_.nodes(); ++i) {
      PoseChain::Node& node = chain_.node(i);
      node.rr = stiff * rod_.mass[z(i)] * Mat3::Identity();
      const double h = rod_.segments[z(std::min(i, rod_.edges() - 1))].h;
      node.tt = turning * h * h * node.rr;
      node.held = -1;
    }
    take_holds_into(chain_);
    for (auto* rows : {&rows_.r, &rows_.q}) std::fill(rows->begin(), rows->end(), Vec3::Zero());
    if (!chain_.factor()) return false;
    rows_to_column(step_, -1);
    chain_.solve(step_);
    base_r_ = r_, base_q_ = q_, base_n_ = n_;
    move(1);
    // Of the forces only what stretches and shears is meant.
    for (std::size_t j = 0; j < n_.size(); ++j) {
      Vec3 n = now_[j].mid.transpose() * n_[j];
      for (int c = 0; c < 3; ++c)
        if (rod_.segments[j].give[c] == 0) n[c] = 0;
      n_[j] = now_[j].mid * n;
    }
    state.r = r_, state.q = q_, state.n = n_;
    for (std::size_t j = 0; j < state.w.size(); ++j) state.w[j] = turn_between(q_[j], q_[j + 1]);
  }
  return false;
}

}  // namespace tendril::galpha
