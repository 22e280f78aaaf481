// Is an equilibrium a minimum? Eigenvalues of K x = lambda S x, S the stiffness of one segment, are counted by Sylvester's law.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "methods/der/equilibrium/rod_problem.h"

namespace tendril::der {
namespace {

// What holds a rod as a whole: a point, a line (with its direction), or too much for any motion.
struct Anchors {
  int points = 0;  // 0: none, 1: one point, 2: a line, 3: more
  Vec3 point = Vec3::Zero(), direction = Vec3::Zero();
};

Anchors anchors_of(const Chain& c, const ChainRod& rod) {
  Anchors a;
  double size = 0;
  for (int v = rod.first; v <= rod.first + rod.slots; ++v) {
    const Vec3 x = to_eigen(c.x.get(v));
    size = std::max(size, (x - to_eigen(c.x.get(rod.first))).norm());
    if (!c.held[z(v)]) continue;
    if (a.points == 0) a.points = 1, a.point = x;
    const Vec3 away = x - a.point;
    if (a.points == 1 && away.norm() > 1e-9 * size) a.points = 2, a.direction = away.normalized();
    if (a.points == 2 && (away - away.dot(a.direction) * a.direction).norm() > 1e-9 * size) a.points = 3;
  }
  if (a.points > 0) return a;
  for (int v = rod.first; v <= rod.first + rod.slots; ++v) a.point += to_eigen(c.x.get(v)) / (rod.slots + 1);
  return a;
}

}  // namespace

void RodProblem::multiply(std::span<const double> x, std::span<double> y) const {
  if (n_.ring) {
    n_.cyclic.multiply(x, y);
  } else {
    n_.band.multiply(x, y);
  }
}

// Backward error of the factorisation: a few roundings of the largest diagonal entry, which grows with the lengths'
// stiffness and with the loads; and of a state that is an equilibrium only up to its residual.
double RodProblem::rounding() const {
  double largest = 0, residual = 0;
  for (int i = 0; i < n_.size; ++i) {
    if (n_.fixed[z(i)]) continue;
    const double entry = n_.ring ? n_.cyclic.entry(i, i) : n_.band.entry(i, i);
    largest = std::max(largest, std::abs(entry) / n_.stiff[z(i)]);
  }
  // A force that is left turns with the rod: as a stiffness, force over length.
  for (int i = 0; i <= rod_.slots; ++i) {
    const int k = n_.x[z(i)];
    for (int j = k; j < k + 3; ++j)
      if (!n_.fixed[z(j)]) residual = std::max(residual, std::abs(n_.gradient[z(j)]) / n_.stiff[z(j)]);
  }
  return 32 * std::numeric_limits<double>::epsilon() * largest + 4 * residual / n_.whole;
}

// Columns: the rod turns about itself; it moves, and turns, as a whole. An angle is counted from the frame carried along, so a
// turn of the whole by w changes it by w.t.
Eigen::MatrixXd RodProblem::rigid_motions(int& turns_about_itself) const {
  const Anchors held = anchors_of(c_, rod_);
  std::vector<std::array<Vec3, 2>> motions = {{Vec3::Zero(), Vec3::Zero()}};  // velocity and turn
  for (int k = 0; k < 3 && held.points == 0; ++k) motions.push_back({Vec3::Unit(k), Vec3::Zero()});
  for (int k = 0; k < 3 && held.points < 2; ++k) motions.push_back({Vec3::Zero(), Vec3::Unit(k)});
  if (held.points == 2) motions.push_back({Vec3::Zero(), held.direction});
  const auto count = static_cast<Eigen::Index>(motions.size());
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n_.size, count);
  for (Eigen::Index at = 0; at < count; ++at) {
    const auto& [move, turn] = motions[static_cast<std::size_t>(at)];
    for (int i = 0; i <= rod_.slots; ++i) {
      columns.block<3, 1>(n_.x[z(i)], at) = move + turn.cross(to_eigen(c_.x.get(rod_.first + i)) - held.point);
      if (i < rod_.slots) columns(n_.theta[z(i)], at) = (at == 0 ? 1.0 : 0.0) + turn.dot(to_eigen(c_.t.get(rod_.first + i)));
    }
  }
  // What is held must not move; a wall's direction is held too, but is not among the unknowns.
  std::vector<Eigen::RowVectorXd> rows;
  for (int i = 0; i < n_.size; ++i)
    if (n_.fixed[z(i)]) rows.emplace_back(columns.row(i) / std::max(1e-300, n_.whole));
  for (const Wall& wall : c_.walls) {
    if (wall.rod != index_) continue;
    if (wall.twist) rows.emplace_back(columns.row(n_.theta[z(wall.slot - rod_.first)]));
    if (wall.follows) continue;
    for (int k = 0; k < 3; ++k) {
      Eigen::RowVectorXd row(count);
      for (Eigen::Index at = 0; at < count; ++at)
        row[at] = motions[static_cast<std::size_t>(at)][1].cross(to_eigen(c_.t.get(wall.slot)))[k];
      rows.push_back(row);
    }
  }
  Eigen::MatrixXd conditions(static_cast<Eigen::Index>(rows.size()), count);
  for (std::size_t i = 0; i < rows.size(); ++i) conditions.row(static_cast<Eigen::Index>(i)) = rows[i];
  turns_about_itself = conditions.rows() == 0 || conditions.col(0).cwiseAbs().maxCoeff() == 0 ? 1 : 0;
  Eigen::MatrixXd free = columns * vanishing_combinations(conditions);
  for (int i = 0; i < n_.size; ++i)
    if (n_.fixed[z(i)]) free.row(i).setZero();    // rounding
  for (Eigen::Index k = 0; k < free.cols(); ++k)  // a straight rod that turns with its wall and back about itself: nothing
    if (free.col(k).cwiseAbs().maxCoeff() < 1e-9 * std::min(1.0, n_.whole)) free.col(k).setZero();
  return free;
}

