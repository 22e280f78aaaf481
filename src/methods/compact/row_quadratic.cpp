#include "methods/compact/row_quadratic.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "math/index.h"

namespace tendril::compact {
namespace {
constexpr double give = 1e-10;  // of a row's own compliance: rows that say the same share what they carry
}  // namespace

void RowQuadratic::resize(int rows) {
  rows_ = rows;
  matrix_.assign(z(rows) * z(rows), 0.0);
  for (auto* list : {&constant_, &push_, &value_, &target_}) list->assign(z(rows), 0.0);
  in_set_.assign(z(rows), 0);
}

// The pushes that bring the rows of the set to zero, and what all rows are then.
void RowQuadratic::solve_set() {
  const int n = static_cast<int>(set_.size());
  ++systems_;
  dense_.resize(n);
  work_.resize(z(n));
  for (int a = 0; a < n; ++a) {
    const int i = set_[z(a)];
    for (int b = 0; b < n; ++b) dense_.at(a, b) = matrix_[index(i, set_[z(b)])];
    dense_.at(a, a) *= 1 + give;
    work_[z(a)] = -constant_[z(i)];
  }
  std::ignore = dense_.factor();
  if (n > 0) dense_.solve(work_);
  std::fill(push_.begin(), push_.end(), 0.0);
  std::copy(constant_.begin(), constant_.end(), target_.begin());
  for (int a = 0; a < n; ++a) {
    const int j = set_[z(a)];
    push_[z(j)] = work_[z(a)];
    for (int i = 0; i < rows_; ++i) target_[z(i)] += matrix_[index(i, j)] * work_[z(a)];
  }
}

bool RowQuadratic::solve(std::span<const double> start) {
  systems_ = 0;
  set_.clear();
  std::copy(start.begin(), start.end(), value_.begin());
  double size = 0;
  for (int i = 0; i < rows_; ++i) {
    in_set_[z(i)] = value_[z(i)] < 0 ? 1 : 0;
    if (in_set_[z(i)]) set_.push_back(i);
    size = std::max({size, std::abs(value_[z(i)]), std::abs(constant_[z(i)])});
  }
  const double tolerance = 1e-9 * size;
  const int most = 50 + 10 * rows_;
  while (systems_ < most) {
    solve_set();
    // How far towards it, and who closes first? [ERRATA Z10]
    double part = 1;
    int closes = -1;
    for (int i = 0; i < rows_; ++i) {
      if (in_set_[z(i)] || target_[z(i)] >= -tolerance) continue;
      const double until = std::max(0.0, value_[z(i)]) / (std::max(0.0, value_[z(i)]) - target_[z(i)]);
      if (until < part) part = until, closes = i;
    }
    for (int i = 0; i < rows_; ++i) value_[z(i)] += part * (target_[z(i)] - value_[z(i)]);
    if (closes >= 0) {
      in_set_[z(closes)] = 1;
      set_.push_back(closes);
      continue;
    }
    // Contacts push and do not pull. [ERRATA Z9]
    int pulls = -1;
    double most_pull = 0, largest = 0;
    for (const int i : set_) {
      largest = std::max(largest, std::abs(push_[z(i)]));
      if (push_[z(i)] < most_pull) most_pull = push_[z(i)], pulls = i;
    }
    if (pulls < 0 || most_pull > -1e-9 * largest) {
      for (double& p : push_) p = std::max(p, 0.0);
      return true;
    }
    in_set_[z(pulls)] = 0;
    set_.erase(std::find(set_.begin(), set_.end(), pulls));
  }
  return false;
}

}  // namespace tendril::compact
