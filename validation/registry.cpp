// The list of experiments: one declaration and one line each.
#include <array>

#include "validation/experiment.h"

namespace tendril {

std::vector<Check> der_cantilever(ExperimentContext& context);
std::vector<Check> der_energy(ExperimentContext& context);

std::span<const Experiment> all_experiments() {
  static const std::array<Experiment, 2> experiments{{
      {"der/cantilever", "REFERENCES 1a-1c", "a cantilever bends as Euler's elastica does", Experiment::quick, der_cantilever},
      {"der/energy", "conservation laws", "a free rod keeps energy and momenta, an inextensible one its length", Experiment::quick, der_energy},
  }};
  return experiments;
}

}  // namespace tendril
