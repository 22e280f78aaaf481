#include "model/drive.h"
#include "math/pack.h"
#include "model/wind.h"

#include <cmath>

#include "math/number.h"
#include "math/rotation.h"
#include "model/checks.h"
#include "model/test_scenes.h"
#include "model/timetable.h"
#include "testing/allocation_count.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using math::pi, math::two_pi;

Timetable<double> table(TimetableShape shape) { return {shape, {{1, 2}, {3, -4}, {3.5, -4}, {4, 1}}}; }
Timetable<Vec3> path(std::vector<Timetable<Vec3>::Key> keys, TimetableShape shape = TimetableShape::smooth) {
  return {shape, std::move(keys)};
}
double value(const Timetable<double>& t, double time) { return at_time<double>(t, time, 7.0, 0.0).value; }

SENTENCE("model", "a timetable passes through its keys and stays before the first and after the last") {
  for (const auto shape : {TimetableShape::hold, TimetableShape::linear, TimetableShape::smooth}) {
    const auto t = table(shape);
    for (const auto& key : t.keys) EXPECT_EQ(value(t, key.time), key.value);
    EXPECT_EQ(value(t, -5), 2);
    EXPECT_EQ(value(t, 100), 1);
    EXPECT_EQ(at_time<double>(t, 100, 7.0, 0.0).rate, 0);
  }
  EXPECT_EQ(value(table(TimetableShape::hold), 2.999), 2);
  EXPECT_EQ(value(table(TimetableShape::linear), 2), -1);
  EXPECT_EQ(value(table(TimetableShape::smooth), 2), -1);
  EXPECT_EQ(value({}, 3), 7);
}

SENTENCE("model", "rates of a timetable are the derivatives of its values; smooth ones rest at the keys") {
  for (const auto shape : {TimetableShape::linear, TimetableShape::smooth}) {
    const auto t = table(shape);
    for (const double time : {1.3, 2.0, 2.9, 3.77}) {
      const auto r =
          compare_with_differences([&](double at) { return value(t, at); }, at_time<double>(t, time, 7.0, 0.0).rate, time);
      EXPECT_TRUE(r.ok) << r.message;
    }
  }
  for (const auto& key : table(TimetableShape::smooth).keys)
    EXPECT_NEAR(at_time<double>(table(TimetableShape::smooth), key.time - 1e-9, 7.0, 0.0).rate, 0, 1e-6);
  EXPECT_EQ(at_time<double>(table(TimetableShape::hold), 2, 7.0, 0.0).rate, 0);
}

Scene driven() {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 10);
  scene.clamps = {clamp_at(0), clamp_at(1)};
  scene.clamps[1].name = "hand";
  scene.clamps[1].move = path({{0, Vec3::Zero()}, {2, Vec3(-0.3, 0.1, 0)}});
  scene.clamps[1].turn = {TimetableShape::smooth, {{0, 0}, {2, 27}}};
  scene.clamps[1].until = 5;
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}, GravityLoad{Vec3(1, 0, 0)}};
  ForceLoad force;
  force.rod = "rod";
  force.at = 0.5;
  force.value = Vec3(0, 1, 0);
  force.factor = {TimetableShape::linear, {{0, 0}, {2, 4}}};
  scene.loads.push_back(force);
  scene.loads.push_back(WindLoad{});
  return scene;
}

SENTENCE("model", "a clamp's velocity is the derivative of its pose") {
  const Model model = *build_model(driven());
  const auto pose = [&](double time) {
    Drive drive;
    evaluate(model, {}, time, 1, drive);
    return drive.clamps[1];
  };
  for (const double time : {0.4, 1.0, 1.9}) {
    const ClampNow now = pose(time);
    const auto place = [&](double t) { return Eigen::VectorXd(pose(t).pose.position); };
    const auto moved = compare_with_differences(place, Eigen::VectorXd(now.motion.linear), time);
    EXPECT_TRUE(moved.ok) << moved.message;
    const double h = 1e-5;
    const Vec3 spin = log_rotation(pose(time + h).pose.orientation * pose(time - h).pose.orientation.conjugate()) / (2 * h);
    EXPECT_NEAR((spin - now.motion.angular).norm(), 0, 1e-5);
    EXPECT_NEAR(now.motion.angular.y(), 0, 1e-12);
  }
  EXPECT_NEAR(pose(2).turn, 54 * pi, 1e-12);  // counted, not wrapped
  EXPECT_NEAR((pose(2).pose.position - Vec3(0.7, 0.1, 0)).norm(), 0, 1e-15);
  EXPECT_TRUE(pose(5).active);  // a step that ends there is held to its end
  EXPECT_FALSE(pose(5.01).active);
}

