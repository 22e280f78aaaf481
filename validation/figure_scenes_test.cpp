#include "validation/figure_scenes.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/model.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"
#include "validation/chain_scene.h"
#include "validation/tree_scene.h"

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

}  // namespace
}  // namespace tendril
