// What the smooth rod keeps, the discrete one keeps: energy and momenta of a free rod, extensible or not, lengths of an
// inextensible one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "model/model.h"
#include "run/open.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::der_energy {
namespace {

constexpr int long_run = 100000;   // steps
constexpr int sampled_every = 20;  // steps
constexpr double together = 1;     // [s] motions with different steps are still the same

// ---- a free rod ----

// Length 1, mass 1, stiffness 1: the lowest bending mode swings 3.6 times in a unit of time. It is thrown, spins, and starts
// bent, so that it rings in all its modes; nothing acts on it from outside.
Scene thrown_rod(const std::string& title) {
  Scene scene;
  scene.title = title;
  Rod rod;
  rod.name = "rod";
  rod.stretch = Give::elastic;
  rod.velocity = Vec3(0.3, -0.2, 0.1);
  rod.angular_velocity = Vec3(0.5, 1.0, -2.0);
  rod.segments = 20;
  scene.rods.push_back(rod);
  return scene;
}

Scene straight_isotropic() {
  Scene scene = thrown_rod("free isotropic rod");
  Rod& rod = scene.rods.front();
  rod.section = StiffnessSection{.EA = 1000, .EI1 = 1, .EI2 = 1, .GJ = 0.7, .mass_per_length = 1, .radius = 0.03};
  rod.rest = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  rod.initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1.0, 1.0};
  return scene;
}

// Every term of the energy at work: stiff one way and soft the other, naturally curved about both axes and twisted, started
// straight and twisted off its rest. Its frames carry no inertia and stand in equilibrium, so they pass on the moments of
// the rod and no other: angular momentum is that of the centerline alone.
Scene curved_anisotropic() {
  Scene scene = thrown_rod("free anisotropic, naturally curved rod");
  Rod& rod = scene.rods.front();
  rod.section = StiffnessSection{.EA = 1000, .EI1 = 1, .EI2 = 3, .GJ = 0.7, .mass_per_length = 1, .radius = 0.03};
  BentCurve rest;
  rest.curvature = Vec2(0.8, 0.5);
  rest.twist = 1.5;
  rod.rest = rest;
  rod.initial = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  return scene;
}

// Leapfrog keeps not the energy H itself but one close to it, all the way. H swings about that one by O(dt^2) times the energy in
// the fast modes, and so does its mean: as motion spreads from slow modes to fast ones, the mean of H shifts although nothing is
// gained or lost. So a trend is looked for in the kept energy, known up to O(dt^4):
//   H~ = 1/2 w.Mw + V(x_n) + dt^2 (1/12 w.V''w - 1/24 a.Ma),   w = (v_n-1/2 + v_n+1/2)/2,   M a = -V'(x_n),   V''w = -M da/dt
// [Skeel, Hardy 2001: shadow energy of the leapfrog]. Velocities of the middles of steps are differences of positions.
struct Window {  // the steps that end at n-1 ... n+2
  std::array<std::vector<Vec3>, 4> velocity;
  double potential = 0;  // at n
};
double kept_energy(const Window& window, std::span<const double> mass, double dt) {
  double energy = window.potential;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const Vec3 &v0 = window.velocity[0][i], &v1 = window.velocity[1][i], &v2 = window.velocity[2][i],
               &v3 = window.velocity[3][i];
    const Vec3 w = 0.5 * (v1 + v2), a = (v2 - v1) / dt, jerk = ((v3 - v2) - (v1 - v0)) / (2 * dt * dt);
    energy += mass[i] * (0.5 * w.squaredNorm() - dt * dt * (w.dot(jerk) / 12 + a.squaredNorm() / 24));
  }
  return energy;
}
std::vector<double> node_masses(const Model& model) {
  std::vector<double> mass(static_cast<std::size_t>(model.material.size()), 0.0);
  for (int k = 0; k < model.rest_length.size(); ++k) {
    const double half = 0.5 * model.section[EdgeIndex(k)].line_mass * model.rest_length[EdgeIndex(k)];
    mass[static_cast<std::size_t>(k)] += half, mass[static_cast<std::size_t>(k + 1)] += half;
  }
  return mass;
}

struct Record {
  double dt = 0;
  std::vector<double> time, energy, kept;
  double momentum = 0, angular_momentum = 0;  // worst change, over mass * speed and mass * speed * length
  double deformation = 0;                     // energy at the start that is not of the motion: the scale of errors
};

