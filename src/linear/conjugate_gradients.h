// Conjugate gradients with a preconditioner, for symmetric positive systems that are known by their products alone.
//
//   multiply(x, y)        y = A x
//   precondition(r, z)    z = P^-1 r
// Nothing is allocated after resize. Ends when |r| <= tolerance |b| (or <= tolerance, where `absolute` is asked for), when a direction
// shows that A is not positive, or at the limit.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace tendril {

struct GradientsReport {
  int iterations = 0;
  double residual = 0;  // |b - A x|, as the recursion has it
  bool converged = false;
  bool indefinite = false;  // a direction without positive curvature was met; the solution is the last before it
};

class ConjugateGradients {
 public:
  void resize(int size) {
    for (auto* list : {&r_, &z_, &p_, &image_}) list->assign(std::size_t(size), 0.0);
  }

  // In place: x is the right-hand side, then the solution.
  template <class Multiply, class Precondition>
  GradientsReport solve(std::span<double> x, const Multiply& multiply, const Precondition& precondition, double tolerance,
                        bool absolute, int limit) {
    GradientsReport report;
    std::copy(x.begin(), x.end(), r_.begin());
    std::fill(x.begin(), x.end(), 0.0);
    report.residual = std::sqrt(dot(r_, r_));
    const double bound = absolute ? tolerance : tolerance * report.residual;
    report.converged = report.residual <= bound;
    double along = 0;
    while (!report.converged && report.iterations < limit) {
      precondition(std::span<const double>(r_), std::span<double>(z_));
      const double next = dot(r_, z_), share = report.iterations > 0 ? next / along : 0;
      along = next;
      for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = z_[i] + share * p_[i];
      multiply(std::span<const double>(p_), std::span<double>(image_));
      const double curvature = dot(p_, image_);
      if (!(curvature > 0) || !(along > 0)) return report.indefinite = true, report;
      const double far = along / curvature;
      for (std::size_t i = 0; i < p_.size(); ++i) x[i] += far * p_[i], r_[i] -= far * image_[i];
      ++report.iterations;
      report.residual = std::sqrt(dot(r_, r_));
      report.converged = report.residual <= bound;
    }
    return report;
  }

 private:
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  std::vector<double> r_, z_, p_, image_;
};

}  // namespace tendril
