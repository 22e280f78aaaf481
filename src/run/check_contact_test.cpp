#include "run/check_contact.h"

#include "model/test_scenes.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

// Two straight rods, radius 0.01, crossing at height `apart`; contact on.
Scene crossing(double apart) {
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)}, 10);
  Rod other = scene.rods[0];
  other.name = "other";
  other.rest = StraightCurve{Vec3(0.05, -0.5, apart), Vec3(0.05, 0.5, apart)};
  other.segments = 5;
  scene.rods.push_back(other);
  scene.contact.enabled = true;
  return scene;
}
std::string told(const Scene& scene) { return to_text(check_overlap(*build_model(scene))); }
#define EXPECT_TELLS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

SENTENCE("run", "rods that start inside each other are refused: which segments, how deep") {
  EXPECT_EQ(told(crossing(0.0201)), "");
  EXPECT_EQ(told(crossing(0.02 - 0.5e-4)), "") << "a hundredth of the radius is left to the method";
  EXPECT_TELLS(told(crossing(0.015)), "rod[0]: segment 5 starts 0.005 m deep in segment 2 of rod `other`");
  EXPECT_TELLS(told(crossing(0)), "segment 5 starts 0.02 m deep in segment 2 of rod `other`");
  Scene off = crossing(0);
  off.contact.enabled = false;
  EXPECT_EQ(told(off), "");
}

SENTENCE("run", "a rod that starts inside itself is refused; its neighbours along it do not count") {
  Scene tight = one_rod(HelixCurve{Vec3::Zero(), Vec3::UnitZ(), Vec3::UnitX(), 0.05, 0.019, 4}, 200);
  tight.contact.enabled = true;
  EXPECT_TELLS(told(tight), "of the same rod");
  Scene loose = one_rod(HelixCurve{Vec3::Zero(), Vec3::UnitZ(), Vec3::UnitX(), 0.05, 0.021, 4}, 200);
  loose.contact.enabled = true;
  EXPECT_EQ(told(loose), "");
  Scene ring = one_rod(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 0.1}, 100);
  ring.contact.enabled = true;
  EXPECT_EQ(told(ring), "");
}

SENTENCE("run", "a rod that starts inside an obstacle is refused, whatever its shape, at the surface or far inside") {
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)}, 10);
  scene.contact.enabled = true;
  Obstacle o;
  o.name = "thing";
  MeshShape cube;
  for (int k = 0; k < 8; ++k) cube.vertices.emplace_back(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  cube.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  const auto with = [&](ObstacleShape shape) {
    o.shape = std::move(shape);
    scene.obstacles = {o};
    return told(scene);
  };
  EXPECT_TELLS(with(HalfSpaceShape{Vec3(0, 0, 0.3), Vec3::UnitZ()}), "starts 0.31 m deep in obstacle `thing`");
  EXPECT_TELLS(with(SphereShape{Vec3(0, 0, -0.5), 0.6}), "deep in obstacle `thing`");
  EXPECT_TELLS(with(CapsuleShape{Vec3(0, -1, 0), Vec3(0, 1, 0), 0.1}), "starts 0.11 m deep");
  EXPECT_TELLS(with(CylinderShape{Vec3(0, -1, 0), Vec3(0, 1, 0), 0.1}), "starts 0.11 m deep");
  EXPECT_TELLS(with(BoxShape{Vec3(0, 0, -0.5), Vec3(0.4, 0.4, 1.01)}), "starts 0.015 m deep");
  cube.position = Vec3(0, 0, -1.005), cube.scale = 1;
  EXPECT_TELLS(with(cube), "starts 0.005 m deep");
  cube.position = Vec3::Zero();
  EXPECT_TELLS(with(cube), "deep in obstacle `thing`") << "far inside";
  cube.position = Vec3(0, 0, -0.004), cube.scale = 0.01;
  EXPECT_TELLS(with(cube), "deep in obstacle `thing`") << "smaller than a segment, pierced by it";
  cube.position = Vec3(0, 0, -1.02), cube.scale = 1;
  EXPECT_EQ(with(cube), "");
  // It starts where its path begins.
  o.move.keys = {{0, Vec3(0, 0, 0.5)}, {1, Vec3::Zero()}};
  EXPECT_TELLS(with(BoxShape{Vec3(0, 0, -1), Vec3(1, 1, 1)}), "deep in obstacle `thing`");
}

SENTENCE("run", "a rod that starts inside a body is refused with the body's name, unless it is joined to it there") {
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)}, 10);
  scene.contact.enabled = true;
  RigidBody ball;
  ball.name = "ball", ball.shape = SphereBody{0.1}, ball.mass = 1, ball.position = Vec3(0.52, 0, 0);
  scene.bodies = {ball};
  EXPECT_TELLS(told(scene), "rod[0]: segment 9 starts 0.09 m deep in body `ball`");
  Joint joint;
  joint.name = "joint", joint.a.rod = "rod", joint.a.at = 1, joint.b.body = "ball";
  scene.joints = {joint};
  EXPECT_EQ(told(scene), "");
  scene.bodies[0].position = Vec3(-0.52, 0, 0);
  EXPECT_TELLS(told(scene), "in body `ball`") << "it is joined elsewhere";
  scene.bodies[0].collides = false;
  EXPECT_EQ(told(scene), "");
}

// They were pushed apart, and the energy that this gave them stood under impacts with a minus.
SENTENCE("run",
         "bodies that start inside each other or inside an obstacle are refused: which, how deep; touching ones are not") {
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 5), Vec3(0.5, 0, 5)}, 10);
  RigidBody box;
  box.name = "box", box.mass = 1, box.shape = BoxBody{Vec3(0.2, 0.2, 0.1)};
  RigidBody ball = box;
  ball.name = "ball", ball.shape = SphereBody{0.1};
  const auto apart = [&](double height, BodyKind kind = BodyKind::dynamic) {
    box.kind = kind;
    ball.position = Vec3(0, 0, height);
    scene.bodies = {box, ball};
    return told(scene);
  };
  EXPECT_EQ(apart(0.15), "");
  EXPECT_EQ(apart(0.1496), "") << "a hundredth of what is thinnest is left to the method";
  EXPECT_TELLS(apart(0.13),
               "body[0].position: body `box` starts 0.02 m deep in body `ball`, nothing may overlap at the start");
  EXPECT_TELLS(apart(0.13, BodyKind::fixed), "deep in body `ball`");
  scene.bodies[1].collides = false;
  EXPECT_EQ(told(scene), "");
  Obstacle shelf;
  shelf.name = "shelf", shelf.shape = BoxShape{Vec3(0, 0, -0.01), Vec3(1, 1, 0.02)};
  scene.obstacles = {shelf};
  box.kind = BodyKind::dynamic, box.position = Vec3(0, 0, 0.045);
  scene.bodies = {box};
  EXPECT_TELLS(told(scene), "body `box` starts 0.005 m deep in obstacle `shelf`");
  scene.bodies[0].position = Vec3(0, 0, 0.05);
  EXPECT_EQ(told(scene), "");
}

}  // namespace
}  // namespace tendril
