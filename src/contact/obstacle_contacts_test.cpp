// Where rods touch obstacles: flat ground, edges, curves, corners; and how deep.
#include "contact/contact_testing.h"

namespace tendril {
namespace {
using namespace contact_testing;

World rod_at(const std::vector<Vec3>& points, RigidShape shape, Pose pose = {}, double radius = 0.01) {
  Model model = model_of({{points, radius, false}}, 0.002);
  add_obstacle(model, std::move(shape), pose);
  return World(model);
}

SENTENCE("contact", "on flat ground the nodes touch: half-space, box, cylinder's end and mesh tell the same") {
  const auto points = straight(Vec3(-0.2, 0.03, 0.009), Vec3(0.2, 0.05, 0.009), 8);
  const Pose below{Vec3(0, 0, -1), Quat::Identity()};
  std::vector<World> worlds{rod_at(points, shape::HalfSpace{}), rod_at(points, shape::Box{Vec3::Ones()}, below),
                            rod_at(points, shape::Cylinder{1, 1}, below), rod_at(points, box_mesh(Vec3::Ones()), below)};
  for (World& w : worlds) {
    const auto& touches = w.find();
    ASSERT_EQ(touches.size(), 9u);
    for (const Touch& c : touches) {
      EXPECT_NEAR(c.gap, -0.001, 1e-15);
      EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-14);
      EXPECT_TRUE(c.s == 0 || c.s == 1);
      EXPECT_TRUE(c.key.is_node());
      EXPECT_EQ(c.obstacle, 0);
      EXPECT_NEAR((w.poses[0].position + c.local).z(), 0, 1e-15);
    }
  }
}

SENTENCE("contact", "across an edge, a rod or a ball the point between the nodes touches") {
  const auto points = straight(Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0), 1);
  // The same place reached in six ways: the highest point is at the origin minus 0.009.
  const Vec3 top(0.1, 0, -0.009);
  const Quat lying(Eigen::AngleAxisd(math::pi / 2, Vec3::UnitX()));    // z axis along -y
  const Quat on_edge(Eigen::AngleAxisd(math::pi / 4, Vec3::UnitY()));  // an edge up
  const double half = 0.3, diagonal = half * std::sqrt(2.0);
  std::vector<World> worlds{rod_at(points, shape::Sphere{0.3}, {top - Vec3(0, 0, 0.3), Quat::Identity()}),
                            rod_at(points, shape::Capsule{1, 0.3}, {top - Vec3(0, 0, 0.3), lying}),
                            rod_at(points, shape::Cylinder{1, 0.3}, {top - Vec3(0, 0, 0.3), lying}),
                            rod_at(points, shape::Box{Vec3(half, 1, half)}, {top - Vec3(0, 0, diagonal), on_edge}),
                            rod_at(points, box_mesh(Vec3(half, 1, half)), {top - Vec3(0, 0, diagonal), on_edge})};
  for (std::size_t k = 0; k < worlds.size(); ++k) {
    const auto& touches = worlds[k].find();
    ASSERT_EQ(touches.size(), 1u) << k;
    EXPECT_NEAR(touches[0].gap, -0.001, 1e-9) << k;
    EXPECT_LT((touches[0].normal - Vec3::UnitZ()).norm(), 1e-6) << k;
    EXPECT_NEAR(touches[0].s, 0.6, 1e-6) << k;
    EXPECT_TRUE(touches[0].key.is_edge()) << k;
    const Pose& pose = worlds[k].poses[0];
    EXPECT_LT((pose.position + pose.orientation * touches[0].local - top).norm(), 1e-6) << k;
  }
}

