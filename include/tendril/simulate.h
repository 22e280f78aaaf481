// The front door: text -> Scene -> Simulation -> Frames.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tendril/frame.h"
#include "tendril/live.h"
#include "tendril/method.h"
#include "tendril/problem.h"
#include "tendril/scene.h"
#include "tendril/state.h"

namespace tendril {

// ---- text ------------------------------------------------------------------------------------------------------------------
// Reading finds what is wrong with the text: syntax, unknown keys, wrong types, missing files. Values are judged by check.
Checked<Scene> read_scene(std::string_view toml, std::string_view file_name);
Checked<Scene> read_scene_file(const std::filesystem::path& file);  // refuses folders and files over 16 MB by size
std::string write_scene(const Scene& scene);                        // TOML that reads back equal
[[nodiscard]] Problems set_field(Scene& scene, std::string_view path, std::string_view value);  // "rod.beam.segments", "100"
std::string scene_format_manual(std::span<const MethodInfo> methods);                           // docs/scene_format.md
std::string scene_json_schema(std::span<const MethodInfo> methods);                             // docs/scene.schema.json
std::string capability_table(std::span<const MethodInfo> methods);                              // docs/methods/README.md
// "did you mean `radius`?", or what is allowed when nothing is near; the second says nothing then.
std::string suggest(std::string_view word, const std::vector<std::string>& allowed);
std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed);

// ---- checking --------------------------------------------------------------------------------------------------------------
[[nodiscard]] Problems check(const Scene& scene);  // ranges, references, geometry, capability of its method

// What follows from a scene: for `tendril check`.
struct RodDerived {
  std::string name;
  int segments = 0;
  double length = 0, mass = 0;                // [m], [kg]
  double EA = 0, EI1 = 0, EI2 = 0, GJ = 0;    // of the middle edge [N], [N m^2]; 0: not given
  bool uniform = true;                        // one section all along
  double slenderness = 0;                     // length / radius; 0: no radius
  double stretch_speed = 0, twist_speed = 0;  // [m/s]; 0: not known
  double bending_speed = 0;                   // [m/s] of the wave as long as the rod, in the softer direction
};
struct MethodDerived {
  std::string method;
  Problems problems;  // why it cannot run this scene, when it cannot
  StepAdvice step;
};
struct Derived {
  std::vector<RodDerived> rods;
  std::vector<MethodDerived> methods;
};
Checked<Derived> derive(const Scene& scene);

// ---- running ---------------------------------------------------------------------------------------------------------------
struct ProbeValue {
  std::string name;
  std::vector<double> value;  // 1, 2 (curvature), 3 or 4 (orientation w, x, y, z) numbers
};
struct Measures {  // taken from a Frame, the same for every method
  Energy energy;
  // The error of the energy balance over energy_scale: > 0 where energy came from nowhere. NaN: no balance (statics). In quasistatic mode
  // it is below 0 where a rod jumped from one equilibrium to another. See docs/conventions.md.
  double energy_error = std::numeric_limits<double>::quiet_NaN();
  double energy_scale = 0;  // [J] the energy that moved
  double length_error = 0;  // worst | |edge| / rest - 1 |
  double penetration = 0;   // worst overlap / radius
  Vec3 momentum = Vec3::Zero(), angular_momentum = Vec3::Zero();
  std::vector<ProbeValue> probes;
};

std::vector<std::string> probe_columns(Quantity quantity);  // {"x [m]", "y [m]", "z [m]"}, {"[J]"}

// A value that is on its way: how fast it changes now, per second of simulated time.
template <class T>
struct WithRate {
  T value, rate;
};
using InputValue = std::variant<double, Vec3, Hand, WithRate<double>, WithRate<Vec3>>;  // without a rate: it stands still
struct LoggedInput {
  std::int64_t step =
      0;  // calls of advance() before it was taken: steps, those counted twice that were taken back and repeated
  std::string name;
  InputValue value;
};
// A value as plain numbers, for files: index() of the variant and as many numbers as it has, the rest zero. A rate follows its value. A hand: rod, body, material, position x y z,
// orientation w x y z, velocity x y z, angular velocity x y z, stiffness, damping, angular stiffness, angular damping, point on the body x y z.
using InputNumbers = std::array<double, 23>;
InputNumbers numbers_of(const InputValue& value);
InputValue input_from(std::size_t kind, const InputNumbers& numbers);
struct RunReport {
  std::string method;
  double time = 0;
  std::int64_t steps = 0;
  std::int64_t frames = 0;  // recorded
  double wall_seconds = 0;
  int retries = 0;
  int worst_iterations = 0;
  double worst_residual = 0, worst_length_error = 0;
  double worst_penetration = 0;  // over all steps: deepest overlap over the radius
  int max_contacts = 0;          // that carried force in one step
  // Of the energy balance at the end, and the largest of all recorded times, with its sign; over the scale at the end. NaN: no balance.
  double energy_error = std::numeric_limits<double>::quiet_NaN(), worst_energy_error = energy_error;
  Measures last;
  // suspect: it goes on or reached its end, but needed more retries than a few, or its energy error is beyond 5 %. docs/troubleshooting.md
  Outcome outcome = Outcome::fine;
  std::string message;  // what happened and what to change, when not fine
};