Record watch(Scene scene, double dt) {
  scene.time.step = dt;
  scene.time.duration = long_run * dt;
  scene.time.frames_per_second = 1 / (sampled_every * dt);
  Simulation simulation = open_or_throw(scene);
  const std::vector<double> mass = node_masses(model_of(simulation));
  const Measures start = simulation.measures();
  const Energy first = simulation.frame().own_energy;
  const double speed = std::sqrt(2 * first.total());  // mass and length are 1
  Record record;
  record.dt = dt;
  record.deformation = first.bending + first.twisting + first.stretching;
  Window window;
  std::vector<Vec3> before;
  for (int step = 1; !simulation.finished(); ++step) {
    const int place = step % sampled_every;
    if (place <= 3) before.assign(simulation.frame().position.begin(), simulation.frame().position.end());
    advance_or_throw(simulation);
    if (place > 3 || step < sampled_every) continue;
    const Frame& frame = simulation.frame();
    std::vector<Vec3>& velocity = window.velocity[static_cast<std::size_t>(place)];
    velocity.clear();
    for (std::size_t i = 0; i < before.size(); ++i)
      velocity.push_back((frame.position[NodeIndex(static_cast<int>(i))] - before[i]) / dt);
    if (place == 1) {
      window.potential = frame.own_energy.total() - frame.own_energy.kinetic;
      record.time.push_back(simulation.time());
      record.energy.push_back(frame.own_energy.total());
      const Measures& now = simulation.measures();
      record.momentum = std::max(record.momentum, (now.momentum - start.momentum).norm() / speed);
      record.angular_momentum =
          std::max(record.angular_momentum, (now.angular_momentum - start.angular_momentum).norm() / speed);
    }
    if (place == 3) record.kept.push_back(kept_energy(window, mass, dt));
  }
  if (simulation.report().retries > 0) throw std::runtime_error(scene.title + ": a step had to be repeated");
  return record;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
// The last tenth of a run against the first.
double trend(std::span<const double> all) {
  const std::size_t tenth = all.size() / 10;
  return mean(all.last(tenth)) - mean(all.first(tenth));
}
double largest_deviation(std::span<const double> all) {
  const double middle = mean(all);
  double worst = 0;
  for (const double e : all) worst = std::max(worst, std::abs(e - middle));
  return worst;
}
// Of the energy about the kept one until a time, as the root of the mean square. Two motions of this rod, which is chaotic, part
// after a few swings of the lowest mode; from then on their fast modes hold different energies, and their ratio means nothing.
double swing(const Record& r, double until) {
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < r.kept.size() && r.time[i] < until; ++i) {
    const double off = r.energy[i] - r.kept[i];
    sum += off, squares += off * off, ++count;
  }
  return std::sqrt(squares / count - (sum / count) * (sum / count));
}

// Bounds are parts of the deformation's energy at the start. With half the step the shift of the mean, O(dt^2), may be a
// quarter; what is left of H~, O(dt^4), is asked to be a tenth.
struct Bounds {
  double step = 1;  // of the advised one
  double deviation = 0.1, trend = 0.02, kept = 1e-3;
};
constexpr std::array<Bounds, 2> bounds{{{1, 0.1, 0.02, 1e-3}, {0.5, 0.05, 0.005, 1e-4}}};

void examine_free(const Scene& scene, const std::string& file, ExperimentContext& context, std::vector<Check>& checks) {
  const double advised = open_or_throw(scene).step_size();
  std::vector<std::vector<double>> rows;
  std::vector<double> swings;
  for (const Bounds& bound : bounds) {
    const Record r = watch(scene, bound.step * advised);
    const std::string name = fmt::format("{}, {} steps of {:.2g} s: ", scene.title, long_run, r.dt);
    checks.push_back(
        bound_check(name + "largest deviation of energy", largest_deviation(r.energy) / r.deformation, bound.deviation));
    checks.push_back(bound_check(name + "trend of energy", trend(r.energy) / r.deformation, bound.trend));
    checks.push_back(bound_check(name + "trend of the kept energy", trend(r.kept) / r.deformation, bound.kept));
    checks.push_back(bound_check(name + "change of momentum", r.momentum, 1e-10));
    checks.push_back(bound_check(name + "change of angular momentum", r.angular_momentum, 1e-10));
    swings.push_back(swing(r, together));
    for (std::size_t i = 0; i < r.time.size(); ++i) rows.push_back({r.dt, r.time[i], r.energy[i], r.kept[i]});
  }
  checks.push_back(
      absolute_check(scene.title + ": swing of energy over that of half the step", 4, swings[0] / swings[1], 0.5));
  context.write_csv(file, {"step [s]", "time [s]", "energy [J]", "kept energy [J]"}, rows);
}

