// A free rod, thrown and spinning: momenta and energy over 1e5 steps.
#include "math/rotation.h"
#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_free {
namespace {

Scene thrown() {
  StiffnessSection section{.EA = {}, .EI1 = 0.5, .EI2 = 0.5, .GJ = 0.4, .mass_per_length = 0.2, .radius = 0.01};
  Scene scene = rope::straight(Vec3::Zero(), Vec3(1, 0, 0), 12, section);
  for (int k = 0; k <= 12; ++k) {
    const double s = k / 12.0 - 0.5;
    scene.rods[0].velocities.push_back(Vec3(0.3, 2.0 * s, 1 + 0.8 * s * s));
  }
  return scene;
}
struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double size = 0;  // of all momenta, whatever their directions
};
// Of the velocities the scheme steps with, which lie half a step between the levels: places half a step back.
Momenta momenta(const cable::Cable& method, double back) {
  Momenta m;
  const cable::State& s = method.state();
  for (std::size_t i = 0; i < method.parts().elements.size(); ++i) {
    const cable::Element& e = method.parts().elements[i];
    if (e.led) continue;
    m.linear += e.mass * s.v[i], m.size += e.mass * s.v[i].norm();
    m.angular += e.mass * (s.x[i] - back * s.v[i]).cross(s.v[i]) + s.momentum[i];
  }
  return m;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const double h = rope::frame_step / 4;
  cable::Settings settings;
  settings.averaged = false, settings.geometric = false;
  cable::Cable method(rope::model_of(thrown()), settings);
  std::ignore = method.step(0, h, {});
  const Momenta start = momenta(method, h);
  Frame frame;
  method.write(frame);
  const double energy = frame.own_energy.total();
  double least = 1, most = 1;
  std::vector<std::vector<double>> rows;
  bool fine = true;
  for (int i = 1; i <= 100000 && fine; ++i) {
    fine = method.step(i * h, h, {}).outcome == Outcome::fine;
    if (i % 100 != 0) continue;
    method.write(frame);
    const double now = frame.own_energy.total() / energy;
    least = std::min(least, now), most = std::max(most, now);
    if (i % 1000 == 0) rows.push_back({i * h, now});
  }
  const Momenta end = momenta(method, h);
  context.write_csv("energy", {"time [s]", "energy over that at the start"}, rows);
  return {{"every step is fine", 1, fine ? 1.0 : 0.0, 0, 0, fine},
          bound_check("momentum after 1e5 steps, change over the sum of all parts'",
                      (end.linear - start.linear).norm() / start.size, 1e-12),
          bound_check("angular momentum after 1e5 steps, change over its size",
                      (end.angular - start.angular).norm() / start.angular.norm(), 1e-10),
          at_least("least energy over that at the start", 0.98, least),
          at_most("largest energy over that at the start", 1.001, most)};
}

}  // namespace tendril::experiments::cable_free
