#include "linear/chain_ldlt.h"

#include <Eigen/Core>
#include <cmath>

#include "linear/bordered.h"
#include "testing/allocation_count.h"
#include "testing/dense_reference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril::chain_ldlt_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ChainColumns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Matrix>
std::span<double> chain_span(Matrix& x) {
  return {x.data(), std::size_t(x.size())};
}
Eigen::Matrix3d chain_skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}
Eigen::Matrix3d random_matrix(Random& random, bool symmetric) {
  Eigen::Matrix3d m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = random.normal();
  return symmetric ? Eigen::Matrix3d(0.5 * (m + m.transpose())) : m;
}

// Random blocks everywhere; `lift` on the diagonals makes the matrix definite.
template <bool symmetric>
void fill_chain(Random& random, ChainFactor<symmetric>& a, double lift) {
  const Eigen::Matrix3d lifted = lift * Eigen::Matrix3d::Identity();
  a.root() = random_matrix(random, symmetric) + lifted;
  for (int i = 0; i < a.links(); ++i) {
    auto& link = a.link(i);
    link.node = random_matrix(random, symmetric) + lifted;
    link.turn = random_matrix(random, symmetric) + lifted;
    link.joint = random_matrix(random, true) + lifted;
    for (int k = 0; k < 3; ++k) link.arm[k] = random.normal(), link.half[k] = random.normal();
    if (!a.has_crosses()) continue;
    auto& cross = a.cross(i);
    for (auto* block : {&cross.cross, &cross.near_cross, &cross.cross_back, &cross.near_cross_back})
      *block = random_matrix(random, false);
    if (symmetric) cross.cross_back = cross.cross.transpose(), cross.near_cross_back = cross.near_cross.transpose();
  }
}

// The same by definition: J^T H J, J from the unknowns to all places and turns.
template <bool symmetric>
MatrixXd dense_of(ChainFactor<symmetric>& a) {
  const int n = a.links(), places = 3 * (n + 1);
  MatrixXd J = MatrixXd::Zero(places + 3 * n, a.size()), H = MatrixXd::Zero(places + 3 * n, places + 3 * n);
  J.bottomRightCorner(3 * n, 3 * n).setIdentity();
  if (!a.root_held()) J.topLeftCorner(3, 3).setIdentity();
  H.topLeftCorner(3, 3) = a.root();
  for (int i = 0; i < n; ++i) {
    const auto& link = a.link(i);
    const int near = 3 * i, far = near + 3, turn = places + 3 * i;
    J.middleRows(far, 3) = J.middleRows(near, 3);
    J.block(far, 3 + 3 * i, 3, 3) = -chain_skew(link.arm);
    H.block(far, far, 3, 3) += link.node;
    H.block(turn, turn, 3, 3) += link.turn;
    if (a.has_crosses()) {
      const auto& c = a.cross(i);
      H.block(far, turn, 3, 3) += c.cross, H.block(near, turn, 3, 3) += c.near_cross;
      H.block(turn, far, 3, 3) += c.cross_back;
      H.block(turn, near, 3, 3) += c.near_cross_back;
    }
    if (i == 0) continue;
    const Eigen::Matrix3d across = link.joint + chain_skew(link.half);
    H.block(turn, turn, 3, 3) += link.joint, H.block(turn - 3, turn - 3, 3, 3) += link.joint;
    H.block(turn, turn - 3, 3, 3) -= across, H.block(turn - 3, turn, 3, 3) -= across.transpose();
  }
  MatrixXd dense = J.transpose() * H * J;
  if (a.root_held()) dense.topLeftCorner(3, 3).setIdentity();
  return dense;
}