// The same rods with fixed lengths, by the default projection. Tensions are no part of H~, so only H itself is watched.
void examine_inextensible(Scene scene, ExperimentContext& context, const std::string& file, std::vector<Check>& checks) {
  scene.rods.front().stretch = Give::none;
  const Record r = watch(scene, open_or_throw(scene).step_size());
  const std::string name = fmt::format("{}, inextensible, {} steps of {:.2g} s: ", scene.title, long_run, r.dt);
  checks.push_back(bound_check(name + "largest deviation of energy", largest_deviation(r.energy) / r.deformation, 0.05));
  checks.push_back(bound_check(name + "trend of energy", trend(r.energy) / r.deformation, 0.01));
  checks.push_back(bound_check(name + "change of momentum", r.momentum, 1e-10));
  checks.push_back(bound_check(name + "change of angular momentum", r.angular_momentum, 1e-10));
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < r.time.size(); ++i) rows.push_back({r.time[i], r.energy[i]});
  context.write_csv(file, {"time [s]", "energy [J]"}, rows);
}

// ---- lengths ----

Scene heavy_rod(const std::string& title) {
  Scene scene;
  scene.title = title;
  Rod rod;
  rod.name = "rod";
  rod.rest = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  rod.section = StiffnessSection{.EA = {}, .EI1 = 1e-3, .EI2 = 1e-3, .GJ = 1e-3, .mass_per_length = 0.1, .radius = 0.01};
  rod.segments = 50;
  scene.rods.push_back(rod);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -9.81)});
  Clamp hand;
  hand.name = "hand";
  hand.rod = "rod";
  scene.clamps.push_back(hand);
  scene.time.duration = 10;
  return scene;
}
Scene pendulum() {  // let go from the horizontal, hanging by one end
  Scene scene = heavy_rod("soft pendulum");
  scene.clamps.front().hold = {Hold::position};
  return scene;
}
Scene whip() {  // the hand goes to and fro, faster and faster, and turns the rod as well
  Scene scene = heavy_rod("cracked whip");
  Clamp& hand = scene.clamps.front();
  hand.turn = {TimetableShape::linear, {{0, 0}, {10, 3}}};
  hand.move.shape = TimetableShape::smooth;
  hand.move.keys.push_back({0, Vec3::Zero()});
  double time = 0.5, side = 0.3;
  for (double beat = 1; time < 9.5; beat = std::max(0.15, 0.8 * beat), side = -side) {
    hand.move.keys.push_back({time, Vec3(0, 0, side)});
    time += beat;
  }
  return scene;
}

// Taken from the positions themselves and not from the solver's report; after every step.
double worst_length(const Simulation& simulation) {
  const Frame& frame = simulation.frame();
  double worst = 0;
  for (int k = 0; k + 1 < frame.position.size(); ++k) {
    const double rest = model_of(simulation).rest_length[EdgeIndex(k)];
    const Vec3 edge = frame.position[NodeIndex(k + 1)] - frame.position[NodeIndex(k)];
    worst = std::max(worst, std::abs(edge.squaredNorm() / (rest * rest) - 1));
  }
  return worst;
}

void examine_lengths(const Scene& scene, const std::string& file, ExperimentContext& context, std::vector<Check>& checks) {
  Simulation simulation = open_or_throw(scene);
  double worst = 0, fastest = 0, iterations = 0, steps = 0;
  int max_iterations = 0;
  std::vector<std::vector<double>> rows;
  while (!simulation.finished()) {
    const StepReport report = step_or_throw(simulation);
    const double now = worst_length(simulation);
    const NodeIndex tip(simulation.frame().position.size() - 1);
    worst = std::max({worst, now, report.residual});
    fastest = std::max(fastest, simulation.frame().velocity[tip].norm());
    max_iterations = std::max(max_iterations, report.iterations);
    iterations += report.iterations;
    ++steps;
    if (simulation.at_recording_time())
      rows.push_back({simulation.time(), now, 1.0 * report.iterations, simulation.frame().position[tip].z()});
  }
  // A step that the projection cannot follow is taken back and halved (the whip's crack moves a tip by two edges at once).
  const std::string name = fmt::format("{}, {} steps, {} of them repeated, tip up to {:.0f} m/s: ", scene.title, steps,
                                       simulation.report().retries, fastest);
  checks.push_back(bound_check(name + "worst of | |e|^2/l^2 - 1 |", worst, 1e-8));
  checks.push_back(bound_check(name + fmt::format("most iterations (mean {:.2f})", iterations / steps), max_iterations, 20));
  context.write_csv(file, {"time [s]", "length error", "iterations", "tip height [m]"}, rows);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  examine_free(straight_isotropic(), "free_isotropic", context, checks);
  examine_free(curved_anisotropic(), "free_general", context, checks);
  examine_inextensible(straight_isotropic(), context, "inextensible_isotropic", checks);
  examine_inextensible(curved_anisotropic(), context, "inextensible_general", checks);
  examine_lengths(pendulum(), "pendulum", context, checks);
  examine_lengths(whip(), "whip", context, checks);
  return checks;
}

}  // namespace tendril::experiments::der_energy
