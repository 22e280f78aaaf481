#include "methods/compact/iterative.h"

#include "methods/compact/problem.h"

namespace tendril::compact {

void IterativeSolver::resize(const LinearSettings& settings, int links) {
  settings_ = settings;
  const int size = 3 + 3 * links;
  column_.assign(z(size), 0.0), unit_.assign(z(size), 0.0);
  if (settings.kind == LinearKind::pcg) gradients_.resize(size), preconditioner_.resize(links);
  if (settings.kind == LinearKind::dense) full_.setIdentity(size, size), cholesky_.compute(full_);  // sets its memory aside
}

bool IterativeSolver::prepare(const ChainLDLT& chain) {
  chain_ = &chain;
  negative_ = false;
  if (settings_.kind == LinearKind::pcg) return preconditioner_.build(chain, settings_.preconditioning) >= 0;
  for (std::size_t j = 0; j < unit_.size(); ++j) {
    unit_[j] = 1;
    chain.multiply(unit_, {full_.data() + static_cast<std::ptrdiff_t>(j) * full_.rows(), unit_.size()});
    unit_[j] = 0;
  }
  cholesky_.compute(full_);
  return cholesky_.info() == Eigen::Success;
}

void IterativeSolver::solve_one(std::span<double> x) const {
  ++solves_;
  if (chain_->root_held()) std::fill(x.begin(), x.begin() + 3, 0.0);
  if (settings_.kind == LinearKind::dense) {
    Eigen::Map<Eigen::VectorXd> map(x.data(), static_cast<Eigen::Index>(x.size()));
    cholesky_.solveInPlace(map);
    return;
  }
  // The true bound is the size of the system; rounding asks for more.
  const GradientsReport report = gradients_.solve(
      x, [this](auto in, auto out) { chain_->multiply(in, out); },
      [this](auto r, auto out) { preconditioner_.apply(r, out); }, settings_.tolerance, false,
      10 * static_cast<int>(x.size()));
  iterations_ += report.iterations;
  negative_ = negative_ || report.indefinite;
}

void IterativeSolver::solve(std::span<double> x, int columns) const {
  if (columns == 1) return solve_one(x);
  const std::size_t count = z(columns);
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = 0; i < column_.size(); ++i) column_[i] = x[i * count + c];
    solve_one(column_);
    for (std::size_t i = 0; i < column_.size(); ++i) x[i * count + c] = column_[i];
  }
}

bool Problem::direct_iteratively(bool exact) {
  assemble(ldlt_, exact);
  anchor();
  for (int i = 0; i < chain_.all() && tiny_ > 0; ++i) ldlt_.link(i).turn.diagonal().array() += tiny_;
  if (!iterative_.prepare(ldlt_)) return false;
  for (std::size_t i = 0; i < gradient_.size(); ++i) direction_[i] = -gradient_[i];
  if (active_rows_ == 0 || soft_) {
    std::fill(direction_.begin() + size(), direction_.end(), 0.0);
    iterative_.solve({direction_.data(), z(size())});
    return !iterative_.met_negative();
  }
  // rows + 1 solutions [Zhao 2022, eq. (14); ERRATA Z8]
  fill_border(border_, true);
  const PivotReport outer = border_.factor(iterative_, 1e-300);
  if (iterative_.met_negative() || outer.negative != active_rows_) return false;
  border_.solve(iterative_, direction_);
  return !iterative_.met_negative();
}

}  // namespace tendril::compact
