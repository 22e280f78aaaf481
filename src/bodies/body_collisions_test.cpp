#include "bodies/body_collisions.h"

#include <algorithm>
#include <cmath>

#include "bodies/model_world.h"
#include "math/rotation.h"
#include "testing/allocation_count.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

using namespace tendril;

namespace {

BodyModel solid(const BodyShape& shape, double friction = 0.5, double restitution = 0.3) {
  BodyModel body;
  body.mass = 1, body.inertia = Vec3(0.01, 0.012, 0.015);
  body.shape = shape;
  body.friction = friction, body.restitution = restitution;
  return body;
}
BodyState standing(const Vec3& at, const Quat& turned = Quat::Identity()) { return {{at, turned}, {}}; }

// The contacts of two bodies, the first at the origin.
std::vector<BodyContact> meet(const BodyShape& a, const BodyShape& b, const BodyState& there, double margin) {
  const BodyModel both[] = {solid(a), solid(b, 0.2, 0.9)};
  BodyCollisions collisions(both, {});
  const BodyState states[] = {standing(Vec3::Zero()), there};
  std::vector<BodyContact> found;
  collisions.find(states, found, margin);
  return found;
}

SENTENCE(
    "bodies",
    "contacts of bodies: who, where, how deep; the smaller friction and restitution count, the normal points at the first") {
  const auto found = meet(SphereBody{0.3}, SphereBody{0.2}, standing(Vec3(0, 0, 0.48)), 0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].a, 0);
  EXPECT_EQ(found[0].b, 1);
  EXPECT_EQ(found[0].ground, -1);
  EXPECT_NEAR(found[0].gap, -0.02, 1e-12);
  EXPECT_LT((found[0].normal + Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(found[0].point.z(), 0.29, 0.01 + 1e-12);
  EXPECT_EQ(found[0].friction, 0.2);
  EXPECT_EQ(found[0].restitution, 0.3);
  EXPECT_TRUE(meet(SphereBody{0.3}, SphereBody{0.2}, standing(Vec3(0, 0, 0.501)), 0).empty());

  const BodyModel box = solid(BoxBody{Vec3(0.4, 0.4, 0.2)});
  const GroundPlane grounds[] = {{Vec3(0, 0, -5), Vec3::UnitZ(), 0.4, 1}, {Vec3::Zero(), Vec3::UnitZ(), 0.4, 1}};
  BodyCollisions collisions({&box, 1}, grounds);
  const BodyState state = standing(Vec3(0, 0, 0.099));
  std::vector<BodyContact> corners;
  collisions.find({&state, 1}, corners);
  ASSERT_EQ(corners.size(), 4u);
  for (const BodyContact& c : corners) {
    EXPECT_EQ(c.b, -1);
    EXPECT_EQ(c.ground, 1);
    EXPECT_NEAR(c.gap, -0.001, 1e-12);
    EXPECT_EQ(c.friction, 0.4);
    EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_NEAR(std::abs(c.point.x()), 0.2, 1e-12);
  }
}

SENTENCE(
    "bodies",
    "contacts of bodies before they overlap: the gap up to a margin, where one of the two is round, and to the ground") {
  struct Pair {
    const char* what;
    BodyShape a, b;
    BodyState there;
    double gap;
  };
  const Quat lying(Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitX()));
  const std::vector<Pair> pairs = {
      {"ball, ball", SphereBody{0.3}, SphereBody{0.2}, standing(Vec3(0.3, 0, 0.4 + 0.008)), std::hypot(0.3, 0.408) - 0.5},
      {"ball, box", SphereBody{0.3}, BoxBody{Vec3(1, 1, 0.4)}, standing(Vec3(0.1, 0.2, 0.51)), 0.01},
      {"box, ball", BoxBody{Vec3(1, 1, 0.4)}, SphereBody{0.3}, standing(Vec3(0.1, 0.2, 0.51)), 0.01},
      {"ball, cylinder", SphereBody{0.3}, CylinderBody{0.2, 1}, standing(Vec3(0.51, 0, 0.1)), 0.01},
      {"capsule, capsule", CapsuleBody{0.1, 1}, CapsuleBody{0.2, 1}, standing(Vec3(0.31, 0, 0.1), lying), 0.01},
      {"capsule, box", CapsuleBody{0.1, 1}, BoxBody{Vec3(0.4, 0.4, 0.4)}, standing(Vec3(0.31, 0, 0.1)), 0.01},
      {"box, capsule", BoxBody{Vec3(0.4, 0.4, 0.4)}, CapsuleBody{0.1, 1}, standing(Vec3(0.31, 0, 0.1)), 0.01}};
  for (const Pair& p : pairs) {
    EXPECT_TRUE(meet(p.a, p.b, p.there, 0).empty()) << p.what;
    EXPECT_TRUE(meet(p.a, p.b, p.there, 0.9 * p.gap).empty()) << p.what;
    const auto found = meet(p.a, p.b, p.there, 0.02);
    ASSERT_FALSE(found.empty()) << p.what;
    double least = 1;
    for (const BodyContact& c : found) least = std::min(least, c.gap);
    EXPECT_NEAR(least, p.gap, 1e-9) << p.what;
    EXPECT_LT(found[0].normal.dot(p.there.pose.position), 0) << p.what;
  }
  // What ODE cannot tell, and the header says so: nothing before two boxes overlap, and then their depth.
  const BoxBody box{Vec3(0.4, 0.4, 0.4)};
  EXPECT_TRUE(meet(box, box, standing(Vec3(0, 0, 0.401)), 0.02).empty());
  const auto deep = meet(box, box, standing(Vec3(0, 0, 0.399)), 0.02);
  ASSERT_FALSE(deep.empty());
  EXPECT_NEAR(deep[0].gap, -0.001, 1e-9);
  // Every shape and the ground, tilted at will: the least gap is that of its lowest point.
  Random random(81);
  const GroundPlane ground{Vec3::Zero(), Vec3::UnitZ(), 0.4, 1};
  for (int k = 0; k < 40; ++k) {
    const BodyModel body = k % 4 == 0   ? solid(BoxBody{Vec3(0.2, 0.3, 0.4)})
                           : k % 4 == 1 ? solid(SphereBody{0.2})
                           : k % 4 == 2 ? solid(CylinderBody{0.1, 0.4})
                                        : solid(CapsuleBody{0.1, 0.4});
    const Quat q = random.rotation();
    const Vec3 down = q.conjugate() * Vec3::UnitZ();
    const double across = std::hypot(down.x(), down.y());
    const double reach = k % 4 == 0   ? 0.5 * down.cwiseAbs().dot(Vec3(0.2, 0.3, 0.4))
                         : k % 4 == 1 ? 0.2
                         : k % 4 == 2 ? 0.2 * std::abs(down.z()) + 0.1 * across
                                      : 0.2 * std::abs(down.z()) + 0.1;
    const BodyState state = standing(Vec3(1, 2, reach + 0.01), q);
    BodyCollisions collisions({&body, 1}, {&ground, 1});
    std::vector<BodyContact> found;
    collisions.find({&state, 1}, found);
    EXPECT_TRUE(found.empty());
    collisions.find({&state, 1}, found, 0.02);
    ASSERT_FALSE(found.empty()) << k;
    double least = 1;
    for (const BodyContact& c : found) least = std::min(least, c.gap);
    EXPECT_NEAR(least, 0.01, 1e-9) << k;
    collisions.find({&state, 1}, found);
    EXPECT_TRUE(found.empty()) << "a margin leaves nothing behind";
  }
}

SENTENCE("bodies",
         "a world's contacts are those that finding alone tells where its step begins, and finding allocates nothing once "
         "it is warm") {
  std::vector<BodyModel> bodies{solid(SphereBody{0.1}), solid(BoxBody{Vec3(0.3, 0.3, 0.1)}), solid(CapsuleBody{0.1, 0.2})};
  std::vector<BodyState> states{standing(Vec3(0, 0, 0.19)), standing(Vec3(0, 0, 0.049)), standing(Vec3(0.12, 0.1, 0.25))};
  const GroundPlane ground{Vec3::Zero(), Vec3::UnitZ(), 0.4, 1};
  const auto world = make_ode_world(bodies, {&ground, 1});
  BodyCollisions collisions(bodies, {&ground, 1});
  std::vector<BodyContact> found;
  const std::vector<Wrench> weight(3, {Vec3(0, 0, -9.81), Vec3::Zero()});
  std::size_t most = 0;
  for (int k = 0; k < 50; ++k) {
    collisions.find(states, found);
    const std::vector<BodyState> before = states;
    EXPECT_TRUE(world->step(1e-3, k, weight, states));
    ASSERT_EQ(found.size(), world->contacts().size());
    // The box stands on its corners below the ground: all four at first, and what is left when the capsule tips it.
    long below = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 out(corner & 1 ? 0.15 : -0.15, corner & 2 ? 0.15 : -0.15, corner & 4 ? 0.05 : -0.05);
      below += (before[1].pose.position + before[1].pose.orientation * out).z() < 0;
    }
    const auto of_box = [](const BodyContact& c) { return c.a == 1 && c.ground == 0; };
    EXPECT_EQ(std::count_if(found.begin(), found.end(), of_box), below) << k;
    most = std::max(most, found.size());
    ASSERT_GE(found.size(), 1u) << k;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const BodyContact& c = world->contacts()[i];
      EXPECT_EQ(found[i].a, c.a);
      EXPECT_EQ(found[i].b, c.b);
      EXPECT_EQ(found[i].gap, c.gap);
      EXPECT_EQ(found[i].point, c.point);
    }
  }
  EXPECT_GE(most, 6u) << "four corners, the ball and the capsule";
  found.reserve(64);
  const AllocationCount allocations;
  for (int k = 0; k < 5; ++k) collisions.find(states, found, 0.01);
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

