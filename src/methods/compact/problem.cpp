// Energy and gradient of one rod, and what a step ends with. Its start: begin.cpp; matrices: assemble.cpp; springs: grips.cpp.
#include "methods/compact/problem.h"

#include <algorithm>
#include <cmath>

namespace tendril::compact {

// ---- at a place ------------------------------------------------------------------------------------------------------------------
void Problem::place() {
  x_[0] = root_;
  for (int i = 0; i < chain_.real(); ++i) {
    frame_[z(i)] = q_[z(i)].toRotationMatrix();
    x_[z(i + 1)] = x_[z(i)] + (chain_.sign() * chain_.links[z(i)].length) * frame_[z(i)].col(2);
  }
  if (chain_.ring) frame_.back() = frame_.front();
}

void Problem::add_inertia() {
  for (int k = 0; k < chain_.nodes(); ++k) {
    const Vec3 away = x_[z(k)] - hat_[z(k)];
    node_gradient_[z(k)] = (c_ * chain_.mass[z(k)]) * away;
    energy_ += 0.5 * c_ * chain_.mass[z(k)] * away.squaredNorm();
    // A small difference of large places: its rounding is theirs.
    energy_scale_ += node_gradient_[z(k)].cwiseAbs().dot(x_[z(k)].cwiseAbs());
  }
  // |d - d^|^2 on directors: gradient -c J d x d^ in the turn.
  for (int i = 0; i < chain_.real(); ++i) {
    const int p = chain_.d1(i);
    Vec3 turn = Vec3::Zero();
    for (int k = 0; k < 2; ++k) {
      const double inertia = c_ * chain_.mass[z(p + k)];
      const Vec3 d = frame_[z(i)].col(k);
      turn -= inertia * d.cross(hat_[z(p + k)]);
      energy_ += 0.5 * inertia * (d - hat_[z(p + k)]).squaredNorm();
    }
    link_gradient_[z(i)] = turn;
  }
}

void Problem::take_joint(const Joint& joint, JointNow& now, double near) {
  now.point = strain_point(joint.kind, joint_quaternion(joint, q_, frames()), near);
  now.slopes = strain_gradient(now.point);
  const Vec3 away = now.point.strain - now.rest, stress = now.kappa.cwiseProduct(away);
  energy_ += 0.5 * stress.dot(away);
  Vec3 moment = now.slopes.transpose() * stress;
  if (joint.weld != 0) moment = joint.turn_a * moment;
  now.moment = joint.a >= 0 ? Vec3(frame_[z(joint.a)] * moment) : Vec3(frames()[z(joint.clamp)].pose.orientation * moment);
  if (joint.b >= 0) link_gradient_[z(joint.b)] += now.moment;
  if (joint.a >= 0) link_gradient_[z(joint.a)] -= now.moment;
}

LoadedPoint<double> Problem::loaded_point(int link, bool far) const {
  const int k = far ? link + 1 : link;
  const Vec3 v = stage_.still() ? Vec3(Vec3::Zero()) : velocity(k);
  return {to_small(x_[z(k)]), to_small(v), to_small(frame_[z(link)])};
}

void Problem::add_loads() {
  if (frozen_) return add_frozen_loads();
  if (potential_) {
    for (std::size_t k = 0; k < dead_.size(); ++k) {
      node_gradient_[k] -= dead_[k];
      const double work = dead_[k].dot(x_[k]);
      energy_ -= work;
      energy_scale_ += std::abs(work);
    }
    return;
  }
  for (int i = 0; i < chain_.real(); ++i) {
    for (const bool far : {false, true}) {
      const WrenchOf<double> w = half_load(i, far, loaded_point(i, far));
      node_gradient_[z(far ? i + 1 : i)] -= to_eigen(w.force);
      link_gradient_[z(i)] -= to_eigen(w.moment);
    }
  }
}

void Problem::add_rows() {
  std::fill(violation_.begin(), violation_.end(), 0.0);
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    if (!row_on_[3 * h]) continue;
    const HeldPoint& held = chain_.held[h];
    const Vec3 from = x_[z(held.link + 1)] - target_[h];
    for (int k = 0; k < held.rows(); ++k) {
      const double away = held.axes.col(k).dot(from), force = lambda_[3 * h + z(k)];
      if (!soft_) {
        node_gradient_[z(held.link + 1)] += force * held.axes.col(k);
        violation_[3 * h + z(k)] = away;
        continue;
      }
      node_gradient_[z(held.link + 1)] += (force + soft_stiffness_ * away) * held.axes.col(k);
      energy_ += (force + 0.5 * soft_stiffness_ * away) * away;
    }
  }
  if (!chain_.ring) return;
  const std::size_t first = z(chain_.held_rows());
  for (int k = 0; k < 3; ++k) {
    violation_[first + z(k)] = x_[z(chain_.real())][k] - x_[0][k];
    node_gradient_[z(chain_.real())][k] += lambda_[first + z(k)];
    node_gradient_[0][k] -= lambda_[first + z(k)];
  }
  // The link at the end is the first one again.
  link_gradient_.front() += link_gradient_.back();
  link_gradient_.back().setZero();
}

