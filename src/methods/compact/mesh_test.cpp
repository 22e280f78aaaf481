// Rods in motion that touch meshes.
#include <cmath>

#include "methods/compact/compact_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

constexpr double pull = 9.81;

MeshShape box_of_triangles(const Vec3& center, const Vec3& size) {
  MeshShape mesh;
  for (int k = 0; k < 8; ++k)
    mesh.vertices.push_back(center + 0.5 * size.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  mesh.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  return mesh;
}
BoxShape same_box(const Vec3& center, const Vec3& size) {
  BoxShape box;
  box.center = center, box.size = size;
  return box;
}

struct Fall {
  Frame frame;
  RunReport report;
  double least = 1, most = 0;  // gap, force
  explicit Fall(const Scene& scene) {
    Checked<Simulation> simulation = Simulation::open(scene);
    EXPECT_TRUE(simulation) << to_text(simulation.problems());
    if (!simulation) return;
    while (!simulation->finished() && simulation->advance().outcome == Outcome::fine)
      for (const ContactPoint& p : simulation->frame().contacts)
        least = std::min(least, p.gap), most = std::max(most, p.force.norm());
    frame = simulation->frame(), report = simulation->report();
  }
};

// Across the box, so that it hangs over two of its edges and lies on its top.
Scene over(const ObstacleShape& shape, double friction) {
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0.03, 0.14), Vec3(0.5, -0.02, 0.15)}, 20, plain_section(0.3, 0.3, 0.3));
  scene.contact.enabled = true, scene.contact.friction = friction;
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -pull)});
  scene.rods[0].damping.mass = 6;
  add_shape(scene, shape);
  scene.time.step = 4e-3, scene.time.duration = 3;
  return scene;
}

SENTENCE("compact",
         "a rod that falls over a box of triangles comes to rest where it does on the same box, carried by its weight") {
  const Vec3 center(0.02, 0, 0), size(0.4, 0.5, 0.2);
  const Fall mesh(over(box_of_triangles(center, size), 0.4)), box(over(same_box(center, size), 0.4));
  for (const Fall* fall : {&mesh, &box}) {
    ASSERT_EQ(fall->report.time, 3) << fall->report.message;
    EXPECT_GT(fall->least, 0);
    Vec3 carried = Vec3::Zero();
    for (const ContactPoint& p : fall->frame.contacts) carried += p.force;
    EXPECT_NEAR(carried.z(), pull, 2e-3 * pull);
    EXPECT_LT(carried.head<2>().norm(), 2e-3 * pull);
  }
  for (int i = 0; i <= 20; ++i)
    EXPECT_LT((mesh.frame.position[NodeIndex(i)] - box.frame.position[NodeIndex(i)]).norm(), 2e-3) << i;
}

SENTENCE("compact", "a rod shot at a thin plate of triangles never passes through it, at any step") {
  for (const double step : {1e-3, 0.02}) {
    Scene scene = over(box_of_triangles(Vec3::Zero(), Vec3(2, 2, 0.004)), 0.2);
    scene.rods[0].velocity = Vec3(1, 0, -30);
    scene.time.step = step, scene.time.duration = 0.1;
    const Fall fall(scene);
    EXPECT_EQ(fall.report.time, 0.1) << fall.report.message;
    EXPECT_GT(fall.most, 0) << step;
    EXPECT_GT(fall.least, 0) << step;
    for (int i = 0; i <= 20; ++i) EXPECT_GT(fall.frame.position[NodeIndex(i)].z(), 0.01) << step << " " << i;
  }
}

SENTENCE("compact", "a plate of triangles that moves takes a rod along by friction") {
  Scene scene = over(box_of_triangles(Vec3::Zero(), Vec3(2, 2, 0.2)), 0.6);
  scene.rods[0].rest = StraightCurve{Vec3(-0.5, 0, 0.1101), Vec3(0.5, 0, 0.1101)};
  scene.rods[0].damping.mass = 0;
  scene.obstacles[0].move.shape = TimetableShape::smooth;
  scene.obstacles[0].move.keys = {{0, Vec3::Zero()},
                                  {1, Vec3(0.4, 0, 0)}};  // at most 2.4 m/s^2, mu g is 5.9; along it, across it would roll
  scene.time.duration = 1.2;
  const Fall fall(scene);
  ASSERT_EQ(fall.report.time, 1.2) << fall.report.message;
  for (int i = 0; i <= 20; ++i) EXPECT_NEAR(fall.frame.position[NodeIndex(i)].x(), -0.5 + 0.05 * i + 0.4, 1e-3) << i;
}

}  // namespace
}  // namespace tendril::compact