SENTENCE("contact", "a node is not told beside a nearby place between nodes") {
  const Quat lying(Eigen::AngleAxisd(math::pi / 2, Vec3::UnitX()));
  for (const double place : {0.02, 0.2, 0.3, 0.5}) {  // of the touching point behind a node, in segments
    const auto points = straight(Vec3(-place * 0.1 - 0.5, 0, 0.509), Vec3(-place * 0.1 + 0.5, 0, 0.509), 10);
    World w = rod_at(points, shape::Cylinder{1, 0.5}, {Vec3::Zero(), lying});
    int between = 0, nodes = 0;
    for (const Touch& c : w.find()) ++(c.key.is_node() ? nodes : between);
    EXPECT_EQ(between, 1) << place;
    EXPECT_EQ(nodes, place < 0.25 ? 0 : place < 0.5 ? 1 : 2) << place;  // gaps of nodes: up to 0.05^2/2/0.5 = 0.0025 - 0.001
  }
}

SENTENCE("contact", "in a corner of a room a node touches twice, and in deep overlap the way out is the shortest") {
  shape::Mesh room = box_mesh(Vec3(1, 1, 1));
  for (auto& t : room.triangles) std::swap(t[0], t[1]);  // inside out: a container
  World corner = rod_at({Vec3(0.991, 0, -0.991), Vec3(0.5, 0, -0.5)}, room);
  const auto& touches = corner.find();
  ASSERT_EQ(touches.size(), 2u);
  Vec3 sum = Vec3::Zero();
  for (const Touch& c : touches) {
    EXPECT_NEAR(c.gap, -0.001, 1e-12);
    sum += c.normal;
  }
  EXPECT_LT((sum - Vec3(-1, 0, 1)).norm(), 1e-12);
  // Centerlines inside: by a hair in a mesh, deep in the others.
  World mesh = rod_at({Vec3(-0.2, 0, 0.999), Vec3(0.2, 0, 0.999)}, box_mesh(Vec3::Ones()));
  for (const Touch& c : mesh.find()) {
    EXPECT_NEAR(c.gap, -0.011, 1e-12);
    EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-12);
  }
  EXPECT_EQ(mesh.touches.size(), 2u);
  World box = rod_at({Vec3(-0.2, 0, 0.7), Vec3(0.2, 0, 0.7)}, shape::Box{Vec3::Ones()});
  ASSERT_EQ(box.find().size(), 2u);
  EXPECT_NEAR(box.touches[0].gap, -0.31, 1e-12);
  World ball = rod_at({Vec3(-0.2, 0, 0.1), Vec3(0.2, 0, 0.1)}, shape::Sphere{1});
  ball.find();
  ASSERT_EQ(ball.touches.size(), 3u);
  EXPECT_NEAR(ball.touches[0].gap, 0.1 - 1 - 0.01, 1e-12);
}

SENTENCE("contact", "through a thin plate the far side is not felt") {
  for (const bool as_mesh : {false, true}) {
    const Vec3 half(1, 1, 0.001);
    World w = rod_at({Vec3(-0.2, 0, 0.01), Vec3(0.2, 0, 0.01)},
                     as_mesh ? RigidShape(box_mesh(half)) : RigidShape(shape::Box{half}));
    const auto& touches = w.find();
    ASSERT_EQ(touches.size(), 2u);
    for (const Touch& c : touches) {
      EXPECT_GT(c.normal.z(), 0.99);
      EXPECT_NEAR(c.gap, -0.001, 1e-12);
    }
  }
}

SENTENCE("contact", "a moving obstacle: positions and normals follow it") {
  const Quat turn(Eigen::AngleAxisd(0.3, Vec3(1, 2, 3).normalized()));
  World w = rod_at({Vec3(-0.2, 0, 0.02), Vec3(0.2, 0, 0.02)}, shape::HalfSpace{});
  std::vector<Pose> poses{{Vec3(0, 0, 0.011), turn}};
  const auto& touches = w.find(w.nodes, poses);
  ASSERT_FALSE(touches.empty());
  for (const Touch& c : touches) {
    EXPECT_LT((c.normal - turn * Vec3::UnitZ()).norm(), 1e-15);
    const Vec3 p = w.nodes[c.s == 0 ? 0 : 1];
    EXPECT_NEAR(c.gap, c.normal.dot(p - poses[0].position) - 0.01, 1e-15);
  }
}

}  // namespace
}  // namespace tendril