// A smooth motion of a user's: value and rate.
struct ByHand {
  Vec3 move, move_rate;
  double turn, turn_rate;
};
ByHand by_hand(double time) {
  return {Vec3(std::sin(3 * time), time * time, 0.2), Vec3(3 * std::cos(3 * time), 2 * time, 0), 2 * std::cos(time),
          -2 * std::sin(time)};
}
PathInput led(PathInput owner, double time) {
  const ByHand hand = by_hand(time);
  owner.move = hand.move, owner.move_rate = hand.move_rate, owner.turn = hand.turn, owner.turn_rate = hand.turn_rate;
  return owner;
}

SENTENCE("model", "every pose of the drive has the motion it says: timetables, live inputs, late clamps") {
  Scene scene = driven();
  scene.clamps[1].from = 0.2;  // takes hold elsewhere, turned
  Coupling spring;
  spring.rod = "rod", spring.at = 0.5, spring.stiffness = 1, spring.axis = Vec3(0, 1, 1);
  spring.move = path({{0, Vec3::Zero()}, {2, Vec3(0, 0, 1)}}), spring.turn = {TimetableShape::smooth, {{0, 0}, {2, 0.7}}};
  scene.couplings = {spring};
  RigidBody motor;
  motor.name = "motor", motor.kind = BodyKind::driven, motor.axis = Vec3(1, 2, 0), motor.orientation = Vec3(0.3, 0, 1);
  motor.move = path({{0, Vec3::Zero()}, {2, Vec3(1, 0, 1)}}), motor.turn = {TimetableShape::smooth, {{0, 0}, {2, 2}}};
  scene.bodies = {motor};
  Obstacle wheel;
  wheel.shape = SphereShape{Vec3(3, 0, 0), 0.1}, wheel.pivot = Vec3(3, 0.5, 0);
  wheel.move = path({{0, Vec3::Zero()}, {2, Vec3(0, 2, 0)}}), wheel.turn = {TimetableShape::smooth, {{0, 0}, {2, 0.8}}};
  scene.obstacles = {wheel};
  const Model model = *build_model(scene);
  LateClamps late(model);
  const auto drive_at = [&](double time) {
    Live live;
    live.paths.add(led({.clamp = 0}, time)), live.paths.add(led({.clamp = 1}, time));
    live.paths.add(led({.coupling = 0}, time)), live.paths.add(led({.body = 0}, time));
    Drive drive;
    evaluate(model, live, time, 1, drive);
    late.follow(model, drive, [](const ClampModel&) { return Pose{Vec3(1, 1, 1), exp_quat(Vec3(0.5, -1, 0.4))}; });
    return drive;
  };
  struct Moved {
    Pose pose;
    Motion motion;
  };
  const auto all_of = [](const Drive& d) {
    return std::vector<Moved>{{d.clamps[0].pose, d.clamps[0].motion},
                              {d.clamps[1].pose, d.clamps[1].motion},
                              {d.grips[0].pose, d.grips[0].motion},
                              {d.bodies[0].pose, d.bodies[0].motion},
                              {d.obstacles[0].pose, d.obstacles[0].motion}};
  };
  EXPECT_EQ(drive_at(0.1).clamps[1].active, false);
  EXPECT_NEAR((drive_at(0.25).clamps[1].pose.position - Vec3(1, 1, 1)).norm(), 0, 1e-15);  // where the rod was
  for (const double time : {0.4, 1.0, 1.7}) {
    const std::vector<Moved> now = all_of(drive_at(time));
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto place = [&](double t) { return Eigen::VectorXd(all_of(drive_at(t))[i].pose.position); };
      const auto turn = [&](double t) {
        return Eigen::VectorXd(log_rotation(all_of(drive_at(t))[i].pose.orientation * now[i].pose.orientation.conjugate()));
      };
      const auto moved = compare_with_differences(place, Eigen::VectorXd(now[i].motion.linear), time);
      EXPECT_TRUE(moved.ok) << i << ": " << moved.message;
      const auto turned = compare_with_differences(turn, Eigen::VectorXd(now[i].motion.angular), time);
      EXPECT_TRUE(turned.ok) << i << ": " << turned.message;
    }
  }
}

