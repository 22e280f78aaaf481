// The exact linear solver: against the full matrix, and against itself in long double over stiffness, step, length of the chain and density;
// inertia against eigenvalues. Matrices as one step of a helical rod sees them.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "linear/chain_ldlt.h"
#include "math/number.h"
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

// The full matrix, column by column, is that of the products.
Eigen::MatrixXd full_matrix(const ChainLDLT& a) {
  Eigen::MatrixXd m(a.size(), a.size());
  for (int j = 0; j < a.size(); ++j) {
    Eigen::VectorXd unit = Eigen::VectorXd::Unit(a.size(), j), column(a.size());
    a.multiply({unit.data(), static_cast<std::size_t>(a.size())}, {column.data(), static_cast<std::size_t>(a.size())});
    m.col(j) = column;
  }
  return m;
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
  fill_matrix(a, {.n = 60, .held = false});
  const Eigen::MatrixXd full = full_matrix(a);
  checks.push_back(
      bound_check("full matrix from products: asymmetry", (full - full.transpose()).norm() / full.norm(), 1e-12));
  std::ignore = a.factor();
  // The full matrix in long double: in double its own elimination is the less accurate of the two.
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(a.size(), -1, 1.7);
  const Eigen::VectorXd wanted =
      Long(full.cast<long double>()).partialPivLu().solve(Long(x.cast<long double>())).cast<double>();
  a.solve({x.data(), static_cast<std::size_t>(a.size())});
  checks.push_back(bound_check("exact solve against the full matrix", (x - wanted).norm() / wanted.norm(), 1e-12));
  double wrong = 0, negatives = 0;
  for (const double push : {0.0, 0.01, 0.1, 1.0, 10.0}) {  // compressed more and more
    fill_matrix(a, {.n = 40, .held = true, .pull = -push});
    const int counted = a.factor().negative;
    const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(full_matrix(a)).eigenvalues();
    wrong += std::abs(counted - static_cast<int>((eigenvalues.array() < 0).count()));
    negatives += counted;
  }
  checks.push_back(absolute_check("pivots against eigenvalues: miscounted", 0, wrong, 0));
  checks.push_back(at_least("negative eigenvalues that were there to count", 1, negatives));
  context.write_csv("errors", {"clamped", "density [kg/m^3]", "E [Pa]", "dt [s]", "segments", "error"}, rows);
  return checks;
}

}  // namespace tendril::experiments::compact_solver
