// Joints, solvers and cables to compare with, what is refused, what is told.
#include "math/rotation.h"
#include "methods/cable/cable.h"
#include "methods/cable/entry.h"
#include "methods/cable/joint_forms.h"
#include "tendril/simulate.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::options_test {
namespace {

using namespace small_rods;

SENTENCE("cable", "rows of joints to compare with are the derivatives of their strains") {
  Random random(7);
  for (const JointForm form : {JointForm::paper, JointForm::paper_aligned, JointForm::cosine_lock}) {
    Joint joint;
    joint.form = form, joint.stiffness = Vec3(1, 1, 1);
    JointPlace at;
    at.x_a = at.x_b = Vec3::Zero();
    at.q_a = exp_quat(random.vector(1)), at.q_b = at.q_a * exp_quat(random.vector(0.4));
    const auto moved = [](const JointPlace& p, const Eigen::VectorXd& d) {
      return JointPlace{p.x_a, p.x_b, exp_quat(Vec3(d.head<3>())) * p.q_a, exp_quat(Vec3(d.tail<3>())) * p.q_b};
    };
    const auto rows_at = [&](const JointPlace& p) {
      JointRows rows;
      double twist = 0;
      place_rows(joint, p, 0, true, rows, twist);
      return rows;
    };
    const auto value = [&](const JointPlace& p) { return Eigen::VectorXd(rows_at(p).strain); };
    Eigen::MatrixXd jacobian(3, 6);
    jacobian << -rows_at(at).turn, rows_at(at).turn;
    const auto r = compare_with_differences(value, jacobian, at, {}, moved);
    EXPECT_TRUE(r.ok) << static_cast<int>(form) << ": " << r.message;
  }
}

SENTENCE("cable", "the paper's joints measure a pure bend and a pure twist as the smooth ones do") {
  Joint smooth, paper;
  paper.form = JointForm::paper;
  const auto strain = [](const Joint& joint, const Vec3& turn) {
    JointRows rows;
    double twist = 0;
    place_rows(joint, {Vec3::Zero(), Vec3::Zero(), Quat::Identity(), exp_quat(turn)}, 0, true, rows, twist);
    return rows.strain;
  };
  EXPECT_NEAR(strain(paper, Vec3(0.3, 0.4, 0))[0], 0.5, 1e-12);
  EXPECT_NEAR(strain(smooth, Vec3(0.3, 0.4, 0)).head<2>().norm(), 0.5, 1e-12);
  EXPECT_NEAR(strain(paper, Vec3(0, 0, -2))[2], -2, 1e-12);
  EXPECT_NEAR(strain(smooth, Vec3(0, 0, -2))[2], -2, 1e-12);
}

// A rope with a load and another rope below it, all in one group.
Scene loaded_rope(int segments) {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, segments);
  scene.rods[0].stretch = Give::elastic;
  add_clamp(scene, 0, {Hold::position});
  scene.bodies.push_back(body_at("load", Vec3(1, 0, 0), 2, Vec3::Constant(0.01)));
  scene.joints.push_back({"hook", JointKind::ball, {"rod", 1}, {"", 0, "load"}, Vec3::UnitZ()});
  scene.loads = {GravityLoad{Vec3(0, 0.3, -10)}};
  return scene;
}

SENTENCE("cable", "solvers that iterate come to the direct one's motion, and tell how far they are from it") {
  for (const bool loop : {false, true}) {
    Scene scene = loaded_rope(8);
    if (loop) {
      Clamp far = scene.clamps[0];
      far.name = "far", far.at = 0.5;
      scene.clamps.push_back(far);
      scene.rods[0].initial_noise = 0.01;
    }
    const auto model = model_of(scene);
    const auto after = [&](SolverKind kind, int iterations, double& residual) {
      Settings settings;
      settings.solver = {kind, iterations, 1e-13};
      Cable method(model, settings);
      residual = 0;
      for (int i = 0; i < 20; ++i) {
        EXPECT_NE(method.step(i * 0.01, 0.01, {}).outcome, Outcome::not_converged);
        residual = std::max(residual, method.solver_residual());
      }
      return method.state().x[7];
    };
    double residual = 0;
    const Vec3 direct = after(SolverKind::direct, 1, residual);
    EXPECT_EQ(residual, 0);
    EXPECT_LT((after(SolverKind::gauss_seidel, 20000, residual) - direct).norm(), 1e-8) << loop;
    EXPECT_LT(residual, 1e-12);
    EXPECT_LT((after(SolverKind::conjugate_directions, 200, residual) - direct).norm(), 1e-8) << loop;
    EXPECT_LT(residual, 1e-12);
    std::ignore = after(SolverKind::gauss_seidel, 1, residual);
    EXPECT_GT(residual, 1e-6);
  }
}

