#include "methods/compact/compact.h"

#include <cmath>

#include "methods/compact/compact_testing.h"
#include "testing/allocation_count.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

constexpr double pi = 3.14159265358979323846;

Frame frame_of(const Method& method) {
  Frame frame;
  method.write(frame);
  return frame;
}
Frame relaxed(const Scene& scene, const Settings& settings = {}, int increments = 4) {
  Compact method(model_of(scene), settings);
  for (int k = 1; k <= increments; ++k) {
    const StepReport report = method.relax(0, double(k) / increments, {});
    EXPECT_EQ(report.outcome, Outcome::fine) << k << ": " << report.residual;
  }
  return frame_of(method);
}
// `count` steps; the reports must be fine.
int run(Compact& method, double h, int count, int first = 0) {
  int iterations = 0;
  for (int k = 0; k < count; ++k) {
    const StepReport report = method.step((first + k) * h, h, {});
    EXPECT_EQ(report.outcome, Outcome::fine) << first + k << ": " << report.residual;
    if (report.outcome != Outcome::fine) break;
    iterations += report.iterations;
  }
  return iterations;
}
Scene cantilever(int segments, const Load& load) {
  Scene scene = one_rod(line, segments);
  add_clamp(scene, 0);
  scene.loads.push_back(load);
  return scene;
}
ForceLoad tip_force(const Vec3& value) {
  ForceLoad load;
  load.rod = "rod", load.at = 1, load.value = value;
  return load;
}
GravityLoad gravity(const Vec3& acceleration) {
  GravityLoad load;
  load.acceleration = acceleration;
  return load;
}
double order(double coarse, double fine) { return std::log2(coarse / fine); }

// ---- equilibria ------------------------------------------------------------------------------------------------------------
SENTENCE("compact", "a cantilever is where the elastica is, to second order and 0.02 % of its length at 80 segments") {
  struct Case {
    Load load;
    Vec3 tip;
  };
  // REFERENCES 1a (P L^2/EI = 10) and 1b (w L^3/EI = 50).
  const Case cases[] = {{tip_force(Vec3(0, 10, 0)), Vec3(0.4450044022, 0.8106090249, 0)},
                        {gravity(Vec3(0, -50, 0)), Vec3(0.2450147563, -0.9079171235, 0)}};
  for (const Case& c : cases) {
    double error[3] = {};
    for (int k = 0; k < 3; ++k) {
      const int n = 20 << k;
      error[k] = (relaxed(cantilever(n, c.load)).position[NodeIndex(n)] - c.tip).norm();
    }
    EXPECT_LT(error[2], 2e-4);
    EXPECT_NEAR(order(error[0], error[1]), 2, 0.1);
    EXPECT_NEAR(order(error[1], error[2]), 2, 0.1);
  }
}

SENTENCE("compact", "a moment at the tip closes a rod to a circle, exactly by angles and to 0.12 % by sines") {
  MomentLoad load;
  load.rod = "rod", load.at = 1, load.value = Vec3(0, 0, 2 * pi);
  for (const StrainKind strain : {StrainKind::angle, StrainKind::sine}) {
    Settings settings;
    settings.strain = strain;
    const Frame frame = relaxed(cantilever(80, load), settings, 10);
    EXPECT_LT(frame.position[NodeIndex(80)].norm(), strain == StrainKind::angle ? 1e-9 : 1.2e-3);
    EXPECT_NEAR(frame.reactions[0].moment.z(), -2 * pi, 1e-9);
    EXPECT_EQ(frame.report.verdict.kind, Verdict::Kind::no_energy);
  }
}

SENTENCE("compact", "a clamp at the end, a rod that runs backwards, is the mirror of a clamp at the start") {
  Scene scene = cantilever(30, gravity(Vec3(0, 0, -20)));
  Scene back = scene;
  back.rods[0].rest = StraightCurve{Vec3(1, 0, 0), Vec3(0, 0, 0)};
  back.clamps[0].at = 1;
  const Frame a = relaxed(scene), b = relaxed(back);
  for (int k = 0; k <= 30; ++k) EXPECT_LT((a.position[NodeIndex(k)] - b.position[NodeIndex(30 - k)]).norm(), 1e-10);
  for (int e = 0; e < 30; ++e)  // action of s+ on s-: the other side's
    EXPECT_LT((a.force[EdgeIndex(e)] + b.force[EdgeIndex(29 - e)]).norm(), 1e-8);
  for (int k = 0; k <= 30; ++k) EXPECT_LT((a.moment[NodeIndex(k)] + b.moment[NodeIndex(30 - k)]).norm(), 1e-8);
  EXPECT_LT((a.reactions[0].force - Vec3(0, 0, 20)).norm(), 1e-9);
  EXPECT_LT((b.reactions[0].moment - a.reactions[0].moment).norm(), 1e-9);
}

