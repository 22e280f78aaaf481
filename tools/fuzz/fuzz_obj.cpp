// libFuzzer target: OBJ files of obstacles.
#include "tendril/simulate.h"
#include "tools/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tendril;
  static const fuzz::Folder folder;
  static const std::string scene = R"(method = "der"
[time]
duration = 1
[contact]
enabled = true
[[rod]]
section = { stiffness = { EI1 = 1, EI2 = 1, GJ = 1, mass_per_length = 1, radius = 0.01 } }
rest = { straight = { start = [0, 0, 100], end = [1, 0, 100] } }
segments = 4
[[obstacle]]
shape = { mesh = { file = "thing.obj" } }
)";
  folder.write("thing.obj", fuzz::text_of(data, size));
  const Checked<Scene> read = read_scene(scene, (folder / "scene.toml").string());
  for (const Problem& p : read.problems()) fuzz::insist(!to_text(p).empty(), "a problem without words");
  if (!read) return 0;
  for (const Problem& p : check(*read)) fuzz::insist(!to_text(p).empty(), "a problem without words");
  const Checked<Scene> again = read_scene(write_scene(*read), "again.toml");
  fuzz::insist(again && *again == *read, "a mesh does not read back as it was");
  return 0;
}