SENTENCE("bodies", "a model becomes a world: obstacles are driven bodies where they move, joined bodies do not touch") {
  Model model;
  for (const double x : {0.0, 0.19, 5.0}) {
    BodyModel ball = solid(SphereBody{0.1});
    ball.start = standing(Vec3(x, 0, 0));
    model.bodies.push_back(ball);
  }
  ObstacleModel mesh, post;
  mesh.shape = shape::Mesh{};
  post.shape = shape::Cylinder{1, 0.2}, post.friction = 0.05;
  post.start.position = Vec3(5.29, 0, 0);
  model.obstacles = {mesh, post};
  Drive drive;
  drive.obstacles = {{}, {post.start, {Vec3(-1, 0, 0), Vec3::Zero()}}};
  std::vector<BodyState> states;
  for (const BodyModel& b : model.bodies) states.push_back(b.start);
  std::vector<BodyContact> found;
  ModelCollisions free(model);
  free.find(states, drive.obstacles, found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].b, 1);
  EXPECT_EQ(free.obstacle_of(found[0].b), -1);
  EXPECT_EQ(free.obstacle_of(found[1].b), 1) << "the mesh is not there for bodies";
  EXPECT_EQ(found[1].friction, 0.05);
  JointModel joint;
  joint.body_a = 1, joint.body_b = 0;
  model.joints.push_back(joint);
  ModelCollisions joined(model);
  joined.find(states, drive.obstacles, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].a, 2);
  // The step begins where the obstacle was: a tenth of a second ago it was 0.1 m away.
  const auto world = make_world(model);
  const std::vector<Wrench> none(3);
  model.obstacles[1].move.keys = {{0, Vec3::Zero()}, {1, Vec3(-1, 0, 0)}};
  EXPECT_TRUE(world->step(drive, 0.1, 0, none, states));
  EXPECT_TRUE(world->contacts().empty());
  EXPECT_EQ(states[2].pose.position, Vec3(5, 0, 0));
  EXPECT_TRUE(world->step(drive, 0.001, 1, none, states));
  ASSERT_EQ(world->contacts().size(), 1u);
  EXPECT_EQ(world->obstacle_of(world->contacts()[0].b), 1);
  EXPECT_LT(states[2].motion.linear.x(), -0.5) << "the post that comes along strikes the ball";
  EXPECT_EQ(make_world(Model{}), nullptr);
}

}  // namespace