NewtonPoint Problem::sum_up() {
  Vec3 sum = Vec3::Zero();
  double squares = 0;
  for (int i = chain_.all() - 1; i >= chain_.real(); --i) {
    beyond_[z(i)].setZero();
    Eigen::Map<Vec3>(gradient_.data() + 3 + 3 * i).setZero();
  }
  for (int i = chain_.real() - 1; i >= 0; --i) {
    sum += node_gradient_[z(i + 1)];
    beyond_[z(i)] = sum;
    const Vec3 arm = (chain_.sign() * chain_.links[z(i)].length) * frame_[z(i)].col(2);
    const Vec3 g = link_gradient_[z(i)] + arm.cross(sum);
    Eigen::Map<Vec3>(gradient_.data() + 3 + 3 * i) = g;
    squares += g.squaredNorm();
  }
  sum += node_gradient_[0];
  state_->reaction = state_->root_held ? sum : Vec3(Vec3::Zero());
  Eigen::Map<Vec3>(gradient_.data()) = state_->root_held ? Vec3(Vec3::Zero()) : sum;
  squares /= chain_.length * chain_.length;
  if (!state_->root_held) squares += sum.squaredNorm();
  squares /= scale_ * scale_;
  for (const double v : violation_) squares += (row_weight_ * v) * (row_weight_ * v);
  gradient_norm_ = std::sqrt(squares);
  return {energy_, gradient_norm_, std::abs(energy_) + energy_scale_};
}

NewtonPoint Problem::evaluate() {
  take_place();
  return sum_up();
}

void Problem::take_place() {
  energy_ = energy_scale_ = 0;
  place();
  if (stage_.still()) {
    std::fill(node_gradient_.begin(), node_gradient_.end(), Vec3::Zero());
    std::fill(link_gradient_.begin(), link_gradient_.end(), Vec3::Zero());
  } else {
    link_gradient_.back().setZero();
    add_inertia();
  }
  for (std::size_t i = 1; i < joint_.size(); ++i)
    if (!off_[i]) take_joint(chain_.joints[i], joint_[i], state_->twist[i]);
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state_->wall_holds[w]) take_joint(chain_.walls[w], wall_[w], state_->wall_twist[w]);
  add_loads();
  if (!drive_->grips.empty()) add_grips();
  if (active_rows_ > 0) add_rows();
}

// ---- from place to place ----------------------------------------------------------------------------------------------------------
void Problem::move(double fraction) {
  const double* d = direction_.data();
  root_ = base_root_ + fraction * Eigen::Map<const Vec3>(d);
  for (int i = 0; i < chain_.real(); ++i)
    q_[z(i)] = turned_by(fraction * Eigen::Map<const Vec3>(d + 3 + 3 * i), base_q_[z(i)]);
  if (chain_.ring) q_.back() = q_.front();
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] = base_lambda_[k] + fraction * d[z(size()) + k];
}

void Problem::accept() {
  base_root_ = root_;
  std::copy(q_.begin(), q_.end(), base_q_.begin());
  std::copy(lambda_.begin(), lambda_.end(), base_lambda_.begin());
  // From here the next twist is counted.
  for (std::size_t i = 1; i < joint_.size(); ++i)
    if (!off_[i] && joint_[i].point.kind == StrainKind::angle) state_->twist[i] = joint_[i].point.strain[2];
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state_->wall_holds[w] && wall_[w].point.kind == StrainKind::angle) state_->wall_twist[w] = wall_[w].point.strain[2];
}

