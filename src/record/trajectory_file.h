// run.h5: one extendible dataset per quantity (columns.h). HDF5 itself stays behind this header.
//
// Default file format, no SWMR. Frames wait in memory until write_and_flush; what was flushed comes into force with sync, all at once
// (journaled_file.h): whatever happens in between, the file is as the last sync left it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tendril/record.h"

namespace tendril {

struct TrajectoryHead {
  std::string method, scene, scene_hash;
  std::string description;  // for views; empty: none
  std::vector<std::string> rod_names, clamp_names;
  std::int64_t inputs_taken = 0, inputs_missing = 0;    // live inputs so far; of these, not in the simulation's log
  std::vector<std::string> probe_columns, probe_names;  // one each per number: "tip.x [m]" of the probe "tip"
};

class TrajectoryFile {
 public:
  // Creates, with the sizes of `first`; fails at once when the disk is full.
  TrajectoryFile(const std::filesystem::path& file, const TrajectoryHead& head, const Frame& first);
  // Opens to go on, cut back to `frames`; the scene may have got a longer duration.
  TrajectoryFile(const std::filesystem::path& file, std::int64_t frames, const TrajectoryHead& head, const Frame& first);
  ~TrajectoryFile();

  void append(const Frame& frame, const Measures& measures);                // into memory
  void write_inputs(std::span<const LoggedInput> log, std::int64_t taken);  // the last of `taken`: those not yet written
  void set_description(const std::string& description);                     // of a run that goes on
  std::size_t waiting_bytes() const;
  std::int64_t frames() const;  // appended so far
  void write_and_flush();
  void sync();  // commits what was flushed; throws when the file is no longer there under its name
  void close(bool complete, const std::string& outcome, const std::string& message);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tendril