std::string percent_text(double fraction);  // "0.3 %", "-55 %"

class Simulation {
 public:
  // All problems at once; warnings come along.
  static Checked<Simulation> open(const Scene& scene, const Resources& resources = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  StepReport advance();                // one step; in statics and quasistatic mode one recorded equilibrium
  StepReport advance_to(double time);  // steps clipped to end there
  bool finished() const;               // at the end, or diverged
  bool at_recording_time() const;      // the present frame is one to record
  std::int64_t recorded() const;       // recording times reached so far, the present one included
  double time() const;
  double end_time() const;  // when it ends: the scene's duration, or what go_on_until said
  double step_size() const;
  double stable_step() const;  // [s] largest one that is expected to stay stable; 0: not limited
  const Frame& frame() const;  // at the present time
  const Measures& measures() const;
  std::span<const Wrench> reactions() const;  // of the frame
  const Scene& scene() const;
  std::vector<std::string> rod_names() const;  // unnamed rods are rod1, rod2, ...
  std::vector<std::string> clamp_names() const;
  std::vector<std::string> body_names() const;  // unnamed bodies are body1, body2, ...
  RunReport report() const;

  // "gravity" (a factor), "clamp.NAME.turn" (turns), "clamp.NAME.move" (vector), "coupling.NAME.move" (vector), "coupling.NAME.turn" (turns, where it
  // has angular stiffness), "body.NAME.move" and "body.NAME.turn" of driven bodies, "hand.1" to "hand.8" (a Hand; a Hand without rod and body lets go). Taken before the next step and logged with its number.
  // In equilibria a change is followed in increments, at most 64 of them in one advance(); the rest in the next ones. Where Newton's method cannot
  // follow, advance() says not_converged, the rod stays at the last equilibrium found, the run goes on, and the next input is tried from there.
  void set_input(std::string_view name, const InputValue& value);
  std::vector<std::string> input_names() const;  // hands left out
  const Live& live() const;                      // as set so far
  // Sets logged inputs again, each at its step: with the same scene and only advance() and simulate(), the same bits.
  void replay(std::vector<LoggedInput> inputs);
  std::span<const LoggedInput> input_log() const;  // taken since it was opened or loaded
  std::int64_t inputs_taken() const;               // in all, those before a load included
  // Live views have no end: goes on after `duration`; in statics every further advance() finds the equilibrium for the inputs of the moment, one
  // frame interval later. go_on_until ends at another time than `duration`.
  void go_on_forever();
  void go_on_until(double time);
  void save(StateWriter& writer) const;
  void load(StateReader& reader);
  Simulation fork() const;

 private:
  struct Inside;
  explicit Simulation(std::unique_ptr<Inside> inside);
  friend struct SimulationAccess;  // for the rooms behind the front door
  friend RunReport simulate(Simulation&, std::span<class Sink* const>, const std::function<bool()>&);
  std::unique_ptr<Inside> inside_;
};

class Sink {  // takes recorded frames: a file, a table, a browser
 public:
  virtual ~Sink() = default;
  virtual void begin(const Simulation& simulation) = 0;
  virtual void take(const Frame& frame, const Measures& measures) = 0;
  virtual void tick(const Simulation&) {}  // often, between frames: flush, checkpoint, progress
  virtual void end(const RunReport& report) = 0;
};
// Runs to the end, or until `stop` says so, which is asked between steps and within long searches for an equilibrium. Every recording time reaches the sinks once, also when a run is loaded and goes on.
RunReport simulate(Simulation& simulation, std::span<Sink* const> sinks, const std::function<bool()>& stop = {});

}  // namespace tendril
