#include "run/inside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/advice.h"
#include "run/far_away.h"
#include "run/input_state.h"
#include "run/suspicion.h"

namespace tendril {
namespace {

bool all_finite(const Frame& frame) {
  const auto finite = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](const Vec3& v) { return v.allFinite(); });
  };
  const auto& q = frame.orientation;
  return finite(frame.position) && finite(frame.velocity) && finite(frame.moment) && finite(frame.force) &&
         std::all_of(q.begin(), q.end(), [](const Quat& v) { return v.coeffs().allFinite(); }) &&
         std::all_of(frame.twist.begin(), frame.twist.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

Simulation::Inside::Inside(Scene the_scene, std::shared_ptr<const Model> the_model, const MethodEntry& the_entry,
                           const Options& the_options, const Resources& the_resources)
    : scene(std::move(the_scene)),
      model(std::move(the_model)),
      entry(&the_entry),
      options(the_options),
      resources(the_resources),
      method(the_entry.make(model, the_options, the_resources)),
      meter(model),
      work_meter(*model),
      floor_energy(energy_floor(*model)),
      frame(model->initial) {
  if (scene.time.mode == Mode::statics) place.to = scene.time.duration;
}

double Simulation::Inside::end() const { return until.value_or(scene.time.duration); }

double Simulation::Inside::frame_time(std::int64_t k) const {
  // Not accumulated: the same bits whether a run was interrupted or not.
  return k >= last_frame() ? end() : static_cast<double>(k) / scene.time.frames_per_second;
}

std::int64_t Simulation::Inside::last_frame() const {
  if (end() == forever) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::ceil(end() * scene.time.frames_per_second - 1e-9));
}

bool Simulation::Inside::finished() const {
  if (failed) return true;
  if (scene.time.mode == Mode::statics) return place.load_factor >= 1 && place.time >= end();
  if (scene.time.mode == Mode::quasistatic && !place.settled) return false;
  return place.time >= end();
}

void Simulation::Inside::keep() {
  // Method state as bytes, clocks as they are; storage is reused.
  scratch.clear();
  method->visit_state(scratch);
  kept_state.assign(scratch.buffer().begin(), scratch.buffer().end());
  kept = place;
  keep_due = false;
}

void Simulation::Inside::come_back() {
  place = kept;
  StateReader reader(kept_state);
  method->visit_state(reader);
  fresh = false;
}

void Simulation::Inside::note(const StepReport& report) {
  // An accepted step: counted, and the worst values remembered for the report.
  ++place.step;
  place.last = report;
  place.worst_iterations = std::max(place.worst_iterations, report.iterations);
  place.worst_residual = std::max(place.worst_residual, report.residual);
  place.worst_penetration = std::max(place.worst_penetration, report.penetration);
  place.max_contacts = std::max(place.max_contacts, report.contacts);
  fresh = false;
}

void Simulation::Inside::count_work(double time, double load_factor, const Live& inputs) {
  if (scene.time.mode != Mode::quasistatic || !place.balance.begun()) return;
  evaluate(*model, inputs, time, load_factor, after_);
  stand_still(after_);
  method->write(frame);
  work_meter.go_on(after_, frame, place.work);
}

void Simulation::Inside::refresh() const {
  if (fresh) return;
  // The method fills the frame; time, step and report are the run's.
  method->write(frame);
  frame.time = place.time;
  frame.step = place.step;
  frame.report = place.last;
  if (place.step == 0) {  // no method has asked for a drive yet: the one that time 0 is about to have
    const bool statics = scene.time.mode == Mode::statics, dynamics = scene.time.mode == Mode::dynamics;
    evaluate(*model, in_force(), statics ? scene.time.duration : place.time, dynamics ? 1 : place.load_factor, start_);
    if (!dynamics) stand_still(start_);
    write_drive(*model, start_, frame);
  }
  // Of equilibria work is counted here, the same for every method. The ramp of statics is no motion: no balance.
  if (scene.time.mode != Mode::dynamics) frame.flow = place.work.flow;
  meter.measure(frame, measures);
  measures.energy_error = place.balance.begun() ? place.balance.error(frame) : std::nan("");
  measures.energy_scale = place.balance.begun() ? place.balance.scale(frame) : 0;
  fresh = true;
}

