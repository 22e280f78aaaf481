// libFuzzer target: the state in checkpoint.bin, changed and with its hash made right. Loading refuses it, or a few steps end in
// order.
#include <vector>

#include "record/files.h"
#include "tendril/record.h"
#include "tools/fuzz/fuzz_scenes.h"
#include "tools/fuzz/fuzzing.h"

namespace {
using namespace tendril;

struct Base {
  explicit Base(const char* text) {
    const Checked<Scene> read = read_scene(text, "fuzz.toml");
    fuzz::insist(static_cast<bool>(read), "the scene cannot be read");
    scene = *read;
    Checked<Simulation> simulation = Simulation::open(scene);
    fuzz::insist(static_cast<bool>(simulation), "the scene cannot be opened");
    for (int i = 0; i < 12; ++i) {
      if (i == 6) simulation->set_input("clamp." + simulation->clamp_names().front() + ".turn", 0.01);
      static_cast<void>(simulation->advance());
    }
    StateWriter writer;
    simulation->save(writer);
    state.assign(writer.buffer().begin(), writer.buffer().end());
  }
  Scene scene;
  std::vector<std::byte> state;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base bases[] = {Base(fuzz::moving_scene), Base(fuzz::still_scene)};
  static const fuzz::Folder folder;
  fuzz::Choices choices(data, size);
  const Base& base = bases[choices.upto(2)];
  std::vector<std::byte> state = base.state;
  for (int k = 0; k < 8 && choices.any(); ++k) {
    // A number anywhere, a byte anywhere, or the end.
    const std::size_t kind = choices.upto(8), at = choices.upto(state.size());
    if (kind == 0) {
      state.resize(at);
    } else if (kind < 4) {
      const double value = choices.number();
      std::memcpy(state.data() + at, &value, std::min(sizeof value, state.size() - at));
    } else {
      state[at] = choices.take<std::byte>();
    }
    if (state.empty()) break;
  }
  std::vector<std::byte> scratch;
  write_checkpoint(folder / "checkpoint.bin", 1, 2, 3, state, scratch);
  const Checkpoint read = read_checkpoint(folder / "checkpoint.bin");
  fuzz::insist(read.state == state, "a checkpoint does not read back");
  Checked<Simulation> simulation = Simulation::open(base.scene);
  try {
    StateReader reader(read.state);
    simulation->load(reader);
  } catch (const Misuse&) {
    return 0;
  }
  for (int i = 0; i < 3 && !simulation->finished(); ++i) static_cast<void>(simulation->advance());
  static_cast<void>(simulation->report());
  return 0;
}
