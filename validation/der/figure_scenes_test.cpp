#include "validation/der/figure_scenes.h"

#include <tendril_paths.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/model.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"
#include "validation/der/chain_scene.h"
#include "validation/der/tree_scene.h"
#include "validation/solve.h"

namespace tendril {
namespace {

// TENDRIL_REGENERATE=1 writes the file instead.
void compare_scene(const char* file, const Scene& scene) {
  const std::filesystem::path path = std::filesystem::path(TENDRIL_SOURCE_DIR) / "scenes" / file;
  if (std::getenv("TENDRIL_REGENERATE")) std::ofstream(path, std::ios::binary) << write_scene(scene);
  const Checked<Scene> written = read_scene_file(path);
  ASSERT_TRUE(written) << to_text(written.problems());
  EXPECT_TRUE(*written == scene) << path << " is not what the experiment runs; write it with TENDRIL_REGENERATE=1";
}

SENTENCE("validation", "the scenes of chain and tree are what their experiments run") {
  compare_scene("hanging_chain.toml", chain_scene());
  compare_scene("tree.toml", tree_scene());
}

SENTENCE("validation", "every scene of Table 1 has the table's number of vertices and no problems") {
  for (const FigureScene& scene : figure_scenes()) {
    const Problems problems = check(scene.make());
    EXPECT_FALSE(has_errors(problems)) << scene.figure << ": " << to_text(problems);
    const Checked<Model> model = build_model(scene.make());
    ASSERT_TRUE(model) << scene.figure;
    EXPECT_EQ(model->material.size(), scene.vertices * scene.copies) << scene.figure;
  }
}

SENTENCE("validation.slow",
         "in the scene capstan the ball holds the box, and the drum hauls it up and lets it down by its turn") {
  const Checked<Scene> scene = read_scene_file(std::filesystem::path(TENDRIL_SOURCE_DIR) / "scenes/capstan.toml");
  ASSERT_TRUE(scene) << to_text(scene.problems());
  Simulation simulation = open_or_throw(*scene);
  const auto height_at = [&](double time) {
    while (simulation.time() < time) advance_or_throw(simulation);
    return simulation.frame().bodies[0].pose.position.z();
  };
  const double start = height_at(0.7), held = height_at(1.4), up = height_at(4.75), down = height_at(8);
  EXPECT_NEAR(held, start, 2e-4);
  const double way = 0.6 * 2 * 3.141592653589793 * 0.08;
  EXPECT_NEAR(up - held, way, 0.01 * way);
  EXPECT_NEAR(down, held, 2e-3);
  EXPECT_LT(simulation.report().worst_penetration, 0.02);
  EXPECT_EQ(simulation.report().retries, 0);
}

}  // namespace
}  // namespace tendril
