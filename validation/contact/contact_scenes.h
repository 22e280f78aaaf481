// Scenes of contact that several methods are tried with.
#pragma once

#include <string>

#include "tendril/scene.h"
#include "validation/experiment.h"

namespace tendril::experiments {

namespace contact_capstan {
inline constexpr double capstan_radius = 0.1, capstan_loaded = 2.5;  // [m] of the drum; [s] until loads stay
struct CapstanCase {
  double mu = 0, theta = 0;
  double bending = 0.005;  // EI over T R^2
};
// A rope over a drum. Both loads rise to 1 N, then the second one to `ratio` N, and then, in 10 s, to `further` N.
// middle: the node in its middle.
Scene capstan(const CapstanCase& c, double ratio, double further, int& middle);
}  // namespace contact_capstan

// contact/crossing and contact/drop with a method; step 0: the advised one.
namespace contact_crossing {
std::vector<Check> crossing_with(const std::string& method, double step, ExperimentContext& context);
}
namespace contact_drop {
Scene dropped_rod();  // a light rod over three cylinders  [Zhao 2022, Fig. 17]
std::vector<Check> drop_with(const std::string& method, double step, ExperimentContext& context);
}  // namespace contact_drop

}  // namespace tendril::experiments
