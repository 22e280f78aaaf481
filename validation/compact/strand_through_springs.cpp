// Two springs slide down a strand that a heavy bead pulls down in its middle, until they touch each other.  [Zhao 2022, Fig. 14]
//
// The paper gives the strand, the springs and the step. Ours are: a strand of 6 m, held in its place at one end and in a chute at the
// other; springs of ten turns, of radius 0.15 m and pitch 0.12 m; a bead of 0.3 kg, 180 times as heavy as the strand, which touches
// nothing; no friction; damping by the air (1/s).  (scenes/strand_through_springs.toml)
#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>

#include "validation/experiment.h"
#include "validation/machine_speed.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_strand_through_springs {
namespace {

constexpr double r = 0.03, turns = 10, step = 3e-3;

Rod rod_of(const std::string& name, double young, int segments) {
  Rod rod;
  rod.name = name, rod.segments = segments;
  const double I = std::numbers::pi * std::pow(r, 4) / 4, area = std::numbers::pi * r * r;
  StiffnessSection s;
  s.EI1 = s.EI2 = young * I, s.GJ = young * 2 * I, s.mass_per_length = 0.1 * area, s.radius = r;
  rod.section = s;
  rod.damping.mass = 1;
  return rod;
}

Scene strand_through_springs() {
  Scene scene;
  scene.title = "a strand through two springs";
  scene.method = "compact";
  Rod strand = rod_of("strand", 20e6, 30);
  strand.rest = StraightCurve{Vec3(-3, 0, 0), Vec3(3, 0, 0)};
  scene.rods.push_back(strand);
  for (const double start : {-2.4, 1.2}) {
    Rod spring = rod_of(start < 0 ? "left-spring" : "right-spring", 2e6, 150);
    HelixCurve helix;
    helix.center = Vec3(start, 0, 0), helix.axis = Vec3::UnitX(), helix.radial = Vec3::UnitZ();
    helix.radius = 0.15, helix.pitch = 0.12, helix.turns = turns;
    spring.rest = helix;
    scene.rods.push_back(spring);
  }
  for (const double at : {0.0, 1.0}) {
    Clamp clamp;
    clamp.name = at == 0 ? "hook" : "chute", clamp.rod = "strand", clamp.at = at, clamp.hold = {Hold::position};
    if (at > 0) clamp.slide = Vec3::UnitX();
    scene.clamps.push_back(clamp);
  }
  RigidBody bead;
  bead.name = "bead", bead.shape = SphereBody{0.05}, bead.mass = 0.3, bead.collides = false;
  scene.bodies = {bead};
  scene.joints = {{"hangs", JointKind::ball, {"strand", 0.5}, {"", 0, "bead"}, Vec3::UnitZ()}};
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -9.81)});
  scene.contact.enabled = true, scene.contact.friction = 0;
  scene.time.step = step, scene.time.duration = 3;
  return scene;
}

// How often a spring winds around the strand: 10 as long as it is on it.
double winding(const Frame& frame, int spring) {
  const RodSpan &span = frame.rods[static_cast<std::size_t>(spring)], &strand = frame.rods[0];
  const auto at = [&](const RodSpan& s, int k) { return frame.position[NodeIndex(s.first_node + k)]; };
  double sum = 0, before = 0;
  for (int k = 0; k < span.nodes; ++k) {
    const Vec3 p = at(span, k);
    double nearest = 1e300;
    Vec3 away, along;
    for (int e = 0; e < strand.edges; ++e) {
      const Vec3 a = at(strand, e), u = at(strand, e + 1) - a;
      const Vec3 d = p - a - std::clamp((p - a).dot(u) / u.squaredNorm(), 0.0, 1.0) * u;
      if (d.squaredNorm() < nearest) nearest = d.squaredNorm(), away = d, along = u.normalized();
    }
    const Vec3 side = (Vec3::UnitY() - along.y() * along).normalized();
    const double angle = std::atan2(away.dot(along.cross(side)), away.dot(side));
    if (k > 0) sum += std::remainder(angle - before, 2 * std::numbers::pi);
    before = angle;
  }
  return std::abs(sum) / (2 * std::numbers::pi);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  Simulation simulation = open_or_throw(strand_through_springs());
  double least = 1e9, met = -1, least_winding = turns, next = 0, length_error = 0;
  long steps = 0, iterations = 0, contacts = 0;
  std::vector<std::vector<double>> rows;
  const std::clock_t start = std::clock();  // of this process: others do not count
  while (!simulation.finished()) {
    advance_or_throw(simulation);
    const Frame& frame = simulation.frame();
    ++steps, iterations += frame.report.iterations, contacts += static_cast<long>(frame.contacts.size());
    for (const ContactPoint& p : frame.contacts) {
      least = std::min(least, p.gap / r);
      const auto spring_of = [&](int edge) { return edge < 0 ? -1 : edge < 30 ? 0 : edge < 180 ? 1 : 2; };
      if (spring_of(p.edge_a) + spring_of(p.edge_b) == 3 && met < 0) met = simulation.time();
    }
    if (simulation.time() < next) continue;
    next += 0.05;
    for (const int s : {1, 2}) least_winding = std::min(least_winding, winding(frame, s));
    length_error = std::max(length_error, simulation.measures().length_error);
    rows.push_back({simulation.time(), frame.bodies[0].pose.position.z(),
                    frame.position[NodeIndex(frame.rods[1].first_node + 150)].x(),
                    frame.position[NodeIndex(frame.rods[2].first_node)].x(), double(frame.contacts.size()),
                    double(frame.report.iterations)});
  }
  context.write_csv("slide",
                    {"time [s]", "height of the bead [m]", "end of the left-spring [m]", "start of the right-spring [m]",
                     "contacts", "iterations"},
                    rows);
  const std::vector<Check> checks = {
      at_least("least gap ever, over the radius", 1e-9, least),
      at_least("the springs touch each other after [s]", 0, met),
      bound_check("the springs touch each other within [s]", met < 0 ? 1e9 : met, 3),
      at_least("turns of each spring around the strand, least", turns - 0.5, least_winding),
      bound_check("worst length of a segment", length_error, 1e-12),
      bound_check("Newton iterations per step", double(iterations) / double(steps), 10),
      bound_check("retries", double(simulation.report().retries), 0),
  };
  // 3 ms are asked for; it takes about twice that (docs/methods/compact.md, Limits): reported, not judged.
  const double ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / machine_slowness() / double(steps);
  context.write_csv("speed", {"ms per step", "iterations per step", "contacts"},
                    {{ms, double(iterations) / double(steps), double(contacts) / double(steps)}});
  return checks;
}

}  // namespace tendril::experiments::compact_strand_through_springs