bool Simulation::Inside::arrive() {
  fresh = false;
  refresh();
  if (!all_finite(frame)) return false;
  // Velocities of 1e200 m/s are numbers, their energies are not.
  overflow = !std::isfinite(measures.energy.total());
  if (overflow) return false;
  // The first frame is the reference of the energy balance.
  if (place.recorded == 0 && scene.time.mode != Mode::statics) {
    place.balance.begin(frame, floor_energy);
    if (scene.time.mode == Mode::quasistatic) {
      evaluate(*model, in_force(), place.time, place.load_factor, after_);
      stand_still(after_);
      method->write(frame);  // with its own flow
      work_meter.begin(after_, frame, place.work);
      frame.flow = place.work.flow;
    }
  }
  ++place.recorded;
  // From the time, not by counting: a run that ended between two frame times may go on with a longer duration.
  place.next_frame = static_cast<std::int64_t>(std::floor(place.time * scene.time.frames_per_second + 1e-6)) + 1;
  place.off_grid = false;
  if (place.balance.begun()) place.balance.note(frame);
  place.worst_length_error = std::max(place.worst_length_error, measures.length_error);
  place.worst_penetration = std::max(place.worst_penetration, measures.penetration);
  fresh = false;  // the error is measured against what was just noted
  return true;
}

StepReport Simulation::Inside::give_up(const StepReport& report, const std::string& what_was_tried) {
  // The run ends in the last kept state, which is finite, with the message of the failure.
  const double failed_at = place.time;
  come_back();
  failed = true;
  place.last = report;
  place.last.outcome = Outcome::diverged;
  // The deeper cause, where one is known, instead of the usual advice.
  const std::string far = far_from_origin(*model);
  std::string deeper;
  if (overflow) deeper = "look at the size of loads, velocities and stiffness: energies are beyond any number";
  if (!far.empty()) deeper = std::string(far_remedy) + ", because " + far;
  // Of a scene with one rod there is no other that it could be.
  const bool named = report.rod >= 0 && model->rods.size() > 1;
  message = divergence_message(report, entry->info, failed_at, what_was_tried, deeper,
                               named ? model->rods[static_cast<std::size_t>(report.rod)].name : std::string());
  return place.last;
}

RunReport Simulation::Inside::report() const {
  refresh();
  RunReport r;
  r.method = entry->info.name;
  r.time = place.time, r.steps = place.step, r.frames = place.recorded;
  r.wall_seconds = earlier_seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - opened).count();
  r.retries = retries;
  r.worst_iterations = place.worst_iterations, r.worst_residual = place.worst_residual;
  r.worst_length_error = std::max(place.worst_length_error, measures.length_error);
  r.worst_penetration = std::max(place.worst_penetration, measures.penetration);
  r.max_contacts = place.max_contacts;
  r.last = measures;
  r.energy_error = measures.energy_error;
  r.worst_energy_error = place.balance.begun() ? place.balance.worst(frame) : r.energy_error;
  r.outcome = failed ? Outcome::diverged : stuck ? Outcome::not_converged : Outcome::fine;
  r.message = message;
  if (r.outcome != Outcome::fine) return r;
  r.message = suspicion({.mode = scene.time.mode,
                         .steps = place.step,
                         .retries = retries,
                         .energy_error = r.energy_error,
                         .worst_energy_error = r.worst_energy_error,
                         .worst_gain = place.balance.begun() ? place.balance.gain(frame) : 0,
                         .jumped = place.jumped,
                         .lossy = place.held ? "a hand" : sudden_clamp(scene) + lossy_choice(scene, entry->info)});
  if (!r.message.empty()) r.outcome = Outcome::suspect;
  return r;
}

namespace {
constexpr std::uint32_t state_version =
    5;  // 4: a drift of energy instead of its balance; 3: structs as they lay in memory, lists of one length only
}

void Simulation::Inside::visit_state(StateArchive& archive) {
  std::uint32_t version = state_version;
  archive(version);
  TENDRIL_REQUIRE(version == state_version,
                  fmt::format("the state has version {}, this program reads {}", version, state_version));
  archive(place, wanted, live, followed, pending);
  archive(advances, taken, retries, failed, stuck, keep_due, message);
  const auto now = std::chrono::steady_clock::now();
  double seconds = earlier_seconds + std::chrono::duration<double>(now - opened).count();
  archive(seconds, *method);
  // What a retry would come back to belongs to the state: a resumed run that fails must fail back to the same place.
  archive(kept, kept_state);
  if (!archive.reading()) return;
  check_loaded();
  earlier_seconds = seconds;
  opened = now;
  log.clear();  // those before stand where the state was recorded
  script_at = 0;
  fresh = false;
}

}  // namespace tendril
