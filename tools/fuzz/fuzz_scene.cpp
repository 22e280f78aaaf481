// No text may crash the program: whatever is read, checked and opened takes three steps or says why not.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tendril/simulate.h"

namespace {

// What a user may ask for but a fuzzer has no time for.
bool is_small(const tendril::Scene& scene) {
  int segments = 0;
  for (const tendril::Rod& rod : scene.rods) {
    if (const auto* line = std::get_if<tendril::PolylineCurve>(&rod.rest)) segments += static_cast<int>(line->points.size());
    segments += rod.segments.value_or(50);
    if (segments < 0 || segments > 200) return false;
  }
  return scene.rods.size() <= 4 && scene.clamps.size() <= 8;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const tendril::Checked<tendril::Scene> scene = tendril::read_scene(text, "fuzz.toml");
  if (!scene) {
    if (scene.problems().empty()) std::abort();  // refused without a reason
    return 0;
  }
  // What was read can be written and read again.
  const tendril::Checked<tendril::Scene> again = tendril::read_scene(tendril::write_scene(*scene), "again.toml");
  if (!again || !(*again == *scene)) std::abort();
  if (!is_small(*scene)) return 0;
  tendril::check(*scene);
  tendril::Checked<tendril::Simulation> simulation = tendril::Simulation::open(*scene);
  if (!simulation) {
    if (simulation.problems().empty()) std::abort();
    return 0;
  }
  for (int i = 0; i < 3 && !simulation->finished(); ++i) simulation->advance();
  return 0;
}
