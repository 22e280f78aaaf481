#include "methods/der/der.h"

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

SENTENCE("der", "twenty-seven turns stay twenty-seven turns, in dynamics as in statics") {
  Scene scene = one_rod(line, 20);
  add_clamp(scene, 0);
  add_clamp(scene, 1).turn = ramp(27);
  const auto model = model_of(scene);
  for (const bool general : {false, true}) {
    Settings settings;
    settings.general = general;
    Der rod(model, settings);
    const double h = 1e-3;  // 27 turns in a second: ten degrees a step
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
    const Frame frame = frame_of(rod);
    double twist = 0;
    for (const double t : frame.twist) twist += t;
    EXPECT_NEAR(twist * 20 / 19, 27 * 2 * pi, 1e-6);  // the walls hold half an edge's twist each
  }
}

SENTENCE("der",
         "an anisotropic helix whose section follows the curve has no energy at rest and bends in its soft direction") {
  HelixCurve helix;
  helix.radius = 0.3, helix.pitch = 0.4, helix.turns = 2;
  // height along d2 small: soft in bending towards d2 (about d1), stiff in bending towards d1, the helix's own normal
  Scene scene = one_rod(helix, 60, RectangleSection{0.04, 0.01});
  scene.rods[0].follows = SectionFollows::curve;
  scene.rods[0].material = "steel";
  Material steel;
  steel.name = "steel", steel.density = 1000, steel.young_modulus = 1e7, steel.poisson_ratio = 0.3;
  scene.materials.push_back(steel);
  add_clamp(scene, 0);
  const auto model = model_of(scene);
  Der rod(model, {});
  const Frame frame = frame_of(rod);
  EXPECT_LT(frame.own_energy.total(), 1e-20);
  // Curvature added towards d2 costs 1/16 of the same curvature added towards d1: sections are 4 to 1.
  const Chain& c = rod.chain();
  for (int s = c.rods[0].first + 5; s < c.rods[0].first + 8; ++s) {
    const Mat2 turn = Eigen::Rotation2Dd(c.phi[static_cast<std::size_t>(s)]).toRotationMatrix();
    const Sym2<double> B = c.stiffness(s);
    Mat2 matrix;
    matrix << B.xx, B.xy, B.xy, B.yy;
    EXPECT_GT(std::abs(B.xy), 1e-3 * B.xx);  // a full 2x2: the Bishop frame does not follow the section
    const Vec2 towards_d1 = turn.col(0), towards_d2 = turn.col(1);
    EXPECT_NEAR(towards_d1.dot(matrix * towards_d1) / towards_d2.dot(matrix * towards_d2), 16, 1e-9);
    EXPECT_NEAR(towards_d2.dot(matrix * towards_d2), 1e7 * 0.04 * std::pow(0.01, 3) / 12, 1e-12);
  }
}

SENTENCE("der", "the isotropic path and the general path move a twisted rod alike") {
  Scene scene = one_rod(line, 16);
  add_clamp(scene, 0);
  Clamp& end = add_clamp(scene, 1);
  end.turn = ramp(1.5, 0.5);
  end.move.keys = {{0, Vec3::Zero()}, {0.3, Vec3(-0.1, 0, 0.02)}};
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Settings general;
  general.general = true;
  Der a(model, {}), b(model, general);
  const double h = advised(*model);
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(a.step(i * h, h, {}).outcome, Outcome::fine);
    ASSERT_EQ(b.step(i * h, h, {}).outcome, Outcome::fine);
  }
  const Frame fa = frame_of(a), fb = frame_of(b);
  double worst = 0;
  for (int i = 0; i < fa.position.size(); ++i)
    worst = std::max(worst, (fa.position[NodeIndex{i}] - fb.position[NodeIndex{i}]).norm());
  EXPECT_LT(worst, 1e-7);
  for (int e = 0; e < fa.orientation.size(); ++e) {
    EXPECT_LT(fa.orientation[EdgeIndex{e}].angularDistance(fb.orientation[EdgeIndex{e}]), 1e-6);
  }
}

