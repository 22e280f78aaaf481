// Linear systems of a chain by other means than the exact solver, to compare with it: conjugate gradients with the paper's preconditioners,
// and the full matrix.  [Zhao 2022, sec. 3.2, 3.3]
#pragma once

#include <Eigen/Cholesky>
#include <cstdint>
#include <span>
#include <vector>

#include "linear/chain_preconditioner.h"
#include "linear/conjugate_gradients.h"

namespace tendril::compact {

enum class LinearKind : std::uint8_t { exact, pcg, dense };
struct LinearSettings {
  LinearKind kind = LinearKind::exact;
  ChainPreconditioning preconditioning = ChainPreconditioning::hybrid;
  double tolerance = 1e-7;  // of conjugate gradients, over the right-hand side
};

class IterativeSolver {
 public:
  void resize(const LinearSettings& settings, int links);
  // Preconditioner, or factor of the full matrix. False: not positive. The chain is used until the next call.
  bool prepare(const ChainLDLT& chain);
  void solve(std::span<double> x, int columns = 1) const;  // as ChainLDLT::solve
  bool met_negative() const { return negative_; }          // since prepare
  int iterations() const { return iterations_; }           // of conjugate gradients, since `start`
  int solves() const { return solves_; }
  void start() { iterations_ = solves_ = 0; }

 private:
  void solve_one(std::span<double> x) const;

  LinearSettings settings_;
  const ChainLDLT* chain_ = nullptr;
  ChainPreconditioner preconditioner_;
  Eigen::MatrixXd full_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  // Scratch and counts: a solution is the same whatever was solved before.
  mutable ConjugateGradients gradients_;
  mutable std::vector<double> column_, unit_;
  mutable int iterations_ = 0, solves_ = 0;
  mutable bool negative_ = false;
};

}  // namespace tendril::compact
