#include "validation/compact/cartesian.h"

#include <algorithm>
#include <cmath>

#include "linear/block_tridiagonal.h"
#include "math/rotation.h"

namespace tendril {

using namespace compact;

// Unknowns of block i: turn of segment i, place of its far end, and the multipliers of e_i - l_i d3_i (penalty: not coupled, unit).
struct CartesianRod::Blocks {
  BlockTridiagonalLDLT<6> penalty;
  BlockTridiagonalLU<9> multipliers;
  std::vector<double> gradient, x;
};

CartesianRod::CartesianRod(const Model& model, HeldBy held_by, double weight)
    : model_(model),
      chain_(build_chain(model, 0, StrainKind::sine)),
      held_by_(held_by),
      weight_(weight),
      gravity_(model.gravity),
      wall_(model.clamps[0].start.orientation),
      blocks_(std::make_shared<Blocks>()) {
  const ChainState start = start_state(model, chain_);
  const int n = chain_.real();
  q_ = start.q;
  p_.assign(start.points.y.begin(), start.points.y.begin() + n + 1);
  v_.assign(z(n + 1), Vec3::Zero()), hat_p_ = v_, lambda_.assign(z(n), Vec3::Zero());
  for (int k = 0; k < 2; ++k) {
    vd_[k].assign(z(n), Vec3::Zero()), hat_d_[k] = vd_[k], d_[k] = vd_[k];
    for (int i = 0; i < n; ++i) d_[k][z(i)] = director(i, k);
  }
  blocks_->penalty.resize(n), blocks_->multipliers.resize(n);
  const std::size_t size = z(n) * (held_by == HeldBy::penalty ? 6 : 9);
  blocks_->gradient.resize(size), blocks_->x.resize(size);
}

double CartesianRod::kinetic() const {
  double sum = 0;
  for (std::size_t k = 0; k < v_.size(); ++k) sum += 0.5 * chain_.mass[k] * v_[k].squaredNorm();
  for (int i = 0; i < chain_.real(); ++i)
    for (int k = 0; k < 2; ++k) sum += 0.5 * chain_.mass[z(chain_.d1(i) + k)] * vd_[k][z(i)].squaredNorm();
  return sum;
}
double CartesianRod::length_violation() const {
  double now = 0, rest = 0;
  for (int i = 0; i < chain_.real(); ++i) now += edge(i).norm(), rest += chain_.links[z(i)].length;
  return now / rest - 1;
}
double CartesianRod::alignment_violation() const {
  double sum = 0;
  for (int i = 0; i < chain_.real(); ++i) sum += (edge(i).normalized() - director(i, 2)).norm();
  return sum;
}

double CartesianRod::energy() const {
  double sum = 0;
  for (std::size_t k = 0; k < p_.size(); ++k)
    sum += chain_.mass[k] * (0.5 * c_ * (p_[k] - hat_p_[k]).squaredNorm() - gravity_.dot(p_[k]));
  const auto joint_energy = [&](const compact::Joint& joint, const Quat& a, const Quat& b) {
    const Vec3 away = strain_point(StrainKind::sine, a.conjugate() * b, 0).strain - joint.rest;
    return 0.5 * joint.kappa.cwiseProduct(away).dot(away);
  };
  for (int i = 0; i < chain_.real(); ++i) {
    sum += i == 0 ? joint_energy(chain_.walls[0], wall_, q_[0]) : joint_energy(chain_.joints[z(i)], q_[z(i - 1)], q_[z(i)]);
    for (int k = 0; k < 2; ++k)
      sum += 0.5 * c_ * chain_.mass[z(chain_.d1(i) + k)] * (director(i, k) - hat_d_[k][z(i)]).squaredNorm();
    if (held_by_ != HeldBy::penalty) continue;
    const Vec3 e = edge(i);
    const double stretched = e.norm() - chain_.links[z(i)].length;
    sum += 0.5 * weight_ * (stretched * stretched + (e.normalized() - director(i, 2)).squaredNorm());
  }
  return sum;
}

namespace {
Mat3 sym(const Vec3& a, const Vec3& b) { return 0.5 * (a * b.transpose() + b * a.transpose()); }
}  // namespace

// Gauss-Newton joints and penalties, positive; of multipliers the curvature of the rows, too.
// long: one sum over segments, in the order of the energy
double CartesianRod::assemble(bool with_matrix) {
  const int n = chain_.real(), size = held_by_ == HeldBy::penalty ? 6 : 9;
  std::vector<double>& g = blocks_->gradient;
  std::fill(g.begin(), g.end(), 0.0);
  blocks_->penalty.set_zero(), blocks_->multipliers.set_zero();
  const auto grad = [&](int block, int part) { return Eigen::Map<Vec3>(g.data() + size * block + 3 * part); };
  const auto add = [&](int row, int rp, int column, int cp, const Mat3& m) {  // and its transpose, where they differ
    if (!with_matrix) return;
    if (held_by_ == HeldBy::penalty) {
      if (row == column) {
        blocks_->penalty.diagonal(row).block<3, 3>(3 * rp, 3 * cp) += m;
        if (rp != cp) blocks_->penalty.diagonal(row).block<3, 3>(3 * cp, 3 * rp) += m.transpose();
      } else {
        blocks_->penalty.lower(column).block<3, 3>(3 * rp, 3 * cp) += m;
      }
      return;
    }
    if (row == column) {
      blocks_->multipliers.diagonal(row).block<3, 3>(3 * rp, 3 * cp) += m;
      if (rp != cp) blocks_->multipliers.diagonal(row).block<3, 3>(3 * cp, 3 * rp) += m.transpose();
    } else {
      blocks_->multipliers.lower(column).block<3, 3>(3 * rp, 3 * cp) += m;
      blocks_->multipliers.upper(column).block<3, 3>(3 * cp, 3 * rp) += m.transpose();
    }
  };
  for (int i = 0; i < n; ++i) {
    const Mat3 frame = q_[z(i)].toRotationMatrix();
    const double m = chain_.mass[z(i + 1)], l = chain_.links[z(i)].length;
    grad(i, 1) += m * (c_ * (p_[z(i + 1)] - hat_p_[z(i + 1)]) - gravity_);
    add(i, 1, i, 1, c_ * m * Mat3::Identity());
    for (int k = 0; k < 2; ++k) {
      const double inertia = c_ * chain_.mass[z(chain_.d1(i) + k)];
      const Vec3 d = frame.col(k), &hat = hat_d_[k][z(i)];
      grad(i, 0) -= inertia * d.cross(hat);
      add(i, 0, i, 0, inertia * (Mat3::Identity() - d * d.transpose()));
    }
    const compact::Joint& joint = i == 0 ? chain_.walls[0] : chain_.joints[z(i)];
    const Quat& before = i == 0 ? wall_ : q_[z(i - 1)];
    const StrainPoint point = strain_point(StrainKind::sine, before.conjugate() * q_[z(i)], 0);
    const Mat3 slopes = strain_gradient(point) * before.toRotationMatrix().transpose();
    const Vec3 moment = slopes.transpose() * joint.kappa.cwiseProduct(point.strain - joint.rest);
    const Mat3 K = slopes.transpose() * joint.kappa.asDiagonal() * slopes;
    grad(i, 0) += moment, add(i, 0, i, 0, K);
    if (i > 0) grad(i - 1, 0) -= moment, add(i - 1, 0, i - 1, 0, K), add(i, 0, i - 1, 0, -K);
    const Vec3 e = edge(i), d3 = frame.col(2);
    const Mat3 turn = skew(d3);  // - d(d3)/dturn
    if (held_by_ == HeldBy::penalty) {
      const double length = e.norm();
      const Vec3 u = e / length, away = u - d3;
      const Mat3 across = (Mat3::Identity() - u * u.transpose()) / length;
      const Vec3 pull = weight_ * ((length - l) * u + across * away);
      const Mat3 Kp = weight_ * (u * u.transpose() + across * across), cross = weight_ * turn.transpose() * across;
      grad(i, 1) += pull, grad(i, 0) += weight_ * turn.transpose() * away;
      add(i, 1, i, 1, Kp), add(i, 0, i, 0, weight_ * turn.transpose() * turn), add(i, 0, i, 1, cross);
      if (i > 0) grad(i - 1, 1) -= pull, add(i - 1, 1, i - 1, 1, Kp), add(i, 1, i - 1, 1, -Kp), add(i, 0, i - 1, 1, -cross);
      continue;
    }
    const Vec3& force = lambda_[z(i)];
    grad(i, 2) = e - l * d3;
    grad(i, 1) += force, grad(i, 0) += l * turn.transpose() * force;
    add(i, 2, i, 1, Mat3::Identity()), add(i, 2, i, 0, l * turn);
    add(i, 0, i, 0, l * (d3.dot(force) * Mat3::Identity() - sym(d3, force)));  // of the row -l d3 . force
    if (i > 0) grad(i - 1, 1) -= force, add(i, 2, i - 1, 1, -Mat3::Identity());
  }
  double squares = 0;
  for (const double x : g) squares += x * x;
  return std::sqrt(squares);
}

bool CartesianRod::direction() {
  for (std::size_t i = 0; i < blocks_->x.size(); ++i) blocks_->x[i] = -blocks_->gradient[i];
  if (held_by_ == HeldBy::penalty) {
    std::ignore = blocks_->penalty.factor(1e-300);
    blocks_->penalty.solve(blocks_->x);
  } else {
    std::ignore = blocks_->multipliers.factor(1e-300);
    blocks_->multipliers.solve(blocks_->x);
  }
  return std::all_of(blocks_->x.begin(), blocks_->x.end(), [](double d) { return std::isfinite(d); });
}

void CartesianRod::move(double fraction) {
  const int size = held_by_ == HeldBy::penalty ? 6 : 9;
  for (int i = 0; i < chain_.real(); ++i) {
    const double* x = blocks_->x.data() + size * i;
    q_[z(i)] = turned_by(fraction * Eigen::Map<const Vec3>(x), base_q_[z(i)]);
    p_[z(i + 1)] = base_p_[z(i + 1)] + fraction * Eigen::Map<const Vec3>(x + 3);
    if (size == 9) lambda_[z(i)] = base_lambda_[z(i)] + fraction * Eigen::Map<const Vec3>(x + 6);
  }
}

CartesianRod::Report CartesianRod::step(double h, int most, double tolerance) {
  Report report;
  c_ = 1 / (h * h);
  const std::vector<Vec3> before = p_, before_d[2] = {d_[0], d_[1]};
  for (std::size_t k = 0; k < p_.size(); ++k) hat_p_[k] = p_[k] + h * v_[k];
  for (int k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < d_[k].size(); ++i) hat_d_[k][i] = d_[k][i] + h * vd_[k][i];
  while (report.iterations < most) {
    report.residual = assemble(true);
    if (report.residual < tolerance || !direction()) break;
    ++report.iterations;
    base_p_ = p_, base_q_ = q_, base_lambda_ = lambda_;
    const double energy_before = energy();
    double slope = 0, fraction = 1;
    for (std::size_t i = 0; i < blocks_->x.size(); ++i) slope += blocks_->x[i] * blocks_->gradient[i];
    move(1);
    // Line search: on the energy; multipliers take the whole step, as in the paper.
    while (held_by_ == HeldBy::penalty && energy() > energy_before + 1e-4 * fraction * slope && fraction > 1e-4)
      move(fraction *= 0.5);
    report.length_after.push_back(length_violation()), report.angle_after.push_back(alignment_violation());
  }
  report.residual = assemble(false);
  for (std::size_t k = 0; k < p_.size(); ++k) v_[k] = (p_[k] - before[k]) / h;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < chain_.real(); ++i) {
      d_[k][z(i)] = director(i, k);
      vd_[k][z(i)] = (d_[k][z(i)] - before_d[k][z(i)]) / h;
    }
  return report;
}

}  // namespace tendril