SENTENCE("der", "projection keeps every edge's length to 1e-8 in a lively fall, also in a ring") {
  for (const int kind : {0, 1, 2, 3}) {
    const bool ring = kind % 2 == 1;
    Settings settings;
    settings.push = kind < 2 ? Push::fast : Push::conserving;
    Scene scene =
        ring ? one_rod(CircleCurve{}, 24, plain_section(0.05, 0.05)) : one_rod(line, 20, plain_section(0.05, 0.05));
    add_clamp(scene, 0, {Hold::position});
    scene.loads.push_back(GravityLoad{});
    const auto model = model_of(scene);
    Der rod(model, settings);
    // Nothing calms the conserving one: it needs steps in which no edge turns far.
    const double h = std::min(advised(*model), 0.01) * (kind < 2 ? 1 : 0.2);
    double worst = 0;
    int iterations = 0;
    for (int i = 0; i < 2000; ++i) {
      const StepReport report = rod.step(i * h, h, {});
      ASSERT_EQ(report.outcome, Outcome::fine);
      iterations += report.iterations;
      worst = std::max(worst, report.residual);
    }
    EXPECT_LE(worst, 1e-8);
    EXPECT_GT(iterations, 2000);
    EXPECT_LT(iterations, 5 * 2000);  // the paper found 3 to 5
    const Frame frame = frame_of(rod);
    EXPECT_GT((frame.position[NodeIndex{10}] - model->initial.position[NodeIndex{10}]).norm(), 0.05);
  }
}

// Fast projection pushes along the edges' new directions, which is not a central force at the old places: it keeps the
// momentum but not the angular momentum. [Goldenthal 2007; the paper's own remark on dissipation]
SENTENCE("der", "a free rod keeps its momentum, and where nothing is projected its angular momentum too") {
  for (const bool extensible : {false, true}) {
    Scene scene = one_rod(ArcCurve{}, 20, plain_section(1, 0.3));
    scene.rods[0].velocity = Vec3(0.3, -0.2, 0.5);
    scene.rods[0].angular_velocity = Vec3(2, 1, -3);
    const auto model = model_of(stretching(scene, extensible));
    Der rod(model, {});
    const auto momenta = [&] {
      const Frame frame = frame_of(rod);
      Vec3 p = Vec3::Zero(), l = Vec3::Zero();
      for (int i = 0; i < frame.position.size(); ++i) {
        const double m = rod.chain().mass[static_cast<std::size_t>(rod.chain().vertex_of_node[static_cast<std::size_t>(i)])];
        p += m * frame.velocity[NodeIndex{i}];
        l += m * frame.position[NodeIndex{i}].cross(frame.velocity[NodeIndex{i}]);
      }
      return std::pair(p, l);
    };
    const auto [p0, l0] = momenta();
    const double h = advised(*model);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
    const auto [p1, l1] = momenta();
    EXPECT_LT((p1 - p0).norm(), 1e-11);
    const double scale = model->rods[0].length * model->rods[0].length * 4;  // mass times speed times length
    EXPECT_LT((l1 - l0).norm(), (extensible ? 1e-10 : 0.02) * scale);
  }
}

SENTENCE("der", "the conserving projection keeps angular momentum and energy where the fast one loses them") {
  double lost[2], turned[2];
  for (const Push push : {Push::fast, Push::conserving}) {
    Scene scene = one_rod(line, 10, plain_section(1e-4, 1e-4, 1e-4));  // nearly a chain
    scene.rods[0].velocity = Vec3(0, 0, 1);
    scene.rods[0].angular_velocity = Vec3(0, 3, 6);
    const auto model = model_of(scene);
    Settings settings;
    settings.push = push;
    settings.projection_tolerance = 1e-12;
    Der rod(model, settings);
    const auto spin = [&] {
      const Frame frame = frame_of(rod);
      Vec3 sum = Vec3::Zero();
      for (int i = 0; i < frame.position.size(); ++i) {
        const int v = rod.chain().vertex_of_node[static_cast<std::size_t>(i)];
        sum +=
            rod.chain().mass[static_cast<std::size_t>(v)] * frame.position[NodeIndex{i}].cross(frame.velocity[NodeIndex{i}]);
      }
      return sum;
    };
    const double energy = frame_of(rod).own_energy.total();
    const Vec3 before = spin();
    const double h = 1e-3;
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
    lost[push == Push::conserving] = 1 - frame_of(rod).own_energy.total() / energy;
    turned[push == Push::conserving] = (spin() - before).norm() / before.norm();
  }
  EXPECT_GT(lost[0], 0.01);
  EXPECT_LT(std::abs(lost[1]), 1e-3);
  EXPECT_GT(turned[0], 1e-3);
  EXPECT_LT(turned[1], 1e-10);
}

