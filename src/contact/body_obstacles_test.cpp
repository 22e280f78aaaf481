#include "contact/body_obstacles.h"

#include "contact/find_contacts.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

// Rods of radius 0.01 that are joined to a ball of radius 0.1 at the origin; segments are 0.02 long.
Rod rod_from(const std::string& name, const Vec3& a, const Vec3& b) {
  Rod rod;
  rod.name = name;
  StiffnessSection section;
  section.EA = section.EI1 = section.EI2 = section.GJ = section.mass_per_length = 1, section.radius = 0.01;
  rod.section = section;
  rod.rest = StraightCurve{a, b};
  rod.segments = static_cast<int>((b - a).norm() / 0.02 + 0.5);
  return rod;
}
Scene ball_with(std::vector<Rod> rods) {
  Scene scene;
  scene.contact.enabled = true;
  RigidBody ball;
  ball.name = "ball", ball.shape = SphereBody{0.1}, ball.mass = 1;
  scene.bodies = {ball};
  for (const Rod& rod : rods) {
    Joint joint;
    joint.name = "joint " + rod.name;
    joint.a.rod = rod.name, joint.b.body = "ball";
    scene.joints.push_back(joint);
  }
  scene.rods = std::move(rods);
  return scene;
}
struct Seen {
  Model model;
  ContactGeometry geometry;
  std::vector<int> body_of;
  explicit Seen(const Scene& scene) : model(*build_model(scene)), geometry(model) { body_of = add_bodies(model, geometry); }
  std::vector<Touch> touches() {
    std::vector<Vec3> nodes(model.initial.position.begin(), model.initial.position.end());
    std::vector<Pose> poses;
    for (const int b : body_of) poses.push_back(model.bodies[static_cast<std::size_t>(b)].start.pose);
    ContactWorkspace work;
    std::vector<Touch> out;
    EXPECT_EQ(find_contacts(geometry, {nodes, poses}, {nodes, poses}, work, out), Found::fine);
    return out;
  }
};

SENTENCE("contact",
         "a rod joined to a body does not touch it from the joint until one neighbour length beyond its surface") {
  // Inside until 0.1: five segments, and the sixth which begins at the surface; then 2 pi 0.01 = 0.063 from 0.12 on.
  Seen seen(ball_with({rod_from("a", Vec3::Zero(), Vec3(1, 0, 0))}));
  EXPECT_TRUE(seen.touches().empty());
  for (int e = 0; e < seen.geometry.edges(); ++e) EXPECT_EQ(seen.geometry.is_excluded(e, 0), e < 6 + 4) << e;
  // At the surface only the first overlaps.
  Seen outside(ball_with({rod_from("a", Vec3(0.1, 0, 0), Vec3(1.1, 0, 0))}));
  EXPECT_TRUE(outside.touches().empty());
  for (int e = 0; e < outside.geometry.edges(); ++e) EXPECT_EQ(outside.geometry.is_excluded(e, 0), e < 1 + 4) << e;
  // Inside a rod, both ways.
  Scene pearl = ball_with({rod_from("a", Vec3(-1, 0, 0), Vec3(1, 0, 0))});
  pearl.joints[0].a.at = 0.5;
  Seen both(pearl);
  EXPECT_TRUE(both.touches().empty());
  for (int e = 0; e < 100; ++e) EXPECT_EQ(both.geometry.is_excluded(e, 0), e >= 40 && e < 60) << e;
}

SENTENCE("contact", "a rod that is not joined to the body, or comes back to it, touches it") {
  Scene scene = ball_with({rod_from("a", Vec3::Zero(), Vec3(1, 0, 0))});
  scene.rods.push_back(rod_from("other", Vec3(-1, 0, 0.105), Vec3(1, 0, 0.105)));
  Seen seen(scene);
  const std::vector<Touch> touches = seen.touches();
  ASSERT_FALSE(touches.empty());
  for (const Touch& t : touches) EXPECT_GE(t.edge_a, 50);
  Rod back = rod_from("a", Vec3::Zero(), Vec3(1, 0, 0));
  PolylineCurve curve;
  curve.points = {Vec3(0, 0, 0), Vec3(0.4, 0, 0), Vec3(0.4, 0, 0.105), Vec3(-0.2, 0, 0.105)};
  back.rest = curve;
  Seen again(ball_with({back}));
  ASSERT_FALSE(again.touches().empty());
  for (const Touch& t : again.touches()) EXPECT_GT(t.edge_a, 30);
}

SENTENCE("contact", "rods joined to one body do not touch each other where they meet; elsewhere they do") {
  // They leave the centre 0.15 rad apart: until 0.13 they would overlap.
  const Vec3 close(std::cos(0.15), std::sin(0.15), 0);
  Seen seen(ball_with({rod_from("a", Vec3::Zero(), Vec3(1, 0, 0)), rod_from("b", Vec3::Zero(), close)}));
  EXPECT_TRUE(seen.touches().empty());
  // Without a shape they meet in a point; beyond one neighbour length, 0.06 along both, they touch.
  Scene point = ball_with({rod_from("a", Vec3::Zero(), Vec3(1, 0, 0)), rod_from("b", Vec3::Zero(), Vec3(0, 1, 0))});
  point.bodies[0].shape.reset();
  point.bodies[0].inertia = Vec3(1, 1, 1);
  EXPECT_TRUE(Seen(point).touches().empty());
  point.rods[1].rest = StraightCurve{Vec3::Zero(), close};
  EXPECT_FALSE(Seen(point).touches().empty());
  // Two places of one body that lie further apart than that are two places.
  Scene apart =
      ball_with({rod_from("a", Vec3(0.1, 0, 0), Vec3(1.1, 0, 0)), rod_from("b", Vec3(-0.1, 0, 0), Vec3(0.6, 0, 0.02))});
  apart.bodies[0].shape.reset();
  apart.bodies[0].inertia = Vec3(1, 1, 1);
  EXPECT_FALSE(Seen(apart).touches().empty());
}

}  // namespace
}  // namespace tendril
