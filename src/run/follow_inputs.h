// From one set of live inputs to another, in increments that equilibria can follow.
#pragma once

#include "model/model.h"
#include "tendril/live.h"

namespace tendril {

// The length by which distances are measured: the rod's, or of the shortest one where bodies and obstacles (rod < 0) are
// moved.
double length_of(const Model& model, int rod);

bool same_inputs(const Live& a, const Live& b);

// How many increments it takes, each small enough for Newton's method.
double increments_between(const Model& model, const Live& a, const Live& b, double max_move, double max_turn,
                          double max_change);

// Linear interpolation: at `share` between a and b. Both have the same hands.
void blend(const Live& a, const Live& b, double share, Live& out);

// Hands of `a` that `b` does not have, or not at the same point, let go slowly: `a` with their stiffness at zero. Returns
// whether there are any.
bool let_go(const Live& a, const Live& b, Live& out);
// `a` without them, and with the new hands of `b`, each at the point it takes, where it does not pull yet.
void take_hold(const Model& model, const Frame& frame, const Live& a, const Live& b, Live& out);

}  // namespace tendril
