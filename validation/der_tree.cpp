#include <fmt/format.h>
#include <fstream>
#include "validation/experiment.h"
#include "validation/solve.h"
#include "validation/tree_scene.h"

namespace tendril {
std::vector<Check> der_tree_in_wind(ExperimentContext& context) {
  std::filesystem::create_directories(context.folder());
  for (const bool b : {true, false}) for (int l : {4, 5}) {
    std::ofstream(context.folder() / fmt::format("tree{}_{}.toml", l, b ? "stiff" : "free")) << write_scene(tree_scene({l, b}));
  }
  return {bound_check("x", 0, 1)};
}
}  // namespace tendril
