#include <fmt/format.h>

#include "record/record_testing.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

RunReport record(const Scene& scene, const std::filesystem::path& folder) {
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  RunFolder run(folder);
  Sink* sinks[] = {&run};
  return simulate(*simulation, sinks);
}
Frame last_frame(const std::filesystem::path& folder) { return read_trajectory(folder / "run.h5").frames.back(); }

SENTENCE("run", "of every method that moves, two runs of which one starts where the other ended are one long run") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.moves()) return;
    const TemporaryFolder folder;
    Scene scene = tiny_scene(method);
    scene.rods[0].section = StiffnessSection{500.0, 0.02, 0.03, 0.015, 0.2, 0.01};
    scene.rods[0].initial_twist = 0.2;
    scene.time.step =
        2e-5;  // a start cannot repeat the error of a step: here it is below the bounds, that of twist waves too
    Scene half = scene;
    half.time.duration = 0.5 * scene.time.duration;
    record(scene, folder / "whole");
    record(half, folder / "first");
    half.start_from = (folder / "first").string();
    record(half, folder / "second");
    const Frame whole = last_frame(folder / "whole"), second = last_frame(folder / "second");
    ASSERT_EQ(whole.position.size(), second.position.size());
    double moved = 0;
    for (int i = 0; i < whole.position.size(); ++i) {
      EXPECT_LT((whole.position[NodeIndex(i)] - second.position[NodeIndex(i)]).norm(), 1e-7);
      EXPECT_LT((whole.velocity[NodeIndex(i)] - second.velocity[NodeIndex(i)]).norm(), 1e-5);
      moved = std::max(moved, (whole.position[NodeIndex(i)] - last_frame(folder / "first").position[NodeIndex(i)]).norm());
    }
    EXPECT_GT(moved, 0.01);
    for (int i = 0; i < whole.twist.size(); ++i)
      EXPECT_NEAR(whole.twist[InnerNodeIndex(i)], second.twist[InnerNodeIndex(i)], 1e-6);
  });
}

SENTENCE("run", "a run that is not there, or has other rods, is refused as a start, saying why") {
  const TemporaryFolder folder;
  Scene scene = tiny_scene(all_methods().front());
  record(scene, folder / "run");
  scene.start_from = (folder / "nowhere").string();
  const std::string missing = to_text(check(scene));
  EXPECT_NE(missing.find("start_from"), std::string::npos) << missing;
  scene.start_from = (folder / "run").string();
  EXPECT_FALSE(has_errors(check(scene))) << to_text(check(scene));
  scene.rods[0].segments = 9;
  const std::string other = to_text(check(scene));
  EXPECT_NE(other.find("its rod `rod` has 8 segments, the scene's 9"), std::string::npos) << other;
}

}  // namespace
}  // namespace tendril
