// Two bodies, one fifteen times heavier in rotation, joined by a rod that passes torque between them.  [Bergou 2008, Fig. 6]
#include <algorithm>
#include <cmath>
#include <numbers>

#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::der_torque_transducer {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double GJ = 0.5, length = 1.2, I1 = 0.02, I2 = 0.3;  // REFERENCES 6b (ii)
constexpr double reference_frequency = 4.714045208;            // omega^2 = (GJ/L)(1/I1 + 1/I2)
constexpr int periods = 20;

// The walls of the welds stand at the rod's ends, so the twist reaches from body to body and L is the whole length.
Scene transducer(bool bent) {
  Scene scene;
  scene.title = bent ? "torque transducer, bent rod" : "torque transducer";
  Rod rod;
  rod.name = "shaft";
  rod.section = StiffnessSection{.EA = 1e5, .EI1 = 0.6, .EI2 = 0.6, .GJ = GJ, .mass_per_length = 0.02, .radius = 0.01};
  rod.rest = StraightCurve{Vec3::Zero(), Vec3(length, 0, 0)};
  if (bent) rod.initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1.5, length / 1.5};
  rod.initial_twist = 1 / (2 * pi);  // one radian, which the bodies hold at the start
  rod.segments = 16;
  scene.rods.push_back(rod);
  const Vec3 end = bent ? Vec3(1.5 * std::sin(length / 1.5), 1.5 * (1 - std::cos(length / 1.5)), 0) : Vec3(length, 0, 0);
  for (const bool heavy : {false, true}) {
    RigidBody body;
    body.name = heavy ? "heavy" : "light";
    body.mass = heavy ? 15.0 : 1.0;
    body.inertia = Vec3::Constant(heavy ? I2 : I1);
    body.position = heavy ? end : Vec3(0, 0, 0);
    scene.bodies.push_back(body);
    scene.joints.push_back({body.name, JointKind::rigid, {"shaft", heavy ? 1.0 : 0.0}, {"", 0, body.name}, Vec3::UnitZ()});
  }
  scene.options["der"]["projection"] = std::string("conserving");
  scene.time.duration = periods * 2 * pi / reference_frequency;
  return scene;
}

struct Record {
  std::vector<std::vector<double>> rows;  // time, angle of the light body, energies: light, heavy, rod, sum
  double swing = 0;                       // largest change of the sum, part of the sum at the start
  double frequency = 0;
  double light_amplitude = 0, heavy_amplitude = 0, spin_momentum = 0;
};

// Frequency from the times at which the light body stands still, first to last.
Record watch(const Scene& scene) {
  Simulation simulation = open_or_throw(scene);
  Record record;
  double angle = 0, heavy_angle = 0, before = 0, first = 0, last = 0, low[2] = {0, 0}, high[2] = {0, 0};
  int turns = 0;
  const double start = simulation.measures().energy.total();
  const auto kinetic = [&](std::size_t i) {
    const BodyState& b = simulation.frame().bodies[i];
    const double inertia = i == 0 ? I1 : I2, mass = i == 0 ? 1.0 : 15.0;
    return 0.5 * (inertia * b.motion.angular.squaredNorm() + mass * b.motion.linear.squaredNorm());
  };
  for (int i = 0; !simulation.finished(); ++i) {
    const double from = simulation.time();
    advance_or_throw(simulation);
    const Frame& frame = simulation.frame();
    const double dt = simulation.time() - from, spin = frame.bodies[0].motion.angular.x();
    angle += dt * spin, heavy_angle += dt * frame.bodies[1].motion.angular.x();
    low[0] = std::min(low[0], angle), high[0] = std::max(high[0], angle);
    low[1] = std::min(low[1], heavy_angle), high[1] = std::max(high[1], heavy_angle);
    record.spin_momentum = std::max(record.spin_momentum, simulation.measures().angular_momentum.norm());
    if (i > 0 && (spin > 0) != (before > 0)) {
      last = from + dt * before / (before - spin);
      if (turns++ == 0) first = last;
    }
    before = spin;
    const double sum = simulation.measures().energy.total();
    record.swing = std::max(record.swing, std::abs(sum - start) / start);
    if (i % 50 == 0)
      record.rows.push_back({simulation.time(), angle, kinetic(0), kinetic(1), sum - kinetic(0) - kinetic(1), sum});
  }
  record.frequency = (turns - 1) * pi / (last - first);
  record.light_amplitude = 0.5 * (high[0] - low[0]), record.heavy_amplitude = 0.5 * (high[1] - low[1]);
  return record;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const std::vector<std::string> head{"time [s]",       "light angle [rad]", "light body [J]",
                                      "heavy body [J]", "rod [J]",           "sum [J]"};
  const Record straight = watch(transducer(false));
  context.write_csv("energies", head, straight.rows);
  context.write_csv("energies_bent", head,
                    watch(transducer(true)).rows);  // shown without a bound: it bends and swings as well
  return {
      relative_check("frequency [rad/s]", reference_frequency, straight.frequency, 0.01),
      relative_check("amplitude of the light body [rad]", I2 / (I1 + I2), straight.light_amplitude, 0.01),
      relative_check("amplitude of the heavy body [rad]", I1 / (I1 + I2), straight.heavy_amplitude, 0.01),
      bound_check("swing of the sum of energies over 20 periods, part of it", straight.swing, 0.02),
      bound_check("angular momentum that appears [kg m^2/s]", straight.spin_momentum, 1e-9),
  };
}

}  // namespace tendril::experiments::der_torque_transducer
