// The way from one set of live inputs to another, for equilibria that follow it in increments.
#pragma once

#include "model/model.h"
#include "tendril/live.h"

namespace tendril {

// The length by which ways are measured: the rod's, or of the shortest one where bodies and obstacles (rod < 0) are moved.
double length_of(const Model& model, int rod);

bool same_inputs(const Live& a, const Live& b);

// How far it is, in increments that Newton's method likes.
double increments_between(const Model& model, const Live& a, const Live& b, double most_move, double most_turn,
                          double most_change);

// On the straight way, at `share` of it. Both have the same hands.
void blend(const Live& a, const Live& b, double share, Live& out);

// Hands of `a` that `b` does not have, or not at the same point, let go slowly: `a` with their stiffness at zero. Returns
// whether there are any.
bool let_go(const Live& a, const Live& b, Live& out);
// `a` without them, and with the new hands of `b`, each at the point it takes, where it does not pull yet.
void take_hold(const Model& model, const Frame& frame, const Live& a, const Live& b, Live& out);

}  // namespace tendril
