// A rod is dropped on three cylinders, bounces and comes to rest.  [Zhao 2022, Fig. 17]
//
// The paper gives the rod (E = 1 MPa, G = 0.1 MPa, r = 0.03 m, 0.5 kg/m^3, 200 segments); its length, the cylinders and the
// height are ours. So light a rod is calmed by the air: damping 3/s.
#include <algorithm>
#include <cmath>

#include "validation/contact/contact_scenes.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::contact_drop {
namespace {

constexpr double length = 16, r = 0.03, R = 0.3, density = 0.5, apart = 5, height = 1, half_width = 3;

}  // namespace

Scene dropped_rod() {
  Scene scene;
  scene.title = "a rod dropped on three cylinders";
  Material material;
  material.name = "foam";
  material.density = density, material.young_modulus = 1e6, material.shear_modulus = 1e5;
  scene.materials.push_back(material);
  Rod rod;
  rod.name = "rod";
  rod.material = "foam";
  rod.section = CircleSection{r};
  const Vec3 middle(0, 0, R + r + height), half(0.5 * length * std::cos(0.05), 0, 0.5 * length * std::sin(0.05));
  rod.rest = StraightCurve{middle - half, middle + half};  // one end comes down first
  rod.segments = 200;
  rod.damping.mass = 3;
  scene.rods.push_back(rod);
  for (const double x : {-apart, 0.0, apart}) {
    Obstacle log;
    log.name = x < 0 ? "left" : x > 0 ? "right" : "middle";
    log.shape = CylinderShape{Vec3(x, -half_width, 0), Vec3(x, half_width, 0), R};
    scene.obstacles.push_back(log);
  }
  scene.contact.enabled = true;
  scene.contact.friction = 0.3;
  scene.loads.push_back(GravityLoad{});
  scene.time.duration = 10;
  return scene;
}

std::vector<Check> experiment(ExperimentContext& context) { return drop_with("der", 0, context); }

std::vector<Check> drop_with(const std::string& method, double step, ExperimentContext& context) {
  Scene scene = dropped_rod();
  scene.method = method;
  if (step > 0) scene.time.step = step;
  Simulation simulation = open_or_throw(scene);
  std::vector<std::vector<double>> rows;
  double fastest = 0, deepest = 1, next = 0;
  int bounces = 0;                      // off one of the cylinders, for at least 0.05 s
  double touched[3] = {1e9, 1e9, 1e9};  // when it last did
  const auto which = [](const ContactPoint& p) { return static_cast<int>(std::lround(p.position.x() / apart)) + 1; };
  while (!simulation.finished()) {
    advance_or_throw(simulation);
    const Frame& frame = simulation.frame();
    for (const ContactPoint& p : frame.contacts) {
      double& last = touched[which(p)];
      bounces += simulation.time() - last > 0.05;
      last = simulation.time();
    }
    if (simulation.time() < next) continue;
    next += 0.02;
    for (const Vec3& x : frame.position)  // of the centerline outside of the cylinders, over the radius
      for (const double centre : {-apart, 0.0, apart})
        deepest = std::min(deepest, (std::hypot(x.x() - centre, x.z()) - R) / r);
    const Vec3 m = frame.position[NodeIndex{100}];
    rows.push_back({simulation.time(), m.z(), simulation.measures().energy.kinetic, double(frame.contacts.size())});
  }
  const Frame& frame = simulation.frame();
  for (const Vec3& v : frame.velocity) fastest = std::max(fastest, v.norm());
  Vec3 force = Vec3::Zero();
  double on[3] = {0, 0, 0};
  for (const ContactPoint& p : frame.contacts) {
    force += p.force;
    on[which(p)] += p.force.z();
  }
  context.write_csv("fall", {"time [s]", "height of the middle [m]", "kinetic energy [J]", "contacts"}, rows);
  const double weight = density * 3.141592653589793 * r * r * length * 9.81;
  const double carried = *std::min_element(on, on + 3) / weight;
  return {
      bound_check("speed at the end, fastest node [m/s]", fastest, 1e-3),
      relative_check("contact forces carry the weight [N]", weight, force.z(), 0.01),
      bound_check("sideways force of all contacts together, part of the weight", std::hypot(force.x(), force.y()) / weight,
                  0.01),
      Check{"least part of the weight on a cylinder", 0.05, carried, 0, 0, carried > 0.05},
      Check{"times it bounced off a cylinder", 1, double(bounces), 0, 0, bounces >= 1},
      Check{"centerline outside of the cylinders, least distance over the radius", 0.98, deepest, 0, 0, deepest > 0.98},
      bound_check("worst penetration, over the radius", simulation.report().worst_penetration, 0.02),
  };
}

}  // namespace tendril::experiments::contact_drop
