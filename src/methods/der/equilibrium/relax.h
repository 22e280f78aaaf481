// Equilibria: Newton on positions and angles together, with the analytic Hessian in a band matrix.
// Lengths are kept by multipliers (augmented Lagrangian): the band stays positive definite at a stable equilibrium, and its
// negative pivots count the directions in which an equilibrium is not a minimum.
#pragma once

#include <vector>

#include "linear/band_ldlt.h"
#include "linear/cyclic_band.h"
#include "linear/newton.h"
#include "methods/der/rod/forces.h"
#include "methods/der/rod/joint_hessian.h"

namespace tendril::der {

class RodProblem;

struct RelaxOptions {
  int max_iterations = 2000;  // a snap to another shape takes about ten for each segment
  double tolerance = 1e-11;   // on forces, relative to the bending force of one segment folded by one radian
  double length_tolerance = 1e-10;
  bool seek_minimum = false;  // leave an equilibrium that is not a minimum for one that is
};
struct RelaxReport {
  bool fine = false;
  bool taut = false;  // not fine because a rod is held exactly straight and pushed sideways
  int iterations = 0;
  double residual = 0;
  Verdict verdict{Verdict::Kind::counted};
};

// Works on the chain in place: positions, frames (theta and Bishop directors), tension. On failure the chain is left at the
// best place found.
class Relaxer {
 public:
  explicit Relaxer(const Chain& chain);
  RelaxReport relax(Chain& chain, const Drive& drive, Loads& loads, const RelaxOptions& options);

  // Lowest eigenvalue sign of the present chain without moving it: negative pivots of the Hessian at fixed multipliers.
  // Counts only what is softer than -`below` times the bending stiffness of one segment: a rod that nothing holds has
  // directions of no stiffness at all, whose pivots are rounding of either sign.
  int negative_pivots(Chain& chain, const Drive& drive, Loads& loads, double below = 0);

 private:
  friend class RodProblem;
  bool relax_rod(RodProblem& problem, const RelaxOptions& options, RelaxReport& report);
  void seek_minimum(Chain& chain, int rod, const Drive& drive, Loads& loads, const RelaxOptions& options,
                    RelaxReport& report, Verdict& verdict);
  struct RodNumbers {  // unknowns of one rod
    int size = 0;
    double whole = 0;  // length at rest [m]
    bool ring = false;
    std::vector<int> x, theta;  // per slot/vertex of the chain, offset by rod.first; -1: not an unknown
    BandLDLT band;
    CyclicBandLDLT cyclic;
    std::vector<double> gradient, direction;
    std::vector<double> scale, stiff;  // the size of a force and of a stiffness in each unknown
    std::vector<char> fixed;
  };
  std::vector<RodNumbers> numbers_;
  // base state of the Newton step and frames of all slots, flat as the chain
  Array3 base_x_, base_t_, base_m1_;
  Array base_twist_, turned_, twist_;  // turned: change of theta since the base
  Array multiplier_, stiffness_;       // of the lengths
};

}  // namespace tendril::der
