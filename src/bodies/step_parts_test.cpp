#include "bodies/step_parts.h"

#include <cmath>

#include "bodies/body_extents.h"
#include "bodies/body_world.h"
#include "math/rotation.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

using namespace tendril;

namespace {

constexpr double earth = 9.81;

BodyModel thing(const BodyShape& shape, double mass = 0.1) {
  BodyModel body;
  body.shape = shape;
  body.mass = mass, body.inertia = inertia_of(shape, mass);
  body.friction = 0.5;
  return body;
}
BodyModel shelf_of(const Vec3& size) {
  BodyModel body = thing(BoxBody{size});
  body.kind = BodyKind::fixed;
  return body;
}

// A point of the surface or of the inside, of any shape.
Vec3 point_in(const BodyShape& shape, Random& random) {
  const Vec3 u(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  if (const auto* b = std::get_if<BoxBody>(&shape)) return 0.5 * u.cwiseProduct(b->size);
  if (const auto* s = std::get_if<SphereBody>(&shape)) return s->radius * u / std::max(1.0, u.norm());
  const auto along = [&](double radius, double length) {
    const double across = std::max(1.0, std::hypot(u.x(), u.y()));
    return Vec3(radius * u.x() / across, radius * u.y() / across, 0.5 * length * u.z());
  };
  if (const auto* c = std::get_if<CylinderBody>(&shape)) return along(c->radius, c->length);
  const auto& c = std::get<CapsuleBody>(shape);
  return along(c.radius, c.length);
}

SENTENCE("bodies", "the bound on a gap is never more than the distance of two points, and no extent is passed by a point") {
  Random random(17);
  const BodyShape shapes[] = {BoxBody{Vec3(1, 0.6, 0.02)}, SphereBody{0.2}, CylinderBody{0.1, 0.8}, CapsuleBody{0.05, 0.7}};
  int apart = 0;
  for (int k = 0; k < 300; ++k) {
    const BodyShape &a = shapes[k % 4], &b = shapes[(k / 4) % 4];
    const Pose at_a{Vec3::Zero(), random.rotation()};
    const Pose at_b{random.rotation() * Vec3(0, 0, random.uniform(0, 2)), random.rotation()};
    const double gap = least_gap(a, at_a, b, at_b);
    apart += gap > 0;
    for (int i = 0; i < 20; ++i) {
      const Vec3 p = at_a.position + at_a.orientation * point_in(a, random);
      const Vec3 q = at_b.position + at_b.orientation * point_in(b, random);
      EXPECT_GE((p - q).norm(), gap);
      const Vec3 u = random.rotation() * Vec3::UnitX();
      EXPECT_LE(u.dot(point_in(a, random)), extent_of(a, u) + 1e-12);
    }
    EXPECT_GE(reach_of(a), thinnest_of(a));
  }
  EXPECT_GT(apart, 100);
  // Where they are known: balls, and a plate below a ball.
  EXPECT_NEAR(least_gap(SphereBody{0.1}, {}, SphereBody{0.2}, {Vec3(0.3, 0.4, 0), Quat::Identity()}), 0.2, 1e-12);
  EXPECT_NEAR(least_gap(SphereBody{0.1}, {Vec3(0.4, 0, 0.3), Quat::Identity()}, BoxBody{Vec3(1, 1, 0.2)}, {}), 0.1, 1e-12);
}

SENTENCE("bodies", "a ball that falls half a metre lies on a shelf of five millimetres, whatever the step") {
  const BodyModel both[] = {thing(SphereBody{0.02}), shelf_of(Vec3(1, 1, 0.005))};
  for (const double steps : {10.0, 30.0, 60.0, 120.0, 500.0}) {
    const auto world = make_ode_world(both, {}, earth);
    std::vector<BodyState> states(2);
    states[0].pose.position = Vec3(0, 0, 0.5);
    const std::vector<Wrench> weight{{Vec3(0, 0, -0.1 * earth), Vec3::Zero()}, {}};
    for (int i = 0; i < static_cast<int>(steps); ++i) ASSERT_TRUE(world->step(1 / steps, i, weight, states)) << steps;
    EXPECT_NEAR(states[0].pose.position.z(), 0.0225, 0.0005) << steps;
    EXPECT_LT(states[0].motion.linear.norm(), 0.01) << steps;
  }
}

SENTENCE("bodies",
         "thin plates that meet at a hundred metres per second do not change sides, and a bullet stops at a sheet") {
  BodyModel plate = thing(BoxBody{Vec3(0.3, 0.3, 0.004)});
  const BodyModel plates[] = {plate, plate};
  const auto world = make_ode_world(plates, {});
  std::vector<BodyState> states(2);
  states[0].pose.position = Vec3(0, 0, 0.83), states[1].pose.position = Vec3(0.02, 0, -0.83);
  states[0].motion.linear = Vec3(0, 0, -50), states[1].motion.linear = Vec3(0, 0, 50);
  const std::vector<Wrench> none(2);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(world->step(0.01, i, none, states));
  // They do not meet quite in the middle and go on turning together: seen from the first, the second stays below.
  const Vec3 apart = states[1].pose.position - states[0].pose.position;
  EXPECT_LT((states[0].pose.orientation.conjugate() * apart).z(), -0.002);
  EXPECT_NEAR(states[0].motion.linear.z() + states[1].motion.linear.z(), 0, 1e-9) << "momentum";

  const BodyModel pair[] = {thing(CapsuleBody{0.002, 0.01}, 0.005), shelf_of(Vec3(1, 1, 0.001))};
  for (const double angle : {0.0, 0.7}) {
    const auto range = make_ode_world(pair, {});
    std::vector<BodyState> shot(2);
    shot[0].pose.position = Vec3(0, 0, 1), shot[0].motion.linear = Vec3(0, 0, -1000);
    shot[0].motion.angular = Vec3(300, 0, 0);
    shot[1].pose.orientation = exp_quat(Vec3(angle, 0, 0));
    ASSERT_TRUE(range->step(1e-3, 0, none, shot)) << "a metre";
    ASSERT_TRUE(range->step(1e-3, 1, none, shot));
    EXPECT_GT((shot[1].pose.orientation.conjugate() * shot[0].pose.position).z(), 0) << angle;
  }
}

SENTENCE("bodies", "a step is divided where something thin is near and fast, and nowhere else") {
  const std::vector<BodyModel> bodies{thing(SphereBody{0.02}), shelf_of(Vec3(1, 1, 0.005)), thing(SphereBody{0.02})};
  StepParts parts(bodies, {});
  std::vector<BodyState> states(3);
  states[2].pose.position = Vec3(0, 0, 0.02);
  states[0].motion.linear = Vec3(0, 0, -3);
  const std::vector<Wrench> none(3);
  parts.ignore_pair(0, 2);
  for (const auto& [height, wanted] :
       {std::pair(0.5, 1.0), {0.0225 + 0.05, 1.0}, {0.0225 + 0.0475 - 1e-9, 2.0}, {0.0225, 20.0}}) {
    states[0].pose.position = Vec3(0, 0, height);
    EXPECT_EQ(parts.parts(0.05 / 3, none, states), wanted) << height;
  }
  // A ball that spins on the spot comes nearer to nothing; a stick does, with its ends.
  states[0].motion = {Vec3::Zero(), Vec3(0, 0, 1e4)};
  EXPECT_EQ(parts.parts(0.05 / 3, none, states), 1);
  const std::vector<BodyModel> sticks{thing(CapsuleBody{0.02, 1}), shelf_of(Vec3(1, 1, 0.005)), thing(SphereBody{0.02})};
  EXPECT_GT(StepParts(sticks, {}).parts(0.05 / 3, none, states), 100);
  // Faster than any division follows: said, not passed through.
  const auto world = make_ode_world(bodies, {});
  states[0].pose.position = Vec3(0, 0, 1), states[0].motion = {Vec3(0, 0, -1e9), Vec3::Zero()};
  states[2].pose.position = Vec3(0, 0, 5);
  EXPECT_FALSE(world->step(1, 0, none, states));
}

}  // namespace
