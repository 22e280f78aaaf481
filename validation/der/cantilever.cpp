// A clamped rod under tip loads, its own weight and a tip moment bends as Euler's elastica does, and as a tapered one does.
// Everything is planar, in the plane of x and y; lengths are in units of L, forces in units of EI/L^2.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "validation/elastica.h"
#include "validation/experiment.h"
#include "validation/references.h"
#include "validation/solve.h"

namespace tendril::experiments::der_cantilever {
namespace {

constexpr std::array<int, 3> segment_counts{40, 80, 160};

Scene clamped_rod(int segments) {
  Scene scene;
  scene.title = fmt::format("cantilever of {} segments", segments);
  scene.time.mode = Mode::statics;
  Rod rod;
  rod.name = "beam";
  rod.rest = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  rod.section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0.01};
  rod.segments = segments;
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall";
  wall.rod = "beam";
  scene.clamps.push_back(wall);
  return scene;
}

Scene with_tip_force(Scene scene, double force) {
  ForceLoad load;
  load.rod = "beam";
  load.value = Vec3(0, force, 0);
  scene.loads.push_back(load);
  return scene;
}
Scene with_weight(Scene scene, double weight) {
  scene.loads.push_back(GravityLoad{Vec3(0, -weight, 0)});
  return scene;
}
Scene with_tip_moment(Scene scene, double moment) {
  MomentLoad load;
  load.rod = "beam";
  load.value = Vec3(0, 0, moment);
  scene.loads.push_back(load);
  return scene;
}
Scene tapered(Scene scene, double radius, double end_radius) {
  Rod& rod = scene.rods.front();
  rod.section.reset();
  rod.sections = {{0, CircleSection{radius}}, {1, CircleSection{end_radius}}};
  rod.material = "elastic";
  scene.materials.push_back({"elastic", 1.0, 4 / (math::pi * std::pow(radius, 4)), 0.3, {}});  // EI at the wall is 1
  return scene;
}

// The direction of an edge belongs to its middle; the tip is half an edge further, so a parabola through the last three goes
// there. Angles are summed from edge to edge, so that a whole circle counts as 2 pi.
double tip_angle(const Frame& frame) {
  double angle = 0, before = 0, turn = 0, turn_before = 0;
  for (int i = 0; i + 1 < frame.position.size(); ++i) {
    const Vec3 edge = frame.position[NodeIndex(i + 1)] - frame.position[NodeIndex(i)];
    const double direction = std::atan2(edge.y(), edge.x());
    turn_before = turn;
    turn = std::remainder(direction - before, 2 * math::pi);
    angle += turn;
    before = direction;
  }
  return angle + 0.5 * turn + 0.375 * (turn - turn_before);
}

struct Case {
  std::string name;
  double tolerance = 0;  // of the tip's place at 80 segments, as a part of the length
  reference::Tip exact;
  Wrench wall;                      // exact; what the clamp exerts on the rod
  std::function<Scene(int)> scene;  // of so many segments
  double load_scale = 1;            // errors of the wall's moment are told as a part of this times the length
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const reference::Tip& tip : reference::tip_load) {
    const double P = tip.load;
    cases.push_back({fmt::format("tip load {:g}", P),
                     5e-4,
                     tip,
                     {Vec3(0, -P, 0), Vec3(0, 0, -tip.root_curvature)},
                     [P](int n) { return with_tip_force(clamped_rod(n), P); },
                     P});
  }
  for (const reference::Tip& tip : reference::self_weight) {
    const double w = tip.load;
    cases.push_back({fmt::format("self weight {:g}", w),
                     5e-4,
                     tip,
                     {Vec3(0, w, 0), Vec3(0, 0, -tip.root_curvature)},
                     [w](int n) { return with_weight(clamped_rod(n), w); },
                     w});
  }
  for (const double part : reference::tip_moment_parts) {
    const reference::Tip tip = reference::tip_moment(part);
    const double M = tip.root_curvature;
    cases.push_back({fmt::format("tip moment, {:g} of a circle", part),
                     2.5e-3,
                     tip,
                     {Vec3::Zero(), Vec3(0, 0, -M)},
                     [M](int n) { return with_tip_moment(clamped_rod(n), M); },
                     M});
  }
  for (const double P : {0.5, 2.0}) {  // half the radius at the tip, a sixteenth of the stiffness
    const elastica::Tip tip = elastica::solve_tip_load(P, [](double s) { return std::pow(1 - 0.5 * s, 4); });
    cases.push_back({fmt::format("tapered, tip load {:g}", P),
                     5e-4,
                     {P, tip.x, tip.y, tip.angle, P * tip.x},
                     {Vec3(0, -P, 0), Vec3(0, 0, -P * tip.x)},
                     [P](int n) { return with_tip_force(tapered(clamped_rod(n), 0.02, 0.01), P); },
                     P});
  }
  return cases;
}