SENTENCE("model", "gravity that changes with time adds to the one that does not") {
  Scene scene = driven();
  scene.loads = {GravityLoad{Vec3(0, 0, -10)},
                 ChangingGravityLoad{Vec3(4, 0, 0), {TimetableShape::linear, {{0, 0}, {2, 1}}}}};
  const Model model = *build_model(scene);
  Drive drive;
  Live live;
  live.gravity_scale = 3;
  evaluate(model, {}, 0.5, 1, drive);
  EXPECT_EQ(drive.gravity, Vec3(1, 0, -10));
  evaluate(model, live, 2, 0.5, drive);
  EXPECT_EQ(drive.gravity, Vec3(6, 0, -15));
}

SENTENCE("model", "the memory of late clamps is saved and loaded") {
  Scene scene = driven();
  scene.clamps[1].from = 0.2;
  const Model model = *build_model(scene);
  LateClamps late(model), other(model);
  const auto hold = [](const ClampModel&) { return Pose{Vec3(1, 2, 3), exp_quat(Vec3(0.5, -1, 0.4))}; };
  const auto nowhere = [](const ClampModel&) {
    ADD_FAILURE() << "holds already";
    return Pose{};
  };
  Drive drive;
  evaluate(model, {}, 0.5, 1, drive);
  late.follow(model, drive, hold);
  StateWriter writer;
  writer(late);
  StateReader reader(writer.buffer());
  reader(other);
  EXPECT_TRUE(reader.at_end());
  Drive again;
  evaluate(model, {}, 0.5, 1, again);
  other.follow(model, again, nowhere);
  EXPECT_EQ(again.clamps[1].pose.position, drive.clamps[1].pose.position);
  EXPECT_EQ(again.clamps[1].pose.orientation.coeffs(), drive.clamps[1].pose.orientation.coeffs());
  EXPECT_EQ(again.clamps[1].motion.angular, drive.clamps[1].motion.angular);
}

SENTENCE("model", "the load factor ramps loads, gravity and paths; live inputs add to them") {
  const Model model = *build_model(driven());
  Live live;
  live.gravity_scale = 2;
  live.paths.add({1, Vec3(0, 0, 0.5), pi});
  Hand hand;
  hand.rod = 0, hand.material = 0.625, hand.stiffness = 3, hand.pose.position = Vec3(7, 8, 9);
  live.hands.add(hand);
  Drive drive;
  evaluate(model, live, 1, 0.25, drive);
  EXPECT_NEAR((drive.gravity - Vec3(0.5, 0, -5)).norm(), 0, 1e-15);
  EXPECT_NEAR((drive.clamps[1].pose.position - Vec3(1 - 0.0375, 0.0125, 0.5)).norm(), 0, 1e-15);
  EXPECT_NEAR(drive.clamps[1].turn, 0.25 * 27 * pi + pi, 1e-12);
  EXPECT_EQ(drive.node_factor.at(0), 0.5);
  EXPECT_EQ(drive.wind_factor.at(0), 0.25);
  ASSERT_EQ(drive.grips.size(), 1u);
  EXPECT_EQ(drive.grips[0].pose.position, Vec3(7, 8, 9));
  EXPECT_EQ(drive.grips[0].stiffness, 3);
  evaluate(model, {}, 1, 1, drive);
  EXPECT_EQ(drive.wind_factor.at(0), 1);
  EXPECT_TRUE(drive.grips.empty());
}

SENTENCE("model", "asking for the drive again allocates nothing") {
  const Model model = *build_model(driven());
  Drive drive;
  const Live live;
  evaluate(model, live, 0, 1, drive);
  AllocationCount allocations;
  evaluate(model, live, 0.1, 1, drive);
  const Vec3 wind = wind_velocity(model.winds[0].law, drive.wind_factor[0], 0.1, Vec3::Zero());
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(wind, Vec3::Zero());
}

