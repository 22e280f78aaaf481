#include "methods/galpha/galpha.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tendril::galpha {
namespace {

constexpr int max_halvings = 6;        // of a step that does not converge, inside of it
constexpr int guard_halvings = 3;      // of a step that gains energy
constexpr double same_instant = 1e-9;  // of a step

// Instants at which something starts, ends or changes its velocity at once.
std::vector<double> jumps_of(const Model& model) {
  std::vector<double> jumps;
  const auto add = [&jumps](double time) {
    if (time > 0 && std::isfinite(time)) jumps.push_back(time);
  };
  const auto keys = [&add](const auto& table) {
    for (const auto& key : table.keys) add(key.time);
  };
  const auto steps = [&keys](const auto& table) {
    if (table.shape == TimetableShape::hold) keys(table);
  };
  for (const ClampModel& clamp : model.clamps) add(clamp.from), add(clamp.until), keys(clamp.move), keys(clamp.turn);
  for (const CouplingModel& c : model.couplings) {
    add(c.from), add(c.until), steps(c.move), steps(c.turn);
    if (c.damping > 0) keys(c.move);
    if (c.angular_damping > 0) keys(c.turn);
  }
  for (const NodeLoad& load : model.node_loads) steps(load.factor);
  for (const LineLoad& load : model.line_loads) steps(load.factor);
  for (const ChangingGravity& gravity : model.changing_gravity) steps(gravity.factor);
  for (const Wind& wind : model.winds) steps(wind.law.factor);
  std::sort(jumps.begin(), jumps.end());
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  return jumps;
}

}  // namespace

Settings Settings::from(const Options& options) {
  Settings s;
  const double rho = options.number("rho_infinity");
  s.motion.triple = options.word("scheme") == "triple"
                        ? Triple{options.number("alpha"), options.number("beta"), options.number("gamma")}
                        : Triple::of_radius(rho);
  s.motion.guard = options.flag("guard");
  s.motion.seek_minimum = options.flag("seek_minimum");
  s.motion.newton.tolerance = options.number("newton_tolerance");
  s.motion.newton.iterations = static_cast<int>(options.number("iterations"));
  s.motion.newton.relaxation = options.number("relaxation");
  s.motion.newton.extrapolate = options.word("guess") == "extrapolated";
  return s;
}

Galpha::Galpha(std::shared_ptr<const Model> model, const Settings& settings)
    : model_(std::move(model)),
      settings_(settings),
      late_(*model_),
      loads_(*model_),
      clamp_accelerations_(model_->clamps.size()),
      clamp_motions_(model_->clamps.size()),
      jumps_(jumps_of(*model_)),
      workers_(settings.threads) {
  const int rods = static_cast<int>(model_->rods.size());
  for (int r = 0; r < rods; ++r) rods_.push_back(std::make_unique<RodMotion>(*model_, r, settings_.motion));
  results_.resize(z(rods)), verdicts_.resize(z(rods));
  order_.resize(z(rods * (max_halvings + 2)));
  drive_to(0, 1, Live{}, false);
  for (auto& rod : rods_) {
    rod->set_drive(drive_, loads_, late_, clamp_accelerations_);
    std::ignore = rod->start();
  }
}

void Galpha::drive_to(double time, double load_factor, const Live& live, bool still) {
  evaluate(*model_, live, time, load_factor, drive_);
  if (still) stand_still(drive_);
  late_.follow(*model_, drive_, [&](const ClampModel& clamp) {
    const RodMotion& rod = *rods_[z(clamp.rod)];
    const std::size_t i = z(clamp.node.value - rod.rod().span.first_node);
    return Pose{rod.state().r[i], rod.state().q[i]};
  });
  loads_.update(drive_);
}

// What acts and holds from now on, accelerations of clamps by differences.
void Galpha::restart(double time, double dt, const Live& live) {
  const double h = 1e-4 * dt;
  drive_to(time + 2 * h, 1, live, false);
  for (std::size_t i = 0; i < drive_.clamps.size(); ++i) clamp_accelerations_[i] = drive_.clamps[i].motion;
  drive_to(time + same_instant * dt, 1, live, false);
  for (std::size_t i = 0; i < drive_.clamps.size(); ++i) {
    const Motion& now = drive_.clamps[i].motion;
    Motion& a = clamp_accelerations_[i];
    a.linear = (a.linear - now.linear) / (2 * h), a.angular = (a.angular - now.angular) / (2 * h);
  }
  workers_.for_each_chunk(static_cast<int>(rods_.size()), [&](int r) {
    bool jump = false;
    for (std::size_t i = 0; i < drive_.clamps.size(); ++i) {
      const Motion &now = drive_.clamps[i].motion, &before = clamp_motions_[i];
      if (model_->clamps[i].rod == r && late_.holds(i))
        jump = jump || now.linear != before.linear || now.angular != before.angular;
    }
    rods_[z(r)]->set_drive(drive_, loads_, late_, clamp_accelerations_);
    rods_[z(r)]->restart(dt, jump);
  });
}

