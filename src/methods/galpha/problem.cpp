#include "methods/galpha/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril::galpha {
namespace {
constexpr double max_turn = 1.2;     // [rad] of a node in one Newton step
constexpr double far_away = 50;      // turns [rad] and lengths of a Newton step
constexpr double turn_limit = 3.05;  // [rad] of a segment: beyond half a turn its strain would jump
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
}  // namespace

RodProblem::RodProblem(const Model& model, const RodConstants& rod, const NewtonSettings& settings)
    : model_(model), rod_(rod), settings_(settings) {
  const int nodes = rod.nodes(), edges = rod.edges();
  int clamps = 0;
  for (const ClampModel& clamp : model.clamps) clamps += clamp.rod == rod.number ? 1 : 0;
  holds_.reserve(z(clamps));
  plain_.resize(z(nodes)), on_grips_.resize(z(nodes));
  for (auto* list :
       {&r_, &base_r_, &v_, &a_, &psi_, &spin_, &spin_dot_, &known_v_, &known_a_, &known_spin_, &known_spin_dot_})
    list->assign(z(nodes), Vec3::Zero());
  q_.assign(z(nodes), Quat::Identity()), base_q_ = q_;
  for (auto* list : {&n_, &base_n_}) list->assign(z(edges), Vec3::Zero());
  known_strain_.assign(rod.damping.internal > 0 ? z(edges) : 0, Vec3::Zero());
  now_.resize(z(edges));
  rows_.resize(nodes), step_.resize(nodes);
  chain_.resize(nodes, clamps, static_cast<int>(model.couplings.size()) + max_hands);
}

// ---- the trial ---------------------------------------------------------------------------------------------------------------
void RodProblem::begin(const RodState& state, const Stage& stage) {
  from_ = &state, stage_ = stage, moving_ = !stage.is_still();
  r_ = state.r, q_ = state.q, n_ = state.n;
  const double of_rate = stage.of_rate(), of_true = stage.of_true();
  const auto know = [&](const Level& level, std::size_t i) {
    return Vec3(of_rate * level.rate[i] + of_true * level.dot[i]);
  };
  for (std::size_t i = 0; i < r_.size() && moving_; ++i) {
    known_v_[i] = know(state.place, i), known_a_[i] = know(state.velocity, i);
    known_spin_[i] = know(state.turn, i), known_spin_dot_[i] = know(state.spin, i);
  }
  for (std::size_t j = 0; j < known_strain_.size() && moving_; ++j)
    known_strain_[j] = know(state.strain, j) - stage.slope() * state.w[j];
  // What forces are measured by: bending, weight and loads; constraints by what moves the rod as much in one step.
  Vec3 loads = Vec3::Zero();
  double moment = 0, largest = 0, far = 0;
  for (int i = 0; i < rod_.nodes(); ++i) {
    const WrenchOf<double> load = load_on(i, point(i));
    loads += to_eigen(load.force).cwiseAbs(), moment = std::max(moment, to_eigen(load.moment).norm());
    far = std::max(far, r_[z(i)].norm());
  }
  for (const Vec3& n : n_) largest = std::max(largest, n.norm());
  force_scale_ = rod_.EI / (rod_.length * rod_.length) + loads.norm() + moment / rod_.length;
  const double stiff = stage.slope() * stage.slope(), heaviest = *std::max_element(rod_.mass.begin(), rod_.mass.end());
  floor_ = rounding * (largest + stiff * heaviest * (far + rod_.length));
  link_scale_ = rod_.length;
  if (stiff > 0) link_scale_ = std::min(link_scale_, force_scale_ / (stiff * rod_.total));
}

void RodProblem::guess(const RodState& s, bool extrapolated) {
  const double dt = extrapolated ? stage_.dt : 0;
  for (std::size_t i = 0; i < r_.size(); ++i) {
    r_[i] = s.r[i] + dt * s.place.dot[i] + (0.5 * dt * dt) * s.velocity.dot[i];
    const Vec3 turn = dt * s.turn.dot[i] + (0.5 * dt * dt) * s.spin.dot[i];
    q_[i] = extrapolated ? Quat(s.q[i] * exp_quat(turn)) : s.q[i];
  }
}

void RodProblem::find_motion() {
  const double slope = stage_.slope();
  for (std::size_t i = 0; i < r_.size(); ++i) {
    v_[i] = slope * (r_[i] - from_->r[i]) + known_v_[i];
    a_[i] = slope * (v_[i] - from_->place.dot[i]) + known_a_[i];
    psi_[i] = turn_between(from_->q[i], q_[i]);
    spin_[i] = slope * psi_[i] + known_spin_[i];
    spin_dot_[i] = slope * (spin_[i] - from_->turn.dot[i]) + known_spin_dot_[i];
  }
}

SegmentRate RodProblem::rate_of(int j) const {
  if (known_strain_.empty() || !moving_) return {};
  return {stage_.slope(), known_strain_[z(j)]};
}

