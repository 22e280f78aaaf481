#include <cmath>

#include "math/rotation.h"
#include "methods/compact/compact_testing.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

const Curve bow = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 1), 0.5, 1.1};

void add_spring(Scene& scene, double at, double angular) {
  Coupling c;
  c.name = "spring", c.rod = "rod", c.at = at, c.stiffness = 7, c.damping = 0.3, c.position = Vec3(0.2, 0.4, -0.1);
  c.angular_stiffness = angular, c.angular_damping = 0.2 * angular;
  c.turn.keys = {{0, 0.1}, {1, 0.3}};
  scene.couplings.push_back(c);
}
// All that has a potential, on a curved rod of unequal stiffness.
Scene potential_scene(int segments) {
  Scene scene = one_rod(bow, segments, plain_section(1, 2, 0.7));
  scene.rods[0].damping = {0.5, 0.02};
  scene.loads.push_back(GravityLoad{});
  ForceLoad push;
  push.rod = "rod", push.at = 0.6, push.value = Vec3(0.3, -2, 1);
  scene.loads.push_back(push);
  add_spring(scene, 0.3, 0.4);
  add_spring(scene, 1.0, 0);
  return scene;
}
// And all that has none.
Scene general_scene(int segments) {
  Scene scene = potential_scene(segments);
  MomentLoad wring;
  wring.rod = "rod", wring.at = 0.7, wring.value = Vec3(0.4, 0.5, 0.6);
  scene.loads.push_back(wring);
  ForceLoad follower;
  follower.rod = "rod", follower.at = 1, follower.value = Vec3(1, 0.4, -0.6), follower.axes = Axes::material;
  scene.loads.push_back(follower);
  DistributedLoad line_load;
  line_load.rod = "rod", line_load.from = 0.2, line_load.moment = Vec3(0.3, 0.1, 0.4), line_load.force = Vec3(0, 1, 0);
  line_load.axes = Axes::material;
  scene.loads.push_back(line_load);
  DragLoad drag;
  drag.normal = 0.8, drag.tangential = 0.3;
  WindLoad wind;
  wind.velocity = Vec3(0.5, 2, 0.5), wind.gust = 0.3, wind.density = 20;
  scene.loads.insert(scene.loads.end(), {drag, wind});
  return scene;
}

// Everything away from where the present place is.
Eigen::VectorXd gradient_there(Problem& p, const Eigen::VectorXd& move) {
  p.set_direction({move.data(), z(static_cast<int>(move.size()))});
  p.move(1);
  std::ignore = p.evaluate();
  Eigen::VectorXd g = Eigen::Map<const Eigen::VectorXd>(p.gradient().data(), p.size());
  // Gradients are in turns from where the links are; of a link that has turned by t, d(turn) = (1 + [t]/2)/(1 + t^2/4) dt.
  for (int i = 3; i < g.size(); i += 3) {
    const Vec3 t = move.segment<3>(i);
    g.segment<3>(i) = (Mat3::Identity() + 0.5 * skew(t)).transpose() * g.segment<3>(i) / (1 + 0.25 * t.squaredNorm());
  }
  return g;
}
Eigen::MatrixXd matrix_of(Problem& p) {
  Eigen::MatrixXd m(p.size(), p.size());
  for (int j = 0; j < p.size(); ++j) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(p.size(), j);
    Eigen::VectorXd column(p.size());
    p.multiply({unit.data(), z(p.size())}, {column.data(), z(p.size())});
    m.col(j) = column;
  }
  return m;
}
const auto stages = {Stage{}, euler_stage(0.05), bdf2_stage(0.05, 0.04), trapezoid_stage(0.03)};