SENTENCE("compact", "two clamps carry a sagging rod: forces and moments balance, moments are the slopes of forces") {
  Scene scene = one_rod(line, 40, plain_section(1, 3, 0.5));
  scene.rods[0].initial_noise = 1e-3;
  scene.loads.push_back(gravity(Vec3(0, 2, -30)));
  add_clamp(scene, 0), add_clamp(scene, 1);
  scene.clamps[1].move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.2, 0.1, 0.05)}};
  scene.clamps[1].turn.keys = {{0, 0}, {1, 0.2}};
  Compact method(model_of(scene), {});
  for (int k = 1; k <= 20; ++k) ASSERT_EQ(method.relax(k / 20.0, 1, {}).outcome, Outcome::fine) << k;
  const Frame frame = frame_of(method);
  EXPECT_LT((frame.position[NodeIndex(40)] - Vec3(0.8, 0.1, 0.05)).norm(), 1e-12);
  const Wrench &a = frame.reactions[0], &b = frame.reactions[1];
  EXPECT_LT((a.force + b.force + Vec3(0, 2, -30)).norm(), 1e-8);
  Vec3 moment = a.moment + b.moment + frame.position[NodeIndex(40)].cross(b.force);
  for (int k = 0; k <= 40; ++k)
    moment += frame.position[NodeIndex(k)].cross(Vec3(0, 2, -30) * (k == 0 || k == 40 ? 0.5 : 1) / 40);
  EXPECT_LT(moment.norm(), 1e-8);
  EXPECT_TRUE(frame.report.verdict.minimum());
  for (int e = 1; e < 39; ++e) {  // dm = -dr x n between two joints
    const Vec3 arm = frame.position[NodeIndex(e + 1)] - frame.position[NodeIndex(e)];
    const Vec3 change = frame.moment[NodeIndex(e + 1)] - frame.moment[NodeIndex(e)];
    EXPECT_LT((change + arm.cross(frame.force[EdgeIndex(e)])).norm(), 1e-8);
  }
}

SENTENCE("compact", "twenty-seven turns stay twenty-seven turns: the torque is GJ angle over length to 1e-9") {
  Scene scene = one_rod(line, 50, plain_section(1, 1, 0.02));
  add_clamp(scene, 0), add_clamp(scene, 1);
  scene.clamps[1].turn.keys = {{0, 0}, {1, 27}};
  Compact method(model_of(scene), {});
  for (int k = 1; k <= 60; ++k) ASSERT_EQ(method.relax(k / 60.0, 1, {}).outcome, Outcome::fine) << k;
  const Frame frame = frame_of(method);
  const double torque = 0.02 * 27 * 2 * pi;
  EXPECT_NEAR(frame.reactions[1].moment.x(), torque, 1e-9 * torque);
  EXPECT_NEAR(frame.moment[NodeIndex(25)].x(), torque, 1e-9 * torque);
  EXPECT_TRUE(frame.report.verdict.minimum()) << frame.report.verdict.unstable;
}

