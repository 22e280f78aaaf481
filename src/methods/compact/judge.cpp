// Is an equilibrium a minimum? Eigenvalues of A x = lambda S x, S = EI l/L^2 on every turn, are counted by Sylvester's law: those
// of bending are then of the size of those of the continuous rod, whatever the mesh.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/null_space.h"
#include "methods/compact/problem.h"

namespace tendril::compact {

// Columns: the rod rolls about itself; it turns as a whole about what holds it; in chutes it moves as a whole. Only what moves
// nothing that is held.
Eigen::MatrixXd Problem::rigid_motions() const {
  bool slides = false;
  int first = state_->root_held ? 0 : -1;  // node that is held
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    if (!row_on_[3 * h]) continue;
    slides = slides || chain_.held[h].slides;
    if (first < 0) first = chain_.held[h].link + 1;
  }
  const Vec3 about = x_[z(std::max(first, 0))];  // adrift: its root, which stays
  const int count = slides ? 7 : 4;
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(size(), count);
  for (int i = 0; i < chain_.all(); ++i) {
    columns.block<3, 1>(3 + 3 * i, 0) = frame_[z(i)].col(2);
    for (int k = 0; k < 3; ++k) columns(3 + 3 * i + k, 1 + k) = 1;
  }
  for (int k = 0; k < 3; ++k) columns.block<3, 1>(0, 1 + k) = Vec3(Vec3::Unit(k)).cross(x_[0] - about);
  for (int k = 0; slides && k < 3; ++k) columns(k, 4 + k) = chain_.length;
  // Held points must stay, walls must not turn.
  std::vector<Eigen::RowVectorXd> rows;
  const auto keep_place = [&](const Vec3& p, const Vec3& along) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(count);
    for (int k = 0; k < 3; ++k) row[1 + k] = Vec3(Vec3::Unit(k)).cross(p - about).dot(along) / chain_.length;
    for (int k = 0; slides && k < 3; ++k) row[4 + k] = along[k];
    rows.push_back(row);
  };
  for (int c = 0; c < 3 && state_->root_held; ++c) keep_place(x_[0], Vec3::Unit(c));
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    const HeldPoint& held = chain_.held[h];
    for (int c = 0; c < held.rows() && row_on_[3 * h]; ++c) keep_place(x_[z(held.link + 1)], held.axes.col(c));
  }
  for (std::size_t w = 0; w < wall_.size(); ++w) {
    if (!state_->wall_holds[w]) continue;
    const Joint& wall = chain_.walls[w];
    const Vec3 d3 = frame_[z(std::max(wall.a, wall.b))].col(2);
    for (int c = 0; c < 3; ++c) {
      // Of the turn of the segment beside it: what the wall's joint resists, about the rod and across it.
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(count);
      Vec3 kept = Vec3::Unit(c);
      if (!(wall.kappa[2] > 0)) kept -= d3[c] * d3;
      if (!(wall.kappa[0] > 0)) kept = wall.kappa[2] > 0 ? Vec3(d3[c] * d3) : Vec3(Vec3::Zero());
      row.head<4>() << kept.dot(d3), kept[0], kept[1], kept[2];
      rows.push_back(row);
    }
  }
  Eigen::MatrixXd conditions(static_cast<Eigen::Index>(rows.size()), count);
  for (std::size_t i = 0; i < rows.size(); ++i) conditions.row(static_cast<Eigen::Index>(i)) = rows[i];
  return columns * vanishing_combinations(conditions);
}

// Forces on the turns of a ring as they are when it is closed: its last link is the first again, and the closing force is what leaves
// least of them (a ring that turns takes it along).
void Problem::close_ring(std::span<double> y) const {
  using Turn = Eigen::Map<Vec3>;
  const std::size_t last = z(3 + 3 * chain_.real());
  Turn(y.data() + 3) += Turn(y.data() + last);
  Turn(y.data() + last).setZero();
  Mat3 square = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  const auto arm = [this](int i) { return Vec3((chain_.sign() * chain_.links[z(i)].length) * frame_[z(i)].col(2)); };
  for (int i = 0; i < chain_.real(); ++i) {  // row i: arm x force
    const Vec3 a = arm(i);
    square += a.squaredNorm() * Mat3::Identity() - a * a.transpose();
    right += Turn(y.data() + 3 + 3 * i).cross(a);
  }
  const Vec3 force = square.ldlt().solve(right);
  for (int i = 0; i < chain_.real(); ++i) Turn(y.data() + 3 + 3 * i) -= arm(i).cross(force);
}

