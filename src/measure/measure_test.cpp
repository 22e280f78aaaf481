#include "measure/measure.h"
#include "model/drive.h"

#include <numbers>

#include "math/rotation.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

constexpr double pi = std::numbers::pi;

Scene scene_with(Curve rest, int segments) {
  Scene scene;
  Rod rod;
  rod.name = "rod";
  rod.section = StiffnessSection{100.0, 2, 3, 0.8, 0.5, 0.01};
  rod.rest = std::move(rest);
  rod.segments = segments;
  scene.rods.push_back(rod);
  return scene;
}
std::shared_ptr<const Model> model_of(const Scene& scene) {
  Checked<Model> model = build_model(scene);
  return std::make_shared<const Model>(std::move(*model));
}
Measures measured(const Scene& scene) {
  const auto model = model_of(scene);
  Frame frame = model->initial;
  frame.reactions.assign(model->clamps.size(), Wrench{Vec3(1, 2, 3), Vec3(4, 5, 6)});
  return measure(model, frame);
}

SENTENCE("measure", "the rest shape has no elastic energy, straight or curved, twisted or not") {
  for (const Curve& curve : {Curve(StraightCurve{}), Curve(ArcCurve{}), Curve(HelixCurve{}), Curve(CircleCurve{})}) {
    Scene scene = scene_with(curve, 30);
    if (!std::holds_alternative<CircleCurve>(curve)) scene.rods[0].natural_twist = 2;
    const Measures m = measured(scene);
    EXPECT_NEAR(m.energy.bending, 0, 1e-20);
    EXPECT_NEAR(m.energy.twisting, 0, 1e-20);
    EXPECT_LT(m.length_error, 1e-12);
  }
}

SENTENCE("measure", "a straight rod rolled into a circle stores EI kappa squared L / 2") {
  Scene scene = scene_with(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 200);
  const double radius = 1 / (2 * pi) / 0.9;
  scene.rods[0].initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), radius, 1 / radius};
  scene.rods[0].d1 = Vec3::UnitZ();
  scene.rods[0].initial_d1 = Vec3::UnitZ();  // bends about d1
  const Measures m = measured(scene);
  const double inner_share = 199.0 / 200;  // a free end carries no moment: its half edge is straight
  EXPECT_NEAR(m.energy.bending, 0.5 * 2 / (radius * radius) * inner_share, 4e-3);
}

SENTENCE("measure", "two turns of twist store GJ times the angle squared over 2 L") {
  Scene scene = scene_with(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 100);
  scene.rods[0].initial_twist = 2;
  const Measures m = measured(scene);
  const double angle = 4 * pi;
  EXPECT_NEAR(m.energy.twisting, 0.5 * 0.8 * angle * angle, 0.02 * 0.5 * 0.8 * angle * angle);
  EXPECT_NEAR(m.energy.bending, 0, 1e-20);
}

SENTENCE("measure", "a bend keeps its size under any twist of the joint") {
  for (const double twist : {0.0, 1.0, 3.0, 6.0, -4.0}) {
    const Quat half = exp_quat(Vec3(0, 0, 0.5 * twist));
    const Quat b = half * exp_quat(Vec3(0.3, -0.2, 0)) * half;
    const JointStrain s = joint_strain(Quat::Identity(), b, twist);
    EXPECT_NEAR(s.bend1, 0.3, 1e-12) << twist;
    EXPECT_NEAR(s.bend2, -0.2, 1e-12) << twist;
  }
}

