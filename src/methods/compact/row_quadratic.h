// A convex quadratic problem with rows, by the dual: what is left of it when its matrix has been factored.
//
//   minimise  1/2 s^T A s + b^T s     subject to  C + J s >= 0
// With s = A^-1 (J^T p - b), p >= 0 the pushes of the rows, the rows become  C + J s = c + G p,  G = J A^-1 J^T, c = C - J A^-1 b.
// The paper's Algorithm 2, corrected: a set of rows is kept at zero; towards the solution of that as far as no other row closes, which
// then joins the set; where none does, the row that pulls most leaves it. (Primal active-set method.)  [Zhao 2022, App. B; ERRATA Z8-Z10]
#pragma once

#include <span>
#include <vector>

#include "linear/dense.h"

namespace tendril::compact {

class RowQuadratic {
 public:
  void resize(int rows);
  int rows() const { return rows_; }
  double& at(int i, int j) { return matrix_[index(i, j)]; }                   // G, both halves
  double& constant(int i) { return constant_[static_cast<std::size_t>(i)]; }  // c

  // From the rows' values at s = 0, C: those that are closed (C < 0) begin in the set. False: no end was found.
  bool solve(std::span<const double> start);
  std::span<const double> pushes() const { return push_; }
  std::span<const double> values() const { return value_; }  // of the rows, at the solution
  int systems() const { return systems_; }                   // that were solved

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(j);
  }
  void solve_set();

  int rows_ = 0, systems_ = 0;
  std::vector<double> matrix_, constant_, push_, value_, target_, work_;
  std::vector<int> set_;
  std::vector<char> in_set_;
  DenseLDLT dense_;
};

}  // namespace tendril::compact
