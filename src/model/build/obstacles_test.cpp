#include "model/obstacles.h"

#include "math/rotation.h"
#include "model/drive.h"
#include "model/test_scenes.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

Model with_obstacle(Obstacle o) {
  Scene scene = one_rod(StraightCurve{}, 4);
  scene.contact.enabled = true;
  scene.contact.friction = 0.2;
  scene.obstacles.push_back(std::move(o));
  return *build_model(scene);
}

SENTENCE("model", "obstacles stand in their own axes where the scene puts them") {
  Obstacle o;
  o.shape = CylinderShape{Vec3(1, 0, 0), Vec3(1, 4, 0), 0.5};
  Model m = with_obstacle(o);
  EXPECT_EQ(std::get<shape::Cylinder>(m.obstacles[0].shape).half_length, 2);
  EXPECT_LT((m.obstacles[0].start.position - Vec3(1, 2, 0)).norm(), 1e-15);
  EXPECT_LT((director(m.obstacles[0].start.orientation, 2) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_EQ(m.obstacles[0].friction, 0.2);
  o.friction = 0.7;
  o.shape = BoxShape{Vec3(1, 2, 3), Vec3(2, 4, 6), Vec3(0, 2, 0), Vec3(-1, 1, 0)};
  m = with_obstacle(o);
  EXPECT_EQ(m.obstacles[0].friction, 0.7);
  EXPECT_LT((director(m.obstacles[0].start.orientation, 0) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((director(m.obstacles[0].start.orientation, 1) + Vec3::UnitX()).norm(), 1e-15);
  o.shape = HalfSpaceShape{Vec3(0, 0, -1), Vec3(0, 3, 0)};
  m = with_obstacle(o);
  EXPECT_LT((director(m.obstacles[0].start.orientation, 2) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_NEAR(m.contact.margin, 0.001, 1e-18) << "a tenth of the radius";
}

SENTENCE("model", "an obstacle's motion is the rate of its pose, about its pivot, and the load factor scales its path") {
  Obstacle o;
  o.shape = SphereShape{Vec3(1, 0, 0), 0.5};
  o.move.keys = {{0, Vec3::Zero()}, {2, Vec3(0, 0, 3)}};
  o.turn.keys = {{0, 0}, {2, 1.5}};
  o.axis = Vec3(0, 0, 2);
  o.pivot = Vec3(0, 1, 0);
  const Model m = with_obstacle(o);
  Drive now;
  evaluate(m, Live{}, 2, 1, now);
  EXPECT_LT((now.obstacles[0].pose.position - Vec3(-1, 2, 3)).norm(), 1e-13) << "one and a half turns about (0, 1)";
  evaluate(m, Live{}, 2, 1.0 / 3, now);
  EXPECT_LT((now.obstacles[0].pose.position - Vec3(-1, 2, 1)).norm(), 1e-13) << "half a turn";
  evaluate(m, Live{}, 0.7, 1, now);
  const auto place = [&](double t) {
    Drive d;
    evaluate(m, Live{}, t, 1, d);
    return Eigen::VectorXd(d.obstacles[0].pose.position);
  };
  const auto r = compare_with_differences(place, now.obstacles[0].motion.linear, 0.7);
  EXPECT_TRUE(r.ok) << r.message;
  const auto angle = [&](double t) {
    Drive d;
    evaluate(m, Live{}, t, 1, d);
    return Eigen::VectorXd(
        log_rotation(Quat(d.obstacles[0].pose.orientation * now.obstacles[0].pose.orientation.conjugate())));
  };
  const auto q = compare_with_differences(angle, now.obstacles[0].motion.angular, 0.7);
  EXPECT_TRUE(q.ok) << q.message;
}

SENTENCE("model", "half-spaces that stand still are the ground of bodies; what bodies pass through is warned of") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 0), Vec3(1, 0, 0)}, 4);
  Obstacle floor, rising, mesh;
  floor.name = "floor", floor.shape = HalfSpaceShape{Vec3(0, 0, -1), Vec3(0, 1, 1)}, floor.friction = 0.7;
  rising = floor, rising.name = "rising", rising.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.1)}};
  mesh.name = "mesh";
  MeshShape tetrahedron;
  tetrahedron.vertices = {Vec3(0, 0, -3), Vec3(1, 0, -3), Vec3(0, 1, -3), Vec3(0, 0, -2)};
  tetrahedron.triangles = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  mesh.shape = tetrahedron;
  scene.obstacles = {floor, rising, mesh};
  EXPECT_TRUE(build_model(scene)->grounds.empty()) << "nothing needs it";
  RigidBody ball;
  ball.name = "ball", ball.shape = SphereBody{0.1}, ball.mass = 1, ball.position = Vec3(0, 0, 3);
  scene.bodies = {ball};
  const Checked<Model> model = build_model(scene);
  ASSERT_EQ(model->grounds.size(), 1u);
  EXPECT_LT((model->grounds[0].normal - Vec3(0, 1, 1).normalized()).norm(), 1e-15);
  EXPECT_EQ(model->grounds[0].friction, 0.7);
  const std::string told = to_text(model.problems());
  EXPECT_NE(told.find("obstacle[1]: bodies pass through this obstacle, a half-space that moves"), std::string::npos) << told;
  EXPECT_NE(told.find("obstacle[2]: bodies pass through this obstacle, a mesh"), std::string::npos) << told;
  EXPECT_FALSE(has_errors(model.problems()));
  scene.bodies[0].position = Vec3(0, 0, -0.95);  // 0.05 / sqrt(2) above the plane
  EXPECT_NE(to_text(build_model(scene).problems()).find("body `ball` starts 0.0646 m deep in obstacle `floor`"),
            std::string::npos);
}

}  // namespace
}  // namespace tendril
