// Equilibria as a user sees them, the same experiments for every method that has them.
#include <cmath>
#include <ctime>
#include <numbers>

#include "methods/der/der_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using der::add_clamp, der::one_rod, der::plain_section;

const std::vector<Hold> pin = {Hold::position}, grip = {Hold::position, Hold::direction, Hold::twist};

Scene at_rest(const Curve& rest, int segments, const char* method, const CrossSection& section = plain_section()) {
  Scene scene = one_rod(rest, segments, section);
  scene.method = method;
  scene.time.mode = Mode::statics;
  scene.time.duration = 1;
  return scene;
}
void approach(Clamp& clamp, double way) {  // its rod runs along x
  clamp.move.shape = TimetableShape::linear;
  clamp.move.keys = {{0, Vec3::Zero()}, {1, Vec3(-way, 0, 0)}};
}
void push(Scene& scene, double at, const Vec3& value, Axes axes = Axes::world) {
  ForceLoad load;
  load.rod = "rod", load.at = at, load.value = value, load.axes = axes;
  scene.loads.push_back(load);
}
void turn(Scene& scene, double at, const Vec3& value, Axes axes) {
  MomentLoad load;
  load.rod = "rod", load.at = at, load.value = value, load.axes = axes;
  scene.loads.push_back(load);
}
Simulation ended(const Scene& scene) {
  Simulation simulation = std::move(*Simulation::open(scene));
  const RunReport report = simulate(simulation, {});
  EXPECT_EQ(report.outcome, Outcome::fine) << scene.method << ": " << report.message;
  return simulation;
}
Verdict verdict_of(const Scene& scene) { return ended(scene).frame().report.verdict; }
const Curve metre = StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)};

// ---- verdicts --------------------------------------------------------------------------------------------------------------
SENTENCE("run", "a rope that hangs between two pins is a minimum on every mesh, and turns about itself for nothing") {
  for (const char* method : {"der", "strands"}) {
    for (const int n : {10, 20, 40, 80}) {
      Scene scene = at_rest(metre, n, method, plain_section(1e-4, 1e-4, 8e-5));
      add_clamp(scene, 0, pin);
      approach(add_clamp(scene, 1, pin), 0.2);
      scene.loads.push_back(GravityLoad{});
      const Verdict verdict = verdict_of(scene);
      EXPECT_TRUE(verdict.minimum()) << method << ' ' << n << ": " << verdict.unstable;
      EXPECT_EQ(verdict.neutral, (Verdict::Neutral{0, 0, 1, 0})) << method << ' ' << n << ": " << to_text(verdict);
      EXPECT_GT(verdict.softest, 0);
      EXPECT_EQ(to_text(verdict), "a minimum of the energy; neutral: a rod turning about itself");
    }
  }
}

SENTENCE("run", "a strut buckled between two pins swings about their line and turns about itself for nothing") {
  for (const char* method : {"der", "strands"}) {
    for (const int n : {12, 50, 150}) {
      Scene scene = at_rest(metre, n, method);
      add_clamp(scene, 0, pin);
      approach(add_clamp(scene, 1, pin), 0.1);
      const Verdict verdict = verdict_of(scene);
      EXPECT_TRUE(verdict.minimum()) << method << ' ' << n << ": " << verdict.unstable;
      EXPECT_EQ(verdict.neutral, (Verdict::Neutral{0, 1, 1, 0})) << method << ' ' << n << ": " << to_text(verdict);
    }
  }
}

SENTENCE("run", "a free rod moves in five or six directions and turns about itself, and so does a free ring") {
  for (const auto& [curve, moving] : {std::pair<Curve, int>(metre, 5),
                                      {ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1, 1.5}, 6},
                                      {CircleCurve{}, 6}}) {
    for (const int n : {12, 60}) {
      Scene scene = at_rest(curve, n, "der");
      const bool ring = std::holds_alternative<CircleCurve>(curve);
      if (ring)
        scene.rods[0].initial = curve, scene.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(2 * std::numbers::pi, 0, 0)};
      const Verdict verdict = verdict_of(scene);
      EXPECT_TRUE(verdict.minimum()) << n << ": " << verdict.unstable;
      // A naturally curved rod that turns about itself bends against its curvature.
      const int turning = std::holds_alternative<ArcCurve>(curve) ? 0 : 1;
      EXPECT_EQ(verdict.neutral, (Verdict::Neutral{moving, 0, turning, 0})) << n << ": " << to_text(verdict);
    }
  }
}

