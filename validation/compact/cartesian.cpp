#include "validation/compact/cartesian.h"

#include <algorithm>
#include <cmath>

#include "linear/block_tridiagonal.h"
#include "math/rotation.h"

namespace tendril {

using namespace compact;

// Unknowns of block i. Penalty: quaternion of segment i, place of its far end. Multipliers: turn of segment i, place of its far end, and the
// multipliers of e_i - l_i d3_i.
struct CartesianRod::Blocks {
  BlockTridiagonalLDLT<7> penalty;
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
  // Neighbours by the same sign: strains are linear in quaternions here.
  if (wall_.dot(q_.front()) < 0) wall_.coeffs() *= -1;
  for (std::size_t i = 1; i < q_.size(); ++i)
    if (q_[i].dot(q_[i - 1]) < 0) q_[i].coeffs() *= -1;
  p_.assign(start.points.y.begin(), start.points.y.begin() + n + 1);
  v_.assign(z(n + 1), Vec3::Zero()), hat_p_ = v_, lambda_.assign(z(n), Vec3::Zero());
  for (int k = 0; k < 2; ++k) {
    vd_[k].assign(z(n), Vec3::Zero()), hat_d_[k] = vd_[k], d_[k] = vd_[k];
    for (int i = 0; i < n; ++i) d_[k][z(i)] = director(i, k);
  }
  blocks_->penalty.resize(n), blocks_->multipliers.resize(n);
  const std::size_t size = z(n) * (held_by == HeldBy::penalty ? 7 : 9);
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

namespace {

Mat3 sym(const Vec3& a, const Vec3& b) { return 0.5 * (a * b.transpose() + b * a.transpose()); }

using Slope = Eigen::Matrix<double, 3, 4>;  // by a quaternion (w, x, y, z)
// Of any length: of a unit quaternion the column k of its rotation, else that times the square of its length.
Vec3 axis_of(const Quat& q, int k) {
  const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
  if (k == 0) return {w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)};
  if (k == 1) return {2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)};
  return {2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z};
}
Slope axis_slope(const Quat& q, int k) {
  const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
  Slope s;
  if (k == 0)
    s << w, x, -y, -z, z, y, x, w, -y, z, -w, x;
  else if (k == 1)
    s << -z, y, x, -w, w, -x, y, -z, x, w, z, y;
  else
    s << y, z, w, x, -x, -w, z, y, w, -x, -y, z;
  return 2 * s;
}
// 2 (x, y, z) of a^-1 b is linear in each.
Vec3 sine_strain(const Quat& a, const Quat& b) { return 2 * Vec3((a.conjugate() * b).vec()); }
Eigen::Vector4d numbers(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }
const Quat unit[4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};

}  // namespace

Vec3 CartesianRod::director(int i, int k) const { return axis_of(q_[z(i)], k); }

double CartesianRod::energy() const {
  double sum = 0;
  for (std::size_t k = 0; k < p_.size(); ++k)
    sum += chain_.mass[k] * (0.5 * c_ * (p_[k] - hat_p_[k]).squaredNorm() - gravity_.dot(p_[k]));
  for (int i = 0; i < chain_.real(); ++i) {
    const compact::Joint& joint = joint_before(i);
    const Vec3 away = sine_strain(frame_before(i), q_[z(i)]) - joint.rest;
    sum += 0.5 * joint.kappa.cwiseProduct(away).dot(away);
    for (int k = 0; k < 2; ++k)
      sum += 0.5 * c_ * chain_.mass[z(chain_.d1(i) + k)] * (director(i, k) - hat_d_[k][z(i)]).squaredNorm();
    const Vec3 e = edge(i);
    const double stretched = e.norm() - chain_.links[z(i)].length, grown = q_[z(i)].norm() - 1;
    sum += 0.5 * weight_ * (stretched * stretched + grown * grown + (e.normalized() - director(i, 2)).squaredNorm());
  }
  return sum;
}

// All of it is a sum of squares: by Gauss and Newton, positive.
double CartesianRod::assemble_penalty() {
  using Block = BlockTridiagonalLDLT<7>;
  Block& m = blocks_->penalty;
  std::vector<double>& g = blocks_->gradient;
  std::fill(g.begin(), g.end(), 0.0);
  m.set_zero();
  using Columns = Eigen::Matrix<double, 3, 7>;
  // weight/2 |r|^2 with its slopes in this block and, where there is one, in the one before.
  const auto add = [&](int i, const Vec3& weight, const Vec3& r, const Columns& here, const Columns& before) {
    const auto weighted = weight.asDiagonal();
    Eigen::Map<Eigen::Matrix<double, 7, 1>>(g.data() + 7 * i) += here.transpose() * weighted * r;
    m.diagonal(i) += here.transpose() * weighted * here;
    if (i == 0) return;
    Eigen::Map<Eigen::Matrix<double, 7, 1>>(g.data() + 7 * (i - 1)) += before.transpose() * weighted * r;
    m.diagonal(i - 1) += before.transpose() * weighted * before;
    m.lower(i - 1) += here.transpose() * weighted * before;
  };
  const auto same = [](double weight) { return Vec3(Vec3::Constant(weight)); };
  for (int i = 0; i < chain_.real(); ++i) {
    const Quat &q = q_[z(i)], &a = frame_before(i);
    Columns here = Columns::Zero(), before = Columns::Zero();
    here.rightCols<3>().setIdentity();
    add(i, same(c_ * chain_.mass[z(i + 1)]), p_[z(i + 1)] - hat_p_[z(i + 1)] - gravity_ / c_, here, before);
    here.setZero();
    for (int k = 0; k < 2; ++k) {
      here.leftCols<4>() = axis_slope(q, k);
      add(i, same(c_ * chain_.mass[z(chain_.d1(i) + k)]), axis_of(q, k) - hat_d_[k][z(i)], here, before);
    }
    for (int k = 0; k < 4; ++k) here.col(k) = sine_strain(a, unit[k]), before.col(k) = sine_strain(unit[k], q);
    add(i, joint_before(i).kappa, sine_strain(a, q) - joint_before(i).rest, here, before);
    const Vec3 e = edge(i), u = e.normalized();
    const double length = e.norm(), size = q.norm();
    here.setZero(), before.setZero();  // length, and that of the quaternion
    here.row(0).rightCols<3>() = u.transpose(), before.row(0).rightCols<3>() = -u.transpose();
    here.row(1).leftCols<4>() = numbers(q).transpose() / size;
    add(i, same(weight_), Vec3(length - chain_.links[z(i)].length, size - 1, 0), here, before);
    const Mat3 across = (Mat3::Identity() - u * u.transpose()) / length;
    here.leftCols<4>() = -axis_slope(q, 2), here.rightCols<3>() = across;
    before.rightCols<3>() = -across;
    add(i, same(weight_), u - axis_of(q, 2), here, before);
  }
  return Eigen::Map<const Eigen::VectorXd>(g.data(), static_cast<Eigen::Index>(g.size())).norm();
}

