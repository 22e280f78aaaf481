// The front door: what callers see of a Simulation.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "parallel/stop.h"
#include "run/check.h"
#include "run/inside.h"
#include "run/open.h"

namespace tendril {

Simulation::Simulation(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Checked<Simulation> Simulation::open(const Scene& scene, const Resources& resources) {
  const MethodEntry* entry = find_method(scene.method);
  if (entry == nullptr) return check(scene);  // says which methods there are
  return open_with(scene, *entry, resources);
}

Checked<Simulation> open_with(const Scene& scene, const MethodEntry& method, const Resources& resources) {
  return SimulationAccess::open(scene, method, resources);
}
const Model& model_of(const Simulation& simulation) { return SimulationAccess::model(simulation); }

Checked<Simulation> SimulationAccess::open(const Scene& scene, const MethodEntry& entry, const Resources& resources) {
  Examined examined = examine(scene, entry);
  if (has_errors(examined.problems)) return std::move(examined.problems);
  TENDRIL_REQUIRE(examined.model, "a scene without errors has a model");
  auto inside = std::make_unique<Simulation::Inside>(scene, examined.model, entry, *examined.options, resources);
  inside->step_size = examined.step_size;
  inside->stable_step = examined.advice.stable;
  // Statics starts from the unloaded rod; quasistatics records the equilibrium of time 0 first.
  if (scene.time.mode != Mode::quasistatic && !inside->arrive()) {
    examined.problems.push_back({Severity::error, "", "", "the start holds values that are not finite", "", ""});
    return std::move(examined.problems);
  }
  return Checked<Simulation>(Simulation(std::move(inside)), std::move(examined.problems));
}

StepReport Simulation::advance() { return advance_to(forever); }

StepReport Simulation::advance_to(double time) {
  Inside& in = *inside_;
  if (in.finished()) return in.place.last;
  in.interrupted = false;
  if (in.scene.time.mode == Mode::statics) return in.advance_equilibrium(time);
  const bool once = time == forever;
  StepReport report = in.place.last;
  const double end = std::min(time, in.end());
  const bool quasistatic = in.scene.time.mode == Mode::quasistatic;
  while (!in.finished() && (once || in.place.time < end || (quasistatic && !in.place.settled))) {
    if (!quasistatic) in.take_inputs();
    report = quasistatic ? in.advance_equilibrium(end) : in.advance_dynamics(end);
    if (once || in.interrupted) break;
  }
  return report;
}

bool Simulation::finished() const { return inside_->finished(); }
bool Simulation::at_recording_time() const { return inside_->place.recorded > 0 && !inside_->place.off_grid; }
std::int64_t Simulation::recorded() const { return inside_->place.recorded; }
double Simulation::time() const { return inside_->place.time; }
double Simulation::end_time() const { return inside_->end(); }
double Simulation::step_size() const { return inside_->step_size; }
double Simulation::stable_step() const { return inside_->stable_step; }
const Frame& Simulation::frame() const { return inside_->refresh(), inside_->frame; }
const Measures& Simulation::measures() const { return inside_->refresh(), inside_->measures; }
std::span<const Wrench> Simulation::reactions() const { return inside_->refresh(), inside_->frame.reactions; }
const Scene& Simulation::scene() const { return inside_->scene; }
void Simulation::go_on_forever() { inside_->until = forever; }
void Simulation::go_on_until(double time) { inside_->until = time; }
RunReport Simulation::report() const { return inside_->report(); }
void Simulation::save(StateWriter& writer) const { inside_->visit_state(writer); }
void Simulation::load(StateReader& reader) {
  inside_->visit_state(reader);
  TENDRIL_REQUIRE(reader.at_end(), "the state holds more than it should");
}

std::vector<std::string> Simulation::rod_names() const {
  std::vector<std::string> names;
  for (const RodModel& rod : inside_->model->rods) names.push_back(rod.name);
  return names;
}

std::vector<std::string> Simulation::clamp_names() const {
  std::vector<std::string> names;
  for (const ClampModel& clamp : inside_->model->clamps) names.push_back(clamp.name);
  return names;
}

std::vector<std::string> Simulation::body_names() const {
  std::vector<std::string> names;
  for (const BodyModel& body : inside_->model->bodies) names.push_back(body.name);
  return names;
}

Simulation Simulation::fork() const {
  auto copy =
      std::make_unique<Inside>(inside_->scene, inside_->model, *inside_->entry, inside_->options, inside_->resources);
  copy->step_size = inside_->step_size;
  copy->stable_step = inside_->stable_step;
  copy->until = inside_->until;
  copy->script = inside_->script;
  StateWriter writer;
  inside_->visit_state(writer);
  StateReader reader(writer.buffer());
  copy->visit_state(reader);
  copy->log = inside_->log;
  return Simulation(std::move(copy));
}

// Asking the clock, the sinks and `stop` after every step would cost more than a short rod's step.
constexpr int steps_between_ticks = 16;

RunReport simulate(Simulation& simulation, std::span<Sink* const> sinks, const std::function<bool()>& stop) {
  Simulation::Inside& in = *simulation.inside_;
  // A frame is given to the sinks once, also when a run goes on from a checkpoint.
  const auto deliver = [&] {
    if (!simulation.at_recording_time() || in.place.delivered == in.place.recorded) return;
    in.place.delivered = in.place.recorded;
    for (Sink* sink : sinks) sink->take(simulation.frame(), simulation.measures());
  };
  const StopScope inside_of_steps_too(stop);
  for (Sink* sink : sinks) sink->begin(simulation);
  deliver();
  using Clock = std::chrono::steady_clock;
  int since_tick = steps_between_ticks, between_ticks = steps_between_ticks;
  Clock::time_point last_tick = Clock::now();
  while (!simulation.finished()) {
    // Steps until the end, failure or `stop`.
    if (++since_tick >= between_ticks || in.scene.time.mode != Mode::dynamics) {
      since_tick = 0;
      // Where steps are long, Ctrl-C and the progress line do not wait for sixteen of them.
      const Clock::time_point now = Clock::now();
      between_ticks = now - last_tick > std::chrono::milliseconds(100) ? 1 : steps_between_ticks;
      last_tick = now;
      for (Sink* sink : sinks) sink->tick(simulation);
      if (asked_to_stop()) break;
    }
    if (simulation.advance().outcome == Outcome::diverged || in.interrupted) break;
    deliver();
  }
  const RunReport report = simulation.report();
  for (Sink* sink : sinks) sink->end(report);
  return report;
}

}  // namespace tendril
