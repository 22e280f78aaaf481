// Is an equilibrium a minimum of the discrete energy? Eigenvalues of the second variation on the constraints, over S = EI/L^2 per
// length, are counted by Sylvester's law; directions in which the strand moves as a whole for nothing are told apart first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/strands/energy.h"

namespace tendril::strands {
namespace {

// What holds a strand as a whole: a point, a line, or too much for any motion.
struct StrandAnchors {
  int points = 0;
  V point{0, 0, 0}, line{0, 0, 0};
};
StrandAnchors anchors_of(const Strand& strand, double length) {
  StrandAnchors a;
  for (const HeldNode& hold : strand.holds) {
    if (!hold.position) continue;
    const V away = a.points > 0 ? hold.r - a.point : V{0, 0, 0};
    if (a.points == 0)
      a.points = 1, a.point = hold.r;
    else if (a.points == 1 && norm(away) > 1e-9 * length)
      a.points = 2, a.line = (1 / norm(away)) * away;
    else if (a.points == 2 && norm(away - dot(away, a.line) * a.line) > 1e-9 * length)
      a.points = 3;
  }
  return a;
}

}  // namespace

// Rows: turns of the nodes in material axes, then the forces of the spans. Columns: the strand turns about itself; it turns as a
// whole about what holds it, and the forces of its spans with it. Combinations that its holds allow.
Eigen::MatrixXd EnergyDescent::rigid_turns(const Strand& strand, int& turns_about_itself) const {
  const StrandAnchors held = anchors_of(strand, scales_.length);
  const int rows = matrix_.size();
  std::vector<V> axes;
  if (held.points == 1) axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (held.points == 2) axes = {held.line};
  const auto count = static_cast<Eigen::Index>(axes.size() + 1);
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(rows + border_.border(), count);
  for (int node = 0; node < strand.nodes(); ++node) columns(3 * node + 2, 0) = 1;
  for (Eigen::Index at = 1; at < count; ++at) {
    const V& axis = axes[static_cast<std::size_t>(at - 1)];
    for (int node = 0; node < strand.nodes(); ++node)
      columns.block<3, 1>(3 * node, at) = to_eigen(into_material(q_[z(node)], axis));
    for (std::size_t p = 0; p < spans_.size(); ++p)
      columns.block<3, 1>(rows + 3 * static_cast<Eigen::Index>(p), at) = to_eigen(cross(axis, force_[p]));
  }
  Eigen::MatrixXd conditions(std::count(fixed_.begin(), fixed_.end(), 1), count);
  for (int row = 0, k = 0; row < rows; ++row)
    if (fixed_[z(row)]) conditions.row(k++) = columns.row(row);
  turns_about_itself = conditions.rows() == 0 || conditions.col(0).cwiseAbs().maxCoeff() == 0 ? 1 : 0;
  Eigen::MatrixXd free = columns * vanishing_combinations(conditions);
  if (free.cols() == 0) return free;  // it has no rows in memory to set
  for (int row = 0; row < rows; ++row)
    if (fixed_[z(row)]) free.row(row).setZero();  // rounding
  // A straight strand that turns with its hold and back about itself: nothing.
  for (Eigen::Index k = 0; k < free.cols(); ++k)
    if (free.col(k).head(rows).cwiseAbs().maxCoeff() < 1e-9) free.col(k).setZero();
  return free;
}

void EnergyDescent::multiply(std::span<const double> x, std::span<double> y) const {
  const auto n = z(matrix_.size());
  const int border = border_.border();
  matrix_.multiply(x.first(n), y.first(n));
  for (int k = 0; k < border; ++k) {
    double sum = 0;
    for (int m = 0; m < border; ++m) sum += border_.corner(k, m) * x[n + z(m)];
    for (std::size_t i = 0; i < n; ++i) {
      y[i] += border_.column(static_cast<int>(i), k) * x[n + z(k)];
      sum += border_.column(static_cast<int>(i), k) * x[i];
    }
    y[n + z(k)] = sum;
  }
}

// As factor(), with neutral directions stiffened.
int EnergyDescent::factor_deflated(const Strand& strand, double shift, const NullSpace& null,
                                   const Eigen::VectorXd& metric) {
  const int n = matrix_.size(), spans = border_.border();
  const int plain = factor(strand, shift);  // the inner matrix is factored; the border is repeated with more columns
  if (null.size() == 0) return plain;
  deflated_.resize(n, spans + null.size());
  for (int k = 0; k < spans; ++k) {
    for (int i = 0; i < n; ++i) deflated_.column(i, k) = border_.column(i, k);
    for (int m = 0; m <= k; ++m) deflated_.add_corner(k, m, border_.corner(k, m));
  }
  set_deflation(deflated_, null, metric, spans);
  for (int k = 0; k < null.size(); ++k)
    for (int m = 0; m < spans; ++m) deflated_.add_corner(spans + k, m, metric[n + m] * null.vectors(n + m, k));
  const double soft = softness(strand);
  const PivotReport outer = deflated_.factor(matrix_, [&](int k) { return k < spans ? soft : 0.0; });
  return matrix_.report().negative + outer.negative - deflated_.border();
}

Verdict EnergyDescent::judge(const Strand& strand, const std::vector<State>& states, bool name_neutral) {
  neutral_found_ = 0;
  if (!has_energy(strand)) return {Verdict::Kind::no_energy};
  scales_ = Scales::of(strand);
  load(strand, states);
  hold_orientations(strand);
  int turning = 0;
  const bool may_move = name_neutral && rigid_turns(strand, turning).cols() > 0;
  // What sweeps find is an equilibrium of this energy to their order only; a turn of the whole would see the difference as a
  // stiffness of either sign.
  const double left = may_move ? settle_near(strand, 1e-11, 20).residual : 0;
  assemble(strand, true);
  Verdict verdict{Verdict::Kind::counted, std::max(0, factor(strand, neutral))};
  if (!may_move) return verdict;
  // Rounding of an eigenvalue, over EI/L^2 per length: that of the largest entry, which grows with the loads.
  const int n = matrix_.size();
  Eigen::VectorXd metric = Eigen::VectorXd::Constant(n + border_.border(), scales_.length / scales_.force);
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    metric[i] = shift_[z(i)] > 0 ? shift_[z(i)] : scales_.moment;
    if (shift_[z(i)] > 0) largest = std::max(largest, std::abs(matrix_.entry(i, i)) / shift_[z(i)]);
  }
  const double rounding = 32 * std::numeric_limits<double>::epsilon() * largest;
  const auto neutral_among = [&](const Eigen::MatrixXd& candidates) {
    return find_null_space(candidates, metric, rounding + 4 * strand.nodes() * left,
                           [this](std::span<const double> x, std::span<double> y) { multiply(x, y); });
  };
  const NullSpace null = neutral_among(rigid_turns(strand, turning));
  if (turning > 0) {  // is it neutral by itself?
    Eigen::MatrixXd about_itself = Eigen::MatrixXd::Zero(metric.size(), 1);
    for (int node = 0; node < strand.nodes(); ++node) about_itself(3 * node + 2, 0) = 1;
    turning = neutral_among(about_itself).size();
  }
  const double tolerance = std::max(neutral, rounding);
  verdict.unstable = std::max(0, factor_deflated(strand, tolerance, null, metric));
  verdict.neutral.turning = turning;
  verdict.neutral.swinging = null.size() - turning;
  verdict.neutral.other = std::max(0, factor_deflated(strand, -tolerance, null, metric) - verdict.unstable);
  factor_deflated(strand, neutral, null, metric);
  neutral_found_ = null.size();
  return verdict;
}

// Inverse iteration with the factor at hand, on the constraints: (K + neutral S) x = mu S x, S = EI/L^2 times length.
double EnergyDescent::softest() {
  constexpr int rounds = 8;
  const std::size_t n = z(matrix_.size());
  std::vector<double>& x = neutral_found_ > 0 ? longer_ : step_;
  if (neutral_found_ > 0) longer_.assign(step_.size() + z(neutral_found_), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i < n && !fixed_[i] ? 1 + 0.1 * static_cast<double>(i * 7 % 13) : 0;  // along no mode in particular
  double mu = 0;
  for (int round = 0; round < rounds; ++round) {
    // Rayleigh's quotient of the vector before and after one inverse iteration.
    double largest = 0, before = 0, along = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double scaled = i < n ? x[i] * shift_[i] / largest : 0;
      if (i < n) gradient_[i] = scaled;
      if (i < n && shift_[i] > 0) before += scaled * scaled / shift_[i];
      x[i] = scaled;
    }
    if (neutral_found_ > 0)
      deflated_.solve(matrix_, x);
    else
      solve(x);
    for (std::size_t i = 0; i < n; ++i) along += x[i] * gradient_[i];
    mu = before / along;
  }
  return mu - neutral;
}

}  // namespace tendril::strands