void Problem::finish() {
  accept();
  // Where the strain does not tell the twist, it is followed beside it.
  const auto followed = [&](const Joint& joint, double near) {
    return strain_point(StrainKind::angle, joint_quaternion(joint, q_, frames()), near).strain[2];
  };
  for (std::size_t i = 1; i < joint_.size(); ++i) {
    if (off_[i])
      state_->twist[i] = 0;
    else if (chain_.joints[i].kind != StrainKind::angle)
      state_->twist[i] = followed(chain_.joints[i], state_->twist[i]);
  }
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state_->wall_holds[w] && chain_.walls[w].kind != StrainKind::angle)
      state_->wall_twist[w] = followed(chain_.walls[w], state_->wall_twist[w]);
  for (std::size_t w = 0; w < wall_.size(); ++w)  // of a joint that a wall replaces: across the wall
    if (state_->wall_holds[w] && chain_.walls[w].replaces >= 0)
      state_->twist[z(chain_.walls[w].replaces)] += state_->wall_twist[w];
  std::copy(lambda_.begin(), lambda_.end(), state_->multiplier.begin());
  for (int i = 0; i < chain_.real(); ++i) state_->force[z(i)] = -chain_.sign() * beyond_[z(i)];
  for (int i = 0; i < chain_.real(); ++i)
    for (int k = 0; k < 2; ++k) x_[z(chain_.d1(i) + k)] = frame_[z(i)].col(k);
  if (stage_.still()) {
    Levels& p = state_->points;
    for (std::size_t i = 0; i < x_.size(); ++i) p.y[i] = x_[i], p.v[i].setZero(), p.a[i].setZero();
    state_->root = root_;
    std::copy(q_.begin(), q_.end(), state_->q.begin());
    return;
  }
  for (std::size_t i = 0; i < x_.size(); ++i) state_->points.push(stage_, i, x_[i], bar_[i]);
  measure_grips();
  state_->root = root_;
  std::copy(q_.begin(), q_.end(), state_->q.begin());
  if (chain_.damping.internal <= 0) return;
  for (std::size_t i = 1; i < joint_.size(); ++i) {
    const Joint& joint = chain_.joints[i];
    if (off_[i]) joint_[i].point = strain_point(joint.kind, joint_quaternion(joint, q_, frames()), state_->twist[i]);
    state_->strains.push(stage_, i, joint_[i].point.strain, state_->strains.blend(stage_.bar, i));
  }
  for (std::size_t w = 0; w < wall_.size(); ++w) {
    const std::size_t i = joint_.size() + w;
    state_->strains.push(stage_, i, wall_[w].point.strain, state_->strains.blend(stage_.bar, i));
  }
}

// ---- the whole -------------------------------------------------------------------------------------------------------------------
namespace {
struct Minimise {
  Problem& p;
  NewtonPoint evaluate() { return p.evaluate(); }
  double direction() { return p.descend(); }
  void move(double fraction) { p.move(fraction); }
  void accept() { p.accept(); }
};
struct FindRoot {
  Problem& p;
  NewtonPoint evaluate() { return p.evaluate(); }
  bool direction() { return p.find_direction(); }
  void move(double fraction) { p.move(fraction); }
  void accept() { p.accept(); }
};
}  // namespace

// A rod that is exactly straight between its clamps cannot be brought together by rows: to first order nothing changes its length. With
// springs instead of rows (an augmented Lagrangian) it is a minimisation, which finds the way to bend; then rows take over where it is.
NewtonReport Problem::bend_into_reach(const NewtonOptions& options) {
  begin_rows(*drive_);
  guess();
  soft_ = true;
  NewtonOptions soft = options;
  soft.tolerance = soft.acceptable = std::max(options.tolerance, 1e-4);
  Minimise minimise{*this};
  std::ignore = newton_minimise(minimise, soft);
  soft_ = false;
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    const HeldPoint& held = chain_.held[h];
    for (int k = 0; k < held.rows() && row_on_[3 * h]; ++k)
      lambda_[3 * h + z(k)] += soft_stiffness_ * held.axes.col(k).dot(x_[z(held.link + 1)] - target_[h]);
  }
  std::copy(lambda_.begin(), lambda_.end(), base_lambda_.begin());
  FindRoot find_root{*this};
  return newton_solve(find_root, options);
}