// ---- rows --------------------------------------------------------------------------------------------------------------------
void RodProblem::add_nodes() {
  const double damping = moving_ ? rod_.damping.mass : 0;
  for (int i = 0; i < rod_.nodes(); ++i) {
    const std::size_t k = z(i);
    Vec3 force = plain_[k].force, moment = plain_[k].moment;
    if (!rod_.plain_loads) {
      const WrenchOf<double> load = load_on(i, point(i));
      force = to_eigen(load.force), moment = to_eigen(load.moment);
    }
    rows_.r[k] = -force, rows_.q[k] = -moment;
    if (moving_) {
      const Vec3 momentum = rod_.inertia[k].cwiseProduct(spin_[k]);
      rows_.r[k] += rod_.mass[k] * (a_[k] + damping * v_[k]);
      rows_.q[k] += q_[k] * Vec3(rod_.inertia[k].cwiseProduct(spin_dot_[k]) + spin_[k].cross(momentum) + damping * momentum);
    }
    if (pull_ > 0) {
      rows_.r[k] += pull_ * rod_.mass[k] * (r_[k] - from_->r[k]);
      rows_.q[k] += pull_ * rod_.mass[k] * rod_.length * rod_.length * log_rotation(Quat(q_[k] * from_->q[k].conjugate()));
    }
  }
}

void RodProblem::add_segments() {
  too_far_ = false;
  for (int j = 0; j < rod_.edges(); ++j) {
    SegmentNow& now = now_[z(j)];
    galpha::evaluate(rod_.segments[z(j)], rod_.law, rate_of(j), q_[z(j)], q_[z(j + 1)], n_[z(j)], now);
    rows_.r[z(j)] -= now.n, rows_.r[z(j + 1)] += now.n;
    rows_.q[z(j)] -= now.on_a, rows_.q[z(j + 1)] -= now.on_b;
    rows_.n[z(j)] = r_[z(j + 1)] - r_[z(j)] - now.p;
    too_far_ = too_far_ || now.w.squaredNorm() > turn_limit * turn_limit;
  }
}

// Hands and couplings: at the point they hold, by shares of its two nodes; they turn the nearer node.
void RodProblem::add_grips() {
  for (Node& node : on_grips_) node = {};
  for (const Grip& grip : drive_->grips) {
    if (grip.rod != rod_.number) continue;
    const std::size_t a = z(grip.a.value - rod_.span.first_node), b = z(grip.b.value - rod_.span.first_node);
    const double s = grip.share;
    const Vec3 x = (1 - s) * r_[a] + s * r_[b];
    const Vec3 v = moving_ ? Vec3((1 - s) * v_[a] + s * v_[b]) : grip.motion.linear;
    const Vec3 force = grip_force(grip, x, v);
    on_grips_[a].force += (1 - s) * force, on_grips_[b].force += s * force;
    if (grip.angular_stiffness == 0 && grip.angular_damping == 0) continue;
    const std::size_t near = s < 0.5 ? a : b;
    on_grips_[near].moment += grip_moment(grip, q_[near], moving_ ? Vec3(q_[near] * spin_[near]) : grip.motion.angular);
  }
  if (drive_->grips.empty()) return;
  for (std::size_t i = 0; i < on_grips_.size(); ++i) rows_.r[i] -= on_grips_[i].force, rows_.q[i] -= on_grips_[i].moment;
}

// The largest of all rows that are not held, each by its scale.
double RodProblem::scaled_norm() {
  const double force = 1 / std::max(force_scale_, floor_ / tolerance_), moment = force / rod_.length;
  const double link = 1 / std::max(link_scale_, rounding * (rod_.length + r_[0].norm()) / tolerance_);
  double sum = 0, worst = -1;
  std::size_t hold = 0;
  for (int i = 0; i < rod_.nodes(); ++i) {
    const std::size_t k = z(i);
    Vec3 f = force * rows_.r[k], t = moment * rows_.q[k];
    const NodeHold* held = nullptr;
    for (hold = 0; hold < holds_.size(); ++hold)
      if (holds_[hold].node == i) held = &holds_[hold];
    if (held) {
      f = held->rows.place * f, t = held->rows.turn * t;
      for (int c = 0; c < 3; ++c) {
        if (held->rows.place_held[c]) f[c] = link * held->missing_place[c];
        if (held->rows.turn_held[c]) t[c] = link * rod_.length * held->missing_turn[c];
      }
    }
    double here = f.squaredNorm() + t.squaredNorm();
    if (i < rod_.edges()) here += (link * rows_.n[k]).squaredNorm();
    sum += here;
    if (!(here <= worst)) worst = here, worst_node_ = i;
  }
  return std::sqrt(sum);
}

NewtonPoint RodProblem::evaluate() {
  if (moving_) find_motion();
  add_nodes();
  add_segments();
  add_grips();
  add_holds();
  NewtonPoint point;
  point.residual = too_far_ ? HUGE_VAL : scaled_norm();
  return point;
}

void RodProblem::look_at(const RodState& state) {
  from_ = &state, stage_ = {}, moving_ = true, pull_ = 0;
  r_ = state.r, q_ = state.q, n_ = state.n;
  v_ = state.place.dot, a_ = state.velocity.dot, spin_ = state.turn.dot, spin_dot_ = state.spin.dot;
  for (std::size_t j = 0; j < known_strain_.size(); ++j) known_strain_[j] = state.strain.dot[j];
  add_nodes(), add_segments(), add_grips(), add_holds();
}