SENTENCE("cable", "a rod that stiffens bends to where its law says, under a couple at its end") {
  Scene scene = one_rod(line, 20);
  add_clamp(scene, 0);
  MomentLoad couple;
  couple.rod = "rod", couple.at = 1, couple.value = Vec3(0, 0, 2);
  scene.loads = {couple};
  scene.rods[0].stiffening_strain = 1;
  const auto model = model_of(scene);
  Cable method(model, {});
  for (int k = 1; k <= 8; ++k) ASSERT_EQ(method.relax(0, k / 8.0, {}).outcome, Outcome::fine);
  const double EI = model->section[EdgeIndex(0)].EI1, curvature = strain_of(model->rods[0].law, 1 / EI, 2).value;
  const Vec3 first = method.state().q[0] * Vec3::UnitZ(), last = method.state().q[19] * Vec3::UnitZ();
  const double angle = curvature * 19.0 / 20;
  EXPECT_NEAR(first.dot(last), std::cos(angle), 1e-8);
  Frame frame;
  method.write(frame);
  EXPECT_NEAR(frame.own_energy.bending, (1 - 0.5 / 20) * energy_of(model->rods[0].law, EI, curvature), 1e-8);
}

SENTENCE("cable", "a step of four substeps is four steps") {
  const auto model = model_of(loaded_rope(6));
  Settings divided;
  divided.substeps = 4;
  Cable one(model, divided), four(model, {});
  for (int i = 0; i < 5; ++i) ASSERT_EQ(one.step(0.02 * i, 0.02, {}).outcome, Outcome::fine);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(four.step(0.005 * i, 0.005, {}).outcome, Outcome::fine);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(one.state().x[i], four.state().x[i]);
}

SENTENCE("cable", "bending stiffness that follows the load holds a tension that the paper's scheme does not") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)}, 10, plain_section(1e-6, 1e-6, 1e-6));
  add_clamp(scene, 0, {Hold::position});
  scene.bodies.push_back(body_at("load", Vec3(0, 0, -1), 100, Vec3::Constant(1)));
  scene.joints.push_back({"hook", JointKind::ball, {"rod", 1}, {"", 0, "load"}, Vec3::UnitZ()});
  scene.rods[0].initial_noise = 1e-4;
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  const auto model = model_of(scene);
  const auto held = [&](double follows) {
    Settings settings;
    settings.averaged = false, settings.geometric = false, settings.bend_by_tension = follows;
    Cable method(model, settings);
    for (int i = 0; i < 300; ++i)
      if (method.step(i / 60.0, 1 / 60.0, {}).outcome != Outcome::fine) return false;
    return true;
  };
  EXPECT_FALSE(held(0));
  EXPECT_TRUE(held(4));
}

SENTENCE("cable", "segments have the inertia of a cylinder or of a box, as the section is") {
  for (const bool round : {true, false}) {
    Scene scene = one_rod(line, 5);
    Material material;
    material.name = "m", material.density = 1000, material.young_modulus = 1e6;
    scene.materials.push_back(material);
    scene.rods[0].material = "m";
    if (round)
      scene.rods[0].section = CircleSection{0.03};
    else
      scene.rods[0].section = RectangleSection{0.04, 0.06};
    const Parts parts = build_parts(*model_of(scene));
    const Element& e = parts.elements[0];
    const double l = 0.2;
    const Vec3 expected = round ? Vec3(l * l / 12 + 0.03 * 0.03 / 4, l * l / 12 + 0.03 * 0.03 / 4, 0.03 * 0.03 / 2)
                                : Vec3(l * l + 0.06 * 0.06, l * l + 0.04 * 0.04, 0.04 * 0.04 + 0.06 * 0.06) / 12;
    EXPECT_LT((e.inertia / e.mass - expected).norm(), 1e-12) << round;
  }
}

std::string complaints(const Scene& scene) { return to_text(check(scene)); }