// A step that ends at a jump ends just before it.
double Galpha::end_of_step(double time, double dt) const {
  const double end = time + dt, near = same_instant * dt;
  const auto next = std::lower_bound(jumps_.begin(), jumps_.end(), end - near);
  return next != jumps_.end() && *next <= end + near ? *next - near : end;
}

// Rods that do not meet go each their own way: those that fail a step take it in halves, the others do not notice.
void Galpha::advance(std::span<int> rods, double time, double dt, const Live& live, int depth) {
  drive_to(end_of_step(time, dt), 1, live, false);
  workers_.for_each_chunk(static_cast<int>(rods.size()), [&](int k) {
    RodMotion& rod = *rods_[z(rods[z(k)])];
    StepResult& result = results_[z(rods[z(k)])];
    rod.set_drive(drive_, loads_, late_, clamp_accelerations_);
    const int before = result.iterations;
    result = rod.step(dt, depth < guard_halvings);
    result.iterations += before;
  });
  if (depth == max_halvings) return;
  const std::size_t rods_in_all = rods_.size();
  const std::span<int> failed = std::span(order_).subspan(z(depth + 1) * rods_in_all, rods_in_all);
  std::size_t count = 0;
  for (const int r : rods)
    if (!results_[z(r)].fine) failed[count++] = r;
  if (count == 0) return;
  advance(failed.first(count), time, 0.5 * dt, live, depth + 1);
  std::size_t left = 0;
  for (std::size_t k = 0; k < count; ++k)
    if (results_[z(failed[k])].fine) failed[left++] = failed[k];
  if (left > 0) advance(failed.first(left), time + 0.5 * dt, 0.5 * dt, live, depth + 1);
}

StepReport Galpha::step(double time, double dt, const Live& live) {
  report_ = {};
  // A step ends where something jumps, and the next one starts afresh.  [ERRATA B20]
  const auto next = std::upper_bound(jumps_.begin(), jumps_.end(), time + same_instant * dt);
  const bool at_jump = next != jumps_.begin() && *(next - 1) >= time - same_instant * dt;
  if (next != jumps_.end() && *next < time + dt * (1 - same_instant)) dt = *next - time;
  report_.step_taken = dt;
  if (!started_ || at_jump) restart(time, dt, live), started_ = true;
  for (StepResult& result : results_) result = {};
  const std::span<int> all = std::span(order_).first(rods_.size());
  std::iota(all.begin(), all.end(), 0);
  advance(all, time, dt, live, 0);
  if (const double end = end_of_step(time, dt); drive_.time != end) drive_to(end, 1, live, false);
  for (std::size_t i = 0; i < drive_.clamps.size(); ++i) clamp_motions_[i] = drive_.clamps[i].motion;
  for (std::size_t r = 0; r < results_.size(); ++r) {
    const StepResult& result = results_[r];
    report_.iterations = std::max(report_.iterations, result.iterations);
    report_.residual = std::max(report_.residual, result.residual);
    if (result.fine || report_.outcome != Outcome::fine) continue;
    report_.outcome = result.cause == Cause::not_finite ? Outcome::diverged : Outcome::not_converged;
    report_.cause = result.cause, report_.rod = static_cast<int>(r);
  }
  return report_;
}

StepReport Galpha::relax(double time, double load_factor, const Live& live) {
  report_ = {};
  drive_to(time, load_factor, live, true);
  for (Motion& a : clamp_accelerations_) a = {};
  workers_.for_each_chunk(static_cast<int>(rods_.size()), [&](int r) {
    rods_[z(r)]->set_drive(drive_, loads_, late_, clamp_accelerations_);
    results_[z(r)] = rods_[z(r)]->relax(verdicts_[z(r)]);
  });
  report_.verdict.kind = Verdict::Kind::counted;
  for (std::size_t r = 0; r < results_.size(); ++r) {
    const StepResult& result = results_[r];
    report_.iterations = std::max(report_.iterations, result.iterations);
    report_.residual = std::max(report_.residual, result.residual);
    report_.verdict.add(verdicts_[r]);
    if (result.fine || report_.outcome != Outcome::fine) continue;
    report_.outcome = Outcome::not_converged;
    report_.cause = result.cause, report_.rod = static_cast<int>(r);
  }
  started_ = false;
  return report_;
}

long Galpha::guarded() const {
  long sum = 0;
  for (const auto& rod : rods_) sum += rod->guarded();
  return sum;
}

Explanation Galpha::explain(Cause cause) const {
  if (report_.rod < 0 || cause == Cause::none) return {};
  const RodMotion& rod = *rods_[z(report_.rod)];
  return {"largest residual at node " + std::to_string(rod.problem().worst_node()) + " of rod " +
              model_->rods[z(report_.rod)].name,
          ""};
}

}  // namespace tendril::galpha
