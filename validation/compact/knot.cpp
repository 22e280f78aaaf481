// An overhand knot in a rubber rod is pulled tight.  [Zhao 2022, Figs. 13, 15]
//
// The paper's rod and forces (scenes/overhand_knot.toml); the form of the open knot is ours: its tails are as long as make 100 segments of
// 1.17 radii. How tight a polygon gets depends on that: 10.54, 10.70, 10.99 diameters for tails of 0.5, 0.9, 1.5 m. Its density makes the rod
// massless: every step is an equilibrium [ERRATA Z25].
#include <algorithm>
#include <cmath>

#include "methods/compact/compact.h"
#include "validation/der/overhand_knot.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_knot {
namespace {

constexpr double r = 0.03;

Scene open_knot(int segments) {
  OverhandKnot knot;
  knot.radius = r, knot.loop = 0.25, knot.tail = 0.71;  // segments of 1.17 r
  Scene scene;
  scene.title = "an overhand knot pulled tight";
  scene.method = "compact";
  Material material;
  material.name = "rubber";
  material.density = 0.1, material.young_modulus = 20e6, material.shear_modulus = 20e6;
  scene.materials.push_back(material);
  Rod rod;
  rod.name = "rod", rod.material = "rubber", rod.segments = segments;
  rod.section = CircleSection{r};
  // As a polygon of as many sides as the rod has segments: every step begins with what it is.
  const std::vector<Vec3> smooth = overhand_points(knot);
  double whole = 0, gone = 0, length = 0;
  for (std::size_t i = 1; i < smooth.size(); ++i) whole += (smooth[i] - smooth[i - 1]).norm();
  PolylineCurve curve;
  curve.points.push_back(smooth.front());
  for (std::size_t i = 1; i < smooth.size(); ++i) {
    const double l = (smooth[i] - smooth[i - 1]).norm();
    for (int k = static_cast<int>(curve.points.size()); k < segments && gone + l >= k * whole / segments; ++k)
      curve.points.push_back(smooth[i - 1] + (k * whole / segments - gone) / l * (smooth[i] - smooth[i - 1]));
    gone += l;
  }
  curve.points.push_back(smooth.back());
  for (std::size_t i = 1; i < curve.points.size(); ++i) length += (curve.points[i] - curve.points[i - 1]).norm();
  rod.rest = StraightCurve{Vec3::Zero(), Vec3(length, 0, 0)};
  rod.initial = curve;
  scene.rods = {rod};
  for (const double at : {0.0, 1.0}) {
    ForceLoad pull;
    pull.rod = "rod", pull.at = at, pull.value = Vec3(at > 0 ? 1 : -1, 0, 0);
    pull.factor.shape = TimetableShape::linear;
    pull.factor.keys = {{0, 200.0}, {1.5, 200.0}, {2.5, 20000.0}};
    scene.loads.push_back(pull);
  }
  scene.contact.enabled = true;
  scene.time.step = 3e-3, scene.time.duration = 2.5;
  return scene;
}

Scene at_once(Scene scene, double step) {
  for (Load& load : scene.loads)
    if (auto* force = std::get_if<ForceLoad>(&load)) force->factor.keys = {{0, 20000.0}};
  scene.time.step = step, scene.time.duration = std::max(0.06, 3 * step);
  scene.time.frames_per_second = std::min(60.0, 1 / step);  // steps end at frames
  return scene;
}

struct Tight {
  double least = 1e9;       // gap over r, ever
  double taken = 0;         // length that the knot takes up, over the diameter
  double bend = 0;          // smallest radius of curvature, over r
  double length_error = 0;  // worst
  double iterations = 0;    // mean
  int worst = 0;
  long retries = 0;
  double systems = 0, pairs = 0;  // KKT systems of an active set, contacts; mean
};

void measure(const Frame& frame, Tight& out) {
  const int nodes = frame.position.size();
  const auto at = [&](int k) { return frame.position[NodeIndex{k}]; };
  double length = 0, sharpest = 0;
  for (int k = 0; k + 1 < nodes; ++k) length += (at(k + 1) - at(k)).norm();
  for (int k = 1; k + 1 < nodes; ++k) {
    const Vec3 u = at(k) - at(k - 1), v = at(k + 1) - at(k);
    const double angle = std::atan2(u.cross(v).norm(), u.dot(v));
    sharpest = std::max(sharpest, angle / (0.5 * (u.norm() + v.norm())));
  }
  out.taken = (length - (at(nodes - 1) - at(0)).norm()) / (2 * r);
  out.bend = 1 / (sharpest * r);
}

Tight pull(const Scene& scene) {
  Simulation simulation = open_or_throw(scene);
  Tight out;
  long steps = 0;
  while (!simulation.finished()) {
    advance_or_throw(simulation);
    const Frame& frame = simulation.frame();
    ++steps, out.iterations += frame.report.iterations;
    out.worst = std::max(out.worst, frame.report.iterations);
    for (const ContactPoint& p : frame.contacts) out.least = std::min(out.least, p.gap / r);
  }
  measure(simulation.frame(), out);
  out.length_error = simulation.measures().length_error;
  out.iterations /= double(steps);
  out.retries = simulation.report().retries;
  return out;
}

// The paper's contact with its settings: five iterations, whatever is reached. In its ramp half of the time suffices.
Tight pull_by_active_set(const Scene& scene) {
  compact::Settings settings;
  settings.active_set = true, settings.scheme = compact::Scheme::euler;
  settings.solver.iterations = 5, settings.solver.tolerance = 1e-5, settings.solver.accept_unfinished = true;
  compact::Compact method(std::make_shared<const Model>(*build_model(scene)), settings);
  Tight out;
  Frame frame;
  const double step = *scene.time.step;
  const int steps = static_cast<int>(std::lround(scene.time.duration / step));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = method.step(k * step, step, {});
    if (report.outcome != Outcome::fine) throw std::runtime_error("the active set found no step");
    out.least = std::min(out.least, -report.penetration);
    out.systems += double(method.part(0).solved.solves) / steps, out.pairs += double(report.contacts) / steps;
    out.iterations += double(report.iterations) / steps;
    out.worst = std::max(out.worst, report.iterations);
  }
  method.write(frame);
  measure(frame, out);
  return out;
}

