// Solvers that go round among parts of a group instead of solving all of it at once: the paper's Gauss-Seidel, and conjugate
// directions.  [Servin 2008, sec. VI, Algorithm 1]
//
// A part is a set of joints without a closed loop (a cable), solved directly; every joint to what is led, and every joint that closes a
// loop, is a part of its own.
//   lambda_a = S_aa^-1 (b_a - sum over other parts S_ab lambda_b)        in turn, newest values
// Conjugate directions take the parts' direct solves, side by side, as preconditioner.
#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <span>
#include <vector>

#include "linear/block_ldlt.h"
#include "linear/block_tridiagonal.h"
#include "methods/cable/parts.h"

namespace tendril::cable {

using Block6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Blocks6 = std::vector<Block6, Eigen::aligned_allocator<Block6>>;

enum class SolverKind : std::uint8_t { direct, gauss_seidel, conjugate_directions };

struct SolverChoice {
  SolverKind kind = SolverKind::direct;
  int iterations = 20;      // at most
  double tolerance = 1e-9;  // residual over the right side at which it stops
};

// Two joints of a group that share an element.
struct Link {
  int first = 0, second = 0, element = 0;
};

class IterativeSolver {
 public:
  IterativeSolver(const Parts& parts, const Group& group, std::span<const Link> links, const SolverChoice& choice);
  // S by its blocks: `shared` of each link, row of the second and column of the first. `x`: the first guess, then the answer; where it
  // is zero everywhere the parts' own solutions begin (lines 5-8). False: a pivot is no number.
  [[nodiscard]] bool solve(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> right,
                           std::span<double> x);
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }  // over the right side, largest entries

 private:
  bool factor(const Blocks6& diagonal, const Blocks6& shared);
  void solve_part(int part, std::span<double> y) const;  // of its joints' entries in y
  double find_residual(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> right,
                       std::span<const double> x);  // into r_
  void multiply(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> x, std::span<double> y) const;
  void sweep(const Blocks6& shared, std::span<const double> right, std::span<double> x);
  void conjugate(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> right, std::span<double> x);
  void precondition();  // z_ = parts' solutions of r_

  std::span<const Link> links_;
  SolverChoice choice_;
  std::vector<int> part_of_;              // per joint of the group; 0: the tree
  std::vector<std::vector<int>> joints_;  // of each part
  std::vector<int> place_;                // in its part
  std::vector<int> inside_;               // links within the tree
  std::vector<int> between_;              // links between parts
  bool chain_ = false;                    // the tree is a chain in the group's order
  BlockTridiagonalLDLT<6> tridiagonal_;
  BlockLDLT general_;
  std::vector<Eigen::LDLT<Eigen::Matrix<double, 6, 6>>> single_;  // of parts from 1 on
  mutable std::vector<double> work_;
  std::vector<double> r_, z_, p_, sp_, y_;
  int iterations_ = 0;
  double residual_ = 0;
};

}  // namespace tendril::cable