SENTENCE("run", "a column under a dead load is a minimum up to Euler's load on coarse and fine meshes") {
  for (const char* method : {"der", "strands"}) {
    for (const int n : {20, 300}) {
      for (const double part : {0.98, 1.02}) {
        Scene scene = at_rest(metre, n, method);
        if (scene.method == "strands") scene.options["strands"]["seek_minimum"] = false;
        add_clamp(scene, 0);
        push(scene, 1, Vec3(-part * std::numbers::pi * std::numbers::pi / 4, 0, 0));
        const Verdict verdict = verdict_of(scene);
        EXPECT_EQ(verdict.unstable, part < 1 ? 0 : 2) << method << ' ' << n << ": " << to_text(verdict);
        EXPECT_EQ(verdict.neutral.count(), 0) << method << ' ' << n << ": " << to_text(verdict);
      }
    }
  }
}

SENTENCE("run",
         "equilibria under loads that follow the rod have no energy, but where they act on what is held they do no harm") {
  for (const char* method : {"der", "strands"}) {
    for (const bool held : {false, true}) {
      Scene force = at_rest(metre, 20, method), moment = force;
      for (Scene* scene : {&force, &moment}) add_clamp(*scene, 0);
      push(force, held ? 0 : 1, Vec3(0, 0.3, 0), Axes::material);
      turn(moment, held ? 0 : 1, Vec3(0, 0.3, 0), Axes::material);
      const auto expected = held ? Verdict::Kind::counted : Verdict::Kind::no_energy;
      EXPECT_EQ(verdict_of(force).kind, expected) << method;
      EXPECT_EQ(verdict_of(moment).kind, expected) << method;
    }
  }
}

// ---- straight rods pushed together -----------------------------------------------------------------------------------------
SENTENCE("run", "a straight strut that is shortened bends towards the push on it, on every mesh") {
  for (const char* method : {"der", "strands"}) {
    for (const int n : {8, 10, 16, 20, 40}) {
      for (const Vec3& side : {Vec3(0, 1, 0), Vec3(0, 0, -1), Vec3(0, -0.6, 0.8)}) {
        for (const std::vector<Hold>& hold : {grip, pin}) {
          Scene scene = at_rest(metre, n, method);
          add_clamp(scene, 0, hold);
          approach(add_clamp(scene, 1, hold), 0.05);
          push(scene, 0.5, side);
          const Simulation simulation = ended(scene);
          const Vec3 middle = simulation.frame().position[NodeIndex(n / 2)];
          EXPECT_GT(middle.dot(side), 0.1) << method << ' ' << n;
          EXPECT_LT(middle.cross(side).cross(side).tail<2>().norm(), 1e-6) << method << ' ' << n;
          EXPECT_TRUE(simulation.frame().report.verdict.minimum()) << method << ' ' << n;
        }
      }
    }
  }
}

SENTENCE("run", "a straight strut in motion bends towards a spring and with the wind") {
  for (const bool wind : {false, true}) {
    Scene scene = at_rest(metre, 16, "der");
    scene.time.mode = Mode::dynamics, scene.time.duration = 4;
    scene.rods[0].damping.mass = 5;
    add_clamp(scene, 0);
    add_clamp(scene, 1).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.05, 0, 0)}};
    if (wind) {
      WindLoad air;
      air.velocity = Vec3(0, 0, 2);
      scene.loads.push_back(air);
    } else {
      Coupling spring;
      spring.name = "spring", spring.rod = "rod", spring.at = 0.5, spring.stiffness = 1;
      spring.position = Vec3(0.5, 0, 0.3);
      scene.couplings.push_back(spring);
    }
    EXPECT_GT(ended(scene).frame().position[NodeIndex(8)].z(), 0.1) << wind;
  }
}

SENTENCE("run", "a strut over three pins goes to the other side behind the middle one, in motion and in equilibrium") {
  for (const Mode mode : {Mode::statics, Mode::dynamics}) {
    Scene scene = at_rest(metre, 20, "der");
    scene.time.mode = mode, scene.time.duration = mode == Mode::statics ? 1 : 4;
    scene.rods[0].damping.mass = 5;
    add_clamp(scene, 0, pin);
    add_clamp(scene, 0.5, pin).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.025, 0, 0)}};
    add_clamp(scene, 1, pin).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.05, 0, 0)}};
    const Simulation simulation = ended(scene);
    const Vec3 one = simulation.frame().position[NodeIndex(5)], other = simulation.frame().position[NodeIndex(15)];
    EXPECT_GT(one.tail<2>().norm(), 0.05);
    EXPECT_LT(one.tail<2>().dot(other.tail<2>()), 0);
  }
}

