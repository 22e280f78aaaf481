// Sessions for tests: scenes of the fake method under several names, and a way to wait for what a session shows.
#pragma once

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "live/session.h"
#include "run/open.h"
#include "testing/fake_method.h"
#include "testing/temporary_folder.h"

namespace tendril {

struct FakeTrouble {  // back to none at the end of a test
  FakeTrouble() { FakeMethod::trouble() = {}; }
  ~FakeTrouble() { FakeMethod::trouble() = {}; }
};

// "fake" and "other" can be opened, "bad" has a problem, all else is not there.
inline SceneSource fake_source() {
  SceneSource source;
  source.offers = {
      {"bad", "A bad one", "", "fake"}, {"fake", "A fake", "Springs.", "fake"}, {"other", "Another", "", "fake"}};
  source.read = [](const std::string& name) -> Checked<Scene> {
    Scene scene = fake_scene();
    if (name == "bad") scene.rods[0].segments = -1;
    if (name == "other") scene.title = "Another";
    if (name == "bad" || name == "fake" || name == "other") return scene;
    return Problems{{Severity::error, "", "", "there is no scene `" + name + "`", "", ""}};
  };
  source.open = [](const Scene& scene) { return open_with(scene, fake_method()); };
  return source;
}

inline double time_of(const Latest& latest) {
  double time = -1;
  if (latest.frame) std::memcpy(&time, latest.frame->data() + 8, sizeof time);
  return time;
}
inline double step_of(const Latest& latest) {
  double step = -1;
  if (latest.frame) std::memcpy(&step, latest.frame->data() + 16, sizeof step);
  return step;
}

using TestClock = std::chrono::steady_clock;
inline double seconds_since(TestClock::time_point start) {
  return std::chrono::duration<double>(TestClock::now() - start).count();
}
inline bool wait_until(const std::function<bool()>& condition, double patience = 10) {
  const TestClock::time_point start = TestClock::now();
  while (!condition()) {
    if (seconds_since(start) > patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}
// Submits and waits until it has been carried out; how long that took [s].
inline double answered_in(Session& session, Order order, ClientId client = 1) {
  const std::uint64_t before = session.latest().answer_number;
  const TestClock::time_point start = TestClock::now();
  if (!session.submit({client, std::move(order)})) return forever;
  if (!wait_until([&] { return session.latest().answer_number > before; })) return forever;
  return seconds_since(start);
}

}  // namespace tendril