SENTENCE("measure", "kinetic energy and momenta of a spinning stick are those of its mass points") {
  Scene scene = scene_with(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)}, 100);
  scene.rods[0].velocity = Vec3(1, 2, 0);
  scene.rods[0].angular_velocity = Vec3(0, 0, 3);
  const Measures m = measured(scene);
  const double mass = 0.5, inertia = mass / 12;
  EXPECT_NEAR(m.energy.kinetic, 0.5 * mass * 5 + 0.5 * inertia * 9, 1e-4);
  EXPECT_NEAR((m.momentum - mass * Vec3(1, 2, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR(m.angular_momentum.z(), inertia * 3, 1e-4);
}

SENTENCE("measure", "probes take positions between nodes, directions between edges, reactions of clamps, link of rings") {
  Scene scene = scene_with(StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, 10);
  Clamp clamp;
  clamp.name = "wall", clamp.rod = "rod";
  scene.clamps.push_back(clamp);
  scene.rods[0].initial_twist = 1;
  scene.probes = {{"p", "rod", 0.33, "", Quantity::position},
                  {"d", "rod", 1, "", Quantity::direction},
                  {"r", "", 0, "wall", Quantity::reaction_moment},
                  {"l", "rod", 0, "", Quantity::length},
                  {"t", "rod", 1, "", Quantity::twist},
                  {"total", "rod", 0, "", Quantity::total_twist},
                  {"rate", "rod", 0.5, "", Quantity::twist_rate},
                  {"q", "rod", 0.5, "", Quantity::orientation},
                  {"k", "rod", 0.5, "", Quantity::curvature},
                  {"w", "rod", 0.5, "", Quantity::writhe}};
  const Measures m = measured(scene);
  ASSERT_EQ(m.probes.size(), scene.probes.size());
  const auto value = [&m](const std::string& name) {
    for (const ProbeValue& p : m.probes)
      if (p.name == name) return p.value;
    return std::vector<double>{};
  };
  EXPECT_NEAR(value("p")[0], 0.66, 1e-12);
  EXPECT_NEAR(value("d")[0], 1, 1e-12);
  EXPECT_EQ(value("r"), (std::vector<double>{4, 5, 6}));
  EXPECT_NEAR(value("l")[0], 2, 1e-12);
  EXPECT_NEAR(value("t")[0], 2 * pi, 1e-9);       // from end to end
  EXPECT_NEAR(value("total")[0], 1 - 0.1, 1e-9);  // of its joints
  EXPECT_GT(value("rate")[0], 0);
  EXPECT_EQ(value("q").size(), 4u);
  EXPECT_NEAR(value("k")[0], 0, 1e-12);
  EXPECT_NEAR(value("w")[0], 0, 1e-12);
  for (std::size_t i = 0; i < scene.probes.size(); ++i)
    EXPECT_EQ(probe_columns(scene.probes[i].quantity).size(), m.probes[i].value.size());
}

SENTENCE("measure", "the link of a twisted ring is a whole number of turns") {
  Scene scene = scene_with(CircleCurve{}, 60);
  scene.rods[0].initial_twist = 3;
  scene.probes = {{"link", "rod", 0, "", Quantity::link}, {"p", "rod", 0.995, "", Quantity::position}};
  const Measures m = measured(scene);
  EXPECT_NEAR(m.probes[0].value[0], 3, 1e-9);
  EXPECT_GT(m.probes[1].value[0], 0.9);  // between the last node and the first
}

SENTENCE("measure", "a ring joined after any number of turns has so much twist and link") {
  for (const double turns : {0.3, -0.3, 0.5, 1.73, 3.0}) {
    Scene scene = scene_with(CircleCurve{}, 60);
    scene.rods[0].initial_twist = turns;
    scene.probes = {{"twist", "rod", 0, "", Quantity::total_twist}, {"link", "rod", 0, "", Quantity::link}};
    const Measures m = measured(scene);
    EXPECT_NEAR(m.probes[0].value[0], turns, 1e-9);
    EXPECT_NEAR(m.probes[1].value[0], turns, 1e-9);
  }
}

SENTENCE("measure", "probes between nodes and at the ends of a curved, twisted rod are of second order") {
  // A helix: everything is smooth along it. 0.37 and 0.81 lie between nodes and between middles of edges.
  for (const Quantity quantity : {Quantity::position, Quantity::direction, Quantity::orientation, Quantity::curvature,
                                  Quantity::twist_rate, Quantity::twist}) {
    for (const double at : {0.0, 0.37, 0.81, 1.0}) {
      std::vector<double> value[3];
      for (const int k : {0, 1, 2}) {
        Scene scene = scene_with(HelixCurve{}, 50 << k);
        scene.rods[0].follows = SectionFollows::curve;
        scene.probes = {{"p", "rod", at, "", quantity}};
        value[k] = measured(scene).probes[0].value;
      }
      double coarse = 0, fine = 0;
      for (std::size_t i = 0; i < value[0].size(); ++i) {
        coarse = std::max(coarse, std::abs(value[1][i] - value[0][i]));
        fine = std::max(fine, std::abs(value[2][i] - value[1][i]));
      }
      EXPECT_LT(fine, 0.35 * coarse + 1e-9) << static_cast<int>(quantity) << " at " << at << ": " << coarse << ' ' << fine;
    }
  }
}

SENTENCE("measure", "the moment at a clamped end stores the energy of its half edge") {
  const auto model = model_of(scene_with(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 10));
  Frame frame = model->initial;
  const Vec3 d1 = frame.orientation[EdgeIndex(0)] * Vec3::UnitX();
  frame.moment[NodeIndex(0)] = 0.4 * d1;
  EXPECT_NEAR(measure(model, frame).energy.bending, 0.5 * 0.4 * 0.4 / 2 * 0.05, 1e-14);
}

SENTENCE("measure", "a coupling's probe is its spring and damper at the frame, and zero while it does not pull") {
  Scene scene = scene_with(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 10);
  Coupling coupling;
  coupling.name = "hand", coupling.rod = "rod", coupling.at = 0.5, coupling.stiffness = 4, coupling.damping = 0.5;
  coupling.angular_stiffness = 2, coupling.angular_damping = 0.25;
  scene.couplings.push_back(coupling);
  Probe force, moment;
  force.name = "force", force.coupling = "hand", force.quantity = Quantity::reaction_force;
  moment.name = "moment", moment.coupling = "hand", moment.quantity = Quantity::reaction_moment;
  scene.probes = {force, moment};
  const auto model = model_of(scene);
  Frame frame = model->initial;
  for (Vec3& p : frame.position) p += Vec3(0, 0.1, 0);
  for (Vec3& v : frame.velocity) v = Vec3(0, 0, 1);
  for (Vec3& w : frame.spin) w = Vec3(0, 2, 0);
  Drive drive;
  evaluate(*model, Live{}, 0, 1, drive);
  write_drive(*model, drive, frame);
  Measures m;
  Meter meter(model);
  meter.measure(frame, m);
  const auto near = [](const std::vector<double>& v, const Vec3& e) { return (Vec3(v[0], v[1], v[2]) - e).norm() < 1e-9; };
  EXPECT_TRUE(near(m.probes[0].value, Vec3(0, -0.4, -0.5)));
  EXPECT_TRUE(near(m.probes[1].value, Vec3(0, -0.5, 0)));
  frame.pulls.clear();
  meter.measure(frame, m);
  EXPECT_TRUE(near(m.probes[0].value, Vec3::Zero()));
}

}  // namespace
}  // namespace tendril
