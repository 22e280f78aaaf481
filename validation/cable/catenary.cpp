// A slack rope between two pins at rest.
#include <fmt/format.h>

#include "math/number.h"
#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_catenary {
namespace {

constexpr double g = 9.81;
const StiffnessSection limp{.EA = {}, .EI1 = 1e-9, .EI2 = 1e-9, .GJ = 1e-9, .mass_per_length = 1, .radius = 0.002};

struct Slack {
  double sag = 0;
  int solves = 0;
};
Slack slack(int segments) {
  Scene scene = rope::straight(Vec3::Zero(), Vec3(1, 0, 0), segments, limp);
  // An arc of the same length: 2 R x = 1, 2 R sin x = 0.8.
  const double x = 1.1311023, radius = 1 / (2 * x);
  scene.rods[0].initial =
      ArcCurve{Vec3::Zero(), Vec3(std::cos(x), 0, -std::sin(x)), Vec3(std::sin(x), 0, std::cos(x)), radius, 2 * x};
  rope::pin(scene, 0), rope::pin(scene, 1);
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  const auto model = rope::model_of(scene);
  cable::Cable method(model, {});
  const StepReport report = method.relax(0, 1, {});
  Frame frame;
  method.write(frame);
  double lowest = 0;
  for (int k = 0; k <= segments; ++k) lowest = std::min(lowest, frame.position[NodeIndex(k)].z());
  return {report.outcome == Outcome::fine ? -lowest : 0, report.iterations};
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const Slack s = slack(50);
  context.write_csv("catenary", {"sag [m]", "solves"}, {{s.sag, 1.0 * s.solves}});
  return {relative_check("sag of a rope of 1 m between pins 0.8 m apart [m]", 0.2654375091, s.sag, 5e-4),
          at_most("solves", 40, s.solves)};
}

}  // namespace tendril::experiments::cable_catenary