template <bool symmetric>
void compare_with_dense(Random& random, ChainFactor<symmetric>& a) {
  const MatrixXd dense = dense_of(a);
  const VectorXd x = VectorXd::NullaryExpr(a.size(), [&] { return random.normal(); });
  VectorXd y(a.size());
  a.multiply({x.data(), std::size_t(x.size())}, chain_span(y));
  EXPECT_LT((y - dense * x).norm(), 1e-12 * (dense.cwiseAbs() * x.cwiseAbs()).norm());
  EXPECT_TRUE(a.factor().good());
  for (const int columns : {1, 3, 5, 6, 19}) {
    ChainColumns b = ChainColumns::NullaryExpr(a.size(), columns, [&] { return random.normal(); });
    if (a.root_held()) b.topRows(3).setZero();
    const MatrixXd wanted = dense_solution(dense, b);
    a.solve(chain_span(b), columns);
    EXPECT_LT((b - wanted).norm(), 1e-12 * wanted.norm()) << columns;
  }
}

SENTENCE("linear", "a chain multiplies and solves like a dense matrix, symmetric and general, free and held") {
  Random random(61);
  for (const int n : {1, 2, 3, 10, 25}) {
    for (const bool crosses : {false, true}) {
      for (const bool held : {false, true}) {
        ChainLDLT a;
        a.resize(n, crosses), a.hold_root(held);
        fill_chain(random, a, 12);
        compare_with_dense(random, a);
        ChainLU b;
        b.resize(n, crosses), b.hold_root(held);
        fill_chain(random, b, 12);
        compare_with_dense(random, b);
      }
    }
  }
}

SENTENCE("linear", "a chain's pivots count the negative eigenvalues, and a shift moves them all") {
  Random random(62);
  int seen = 0;
  for (int k = 0; k < 60; ++k) {
    ChainLDLT a;
    a.resize(1 + k % 12, k % 3 == 0), a.hold_root(k % 2 == 0);
    fill_chain(random, a, 1.5 * (k % 5));
    for (const double shift : {0.0, 0.7}) {
      for (int i = 0; i < a.links(); ++i) a.link(i).turn.diagonal().array() += shift;
      const MatrixXd dense = dense_of(a);
      for (int i = 0; i < a.links(); ++i) a.link(i).turn.diagonal().array() -= shift;
      const PivotReport report = a.factor(0, shift);
      const int negative = dense_negatives(dense);
      EXPECT_EQ(report.negative, negative);
      seen += negative;
    }
  }
  EXPECT_GT(seen, 100);
}

SENTENCE("linear", "of a chain that nothing holds six pivots are tiny: it moves and turns for nothing") {
  ChainLDLT a;
  a.resize(3);
  for (int i = 0; i < 3; ++i) a.link(i).arm.setUnit(0), a.link(i).joint.setIdentity();
  EXPECT_EQ(a.factor().tiny, 6);
}

SENTENCE("linear", "a chain is the inside of a border like any other matrix of this room") {
  Random random(63);
  ChainLDLT a;
  a.resize(8);
  fill_chain(random, a, 12);
  BorderedLDLT border;
  border.resize(a.size(), 4);
  MatrixXd whole = MatrixXd::Zero(a.size() + 4, a.size() + 4);
  whole.topLeftCorner(a.size(), a.size()) = dense_of(a);
  for (int i = 0; i < a.size(); ++i)
    for (int k = 0; k < 4; ++k) border.column(i, k) = whole(i, a.size() + k) = whole(a.size() + k, i) = random.normal();
  ASSERT_TRUE(a.factor().positive_definite());
  EXPECT_EQ(border.factor(a).negative, 4);
  VectorXd x = VectorXd::NullaryExpr(a.size() + 4, [&] { return random.normal(); });
  const VectorXd wanted = dense_solution(whole, x);
  border.solve(a, chain_span(x));
  EXPECT_LT((x - wanted).norm(), 1e-11 * wanted.norm());
}

