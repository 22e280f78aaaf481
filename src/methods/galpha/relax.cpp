// Equilibria: the same equations without time, and whether they are stable.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "linear/block_tridiagonal.h"
#include "methods/galpha/motion.h"
#include "parallel/stop.h"

namespace tendril::galpha {
namespace {
constexpr double still = 1e-11;  // residual of an equilibrium
using Block = SmallBlock<6>;

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
}  // namespace

double RodMotion::still_residual() { return problem_.residual_at(state_, still); }

// Steps of a gradient flow, each an implicit one, longer and longer: the energy falls until nothing is left to fall. Where a direction is
// neutral the flow does not mind, and where the start is far away it does not lose its way, as Newton's method alone would.
// Where a saddle is left, `least` is kept for a while: a step longer than the energy falls in would lead back to it.
bool RodMotion::settle(StepResult& result, double least) {
  constexpr int most = 400, leaving = 60;
  const double rate = rod_.EI / (rod_.total * rod_.length * rod_.length * rod_.length) + gravity_.norm() / rod_.length;
  const double weakest = 1e-12 * rate;
  double pull = std::max(least, 0.1 * rate);
  for (int k = 0; k < most && !asked_to_stop(); ++k) {
    const NewtonReport newton = problem_.solve_still(state_, pull, std::max(still, 1e-9));
    result.iterations += newton.iterations;
    if (!newton.converged) {
      if ((pull *= 8) > 1e9 * rate) return false;
      continue;
    }
    problem_.finish(state_);
    result.residual = still_residual();
    if (result.residual <= still && !(least > 0 && k < 8)) return true;
    pull = std::max(weakest, pull * (newton.iterations <= 4 ? 0.15 : newton.iterations <= 7 ? 0.5 : 1.5));
    if (least > 0 && k < leaving) pull = std::max(pull, least);
    if ((least > 0 && k < leaving) || pull > 1e-3 * rate || k % 4 != 3) continue;
    // Near enough for Newton's method itself?
    const NewtonReport last = problem_.solve_still(state_, 0, still);
    result.iterations += last.iterations;
    if (!last.converged) continue;
    problem_.finish(state_);
    result.residual = last.residual;
    return true;
  }
  return false;
}

// A = second variation of the energy, with constraints and holds as stiff springs: 6x6 blocks by nodes. Metric: EI h/L^2 on every turn, by
// which eigenvalues of bending are those of the continuous rod, whatever the mesh.
Verdict RodMotion::judge() {
  if (!all_have_potentials(model_, rod_.number)) return {Verdict::Kind::no_energy};
  problem_.look_still(state_);
  PoseChain& chain = problem_.assemble();
  const int nodes = rod_.nodes();
  const double L = rod_.length, unit = rod_.EI / (L * L), stiff = 1e8;
  BlockTridiagonalLDLT<6> matrix;
  matrix.resize(nodes);
  std::vector<Block> diagonal(z(nodes), Block::Zero()), lower(z(nodes - 1), Block::Zero());
  for (int i = 0; i < nodes; ++i) {
    const PoseChain::Node& node = chain.node(i);
    diagonal[z(i)].topLeftCorner<3, 3>() = node.rr;
    diagonal[z(i)].bottomRightCorner<3, 3>() = node.tt;
    diagonal[z(i)].topRightCorner<3, 3>() = node.rt, diagonal[z(i)].bottomLeftCorner<3, 3>() = node.tr;
  }
  for (int j = 0; j + 1 < nodes; ++j) {
    const PoseChain::Link& link = chain.link(j);
    Block &a = diagonal[z(j)], &b = diagonal[z(j + 1)], &ba = lower[z(j)];
    a.bottomRightCorner<3, 3>() += link.aa, b.bottomRightCorner<3, 3>() += link.bb;
    ba.bottomRightCorner<3, 3>() += 0.5 * (link.ba + link.ab.transpose());
    // The constraint as a spring, softer than it is by as little as rounding allows.
    const Mat3 give = link.give + (rod_.segments[z(j)].h / (stiff * unit)) * Mat3::Identity();
    Eigen::Matrix<double, 3, 6> near, far;
    near << -Mat3::Identity(), link.pa;
    far << Mat3::Identity(), link.pb;
    const Mat3 spring = give.inverse();
    a += near.transpose() * spring * near, b += far.transpose() * spring * far, ba += far.transpose() * spring * near;
  }
  for (const NodeHold& hold : problem_.holds()) {
    Block& d = diagonal[z(hold.node)];
    for (int k = 0; k < 3; ++k) {
      const Vec3 place = hold.rows.place.row(k), turn = hold.rows.turn.row(k);
      if (hold.rows.place_held[k]) d.topLeftCorner<3, 3>() += stiff * unit / L * place * place.transpose();
      if (hold.rows.turn_held[k]) d.bottomRightCorner<3, 3>() += stiff * unit * L * turn * turn.transpose();
    }
  }
  Eigen::VectorXd metric(6 * nodes);
  for (int i = 0; i < nodes; ++i) {
    const double h = (i > 0 ? 0.5 * rod_.segments[z(i - 1)].h : 0) + (i + 1 < nodes ? 0.5 * rod_.segments[z(i)].h : 0);
    metric.segment<3>(6 * i).setConstant(1e-6 * unit * h / (L * L));
    metric.segment<3>(6 * i + 3).setConstant(unit * h);
  }
  const auto below = [&](double shift) {  // number of eigenvalues less than shift
    for (int i = 0; i < nodes; ++i) {
      matrix.diagonal(i) = 0.5 * (diagonal[z(i)] + diagonal[z(i)].transpose());
      matrix.diagonal(i).diagonal() -= shift * metric.segment<6>(6 * i);
      if (i + 1 < nodes) matrix.lower(i) = lower[z(i)];
    }
    return matrix.factor(1e-300).negative;
  };
  constexpr double neutral = 1e-5;
  Verdict verdict{Verdict::Kind::counted, below(-neutral)};
  verdict.neutral.other = below(neutral) - verdict.unstable;
  // The softest mode beyond the neutral ones, by inverse iteration in a small space.
  const int count = std::min(6 * nodes, verdict.neutral.count() + verdict.unstable + 3);
  std::ignore = below(-neutral);
  Eigen::MatrixXd x(6 * nodes, count), y;
  for (int c = 0; c < count; ++c)
    for (int i = 0; i < 6 * nodes; ++i) x(i, c) = 1 + 0.1 * ((i * (7 + 2 * c) + 5 * c) % 13);  // along no mode in particular
  Eigen::VectorXd values;
  for (int round = 0; round < 12; ++round) {
    y = metric.asDiagonal() * x;
    const Eigen::MatrixXd right = y;
    std::vector<double> column(z(6 * nodes));
    for (int c = 0; c < count; ++c) {
      std::copy(y.col(c).begin(), y.col(c).end(), column.begin());
      matrix.solve(column);
      std::copy(column.begin(), column.end(), y.col(c).begin());
    }
    // Ritz values in the space of the columns.
    const Eigen::MatrixXd mass = y.transpose() * metric.asDiagonal() * y,
                          stiffness = 0.5 * (y.transpose() * right + right.transpose() * y);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> small(stiffness, mass);
    if (small.info() != Eigen::Success) break;
    values = small.eigenvalues().array() - neutral;
    x = y * small.eigenvectors();
  }
  int soft = -1;
  for (int c = 0; c < values.size(); ++c)
    if (std::abs(values[c]) > neutral && (soft < 0 || std::abs(values[c]) < std::abs(values[soft]))) soft = c;
  if (soft < 0) return verdict;
  verdict.softest = values[soft];
  // To be left along: the most unstable one.
  const Eigen::VectorXd way = x.col(verdict.unstable > 0 ? 0 : soft);
  // Its eigenvalue by the metric of the gradient flow.
  double flow = 0;
  for (int i = 0; i < nodes; ++i)
    flow += rod_.mass[z(i)] * (way.segment<3>(6 * i).squaredNorm() + L * L * way.segment<3>(6 * i + 3).squaredNorm());
  fall_ = verdict.unstable > 0 ? -values[0] * way.dot(metric.cwiseProduct(way)) / flow : 0;
  for (int i = 0; i < nodes; ++i) soft_r_[z(i)] = way.segment<3>(6 * i), soft_q_[z(i)] = way.segment<3>(6 * i + 3);
  return verdict;
}

void RodMotion::leave_saddle() {
  constexpr double turn = 0.05;  // [rad]
  double largest = 0;
  for (const Vec3& q : soft_q_) largest = std::max(largest, q.norm());
  if (!(largest > 0)) return;
  for (std::size_t i = 0; i < state_.r.size(); ++i) {
    state_.r[i] += turn / largest * soft_r_[i];
    state_.q[i] = exp_quat(Vec3(turn / largest * soft_q_[i])) * state_.q[i];
  }
}

StepResult RodMotion::relax(Verdict& verdict) {
  StepResult result;
  kept_ = state_;
  for (Level* level : {&state_.place, &state_.turn, &state_.velocity, &state_.spin, &state_.strain})
    for (auto* list : {&level->dot, &level->rate}) std::fill(list->begin(), list->end(), Vec3::Zero());
  state_.dt = 0;
  const NewtonReport newton = problem_.solve_still(state_, 0, still);
  result.iterations = newton.iterations, result.residual = newton.residual;
  result.fine = newton.converged;
  if (newton.converged)
    problem_.finish(state_);
  else
    result.fine = settle(result, 0);
  verdict = {};
  for (int tries = 0; result.fine && tries < 4; ++tries) {
    verdict = judge();
    if (!settings_.seek_minimum || verdict.unstable == 0) break;
    const RodState saddle = state_;
    leave_saddle();
    if (settle(result, 2 * fall_)) continue;
    state_ = saddle;
    break;
  }
  if (!result.fine) {
    state_ = kept_;
    result.cause = problem_.turned_too_far() ? segment_turned : Cause::no_equilibrium;
  }
  problem_.look_at(state_);
  books_.gravity = gravity_;
  return result;
}

}  // namespace tendril::galpha
