// Two ropes cross. Each is held at one end and loaded at the other, and the upper one is pulled down on the lower: what they
// press on each other with is what the held ends feel more than before.
#include <fmt/format.h>

#include <cmath>

#include "validation/contact/contact_scenes.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::contact_crossing {
namespace {

constexpr double r = 2e-3, T = 2, down = 0.5;  // [m], [N], of the load at the end: how much of it pulls down

Rod rope(const char* name, const Vec3& from, const Vec3& to) {
  Rod rod;
  rod.name = name;
  rod.section = StiffnessSection{.EA = {}, .EI1 = 2e-4, .EI2 = 2e-4, .GJ = 2e-4, .mass_per_length = 0.05, .radius = r};
  rod.rest = StraightCurve{from, to};
  rod.segments = 41;
  rod.damping.mass = 4;
  return rod;
}

// The lower rope along x, the upper one across at `angle`, apart by a hair. The upper one's load turns down.
Scene crossing(double angle, double mu) {
  Scene scene;
  scene.title = fmt::format("crossing at {} rad, mu {}", angle, mu);
  const Vec3 way(std::cos(angle), std::sin(angle), 0), up = (2 * r + 1e-5) * Vec3::UnitZ();
  scene.rods = {rope("lower", Vec3(-0.4, 0, 0), Vec3(0.6, 0, 0)), rope("upper", up - 0.45 * way, up + 0.55 * way)};
  for (const Rod& rod : scene.rods) {
    Clamp clamp;
    clamp.name = clamp.rod = rod.name;
    clamp.hold = {Hold::position};
    if (rod.name == "upper") {
      clamp.move.keys = {{0, Vec3::Zero()}, {2, Vec3(0, 0, -0.15)}};
    }
    scene.clamps.push_back(clamp);
  }
  ForceLoad load;
  load.rod = "lower", load.value = Vec3(T, 0, 0);
  scene.loads.push_back(load);
  load.rod = "upper", load.value = T * way;
  scene.loads.push_back(load);
  load.value = Vec3(0, 0, -down * T);
  load.factor.keys = {{0, 0}, {2, 1}};
  scene.loads.push_back(load);
  scene.contact.enabled = true;
  scene.contact.friction = mu;
  scene.time.duration = 6;
  return scene;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) { return crossing_with("der", 0, context); }

std::vector<Check> crossing_with(const std::string& method, double step, ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  double worst = 0;
  for (const double mu : {0.0, 0.3}) {
    for (const double angle : {1.5707963267948966, 0.9}) {
      Scene scene = crossing(angle, mu);
      scene.method = method;
      if (step > 0) scene.time.step = step;
      Simulation simulation = open_or_throw(scene);
      while (!simulation.finished()) advance_or_throw(simulation);
      Vec3 pressed = Vec3::Zero();  // on the lower rope
      for (const ContactPoint& p : simulation.frame().contacts) {
        const bool a_is_lower = p.edge_a < 41;
        pressed += a_is_lower ? p.force : Vec3(-p.force);
      }
      // Before, the held ends carried their ropes' loads alone.
      const Vec3 way(std::cos(angle), std::sin(angle), 0);
      const Vec3 lower = simulation.reactions()[0].force + T * Vec3::UnitX();
      const Vec3 upper = simulation.reactions()[1].force + T * way - down * T * Vec3::UnitZ();
      const std::string name = fmt::format("angle {:.3g}, mu {}", angle, mu);
      checks.push_back(relative_check(name + ": change at the lower rope's end [N]", pressed.norm(), lower.norm(), 0.01));
      checks.push_back(relative_check(name + ": change at the upper rope's end [N]", pressed.norm(), upper.norm(), 0.01));
      checks.push_back(bound_check(name + ": lower, difference of the vectors, part of the force",
                                   (pressed + lower).norm() / pressed.norm(), 0.01));
      checks.push_back(bound_check(name + ": upper, difference of the vectors, part of the force",
                                   (pressed - upper).norm() / pressed.norm(), 0.01));
      rows.push_back({angle, mu, pressed.x(), pressed.y(), pressed.z(), lower.norm(), upper.norm()});
      worst = std::max(worst, simulation.report().worst_penetration);
    }
  }
  context.write_csv("forces",
                    {"angle [rad]", "mu", "contact x [N]", "contact y [N]", "contact z [N]", "change at lower end [N]",
                     "change at upper end [N]"},
                    rows);
  checks.push_back(bound_check("worst penetration, over the radius", worst, 0.02));
  return checks;
}

}  // namespace tendril::experiments::contact_crossing
