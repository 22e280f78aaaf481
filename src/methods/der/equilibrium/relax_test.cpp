// Equilibria.
#include "math/link.h"
#include "math/rotation.h"
#include "methods/der/der_testing.h"
#include "testing/allocation_count.h"
#include "testing/reactions_of.h"
#include "testing/sentence.h"

using namespace tendril;
using namespace tendril::der;

namespace {

constexpr double pi = 3.14159265358979323846;

}  // namespace

SENTENCE("der", "a quarter turn of twist stores GJ/2L times the angle squared") {
  for (const bool general : {false, true}) {
    Scene scene = one_rod(line, 8);
    add_clamp(scene, 0);
    add_clamp(scene, 1).turn = ramp(0.25);
    const auto model = model_of(scene);
    Settings settings;
    settings.general = general;
    Der rod(model, settings);
    for (int i = 1; i <= 4; ++i) EXPECT_EQ(rod.relax(0.25 * i, 1, {}).outcome, Outcome::fine);
    const Frame frame = frame_of(rod);
    EXPECT_NEAR(frame.own_energy.twisting, 0.5 * 0.8 * (pi / 2) * (pi / 2), 1e-10);
    EXPECT_NEAR(frame.own_energy.bending, 0, 1e-12);
    const std::vector<Wrench> reactions = reactions_of(rod);
    EXPECT_NEAR(reactions[1].moment.x(), 0.8 * pi / 2, 1e-9);  // the end clamp turns the rod on
    EXPECT_NEAR(reactions[0].moment.x(), -0.8 * pi / 2, 1e-9);
  }
}

SENTENCE("der", "a moment per length m bends a cantilever by m L^2/2EI and twists it by m L^2/2GJ") {
  for (const Axes axes : {Axes::world, Axes::material}) {
    for (const bool twists : {false, true}) {
      double angle[2];
      for (const int k : {0, 1}) {
        const int n = 20 << k;
        Scene scene = one_rod(line, n, plain_section(1, 1, 0.8));
        scene.rods[0].d1 = Vec3(0, 1, 0);  // d2 = z, d3 = x
        add_clamp(scene, 0);
        DistributedLoad load;
        load.rod = "rod", load.axes = axes;
        if (axes == Axes::world)
          load.moment = twists ? Vec3(0.5, 0, 0) : Vec3(0, 0, 0.5);
        else
          load.moment = twists ? Vec3(0, 0, 0.5) : Vec3(0, 0.5, 0);
        scene.loads = {load};
        Der rod(model_of(scene), {});
        EXPECT_EQ(rod.relax(0, 1, {}).outcome, Outcome::fine);
        const Frame frame = frame_of(rod);
        const Quat last = frame.orientation[EdgeIndex{n - 1}];
        angle[k] = twists ? std::atan2((last * Vec3::UnitX()).z(), (last * Vec3::UnitX()).y())
                          : std::atan2((last * Vec3::UnitZ()).y(), (last * Vec3::UnitZ()).x());
      }
      const double expected = 0.5 * 0.5 / (twists ? 0.8 : 1.0);
      EXPECT_NEAR(angle[1], expected, 0.001 * expected) << twists;
      EXPECT_LT(std::abs(angle[1] - expected), 0.3 * std::abs(angle[0] - expected) + 1e-9) << twists;
    }
  }
}

SENTENCE("der", "a flat strip sags sixteen times more over its flat side than over its edge") {
  double sag[2];
  for (const int on_edge : {0, 1}) {
    Scene scene = one_rod(line, 20, plain_section(on_edge ? 16 : 1, on_edge ? 1 : 16));
    scene.rods[0].d1 = Vec3(0, 1, 0);  // d2 = z: the load along z bends about d1
    add_clamp(scene, 0);
    ForceLoad load;
    load.rod = "rod", load.value = Vec3(0, 0, -0.01);
    scene.loads.push_back(load);
    Der rod(model_of(scene), {});
    EXPECT_EQ(rod.relax(0, 1, {}).outcome, Outcome::fine);
    sag[on_edge] = -frame_of(rod).position[NodeIndex{20}].z();
  }
  EXPECT_NEAR(sag[0], 0.01 / 3, 1e-5);
  EXPECT_NEAR(sag[0] / sag[1], 16, 0.01);
}

SENTENCE("der", "a compressed column is stable below Euler's load and not above it, told by its pivots") {
  // clamped at the foot, free at the head: P L^2 / EI = pi^2/4
  for (const double factor : {0.98, 1.02}) {
    Scene scene = one_rod(line, 80);
    add_clamp(scene, 0);
    ForceLoad load;
    load.rod = "rod", load.value = Vec3(-factor * pi * pi / 4, 0, 0);
    scene.loads.push_back(load);
    Der rod(model_of(scene), {});
    const StepReport report = rod.relax(0, 1, {});
    EXPECT_EQ(report.outcome, Outcome::fine);
    EXPECT_EQ(report.verdict.unstable, factor < 1 ? 0 : 2);  // two directions to buckle in
  }
}