NullSpace RodProblem::neutral_among(const Eigen::MatrixXd& candidates) const {
  return find_null_space(candidates, Eigen::Map<const Eigen::VectorXd>(n_.stiff.data(), n_.size), rounding(),
                         [this](std::span<const double> x, std::span<double> y) { multiply(x, y); });
}

// The softest mode by inverse iteration with the factor at hand. A few rounds, because the verdict must cost little compared
// with the equilibrium; `direction` is free once the equilibrium is found.
Verdict RodProblem::judge() {
  constexpr int rounds = 4;
  if (!conservative()) return {Verdict::Kind::no_energy};
  assemble(true);
  int turning = 0;
  const NullSpace null = neutral_among(rigid_motions(turning));
  if (turning > 0) {  // is it neutral by itself?
    Eigen::MatrixXd about_itself = Eigen::MatrixXd::Zero(n_.size, 1);
    for (const int theta : n_.theta) about_itself(theta, 0) = 1;
    turning = neutral_among(about_itself).size();
  }
  BorderedLDLT border;
  border.resize(n_.size, null.size());
  set_deflation(border, null, Eigen::Map<const Eigen::VectorXd>(n_.stiff.data(), n_.size));
  const auto below = [&](double shift) {  // eigenvalues less than -shift, neutral ones apart
    const int inner = factor(shift).negative;
    return inner + (n_.ring ? border.factor(n_.cyclic) : border.factor(n_.band)).negative - null.size();
  };
  const double tolerance = rounding();
  Verdict verdict{Verdict::Kind::counted, below(tolerance)};
  // A rod that nothing holds turns as a whole; one that is held swings.
  const bool free = anchors_of(c_, rod_).points == 0;
  verdict.neutral.turning = turning;
  (free ? verdict.neutral.moving : verdict.neutral.swinging) = null.size() - turning;
  verdict.neutral.other = std::max(0, below(-tolerance) - verdict.unstable);
  // `direction` serves as the iteration vector.
  std::ignore = below(0);
  std::vector<double> x(z(n_.size + null.size()), 0.0);
  for (int i = 0; i < n_.size; ++i) x[z(i)] = n_.fixed[z(i)] ? 0 : 1 + 0.1 * (i * 7 % 13);  // along no mode in particular
  double before = 0, along = 0;
  for (int round = 0; round < rounds; ++round) {
    // Scale by the largest entry, against overflow; then x <- K^-1 S x, and Rayleigh's quotient from the vector before and
    // after.
    double largest = 0;
    for (int i = 0; i < n_.size; ++i) largest = std::max(largest, std::abs(x[z(i)]));
    before = along = 0;  // x' S x and x' S K^-1 S x, whose ratio is the eigenvalue
    for (int i = 0; i < n_.size; ++i) {
      x[z(i)] *= n_.stiff[z(i)] / largest;
      before += x[z(i)] * x[z(i)] / n_.stiff[z(i)];
      n_.gradient[z(i)] = x[z(i)];
    }
    std::fill(x.begin() + n_.size, x.end(), 0.0);
    n_.ring ? border.solve(n_.cyclic, x) : border.solve(n_.band, x);
    for (int i = 0; i < n_.size; ++i) along += x[z(i)] * n_.gradient[z(i)];
  }
  verdict.softest = before / along;
  return verdict;
}

void RodProblem::leave_saddle() {
  assemble(true);
  // Just above the most negative eigenvalue, the shifted matrix is softest along its mode.
  double shift = rounding();
  while (factor(shift).negative > 0 && shift < 1e3) shift *= 2;
  double low = 0.5 * shift;
  for (int halvings = 0; halvings < 4; ++halvings) {
    const double middle = 0.5 * (low + shift);
    (factor(middle).negative > 0 ? low : shift) = middle;
  }
  std::ignore = factor(shift);
  std::vector<double>& x = n_.direction;
  for (int i = 0; i < n_.size; ++i) x[z(i)] = n_.fixed[z(i)] ? 0 : 1 + 0.1 * (i * 7 % 13);
  for (int round = 0; round < 6; ++round) {
    double largest = 0;
    for (const double v : x) largest = std::max(largest, std::abs(v));
    for (int i = 0; i < n_.size; ++i) x[z(i)] = n_.fixed[z(i)] ? 0 : x[z(i)] * n_.stiff[z(i)] / largest;
    solve(x);
  }
  // Scaled until an edge turns by 0.3 rad: far enough to leave, near enough to stay in the same valley.
  double most = 0;
  for (int s = rod_.first; s < last_; ++s) {
    const int from = n_.x[z(s - rod_.first)], to = n_.x[z(s - rod_.first + 1)];
    double squared = 0;
    for (int k = 0; k < 3; ++k) squared += (x[z(to + k)] - x[z(from + k)]) * (x[z(to + k)] - x[z(from + k)]);
    if (c_.kind[z(s)] == SlotKind::edge) most = std::max(most, std::sqrt(squared) * c_.inverse_length[z(s)]);
    most = std::max(most, std::abs(x[z(n_.theta[z(s - rod_.first)])]));
  }
  for (double& d : x) d = most > 0 ? 0.3 * d / most : 0;
  // The mode has no sign: to the side that is lower.
  move(-1);
  const double other = evaluate().energy;
  move(1);
  if (other < evaluate().energy) move(-1);
  accept();
}

}  // namespace tendril::der
