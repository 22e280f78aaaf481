#include "model/drive.h"
#include "model/join_plan.h"
#include "model/model.h"
#include "model/test_scenes.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

SENTENCE("model", "a winch's rope is known: room for what is stored, a length that stays out, an order within its speed") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -2)}, 10);
  Winch winch;
  winch.name = "drum", winch.stored = 3, winch.top_speed = 1.5;
  winch.speed.keys = {{0, 0}, {1, 1}};
  winch.speed.shape = TimetableShape::linear;
  scene.winches = {winch};
  const auto model = build_model(scene);
  ASSERT_TRUE(model) << to_text(model.problems());
  EXPECT_GE(model->rods[0].max_edges, 10 + 15 + 1);
  EXPECT_NEAR(model->winches.at(0).shortest, 0.6, 1e-12);
  Live live;
  Drive drive;
  evaluate(*model, live, 0.5, 1, drive);
  EXPECT_NEAR(drive.winches.at(0).speed, 0.5, 1e-15);
  live.winches.add({0, 10});
  evaluate(*model, live, 0.5, 1, drive);
  EXPECT_EQ(drive.winches.at(0).speed, 1.5);
  live.winches.begin()->speed = -0.75;
  evaluate(*model, live, 0.5, 1, drive);
  EXPECT_NEAR(drive.winches.at(0).speed, -0.25, 1e-15);
}

SENTENCE("model", "the points of a reeving are fixed to their bodies, and a sheave is not smaller than its rope") {
  PolylineCurve line;
  line.points = {Vec3(0, 0, 2), Vec3(0.1, 0, 0), Vec3(0.2, 0, 2)};
  Scene scene = one_rod(line, 2);
  scene.rods[0].segments.reset();
  RigidBody hook;
  hook.name = "hook", hook.mass = 1, hook.inertia = Vec3(1, 1, 1), hook.position = Vec3(0.1, 0, -0.5);
  hook.orientation = Vec3(0, 0, 1);
  scene.bodies = {hook};
  Reeving reeving;
  reeving.points.resize(3);
  reeving.points[1].body = "hook";
  scene.reevings = {reeving};
  auto model = build_model(scene);
  ASSERT_TRUE(model) << to_text(model.problems());
  const SheaveModel& sheave = model->reevings.at(0).points.at(1);
  EXPECT_EQ(sheave.body, 0);
  EXPECT_LT((sheave.local - Vec3(0, 0, 0.5)).norm(), 1e-15);
  EXPECT_EQ(model->reevings[0].points[2].local, Vec3(0.2, 0, 2));
  // Falls exactly beside each other: the rope runs right back.
  std::get<PolylineCurve>(scene.rods[0].rest).points[2] = Vec3(0, 0, 2);
  model = build_model(scene);
  ASSERT_TRUE(model) << to_text(model.problems());
  for (const Quat& q : model->initial.orientation) EXPECT_NEAR(q.norm(), 1, 1e-12);
  for (const Quat& q : model->rest_node_frame) EXPECT_NEAR(q.norm(), 1, 1e-12);
  EXPECT_EQ(model->initial.twist[InnerNodeIndex(0)], 0);
  scene.reevings[0].points[1].radius = 1e-9;
  model = build_model(scene);
  EXPECT_FALSE(model);
  EXPECT_NE(to_text(model.problems()).find("a sheave must not be smaller than its rope"), std::string::npos);
}

SENTENCE("model", "a slider leaves one direction free: its axis is carried by one body, its point by the other") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 4);
  for (const char* name : {"beam", "trolley"}) {
    RigidBody body;
    body.name = name, body.mass = 1, body.inertia = Vec3(1, 1, 1);
    body.position = Vec3(0, name[0] == 'b' ? 0 : 1, 3);
    scene.bodies.push_back(body);
  }
  scene.bodies[0].orientation = Vec3(0, 0, 0.5 * 3.14159265358979323846);
  Joint joint;
  joint.name = "rail", joint.kind = JointKind::slider, joint.a.body = "beam", joint.b.body = "trolley";
  joint.axis = Vec3::UnitY(), joint.point = Vec3(0, 1, 3);
  scene.joints = {joint};
  const auto model = build_model(scene);
  ASSERT_TRUE(model) << to_text(model.problems());
  const JoinPlan plan(*model);
  ASSERT_EQ(plan.sliders.size(), 1u);
  EXPECT_TRUE(plan.ties.empty() && plan.turns.empty());
  EXPECT_LT((plan.sliders[0].axis - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_LT((plan.sliders[0].point_a - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_LT(plan.sliders[0].point_b.norm(), 1e-15);
}

}  // namespace
}  // namespace tendril
