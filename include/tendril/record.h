// A run's folder: run.h5 (trajectory), probes.csv, checkpoint.bin and, at the end, summary.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tendril/simulate.h"

namespace tendril {

// The disk is full, the folder can not be written, a file is not what it should be: a sentence with the file's name.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Writes frames as they come; flushes and writes a checkpoint every second of wall clock, so that a killed process leaves a
// readable run.h5 with every frame up to then. Every failure to write throws RecordError.
class RunFolder final : public Sink {
 public:
  // A new run. The folder may not exist yet, be empty, or hold an older run, which is then replaced; anything else is
  // refused.
  explicit RunFolder(const std::filesystem::path& folder);
  // Goes on with the run in the folder: `simulation`, just opened from the same scene, is set to the last checkpoint and the
  // files are cut back to it. The duration may be longer than before.
  static std::unique_ptr<RunFolder> resume(const std::filesystem::path& folder, Simulation& simulation);
  ~RunFolder() override;

  void begin(const Simulation& simulation) override;
  void take(const Frame& frame, const Measures& measures) override;
  void tick(const Simulation& simulation) override;
  void end(const RunReport& report) override;

  const std::filesystem::path& folder() const;
  double seconds_between_flushes = 1.0;
  bool whole_when_told = false;  // a live recording is whole whenever end() is called

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// What a folder holds.
struct RunState {
  bool exists = false;    // a run.h5 that can be read
  bool complete = false;  // it reached its end
  std::int64_t frames = 0;
  std::string scene;  // TOML
  std::string method;
};
RunState look_at_run(const std::filesystem::path& folder);

// summary.json and `run --json`; the keys are a promise, see docs.
std::string summary_json(const Simulation& simulation, const RunReport& report);

// Everything of a run.h5 as numbers, for replay and tests.
struct Trajectory {
  std::string method, scene;
  bool complete = false;
  std::vector<std::string> rod_names;
  std::vector<RodSpan> rods;
  std::vector<Frame> frames;     // without contacts
  std::vector<Energy> energies;  // the yardstick's
  std::vector<double> drift;
};
Trajectory read_trajectory(const std::filesystem::path& file);

}  // namespace tendril