SENTENCE("compact",
         "a rod exactly straight between its clamps bends when they come together, in motion and in equilibrium") {
  Scene scene = one_rod(line, 30);
  scene.loads.push_back(gravity(Vec3(0, 0, -0.1)));
  add_clamp(scene, 0), add_clamp(scene, 1);
  scene.clamps[1].move.shape = TimetableShape::smooth;
  scene.clamps[1].move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.1, 0, 0)}};
  scene.rods[0].damping.mass = 5;
  Compact moved(model_of(scene), {}), slow(model_of(scene), {});
  run(moved, 0.01, 1000);
  EXPECT_EQ(Compact(model_of(scene), {}).relax(0, 1, {}).cause, Cause::taut);  // no finite tension carries a load across it
  for (int k = 1; k <= 20; ++k) ASSERT_EQ(slow.relax(k / 20.0, 1, {}).outcome, Outcome::fine) << k;
  // Which way it goes in motion is decided by the first waves; at rest it is an arch, up or down. Slowly it follows gravity.
  const Frame rest = frame_of(moved), arch = frame_of(slow);
  EXPECT_NEAR(rest.position[NodeIndex(15)].x(), 0.45, 1e-6);
  EXPECT_NEAR(std::abs(rest.position[NodeIndex(15)].z()), std::abs(arch.position[NodeIndex(15)].z()), 1e-3);
  EXPECT_LT(rest.own_energy.kinetic, 1e-12);
  EXPECT_LT(arch.position[NodeIndex(15)].z(), -0.15);
  EXPECT_TRUE(arch.report.verdict.minimum());
}

SENTENCE("compact", "clamps further apart than the rod is long are out of reach, and it is said") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0), add_clamp(scene, 1);
  scene.clamps[1].move.keys = {{0, Vec3::Zero()}, {1, Vec3(0.01, 0, 0)}};
  Compact method(model_of(scene), {});
  EXPECT_EQ(method.relax(1, 1, {}).cause, Cause::clamp_out_of_reach);
  EXPECT_EQ(method.step(0.9, 0.1, {}).cause, Cause::clamp_out_of_reach);
}

// Compressed by P L^2/EI at its free end.
Verdict column(double load, int segments) {
  Scene scene = cantilever(segments, tip_force(Vec3(-load, 0, 0)));
  scene.rods[0].section = plain_section(1, 1, 4);
  return relaxed(scene, {}, 1).report.verdict;
}
SENTENCE("compact", "a compressed column is stable below Euler's load and not above it, within 0.01 % at 100 segments") {
  const double euler = 0.25 * pi * pi;  // REFERENCES 4a
  EXPECT_TRUE(column(euler * (1 - 1e-4), 100).minimum());
  EXPECT_EQ(column(euler * (1 + 1e-4), 100).unstable, 2);
  EXPECT_EQ(column(9.5 * euler, 100).unstable, 4);
  EXPECT_NEAR(column(0, 50).softest, 0.25 * pi * pi, 0.05);  // unit EI l/L^2: bending modes as of the continuous rod
}

SENTENCE("compact", "a rod that hangs from a pin is a minimum, and turning about itself is neutral") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)}, 20);
  scene.loads.push_back(gravity(Vec3(0, 0, -9.81)));
  add_clamp(scene, 0, {Hold::position});
  const Frame frame = relaxed(scene);
  EXPECT_TRUE(frame.report.verdict.minimum()) << frame.report.verdict.unstable;
  EXPECT_EQ(frame.report.verdict.neutral.turning, 1);
  EXPECT_EQ(frame.report.verdict.neutral.count(), 1);
}

// ---- motion ------------------------------------------------------------------------------------------------------------------
// Gravity that rises smoothly, so that the start is as smooth as the schemes want it.
Vec3 tip_after(Scheme scheme, int steps) {
  ChangingGravityLoad load;
  load.factor.shape = TimetableShape::smooth;
  load.factor.keys = {{0, 0}, {0.4, 1}};
  Settings settings;
  settings.scheme = scheme;
  settings.solver.tolerance = 1e-10;
  Compact method(model_of(cantilever(8, load)), settings);
  run(method, 0.6 / steps, steps);
  return frame_of(method).position[NodeIndex(8)];
}
SENTENCE("compact", "bdf2 and trbdf2 are of second order in time, euler of first") {
  const Vec3 exact = tip_after(Scheme::trbdf2, 3200);
  for (const Scheme scheme : {Scheme::bdf2, Scheme::trbdf2, Scheme::euler}) {
    const double coarse = (tip_after(scheme, 200) - exact).norm(), fine = (tip_after(scheme, 400) - exact).norm();
    EXPECT_NEAR(order(coarse, fine), scheme == Scheme::euler ? 1 : 2, 0.1) << int(scheme) << " " << coarse << " " << fine;
  }
}

