// Equilibria as a user sees them, the same experiments for every method that has them.
#include <cmath>
#include <ctime>
#include <numbers>

#include "run/statics_testing.h"

namespace tendril {
namespace {

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
