// Internal damping of the material (Kelvin-Voigt), implicit in the velocities.
//
// What bends or twists at a rate is resisted by tau times the stiffness times that rate. The rate of a joint is the relative
// angular velocity of its two frames,
//   dw = w_b - w_a,   w = t x (v_end - v_start)/|e| + s t     of an edge, s its spin about itself
// (along the rod dw/ds is the rate of the material curvature and twist, whatever the frame). With the joint's stiffness K,
// which acts on the bending part by B and on the twisting part by GJ, the power lost is tau dw.K.dw, and
//   (M + h C) v = M v_before,   v.C.v = sum tau dw.K.dw
// holds the velocities after the time h. Spins have no inertia: they are unknowns that take the values with the least loss, so
// that no rigid motion is damped, C has the momenta in its kernel, and both are kept.
#pragma once

#include <span>
#include <vector>

#include "linear/band_ldlt.h"
#include "linear/cyclic_band.h"
#include "methods/der/chain/chain.h"

namespace tendril::der {

class InternalDamping {
 public:
  explicit InternalDamping(const Chain& chain);
  bool any() const { return !rods_.empty(); }
  // Velocities of the damped rods of a chunk after the time h, at the present tangents and frames.
  // `impulse`, if given: what it gave to each node, at its first vertex [N s].
  void apply(Chain& chain, const Chunk& chunk, const Drive& drive, double h, Array3* impulse = nullptr);

 private:
  // Two frames that turn against each other. Edges count their unknowns; a wall turns as its clamp says.
  struct Side {
    int slot = 0;
    int edge = -1;  // of the rod, in order; -1: a wall
    int clamp = -1;
  };
  struct Link {
    Side a, b;
    double inverse_l = 0;  // 1/[m], as of a joint
    double twist = 0;      // 2 GJ/l [N m]
  };
  // Unknowns: for node k the change of its velocity at 4k, 4k+1, 4k+2, and at 4k+3 the spin of the edge after it.
  struct DampedRod {
    int rod = 0;
    double time = 0;  // tau [s]
    bool ring = false;
    std::vector<int> vertex;  // per node: its first vertex
    std::vector<int> slot;    // per edge
    std::vector<Link> links;
    std::vector<double> right;  // right side, then the unknowns
    BandLDLT open;
    CyclicBandLDLT closed;
    void add(int i, int j, double value) { ring ? closed.add(i, j, value) : open.add(i, j, value); }
  };
  void add_rod(const Chain& chain, int rod);
  void add_link(const Chain& chain, const Drive& drive, double h, DampedRod& rod, const Link& link) const;

  std::vector<DampedRod> rods_;  // in the order of the chain
};

}  // namespace tendril::der
