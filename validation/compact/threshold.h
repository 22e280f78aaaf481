// Where an equilibrium loses its stability, by the verdict alone.
#pragma once

#include <cmath>
#include <memory>

#include "methods/compact/compact.h"

namespace tendril {

struct Judged {
  bool fine = false;
  Verdict verdict;
  Frame frame;
};
inline Judged judged(const Scene& scene, double time = 0) {
  const auto model = std::make_shared<const Model>(*build_model(scene));
  compact::Compact method(model, {});
  const StepReport report = method.relax(time, 1, {});
  Judged j{report.outcome == Outcome::fine, report.verdict, model->initial};
  method.write(j.frame);
  return j;
}

// Bisection of the verdict; `scene` makes the scene of a load.
template <class SceneOf>
double threshold(const SceneOf& scene, double stable, double unstable) {
  while (std::abs(unstable - stable) > 1e-7 * unstable) {
    const double middle = 0.5 * (stable + unstable);
    const Judged j = judged(scene(middle));
    if (!j.fine) return std::nan("");
    (j.verdict.unstable > 0 ? unstable : stable) = middle;
  }
  return unstable;
}

}  // namespace tendril
