// libFuzzer target: run.h5. The input is a list of changes to the datasets of a whole file, made through HDF5 and with checksums made
// right, because random bytes only find out what the HDF5 library thinks of them. Reader and page must refuse or show, never break.
#include "record/crafted_testing.h"
#include "tendril/record.h"
#include "tendril/view.h"
#include "tools/fuzz/fuzz_scenes.h"
#include "tools/fuzz/fuzzing.h"
#include "view/replay.h"

namespace {
using namespace tendril;

struct Base {
  Base() {
    const Checked<Scene> scene = read_scene(fuzz::moving_scene, "fuzz.toml");
    fuzz::insist(static_cast<bool>(scene), "the scene cannot be read");
    Checked<Simulation> simulation = Simulation::open(*scene);
    fuzz::insist(static_cast<bool>(simulation), "the scene cannot be opened");
    RunFolder run(folder / "a");
    run.describe = describe_for_views;
    Sink* sinks[] = {&run};
    simulate(*simulation, sinks);
  }
  fuzz::Folder folder;
};

void change(fuzz::Choices& choices, const std::string& file) {
  const Column& column = all_columns()[choices.upto(all_columns().size())];
  RawDataset raw = read_raw(open_to_craft(file).get(), column.name);
  if (choices.upto(4) == 0) {  // another shape
    std::vector<hsize_t> size = raw.size;
    if (choices.upto(4) == 0) size.push_back(1 + choices.upto(5));
    if (size.empty() || size.size() > 3) return;
    size[choices.upto(size.size())] = choices.upto(3) == 0 ? choices.upto(60000) : choices.upto(20);
    reshape(file, column.name, size);
  } else if (!raw.values.empty()) {
    overwrite(file, column.name, choices.upto(raw.values.size()), choices.number());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base base;
  const std::filesystem::path file = base.folder / "crafted.h5";
  std::filesystem::copy_file(base.folder / "a" / "run.h5", file, std::filesystem::copy_options::overwrite_existing);
  fuzz::Choices choices(data, size);
  const bool sums = choices.upto(8) > 0;
  for (int k = 0; k < 6 && choices.any(); ++k) change(choices, file.string());
  if (sums) forge_checksums(file.string());
  try {
    TrajectoryReader reader(file);
    Frame frame;
    Measures measures;
    for (std::int64_t k = 0; k < reader.frames(); ++k)
      reader.read(k, frame, measures), reader.read_numbers(k, frame, measures);
  } catch (const RecordError& error) {
    fuzz::insist(*error.what() != '\0', "refused without a word");
  }
  try {
    fuzz::insist(!view::replay_page({&file, 1}).empty(), "a page without anything");
  } catch (const RecordError&) {
  }
  return 0;
}
