#include "methods/cable/cable.h"

#include "math/rotation.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::cable_test {
namespace {

using namespace small_rods;

Settings paper() {
  Settings s;
  s.averaged = false, s.geometric = false;
  return s;
}

SENTENCE("cable", "rows of a joint are the derivatives of its gap and its strains") {
  Random random(5);
  Joint joint;
  joint.point_a = Vec3(0, 0, 0.5), joint.point_b = Vec3(0, 0, -0.4);
  joint.frame_a = exp_quat(random.vector(0.3)), joint.frame_b = exp_quat(random.vector(0.3));
  JointPlace at;
  at.q_a = exp_quat(random.vector(1)), at.q_b = at.q_a * exp_quat(random.vector(0.4));
  at.x_a = random.vector(1);
  at.x_b = at.x_a + at.q_a * joint.point_a - at.q_b * joint.point_b;  // closed: levers to the common point are exact
  const auto moved = [](const JointPlace& p, const Eigen::VectorXd& d) {
    return JointPlace{p.x_a + d.segment<3>(0), p.x_b + d.segment<3>(6), exp_quat(Vec3(d.segment<3>(3))) * p.q_a,
                      exp_quat(Vec3(d.segment<3>(9))) * p.q_b};
  };
  const auto value = [&](const JointPlace& p) {
    JointRows rows;
    double twist = 0;
    place_rows(joint, p, 0, true, rows, twist);
    Eigen::VectorXd v(6);
    v << rows.gap, rows.strain;
    return v;
  };
  JointRows rows;
  double twist = 0;
  place_rows(joint, at, 0, true, rows, twist);
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(6, 12);
  jacobian.block<3, 3>(0, 0) = -Mat3::Identity(), jacobian.block<3, 3>(0, 6) = Mat3::Identity();
  jacobian.block<3, 3>(0, 3) = skew(rows.lever_a), jacobian.block<3, 3>(0, 9) = -skew(rows.lever_b);
  jacobian.block<3, 3>(3, 3) = -rows.turn, jacobian.block<3, 3>(3, 9) = rows.turn;
  const auto r = compare_with_differences(value, jacobian, at, {}, moved);
  EXPECT_TRUE(r.ok) << r.message;
}

SENTENCE("cable", "the chain's solver and the general one find the same multipliers") {
  Scene scene = one_rod(line, 9);
  add_clamp(scene, 0);
  scene.loads = {GravityLoad{Vec3(0.3, -1, -9.81)}};
  scene.rods[0].stretch = Give::elastic;
  const auto model = model_of(scene);
  const Parts chain = build_parts(*model);
  ASSERT_EQ(chain.groups.size(), 1u);
  EXPECT_TRUE(chain.groups[0].path);
  Parts general = chain;
  general.groups[0].path = false;
  Random random(8);
  std::vector<Response> elements(chain.elements.size());
  for (Response& e : elements) {
    const Mat3 a = Mat3::Identity() + 0.3 * skew(random.vector(1));
    e.linear = (1.5 + 0.1 * random.normal()) * Mat3::Identity(), e.angular = 50 * a * a.transpose();
    e.y = random.vector(1), e.y_spin = random.vector(1), e.spin = random.vector(1);
  }
  const StepSizes step{0.01, 0.009, 0.008, true, 0.001};
  std::vector<JointRows> rows(chain.joints.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    double twist = 0;
    place_rows(chain.joints[j], {random.vector(1), random.vector(1), exp_quat(random.vector(1)), exp_quat(random.vector(1))},
               0, true, rows[j], twist);
    weigh_rows(chain.joints[j], j != 3, j != 5, 0.1, 1e-3, step, rows[j]);
  }
  std::vector<Response> by_chain = elements, by_general = elements;
  GroupSolver first(chain, chain.groups[0]), second(general, general.groups[0]);
  ASSERT_TRUE(first.solve(rows, by_chain, step));
  ASSERT_TRUE(second.solve(rows, by_general, step));
  for (const int e : chain.groups[0].elements) {
    EXPECT_LT((by_chain[z(e)].v - by_general[z(e)].v).norm(), 1e-9 * by_chain[z(e)].v.norm());
    EXPECT_LT((by_chain[z(e)].spin - by_general[z(e)].spin).norm(), 1e-9 * by_chain[z(e)].spin.norm());
  }
  // Each row holds: J v' + (lambda + k phi - memory)/D = 0.
  for (std::size_t i = 0; i < chain.groups[0].joints.size(); ++i) {
    const std::size_t j = z(chain.groups[0].joints[i]);
    const Joint& joint = chain.joints[j];
    if (!rows[j].point_on) continue;
    const Response &a = by_chain[z(joint.a)], &b = by_chain[z(joint.b)];
    Vec3 rate = Vec3::Zero();
    if (!chain.elements[z(joint.b)].led) rate += b.v + b.spin.cross(rows[j].lever_b);
    if (!chain.elements[z(joint.a)].led) rate -= a.v + a.spin.cross(rows[j].lever_a);
    const Eigen::Map<const Vec3> lambda(first.multiplier(i));
    EXPECT_LT((rate + step.h * (rows[j].give * lambda + rows[j].pull * rows[j].gap)).norm(), 1e-9);
  }
}

SENTENCE("cable", "a hanging rod that stretches is longer by w L^2 / 2 EA, with any number of segments") {
  for (const int n : {3, 8, 24}) {
    Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)}, n);
    scene.rods[0].stretch = Give::elastic;
    add_clamp(scene, 0);
    scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
    Cable method(model_of(scene), {});
    ASSERT_EQ(method.relax(0, 1, {}).outcome, Outcome::fine);
    Frame frame;
    method.write(frame);
    EXPECT_NEAR(-frame.position[NodeIndex(n)].z() - 1, 10.0 / (2 * 1e4), 1e-9) << n;
    EXPECT_NEAR(frame.reactions[0].force.z(), 10, 1e-7);
  }
}

