#include "live/live_recording.h"

#include <fmt/format.h>

#include "tendril/view.h"
#include "view/replay.h"

namespace tendril {
namespace fs = std::filesystem;
namespace {

fs::path new_folder(const fs::path& runs, const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    plain += safe ? c : '_';
  }
  for (int n = 1;; ++n) {
    const fs::path folder = runs / fmt::format("live-{}-{}", plain, n);
    std::error_code error;
    if (!fs::exists(folder, error)) return folder;
  }
}

}  // namespace

LiveRecording::LiveRecording(const fs::path& runs, const std::string& name, const Simulation& simulation)
    : run_(new_folder(runs, name)) {
  run_.whole_when_told = true;
  run_.describe = describe_for_views;
  run_.begin(simulation);
  take(simulation);  // a recording begins with what is seen, between two recording times or not
}

void LiveRecording::take(const Simulation& simulation) {
  taken_ = simulation.recorded();
  last_time_ = simulation.time();
  run_.take(simulation.frame(), simulation.measures());
}

void LiveRecording::look(const Simulation& simulation) {
  if (simulation.at_recording_time() && simulation.recorded() != taken_) take(simulation);
  run_.tick(simulation);
}

void LiveRecording::finish(const Simulation& simulation) {
  if (simulation.time() > last_time_) take(simulation);
  run_.end(simulation.report());
  const fs::path folder = run_.folder();
  view::write_replay_page({&folder, 1}, folder / "index.html");
}

}  // namespace tendril
