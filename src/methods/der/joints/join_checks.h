// What der asks of joints: how short steps must be, and what is told before a run.
#pragma once

#include "model/join_plan.h"

namespace tendril::der {

// Largest squared frequency of a carrier against the rods that end in it, by Gershgorin, and which one it is.
struct CarrierBound {
  double squared = 0;
  int carrier = -1;
};
CarrierBound carrier_bound(const Model& model, const JoinPlan& plan);
// Bodies much lighter than the rods on them; clamps on welded frames.
void check_joins(const Model& model, Problems& problems);

}  // namespace tendril::der
