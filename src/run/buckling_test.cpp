// Straight rods pushed together, pressed and twisted: to which side they go and what they carry, for every method.
#include <cmath>
#include <numbers>

#include "run/statics_testing.h"

namespace tendril {
namespace {

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

// A steel strip of 20 mm by 2 mm snaps to another shape on its way: a descent of a thousand iterations, which no smaller increment
// of the path makes shorter.
SENTENCE(
    "run",
    "a strip that is turned by a turn and shortened finds its equilibrium through a snap, in statics and quasistatics") {
  for (const Mode mode : {Mode::statics, Mode::quasistatic}) {
    Scene scene = at_rest(metre, mode == Mode::statics ? 100 : 60, "der", plain_section(2.667, 266.7, 3.84));
    scene.time.mode = mode, scene.time.frames_per_second = 20;
    add_clamp(scene, 0);
    Clamp& clamp = add_clamp(scene, 1);
    approach(clamp, 0.1);
    clamp.turn = der::ramp(1);
    EXPECT_TRUE(verdict_of(scene).minimum()) << static_cast<int>(mode);
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

}  // namespace
}  // namespace tendril
