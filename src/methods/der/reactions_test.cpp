#include <algorithm>
#include <ctime>

#include "methods/der/der_testing.h"
#include "testing/sentence.h"

namespace tendril::der {
namespace {

SENTENCE("der", "clamps bear the loads on their nodes in the first frame too, the same when it was saved and loaded") {
  Scene scene = one_rod(line, 12);
  add_clamp(scene, 0);
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Der a(model, {}), b(model, {});
  StateWriter saved;
  a.visit_state(saved);
  StateReader reader(saved.buffer());
  b.visit_state(reader);
  const Vec3 force = frame_of(a).reactions.at(0).force;
  EXPECT_GT(force.norm(), 1e-3);  // half of an edge weighs more
  EXPECT_EQ(force, frame_of(b).reactions.at(0).force);
}

SENTENCE("der", "reactions cost in proportion to the clamps") {
  const auto seconds = [](int rods) {
    Scene scene = one_rod(line, 4);
    scene.rods.assign(static_cast<std::size_t>(rods), scene.rods[0]);
    for (int k = 0; k < rods; ++k) {
      scene.rods[static_cast<std::size_t>(k)].name = "rod" + std::to_string(k);
      add_clamp(scene, 0).rod = scene.rods[static_cast<std::size_t>(k)].name;
    }
    const Der der(model_of(scene), {});
    double best = forever;
    for (int k = 0; k < 5; ++k) {
      const std::clock_t start = std::clock();
      for (int again = 0; again < 20; ++again) EXPECT_EQ(frame_of(der).reactions.size(), z(rods));
      best = std::min(best, static_cast<double>(std::clock() - start));
    }
    return best;
  };
  EXPECT_LT(seconds(1600), 8 * seconds(400));  // 4 times as much; 16 times if each clamp looked at all nodes
}

}  // namespace
}  // namespace tendril::der
