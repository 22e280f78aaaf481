// Strands held at both ends, at several points, or under dead loads: the stress that fits is searched for with Newton's
// method and the exact tangents of the sweeps. [Pai 2002, sec. 4; ERRATA P10, P11]
//
// Single shooting: six unknowns at the far end (stress where the pose is held, pose where it is free or on a spring), one
// sweep to the near end, six residuals there. Multiple shooting: the strand is cut at nodes and every cut has its own twelve
// unknowns, so that errors grow along one piece only; the band matrix of all pieces is factored with pivoting.
#pragma once

#include <functional>

#include "linear/band_lu.h"
#include "linear/small_factor.h"
#include "methods/strands/strand.h"

namespace tendril::strands {

struct ShootingSettings {
  double tolerance = 1e-10;  // of the largest residual: parts of the length, radians, parts of EI/L^2 and EI/L
  int max_iterations = 30;   // Newton's
  int max_sweeps = 200;      // all of them together, backtracking included
};
struct ShootingReport {
  bool fine = false;
  int iterations = 0, sweeps = 0;
  double residual = 0;
};

// Six numbers per hold or end, scaled.
using Six = std::array<double, 6>;

// Free components of the far end: the unknowns. Where the pose is held the stress moves, elsewhere the pose.
struct FarEnd {
  V r{0, 0, 0};
  Quaternion q{1, 0, 0, 0};
  Stress<double> x{{0, 0, 0}, {0, 0, 0}};  // beyond the loads of the last node: what its hold does to the strand
};

class SingleShooting {
 public:
  // Improves `end`; fills `states` (one per node, kept as they were when it fails). Holds at the two ends only.
  ShootingReport solve(const Strand& strand, const ShootingSettings& settings, FarEnd& end, std::vector<State>& states);

  // d residual / d unknowns by one sweep of jets, for tests and for conjugate points.
  void linearise(const Strand& strand, const FarEnd& end, Six& residual, SmallLU<6>::Block& jacobian);
  Six residual(const Strand& strand, const FarEnd& end, std::vector<State>* states);
  static FarEnd moved(const Strand& strand, const Scales& scales, const FarEnd& end, const Six& step, double part);

 private:
  bool search(const Strand& strand, const ShootingSettings& settings, const Eigen::Matrix<double, 6, 1>& step,
              int max_halvings, FarEnd& here, ShootingReport& report);
  Scales scales_;             // length, force and moment that unknowns and residuals are divided by
  SmallLU<6> lu_;             // of the Jacobian
  std::vector<State> trial_;  // along the strand, of the last sweep
};

class MultipleShooting {
 public:
  // Cuts at every hold and at `pieces` about equal pieces. Allocates when these are not those of the last time.
  void cut(const Strand& strand, int pieces);
  int pieces() const { return static_cast<int>(cuts_.size()) - 1; }
  // `states`: the guess (all nodes), and the answer when fine.
  ShootingReport solve(const Strand& strand, const ShootingSettings& settings, std::vector<State>& states);

 private:
  bool search(const Strand& strand, const ShootingSettings& settings, int max_halvings, ShootingReport& report);
  void leave_out_softest();  // projects the softest direction out of the step
  double residuals(const Strand& strand, const std::vector<State>& at, std::vector<double>& rows, bool with_tangent);
  void fill_tangent(const Strand& strand, int piece, const State& start);
  void moved(const std::vector<State>& from, const std::vector<double>& step, double part, std::vector<State>& to) const;

  std::vector<int> asked_;  // what the present cuts were made for
  std::vector<int> cuts_;   // nodes, rising, first and last included
  Scales scales_;           // length, force and moment that unknowns and residuals are divided by
  BandLU lu_;               // Jacobian of all cuts
  std::vector<double> rows_, step_, soft_, trial_rows_;  // residuals, Newton step, softest direction, residuals of a trial
  std::vector<State> at_, trial_at_, trial_;             // by cut: unknowns, and of a trial; by node: of a trial
};

// Largest residual that a set of node states leaves in the balance of forces and moments and in the holds: an independent
// check, in world axes, that knows nothing of sweeps. Loads included; scaled as residuals are.
double equilibrium_error(const Strand& strand, const std::vector<State>& states);

}  // namespace tendril::strands
