// A loose overhand knot between two clamps, and what becomes of it when one clamp turns.  [Bergou 2008, sec. 9.3 and Fig. 1;
// Audoly, Clauvelin, Neukirch 2007; REFERENCES 9]
//
// Without twist the knot is a round loop, a braid and two tails. Along a rod that slides over itself without friction
// M^2/2EI + F.t is the same everywhere: T in the tails, EI/2R^2 in the loop, so T R^2/EI = 1/2 for a thin rod. R is 1/a of
// the curvature a + b cos(theta) of the loop (overhand_knot.h): then what is left is of first order in radius/R.
// Polygons that touch do not slide quite freely: a corner of one rests in a hollow of the other, so M^2/2EI + F.t over T scatters
// about 1 from mesh to mesh: by 2 % with 150 segments, by 1 % with 300.
// Turned either way the shape changes smoothly until it jumps, to a shape of higher writhe or of lower writhe.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "methods/der/der.h"
#include "model/drive.h"
#include "run/open.h"
#include "validation/der/end_rotation.h"
#include "validation/der/overhand_knot.h"
#include "validation/experiment.h"
#include "validation/machine_speed.h"
#include "validation/solve.h"

namespace tendril::experiments::der_trefoil_twist {
namespace {

// EI = 1, mass per length = 1, radius of the loop about 1.
constexpr double GJ = 1;
constexpr double allowed_penetration = 0.02;  // of the radius

struct Settled {
  Scene scene;  // starts here
  KnotMeasures knot;
  double tension = 0;      // mean of both clamps, over the last tenth [N]
  double kinetic = 0;      // at the end [J]
  double penetration = 0;  // worst, of the radius
};

// From the drawn knot to equilibrium: first slowly, so that nothing is hit hard, then on its own time scale. One end may
// turn about itself, so that no twist comes in.
Settled settle(const OverhandKnot& start, int segments) {
  Settled result;
  Scene scene = overhand_scene(start, segments, GJ);
  scene.options["der"]["projection"] = std::string("conserving");  // see `Limits` in docs/methods/der.md
  scene.clamps[1].hold = {Hold::position, Hold::direction};
  scene.rods[0].damping.mass = 20;
  scene.time.duration = 4;
  const Simulation slow = run_to_end(scene);
  scene = from_here(scene, slow.frame());
  scene.rods[0].damping.mass = 1;
  scene.time.duration = 36;
  scene.options["der"]["contact_tolerance"] = 1e-8;  // an error of 1e-4 radii in a step is a force as large as T
  scene.options["der"]["contact_rounds"] = 300.0;
  Simulation simulation = open_or_throw(scene);
  double pull = 0;
  int steps = 0;
  while (!simulation.finished()) {
    advance_or_throw(simulation);
    if (simulation.time() < 0.9 * scene.time.duration) continue;
    pull += 0.5 * (simulation.reactions()[1].force.x() - simulation.reactions()[0].force.x());
    ++steps;
  }
  result.tension = pull / steps;
  result.knot = measure_knot(simulation.frame());
  result.kinetic = simulation.measures().energy.kinetic;
  result.penetration = std::max(slow.report().worst_penetration, simulation.report().worst_penetration);
  scene = from_here(scene, simulation.frame());
  scene.clamps[1].hold = {Hold::position, Hold::direction, Hold::twist};
  scene.options["der"].erase("contact_tolerance");
  scene.options["der"].erase("contact_rounds");
  result.scene = std::move(scene);
  return result;
}

// ---- without twist -------------------------------------------------------------------------------------------------------

// The value at 0 of the straight line that fits (x, y) best.
double at_zero(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) n += 1, sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  return (sxx * sy - sx * sxy) / (n * sxx - sx * sx);
}

void check_tension(ExperimentContext& context, const std::vector<double>& radii, int segments, std::vector<Check>& checks) {
  std::vector<double> thickness, pull;
  std::vector<std::vector<double>> rows;
  for (const double radius : radii) {
    OverhandKnot start;
    start.radius = radius;
    const Settled s = settle(start, segments);
    const double R = 1 / s.knot.curvature;
    thickness.push_back(radius / R);
    pull.push_back(s.tension * R * R);
    rows.push_back({radius / R, segments + 1.0, s.tension, R, pull.back(), s.knot.hamiltonian, s.knot.uneven,
                    s.knot.diameter, s.knot.out_of_plane, s.knot.contacts * 1.0, s.kinetic, s.penetration});
    const std::string name = fmt::format("radius/R {:.3f}, {} vertices: ", radius / R, segments + 1);
    checks.push_back(bound_check(name + "kinetic energy left", s.kinetic, 1e-5));
    checks.push_back(relative_check(name + "M^2/2EI + F.t in the loop over T", 1, s.knot.hamiltonian / s.tension, 0.03));
    checks.push_back(bound_check(name + "loop out of its plane, over R", s.knot.out_of_plane, 0.02));
    checks.push_back(bound_check(name + "worst penetration over radius", s.penetration, allowed_penetration));
  }
  checks.push_back(absolute_check(fmt::format("T R^2/EI of a thin rod, from {} vertices", segments + 1), 0.5,
                                  at_zero(thickness, pull), 0.03));
  context.write_csv(fmt::format("tension-{}", segments + 1),
                    {"radius/R", "vertices", "T", "R", "T R^2/EI", "M^2/2EI + F.t", "b/a of the curvature", "diameter",
                     "out of plane", "contacts", "kinetic energy", "worst penetration over radius"},
                    rows);
}

// ---- twist ---------------------------------------------------------------------------------------------------------------

constexpr double fast = 0.08, slow = 0.0125, fine = 0.02;  // turns per unit of time; turns
constexpr double jumped = 0.5;                             // change of the writhe by which a jump is told [turns]

struct TwistRow {
  double turns = 0, writhe = 0, link = 0, width = 0, torque = 0, pull = 0, kinetic = 0, contacts = 0;
};
struct Twisted {
  std::vector<TwistRow> rows;
  double critical = 0;  // [turns] where the writhe has moved by `jumped`
  double penetration = 0;
  Frame end;
};

// The loop's diameter, whatever it has become: the largest extent across the line between the clamps.
double width_of(const Frame& frame) {
  double most = 0;
  for (const Vec3& a : frame.position)
    for (const Vec3& b : frame.position) most = std::max(most, std::hypot(a.y() - b.y(), a.z() - b.z()));
  return most;
}

TwistRow row_of(const Simulation& simulation, double turns) {
  const Frame& frame = simulation.frame();
  Drive drive;
  evaluate(model_of(simulation), {}, simulation.time(), 1, drive);
  TwistRow row;
  row.turns = turns;
  row.writhe = writhe_continued(frame, Vec3::UnitX());
  row.link = row.writhe +
             wall_to_wall_twist(frame, drive.clamps[0].pose.orientation, drive.clamps[1].pose.orientation) / math::two_pi;
  row.width = width_of(frame);
  row.torque = simulation.reactions()[1].moment.x();
  row.pull = simulation.reactions()[1].force.x();
  row.kinetic = simulation.measures().energy.kinetic;
  row.contacts = static_cast<double>(frame.contacts.size());
  return row;
}

// Fast to `near` turns, slowly to `far`, and a rest.
Twisted twist(const Settled& start, double near, double far) {
  Twisted result;
  Scene scene = start.scene;
  const double sign = far > 0 ? 1 : -1, t1 = sign * near / fast, t2 = t1 + sign * (far - near) / slow;
  scene.clamps[1].turn = {TimetableShape::linear, {{0, 0.0}, {t1, near}, {t2, far}}};
  scene.time.duration = t2 + 12;
  Simulation simulation = open_or_throw(scene);
  const auto note = [&] {
    const double t = simulation.time();
    result.rows.push_back(
        row_of(simulation, t < t1 ? near * t / t1 : near + (far - near) * std::min(1.0, (t - t1) / (t2 - t1))));
  };
  note();
  for (double next = fine / fast; !simulation.finished();) {
    advance_or_throw(simulation);
    if (simulation.time() < next && !simulation.finished()) continue;
    note();
    next += simulation.time() < t1 ? fine / fast : fine / slow;
    const TwistRow &b = result.rows.back(), &a = result.rows[result.rows.size() - 2];
    const double moved = std::abs(b.writhe - result.rows[0].writhe), before = std::abs(a.writhe - result.rows[0].writhe);
    if (result.critical == 0 && moved >= jumped)
      result.critical = a.turns + (b.turns - a.turns) * (jumped - before) / (moved - before);
  }
  result.penetration = simulation.report().worst_penetration;
  result.end = simulation.frame();
  return result;
}

double writhe_at(const Twisted& run, double turns) {
  double result = run.rows[0].writhe;
  for (const TwistRow& row : run.rows)
    if (std::abs(row.turns) <= std::abs(turns)) result = row.writhe;
  return result;
}

const char* way_name(int way) { return way == 0 ? "with the knot" : "against it"; }

void check_run(ExperimentContext& context, int segments, int way, const Twisted& run, std::vector<Check>& checks) {
  const std::string file = fmt::format("twist-{}-{}", segments + 1, way == 0 ? "with" : "against");
  const std::string name = fmt::format("{} vertices, turned {}", segments + 1, way_name(way));
  const double untwisted = run.rows[0].writhe;
  double link = 0;
  std::vector<std::vector<double>> rows, line;
  for (const TwistRow& r : run.rows) {
    link = std::max(link, std::abs(r.link - run.rows[0].link - r.turns));
    rows.push_back({r.turns, r.writhe, r.link, r.width, r.torque, r.pull, r.kinetic, r.contacts});
  }
  for (const Vec3& x : run.end.position) line.push_back({x.x(), x.y(), x.z()});
  context.write_csv(
      file, {"turns", "writhe [turns]", "link [turns]", "width", "torque", "pull", "kinetic energy", "contacts"}, rows);
  context.write_csv(file + "-end", {"x", "y", "z"}, line);
  checks.push_back(bound_check(name + ": change of writhe before the jump [turns]",
                               writhe_at(run, 0.88 * run.critical) - untwisted, 0.1));
  checks.push_back(
      at_least(name + ": and just after it [turns]", 0.8, std::abs(writhe_at(run, 1.06 * run.critical) - untwisted)));
  checks.push_back(bound_check(name + ": link against the turns put in, worst [turns]", link, 1e-3));
  checks.push_back(bound_check(name + ": worst penetration over radius", run.penetration, allowed_penetration));
  checks.push_back(bound_check(name + ": kinetic energy left at the end", run.rows.back().kinetic, 1e-3));
}

void check_twist(ExperimentContext& context, int coarse, int finer, std::vector<Check>& checks) {
  constexpr double near[2] = {1.9, -3.0}, far[2] = {2.6, -3.75};
  Twisted run[2][2];
  for (int mesh = 0; mesh < 2; ++mesh) {
    const int segments = mesh == 0 ? coarse : finer;
    const Settled start = settle({}, segments);
    for (int way = 0; way < 2; ++way) {
      run[mesh][way] = twist(start, near[way], far[way]);
      check_run(context, segments, way, run[mesh][way], checks);
    }
  }
  for (int way = 0; way < 2; ++way) {
    checks.push_back(relative_check(fmt::format("critical twist {} on both meshes [turns]", way_name(way)),
                                    run[1][way].critical, run[0][way].critical, 0.05));
  }
  const TwistRow &with = run[1][0].rows.back(), &against = run[1][1].rows.back();
  checks.push_back(at_least("final writhes differ by [turns]", 2, with.writhe - against.writhe));
  const double untwisted = run[1][0].rows[0].width;
  checks.push_back(bound_check("final width, turned with the knot, over the untwisted one", with.width / untwisted, 0.8));
  checks.push_back(at_least("final widths differ, over the smaller one", 0.5,
                            std::abs(with.width - against.width) / std::min(with.width, against.width)));
}

// ---- speed ---------------------------------------------------------------------------------------------------------------

// Processor time of a step of the settled knot with 60 vertices.
void report_speed(ExperimentContext& context, std::vector<Check>& checks) {
  const Settled start = settle({}, 59);
  const auto model = std::make_shared<const Model>(*build_model(start.scene));
  const Options options(der::entry().info.options, start.scene.options.at("der"));
  der::Der der(model, der::Settings::from(options));
  const double dt = der::advise(*model, options).advised;
  constexpr int batch = 50;  // shorter than what a busy machine gives others in between
  int contacts = 0, steps = 0;
  const Check cost = clock_check("60 vertices: ms per step, with contact", 0.02, [&] {
    return 1e3 / batch * least_seconds(100, [&] {
             for (int k = 0; k < batch; ++k) contacts = der.step(steps++ * dt, dt, {}).contacts;
           });
  });
  context.write_csv("speed", {"vertices", "contacts", "ms per step"}, {{60, contacts * 1.0, cost.result}});
  checks.push_back(at_least("60 vertices: contacts of the settled knot", 1, contacts));
  checks.push_back(cost);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  if (context.full())
    check_tension(context, {0.04, 0.02, 0.01}, 300, checks);
  else
    check_tension(context, {0.04, 0.02}, 200, checks);
  check_twist(context, context.full() ? 120 : 80, context.full() ? 180 : 120, checks);
  report_speed(context, checks);
  return checks;
}

}  // namespace tendril::experiments::der_trefoil_twist