SENTENCE("run", "a strut pressed beyond Euler's load bends towards a small load at its side when it leaves the saddle") {
  for (const char* method : {"der", "strands"}) {
    for (const double side : {0.2, -0.2, 0.02}) {
      Scene scene = at_rest(StraightCurve{Vec3::Zero(), Vec3(0, 0, 1)}, 20, method, plain_section(1, 2, 1));
      scene.options[method]["seek_minimum"] = true;
      add_clamp(scene, 0);
      push(scene, 1, Vec3(0, side, -5));
      const Simulation simulation = ended(scene);
      EXPECT_GT(simulation.frame().position[NodeIndex(20)].y() * side, 0) << method << ' ' << side;
      EXPECT_TRUE(simulation.frame().report.verdict.minimum()) << method << ' ' << side;
    }
  }
}

// Post-buckling of a clamped strut: P L^2/EI = 4 pi^2 (1 + d/(2 L)) for a small shortening d.
SENTENCE("run", "a clamped straight rod shortened by a thousandth carries Euler's load, in statics and quasistatics") {
  for (const char* method : {"der", "strands"}) {
    for (const Mode mode : {Mode::statics, Mode::quasistatic}) {
      double force[2];
      for (const int k : {0, 1}) {
        Scene scene = at_rest(metre, 20 << k, method);
        scene.time.mode = mode, scene.time.frames_per_second = 10;
        add_clamp(scene, 0);
        approach(add_clamp(scene, 1), 1e-3);
        const Simulation simulation = ended(scene);
        force[k] = -simulation.reactions()[1].force.x();
        EXPECT_TRUE(simulation.frame().report.verdict.minimum()) << method;
        EXPECT_NEAR(simulation.frame().position[NodeIndex(10 << k)].tail<2>().norm(), 2 / std::numbers::pi * std::sqrt(1e-3),
                    1e-3);
      }
      const double expected = 4 * std::numbers::pi * std::numbers::pi * (1 + 0.5e-3);
      EXPECT_NEAR(force[1], expected, 0.01 * expected) << method;
      EXPECT_NEAR((4 * force[1] - force[0]) / 3, expected, 1e-3 * expected) << method;
    }
  }
}

SENTENCE("run", "a clamped straight rod is pushed together in motion, and rests where it is in equilibrium") {
  for (const bool pushed : {false, true}) {
    Scene scene = at_rest(metre, 16, "der");
    add_clamp(scene, 0);
    Clamp& clamp = add_clamp(scene, 1);
    approach(clamp, 0.01);
    if (pushed) push(scene, 0.5, Vec3(0, 0, -1));
    const Vec3 still = ended(scene).frame().position[NodeIndex(8)];
    scene.time.mode = Mode::dynamics, scene.time.duration = 6, scene.time.frames_per_second = 10;
    scene.rods[0].damping.mass = 5;
    scene.options["der"]["projection"] = std::string("conserving");
    const Simulation simulation = ended(scene);
    const Vec3 moved = simulation.frame().position[NodeIndex(8)];
    EXPECT_LT((moved - still).norm(), 1e-3) << pushed << ": " << moved.transpose() << " / " << still.transpose();
    EXPECT_EQ(simulation.report().retries, 0);
    if (pushed) {
      EXPECT_LT(moved.z(), -0.05);
    }
  }
}

SENTENCE("run", "an unstable column is left for a stable one on request, by every method") {
  for (const char* method : {"der", "strands"}) {
    for (const bool asked : {false, true}) {
      Scene scene = at_rest(metre, 40, method);
      scene.options[method]["seek_minimum"] = asked;
      add_clamp(scene, 0);
      push(scene, 1,
           Vec3(-1.152 * std::numbers::pi * std::numbers::pi / 4, 0,
                0));  // elastica: the tip has turned by 60 degrees at 1.152 of Euler's load
      const Simulation simulation = ended(scene);
      const Verdict& verdict = simulation.frame().report.verdict;
      const Vec3 tip = simulation.frame().position[NodeIndex(40)];
      EXPECT_EQ(verdict.unstable, asked ? 0 : 2) << method;
      // The plane in which a round column bends may swing about it.
      EXPECT_EQ(verdict.neutral, (Verdict::Neutral{0, asked ? 1 : 0, 0, 0})) << method << to_text(verdict);
      EXPECT_NEAR(tip.x(), asked ? 0.741 : 1.0, asked ? 3e-3 : 1e-9) << method;
    }
  }
}