SENTENCE("cable", "a clamp that turns a straight rod feels GJ angle / L, any number of turns") {
  Scene scene = one_rod(line, 12, plain_section(100, 100, 0.8));
  add_clamp(scene, 0);
  add_clamp(scene, 1).turn.keys = {{0, 0}, {1, 8}};
  scene.rods[0].stretch = Give::elastic;
  Cable method(model_of(scene), {});
  for (int k = 1; k <= 128; ++k)
    ASSERT_EQ(method.relax(1, k / 128.0, {}).outcome, Outcome::fine)
        << k;  // a sixteenth of a turn each; stiff enough not to buckle
  Frame frame;
  method.write(frame);
  EXPECT_NEAR(frame.reactions[1].moment.x(), 0.8 * 8 * math::two_pi, 1e-7);
}

SENTENCE("cable", "a load of 1e9 segments hangs at rest on a limp rope at 60 steps a second") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)}, 24, plain_section(1e-9, 1e-9, 1e-9));
  add_clamp(scene, 0, {Hold::position});
  const double load = 1e9 / 24;
  scene.bodies.push_back(body_at("load", Vec3(0, 0, -1), load, Vec3::Constant(load)));
  scene.joints.push_back({"hook", JointKind::ball, {"rod", 1}, {"", 0, "load"}, Vec3::UnitZ()});
  scene.rods[0].initial_noise = 1e-6;
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  Settings settings;
  settings.averaged = true, settings.extra_damping = 0.1;
  Cable method(model_of(scene), settings);
  StepReport report;
  for (int i = 0; i < 600; ++i) {
    report = method.step(i / 60.0, 1 / 60.0, {});
    ASSERT_EQ(report.outcome, Outcome::fine) << i;
  }
  Frame frame;
  method.write(frame);
  EXPECT_NEAR(frame.reactions[0].force.z(), 10 * (load + 1), 1e-3 * load);
  EXPECT_LT((frame.bodies[0].pose.position - Vec3(0, 0, -1)).norm(), 1e-3);
}

SENTENCE("cable", "a thrown rod keeps momentum and angular momentum") {
  Scene scene = one_rod(line, 7);
  for (int k = 0; k <= 7; ++k) scene.rods[0].velocities.push_back(Vec3(0.3, 2.0 * k / 7 - 1, 0.1 * k * k));
  Cable method(model_of(scene), paper());
  const double h = 1.0 / 240;
  const auto angular = [&] {
    Vec3 sum = Vec3::Zero();
    const State& s = method.state();
    for (std::size_t i = 0; i < 7; ++i)
      sum += method.parts().elements[i].mass * (s.x[i] - h * s.v[i]).cross(s.v[i]) + s.momentum[i];
    return sum;
  };
  std::ignore = method.step(0, h, {});
  const Vec3 start = angular();
  for (int i = 1; i < 2000; ++i) ASSERT_EQ(method.step(i * h, h, {}).outcome, Outcome::fine);
  EXPECT_LT((angular() - start).norm(), 1e-12 * 2000 * start.norm());
}

}  // namespace
}  // namespace tendril::cable::cable_test