SENTENCE("compact",
         "lengths are right to rounding whatever moves: the whole to 1e-13, a segment to some ulp of its places") {
  Scene scene = one_rod(line, 60, plain_section(0.01, 0.01, 0.01));
  scene.loads.push_back(gravity(Vec3(0, 0, -9.81)));
  add_clamp(scene, 0).move.keys = {
      {0, Vec3::Zero()}, {0.1, Vec3(0, 0.5, 0)}, {0.3, Vec3(0.2, -0.5, 0.3)}, {1, Vec3(5, 5, 5)}};
  Compact method(model_of(scene), {});
  run(method, 0.01, 100);
  const Frame frame = frame_of(method);
  double length = 0, reach = 0, worst = 0;
  for (int e = 0; e < 60; ++e) {
    const double l = (frame.position[NodeIndex(e + 1)] - frame.position[NodeIndex(e)]).norm();
    length += l;
    worst = std::max(worst, std::abs(l * 60 - 1));
    reach = std::max(reach, frame.position[NodeIndex(e)].norm());
  }
  EXPECT_NEAR(length, 1, 1e-13);
  EXPECT_LT(worst, 8 * 2.3e-16 * reach * 60);
}

SENTENCE("compact", "a free rod keeps its momentum to rounding, and turns on at the rate it has") {
  Scene scene = one_rod(line, 20);
  scene.rods[0].velocity = Vec3(1, 2, 3), scene.rods[0].angular_velocity = Vec3(0, 0, 2);
  Settings settings;
  settings.solver.tolerance = 1e-12;
  Compact method(model_of(scene), settings);
  run(method, 1e-3, 500);
  const Frame frame = frame_of(method);
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero();
  for (int k = 0; k <= 20; ++k) {
    const double mass = k == 0 || k == 20 ? 0.025 : 0.05;
    centre += mass * frame.position[NodeIndex(k)], velocity += mass * frame.velocity[NodeIndex(k)];
  }
  EXPECT_LT((centre - Vec3(1, 1, 1.5)).norm(), 1e-9);
  EXPECT_LT((velocity - Vec3(1, 2, 3)).norm(), 1e-9);
  EXPECT_NEAR(frame.spin[EdgeIndex(10)].z(), 2, 1e-3);
  EXPECT_NEAR(frame.force[EdgeIndex(9)].norm(), 4 * 0.125,
              0.01);  // omega^2 times half of the mass at a quarter of the length
}

// What is left of 30 rad/s about itself after 0.2 s, less 30.
double spin_lost(double h) {
  Scene scene = one_rod(line, 10);
  scene.rods[0].angular_velocity = Vec3(30, 0, 0);
  const std::shared_ptr<const Model> model = model_of(scene);
  Compact method(model, {});
  const Section& section = model->section[EdgeIndex(0)];
  EXPECT_NEAR(frame_of(method).own_energy.kinetic, 0.5 * (section.rotary1 + section.rotary2) * 900, 1e-12);
  run(method, h, static_cast<int>(std::lround(0.2 / h)));
  return std::abs(frame_of(method).spin[EdgeIndex(5)].x() - 30);
}
SENTENCE("compact", "a rod that spins about itself keeps its spin, to second order of the step") {
  const double coarse = spin_lost(1e-3), fine = spin_lost(5e-4);
  EXPECT_LT(fine, 0.01);
  EXPECT_GT(order(coarse, fine), 1.9);
}

// Decay rate of the first bending mode, from energies two periods apart.
double decay(const Damping& damping) {
  Scene scene = one_rod(line, 12);
  scene.rods[0].damping = damping;
  add_clamp(scene, 0);
  for (int k = 0; k <= 12; ++k) {  // about the shape of the first mode
    const double s = k / 12.0;
    scene.rods[0].velocities.push_back(Vec3(0, 0, 0.01 * s * s * (6 - 4 * s + s * s) / 3));
  }
  Settings settings;
  settings.scheme = Scheme::trbdf2;
  settings.solver.tolerance = 1e-10;
  Compact method(model_of(scene), settings);
  const double period = 2 * pi / 3.516, h = period / 400;
  run(method, h, 400);
  const double before = frame_of(method).own_energy.total();
  run(method, h, 800, 400);
  return std::log(before / frame_of(method).own_energy.total()) / (2 * period);
}
SENTENCE("compact", "damping of masses and of the material let the first mode decay at their rates") {
  EXPECT_NEAR(decay({0.2, 0}), 0.2, 0.004);                                          // energy falls at mu
  EXPECT_NEAR(decay({0, 0.02}), 0.02 * 3.516 * 3.516, 0.02 * 0.02 * 3.516 * 3.516);  // and at tau omega^2
}

