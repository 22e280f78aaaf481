// The numbers that are plotted: which there are and in which order, for descriptions, frames and saved runs alike.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "tendril/simulate.h"

namespace tendril::view {

struct ValueName {
  std::string name, unit;
  const char* group;  // energy, balance, twist, solver, probe
};
std::vector<ValueName> value_names(const Model& model);
std::size_t value_count(const Model& model);
std::size_t value_count(const Frame& frame, const Measures& measures);
// Writes value_count(frame, measures) numbers. Of the frame it uses the energy flow, the rods' twist and the solver's report. Does not allocate.
void put_values(const Frame& frame, const Measures& measures, double* out);

}  // namespace tendril::view
