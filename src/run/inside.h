// What a Simulation holds. Time, retry and the recording clock live here and nowhere else.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/measure.h"
#include "methods/method.h"
#include "model/drive.h"
#include "model/model.h"
#include "tendril/simulate.h"

namespace tendril {

// Where a run stands: everything that goes back to its old value when steps are taken back, and that a checkpoint holds.
// From one recording time to the next lies a stretch of `substeps` equal steps; a step is cut into 2^level parts after
// failures.
struct Place {
  double time = 0;                       // [s]
  std::int64_t step = 0;                 // accepted so far
  std::int64_t recorded = 0;             // recording times reached
  std::int64_t next_frame = 0;           // number of the next recording time
  std::int64_t delivered = 0;            // of these, given to the sinks
  double from = 0, to = 0, nominal = 0;  // the stretch, and its step [s]
  std::int64_t substeps = 0, at = 0;     // of the stretch, and how many are done
  std::int64_t part = 0;                 // done of the present step's parts
  int level = 0;
  bool off_grid = false;  // the present time is not a recording time
  bool settled = false;   // quasistatic: the equilibrium of time 0 is found
  double load_factor = 0, increment = 0;
  int worst_iterations = 0, most_contacts = 0;
  double worst_residual = 0, worst_length_error = 0, worst_penetration = 0;
  Energy first;  // at the first recording time
  double largest_energy = 0;
  StepReport last;

  void visit_state(StateArchive& archive) {
    archive(time, step, recorded, next_frame, delivered, from, to, nominal, substeps, at, part, level, off_grid, settled);
    archive(load_factor, increment, worst_iterations, most_contacts, worst_residual, worst_length_error, worst_penetration);
    archive(first, largest_energy, last);
  }
};

inline constexpr int max_halvings = 8;  // of a step or an increment, before a run gives up

struct Simulation::Inside {
  Inside(Scene scene, std::shared_ptr<const Model> model, const MethodEntry& entry, const Options& options);

  // ---- dynamics.cpp
  StepReport advance_dynamics(double limit);
  // ---- equilibrium.cpp
  StepReport advance_statics();
  StepReport advance_quasistatic(double limit);
  // ---- inputs.cpp
  void set_input(std::string_view name, const InputValue& value);  // noted; taken before the next step
  void take_inputs();
  const Live& in_force() const;  // what the present state belongs to
  // ---- inside.cpp
  double end() const;  // when time stops [s]; forever in a live view
  double frame_time(std::int64_t k) const;
  std::int64_t last_frame() const;  // number of the frame at the end
  bool finished() const;
  void keep();       // remembers place and state, to come back to
  void come_back();  // to what was kept
  bool arrive();     // at a recording time: writes the frame and measures; false: it holds a value that is not finite
  void note(const StepReport& report);
  StepReport give_up(const StepReport& report, const std::string& what_was_tried);
  void refresh() const;  // frame and measures of the present state
  RunReport report() const;
  void visit_state(StateArchive& archive);

  Scene scene;
  std::shared_ptr<const Model> model;
  const MethodEntry* entry;
  Options options;
  std::unique_ptr<Method> method;
  Meter meter;
  double step_size = 0;  // nominal [s]
  std::chrono::steady_clock::time_point opened = std::chrono::steady_clock::now();
  double earlier_seconds = 0;  // of wall clock, before the run was loaded

  Place place;
  Live wanted;    // as set
  Live live;      // as taken before the last step
  Live followed;  // equilibria: the inputs the rod is in equilibrium with, on the way to `live`
  std::vector<LoggedInput> pending, log;
  std::int64_t advances = 0;        // so far; unlike place.step it never goes back
  std::int64_t taken = 0;           // inputs in all; the log holds the last of them
  std::vector<LoggedInput> script;  // to be replayed, by step
  std::size_t script_at = 0;
  int retries = 0;
  bool failed = false;
  bool stuck = false;           // equilibria: the last inputs could not be followed
  std::optional<double> until;  // instead of the scene's duration; set by who opened it, not part of the state
  std::string message;
  bool keep_due = true;
  Place kept;
  std::vector<std::byte> kept_state;
  StateWriter scratch;

  // Written only when somebody looks.
  mutable bool fresh = false;
  mutable Frame frame;
  mutable Measures measures;

 private:
  void begin_stretch(double limit);
  StepReport take_part();
  bool retry_with_half_steps();
  struct Along;  // a path through load factor or time
  StepReport follow(const Along& along, double target);
  StepReport follow_inputs(int most_increments);
  StepReport follow_to(const Live& from, const Live& to, int& increments_left);
  StepReport stay(StepReport report);
  double limited(const Along& along, double from, double increment);
  Drive before_, after_;
  mutable Drive start_;  // of the first frame
};

}  // namespace tendril
