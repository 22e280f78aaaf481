#include "methods/cable/iterative.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tendril::cable {
namespace {

using Six = Eigen::Matrix<double, 6, 1>;
Eigen::Map<const Six> six(std::span<const double> x, int joint) { return Eigen::Map<const Six>(x.data() + 6 * joint); }
Eigen::Map<Six> six(std::span<double> x, int joint) { return Eigen::Map<Six>(x.data() + 6 * joint); }
double largest(std::span<const double> x) {
  double most = 0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}
double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

IterativeSolver::IterativeSolver(const Parts& parts, const Group& group, std::span<const Link> links,
                                 const SolverChoice& choice)
    : links_(links), choice_(choice) {
  const int n = static_cast<int>(group.joints.size());
  // A joint between two sets of elements that were not linked before belongs to the tree.
  std::vector<int> set(parts.elements.size());
  std::iota(set.begin(), set.end(), 0);
  const auto find = [&](int e) {
    while (set[z(e)] != e) e = set[z(e)];
    return e;
  };
  joints_.resize(1);
  part_of_.assign(z(n), 0), place_ = part_of_;
  for (int i = 0; i < n; ++i) {
    const Joint& joint = parts.joints[z(group.joints[z(i)])];
    const bool led = parts.elements[z(joint.a)].led || parts.elements[z(joint.b)].led;
    const int a = find(joint.a), b = find(joint.b);
    if (!led && a != b) {
      set[z(a)] = b;
      place_[z(i)] = static_cast<int>(joints_[0].size());
      joints_[0].push_back(i);
    } else {
      part_of_[z(i)] = static_cast<int>(joints_.size());
      joints_.push_back({i});
    }
  }
  chain_ = group.path;
  for (int l = 0; l < static_cast<int>(links_.size()); ++l) {
    const Link& link = links_[z(l)];
    const bool tree = part_of_[z(link.first)] == 0 && part_of_[z(link.second)] == 0;
    (tree ? inside_ : between_).push_back(l);
  }
  if (chain_) tridiagonal_.resize(static_cast<int>(joints_[0].size()));
  single_.resize(joints_.size());
  work_.assign(z(6 * n), 0.0), r_ = z_ = p_ = sp_ = y_ = work_;
}

bool IterativeSolver::factor(const Blocks6& diagonal, const Blocks6& shared) {
  bool finite = true;
  if (chain_) {
    for (std::size_t k = 0; k < joints_[0].size(); ++k)
      tridiagonal_.diagonal(static_cast<int>(k)) = diagonal[z(joints_[0][k])];
    for (const int l : inside_) tridiagonal_.lower(place_[z(links_[z(l)].first)]) = shared[z(l)];
    finite = std::isfinite(tridiagonal_.factor(1e-30).smallest);
  } else if (!joints_[0].empty()) {
    general_.begin(2 * static_cast<int>(joints_[0].size()));
    for (std::size_t k = 0; k < joints_[0].size(); ++k) {
      const Block6& d = diagonal[z(joints_[0][k])];
      const int at = 2 * static_cast<int>(k);
      general_.add(at, at, d.topLeftCorner<3, 3>());
      general_.add(at + 1, at + 1, d.bottomRightCorner<3, 3>());
      general_.add(at + 1, at, d.bottomLeftCorner<3, 3>());
    }
    for (const int l : inside_)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
          general_.add(2 * place_[z(links_[z(l)].second)] + r, 2 * place_[z(links_[z(l)].first)] + c,
                       shared[z(l)].block<3, 3>(3 * r, 3 * c));
    finite = std::isfinite(general_.factor().smallest);
  }
  for (std::size_t part = 1; part < joints_.size(); ++part) single_[part].compute(diagonal[z(joints_[part][0])]);
  return finite;
}

void IterativeSolver::solve_part(int part, std::span<double> y) const {
  if (part > 0) {
    auto own = six(y, joints_[z(part)][0]);
    const Six answer = single_[z(part)].solve(own);
    own = answer;
    return;
  }
  const std::span<double> own(work_.data(), 6 * joints_[0].size());
  for (std::size_t k = 0; k < joints_[0].size(); ++k) six(own, static_cast<int>(k)) = six(y, joints_[0][k]);
  if (chain_)
    tridiagonal_.solve(own);
  else if (!own.empty())
    general_.solve(own);
  for (std::size_t k = 0; k < joints_[0].size(); ++k) six(y, joints_[0][k]) = six(own, static_cast<int>(k));
}

void IterativeSolver::multiply(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> x,
                               std::span<double> y) const {
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    six(y, static_cast<int>(i)).noalias() = diagonal[i] * six(x, static_cast<int>(i));
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = links_[l];
    six(y, link.second).noalias() += shared[l] * six(x, link.first);
    six(y, link.first).noalias() += shared[l].transpose() * six(x, link.second);
  }
}