// Order between each two resolutions; of the two, the one further from 2.
double worst_order(const std::array<double, 3>& error) {
  const double first = std::log2(error[0] / error[1]), second = std::log2(error[1] / error[2]);
  return std::abs(first - 2) > std::abs(second - 2) ? first : second;
}

struct Findings {
  std::vector<Check> checks;
  std::vector<std::vector<double>> convergence, shapes;  // rows of the figure
  double force = 0, moment = 0, length = 0;              // worst of all cases
  double angle = 0, circle_angle = 0;                    // worst at 80 segments, as a part of the angle
};

void note_shape(const Frame& frame, double number, double load, std::vector<std::vector<double>>& rows) {
  for (int i = 0; i < frame.position.size(); ++i) {
    const NodeIndex n(i);
    rows.push_back({number, load, frame.material[n], frame.position[n].x(), frame.position[n].y()});
  }
}

// The order of the tip's angle is not asked for: its error changes sign between self weights 5 and 10, where h^2 loses its
// lead.
void examine_case(const Case& c, double number, Findings& out) {
  std::array<double, 3> place{};
  for (std::size_t k = 0; k < segment_counts.size(); ++k) {
    const int n = segment_counts[k];
    const Simulation simulation = run_to_end(c.scene(n));
    const Frame& frame = simulation.frame();
    const Wrench wall = simulation.reactions()[0];
    const Vec3 tip = frame.position[NodeIndex(n)];
    const double angle = tip_angle(frame);
    place[k] = (tip - Vec3(c.exact.x, c.exact.y, 0)).norm();
    const double moment = (wall.moment - c.wall.moment).norm() / c.load_scale;
    out.force = std::max(out.force, (wall.force - c.wall.force).norm() / std::max(1.0, c.wall.force.norm()));
    out.length = std::max(out.length, simulation.measures().length_error);
    out.convergence.push_back({number, c.exact.load, 1.0 * n, tip.x(), tip.y(), angle, c.exact.x, c.exact.y, c.exact.angle,
                               place[k], std::abs(angle - c.exact.angle), moment});
    if (n != 80) continue;
    double& worst_angle = c.tolerance > 5e-4 ? out.circle_angle : out.angle;
    worst_angle = std::max(worst_angle, std::abs(angle / c.exact.angle - 1));
    out.moment = std::max(out.moment, moment);
    note_shape(frame, number, c.exact.load, out.shapes);
  }
  out.checks.push_back(absolute_check(c.name + ": order of the tip's place", 2, worst_order(place), 0.2));
  out.checks.push_back(bound_check(c.name + ": tip's place at 80 segments, part of the length", place[1], c.tolerance));
}

// The integrator that judges the tapered rod is judged itself by the elliptic integrals.
Check check_shooting() {
  double worst = 0;
  for (const reference::Tip& tip : reference::tip_load) {
    const elastica::Tip own = elastica::solve_tip_load(tip.load, [](double) { return 1.0; });
    worst = std::max({worst, std::abs(own.x - tip.x), std::abs(own.y - tip.y), std::abs(own.angle - tip.angle)});
  }
  return bound_check("shooting for the tapered rod, against elliptic integrals", worst, 1e-10);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  Findings found;
  found.checks.push_back(check_shooting());
  double number = 0;
  for (const Case& c : all_cases()) examine_case(c, number++, found);
  found.checks.push_back(bound_check("tip's angle at 80 segments, relative, worst under loads", found.angle, 5e-4));
  found.checks.push_back(
      bound_check("tip's angle at 80 segments, relative, worst under a moment", found.circle_angle, 2.5e-3));
  found.checks.push_back(
      bound_check("moment at the wall at 80 segments, part of load times length, worst", found.moment, 5e-4));
  found.checks.push_back(bound_check("force at the wall, part of the load, worst", found.force, 1e-8));
  found.checks.push_back(bound_check("length of an edge, relative, worst", found.length, 1e-8));
  context.write_csv("convergence",
                    {"case", "load [EI/L^2]", "segments", "x [L]", "y [L]", "angle [rad]", "exact x [L]", "exact y [L]",
                     "exact angle [rad]", "error of place [L]", "error of angle [rad]", "error of wall moment [load L]"},
                    found.convergence);
  context.write_csv("shapes", {"case", "load [EI/L^2]", "s [L]", "x [L]", "y [L]"}, found.shapes);
  return found.checks;
}

}  // namespace tendril::experiments::der_cantilever