SENTENCE("model", "wind without gusts is steady; gusts travel with it, stay within their bound and are smooth") {
  WindLoad law;
  law.velocity = Vec3(3, 4, 0);
  EXPECT_EQ(wind_velocity(law, 2, 17, Vec3(1, 2, 3)), Vec3(6, 8, 0));
  law.gust = 0.5;
  law.vortex = 0.3;
  const Vec3 along(0.6, 0.8, 0);
  double least = forever, most = 0;
  for (int i = 0; i < 2000; ++i) {
    const double t = 0.05 * i;
    const Vec3 w = wind_velocity(law, 1, t, Vec3(1, 2, 3));
    const double forward = w.dot(along);
    least = std::min(least, forward);
    most = std::max(most, forward);
    EXPECT_LE((w - forward * along).norm(), 0.3 * 5 * std::sqrt(2.0));
    EXPECT_LT((wind_velocity(law, 1, t + 1e-4, Vec3(1, 2, 3)) - w).norm(), 1e-2);
    // One gust length further down the wind, one period later: the same air.
    EXPECT_LT((wind_velocity(law, 1, t + law.gust_period, Vec3(1, 2, 3) + law.gust_length * along) - w).norm(), 1e-9);
  }
  EXPECT_GT(least, 2.5 - 1e-12);
  EXPECT_LT(most, 7.5 + 1e-12);
  EXPECT_LT(least, 3.5);
  EXPECT_GT(most, 6.5);
}

SENTENCE("model", "a whirl turns the air about its axis like a solid body, and ever slower outside its radius") {
  WindLoad law;
  law.whirl = Vec3(0, 0, 3), law.whirl_at = Vec3(1, 0, 5), law.whirl_radius = 2;
  EXPECT_EQ(wind_velocity(law, 1, 0, Vec3(1, 0, -7)), Vec3::Zero());
  EXPECT_LT((wind_velocity(law, 2, 0, Vec3(1.001, 0, 0)) - Vec3(0, 0.006, 0)).norm(), 1e-8);
  EXPECT_LT((wind_velocity(law, 1, 0, Vec3(1, 2, 0)) - Vec3(-3, 0, 0)).norm(), 1e-12);  // half of the solid body's 6 m/s
  EXPECT_LT(wind_velocity(law, 1, 0, Vec3(1, 200, 0)).norm(), 0.07);
  law.velocity = Vec3(4, 0, 0);
  EXPECT_LT((wind_velocity(law, 1, 0, Vec3(1, 2, 0)) - Vec3(1, 0, 0)).norm(), 1e-12);
}

SENTENCE("model", "four places at once have the wind of each") {
  WindLoad law;
  law.velocity = Vec3(3, 4, 1), law.gust = 0.5, law.vortex = 0.3;
  law.whirl = Vec3(0, 1, 3), law.whirl_at = Vec3(1, 0, 5);
  const Vec3 places[] = {Vec3(1, 2, 3), Vec3(-1, 0, 2), Vec3(0, 0, 0), Vec3(7, 5, -1)};
  const V3<Pack> together = wind_velocity(wind_now(law, 0.7, 2.5), gather_pack(places));
  for (int k = 0; k < 4; ++k) EXPECT_EQ(to_eigen(lane_of(together, k)), wind_velocity(law, 0.7, 2.5, places[k]));
}

SENTENCE("model", "clamps further apart than the rod between them are found, with distance and instant") {
  Scene scene = driven();
  EXPECT_TRUE(check_reach(*build_model(scene)).empty());
  scene.time.duration = 3;
  scene.clamps[1].move = path({{0, Vec3::Zero()}, {2, Vec3(0.2, 0, 0)}, {3, Vec3::Zero()}});
  const Problems problems = check_reach(*build_model(scene));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].field, "clamp[1].move");
  EXPECT_EQ(problems[0].what, "the clamps are 1.2 m apart at t = 2 s but the rod between them is 1 m long");
  // Between keys too: a path through a far point, with both keys near.
  scene.clamps[0].move = path({{0, Vec3::Zero()}, {2, Vec3(0, 0.9, 0)}}, TimetableShape::linear);
  scene.clamps[1].move = path({{0, Vec3::Zero()}, {0.5, Vec3(0, -0.3, 0)}, {1, Vec3(0, 0.45, 0)}, {2, Vec3(0, 0.9, 0)}});
  EXPECT_EQ(check_reach(*build_model(scene)).size(), 1u);
  // Not while one of them is open, nor where nothing is held in place.
  scene.clamps[1].from = 2;
  EXPECT_TRUE(check_reach(*build_model(scene)).empty());
  scene.clamps[1].from = 0;
  scene.clamps[1].hold = {Hold::direction, Hold::twist};
  EXPECT_TRUE(check_reach(*build_model(scene)).empty());
}

