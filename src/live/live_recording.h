// A recording of a live simulation: a run folder that begins and ends when the user says.
#pragma once

#include <filesystem>
#include <string>

#include "tendril/record.h"

namespace tendril {

class LiveRecording {
 public:
  // Takes the first folder runs/live-NAME-N that is not there yet. Throws RecordError, as all of these do.
  LiveRecording(const std::filesystem::path& runs, const std::string& name, const Simulation& simulation);
  void look(const Simulation& simulation);    // after every step: takes the frame at recording times
  void finish(const Simulation& simulation);  // writes the end of the run
  std::string folder() const { return run_.folder().string(); }

 private:
  void take(const Simulation& simulation);
  RunFolder run_;
  std::int64_t taken_ = -1;  // recording times reached when the last frame was taken
  double last_time_ = 0;     // time of that frame [s]
};

}  // namespace tendril
