// The energy to second order where everything stands, hard joints as rows beside it:
//   [ H  -J^T ] [ d  ]   [ forces and moments that are not balanced ]
//   [ -J   0  ] [ dF ] = [ gaps ]
// d: how elements move and turn, exp(theta) q; F: what hard joints pull with. Its pivots tell whether an equilibrium is a minimum, its
// solution is Newton's step, and its softest direction the way that leads down from where it is none.
//
// A force F at the lever r of an element that turns by theta has F.(theta x (theta x r))/2 to second order:
//   G(r, F) = (r.F) 1 - (r F^T + F r^T)/2, the geometric stiffness.
// A joint turns by R^T (theta_b - theta_a - theta_a x theta_b/2), in the axes of a.
#pragma once

#include <vector>

#include "linear/block_ldlt.h"
#include "methods/cable/parts.h"

namespace tendril::cable {

inline Mat3 geometric_stiffness(const Vec3& lever, const Vec3& force) {
  return lever.dot(force) * Mat3::Identity() - 0.5 * (lever * force.transpose() + force * lever.transpose());
}

// What joints do to elements: hard ones with the forces of the state, all others by how far they are stretched, bent and twisted; those
// are written to the state. Frames that are held hard keep the couples of the state.
void joint_wrenches(const Parts& parts, State& state, std::vector<Vec3>& pull, std::vector<Vec3>& turn);

class Tangent {
 public:
  // False: something is there that it does not know (sliders, bodies that are guided, other forms of joints).
  static bool knows(const Parts& parts);
  explicit Tangent(const Parts& parts);
  // `loads`: geometric stiffness of loads, by element. `unit` [N m]: what stiffness is measured by; `reach` [m].
  void assemble(const State& state, const std::vector<Mat3>& loads, double unit, double reach);
  // Directions in which the energy, with shift times the unit added, falls; -1: cannot be told.
  int falling(double shift);
  // A solution with the factor of the last `falling`. In: forces, moments, gaps. Out: how elements move and turn; forces of hard joints.
  void solve(std::vector<Vec3>& move, std::vector<Vec3>& turn, std::vector<Vec3>& rows);
  // Along the softest direction near the shift of the last `falling`, from a start that is set here: its stiffness over the unit.
  double softest(std::vector<Vec3>& move, std::vector<Vec3>& turn);
  // d.H.d of a direction, and d.d in the unit.
  double bend_of(const std::vector<Vec3>& move, const std::vector<Vec3>& turn) const;
  double size_of(const std::vector<Vec3>& move, const std::vector<Vec3>& turn) const;
  bool is_hard(std::size_t joint) const { return row_[joint] >= 0; }

 private:
  struct Entry {
    int i, j;
    Mat3 block;
  };
  void number(const State& state);
  void add(int i, int j, const Mat3& block) {
    if (i >= 0 && j >= 0) entries_.push_back({i, j, block});
  }
  const Parts& parts_;
  BlockLDLT matrix_;
  std::vector<Entry> entries_;              // without shift
  std::vector<int> move_, turn_, row_;      // blocks of elements, of hard joints; -1: none
  std::vector<std::pair<int, int>> pairs_;  // rows, with what they are eliminated
  std::vector<double> weight_;              // of blocks: the unit; rows: 0
  std::vector<double> x_;
  std::vector<char> taken_;
  int blocks_ = 0, rows_ = 0;
  double shift_ = 0;
};

}  // namespace tendril::cable