SENTENCE("der", "internal damping calms a bent rod and leaves a rod that turns as a whole alone") {
  Scene scene = one_rod(line, 12, plain_section(1, 0.5));
  scene.rods[0].damping.internal = 2e-3;
  scene.rods[0].initial = ArcCurve{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), 0.8, 1.25};
  const auto model = model_of(scene);
  Settings settings;
  Der bent(model, settings);
  const double before = frame_of(bent).own_energy.total();
  const double h = advised(*model);
  // the slowest mode's energy falls as exp(-tau omega^2 t) = exp(-4)
  for (int i = 0; i * h < 4; ++i) ASSERT_EQ(bent.step(i * h, h, {}).outcome, Outcome::fine);
  EXPECT_LT(frame_of(bent).own_energy.total(), 0.05 * before);
  // at rest in its own shape, turning: stretched a little by the turn, then nothing more to damp
  Scene spinning = one_rod(ArcCurve{}, 12, plain_section(100, 50));
  spinning.rods[0].damping.internal = 2e-4;
  spinning.rods[0].angular_velocity = Vec3(0, 0, 1);
  const auto turning = model_of(spinning);
  Der rod(turning, settings);
  const double start = frame_of(rod).own_energy.kinetic;
  const double step = advised(*turning);
  for (int i = 0; i * step < 1; ++i) ASSERT_EQ(rod.step(i * step, step, {}).outcome, Outcome::fine);
  EXPECT_NEAR(frame_of(rod).own_energy.kinetic / start, 1, 1e-3);
}

