#include "methods/galpha/paper/paper.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

namespace tendril::galpha::paper {

std::vector<FailureInfo> failures() {
  return {{"a hand pulls at a rod, which formulation = \"paper\" has not", "let go, or take formulation = \"pose\""},
          {"formulation = \"paper\" finds no equilibria of rods that are held at both ends",
           "let it move with damping, or take formulation = \"pose\""}};
}

namespace {
// What jumps between two drives of one instant; `other`: a drive of another instant, to compare with.
bool differ(const Drive& a, const Drive& b, const Drive& other) {
  constexpr double jump = 1e-6;
  const auto apart = [](const auto& x, const auto& y, const auto& size) {
    return std::abs(x - y) > jump * std::max({std::abs(x), std::abs(y), std::abs(size)});
  };
  const auto far = [](const Vec3& x, const Vec3& y, const Vec3& size) {
    return (x - y).norm() > jump * std::max({x.norm(), y.norm(), size.norm()});
  };
  if (far(a.gravity, b.gravity, other.gravity)) return true;
  for (std::size_t i = 0; i < a.node_factor.size(); ++i)
    if (apart(a.node_factor[i], b.node_factor[i], other.node_factor[i])) return true;
  for (std::size_t i = 0; i < a.line_factor.size(); ++i)
    if (apart(a.line_factor[i], b.line_factor[i], other.line_factor[i])) return true;
  for (std::size_t i = 0; i < a.clamps.size(); ++i) {
    const ClampNow &x = a.clamps[i], &y = b.clamps[i], &o = other.clamps[i];
    if (x.active != y.active || far(x.motion.linear, y.motion.linear, o.motion.linear) ||
        far(x.motion.angular, y.motion.angular, o.motion.angular))
      return true;
  }
  return false;
}
constexpr double instant = 1e-9;  // of a step: just before its end, just after its start
}  // namespace

Paper::Part::Part(RodData rod, const Settings& settings)
    : data(std::move(rod)),
      system(data, settings),
      before(data),
      now(data),
      trial(data),
      longer_rate(data.nodes.size()),
      longer_force(data.nodes.size(), Vec3::Zero()) {
  for (int k = 0; k <= data.count(); ++k) now.x[z(k)].k = data.start[z(k)];
}

Paper::Paper(std::shared_ptr<const Model> model, const Settings& settings)
    : model_(std::move(model)), settings_(settings), loads_(*model_), open_loads_(*model_), try_loads_(*model_) {
  for (Drive* drive : {&drive_, &used_, &open_, &try_}) evaluate(*model_, Live{}, 0, 1, *drive);
  loads_.update(drive_);
  gravity_ = drive_.gravity;
  for (int rod = 0; rod < static_cast<int>(model_->rods.size()); ++rod) {
    auto part = std::make_unique<Part>(rod_data(*model_, rod), settings);
    part->now.ends = ends_of(*part, drive_, loads_);
    place_frames(part->data, part->now);
    part->far_start = {part->now.place.back(), Quat(part->now.frame.back())};
    part->now.ends = ends_of(*part, drive_, loads_);
    parts_.push_back(std::move(part));
  }
}

// A rod that is integrated from its near end starts where it comes to lie, O(h^2) from the clamp at its far end: what the clamp moves and
// turns by is added to that.
Ends Paper::ends_of(const Part& part, const Drive& drive, const LoadsNow& loads) const {
  Ends ends;
  const ClampNow& near = drive.clamps[z(part.data.near_clamp)];
  ends.near = near.pose;
  const Quat back = near.pose.orientation.conjugate();
  ends.motion = {back * near.motion.linear, back * near.motion.angular};
  ends.load = loads.at_node(part.data.node(part.data.count()));
  if (part.data.far_clamp < 0) return ends;
  const ClampNow& far = drive.clamps[z(part.data.far_clamp)];
  const Pose& start = model_->clamps[z(part.data.far_clamp)].start;
  ends.held = far.active;
  ends.far.position = part.far_start.position + far.pose.position - start.position;
  ends.far.orientation = far.pose.orientation * start.orientation.conjugate() * part.far_start.orientation;
  ends.far_motion = far.motion;
  return ends;
}

double Paper::far_error(int rod) const {
  const Part& part = *parts_[z(rod)];
  return (part.now.place.back() - part.now.ends.far.position).norm();
}

bool Paper::refuse_hands(const Live& live) {
  if (live.hands.count == 0) return false;
  report_.outcome = Outcome::not_converged;
  report_.cause = own_cause(settings_.first_failure + failure_of_hands);
  return true;
}

bool Paper::solve(Part& part, const StepSizes& sizes) {
  part.system.begin(part.before, loads_, sizes, part.now);
  const NewtonReport newton = part.system.solve();
  report_.iterations = std::max(report_.iterations, newton.iterations);
  report_.residual = std::max(report_.residual, newton.residual);
  if (newton.converged) return true;
  report_.outcome = newton.end == NewtonEnd::not_finite ? Outcome::diverged : Outcome::not_converged;
  report_.cause = sizes.still()                         ? Cause::no_equilibrium
                  : newton.end == NewtonEnd::not_finite ? Cause::not_finite
                                                        : Cause::step_too_large;
  report_.rod = part.data.rod;
  return false;
}

// Rates and forces from two short steps of implicit Euler that are not taken, continued to length zero. Where they do not agree, a clamp
// starts at once or lets go of a velocity.  [ERRATA B12, B20]
bool Paper::find_rates(double time, double dt, const Live& live) {
  constexpr double part_of_step = 1.0 / 32, apart = 0.1;  // squared difference
  double difference = 0, size = 0;
  for (const bool first : {true, false}) {
    const double h = (first ? 2 : 1) * part_of_step * dt;
    evaluate(*model_, live, time + h, 1, try_);
    try_loads_.update(try_);
    for (auto& part : parts_) take_trial(*part, h, first);
  }
  for (const auto& part : parts_) {
    for (std::size_t k = 0; k < part->trial.x.size(); ++k) {
      const Vec3 &shorter = part->trial.rate[k].u, &longer = part->longer_rate[k].u;
      const double mass = part->data.segments[std::min(k, part->data.segments.size() - 1)].mass;
      difference += mass * (shorter - longer).squaredNorm(), size += mass * shorter.squaredNorm();
    }
  }
  if (!(difference <= apart * size)) return false;  // also where one of them failed
  for (auto& part : parts_) {
    Level& level = part->before;
    for (std::size_t k = 0; k < level.x.size(); ++k) {
      const Rates &shorter = part->trial.rate[k], &longer = part->longer_rate[k];
      level.rate[k] = {2 * shorter.u - longer.u, 2 * shorter.w - longer.w, 2 * shorter.k - longer.k};
      level.x[k].n = 2 * part->trial.x[k].n - part->longer_force[k];
    }
  }
  return true;
}

void Paper::take_trial(Part& part, double h, bool first) {
  part.trial.x = part.before.x;
  part.trial.ends = ends_of(part, try_, try_loads_);
  part.system.begin(part.before, try_loads_, {implicit_euler, h}, part.trial);
  std::ignore = part.system.solve();  // one that fails does not agree with the other
  if (!first) return;
  for (std::size_t k = 0; k < part.trial.x.size(); ++k)
    part.longer_rate[k] = part.trial.rate[k], part.longer_force[k] = part.trial.x[k].n;
}

// The drives on both sides of the jumps at both ends of the step, and the level to start from.
void Paper::begin_step(double time, double dt, const Live& live, bool& fresh) {
  evaluate(*model_, live, time + instant * dt, 1, open_);
  open_loads_.update(open_);
  evaluate(*model_, live, time + dt, 1, drive_);
  evaluate(*model_, live, time + (1 - instant) * dt, 1, try_);
  fresh = fresh_ || differ(used_, open_, drive_);
  flow_.gravity -= (open_.gravity - gravity_).dot(first_moment());
  gravity_ = open_.gravity;
  used_ = differ(try_, drive_, open_) ? try_ : drive_;
  loads_.update(used_);
  for (auto& part : parts_) {
    Level& before = part->before;
    before.x = part->now.x, before.rate = part->now.rate;
    before.ends = ends_of(*part, open_, open_loads_);
    before.ends.near = part->now.ends.near;
    place_frames(part->data, before);
  }
}

StepReport Paper::step(double time, double dt, const Live& live) {
  report_ = {};
  report_.step_taken = dt;
  if (refuse_hands(live)) return report_;
  bool fresh = false;
  begin_step(time, dt, live, fresh);
  const bool smooth = !fresh || find_rates(time, dt, live);
  fresh_ = false;
  const Weights weights = weights_of(settings_);
  const Vec3 moment_before = first_moment();
  for (auto& part : parts_) {
    Level &before = part->before, &now = part->now;
    // An impact: implicit Euler takes it, which needs no rates.
    for (Rates& rate : before.rate)
      if (!smooth) rate = {};
    find_rows(part->data, settings_.space, weights, open_loads_, before);
    now.x = before.x;  // the last state is the first guess
    now.ends = ends_of(*part, used_, loads_);
    // The position of a held far end is known from velocities alone: what it is off by is taken back in the step.  [ERRATA B11]
    const double gain = settings_.feedback / dt;
    const Mat3 turn = before.ends.far.orientation.toRotationMatrix() * before.frame.back().transpose();
    if (now.ends.held && gain > 0) {
      now.ends.far_motion.linear += gain * (before.ends.far.position - before.place.back());
      now.ends.far_motion.angular += gain * log_rotation(turn);
    }
    if (!solve(*part, {smooth ? settings_.triple : implicit_euler, dt})) {
      for (auto& each : parts_) each->now = each->before;
      fresh_ = true;
      return report_;
    }
  }
  for (auto& part : parts_) count_flow(*part, dt);
  flow_.gravity -= 0.5 * (used_.gravity - gravity_).dot(moment_before + first_moment());
  gravity_ = used_.gravity;
  return report_;
}

StepReport Paper::relax(double time, double load_factor, const Live& live) {
  report_ = {};
  if (refuse_hands(live)) return report_;
  evaluate(*model_, live, time, load_factor, drive_);
  stand_still(drive_);
  used_ = drive_;
  loads_.update(used_);
  fresh_ = true;
  gravity_ = drive_.gravity;
  for (auto& part : parts_) {
    part->before = part->now;
    part->now.ends = ends_of(*part, used_, loads_);
    if (part->now.ends.held) {
      report_.outcome = Outcome::not_converged, report_.rod = part->data.rod;
      report_.cause = own_cause(settings_.first_failure + failure_of_held_equilibrium);
      return report_;
    }
    for (Rates& rate : part->now.rate) rate = {};
    if (solve(*part, {})) continue;
    part->now = part->before;
    return report_;
  }
  return report_;
}

}  // namespace tendril::galpha::paper
