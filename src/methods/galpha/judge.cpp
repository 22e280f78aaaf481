// Is an equilibrium a minimum? Eigenvalues of A x = lambda S x are counted by Sylvester's law. A: second variation of the energy, with
// constraints and holds as stiff springs, in 6x6 blocks by nodes. S: EI h/L^2 on every turn, by which eigenvalues of bending are those of the
// continuous rod, whatever the mesh.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "linear/block_tridiagonal.h"
#include "methods/galpha/motion.h"

namespace tendril::galpha {
namespace {
using Block = SmallBlock<6>;
constexpr double stiff = 1e8;     // of springs that stand for constraints, over EI/L^2
constexpr double neutral = 1e-5;  // eigenvalues nearer to zero than this are neutral

// Whether all loads on a rod are those of an energy: no moments, none in material axes, no air.
bool all_have_potentials(const Model& model, int rod) {
  const auto here = [rod](const auto& load) { return load.rod < 0 || load.rod == rod; };
  const auto turns = [rod](const auto& load) {
    if constexpr (requires { load.is_moment; })
      return load.rod == rod && load.is_moment;
    else
      return load.rod == rod && !load.moment.isZero(0);
  };
  return !depends_on_frame(model, rod) && std::none_of(model.node_loads.begin(), model.node_loads.end(), turns) &&
         std::none_of(model.line_loads.begin(), model.line_loads.end(), turns) &&
         std::none_of(model.drags.begin(), model.drags.end(), here) &&
         std::none_of(model.winds.begin(), model.winds.end(), here);
}

struct SecondVariation {
  std::vector<Block> diagonal, lower;
  Eigen::VectorXd metric;
  BlockTridiagonalLDLT<6> matrix;

