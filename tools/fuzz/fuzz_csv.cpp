// libFuzzer target: CSV files of curves.
#include "tendril/simulate.h"
#include "tools/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tendril;
  static const fuzz::Folder folder;
  static const std::string scene = R"(method = "der"
[time]
duration = 1
[[rod]]
section = { stiffness = { EI1 = 1, EI2 = 1, GJ = 1, mass_per_length = 1, radius = 0.01 } }
rest = { polyline = { file = "curve.csv" } }
)";
  folder.write("curve.csv", fuzz::text_of(data, size));
  const Checked<Scene> read = read_scene(scene, (folder / "scene.toml").string());
  for (const Problem& p : read.problems()) fuzz::insist(!to_text(p).empty(), "a problem without words");
  if (!read) return 0;
  for (const Problem& p : check(*read)) fuzz::insist(!to_text(p).empty(), "a problem without words");
  const Checked<Scene> again = read_scene(write_scene(*read), "again.toml");
  fuzz::insist(again && *again == *read, "a curve does not read back as it was");
  return 0;
}