SENTENCE("compact", "a load a hundred times the rope's mass needs two Newton iterations a step, by the exact matrix") {
  Scene scene = one_rod(line, 40, plain_section(1e-5, 1e-5, 1e-5));
  scene.loads.push_back(gravity(Vec3(0, 0, -9.81)));
  scene.loads.push_back(tip_force(Vec3(0, 0, -981)));
  add_clamp(scene, 0, {Hold::position});
  scene.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(0.6, 0, -0.8)};
  Compact method(model_of(scene), {});
  const int iterations = run(method, 1e-3, 200);
  EXPECT_LT(iterations, 200 * 3);
}

SENTENCE("compact",
         "a twisted ring that starts disturbed is closed from its first frame on, and few iterations find its steps") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(2 * pi, 0, 0)}, 40, plain_section(1, 1, 1));
  scene.rods[0].initial = CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 1};
  scene.rods[0].initial_twist = 2, scene.rods[0].initial_noise = 1e-3;  // nothing else loads it
  Compact method(model_of(scene), {});
  const auto closing_edge = [&] {
    const Frame frame = frame_of(method);
    return (frame.position[NodeIndex(0)] - frame.position[NodeIndex(39)]).norm();
  };
  EXPECT_NEAR(closing_edge(), 2 * pi / 40, 1e-12);
  EXPECT_LT(frame_of(method).own_energy.kinetic, 1e-30);
  const int steps = 200, iterations = run(method, 0.01, steps);
  EXPECT_NEAR(closing_edge(), 2 * pi / 40, 1e-12);
  EXPECT_LT(iterations, 5 * steps);
}

SENTENCE("compact",
         "a cable exactly as long as its pins are apart bends to where its weight pulls when they come together") {
  Scene scene = one_rod(line, 30);
  scene.rods[0].section = plain_section(0.01, 0.01, 0.01);
  scene.rods[0].damping.mass = 4;
  scene.loads.push_back(gravity(Vec3(0, 0, -9.81)));
  add_clamp(scene, 0, {Hold::position}), add_clamp(scene, 1, {Hold::position});
  scene.clamps[1].move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.2, 0, 0)}};
  for (const Scheme scheme : {Scheme::bdf2, Scheme::trbdf2, Scheme::euler}) {
    Settings settings;
    settings.scheme = scheme;
    Compact method(model_of(scene), settings);
    run(method, 1e-3, 3000);
    const Frame moved = frame_of(method);
    EXPECT_LT(moved.position[NodeIndex(15)].z(), -0.2);
    EXPECT_NEAR(moved.position[NodeIndex(15)].x(), 0.4, 1e-3);
    EXPECT_NEAR(moved.reactions[0].force.z() + moved.reactions[1].force.z(), 9.81, 0.01);
    EXPECT_NEAR(moved.reactions[0].force.x() + moved.reactions[1].force.x(), 0, 0.01);
    const double error = moved.own_energy.total() - moved.flow.work() + moved.flow.dissipated();
    EXPECT_LT(std::abs(error), 0.02 * std::abs(moved.own_energy.gravity)) << int(scheme);
  }
}

SENTENCE("compact", "a step of rods with rows, rings, and loads of every kind allocates nothing") {
  Scene scene = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 1), 0.5, 1.1}, 12);
  scene.loads.push_back(gravity(Vec3(0, 0, -9.81)));
  add_clamp(scene, 0);
  add_clamp(scene, 0.5, {Hold::position});
  add_clamp(scene, 1).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.05, 0, 0)}};
  DragLoad drag;
  drag.normal = 0.3;
  scene.loads.push_back(drag);
  Rod ring = scene.rods[0];
  ring.name = "ring", ring.rest = CircleCurve{Vec3(0, 0, 2), Vec3::UnitZ(), 0.2}, ring.initial_twist = 1;
  scene.rods.push_back(ring);
  Compact method(model_of(scene), {});
  run(method, 1e-3, 10);
  const AllocationCount allocations;
  for (int k = 10; k < 20; ++k) std::ignore = method.step(k * 1e-3, 1e-3, {});
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(frame_of(method).report.outcome, Outcome::fine);
}

}  // namespace
}  // namespace tendril::compact
