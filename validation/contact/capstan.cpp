// A rope over a fixed cylinder holds a load exp(mu theta) times the one on its other end, and no more.  [Euler, Eytelwein]
//
// Rope of radius 0.01 R, EI = 0.005 T R^2 with T the smaller load. Stiffness and radius change the ratio by a few parts in a
// hundred at most: where the rope leaves the cylinder a single force presses in place of the last bit of angle.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "validation/contact/contact_scenes.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::contact_capstan {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double R = capstan_radius, r = 0.01 * R, T = 1;
constexpr double angle_per_segment = 0.08, tail = 0.12, pitch = 4 * r;
constexpr double loaded = capstan_loaded, watched = 10;  // [s]

using Case = CapstanCase;

// The rope comes up one tangent, goes round the top and leaves along the other; more than one turn as a helix. The polygon
// stands about the cylinder, so that its segments touch.
PolylineCurve wound(double theta, int& middle) {
  const int arc = static_cast<int>(std::ceil(theta / angle_per_segment));
  const double step = theta / arc, rho = (R + r + 1e-6) / std::cos(0.5 * step), l = 2 * rho * std::sin(0.5 * step);
  const int straight = static_cast<int>(std::ceil(tail / l));
  const double climb = theta > pi + 0.1 ? pitch * step / (2 * pi) : 0;
  const auto at = [&](int k) {
    const double a = 0.5 * theta - (k + 0.5) * step;  // from the top
    return Vec3(-rho * std::sin(a), climb * k, rho * std::cos(a));
  };
  PolylineCurve curve;
  const Vec3 in = at(0) - at(-1), out = at(arc) - at(arc - 1);
  for (int k = straight; k > 0; --k) curve.points.push_back(at(0) - k * in);
  for (int k = 0; k < arc; ++k) curve.points.push_back(at(k));
  for (int k = 1; k <= straight; ++k) curve.points.push_back(at(arc - 1) + k * out);
  middle = straight + arc / 2;
  return curve;
}

}  // namespace

Scene capstan(const CapstanCase& c, double ratio, double further, int& middle) {
  const double EI = c.bending * T * R * R;
  Scene scene;
  scene.title = fmt::format("capstan, mu {}, theta {:.3f}", c.mu, c.theta);
  Rod rope;
  rope.name = "rope";
  rope.section = StiffnessSection{.EA = {}, .EI1 = EI, .EI2 = EI, .GJ = 0.8 * EI, .mass_per_length = 0.5, .radius = r};
  const PolylineCurve curve = wound(c.theta, middle);
  rope.initial = curve;
  double length = 0;
  for (std::size_t k = 1; k < curve.points.size(); ++k) length += (curve.points[k] - curve.points[k - 1]).norm();
  PolylineCurve straight = curve;
  double s = 0;
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    if (k > 0) s += (curve.points[k] - curve.points[k - 1]).norm();
    straight.points[k] = Vec3(s - 0.5 * length, 0, R);
  }
  rope.rest = straight;
  rope.damping.mass = 2;
  scene.rods.push_back(rope);
  for (const double at : {0.0, 1.0}) {  // a load does not spin; else the rope could roll sideways on the cylinder
    Clamp clamp;
    clamp.name = at < 1 ? "low" : "high", clamp.rod = "rope", clamp.at = at, clamp.hold = {Hold::twist};
    scene.clamps.push_back(clamp);
  }
  Obstacle drum;
  drum.name = "drum";
  drum.shape = CylinderShape{Vec3(0, -5 * R, 0), Vec3(0, 5 * R, 0), R};
  scene.obstacles.push_back(drum);
  scene.contact.enabled = true;
  scene.contact.friction = c.mu;
  const auto& p = curve.points;
  const Vec3 back = (p[0] - p[1]).normalized(), on = (p[p.size() - 1] - p[p.size() - 2]).normalized();
  ForceLoad low, high;
  low.rod = high.rod = "rope";
  low.at = 0, high.at = 1;
  low.value = T * back, high.value = T * on;
  low.factor.keys = {{0, 0.3}, {0.5, 1}};
  high.factor.keys = {{0, 0.3}, {0.5, 1}, {loaded, ratio}};
  if (further > ratio) high.factor.keys.push_back({loaded + watched, further});
  for (ForceLoad* load : {&low, &high}) load->factor.shape = TimetableShape::linear, scene.loads.push_back(*load);
  scene.time.duration = loaded + watched;
  return scene;
}

