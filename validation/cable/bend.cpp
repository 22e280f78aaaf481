// A rope bent by a couple at its end: an arc of radius EI/M, estimated from the segments' centres as in the paper.
#include <fmt/format.h>
#include <Eigen/Geometry>

#include "validation/cable/servin_rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_bend {
namespace {

// Mean radius of the circles through three neighbouring centres; 0: no equilibrium was found.
double radius_of(double young, int segments, double radius) {
  // Stiff out of its plane: bent by more than one turn, a couple of fixed direction would tip an isotropic rope over.
  StiffnessSection section = rope::servin_section(young, 10);
  section.EI2 *= 100, section.GJ *= 100;
  Scene scene = rope::straight(Vec3::Zero(), Vec3(rope::servin_length, 0, 0), segments, section);
  scene.rods[0].d1 = Vec3::UnitZ();
  rope::pin(scene, 0, {Hold::position, Hold::direction, Hold::twist});
  MomentLoad couple;
  couple.rod = "rope", couple.at = 1, couple.value = Vec3(0, 0, section.EI1 / radius);
  scene.loads = {couple};
  cable::Cable method(rope::model_of(scene), {});
  for (int k = 1; k <= 20; ++k)
    if (method.relax(0, k / 20.0, {}).outcome != Outcome::fine) return 0;
  const std::vector<Vec3>& x = method.state().x;
  double sum = 0;
  for (int i = 1; i + 1 < segments; ++i) {
    const Vec3 a = x[std::size_t(i)] - x[std::size_t(i - 1)], b = x[std::size_t(i + 1)] - x[std::size_t(i)], c = a + b;
    sum += a.norm() * b.norm() * c.norm() / (2 * a.cross(b).norm());
  }
  return sum / (segments - 2);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const auto error = [&](double young, int n, double radius) {
    const double found = radius_of(young, n, radius);
    rows.push_back({young, 1.0 * n, 1 / radius, found, radius});
    return std::abs(found / radius - 1);
  };
  for (const double radius : {10.0, 5.0, 2.0, 1.0}) {
    for (const int n : rope::servin_segments) error(2e9, n, radius);
    for (const rope::Material& material : rope::servin_materials)
      checks.push_back(bound_check(fmt::format("{}, 24 segments: radius over {:g} m - 1", material.name, radius),
                                   error(material.young, 24, radius), 0.02));
  }
  const double coarse = error(2e9, 24, 1), fine = error(2e9, 48, 1);
  checks.push_back(absolute_check("radius 1 m: order from 24 to 48 segments", 2, std::log2(coarse / fine), 0.1));
  context.write_csv("bend", {"E [Pa]", "segments", "M/(EI/1 m)", "radius [m]", "EI/M [m]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_bend