// Thrust P at which a clamped rod under the torque M buckles, EI = L = 1 [Greenhill 1883]: w = A + i b s + e^(i m s) (C cos(k s) + i d
// sin(k s)) with m = M/2, k^2 = m^2 + P is the deflection, y + i z; w and its slope vanish at s = 1/2.
double critical_thrust(double M) {
  const auto determinant = [M](double P) {
    const double m = 0.5 * M, h = 0.5, k = std::sqrt(m * m + P);
    const double c = std::cos(k * h), s = std::sin(k * h), cm = std::cos(m * h), sm = std::sin(m * h);
    const double a = -k * s * cm - m * c * sm, b = -m * s * cm - k * c * sm;
    return a * (-cm * s / h - m * s * sm + k * c * cm) - b * (-sm * c / h - k * s * sm + m * c * cm);
  };
  double P = 0.05;
  while (P < 45 && determinant(P) * determinant(P + 0.05) > 0) P += 0.05;
  double low = P, high = P + 0.05;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (determinant(low) * determinant(middle) <= 0 ? high : low) = middle;
  }
  return low;
}

SLOW_SENTENCE("run", "a clamped rod that is twisted and shortened a little carries the thrust of linear theory") {
  EXPECT_NEAR(critical_thrust(0), 4 * std::numbers::pi * std::numbers::pi, 1e-9);
  for (const char* method : {"der", "strands"}) {
    for (const double turns : {0.0, 0.514, 1.029, 1.2}) {
      Scene scene = at_rest(metre, 100, method, plain_section(1, 1, 1));
      add_clamp(scene, 0);
      Clamp& clamp = add_clamp(scene, 1);
      approach(clamp, 1e-4);
      clamp.turn = der::ramp(turns);
      const Simulation simulation = ended(scene);
      const Wrench& end = simulation.reactions()[1];
      const double expected = critical_thrust(end.moment.x());  // at its own torque
      EXPECT_NEAR(-end.force.x(), expected, (scene.method == "der" ? 5e-3 : 1e-3) * 4 * std::numbers::pi * std::numbers::pi)
          << method << ' ' << turns;
      EXPECT_TRUE(simulation.frame().report.verdict.minimum()) << method << ' ' << turns;
    }
  }
}

// The last rows of the same table: with a shortening that is not small, and in the limit.
SLOW_SENTENCE(
    "run",
    "of 1.2 turns: 9.436 N at a thousandth, and at a hundred-thousandth, with 400 segments, linear theory's 9.4421 N") {
  for (const bool limit : {false, true}) {
    Scene scene = at_rest(metre, limit ? 400 : 100, "strands", plain_section(1, 1, 1));
    add_clamp(scene, 0);
    Clamp& clamp = add_clamp(scene, 1);
    approach(clamp, limit ? 1e-5 : 1e-3);
    clamp.turn = der::ramp(1.2);
    const Simulation simulation = ended(scene);
    const Wrench& end = simulation.reactions()[1];
    EXPECT_NEAR(-end.force.x(), limit ? 9.4421 : 9.4361, limit ? 1e-3 : 1e-2);
    if (limit) {
      EXPECT_NEAR(-end.force.x(), critical_thrust(end.moment.x()), 1e-3);
    }
  }
}

// ---- loads at ends ---------------------------------------------------------------------------------------------------------
SENTENCE("run", "forces and moments in material axes at a curved and twisted end are of second order") {
  for (const bool is_moment : {false, true}) {
    for (const double at : {1.0, 0.0}) {
      Vec3 tip[3];
      for (const int k : {0, 1, 2}) {
        const int n = 16 << k;
        Scene scene = at_rest(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 0.7, 2}, n, "der", plain_section(1, 0.5));
        scene.rods[0].natural_twist = 1.5;
        add_clamp(scene, 1 - at);
        if (is_moment)
          turn(scene, at, Vec3(0.3, -0.2, 0.4), Axes::material);
        else
          push(scene, at, Vec3(0.3, -0.2, 0.4), Axes::material);
        tip[k] = ended(scene).frame().position[NodeIndex(at == 1 ? n : 0)];
      }
      const double coarse = (tip[1] - tip[0]).norm(), fine = (tip[2] - tip[1]).norm();
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3) << is_moment << ' ' << at << ": " << coarse << ' ' << fine;
    }
  }
}