SENTENCE("der", "the clamp balances a dead force and a follower force, which bend the rod differently") {
  Vec3 tip[2];
  for (const int follower : {0, 1}) {
    Scene scene = one_rod(ArcCurve{}, 30, plain_section(1, 0.5));
    add_clamp(scene, 0);
    ForceLoad load;
    load.rod = "rod", load.value = Vec3(0.3, -0.2, 0.4), load.axes = follower ? Axes::material : Axes::world;
    scene.loads.push_back(load);
    const auto model = model_of(scene);
    Der rod(model, {});
    for (int i = 1; i <= 5; ++i) EXPECT_EQ(rod.relax(0, 0.2 * i, {}).outcome, Outcome::fine);
    const Frame frame = frame_of(rod);
    tip[follower] = frame.position[NodeIndex{30}];
    const std::vector<Wrench> reaction = reactions_of(rod);
    // A follower turns with the end's frame, half an edge beyond the last edge's.
    const Vec3 applied = follower ? Vec3(-reaction[0].force) : load.value;
    EXPECT_LT((reaction[0].force + applied).norm(), 1e-7);
    EXPECT_NEAR(applied.norm(), load.value.norm(), 1e-7);
    if (follower) {
      EXPECT_LT((frame.orientation[EdgeIndex{29}].conjugate() * applied - load.value).norm(), 0.05);
    }
    EXPECT_LT((reaction[0].moment + (tip[follower] - Vec3::Zero()).cross(applied)).norm(), 1e-7);
  }
  EXPECT_GT((tip[0] - tip[1]).norm(), 1e-3);  // they are not the same load
}

SENTENCE("der", "a cantilever a micrometre long and one ten kilometres long bend alike") {
  Vec3 tip[3];
  const double lengths[] = {1e-6, 1, 1e4}, stiffness[] = {2e-28, 1, 2e14};
  for (const int i : {0, 1, 2}) {
    const double L = lengths[i], EI = stiffness[i];
    StiffnessSection section;
    section.EI1 = section.EI2 = EI, section.GJ = 0.8 * EI, section.mass_per_length = EI / std::pow(L, 3),
    section.radius = 1e-3 * L;
    Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(L, 0, 0)}, 20, section);
    add_clamp(scene, 0);
    ForceLoad load;
    load.rod = "rod", load.value = Vec3(0, EI / (L * L), 0);
    scene.loads.push_back(load);
    const auto model = model_of(scene);
    Der resting(model, {});
    EXPECT_EQ(resting.relax(0, 1, {}).outcome, Outcome::fine);
    tip[i] = frame_of(resting).position[NodeIndex{20}] / L;
    Der moving(model, {});
    const double h = advised(*model);
    for (int k = 0; k < 200; ++k) ASSERT_EQ(moving.step(k * h, h, {}).outcome, Outcome::fine);
  }
  EXPECT_NEAR(tip[1].y(), 0.3017207738, 1e-3);
  EXPECT_LT((tip[0] - tip[1]).norm(), 1e-9);
  EXPECT_LT((tip[2] - tip[1]).norm(), 1e-9);
}

SENTENCE("der", "whatever a clamp inside the rod holds, the equilibrium is where a damped motion comes to rest") {
  for (const std::vector<Hold>& hold : {std::vector<Hold>{Hold::position, Hold::direction, Hold::twist},
                                        {Hold::direction},
                                        {Hold::twist},
                                        {Hold::position, Hold::twist}}) {
    Scene scene = one_rod(ArcCurve{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), 1, 1.2}, 12, plain_section(1, 0.4));
    add_clamp(scene, 0);
    add_clamp(scene, 0.5, hold);
    ForceLoad load;
    load.rod = "rod", load.value = Vec3(0.1, 0.2, -0.8);
    scene.loads.push_back(load);
    scene.rods[0].damping.mass = 6;
    const auto model = model_of(scene);
    Settings settings;
    settings.push = Push::conserving;  // where fast projection comes to rest depends on the step
    Der resting(model, settings), moving(model, settings);
    for (int i = 1; i <= 4; ++i) EXPECT_EQ(resting.relax(0, 0.25 * i, {}).outcome, Outcome::fine);
    const double h = advised(*model);
    for (int i = 0; i * h < 20; ++i) ASSERT_EQ(moving.step(i * h, h, {}).outcome, Outcome::fine);
    const Frame a = frame_of(resting), b = frame_of(moving);
    EXPECT_LT((a.position[NodeIndex{12}] - b.position[NodeIndex{12}]).norm(), 1e-6);
    EXPECT_GT((a.position[NodeIndex{12}] - model->initial.position[NodeIndex{12}]).norm(), 0.05);
  }
}

SENTENCE("der", "a ring bends alike wherever on it the clamp and the moment stand") {
  double energy[2];
  for (const int turned : {0, 1}) {
    Scene scene = one_rod(CircleCurve{}, 16);
    add_clamp(scene, turned ? 0.5 : 0);
    MomentLoad moment;  // the second time it acts at the ring's first node, whose edges lie at the two ends of the chain
    moment.rod = "rod", moment.at = turned ? 0 : 0.5, moment.value = Vec3(0, 0, 0.05);
    scene.loads.push_back(moment);
    Der rod(model_of(scene), {});
    EXPECT_EQ(rod.relax(0, 1, {}).outcome, Outcome::fine);
    energy[turned] = frame_of(rod).own_energy.total();
  }
  EXPECT_GT(energy[0], 1e-5);
  EXPECT_NEAR(energy[1] / energy[0], 1, 1e-9);
}