namespace {

struct Watched {
  double slip = 0;         // [m] of the rope's middle, after the loads have risen
  double slipped_at = -1;  // [s]
  double penetration = 0;
  std::vector<std::vector<double>> rows;  // time, slip/R
};
Watched watch(const Scene& scene, int middle, double enough) {
  Simulation simulation = open_or_throw(scene);
  Watched out;
  while (simulation.time() < loaded && !simulation.finished()) advance_or_throw(simulation);
  const auto place = [&](int node) { return simulation.frame().position[NodeIndex{node}]; };
  const Vec3 start = place(middle), along = (place(middle + 1) - place(middle - 1)).normalized();
  for (int i = 0; !simulation.finished(); ++i) {
    advance_or_throw(simulation);
    const double slip = std::abs((place(middle) - start).dot(along));
    out.slip = std::max(out.slip, slip);
    if (i % 200 == 0) out.rows.push_back({simulation.time() - loaded, slip / R});
    if (slip > enough) {
      out.slipped_at = simulation.time();
      break;
    }
  }
  out.penetration = simulation.report().worst_penetration;
  return out;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> borders;
  double worst = 0;
  for (const Case& c : {Case{0.3, pi}, Case{0.5, 0.5 * pi}, Case{0.5, pi}, Case{0.2, 3 * pi}}) {
    const double limit = std::exp(c.mu * c.theta);
    int middle = 0;
    const std::string name = fmt::format("mu {}, theta {:.4g}", c.mu, c.theta);
    const auto run = [&](double ratio, double further, double enough) {
      const Scene scene = capstan(c, ratio * limit, further * limit, middle);
      const Watched out = watch(scene, middle, enough);
      worst = std::max(worst, out.penetration);
      return out;
    };
    const Watched holds = run(0.95, 0, R), slips = run(1.05, 0, 0.02 * R);
    checks.push_back(bound_check(name + ": slip in 10 s at 0.95 exp(mu theta), over R", holds.slip / R, 1e-4));
    Check slipped{name + ": slip at 1.05 exp(mu theta), over R", 0.01, slips.slip / R, 0, 0, slips.slip > 0.01 * R};
    checks.push_back(slipped);
    const Watched border = run(0.95, 1.05, 1e-3 * R);
    const double ratio = border.slipped_at < 0 ? 0 : 0.95 + 0.1 * (border.slipped_at - loaded) / watched;
    checks.push_back(absolute_check(name + ": load at which it slips, over exp(mu theta)", 1, ratio, 0.02));
    borders.push_back({c.mu, c.theta, limit, ratio * limit});
    context.write_csv(fmt::format("hold_{:g}_{:.2f}", c.mu, c.theta), {"time [s]", "slip/R"}, holds.rows);
    context.write_csv(fmt::format("slip_{:g}_{:.2f}", c.mu, c.theta), {"time [s]", "slip/R"}, slips.rows);
  }
  // Any step will do: large ones are taken in parts where the rope is taut, and at small ones contacts are solved more
  // finely, because a force is an error of position over the step squared.
  std::vector<double> factors = {3.8};
  if (context.full()) factors = {3.8, 2, 0.5, 0.25};
  for (const double factor : factors) {
    const Case c{0.2, 3 * pi};
    int middle = 0;
    Scene scene = capstan(c, 0.95 * std::exp(c.mu * c.theta), 0, middle);
    scene.time.step = factor * open_or_throw(scene).step_size();
    const Watched holds = watch(scene, middle, R);
    const std::string name = fmt::format("mu {}, theta {:.4g}, {} times the advised step", c.mu, c.theta, factor);
    checks.push_back(bound_check(name + ": slip in 10 s at 0.95 exp(mu theta), over R", holds.slip / R, 0.01));
    worst = std::max(worst, holds.penetration);
  }
  context.write_csv("borders", {"mu", "theta [rad]", "exp(mu theta)", "load ratio at which it slips"}, borders);
  checks.push_back(bound_check("worst penetration, over the radius", worst, 0.02));
  return checks;
}

}  // namespace tendril::experiments::contact_capstan