  int below(double shift) {  // number of eigenvalues less than shift; leaves the factor of A - shift S
    const int nodes = static_cast<int>(diagonal.size());
    for (int i = 0; i < nodes; ++i) {
      matrix.diagonal(i) = 0.5 * (diagonal[z(i)] + diagonal[z(i)].transpose());
      matrix.diagonal(i).diagonal() -= shift * metric.segment<6>(6 * i);
      if (i + 1 < nodes) matrix.lower(i) = lower[z(i)];
    }
    return matrix.factor(1e-300).negative;
  }
};

SecondVariation second_variation(const RodConstants& rod, RodProblem& problem) {
  PoseChain& chain = problem.assemble();
  const int nodes = rod.nodes();
  const double L = rod.length, unit = rod.EI / (L * L);
  SecondVariation a;
  a.diagonal.assign(z(nodes), Block::Zero()), a.lower.assign(z(nodes - 1), Block::Zero());
  a.matrix.resize(nodes);
  for (int i = 0; i < nodes; ++i) {
    const PoseChain::Node& node = chain.node(i);
    a.diagonal[z(i)] << node.rr, node.rt, node.tr, node.tt;
  }
  for (int j = 0; j + 1 < nodes; ++j) {
    const PoseChain::Link& link = chain.link(j);
    Block &near = a.diagonal[z(j)], &far = a.diagonal[z(j + 1)], &both = a.lower[z(j)];
    near.bottomRightCorner<3, 3>() += link.aa, far.bottomRightCorner<3, 3>() += link.bb;
    both.bottomRightCorner<3, 3>() += 0.5 * (link.ba + link.ab.transpose());
    // The constraint as a spring, softer than it is by as little as rounding allows.
    const Mat3 give = link.give + (rod.segments[z(j)].h / (stiff * unit)) * Mat3::Identity(), spring = give.inverse();
    Eigen::Matrix<double, 3, 6> g_near, g_far;
    g_near << -Mat3::Identity(), link.pa;
    g_far << Mat3::Identity(), link.pb;
    near += g_near.transpose() * spring * g_near, far += g_far.transpose() * spring * g_far;
    both += g_far.transpose() * spring * g_near;
  }
  for (const NodeHold& hold : problem.holds())
    for (int k = 0; k < 3; ++k) {
      const Vec3 place = hold.rows.place.row(k), turn = hold.rows.turn.row(k);
      Block& d = a.diagonal[z(hold.node)];
      if (hold.rows.place_held[k]) d.topLeftCorner<3, 3>() += stiff * unit / L * place * place.transpose();
      if (hold.rows.turn_held[k]) d.bottomRightCorner<3, 3>() += stiff * unit * L * turn * turn.transpose();
    }
  a.metric.resize(6 * nodes);
  for (int i = 0; i < nodes; ++i) {
    const double h = (i > 0 ? 0.5 * rod.segments[z(i - 1)].h : 0) + (i + 1 < nodes ? 0.5 * rod.segments[z(i)].h : 0);
    a.metric.segment<3>(6 * i).setConstant(1e-6 * unit * h / (L * L));
    a.metric.segment<3>(6 * i + 3).setConstant(unit * h);
  }
  return a;
}

// The modes nearest to -neutral, which `below` has factored last: inverse iteration in a small space, Ritz values, rising.
Eigen::VectorXd soft_modes(const SecondVariation& a, Eigen::MatrixXd& x) {
  Eigen::VectorXd values;
  std::vector<double> column(static_cast<std::size_t>(x.rows()));
  for (int round = 0; round < 12; ++round) {
    const Eigen::MatrixXd right = a.metric.asDiagonal() * x;
    Eigen::MatrixXd y = right;
    for (int c = 0; c < y.cols(); ++c) {
      std::copy(y.col(c).begin(), y.col(c).end(), column.begin());
      a.matrix.solve(column);
      std::copy(column.begin(), column.end(), y.col(c).begin());
    }
    const Eigen::MatrixXd mass = y.transpose() * a.metric.asDiagonal() * y,
                          stiffness = 0.5 * (y.transpose() * right + right.transpose() * y);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> small(stiffness, mass);
    if (small.info() != Eigen::Success) break;
    values = small.eigenvalues().array() - neutral;
    x = y * small.eigenvectors();
  }
  return values;
}
}  // namespace

Verdict RodMotion::judge() {
  if (!all_have_potentials(model_, rod_.number)) return {Verdict::Kind::no_energy};
  problem_.look_still(state_);
  SecondVariation a = second_variation(rod_, problem_);
  const int size = 6 * rod_.nodes(), above = a.below(neutral);
  Verdict verdict{Verdict::Kind::counted, a.below(-neutral)};
  verdict.neutral.other = above - verdict.unstable;
  const int count = std::min(size, above + 3);
  Eigen::MatrixXd x(size, count);
  for (int c = 0; c < count; ++c)
    for (int i = 0; i < size; ++i) x(i, c) = 1 + 0.1 * ((i * (7 + 2 * c) + 5 * c) % 13);  // along no mode in particular
  const Eigen::VectorXd values = soft_modes(a, x);
  int soft = -1;
  for (int c = 0; c < values.size(); ++c)
    if (std::abs(values[c]) > neutral && (soft < 0 || std::abs(values[c]) < std::abs(values[soft]))) soft = c;
  if (soft < 0) return verdict;
  verdict.softest = values[soft];
  // To be left along: the most unstable one, and its eigenvalue by the metric of the gradient flow.
  const Eigen::VectorXd way = x.col(verdict.unstable > 0 ? 0 : soft);
  double flow = 0;
  for (int i = 0; i < rod_.nodes(); ++i) {
    soft_r_[z(i)] = way.segment<3>(6 * i), soft_q_[z(i)] = way.segment<3>(6 * i + 3);
    flow += rod_.mass[z(i)] * (soft_r_[z(i)].squaredNorm() + rod_.length * rod_.length * soft_q_[z(i)].squaredNorm());
  }
  fall_ = verdict.unstable > 0 ? -values[0] * way.dot(a.metric.cwiseProduct(way)) / flow : 0;
  return verdict;
}

}  // namespace tendril::galpha