// Where the rod is when a clamp takes hold of it is not known before: at most as far from the other as the rod between them is long.
SENTENCE("model",
         "a clamp that takes hold later is judged by how far it goes from then on, not by where the rod was at the start") {
  Scene scene = driven();
  scene.time.duration = 3;
  scene.clamps[1].from = 1;
  scene.clamps[1].move = path({{1, Vec3::Zero()}, {2, Vec3(0.9, 0, 0)}});
  EXPECT_TRUE(check_reach(*build_model(scene)).empty());
  scene.clamps[1].move = path({{1, Vec3(5, 0, 0)}, {2, Vec3(5.9, 0, 0)}});  // where its path begins does not count
  EXPECT_TRUE(check_reach(*build_model(scene)).empty());
  EXPECT_TRUE(check_slack(*build_model(scene), false).empty());
  scene.clamps[1].move = path({{1, Vec3::Zero()}, {2, Vec3(2.1, 0, 0)}});
  const Problems problems = check_reach(*build_model(scene));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].what, "the clamps are at least 1.1 m apart at t = 2 s but the rod between them is 1 m long");
}

SENTENCE("model", "on a ring the short way round limits the reach") {
  Scene scene = one_rod(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 1 / two_pi}, 40);
  scene.clamps = {clamp_at(0), clamp_at(0.75)};
  scene.clamps[1].move = path({{0, Vec3::Zero()}, {1, Vec3(-0.1, -0.1, 0)}});
  EXPECT_EQ(check_reach(*build_model(scene)).size(), 1u);
}

SENTENCE("model", "a clamp that jumps more than a rod length in a step is found, a slow one is not") {
  Scene scene = driven();
  scene.clamps[1].move = path({{0, Vec3::Zero()}, {1, Vec3(0, 5, 0)}});
  const Model model = *build_model(scene);
  EXPECT_TRUE(check_speed(model, 0.01).empty());
  EXPECT_TRUE(check_speed(model, 0.133).empty());  // fastest in the middle: 1.5 * 5 m/s
  EXPECT_EQ(check_speed(model, 0.136).size(), 1u);
  scene.clamps[1].move = path({{0, Vec3::Zero()}, {1, Vec3(0, 1.5, 0)}}, TimetableShape::hold);
  EXPECT_EQ(check_speed(*build_model(scene), 1e-6).size(), 1u);  // a jump takes no time at all
  EXPECT_EQ(check_speed(*build_model(scene), 1e-6)[0].field, "clamp[1].move");
}

}  // namespace
SENTENCE("model", "a clamp that points against its rod is refused, one that is turned far is not") {
  Scene scene = one_rod(StraightCurve{}, 10);
  scene.clamps = {clamp_at(0)};
  EXPECT_TRUE(check_fold(*build_model(scene)).empty());
  scene.clamps[0].direction = Vec3(-1, 0, 0);
  const Problems problems = check_fold(*build_model(scene));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].field, "clamp[0].direction");
  scene.clamps[0].direction = Vec3(-1, 0.1, 0);
  EXPECT_TRUE(check_fold(*build_model(scene)).empty());
}
SENTENCE("model", "a clamp that starts away from the rod it holds is told, with the distance") {
  Scene scene = one_rod(StraightCurve{}, 10);
  Clamp clamp = clamp_at(0);
  clamp.move.keys = {{0, Vec3(0, 0.25, 0)}, {1, Vec3(0, 0.5, 0)}};
  scene.clamps = {clamp};
  const Problems problems = check_start(*build_model(scene));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].what, "the clamp starts 0.25 m away from the rod");
  scene.clamps[0].move.keys[0].value = Vec3::Zero();
  EXPECT_TRUE(check_start(*build_model(scene)).empty());
}

}  // namespace tendril