// Gauss-Newton joints, and the curvature of the rows.
double CartesianRod::assemble_multipliers() {
  std::vector<double>& g = blocks_->gradient;
  std::fill(g.begin(), g.end(), 0.0);
  blocks_->multipliers.set_zero();
  const auto grad = [&](int block, int part) { return Eigen::Map<Vec3>(g.data() + 9 * block + 3 * part); };
  const auto add = [&](int row, int rp, int column, int cp, const Mat3& m) {  // and its transpose, where they differ
    if (row == column) {
      blocks_->multipliers.diagonal(row).block<3, 3>(3 * rp, 3 * cp) += m;
      if (rp != cp) blocks_->multipliers.diagonal(row).block<3, 3>(3 * cp, 3 * rp) += m.transpose();
    } else {
      blocks_->multipliers.lower(column).block<3, 3>(3 * rp, 3 * cp) += m;
      blocks_->multipliers.upper(column).block<3, 3>(3 * cp, 3 * rp) += m.transpose();
    }
  };
  for (int i = 0; i < chain_.real(); ++i) {
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
    const compact::Joint& joint = joint_before(i);
    const Quat& before = frame_before(i);
    const StrainPoint point = strain_point(StrainKind::sine, before.conjugate() * q_[z(i)], 0);
    const Mat3 slopes = strain_gradient(point) * before.toRotationMatrix().transpose();
    const Vec3 moment = slopes.transpose() * joint.kappa.cwiseProduct(point.strain - joint.rest);
    const Mat3 K = slopes.transpose() * joint.kappa.asDiagonal() * slopes;
    grad(i, 0) += moment, add(i, 0, i, 0, K);
    if (i > 0) grad(i - 1, 0) -= moment, add(i - 1, 0, i - 1, 0, K), add(i, 0, i - 1, 0, -K);
    const Vec3 e = edge(i), d3 = frame.col(2);
    const Mat3 turn = skew(d3);  // - d(d3)/dturn
    const Vec3& force = lambda_[z(i)];
    grad(i, 2) = e - l * d3;
    grad(i, 1) += force, grad(i, 0) += l * turn.transpose() * force;
    add(i, 2, i, 1, Mat3::Identity()), add(i, 2, i, 0, l * turn);
    add(i, 0, i, 0, l * (d3.dot(force) * Mat3::Identity() - sym(d3, force)));  // of the row -l d3 . force
    if (i > 0) grad(i - 1, 1) -= force, add(i, 2, i - 1, 1, -Mat3::Identity());
  }
  return Eigen::Map<const Eigen::VectorXd>(g.data(), static_cast<Eigen::Index>(g.size())).norm();
}

double CartesianRod::assemble() { return held_by_ == HeldBy::penalty ? assemble_penalty() : assemble_multipliers(); }

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
  const bool penalty = held_by_ == HeldBy::penalty;
  const int size = penalty ? 7 : 9, place = penalty ? 4 : 3;
  for (int i = 0; i < chain_.real(); ++i) {
    const double* x = blocks_->x.data() + size * i;
    p_[z(i + 1)] = base_p_[z(i + 1)] + fraction * Eigen::Map<const Vec3>(x + place);
    if (penalty) {
      const Quat& q = base_q_[z(i)];
      q_[z(i)] = Quat(q.w() + fraction * x[0], q.x() + fraction * x[1], q.y() + fraction * x[2], q.z() + fraction * x[3]);
      continue;
    }
    q_[z(i)] = turned_by(fraction * Eigen::Map<const Vec3>(x), base_q_[z(i)]);
    lambda_[z(i)] = base_lambda_[z(i)] + fraction * Eigen::Map<const Vec3>(x + 6);
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
    report.residual = assemble();
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
  report.residual = assemble();
  for (Quat& q : q_)
    q.normalize();  // what the penalty has left of the lengths of quaternions does not go into the next frame
  for (std::size_t k = 0; k < p_.size(); ++k) v_[k] = (p_[k] - before[k]) / h;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < chain_.real(); ++i) {
      d_[k][z(i)] = director(i, k);
      vd_[k][z(i)] = (d_[k][z(i)] - before_d[k][z(i)]) / h;
    }
  return report;
}

}  // namespace tendril
