// What the rooms behind the front door ask of a Simulation, and its callers do not: a method of their own, and its model.
#pragma once

#include "tendril/simulate.h"

namespace tendril {

struct Model;        // model/model.h
struct MethodEntry;  // methods/method.h

// By a method that need not be in the registry.
Checked<Simulation> open_with(const Scene& scene, const MethodEntry& method, const Resources& resources = {});
const Model& model_of(const Simulation& simulation);

}  // namespace tendril
