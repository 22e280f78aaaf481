#include "model/loads.h"

#include <random>

#include "math/rotation.h"
#include "model/test_scenes.h"
#include "testing/allocation_count.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

Vec3 random_vector(std::mt19937_64& random, double size = 1) {
  std::normal_distribution<double> normal;
  return size * Vec3(normal(random), normal(random), normal(random));
}
LoadedPoint<double> random_point(std::mt19937_64& random) {
  return {to_small(random_vector(random)), to_small(random_vector(random)), to_small(exp_matrix(random_vector(random, 2)))};
}
// Moved by (position, velocity, turn): nine numbers.
LoadedPoint<double> moved(const LoadedPoint<double>& at, const VecX& by) {
  return {at.position + to_small(Vec3(by.segment<3>(0))), at.velocity + to_small(Vec3(by.segment<3>(3))),
          to_small(Mat3(exp_matrix(Vec3(by.segment<3>(6))) * to_eigen(at.frame)))};
}
VecX numbers(const WrenchOf<double>& w) {
  VecX all(6);
  all << to_eigen(w.force), to_eigen(w.moment);
  return all;
}
template <class Load>
DifferenceResult compare(const Load& load, const LoadedPoint<double>& at) {
  const LoadTangent tangent = load_tangent(load, at);
  MatX given(6, 9);
  given << tangent.position, tangent.velocity, tangent.turn;
  return compare_with_differences([&](const LoadedPoint<double>& p) { return numbers(load(p)); }, given, at, {}, moved);
}

// A rod under everything: gravity, line and point loads in both axes, drag, two winds.
Scene loaded() {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 10);
  for (const Axes axes : {Axes::world, Axes::material}) {
    DistributedLoad line;
    line.rod = "rod", line.from = 0.05, line.to = 0.57, line.force = Vec3(0.3, -1, 2), line.axes = axes;
    line.moment = Vec3(0.1, 0.6, -0.3);
    line.factor = {TimetableShape::linear, {{0, 0.5}, {1, 2}}};
    ForceLoad force;
    force.rod = "rod", force.at = 0.5, force.value = Vec3(1, 2, -0.5), force.axes = axes;
    MomentLoad moment;
    moment.rod = "rod", moment.at = 0.5, moment.value = Vec3(-0.2, 0.4, 0.7), moment.axes = axes;
    scene.loads.insert(scene.loads.end(), {line, force, moment});
  }
  DragLoad drag;
  drag.normal = 0.7, drag.tangential = 0.2;
  WindLoad gusts, whirl;
  gusts.velocity = Vec3(3, 1, -2), gusts.gust = 0.4, gusts.vortex = 0.3, gusts.density = 30;
  whirl.whirl = Vec3(0.3, 0.2, 2), whirl.whirl_at = Vec3(0.2, 0.5, 0), whirl.density = 50, whirl.velocity = Vec3(0, 0.1, 0);
  scene.loads.insert(scene.loads.end(), {GravityLoad{}, drag, gusts, whirl});
  return scene;
}

struct Now {
  Model model;
  Drive drive;
  LoadsNow loads;
  explicit Now(const Scene& scene, double time = 0.4) : model(*build_model(scene)), loads(model) {
    evaluate(model, {}, time, 1, drive);
    loads.update(drive);
  }
};

SENTENCE("model", "loads along a rod and at a node have the tangents they say, in place, velocity and frame") {
  const Now now(loaded());
  std::mt19937_64 random(3);
  for (int k = 0; k < 20; ++k) {
    const LoadedPoint<double> at = random_point(random);
    for (const int edge : {0, 3, 5, 9}) {
      const auto r = compare([&](const auto& p) { return now.loads.per_length(EdgeIndex(edge), p); }, at);
      EXPECT_TRUE(r.ok) << "edge " << edge << ": " << r.message;
    }
    const auto r = compare([&](const auto& p) { return now.loads.at_node(NodeIndex(5), p); }, at);
    EXPECT_TRUE(r.ok) << r.message;
  }
}

