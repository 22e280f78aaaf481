// The exact linear solver and the products: against the full matrix J^T H J by definition, and the solver against itself in long double over
// stiffness, step, length of the chain and density; inertia against eigenvalues; the hybrid preconditioner P positive definite. Matrices as one
// step of a helical rod sees them.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "linear/chain_ldlt.h"
#include "linear/chain_preconditioner.h"
#include "math/number.h"
#include "math/rotation.h"
#include "validation/experiment.h"

namespace tendril::experiments::compact_solver {
namespace {

struct RodMatrix {
  double E = 1e6, dt = 3e-3, rho = 1000, r = 0.002;
  int n = 100;
  bool held = true;
  double pull = 0;  // tension, as a stiffness l T of each turn [N m]
};
template <class Real>
void fill_matrix(ChainFactor<true, Real>& a, const RodMatrix& rod) {
  constexpr double length = 3.15;  // five turns
  using M = typename ChainFactor<true, Real>::M;
  a.resize(rod.n);
  a.hold_root(rod.held);
  const double l = length / rod.n, area = math::pi * rod.r * rod.r, EI = rod.E * area * rod.r * rod.r / 4;
  const double mass = rod.rho * area * l / (rod.dt * rod.dt), inertia = mass * rod.r * rod.r / 4;
  for (int i = 0; i < rod.n; ++i) {
    const double t = math::two_pi * 5 * (i + 0.5) / rod.n, s = std::sqrt(1 - 0.08 * 0.08);
    const Eigen::Vector3d d3(-s * std::sin(t), s * std::cos(t), 0.08);
    const Eigen::Matrix3d along = d3 * d3.transpose(), across = Eigen::Matrix3d::Identity() - along;
    const Eigen::Matrix3d K = (EI / l) * across + (EI / l * 2 / 3) * along;
    auto& link = a.link(i);
    link.node = M::Identity() * Real(i + 1 == rod.n ? 0.5 * mass : mass);
    link.turn =
        ((inertia + rod.pull) * across + 2 * inertia * along + (i == 0 && rod.held ? 2.0 : 0.0) * K).template cast<Real>();
    link.joint = K.cast<Real>();
    link.arm = (l * d3).cast<Real>();
  }
  a.root() = M::Identity() * Real(0.5 * mass);
}

double error_of(const RodMatrix& rod, bool& definite) {
  ChainLDLT a;
  ChainFactor<true, long double> exact;
  fill_matrix(a, rod), fill_matrix(exact, rod);
  definite = definite && a.factor(1e-300).positive_definite() && exact.factor(1e-300).positive_definite();
  std::vector<double> x(static_cast<std::size_t>(a.size()));
  std::vector<long double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = x[i] = i < 3 && rod.held ? 0 : std::sin(1.0 + static_cast<double>(i * i % 101));
  a.solve(x), exact.solve(y);
  long double error = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error = std::max(error, std::abs(y[i] - x[i]));
    largest = std::max(largest, std::abs(y[i]));
  }
  return static_cast<double>(error / largest);
}

// J^T H J, J from the unknowns to all places and turns: nothing of it is shared with the products.  [Zhao 2022, sec. 3.2]
// In long double, because summing it up in double would cost more digits than the solver loses.
using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
Long full_matrix(const ChainLDLT& a) {
  const int n = a.links(), places = 3 * (n + 1);
  Long J = Long::Zero(places + 3 * n, a.size()), H = Long::Zero(places + 3 * n, places + 3 * n);
  J.bottomRightCorner(3 * n, 3 * n).setIdentity();
  if (!a.root_held()) J.topLeftCorner(3, 3).setIdentity();
  H.topLeftCorner(3, 3) = a.root().cast<long double>();
  for (int i = 0; i < n; ++i) {
    const auto& link = a.link(i);
    const int near = 3 * i, far = near + 3, turn = places + 3 * i;
    J.middleRows(far, 3) = J.middleRows(near, 3);
    J.block(far, 3 + 3 * i, 3, 3) = -skew(Vec3(link.arm)).cast<long double>();
    H.block(far, far, 3, 3) += link.node.cast<long double>();
    H.block(turn, turn, 3, 3) += link.turn.cast<long double>();
    if (i == 0) continue;
    const auto joint = link.joint.cast<long double>().eval();
    H.block(turn, turn, 3, 3) += joint, H.block(turn - 3, turn - 3, 3, 3) += joint;
    H.block(turn, turn - 3, 3, 3) -= joint, H.block(turn - 3, turn, 3, 3) -= joint;
  }
  Long full = J.transpose() * H * J;
  if (a.root_held()) full.topLeftCorner(3, 3).setIdentity();
  return full;
}
std::span<double> numbers(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

// Products with the matrix, over the products of absolute values, at random vectors.
double error_of_products(const ChainLDLT& a, const Long& exact) {
  const Eigen::MatrixXd full = exact.cast<double>();
  double worst = 0;
  for (int k = 0; k < 5; ++k) {
    Eigen::VectorXd x(a.size()), y(a.size());
    for (int i = 0; i < a.size(); ++i) x[i] = i < 3 && a.root_held() ? 0 : std::sin(1.0 + k + i * i % 101);
    a.multiply(numbers(x), numbers(y));
    worst = std::max(worst, (y - full * x).norm() / (full.cwiseAbs() * x.cwiseAbs()).norm());
  }
  return worst;
}
double error_of_solution(const ChainLDLT& a, const Long& full) {
  Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(a.size(), -1, 1.7);
  if (a.root_held()) x.head<3>().setZero();
  const Eigen::VectorXd wanted = full.partialPivLu().solve(Long(x.cast<long double>())).cast<double>();
  a.solve(numbers(x));
  return (x - wanted).norm() / wanted.norm();
}
// Of the hybrid preconditioner, from its inverse column by column: least eigenvalue over the largest, of the symmetric part, and asymmetry.
struct Definite {
  double least = 0, asymmetry = 0;
};
Definite hybrid_of(const ChainLDLT& a) {
  ChainPreconditioner p;
  p.resize(a.links());
  if (p.build(a, ChainPreconditioning::hybrid) != 0) return {-1, 1};
  const int from = a.root_held() ? 3 : 0, size = a.size() - from;
  Eigen::MatrixXd inverse(size, size);
  for (int j = 0; j < size; ++j) {
    Eigen::VectorXd unit = Eigen::VectorXd::Unit(a.size(), from + j), column(a.size());
    p.apply(numbers(unit), numbers(column));
    inverse.col(j) = column.tail(size);
  }
  // Scaled to a diagonal of 1: turns and places, and stiffnesses from 1e5 to 1e11, have other units.
  const Eigen::VectorXd scale = inverse.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * inverse * scale.asDiagonal();
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (scaled + scaled.transpose())).eigenvalues();
  return {eigenvalues.minCoeff() / eigenvalues.maxCoeff(), (scaled - scaled.transpose()).norm() / scaled.norm()};
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const bool held : {true, false}) {
    double worst = 0;
    bool definite = true;
    for (const double rho : {1000.0, 1.0})
      for (const double E : {1e5, 1e8, 1e11})
        for (const double dt : {1e-4, 3e-3, 0.25})
          for (const int n : {100, 1000, 10000}) {
            const double error = error_of({E, dt, rho, rho > 10 ? 0.002 : 0.03, n, held}, definite);
            rows.push_back({held ? 1.0 : 0.0, rho, E, dt, 1.0 * n, error});
            worst = std::max(worst, error);
          }
    checks.push_back(bound_check(fmt::format("{} rod: worst error against long double", held ? "clamped" : "free"), worst,
                                 held ? 1e-11 : 1e-4));
    checks.push_back(
        absolute_check(fmt::format("{} rod: every matrix positive definite", held ? "clamped" : "free"), 1, definite, 0));
  }
  ChainLDLT a;
  for (const bool held : {true, false}) {
    fill_matrix(a, {.n = 60, .held = held});
    const Long full = full_matrix(a);
    const std::string rod = held ? "clamped rod" : "free rod";
    checks.push_back(bound_check(rod + ": products against the full matrix", error_of_products(a, full), 1e-12));
    std::ignore = a.factor();
    checks.push_back(bound_check(rod + ": exact solve against the full matrix", error_of_solution(a, full), 1e-12));
  }
  Definite least{1, 0};
  for (const double rho : {1000.0, 1.0})
    for (const double E : {1e5, 1e8, 1e11})
      for (const double dt : {1e-4, 3e-3, 0.25}) {
        fill_matrix(a, {E, dt, rho, rho > 10 ? 0.002 : 0.03, 40, true});
        const Definite d = hybrid_of(a);
        least = {std::min(least.least, d.least), std::max(least.asymmetry, d.asymmetry)};
      }
  checks.push_back(at_least("hybrid preconditioner: least eigenvalue over the largest, scaled", 1e-9, least.least));
  checks.push_back(bound_check("hybrid preconditioner: asymmetry", least.asymmetry, 1e-9));
  double wrong = 0, negatives = 0;
  for (const double push : {0.0, 0.01, 0.1, 1.0, 10.0}) {  // compressed more and more
    fill_matrix(a, {.n = 40, .held = true, .pull = -push});
    const int counted = a.factor().negative;
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(full_matrix(a).cast<double>()).eigenvalues();
    wrong += std::abs(counted - static_cast<int>((eigenvalues.array() < 0).count()));
    negatives += counted;
  }
  checks.push_back(absolute_check("pivots against eigenvalues: miscounted", 0, wrong, 0));
  checks.push_back(at_least("negative eigenvalues that were there to count", 1, negatives));
  context.write_csv("errors", {"clamped", "density [kg/m^3]", "E [Pa]", "dt [s]", "segments", "error"}, rows);
  return checks;
}

}  // namespace tendril::experiments::compact_solver