// Sums of moments of size stiffest, of inertia, and the forces of springs, as stiff as places are known, are known to rounding only.
Problem::Accuracy Problem::accuracy() const {
  double reach = 0, springs = 0;
  for (const Vec3& x : state_->points.y) reach = std::max(reach, x.cwiseAbs().maxCoeff());
  for (const Grip& grip : drive_->grips)
    if (grip.rod == chain_.rod)
      springs += (grip.stiffness + stage_.gamma * grip.damping) * std::max(reach, grip.pose.position.cwiseAbs().maxCoeff());
  const double rounding = 2e-16 * std::sqrt(double(chain_.all())) *
                          (4 * chain_.stiffest / chain_.length + c_ * chain_.total * reach / chain_.all() + springs) /
                          scale_;
  const double tolerance = std::max(stage_.still() ? settings_.relax_tolerance : settings_.tolerance, 4 * rounding);
  return {tolerance, std::max(10 * tolerance, 100 * rounding)};
}

Cause cause_of(NewtonEnd end, bool still) {
  if (end == NewtonEnd::not_finite) return Cause::not_finite;
  if (still) return Cause::no_equilibrium;
  return end == NewtonEnd::iteration_limit ? iterations_used_up : nothing_lower;
}

Solved Problem::iterate() {
  const double stretch = active_rows_ > 0 ? stretched() : 0;
  if (stretch > 1 + 1e-9) return {false, Cause::clamp_out_of_reach};
  if (potential_ && falls()) return {false, nothing_holds};  // what pulls at it must cancel: nothing else could
  NewtonOptions options;
  options.max_iterations = settings_.iterations;
  const Accuracy asked = accuracy();
  options.tolerance = asked.tolerance, options.acceptable = asked.acceptable;
  Minimise minimise{*this};
  FindRoot find_root{*this};
  NewtonReport report =
      potential_ && active_rows_ == 0 ? newton_minimise(minimise, options) : newton_solve(find_root, options);
  if (!report.converged && report.residual > options.acceptable && potential_ && active_rows_ > 0 && !chain_.ring) {
    const int before = report.iterations;
    report = bend_into_reach(options);
    report.iterations += before;
  }
  // Whatever ended the search, what is left is rounding; but not where only its iterations ended, unless that is asked for.
  const bool at_limit = report.end == NewtonEnd::iteration_limit;
  const bool enough = settings_.accept_unfinished && !stage_.still() && at_limit;
  const bool rounds = asked.acceptable > 10 * asked.tolerance;
  const double left = at_limit && !rounds ? options.tolerance : options.acceptable;
  const bool converged = report.converged || enough || (report.end != NewtonEnd::not_finite && report.residual <= left);
  Solved solved{converged, Cause::none, report.iterations, fallbacks_, report.residual};
  solved.solves = iterative_.solves(), solved.inner_iterations = iterative_.iterations();
  if (!converged) solved.cause = cause_of(report.end, stage_.still());
  if (solved.cause == Cause::no_equilibrium && stretch > 1 - 1e-9) solved.cause = Cause::taut;
  return solved;
}

Solved Problem::solve(ChainState& state, const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  begin(state, drive, loads, stage);
  Solved solved = iterate();
  if (!solved.fine) return straighten(), solved;
  solved.folded = is_folded_now();
  finish();
  return solved;
}

bool Problem::falls() const {
  if (!drifts_) return false;
  Vec3 whole = Vec3::Zero();
  for (const Vec3& force : dead_) whole += force;
  return !potential_ || whole.norm() > 1e-9 * scale_;
}

bool Problem::is_folded_now() const {
  bool folded = false;
  for (std::size_t i = 1; i < joint_.size(); ++i) folded = folded || (!off_[i] && is_folded(joint_[i].point));
  for (std::size_t w = 0; w < wall_.size(); ++w) folded = folded || (state_->wall_holds[w] && is_folded(wall_[w].point));
  return folded;
}

bool Problem::find_accelerations(ChainState& state, const Drive& drive, const LoadsNow& loads, double h) {
  const Stage stage = euler_stage(h);
  begin(state, drive, loads, stage);
  const bool fine = iterate().fine;
  if (fine) take_accelerations(state);
  straighten();  // the step is not taken
  return fine;
}

void Problem::take_accelerations(ChainState& state) {
  for (int i = 0; i < chain_.real(); ++i)
    for (int k = 0; k < 2; ++k) x_[z(chain_.d1(i) + k)] = frame_[z(i)].col(k);
  for (std::size_t i = 0; i < x_.size(); ++i) state.points.a[i] = stage_.c * (x_[i] - state.points.blend(stage_.hat, i));
}

}  // namespace tendril::compact