SENTENCE("model", "the tangent of a wind is finite where the air stands still about the rod") {
  Scene scene = one_rod(StraightCurve{}, 4);
  scene.loads = {WindLoad{}};
  const Now now(scene);
  const LoadedPoint<double> at{{0, 0, 0}, {0, 0, 0}, identity3<double>()};
  const LoadTangent t = load_tangent([&](const auto& p) { return now.loads.per_length(EdgeIndex(1), p); }, at);
  EXPECT_EQ(t.velocity.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(t.turn.cwiseAbs().maxCoeff(), 0);
}

SENTENCE("model", "a force of the wind is 1/2 density coefficient width times the square of the speed across") {
  Scene scene = one_rod(StraightCurve{}, 4);  // radius 0.01
  WindLoad wind;
  wind.velocity = Vec3(5, 3, 4);
  scene.loads = {wind};
  const Now now(scene);
  const LoadedPoint<double> at{{0, 0, 0}, {0, 0, 0}, to_small(Mat3(exp_matrix(Vec3(0, math::pi / 2, 0))))};  // d3 = x
  const WrenchOf<double> w = now.loads.per_length(EdgeIndex(0), at);
  EXPECT_NEAR((to_eigen(w.force) - 0.5 * 1.2 * 1.2 * 0.02 * 5 * Vec3(0, 3, 4)).norm(), 0, 1e-14);
}

SENTENCE("model", "a grip's force and moment have the tangents they say, in place, velocity, turn and spin") {
  std::mt19937_64 random(5);
  struct At {
    Vec3 x, v, spin;
    Quat q;
  };
  for (int k = 0; k < 20; ++k) {
    Grip grip;
    grip.stiffness = 3, grip.damping = 0.4, grip.angular_stiffness = 2, grip.angular_damping = 0.7;
    grip.pose = {random_vector(random), exp_quat(random_vector(random, 0.6))};
    grip.motion = {random_vector(random), random_vector(random)};
    const At at{random_vector(random), random_vector(random), random_vector(random), exp_quat(random_vector(random, 0.6))};
    const auto value = [&](const At& p) {
      VecX all(6);
      all << grip_force(grip, p.x, p.v), grip_moment(grip, p.q, p.spin);
      return all;
    };
    const auto moved_by = [](const At& p, const VecX& by) {
      return At{p.x + by.segment<3>(0), p.v + by.segment<3>(3), p.spin + by.segment<3>(9),
                exp_quat(Vec3(by.segment<3>(6))) * p.q};
    };
    const LoadTangent t = grip_tangent(grip, at.q);
    MatX given(6, 12);
    given << t.position, t.velocity, t.turn, t.spin;
    const auto r = compare_with_differences(value, given, at, {}, moved_by);
    EXPECT_TRUE(r.ok) << r.message;
    // The springs alone, in the frame's own axes.
    grip.damping = grip.angular_damping = 0;
    const Vec3 pull = to_eigen(spring_pull(grip.stiffness, to_small(grip.pose.position), to_small(at.x)));
    const Vec3 turn = to_eigen(spring_turn(grip.angular_stiffness, to_small(grip.pose.orientation), to_small(at.q)));
    EXPECT_NEAR((pull - grip_force(grip, at.x, at.v)).norm(), 0, 1e-13);
    EXPECT_NEAR((at.q * turn - grip_moment(grip, at.q, at.spin)).norm(), 0, 1e-13);
  }
}

SENTENCE("model", "a follower load turns with its frame") {
  std::mt19937_64 random(7);
  const Mat3 frame = exp_matrix(random_vector(random));
  const Vec3 value(0.3, -2, 1);
  const auto turned = [](const Mat3& f, const VecX& by) { return Mat3(exp_matrix(Vec3(by)) * f); };
  const auto world = [&](const Mat3& f) { return VecX(in_world(Axes::material, f, value)); };
  const auto r = compare_with_differences(world, MatX(follower_tangent(frame * value)), frame, {}, turned);
  EXPECT_TRUE(r.ok) << r.message;
  EXPECT_EQ(in_world(Axes::world, frame, value), value);
}

SENTENCE("model", "given loads add up to what the scene says, on whole and on partly covered edges") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 10);
  DistributedLoad line, short_one;
  line.rod = short_one.rod = "rod";
  line.from = 0.05, line.to = 0.57, line.force = Vec3(0, 0, -3);
  short_one.from = 0.72, short_one.to = 0.75, short_one.force = Vec3(0, 2, 0);  // within one edge
  scene.loads = {line, short_one, GravityLoad{Vec3(0, 0, -10)}};
  const Now now(scene);
  Vec3 sum = Vec3::Zero();
  for (EdgeIndex e; e.value < 10; ++e) sum += now.model.rest_length[e] * to_eigen(now.loads.on_edge(e).world_force);
  EXPECT_NEAR((sum - Vec3(0, 2 * 0.03, -3 * 0.52 - 10)).norm(), 0, 1e-12);
}

SENTENCE("model", "what loads depend on is known of each rod; only what changes with time is not steady") {
  Scene scene = one_rod(StraightCurve{}, 4);
  scene.rods.push_back(scene.rods[0]);
  scene.rods[1].name = "other";
  EXPECT_TRUE(is_steady(*build_model(scene)));
  ForceLoad follower;
  follower.rod = "other", follower.axes = Axes::material;
  DragLoad drag;
  drag.rod = "rod";
  scene.loads = {follower, drag};
  const Model model = *build_model(scene);
  EXPECT_FALSE(depends_on_frame(model, 0));
  EXPECT_TRUE(depends_on_frame(model, 1));
  EXPECT_TRUE(depends_on_velocity(model, 0));
  EXPECT_FALSE(depends_on_velocity(model, 1));
  EXPECT_TRUE(is_steady(model));
  follower.factor.keys = {{0, 0}, {1, 1}};
  scene.loads = {follower};
  EXPECT_FALSE(is_steady(*build_model(scene)));
}

SENTENCE("model", "bringing loads up to date allocates nothing") {
  Now now(loaded());
  AllocationCount allocations;
  now.loads.update(now.drive);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace tendril
