// Small dense systems of a size known at run time (borders, joints): no allocation after resize.
#pragma once

#include <span>
#include <vector>

#include "linear/pivots.h"

namespace tendril {

// General: P A = L U with partial pivoting.
class DenseLU {
 public:
  void resize(int size);
  int size() const { return size_; }
  double& at(int i, int j) { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }
  double at(int i, int j) const { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }
  // Factors what was written through at(), in place.
  PivotReport factor(double accepted = 0);
  void solve(std::span<double> x, int columns = 1) const;

 private:
  int size_ = 0;
  std::vector<double> a_;
  std::vector<int> swapped_;
};

// Symmetric, indefinite too: P A P^T = L D L^T, D of 1x1 and 2x2 blocks, complete pivoting (Bunch-Parlett), so that the
// inertia is right for any matrix.
class DenseLDLT {
 public:
  void resize(int size);
  int size() const { return size_; }
  double& at(int i, int j) { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }  // fill both halves
  double at(int i, int j) const { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }
  PivotReport factor(double accepted = 0);
  const PivotReport& report() const { return report_; }
  void solve(std::span<double> x, int columns = 1) const;

 private:
  void swap(int i, int j);
  void eliminate_one(int k, double scale, double accepted);
  void eliminate_two(int k, double scale);

  int size_ = 0;
  std::vector<double> a_;     // L below the diagonal blocks, D in them
  std::vector<int> swapped_;  // row k was swapped with this one
  std::vector<char> two_;     // a 2x2 block begins here
  PivotReport report_;
};

}  // namespace tendril
