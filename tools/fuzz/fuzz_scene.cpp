// libFuzzer target: any bytes -> read -> check -> write and read back -> a few steps. Nothing may crash, hang, leak or
// throw.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "scene/check_scene.h"
#include "tendril/simulate.h"

namespace {

void insist(bool condition, const char* sentence) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", sentence);
  std::abort();
}

// A few thousand runs per second are wanted: big rods are for other tests.
bool is_small(const tendril::Scene& scene) {
  double segments = 0;
  for (const tendril::Rod& rod : scene.rods) {
    const auto* polyline = std::get_if<tendril::PolylineCurve>(&rod.rest);
    segments += rod.segments ? *rod.segments : polyline ? static_cast<double>(polyline->points.size()) : 50;
  }
  return segments <= (scene.contact.enabled ? 50 : 200);  // a knot that is pulled tight: a hundred solves a step
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tendril;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Checked<Scene> scene = read_scene(text, "fuzz/scene.toml");
  for (const Problem& p : scene.problems()) insist(!to_text(p).empty(), "a problem without words");
  if (!scene) {
    insist(has_errors(scene.problems()), "refused without a reason");
    return 0;
  }
  const Checked<Scene> again = read_scene(write_scene(*scene), "fuzz/scene.toml");
  insist(static_cast<bool>(again), "a written scene does not read back");
  insist(*again == *scene, "a written scene reads back different");
  if (has_errors(check_scene(*scene, all_method_infos())) || !is_small(*scene)) return 0;
#ifdef TENDRIL_FUZZ_STEPS
  Checked<Simulation> simulation = Simulation::open(*scene);
  if (!simulation) return 0;
  for (int i = 0; i < 3 && !simulation->finished(); ++i) static_cast<void>(simulation->advance());
#endif
  return 0;
}
