// What the rooms behind the front door ask of a Simulation, and its callers do not: a method of their own, and its model.
#pragma once

#include "tendril/simulate.h"

namespace tendril {

struct Model;        // model/model.h
struct MethodEntry;  // methods/method.h

Checked<Simulation> open_with(const Scene& scene, const MethodEntry& method);  // that need not be in the registry
const Model& model_of(const Simulation& simulation);

}  // namespace tendril