double IterativeSolver::find_residual(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> right,
                                      std::span<const double> x) {
  multiply(diagonal, shared, x, r_);
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = right[i] - r_[i];
  const double scale = largest(right);
  return scale > 0 ? largest(r_) / scale : 0;
}

// Lines 10-14 of Algorithm 1.
void IterativeSolver::sweep(const Blocks6& shared, std::span<const double> right, std::span<double> x) {
  for (std::size_t part = 0; part < joints_.size(); ++part) {
    for (const int i : joints_[part]) six(std::span<double>(y_), i) = six(right, i);
    for (const int l : between_) {
      const Link& link = links_[z(l)];
      if (part_of_[z(link.second)] == static_cast<int>(part))
        six(std::span<double>(y_), link.second).noalias() -= shared[z(l)] * six(std::span<const double>(x), link.first);
      if (part_of_[z(link.first)] == static_cast<int>(part))
        six(std::span<double>(y_), link.first).noalias() -=
            shared[z(l)].transpose() * six(std::span<const double>(x), link.second);
    }
    solve_part(static_cast<int>(part), y_);
    for (const int i : joints_[part]) six(x, i) = six(std::span<const double>(y_), i);
  }
}

void IterativeSolver::precondition() {
  std::copy(r_.begin(), r_.end(), z_.begin());
  for (std::size_t part = 0; part < joints_.size(); ++part) solve_part(static_cast<int>(part), z_);
}

void IterativeSolver::conjugate(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> right,
                                std::span<double> x) {
  residual_ = find_residual(diagonal, shared, right, x);
  const double scale = largest(right);
  precondition();
  std::copy(z_.begin(), z_.end(), p_.begin());
  double product = dot(r_, z_);
  while (iterations_ < choice_.iterations && residual_ > choice_.tolerance && product > 0) {
    multiply(diagonal, shared, p_, sp_);
    const double along = product / dot(p_, sp_);
    if (!std::isfinite(along)) break;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += along * p_[i], r_[i] -= along * sp_[i];
    ++iterations_;
    residual_ = largest(r_) / scale;
    precondition();
    const double next = dot(r_, z_), share = next / product;
    product = next;
    for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = z_[i] + share * p_[i];
  }
}

bool IterativeSolver::solve(const Blocks6& diagonal, const Blocks6& shared, std::span<const double> right,
                            std::span<double> x) {
  iterations_ = 0;
  if (!factor(diagonal, shared)) return false;
  if (largest(x) == 0) {
    std::copy(right.begin(), right.end(), x.begin());
    for (std::size_t part = 0; part < joints_.size(); ++part) solve_part(static_cast<int>(part), x);
  }
  if (choice_.kind == SolverKind::conjugate_directions) {
    conjugate(diagonal, shared, right, x);
    return std::isfinite(residual_);
  }
  for (residual_ = find_residual(diagonal, shared, right, x);
       iterations_ < choice_.iterations && residual_ > choice_.tolerance; ++iterations_) {
    sweep(shared, right, x);
    residual_ = find_residual(diagonal, shared, right, x);
  }
  return std::isfinite(residual_);
}

}  // namespace tendril::cable
