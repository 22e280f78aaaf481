// What the paper's formulation keeps of the energy, and what it gains.
#include "methods/galpha/paper/paper_testing.h"

namespace tendril::galpha::paper {
namespace {

// Two turns, 0.3 m long, 5 Hz.
Scene coil(int segments, double pitch = 0.09) {
  const double pi = 3.14159265358979323846, length = 0.3;
  const double radius = std::sqrt(0.25 * length * length - pitch * pitch) / (2 * pi);
  const double EI = std::pow(2 * pi * 5 / 13.77, 2) * std::pow(length, 4);
  StiffnessSection section = plain_section(EI, EI, 0.8 * EI);
  section.radius = 0.01 * length;
  Scene scene = one_rod(HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), radius, pitch, 2}, segments, section);
  scene.rods[0].follows = SectionFollows::curve;
  add_clamp(scene, 0);
  return scene;
}
// Largest rise of energy less work above its lowest value so far, and the largest drop of the weight's energy.
struct Rise {
  double rise = 0, drop = 0;
  bool fine = true;
};
Rise rise_of(const Scene& scene, const Settings& settings, double dt, int steps) {
  Paper method(model_of(scene), settings);
  const Frame start = frame_of(method);
  Rise result;
  double lowest = 0;
  for (int k = 0; k < steps && result.fine; ++k) {
    result.fine = method.step(k * dt, dt, {}).outcome == Outcome::fine;
    if (!result.fine) break;
    const Frame frame = frame_of(method);
    const double error = energy_error(start, frame);
    lowest = std::min(lowest, error);
    result.rise = std::max(result.rise, error - lowest);
    result.drop = std::max(result.drop, start.own_energy.gravity - frame.own_energy.gravity);
  }
  return result;
}

SENTENCE("galpha",
         "paper: means of products gain energy on a coil of six segments at small steps, many times what there is") {
  Scene scene = coil(6);
  scene.loads.push_back(gravity(Vec3(0, 0, -9.81)));
  const Rise printed = rise_of(scene, of(Triple::of_radius(0.3), Space::means_of_products), 1e-4, 1000);
  EXPECT_GT(printed.rise, 1 * printed.drop);
  const Rise means = rise_of(scene, of(Triple::of_radius(0.3)), 1e-4, 1000);
  EXPECT_TRUE(means.fine);
  EXPECT_LT(means.rise, 0.02 * means.drop);
}

// Frames come from curvatures, spins from the balance; they agree to second order, and so does what the weight does.
SENTENCE("galpha", "paper: what weight does to a coil closes the energy balance to second order of its segments") {
  double rise[3] = {};
  for (int k = 0; k < 3; ++k) {
    Scene scene = coil(12 << k);
    scene.loads.push_back(gravity(Vec3(0, 0, -9.81)));
    const Rise r = rise_of(scene, of(Triple::of_radius(0.6)), 5e-4, 400);
    EXPECT_TRUE(r.fine);
    rise[k] = r.rise / r.drop;
  }
  EXPECT_LT(rise[0], 0.05);
  EXPECT_NEAR(order(rise[0], rise[1]), 2, 0.15);
  EXPECT_NEAR(order(rise[1], rise[2]), 2, 0.15);
}

// What a rod has gained, over what it had when it was released from an equilibrium under a force that is gone. Nothing acts; steps resolve all
// modes of its four thick segments.
double gained_alone(Space space, double dt) {
  StiffnessSection section = plain_section(1, 2, 0.7);
  section.radius = 0.2;
  Scene scene = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1, 1}, 4, section);
  add_clamp(scene, 0);
  ForceLoad load = tip_force(Vec3(0.5, 2, 1));
  load.factor.shape = TimetableShape::hold, load.factor.keys = {{0, 1}, {1, 0}, {9, 0}};
  scene.loads.push_back(load);
  Paper method(model_of(scene), of(Triple::of_radius(0.9), space));
  EXPECT_EQ(method.relax(0, 1, {}).outcome, Outcome::fine);
  const double start = frame_of(method).own_energy.total();
  for (int k = 0; k < int(2 / dt + 0.5); ++k) EXPECT_EQ(method.step(1 + k * dt, dt, {}).outcome, Outcome::fine);
  EXPECT_EQ(frame_of(method).flow.loads, 0);
  return frame_of(method).own_energy.total() / start - 1;
}
SENTENCE(
    "galpha",
    "paper: without loads products of means keep the energy, to second order of the step; means of products gain at any") {
  const double coarse = gained_alone(Space::products_of_means, 2e-3), fine = gained_alone(Space::products_of_means, 1e-3);
  EXPECT_LT(std::abs(coarse), 1e-5);
  EXPECT_NEAR(order(std::abs(coarse), std::abs(fine)), 2, 0.2);
  EXPECT_GT(gained_alone(Space::means_of_products, 2e-3), 5e-3);
  EXPECT_GT(gained_alone(Space::means_of_products, 1e-3), 5e-3);
}

SENTENCE("galpha",
         "paper: a beam that swings under its weight closes its energy balance below 1 %, damping and loads counted") {
  Scene scene = cantilever(20, gravity(Vec3(0, 0, -9.81)));
  scene.rods[0].damping.mass = 0.5;
  ForceLoad push = tip_force(Vec3(0, 1, 0));
  push.factor.shape = TimetableShape::smooth, push.factor.keys = {{0, 0}, {1, 1}};
  DistributedLoad along;
  along.rod = "rod", along.force = Vec3(0, 2, -1), along.from = 0.25, along.to = 0.75;
  scene.loads.push_back(push), scene.loads.push_back(along);
  Paper method(model_of(scene), of(Triple::of_radius(0.6)));
  const Frame start = frame_of(method);
  run(method, 1e-3, 2000);
  const Frame frame = frame_of(method);
  const double drop = start.own_energy.gravity - frame.own_energy.gravity;
  EXPECT_GT(frame.flow.damping, 0.05);
  EXPECT_GT(frame.flow.loads, 0.1);
  EXPECT_LT(std::abs(energy_error(start, frame)), 0.01 * std::abs(drop));
}

}  // namespace
}  // namespace tendril::galpha::paper