// A rod of round section as matrices of one implicit step see it: helix, stiffness E, masses over dt^2. [issue compact/solver]
struct RodCase {
  double E = 1e6, dt = 3e-3, rho = 1000, r = 0.002;
  int n = 100;
  bool held = true;
};
template <class Real>
void fill_rod(ChainFactor<true, Real>& a, const RodCase& rod) {
  constexpr double pi = 3.14159265358979323846, length = 3.15;
  a.resize(rod.n);
  a.hold_root(rod.held);
  const double l = length / rod.n, area = pi * rod.r * rod.r, EI = rod.E * area * rod.r * rod.r / 4;
  const double mass = rod.rho * area * l / (rod.dt * rod.dt), inertia = mass * rod.r * rod.r / 4;
  using M = typename ChainFactor<true, Real>::M;
  for (int i = 0; i < rod.n; ++i) {
    const double t = 2 * pi * 5 * (i + 0.5) / rod.n, s = std::sqrt(1 - 0.08 * 0.08);
    const Eigen::Vector3d d3(-s * std::sin(t), s * std::cos(t), 0.08), e1 = d3.unitOrthogonal(), e2 = d3.cross(e1);
    auto& link = a.link(i);
    const Eigen::Matrix3d across = e1 * e1.transpose() + e2 * e2.transpose(), along = d3 * d3.transpose();
    const Eigen::Matrix3d K = (EI / l) * across + (EI / l * 2 / 3) * along, D = inertia * across + 2 * inertia * along;
    link.node = M::Identity() * Real(i + 1 == rod.n ? 0.5 * mass : mass);
    link.turn = D.cast<Real>();
    link.joint = K.cast<Real>();
    link.arm = (l * d3).cast<Real>();
    link.half.setZero();
    if (i == 0 && rod.held) link.turn += (2 * K).cast<Real>();  // the wall: half a segment
  }
  a.root() = M::Identity() * Real(0.5 * mass);
}
// Largest error of a solution against the same in long double, over its largest entry.
double error_against_long_double(const RodCase& rod) {
  ChainLDLT a;
  ChainFactor<true, long double> exact;
  fill_rod(a, rod);
  fill_rod(exact, rod);
  EXPECT_TRUE(a.factor(1e-300).positive_definite());
  EXPECT_TRUE(exact.factor(1e-300).positive_definite());
  std::vector<double> x(std::size_t(a.size()));
  std::vector<long double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] = i < 3 && rod.held ? 0 : 1 + 0.1 * double(i * 7 % 13);
  a.solve(x);
  exact.solve(y);
  long double error = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error = std::max(error, std::abs(y[i] - x[i]));
    largest = std::max(largest, std::abs(y[i]));
  }
  return double(error / largest);
}

SENTENCE("linear", "a chain loses no digits: E 1e5 to 1e11, dt 0.1 to 250 ms, to 10000 links, against long double") {
  for (const bool held : {true, false}) {
    double worst = 0;
    for (const double rho : {1000.0, 1.0})
      for (const double E : {1e5, 1e8, 1e11})
        for (const double dt : {1e-4, 3e-3, 0.25})
          for (const int n : {100, 1000, 10000})
            worst = std::max(worst, error_against_long_double({E, dt, rho, rho > 10 ? 0.002 : 0.03, n, held}));
    EXPECT_LT(worst, held ? 1e-11 : 1e-4);
  }
}

SENTENCE("linear", "factor and solve of a chain allocate nothing") {
  Random random(64);
  ChainLDLT a;
  ChainLU b;
  a.resize(20, true), b.resize(20, true);
  fill_chain(random, a, 12), fill_chain(random, b, 12);
  std::vector<double> x(std::size_t(19 * a.size()), 1.0);
  const AllocationCount allocations;
  std::ignore = a.factor(), std::ignore = b.factor();
  for (const int columns : {1, 3, 6, 19}) {
    a.solve({x.data(), std::size_t(columns * a.size())}, columns);
    b.solve({x.data(), std::size_t(columns * a.size())}, columns);
  }
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace tendril::chain_ldlt_test