Verdict Problem::judge() {
  if (!potential_) return {Verdict::Kind::no_energy};
  constexpr int rounds = 4;
  std::ignore = evaluate();
  assemble(ldlt_, true);
  const double unit = chain_.EI / (chain_.length * chain_.real());
  Eigen::VectorXd metric = Eigen::VectorXd::Constant(size(), unit);
  metric.head<3>().setConstant(unit / (chain_.length * chain_.length));
  double largest = chain_.stiffest, left = 0;
  for (int i = 0; i < chain_.all(); ++i) largest = std::max(largest, ldlt_.link(i).turn.cwiseAbs().maxCoeff());
  for (const double g : gradient_) left = std::max(left, std::abs(g));
  const double tolerance = 64 * std::numeric_limits<double>::epsilon() * largest / unit + 4 * left / unit;
  const auto multiply_by = [this](std::span<const double> x, std::span<double> y) {
    ldlt_.multiply(x, y);
    if (chain_.ring && drifts_) close_ring(y);
  };
  const NullSpace null = find_null_space(rigid_motions(), metric, tolerance, multiply_by);
  // Whether the rod is neutral in turning about itself alone.
  Eigen::MatrixXd roll = Eigen::MatrixXd::Zero(size(), 1);
  for (int i = 0; i < chain_.all(); ++i) roll.block<3, 1>(3 + 3 * i, 0) = frame_[z(i)].col(2);
  const int turning = null.size() > 0 ? find_null_space(roll, metric, tolerance, multiply_by).size() : 0;
  // The chain alone, without rows, may be singular: where it may move for nothing, or by symmetry (a half circle of a ring). Its pivots would be
  // rounding of either sign. So links are held, and let go again in the border: [A + k E E^T, E; E^T, 1/k] has the inertia of A,
  // and 1/k's. Of a ring, five; then where a pivot is in doubt, the link beyond it, which made it so.
  constexpr int most_anchors = 8, of_ring = 5;
  constexpr double doubtful = 1e-7;  // pivot, over its row
  const int first_anchor = chain_.rows() + null.size();
  int anchors = 0;
  BorderedLDLT border;
  border.resize(size(), first_anchor + 3 * most_anchors);
  fill_border(border, false);
  set_deflation(border, null, metric, chain_.rows());
  for (int k = 0; k < 3 * most_anchors; ++k) border.add_corner(first_anchor + k, first_anchor + k, 1 / chain_.stiffest);
  const auto hold = [&](int link) {
    for (int k = 0; k < 3; ++k) {
      ldlt_.link(link).turn(k, k) += chain_.stiffest;
      border.column(3 + 3 * link + k, first_anchor + 3 * anchors + k) = 1;
    }
    ++anchors;
  };
  if (null.size() > 0)
    for (int k = 0; k < (chain_.ring ? of_ring : 1); ++k) hold(k * chain_.real() / of_ring);
  for (PivotReport inner = ldlt_.factor(0, tolerance * unit);
       anchors < most_anchors && inner.smallest < doubtful && inner.smallest_at >= 3;
       inner = ldlt_.factor(0, tolerance * unit))
    hold(std::min(inner.smallest_at / 3, chain_.all() - 1));
  const auto below = [&](double shift) {  // eigenvalues less than -shift, neutral ones apart
    const int inner = ldlt_.factor(0, shift * unit).negative;
    return inner + border.factor(ldlt_, 1e-300).negative - active_rows_ - null.size();
  };
  Verdict verdict{Verdict::Kind::counted, below(tolerance)};
  verdict.neutral.turning = std::min(turning, null.size());
  // One that nothing holds in place moves, too: its root stands for that, as in the search.
  if (drifts_)
    verdict.neutral.moving = 3 + null.size() - verdict.neutral.turning;
  else
    verdict.neutral.swinging = null.size() - verdict.neutral.turning;
  verdict.neutral.other = std::max(0, below(-tolerance) - verdict.unstable);
  // The softest mode by inverse iteration, of the turns alone; in the plane of the rows.
  // Nothing holds a free rod, so that its inner matrix may be singular: it is shifted, and what is found is shifted back.
  const double raised = drifts_ ? 1e-3 : 0;
  std::ignore = below(raised);
  std::vector<double> x(z(size() + border.border()), 0.0), kept(z(size()));
  for (int i = ldlt_.root_held() ? 3 : 0; i < size(); ++i) x[z(i)] = 1 + 0.1 * (i * 7 % 13);  // along no mode in particular
  double before = 0, along = 0;
  const auto leave_neutral = [&] {  // what costs nothing is no mode
    Eigen::Map<Eigen::VectorXd> v(x.data(), size());
    if (null.size() > 0) v -= null.vectors * (null.vectors.transpose() * metric.cwiseProduct(v));
  };
  for (int round = 0; round < rounds; ++round) {
    leave_neutral();
    double most = 0;
    for (int i = 0; i < size(); ++i) most = std::max(most, std::abs(x[z(i)]));
    before = along = 0;
    for (int i = 0; i < size(); ++i) {
      x[z(i)] *= metric[i] / most;
      before += x[z(i)] * x[z(i)] / metric[i];
      kept[z(i)] = x[z(i)];
    }
    std::fill(x.begin() + size(), x.end(), 0.0);
    border.solve(ldlt_, x);
    leave_neutral();
    for (int i = 0; i < size(); ++i) along += x[z(i)] * kept[z(i)];
  }
  verdict.softest = before / along - raised;
  return verdict;
}

}  // namespace tendril::compact
