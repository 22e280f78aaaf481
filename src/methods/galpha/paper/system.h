// One step of one rod, or its equilibrium, as a nonlinear system for newton.h.  [Sobottka 2008, eqs. (18)-(22)]
//
// Unknowns: 15 per node (segment.h). Frames follow from the curvatures, so the three rows that say so hold at every iterate; in the
// tangent they are there. Block row of node j: the kinematic rows of the segment before it, (14c), (14d) and the frame's, and the balance
// rows of the segment behind it, (14a), (14b). At the near end velocity, spin and frame are given instead of the former, at the far
// end force and moment, or velocity and spin, instead of the latter. So the matrix is block tridiagonal.
#pragma once

#include "linear/block_tridiagonal.h"
#include "linear/newton.h"
#include "methods/galpha/paper/rod.h"

namespace tendril::galpha::paper {

struct StepSizes {
  Triple triple;
  double dt = 0;  // [s]; 0: an equilibrium, without rates
  bool still() const { return dt == 0; }
};

class System {
 public:
  System(const RodData& rod, const Settings& settings);
  // `before` has its rows; `now` holds the guess and its ends.
  void begin(const Level& before, const LoadsNow& loads, const StepSizes& sizes, Level& now);
  NewtonReport solve();

  // For newton.h.
  NewtonPoint evaluate();
  bool direction();
  void move(double fraction) { shift(step_, fraction); }
  void accept() { base_ = now_->x; }
  double first_fraction() const { return settings_.relaxation; }

  // For tests: the residual's rows as they stand in the matrix, and the matrix.
  int size() const { return unknowns * static_cast<int>(rod_.nodes.size()); }
  const std::vector<double>& residual() const { return residual_; }
  void assemble();
  BlockTridiagonalLU<unknowns>& matrix() { return matrix_; }
  void shift(const std::vector<double>& change, double fraction);  // unknowns = base + fraction change

 private:
  void add_rates();
  void find_scales();
  void far_rows(double* at) const;
  void add_segment(int k);
  void add_side(int k, bool far, const Tangent& tangent);
  void add_frame_rows(int k);
  void add_ends();
  void scale_blocks();
  NewtonReport solve_plainly();

  const RodData& rod_;
  Settings settings_;
  Weights weights_;
  const Level* before_ = nullptr;
  const LoadsNow* loads_ = nullptr;
  Level* now_ = nullptr;
  StepSizes sizes_;
  std::vector<Fields> base_;
  std::vector<double> residual_, step_;  // block by block
  Eigen::Matrix<double, unknowns, 1> row_scale_, column_scale_;
  Eigen::Matrix<double, 4, 1> floor_;  // of the scales of (14a) to (14d)
  BlockTridiagonalLU<unknowns> matrix_;
};

}  // namespace tendril::galpha::paper