void check_derivatives(Scene scene, bool energy_too) {
  Random random(81);
  for (const StrainKind kind : {StrainKind::angle, StrainKind::sine}) {
    for (const Stage& stage : stages) {
      Instant at(scene, kind);
      at.disturb(random, 0.1);
      Problem& p = at.problem;
      p.begin(at.state, at.drive, at.loads, stage);
      Eigen::VectorXd none = Eigen::VectorXd::Zero(p.size());
      const Eigen::VectorXd g = gradient_there(p, none);
      Eigen::MatrixXd m = matrix_of(p);
      const bool held = at.state.root_held;
      const auto free = [&](const Eigen::VectorXd& x) { return held ? Eigen::VectorXd(x.tail(p.size() - 3)) : x; };
      const auto whole = [&](const Eigen::VectorXd& x) {
        Eigen::VectorXd y = Eigen::VectorXd::Zero(p.size());
        y.tail(x.size()) = x;
        return y;
      };
      if (energy_too) {
        const auto energy = [&](const Eigen::VectorXd& x) {
          const Eigen::VectorXd y = whole(x);
          p.set_direction({y.data(), z(p.size())});
          p.move(1);
          return p.evaluate().energy;
        };
        const auto first = compare_with_differences(energy, free(g), free(none));
        EXPECT_TRUE(first.ok) << int(kind) << " " << stage.c << ": " << first.message;
      }
      const auto slope = [&](const Eigen::VectorXd& x) { return free(gradient_there(p, whole(x))); };
      const Eigen::Index n = free(none).size();
      const auto second = compare_with_differences(slope, Eigen::MatrixXd(m.bottomRightCorner(n, n)), free(none));
      EXPECT_TRUE(second.ok) << int(kind) << " " << stage.c << ": " << second.message;
    }
  }
}

SENTENCE("compact", "gradient and matrix of a rod with all that has a potential are those of finite differences") {
  Scene scene = potential_scene(7);
  check_derivatives(scene, true);
  add_clamp(scene, 0);
  check_derivatives(scene, true);
  scene.clamps[0].at = 1;  // rooted at its end
  check_derivatives(scene, true);
  scene.clamps[0].hold = {Hold::position, Hold::direction};
  check_derivatives(scene, true);
  scene.clamps.push_back(scene.clamps[0]);  // a wall inside
  scene.clamps[1].hold = {Hold::direction, Hold::twist}, scene.clamps[1].at = 3.0 / 7;
  check_derivatives(scene, true);
}

SENTENCE("compact", "the tangent of loads without a potential is that of finite differences, air and followers included") {
  Scene scene = general_scene(6);
  check_derivatives(scene, false);
  add_clamp(scene, 0);
  check_derivatives(scene, false);
  scene.clamps[0].at = 1;
  check_derivatives(scene, false);
}

SENTENCE("compact", "energy and residual of a rod do not change when the world turns, gradients turn with it") {
  Random random(82);
  Scene scene = one_rod(bow, 9, plain_section(1, 2, 0.7));
  Instant a(scene), b(scene);
  a.disturb(random, 0.2);
  const Quat turn = random.rotation();
  const Vec3 shift = random.vector(3);
  b.state = a.state;
  b.state.root = turn * a.state.root + shift;
  for (Quat& q : b.state.q) q = turn * q;
  for (std::size_t i = 0; i < b.state.points.y.size(); ++i) {
    const bool node = i < z(b.chain.nodes());
    Levels& p = b.state.points;
    for (auto* list : {&p.y, &p.y_before}) (*list)[i] = turn * (*list)[i] + (node ? shift : Vec3(Vec3::Zero()));
    for (auto* list : {&p.v, &p.v_before}) (*list)[i] = turn * (*list)[i];
  }
  for (const Stage& stage : {Stage{}, euler_stage(0.02)}) {
    a.problem.begin(a.state, a.drive, a.loads, stage), b.problem.begin(b.state, b.drive, b.loads, stage);
    const NewtonPoint pa = a.problem.evaluate(), pb = b.problem.evaluate();
    EXPECT_NEAR(pa.energy, pb.energy, 1e-12 * pa.energy);
    EXPECT_NEAR(pa.residual, pb.residual, 1e-10 * pa.residual);
    for (int i = 0; i < a.problem.size(); i += 3) {
      const Vec3 ga(a.problem.gradient().data() + i), gb(b.problem.gradient().data() + i);
      EXPECT_LT((turn * ga - gb).norm(), 1e-10 * (1 + ga.norm()));
    }
  }
}

}  // namespace
}  // namespace tendril::compact
