// Rows between two elements that both move, beside the direct solve of the chains they belong to: a border.
//   f_p = b_p - D_p u_p,  u_p = u0_p + sum_q C_pq f_q      C: velocities along p that a force along q makes, joints included
// One solve of the chains for each row, and a dense symmetric system. A sparse solver of everything at once would cost less from some
// hundred rows on; sweeps do not converge where a load of many segments presses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linear/dense.h"
#include "methods/cable/system.h"

namespace tendril::cable {

struct PairRow {
  int a = 0, b = 0;      // elements
  Vector6 of_a, of_b;    // J: relative velocity by theirs
  double D = 0, b0 = 0;  // [N s/m], [N]
};

class PairBorder {
 public:
  void clear() { rows_.clear(); }
  void add(const PairRow& row) { rows_.push_back(row); }
  bool empty() const { return rows_.empty(); }
  // After the chains were solved without them. Velocities become those with them; false: no solution.
  [[nodiscard]] bool solve(std::span<const std::unique_ptr<GroupSolver>> solvers, std::span<const int> group_of,
                           const std::vector<JointRows>& rows, std::vector<Response>& elements, const StepSizes& step);

 private:
  std::vector<PairRow> rows_;
  std::vector<std::vector<Vector6>> change_;  // per row: velocities of all elements
  std::vector<double> force_;
  std::vector<char> touched_;  // groups
  DenseLDLT matrix_;
};

}  // namespace tendril::cable
