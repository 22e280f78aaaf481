// Checkpoints whose hash is right and whose numbers are not.
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "parallel/stop.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

std::vector<std::byte> saved(const Simulation& simulation) {
  StateWriter writer;
  simulation.save(writer);
  return {writer.buffer().begin(), writer.buffer().end()};
}
// Loads it and takes a few steps; either may be refused. False: it was still at work after a minute.
bool ends_in_order(const Scene& scene, const std::vector<std::byte>& state) {
  Checked<Simulation> simulation = Simulation::open(scene);
  const auto start = std::chrono::steady_clock::now();
  bool late = false;
  const std::function<bool()> stop = [&] {
    return late = late || std::chrono::steady_clock::now() - start > std::chrono::seconds(60);
  };
  const StopScope scope(stop);
  try {
    StateReader reader(state);
    simulation->load(reader);
  } catch (const Misuse&) {
    return true;
  }
  for (int i = 0; i < 3 && !simulation->finished(); ++i) simulation->advance();
  static_cast<void>(simulation->report());
  return !late;
}

SENTENCE("state", "of every method a forged state is refused or ends in order") {
  std::mt19937 random(7);
  const double wild[] = {0, -1, 1e300, -1e300, 1e-300, std::nan(""), HUGE_VAL, 3, 1e9};
  for_each_method([&](const MethodEntry& method) {
    for_each_request(method, [&](const Request&, const Scene& scene, bool claimed) {
      if (!claimed) return;
      Checked<Simulation> simulation = Simulation::open(scene);
      ASSERT_TRUE(simulation);
      for (int i = 0; i < 6 && !simulation->finished(); ++i) simulation->advance();
      const std::vector<std::byte> whole = saved(*simulation);
      for (int tries = 0; tries < 12; ++tries) {
        std::vector<std::byte> state = whole;
        // Half of them where the run itself stands: its clocks come first.
        const std::size_t most = tries % 2 == 0 ? std::min<std::size_t>(state.size(), 400) : state.size();
        const std::size_t at = random() % (most - 8);
        if (tries % 3 == 0) {
          state[at] = static_cast<std::byte>(random());
        } else if (tries % 3 == 1) {
          std::memcpy(state.data() + at, &wild[random() % std::size(wild)], 8);
        } else {
          const std::int64_t number = tries % 2 == 0 ? -5 : std::int64_t{1} << (random() % 63);
          std::memcpy(state.data() + at, &number, 8);
        }
        EXPECT_TRUE(ends_in_order(scene, state)) << "byte " << at << " of " << state.size();
      }
    });
  });
}

SENTENCE("state", "clocks that would never reach the next frame are refused") {
  for_each_method([](const MethodEntry& method) {
    Scene scene = tiny_scene(method);
    Checked<Simulation> simulation = Simulation::open(scene);
    ASSERT_TRUE(simulation);
    std::ignore = simulation->advance();
    const std::vector<std::byte> whole = saved(*simulation);
    // Version; then time, step, recorded, next_frame, delivered, from, to, nominal, substeps, at: eight bytes each.
    const auto refused = [&](std::size_t number, auto value) {
      std::vector<std::byte> state = whole;
      static_assert(sizeof value == 8);
      std::memcpy(state.data() + 4 + 8 * number, &value, 8);
      StateReader reader(state);
      Checked<Simulation> fresh = Simulation::open(scene);
      EXPECT_THROW(fresh->load(reader), Misuse) << number;
    };
    for (const double bad : {std::nan(""), HUGE_VAL, -1.0}) refused(0, bad);
    for (const std::size_t count : {1, 2, 3, 4, 8, 9}) refused(count, std::int64_t{-1});
    refused(3, std::int64_t{1} << 40);
    refused(5, std::nan("")), refused(6, HUGE_VAL), refused(7, std::nan(""));
    refused(8, std::int64_t{1} << 60);
    if (scene.time.mode == Mode::dynamics) refused(7, 1e-300), refused(8, std::int64_t{1} << 40);
  });
}

}  // namespace
}  // namespace tendril