SENTENCE("run", "a moment on a clamped end does not move the rod: its clamp bears it") {
  for (const char* method : {"der", "strands"}) {
    for (const Axes axes : {Axes::world, Axes::material}) {
      Scene scene = at_rest(metre, 20, method);
      add_clamp(scene, 0);
      push(scene, 1, Vec3(0, 0.2, 0));
      const Simulation plain = ended(scene);
      turn(scene, 0, Vec3(0.3, -0.4, 0.5), axes);
      const Simulation loaded = ended(scene);
      for (int i = 0; i <= 20; ++i)
        EXPECT_LT((plain.frame().position[NodeIndex(i)] - loaded.frame().position[NodeIndex(i)]).norm(), 1e-9) << method;
      const Vec3 borne = plain.reactions()[0].moment - loaded.reactions()[0].moment;
      EXPECT_NEAR(borne.norm(), std::sqrt(0.5), 1e-8) << method;
    }
  }
}

SENTENCE("run", "a moment on a pinned end is borne by forces at both pins, one length apart") {
  Scene scene = at_rest(metre, 20, "der");
  scene.rods[0].stretch = Give::elastic;
  add_clamp(scene, 0, pin);
  add_clamp(scene, 1, pin);
  turn(scene, 1, Vec3(0, 0, 1e-3), Axes::world);
  const Simulation simulation = ended(scene);
  EXPECT_NEAR(simulation.reactions()[0].force.y(), 1e-3, 1e-6);
  EXPECT_NEAR(simulation.reactions()[1].force.y(), -1e-3, 1e-6);
  for (int e = 0; e < 20; ++e) EXPECT_NEAR(simulation.frame().force[EdgeIndex(e)].y(), -1e-3, 1e-6) << e;
}

SENTENCE("run", "a moment that follows a pinned end is found in a few dozen iterations, however fine the mesh") {
  for (const int n : {30, 120}) {
    Scene scene = at_rest(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1, 1}, n, "der");
    add_clamp(scene, 0);
    add_clamp(scene, 1, pin);
    turn(scene, 1, Vec3(0, 0.5, 0.2), Axes::material);
    const Simulation simulation = ended(scene);
    EXPECT_LT(simulation.report().worst_iterations, 60) << n;
    EXPECT_EQ(simulation.report().retries, 0);
  }
}

// ---- straight between two pins ---------------------------------------------------------------------------------------------
SENTENCE("run", "a straight rod that stretches is pulled by a hundredth between two pins with EA/100") {
  for (const char* method : {"der", "strands"}) {
    for (const int n : {10, 40}) {
      for (const std::vector<Hold>& hold : {pin, grip}) {
        Scene scene = at_rest(metre, n, method);
        scene.rods[0].stretch = Give::elastic;
        add_clamp(scene, 0, hold);
        approach(add_clamp(scene, 1, hold), -0.01);
        const Simulation simulation = ended(scene);
        EXPECT_NEAR(simulation.reactions()[1].force.x(), 100, 1e-6) << method;
        EXPECT_TRUE(simulation.frame().report.verdict.minimum()) << method;
      }
    }
  }
}

SENTENCE("run", "a beam as long as its clamps are apart cannot sag: check says so, and so does the run that stops") {
  for (const char* method : {"der", "strands"}) {
    Scene scene = at_rest(metre, 20, method);
    add_clamp(scene, 0);
    add_clamp(scene, 1);
    scene.loads.push_back(GravityLoad{});
    EXPECT_NE(to_text(check(scene)).find("stretch = \"elastic\""), std::string::npos) << to_text(check(scene));
    Simulation simulation = std::move(*Simulation::open(scene));
    const RunReport report = simulate(simulation, {});
    EXPECT_EQ(report.outcome, Outcome::diverged) << method;
    EXPECT_NE(report.message.find("exactly as long as its clamps are apart"), std::string::npos) << report.message;
    // With stretch it sags by w L^4/384 EI, as long as that is little.
    scene.rods[0].stretch = Give::elastic;
    scene.loads = {GravityLoad{Vec3(0, 0, -0.05)}};
    EXPECT_EQ(to_text(check(scene)), "");
    const double sag = -ended(scene).frame().position[NodeIndex(10)].z();
    EXPECT_NEAR(sag, 0.05 / 384, 0.02 * 0.05 / 384) << method;
  }
}

}  // namespace
}  // namespace tendril
