// Contacts on rigid bodies whose pose is unknown: a body is an obstacle that moves along with Newton's method. The energy of a pair by
// the nodes, and by the place and a small turn of the body, with second derivatives.
#pragma once

#include <span>

#include "contact/barrier.h"
#include "contact/near_pairs.h"

namespace tendril::compact {

struct PairEnergy {
  Vector12 gradient;
  Matrix12 hessian;
};

// By (a0, a1, b0, b1); exact, or the part that is positive: stiffness along the gap.
PairEnergy pair_energy(const PairGap& gap, const PairBend& bend, const BarrierValue& push, bool exact);
Vector12 pair_gradient(const PairGap& gap, const BarrierValue& push);

// By (a0, a1, place, turn) of the body that b is a part of: with arms r of the points b of a body,
//   db = dx - [r] dtheta,   second derivative (r g^T + g r^T)/2 - (r.g) 1 of a force g at b
// and for the signed distance phi of a node, seen from the body,  w = x_node - x turned back by theta:
//   dw = dx_node - dx + [w] dtheta
PairEnergy energy_on_body(const NearPairs& near, const NearPair& pair, const PairGap& gap, const PairBend& bend,
                          const BarrierValue& push, std::span<const Vec3> nodes, const Pose& pose, bool exact);
Vector12 gradient_on_body(const NearPairs& near, const NearPair& pair, const PairGap& gap, const BarrierValue& push,
                          std::span<const Vec3> nodes, const Pose& pose);

}  // namespace tendril::compact