void RodProblem::look_still(const RodState& state) {
  begin(state, Stage::still());
  pull_ = 0;
  add_nodes(), add_segments(), add_grips(), add_holds();
}

double RodProblem::residual_at(const RodState& state, double tolerance) {
  tolerance_ = tolerance;
  look_still(state);
  return scaled_norm();
}

// ---- Newton's method -----------------------------------------------------------------------------------------------------------
void RodProblem::rows_to_column(PoseChain::Column& column, double sign) const {
  for (std::size_t i = 0; i < r_.size(); ++i) column.r[i] = sign * rows_.r[i], column.q[i] = sign * rows_.q[i];
  for (std::size_t j = 0; j < n_.size(); ++j) column.n[j] = sign * rows_.n[j];
  for (const NodeHold& hold : holds_) {
    Vec3 &f = column.r[z(hold.node)], &t = column.q[z(hold.node)];
    f = hold.rows.place * f, t = hold.rows.turn * t;
    for (int k = 0; k < 3; ++k) {
      if (hold.rows.place_held[k]) f[k] = hold.missing_place[k];
      if (hold.rows.turn_held[k]) t[k] = hold.missing_turn[k];
    }
  }
}

bool RodProblem::direction() {
  if (!assemble().factor()) return false;
  rows_to_column(step_, -1);
  chain_.solve(step_);
  double turn = 0, way = 0;
  for (const Vec3& q : step_.q) turn = std::max(turn, q.norm());
  for (const Vec3& r : step_.r) way = std::max(way, r.norm());
  if (!std::isfinite(turn) || !std::isfinite(way)) return false;
  // In equilibrium a step far beyond the rod is one along a direction that nothing resists.
  if (stage_.is_still() && (turn > far_away || way > far_away * rod_.length)) return false;
  fraction_ = std::min(settings_.relaxation, max_turn / std::max(turn, max_turn));
  base_r_ = r_, base_q_ = q_, base_n_ = n_;
  return true;
}

void RodProblem::set_direction(const PoseChain::Column& direction) {
  step_ = direction;
  base_r_ = r_, base_q_ = q_, base_n_ = n_;
}

void RodProblem::move(double fraction) {
  for (std::size_t i = 0; i < r_.size(); ++i) {
    r_[i] = base_r_[i] + fraction * step_.r[i];
    q_[i] = (exp_quat(Vec3(fraction * step_.q[i])) * base_q_[i]).normalized();
  }
  for (std::size_t j = 0; j < n_.size(); ++j) n_[j] = base_n_[j] + fraction * step_.n[j];
}

void RodProblem::accept() {}

NewtonReport RodProblem::solve(const RodState& state, const Stage& stage) {
  begin(state, stage);
  pull_ = 0, tolerance_ = settings_.tolerance;
  guess(state, false);
  if (settings_.extrapolate) {
    // Whichever is nearer: long steps are not to be extrapolated over.
    const double last = evaluate().residual;
    guess(state, true);
    if (!(evaluate().residual < last)) guess(state, false);
  }
  NewtonOptions options;
  options.max_iterations = settings_.iterations, options.tolerance = tolerance_, options.acceptable = 100 * tolerance_;
  options.smallest_step = 1e-4;
  return newton_solve(*this, options);
}

NewtonReport RodProblem::solve_still(const RodState& state, double pull, double tolerance) {
  begin(state, Stage::still());
  pull_ = pull, tolerance_ = tolerance;
  NewtonOptions options;
  options.max_iterations = settings_.iterations, options.tolerance = tolerance_, options.smallest_step = 1e-3;
  return newton_solve(*this, options);
}

void RodProblem::finish(RodState& state) {
  state.n = n_;
  if (!stage_.is_still()) {
    for (std::size_t i = 0; i < r_.size(); ++i) {
      const auto advance = [&](Level& level, const Vec3& change, const Vec3& now) {
        level.rate[i] = stage_.new_rate(change, level.rate[i]), level.dot[i] = now;
      };
      const Vec3 moved = r_[i] - state.r[i], faster = v_[i] - state.place.dot[i], spun = spin_[i] - state.turn.dot[i];
      advance(state.place, moved, v_[i]), advance(state.velocity, faster, a_[i]);
      advance(state.turn, psi_[i], spin_[i]), advance(state.spin, spun, spin_dot_[i]);
    }
    for (std::size_t j = 0; j < known_strain_.size(); ++j) {
      const Vec3 change = now_[j].w - state.w[j];
      state.strain.dot[j] = stage_.slope() * now_[j].w + known_strain_[j];
      state.strain.rate[j] = stage_.new_rate(change, state.strain.rate[j]);
    }
    state.dt = stage_.dt;
  }
  for (std::size_t j = 0; j < state.w.size(); ++j) state.w[j] = now_[j].w;
  state.r = r_, state.q = q_;
}

}  // namespace tendril::galpha