SENTENCE("der", "a rod falling through a viscous medium reaches the speed at which drag carries its weight") {
  Scene scene = one_rod(line, 10);
  scene.loads.push_back(GravityLoad{});
  scene.loads.push_back(DragLoad{"", 5, 2});
  const auto model = model_of(scene);
  Der rod(model, {});
  const double h = advised(*model);
  for (int i = 0; i * h < 4; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
  EXPECT_NEAR(frame_of(rod).velocity[NodeIndex{5}].z(), -9.81 / 5, 1e-6);
}

SENTENCE("der", "a clamp that lets go sets the rod free, with its twist") {
  Scene scene = one_rod(line, 12);
  add_clamp(scene, 0);
  Clamp& end = add_clamp(scene, 1);
  end.turn = ramp(0.5, 0.1);
  end.until = 0.2;
  const auto model = model_of(scene);
  Der rod(model, {});
  const double h = 5e-4;
  double held = 0;
  for (int i = 0; i < 800; ++i) {
    ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
    if (i == 390) held = frame_of(rod).own_energy.twisting;
  }
  EXPECT_NEAR(held, 0.5 * 0.8 * pi * pi, 1e-6);
  EXPECT_LT(frame_of(rod).own_energy.twisting, 1e-12);  // the frame follows at once: it has no inertia
}

SENTENCE("der", "a saved state goes on bit for bit, also across a clamp that lets go") {
  Scene scene = one_rod(ArcCurve{}, 12, plain_section(1, 0.4));
  add_clamp(scene, 0);
  Clamp& end = add_clamp(scene, 1);
  end.turn = ramp(0.3, 0.1);
  end.until = 0.05;
  scene.rods[0].damping.internal = 1e-4;
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  const double h = advised(*model);
  for (const int when : {20, 200}) {  // before and after it lets go
    Der a(model, {}), b(model, {});
    for (int i = 0; i < when; ++i) a.step(i * h, h, {});
    StateWriter saved;
    a.visit_state(saved);
    StateReader reader(saved.buffer());
    b.visit_state(reader);
    EXPECT_TRUE(reader.at_end());
    for (int i = when; i < when + 150; ++i) {
      std::ignore = a.step(i * h, h, {});
      std::ignore = b.step(i * h, h, {});
    }
    StateWriter wa, wb;
    a.visit_state(wa);
    b.visit_state(wb);
    ASSERT_EQ(wa.buffer().size(), wb.buffer().size());
    EXPECT_TRUE(std::equal(wa.buffer().begin(), wa.buffer().end(), wb.buffer().begin()));
  }
}

SENTENCE("der", "a step allocates nothing, for straight, curved and closed rods under every load") {
  for (const int kind : {0, 1, 2}) {
    Scene scene = kind == 0   ? one_rod(line, 12)
                  : kind == 1 ? one_rod(ArcCurve{}, 12, plain_section(1, 0.4))
                              : one_rod(CircleCurve{}, 12);
    add_clamp(scene, 0).turn = ramp(1);
    if (kind < 2) add_clamp(scene, 1);
    scene.loads.push_back(GravityLoad{});
    scene.loads.push_back(DragLoad{"", 0.1, 0.1});
    WindLoad wind;
    wind.velocity = Vec3(1, 2, 0), wind.gust = 0.5;
    scene.loads.push_back(wind);
    MomentLoad moment;
    moment.rod = "rod", moment.at = 0.5, moment.value = Vec3(0, 0, 0.1), moment.axes = Axes::material;
    if (kind == 1) scene.loads.push_back(moment);
    const auto model = model_of(scene);
    Der rod(model, {});
    Frame frame = frame_of(rod);
    const double h = advised(*model);
    const Live live;
    for (int i = 0; i < 5; ++i) rod.step(i * h, h, live);
    AllocationCount count;
    for (int i = 5; i < 25; ++i) rod.step(i * h, h, live);
    rod.write(frame);
    const auto allocations = count.count();
    EXPECT_EQ(allocations, 0) << "kind " << kind;
  }
}

SENTENCE("der", "the stable step it tells is stable, and twice that is not") {
  for (const bool extensible : {false, true}) {
    Scene scene = one_rod(line, 20);
    add_clamp(scene, 0);
    scene.loads.push_back(GravityLoad{});
    const auto model = model_of(stretching(scene, extensible));
    const double stable = 2 * advised(*model);
    for (const double factor : {0.99, 2.0}) {
      Settings settings;
      settings.push = Push::fast;  // the default would divide steps in which edges turn far
      Der rod(model, settings);
      bool fine = true;
      for (int i = 0; i < 4000 && fine; ++i) {
        fine = rod.step(i * factor * stable, factor * stable, {}).outcome == Outcome::fine;
      }
      double energy = frame_of(rod).own_energy.total();
      EXPECT_EQ(fine && std::abs(energy) < 100, factor < 1) << extensible << " " << energy;
    }
  }
}

SENTENCE("der", "a flat ring falling through a viscous medium stays flat") {
  Scene scene = one_rod(CircleCurve{}, 16);
  scene.loads.push_back(GravityLoad{});
  scene.loads.push_back(DragLoad{"", 2, 2});
  const auto model = model_of(scene);
  Der rod(model, {});
  const double h = advised(*model);
  for (int i = 0; i * h < 1; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
  const Frame frame = frame_of(rod);
  for (const Vec3& x : frame.position) EXPECT_NEAR(x.z(), frame.position[NodeIndex{5}].z(), 1e-10);
  EXPECT_LT(frame.position[NodeIndex{5}].z(), -1);
}

SENTENCE("der", "a clamp that takes hold late does so where the rod is then") {
  Scene scene = one_rod(line, 20, plain_section(0.05, 0.05));
  add_clamp(scene, 0);
  Clamp& late = add_clamp(scene, 0.5);
  late.from = 0.1;
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Der rod(model, {});
  const double h = 1e-3;
  for (int i = 0; i < 99; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
  const Vec3 before = frame_of(rod).position[NodeIndex{10}];
  EXPECT_LT(before.z(), -0.02);
  for (int i = 99; i < 300; ++i) ASSERT_EQ(rod.step(i * h, h, {}).outcome, Outcome::fine);
  const Vec3 after = frame_of(rod).position[NodeIndex{10}];
  EXPECT_LT((after - before).norm(), 0.005);  // it moved a little in the step before it was held
}

SENTENCE("der", "projection takes few iterations beside clamps that leave their node free to move") {
  for (const Hold hold : {Hold::direction, Hold::twist}) {
    Scene scene = one_rod(line, 20, plain_section(0.05, 0.05));
    add_clamp(scene, 0);
    add_clamp(scene, 0.5, {hold});
    scene.loads.push_back(GravityLoad{});
    const auto model = model_of(scene);
    for (const Push push : {Push::fast, Push::conserving}) {
      Settings settings;
      settings.push = push;
      Der rod(model, settings);
      const double h = 0.5 * advised(*model);
      for (int i = 0; i < 500; ++i) {
        const StepReport report = rod.step(i * h, h, {});
        ASSERT_EQ(report.outcome, Outcome::fine);
        EXPECT_LE(report.iterations, 8);
      }
    }
  }
}

SENTENCE("der", "a clamp carries the weight of a rod at rest, however strong its damping") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 1), Vec3(0, 0, 0)}, 10);
  scene.rods[0].damping.mass = 100;
  scene.loads.push_back(GravityLoad{});
  add_clamp(scene, 0);
  const auto model = model_of(scene);
  Der rod(model, {});
  const double dt = advised(*model);
  for (int k = 0; k < 2000; ++k) ASSERT_EQ(rod.step(k * dt, dt, {}).outcome, Outcome::fine);
  const std::vector<Wrench> reactions = reactions_of(rod);
  EXPECT_NEAR(reactions[0].force.z(), 9.81, 0.01);  // the damping of one step is 0.15 of it
}