SENTENCE("cable", "what options and joints cannot do is refused by name") {
  Scene curved = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1, 1}, 6);
  curved.method = "cable";
  add_clamp(curved, 0);
  EXPECT_EQ(complaints(curved), "");
  curved.options["cable"]["joint"] = std::string("paper");
  EXPECT_NE(complaints(curved).find("rod[0].rest: is curved or twisted"), std::string::npos) << complaints(curved);
  Scene flat = one_rod(line, 6, plain_section(1, 2));
  flat.method = "cable", flat.options["cable"]["joint"] = std::string("cosine_lock");
  EXPECT_NE(complaints(flat).find("has two bending stiffnesses"), std::string::npos) << complaints(flat);

  Scene twice = loaded_rope(6);
  twice.method = "cable";
  EXPECT_EQ(complaints(twice), "");
  twice.joints.push_back(twice.joints[0]);
  twice.joints.back().name = "again";
  EXPECT_NE(complaints(twice).find("holds the same point as joint hook"), std::string::npos) << complaints(twice);
  Scene held = loaded_rope(6);
  held.method = "cable";
  held.joints.push_back({"wall", JointKind::ball, {"rod", 0}, {"", 0, "", true}, Vec3::UnitZ()});
  EXPECT_NE(complaints(held).find("that clamp"), std::string::npos) << complaints(held);

  // Material: what has no mass or gives way the wrong way.
  Scene light = loaded_rope(6);
  light.method = "cable";
  std::get<StiffnessSection>(*light.rods[0].section).mass_per_length = 0;
  EXPECT_NE(complaints(light).find("mass_per_length"), std::string::npos) << complaints(light);
  Scene negative = loaded_rope(6);
  negative.method = "cable";
  std::get<StiffnessSection>(*negative.rods[0].section).EA = -1;
  EXPECT_NE(complaints(negative).find("EA"), std::string::npos) << complaints(negative);
}

SENTENCE("cable",
         "a rope that comes apart is told with joint, tension and what would hold it; check tells the tension before") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)}, 10, plain_section(1e-6, 1e-6, 1e-6));
  scene.method = "cable";
  scene.time.duration = 5, scene.time.step = 1.0 / 60;
  add_clamp(scene, 0, {Hold::position});
  scene.bodies.push_back(body_at("load", Vec3(0, 0, -1), 1e6, Vec3::Constant(1e4)));
  scene.joints.push_back({"hook", JointKind::ball, {"rod", 1}, {"", 0, "load"}, Vec3::UnitZ()});
  scene.rods[0].initial_noise = 1e-3;
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  scene.options["cable"]["geometric"] = false;
  const Checked<Derived> derived = derive(scene);
  ASSERT_TRUE(derived) << to_text(derived.problems());
  for (const MethodDerived& method : derived->methods) {
    if (method.method == "cable") {
      EXPECT_NE(method.step.reason.find("geometric = false holds tensions up to"), std::string::npos) << method.step.reason;
    }
  }
  Simulation simulation = std::move(*Simulation::open(scene));
  const RunReport report = simulate(simulation, {});
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_NE(report.message.find("joint at node"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("tension"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("geometric = true holds it"), std::string::npos) << report.message;
}

SENTENCE("cable",
         "a scene's rod as a cable of particles swings as one of segments, and what particles cannot do is refused") {
  Scene scene = loaded_rope(10);
  scene.method = "cable";
  scene.time.duration = 0.5, scene.time.step = 1e-3;
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  scene.bodies[0].mass = 50.0;
  std::get<StiffnessSection>(*scene.rods[0].section).EA =
      1e8;  // (b) and (c) stretch half as much: the whole cable helps the links
  const auto end = [](const Scene& s) {
    Simulation simulation = std::move(*Simulation::open(s));
    const RunReport report = simulate(simulation, {});
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    return simulation.frame().bodies[0].pose.position;
  };
  const Vec3 segments = end(scene);
  for (const char* model : {"particles_a", "particles_b", "particles_c", "particles_d", "particles_e"}) {
    scene.options["cable"]["model"] = std::string(model);
    EXPECT_LT((end(scene) - segments).norm(), 0.02) << model;
  }
  Scene clamped = scene;
  clamped.clamps[0].hold = {Hold::position, Hold::direction};
  EXPECT_NE(complaints(clamped).find("clamp: holds other than the position"), std::string::npos) << complaints(clamped);
  Scene windy = scene;
  windy.loads.push_back(WindLoad{});
  EXPECT_NE(complaints(windy).find("knows gravity alone"), std::string::npos) << complaints(windy);
  Scene still = scene;
  still.time.mode = Mode::statics;
  Simulation simulation = std::move(*Simulation::open(still));
  EXPECT_NE(simulate(simulation, {}).message.find("particle cables have motion only"), std::string::npos);
}

}  // namespace
}  // namespace tendril::cable::options_test
