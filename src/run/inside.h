// What a Simulation holds. Time, retry and the recording clock live here and nowhere else.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/energy_balance.h"
#include "measure/equilibrium_work.h"
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
  double time = 0;                             // [s]
  std::int64_t step = 0;                       // number of accepted steps
  std::int64_t recorded = 0;                   // number of recording times reached
  std::int64_t next_frame = 0;                 // number of the next recording time
  std::int64_t delivered = 0;                  // number of recorded frames given to the sinks
  double from = 0, to = 0, nominal = 0;        // the stretch: its start, end and step [s]
  std::int64_t substeps = 0, at = 0;           // steps of the stretch, and how many are done
  std::int64_t part = 0;                       // number of parts of the present step that are done
  int level = 0;                               // a step has 2^level parts
  bool off_grid = false;                       // true: the present time is not a recording time
  bool settled = false;                        // quasistatic, true: the equilibrium of time 0 is found
  double load_factor = 0, increment = 0;       // equilibria: load parameter, and the next increment to try
  int worst_iterations = 0, max_contacts = 0;  // largest values of all steps so far
  bool jumped = false;                         // true: an input moved a clamp, coupling or body at once
  bool held = false;                           // true: a user's hand held something
  double worst_residual = 0, worst_length_error = 0, worst_penetration = 0;  // likewise
  EnergyBalance balance;                                                     // since the first recording time
  WorkSoFar work;                                                            // quasistatic: from one equilibrium to the next
  StepReport last;                                                           // of the last accepted step

  void visit_state(StateArchive& archive) {
    archive(time, step, recorded, next_frame, delivered, from, to, nominal, substeps, at, part, level, off_grid, settled,
            jumped, held);
    archive(load_factor, increment, worst_iterations, max_contacts, worst_residual, worst_length_error, worst_penetration);
    archive(balance, work, last);
  }
};

inline constexpr int max_halvings = 8;  // of a step or an increment, before a run gives up

struct Simulation::Inside {
  Inside(Scene scene, std::shared_ptr<const Model> model, const MethodEntry& entry, const Options& options,
         const Resources& resources);

  // ---- dynamics.cpp
  StepReport advance_dynamics(double limit);
  // ---- equilibrium.cpp
  StepReport advance_statics();
  StepReport advance_quasistatic(double limit);
  // ---- inputs.cpp
  void set_input(std::string_view name, const InputValue& value);  // noted; taken before the next step
  void take_inputs();                                              // pending ones and those of the script, before a step
  const Live& in_force() const;                                    // the inputs that the present state belongs to
  // ---- inside.cpp
  double end() const;                            // when time stops [s]; forever in a live view
  double frame_time(std::int64_t k) const;       // of recording time k [s]
  std::int64_t last_frame() const;               // number of the frame at the end
  bool finished() const;                         // the end is reached, or the run has failed
  StepReport advance_equilibrium(double limit);  // statics and quasistatics; all or, when it is interrupted, nothing of it
  void keep();                                   // saves place and method state for a retry
  void come_back();                              // restores what keep saved
  bool arrive();  // at a recording time: writes the frame and measures; false: it holds a value that is not finite
  void note(const StepReport& report);  // counts an accepted step
  // Quasistatic: the work done on the way to the equilibrium that was just found for this.
  void count_work(double time, double load_factor, const Live& inputs);
  // Ends the run as failed, in the last kept state.
  StepReport give_up(const StepReport& report, const std::string& what_was_tried);
  void refresh() const;      // frame and measures of the present state
  RunReport report() const;  // summary of the run so far
  void visit_state(StateArchive& archive);
  // ---- check_state.cpp
  void check_loaded();  // throws Misuse: what was loaded cannot be the state of this scene

  // ---- what is simulated
  Scene scene;                         // as opened
  std::shared_ptr<const Model> model;  // the discretised scene
  const MethodEntry* entry;            // name, capabilities and factory of the method
  Options options;                     // of the method, checked
  Resources resources;                 // threads
  std::unique_ptr<Method> method;      // owns the state of the rods
  Meter meter;                         // measures frames
  EquilibriumWork work_meter;          // quasistatic: work between equilibria
  double floor_energy;                 // of the energy balance [J]
  double step_size = 0;                // nominal step of dynamics [s]
  double stable_step = 0;              // as the method advises; 0: not limited [s]
  // When this program opened or loaded the run.
  std::chrono::steady_clock::time_point opened = std::chrono::steady_clock::now();
  double earlier_seconds = 0;  // wall-clock time used before the run was loaded [s]

  // ---- where it stands
  Place place;    // the present time, counters and worst values
  Live wanted;    // inputs as set by the user
  Live live;      // inputs as taken before the last step
  Live followed;  // equilibria: the inputs that the rod is in equilibrium with, between old ones and `live`
  std::vector<LoggedInput> pending, log;  // inputs set since the last step; inputs taken since the run was loaded
  std::int64_t advances = 0;  // calls of advance so far, by which inputs are logged; unlike place.step it never goes back
  std::int64_t taken = 0;     // number of inputs of the whole run; the log holds the last of them
  std::vector<LoggedInput> script;  // inputs to be replayed, sorted by step
  std::size_t script_at = 0;        // next input of the script
  int retries = 0;                  // number of times that a step or increment was halved
  bool failed = false;              // true: the run has given up
  bool overflow = false;            // true: at the last recording time everything was finite but the energies
  bool stuck = false;               // equilibria, true: the last inputs could not be followed
  bool interrupted = false;         // true: the advance was asked to stop on its way (parallel/stop.h), and is undone
  std::optional<double> until;      // end time instead of the scene's duration; set by the caller, not part of the state
  std::string message;              // why the run failed or is stuck

  // ---- what a retry goes back to
  bool keep_due = true;               // true: the next step saves the state first
  Place kept;                         // place at the last keep
  std::vector<std::byte> kept_state;  // state of the method at the last keep
  StateWriter scratch;                // workspace of keep
  StateWriter undo;                   // everything before the present advance, of equilibria

  // ---- output, written when it is first read after a step
  mutable bool fresh = false;  // true: frame and measures belong to the present state
  mutable Frame frame;         // the present state, as users see it
  mutable Measures measures;   // energies, errors and probes of that frame

 private:
  void begin_stretch(double limit);                      // from the present time to the next recording time or `limit`
  StepReport take_part();                                // one part of a step
  bool retry_with_half_steps();                          // false: halved often enough
  struct Along;                                          // a path through load factor or time
  StepReport follow(const Along& along, double target);  // equilibria along the path, up to `target`
  StepReport follow_inputs(int max_increments);          // equilibria from `followed` to `live`
  StepReport follow_to(const Live& from, const Live& to, int& increments_left);
  StepReport stay(StepReport report);  // inputs could not be followed: the rod keeps its shape
  double limited(const Along& along, double from, double increment);  // increment that Newton's method can follow
  Drive before_, after_;                                              // workspace of `limited` and count_work
  mutable Drive start_;                                               // boundary conditions of the first frame
};

struct SimulationAccess {
  static Checked<Simulation> open(const Scene& scene, const MethodEntry& entry, const Resources& resources);
  static Simulation::Inside& inside(Simulation& simulation) { return *simulation.inside_; }
  static const Model& model(const Simulation& simulation) { return *simulation.inside_->model; }
};

}  // namespace tendril
