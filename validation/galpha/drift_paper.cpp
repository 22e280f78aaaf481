// An arc between two clamps swings for a minute, in the paper's formulation, which holds ends by velocity and spin alone: their positions
// drift, unless what they are off by is fed back.  [Sobottka 2008, section 4.4; ERRATA B11]
#include <fmt/format.h>

#include <algorithm>

#include "methods/galpha/paper/paper.h"
#include "validation/clamped.h"
#include "validation/experiment.h"

namespace tendril::experiments::galpha_drift_paper {
namespace {

namespace paper = galpha::paper;

constexpr double step = 0.02, duration = 60;  // [s]; the lowest mode has some 0.2 s

// Length, stiffness and mass one; three times as heavy as stiff, and pulled askew.
Scene swinging_arc() {
  Scene scene = unit_beam("galpha", 20);
  Rod& rod = scene.rods.front();
  rod.initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1 / 1.5, 1.5};
  Clamp end;
  end.name = "end", end.rod = rod.name, end.at = 1;
  scene.clamps.push_back(end);
  scene.loads.push_back(GravityLoad{Vec3(9, -15, 27)});
  return scene;
}

struct Drift {
  bool fine = true;
  double worst = 0;  // [L]
};
Drift drift_of(const paper::Settings& settings, double row, std::vector<std::vector<double>>& rows) {
  Checked<Model> model = build_model(swinging_arc());
  paper::Paper method(std::make_shared<const Model>(*model), settings);
  Drift drift;
  const int steps = static_cast<int>(duration / step + 0.5);
  for (int k = 0; k < steps && drift.fine; ++k) {
    drift.fine = method.step(k * step, step, {}).outcome == Outcome::fine;
    drift.worst = std::max(drift.worst, method.far_error(0));
    if (k % 25 == 24) rows.push_back({row, settings.feedback, (k + 1) * step, method.far_error(0)});
  }
  return drift;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const std::pair<const char*, paper::Triple> schemes[] = {{"rho 0.3", galpha::Triple::of_radius(0.3)},
                                                           {".3/0/.7", paper::printed_triple}};
  double row = 0;
  for (const auto& [name, triple] : schemes) {
    double worst[2] = {};
    for (const bool fed_back : {false, true}) {
      paper::Settings settings;
      settings.triple = triple, settings.feedback = fed_back ? 1 : 0;
      const Drift drift = drift_of(settings, row, rows);
      checks.push_back(
          at_least(fmt::format("{}, feedback {}: runs to the end", name, settings.feedback), 1, drift.fine ? 1 : 0));
      worst[fed_back ? 1 : 0] = drift.worst;
    }
    checks.push_back(at_most(fmt::format("{}: largest gap at the far clamp with feedback [L]", name), 1e-3, worst[1]));
    checks.push_back(at_least(fmt::format("{}: gap without feedback over the one with it", name), 2, worst[0] / worst[1]));
    ++row;
  }
  context.write_csv("gaps", {"scheme", "feedback", "time [s]", "gap [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::galpha_drift_paper
