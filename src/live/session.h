// One live simulation in its own thread: orders come in through a bounded queue, the newest frame and status lie ready for
// whoever looks. Nobody who talks to it waits for the solver, and it waits for nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/command.h"
#include "tendril/simulate.h"

namespace tendril {

struct SceneOffer {
  std::string name, title, about, method;
};
// Where scenes come from. Names are looked up among the offers and never become paths.
struct SceneSource {
  std::vector<SceneOffer> offers;
  std::function<Checked<Scene>(const std::string& name)> read;
  std::function<Checked<Simulation>(const Scene&)> open = [](const Scene& scene) { return Simulation::open(scene); };
};
struct SessionOptions {
  SceneSource scenes;
  std::filesystem::path runs = "runs";  // recordings go to runs/live-NAME-N
};

struct SessionStatus {
  std::uint32_t generation = 0;  // counts opened scenes; 0: none was ever open
  bool open = false;
  bool paused = false, finished = false, failed = false;
  std::string message;              // why it failed, or what else went wrong
  double speed = 1, achieved = 0;   // simulated seconds per second: wanted, and over the last half second
  bool slow = false;                // the solver does not keep up
  std::string suspect;              // why what is shown should not be believed, or empty
  int retries = 0;                  // steps so far that failed and were taken again with half their size
  double energy_error = 0;          // so far, over the energy that moved; NaN: no balance
  std::string recording, recorded;  // folders, or empty
  std::vector<std::pair<std::string, Setting>> inputs;
};
// A scene that could not be opened: for the client who asked.
struct Refusal {
  ClientId client = 0;
  std::string scene;
  std::vector<std::string> problems;
};
// What there is to show; all of one moment.
struct Latest {
  std::shared_ptr<const SessionStatus> status;
  std::shared_ptr<const std::string> description;       // a JSON object; none: no scene is open
  std::shared_ptr<const std::vector<std::byte>> frame;  // of that description
  std::uint64_t scene_number = 0, frame_number = 0;     // grow when another scene (or none) is open, or a frame is newer
  std::uint64_t answer_number = 0;                      // grows with every order carried out
};

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();  // finishes a recording
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // False: too many orders wait. An order to move a hand or an input replaces one that still waits.
  bool submit(Command command);
  void leave(ClientId client);  // its hands let go; never refused
  void watch(
      bool somebody);  // whether anybody looks, true at first; while nobody does and nothing is recorded, time stands still
  Latest latest() const;
  std::vector<Refusal> take_refusals();  // at most 64 are kept
  // Called from the session's thread whenever latest() or refusals are new; it must not block. Once this has returned, the one
  // set before is not called any more.
  void listen(std::function<void()> listener);
  const std::vector<SceneOffer>& offers() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tendril
