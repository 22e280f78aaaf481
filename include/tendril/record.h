// A run's folder: run.h5 (trajectory), probes.csv, checkpoint.bin and, at the end, summary.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tendril/simulate.h"

namespace tendril {

// The disk is full, the folder cannot be written, a file is not what it should be: a sentence with the file's name.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A run that another process is writing now cannot be read yet.
struct RunGoingOn : RecordError {
  using RecordError::RecordError;
};

// Writes frames as they come; flushes and writes a checkpoint every second of wall clock, so that a killed process leaves a
// readable run.h5 with every frame up to then. What a checkpoint counts on is on the disk before it. Every failure to write throws
// RecordError, and so does a file that was removed meanwhile. From begin() or resume() until it is destroyed the folder is locked: a
// second writer is refused.
class RunFolder final : public Sink {
 public:
  // A new run. The folder may not exist yet, be empty, or hold an older run, which is then replaced; anything else is
  // refused.
  explicit RunFolder(const std::filesystem::path& folder);
  // Goes on with the run in the folder: `simulation`, just opened from the same scene, is set to the last checkpoint and the
  // files are cut back to it. The duration may be longer than before. A run that was ended before its first frame was on the disk
  // begins anew.
  static std::unique_ptr<RunFolder> resume(const std::filesystem::path& folder, Simulation& simulation);
  ~RunFolder() override;

  void begin(const Simulation& simulation) override;
  void take(const Frame& frame, const Measures& measures) override;
  void tick(const Simulation& simulation) override;
  void end(const RunReport& report) override;

  const std::filesystem::path& folder() const;
  bool begins_anew() const;  // nothing to go on from: begin() starts a new run
  double seconds_between_flushes = 1.0;
  bool whole_when_told = false;  // a live recording is whole whenever end() is called
  // What views need of the scene, kept beside it in run.h5: tendril::describe_for_views (tendril/view.h). Without it the run cannot
  // be shown.
  std::function<std::string(const Simulation&)> describe;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// What a folder holds.
struct RunState {
  bool exists = false;    // a run.h5 that can be read
  bool complete = false;  // it reached its end
  bool going_on = false;  // another process is writing it now; nothing else is known
  std::int64_t frames = 0;
  std::string scene;  // TOML
  std::string method;
};
RunState look_at_run(const std::filesystem::path& folder);

// The live inputs of a run, to be replayed: Simulation::replay(inputs), go_on_until(end).
struct RecordedInputs {
  std::vector<LoggedInput> inputs;
  double end = 0;     // time of the last recorded frame [s]
  std::string scene;  // TOML
};
RecordedInputs read_inputs(const std::filesystem::path& folder);  // throws RecordError

// summary.json and `run --json`; the keys are a promise, see docs.
std::string summary_json(const Simulation& simulation, const RunReport& report);

// A run.h5, opened once and read frame by frame: a run of any length needs memory for a few frames only. A file that a killed
// process left behind reads up to its last flush. A file is not trusted: shapes are compared when it is opened, and what belongs
// together in a frame when it is read. Throws RecordError.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::filesystem::path& file);
  TrajectoryReader(TrajectoryReader&&) noexcept;
  TrajectoryReader& operator=(TrajectoryReader&&) noexcept;
  ~TrajectoryReader();

  std::int64_t frames() const;
  const std::string& method() const;
  const std::string& scene() const;        // TOML
  const std::string& description() const;  // JSON for views; empty: none
  bool complete() const;                   // it reached its end
  const std::string& outcome() const;      // fine, suspect, not_converged, diverged; interrupted: stopped, killed, goes on
  const std::string& message() const;      // what happened and what to change, when not fine
  const std::vector<std::string>& rod_names() const;

  // Frame k = 0 .. frames() - 1; rising k is fast. Momenta are in `measures`, probes too. What they held before is
  // replaced, its memory is used again.
  void read(std::int64_t k, Frame& frame, Measures& measures);
  // Only what is plotted: time, step, twist and the solver's report of the frame; energy and its balance, errors and probes.
  void read_numbers(std::int64_t k, Frame& frame, Measures& measures);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// Everything of a run.h5 as numbers, for tests and short runs.
struct Trajectory {
  std::string method, scene;
  bool complete = false;
  std::vector<std::string> rod_names;
  std::vector<Frame> frames;
  std::vector<Energy> energies;  // the yardstick's
  std::vector<double> energy_error;
};
Trajectory read_trajectory(const std::filesystem::path& file);

}  // namespace tendril