void add_checks(const std::string& name, const Tight& t, std::vector<Check>& checks) {
  checks.push_back(at_least(name + ": least gap ever, over r", 1e-9, t.least));
  checks.push_back(at_least(name + ": the knot takes up, over the diameter", 10, t.taken));
  checks.push_back(bound_check(name + ": the knot takes up, over the diameter (at most)", t.taken, 10.7));
  checks.push_back(at_least(name + ": bend radius over r", 1, t.bend));
  checks.push_back(bound_check(name + ": bend radius over r (at most)", t.bend, 2.1));
  checks.push_back(bound_check(name + ": worst length of a segment", t.length_error, 1e-12));
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const Scene scene = open_knot(100);
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const auto show = [&](int segments, double step, const Tight& t) {
    rows.push_back({double(segments), step, t.least, t.taken, t.bend, t.iterations, double(t.worst), double(t.retries),
                    t.pairs, t.systems});
  };
  const Tight ramp = pull(scene);
  add_checks("200 N to 20000 N", ramp, checks);
  checks.push_back(bound_check("200 N to 20000 N: Newton iterations per step", ramp.iterations, 10));
  show(100, 3e-3, ramp);
  for (const double step : {3e-3, 0.1}) {
    const Tight tight = pull(at_once(scene, step));
    const std::string name = "20000 N at once, steps of " + std::to_string(std::lround(1e3 * step)) + " ms";
    add_checks(name, tight, checks);
    checks.push_back(at_most(name + ": steps that were repeated", 0, double(tight.retries)));
    show(100, step, tight);
  }
  Scene fine = open_knot(200);
  if (!context.full()) fine = at_once(fine, 0.1);
  const Tight finer = pull(fine);
  add_checks("200 segments", finer, checks);
  checks.push_back(at_most("200 segments: the knot takes up, over the diameter (less)", 10.4, finer.taken));
  show(200, fine.time.step.value_or(0), finer);
  // The paper's contact: overlaps in the ramp, and loses the knot when the force comes at once.
  Scene short_ramp = scene;
  for (Load& load : short_ramp.loads)
    if (auto* force = std::get_if<ForceLoad>(&load)) force->factor.keys = {{0, 200.0}, {0.3, 200.0}, {0.8, 20000.0}};
  short_ramp.time.duration = 0.8;
  const Tight ramped = pull_by_active_set(short_ramp);
  const std::string paper = "active set, 200 N to 20000 N";
  checks.push_back(at_least(paper + ": the knot takes up, over the diameter", 10, ramped.taken));
  checks.push_back(at_most(paper + ": the knot takes up, over the diameter (at most)", 10.7, ramped.taken));
  checks.push_back(at_least(paper + ": deepest overlap over the diameter", 0.01, -0.5 * ramped.least));
  checks.push_back(at_most(paper + ": deepest overlap over the diameter (at most)", 0.1, -0.5 * ramped.least));
  show(100, 3e-3, ramped);
  for (const double step : {3e-3, 0.1}) {
    Scene once = at_once(scene, step);
    once.time.duration = 20 * step;
    const Tight lost = pull_by_active_set(once);
    checks.push_back(at_most("active set, 20000 N at once, steps of " + std::to_string(std::lround(1e3 * step)) +
                                 " ms: what the lost knot takes up, over the diameter",
                             1, lost.taken));
    show(100, step, lost);
  }
  context.write_csv("knot",
                    {"segments", "step [s]", "least gap/r", "taken up/D", "bend radius/r", "iterations per step", "most",
                     "repeated steps", "contacts", "KKT systems per step"},
                    rows);
  return checks;
}

}  // namespace tendril::experiments::compact_knot
