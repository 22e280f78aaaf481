// Matrices of one rod, and Newton directions from them.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/compact/problem.h"

namespace tendril::compact {
namespace {

Mat3 symmetric_part(const Vec3& a, const Vec3& b) { return 0.5 * (a * b.transpose() + b * a.transpose()); }
Mat3 across(const Vec3& d) { return Mat3::Identity() - d * d.transpose(); }
constexpr double largest_turn = 1.5;  // [rad] of a link in one iteration

}  // namespace

// Blocks of joints. With the gradient m on b and the Hessian H in the turn of b against a, the second derivatives in (turn a,
// turn b) are H, H and -(H + [m]/2) between: turns do not commute.
template <class Matrix>
void Problem::assemble_joints(Matrix& m, bool exact) {
  const auto hessian = [&](const Joint& joint, const JointNow& now) {
    Mat3 h = now.slopes.transpose() * now.kappa.asDiagonal() * now.slopes;
    if (exact) h += strain_curvature(now.point, now.kappa.cwiseProduct(now.point.strain - now.rest));
    const Mat3 frame =
        strain_axes(joint, joint.a >= 0 ? frame_[z(joint.a)] : frames()[z(joint.clamp)].pose.orientation.toRotationMatrix());
    return Mat3(frame * h * frame.transpose());
  };
  for (int i = 1; i < chain_.all(); ++i) {
    auto& link = m.link(i);
    if (off_[z(i)]) {
      link.joint.setZero(), link.half.setZero();
      continue;
    }
    link.joint = hessian(chain_.joints[z(i)], joint_[z(i)]);
    link.half = (exact ? 0.5 * chain_.sign() : 0.0) * joint_[z(i)].moment;
  }
  for (std::size_t w = 0; w < wall_.size(); ++w) {
    if (!state_->wall_holds[w]) continue;
    const Joint& wall = chain_.walls[w];
    wall_hessian_[w] = hessian(wall, wall_[w]);
    m.link(std::max(wall.a, wall.b)).turn += wall_hessian_[w];
  }
}

// A spring at a point between two nodes: (1 - s)|x_near|^2 + s|x_far|^2 - s (1 - s)|x_far - x_near|^2, and the last is a turn.
template <class Matrix>
void Problem::assemble_grips(Matrix& m) {
  for (const Grip& grip : drive_->grips) {
    if (grip.rod != chain_.rod) continue;
    const Held held = held_by(grip);
    const double k = grip.stiffness + stage_.gamma * grip.damping, s = held.far;
    Mat3& near = held.link == 0 ? m.root() : m.link(held.link - 1).node;
    near.diagonal().array() += (1 - s) * k;
    auto& link = m.link(held.link);
    link.node.diagonal().array() += s * k;
    if (s > 0 && s < 1) {
      const double l = chain_.links[z(held.link)].length;
      link.turn -= (k * s * (1 - s) * l * l) * across(frame_[z(held.link)].col(2));
    }
    if (grip.angular_stiffness == 0 && grip.angular_damping == 0) continue;
    const double share = held.neighbour >= 0 ? 0.5 : 1;
    for (const int at : {held.link, held.neighbour}) {
      if (at < 0) continue;
      const Grip part = turning_part(grip, at, share);
      const Vec3 moment = grip_moment(part, q_[z(at)], Vec3::Zero());
      m.link(at).turn -= grip_tangent(part, q_[z(at)]).turn.bottomRows<3>() + 0.5 * skew(moment);
    }
  }
}

// Loads without a potential: force and moment depend on the place, the velocity and the frame there. The derivative in
// exp(turn) of a moment m is its tangent and half of [m].
void Problem::assemble_loads(ChainLU& m) {
  for (int i = 0; i < chain_.real(); ++i) {
    auto& link = m.link(i);
    auto& cross = m.cross(i);
    for (const bool far : {false, true}) {
      const LoadedPoint<double> at = loaded_point(i, far);
      const LoadTangent t = load_tangent([&](const auto& point) { return half_load(i, far, point); }, at);
      const WrenchOf<double> w = half_load(i, far, at);
      const LoadTangent::Columns place = t.position + stage_.gamma * t.velocity;
      Mat3& node = far ? link.node : i == 0 ? m.root() : m.link(i - 1).node;
      node -= place.topRows<3>();
      (far ? cross.cross : cross.near_cross) = -t.turn.topRows<3>();
      (far ? cross.cross_back : cross.near_cross_back) = -place.bottomRows<3>();
      link.turn -= t.turn.bottomRows<3>() + 0.5 * skew(to_eigen(w.moment));
    }
  }
}

template <class Matrix>
void Problem::assemble(Matrix& m, bool exact) {
  m.root() = (c_ * chain_.mass[0]) * Mat3::Identity();
  for (int i = 0; i < chain_.real(); ++i) {
    auto& link = m.link(i);
    const Mat3& frame = frame_[z(i)];
    const Vec3 arm = (chain_.sign() * chain_.links[z(i)].length) * frame.col(2), &q = beyond_[z(i)];
    link.arm = arm;
    link.node = (c_ * chain_.mass[z(i + 1)]) * Mat3::Identity();
    const double pull = -arm.dot(q);  // length times tension
    if (exact)
      link.turn = symmetric_part(arm, q) + pull * Mat3::Identity();
    else
      link.turn = (settings_.matrix == NewtonMatrix::paper ? 0.0 : std::max(pull, 0.0)) * across(frame.col(2));
    if (c_ == 0) continue;
    const int p = chain_.d1(i);
    for (int k = 0; k < 2; ++k) {
      const Vec3 d = frame.col(k), &hat = hat_[z(p + k)];
      const double inertia = c_ * chain_.mass[z(p + k)];
      if (exact)
        link.turn += inertia * (d.dot(hat) * Mat3::Identity() - symmetric_part(d, hat));
      else
        link.turn += inertia * across(d);
    }
  }
  if (chain_.ring) {  // where no joint holds the link that closes the ring, it stands for itself
    auto& last = m.link(chain_.real());
    last.arm.setZero(), last.node.setZero();
    last.turn = (off_.back() ? chain_.stiffest : 0.0) * Mat3::Identity();
  }
  assemble_joints(m, exact);
  if (!drive_->grips.empty()) assemble_grips(m);
  // Rows pull at their points as springs too, which changes no solution and holds what nothing else holds.
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    if (!row_on_[3 * h]) continue;
    const HeldPoint& held = chain_.held[h];
    Mat3& node = held.link < 0 ? m.root() : m.link(held.link).node;
    const double stiffness = soft_ ? soft_stiffness_ : row_stiffness_;
    node.diagonal().array() += stiffness;
    if (held.slides) node -= stiffness * held.axes.col(2) * held.axes.col(2).transpose();
  }
}

// Row of a held point: its place, moved by the root and turned by all links up to it. Rows of a ring: last place less first,
// last turn less first. Rows that are off stand for themselves.
template <class Border>
void Problem::fill_border(Border& border, bool rows_too) {
  border.set_zero();
  const auto put = [&](int i, int row, double value) {
    border.column(i, row) = value;
    if constexpr (std::is_same_v<Border, BorderedLU>) border.row(i, row) = value;
  };
  const auto put_places = [&](int last_link, int row, int rows, const Mat3& axes) {
    for (int i = 0; i <= last_link; ++i) {
      const Vec3 arm = (chain_.sign() * chain_.links[z(i)].length) * frame_[z(i)].col(2);
      for (int k = 0; k < rows; ++k) {
        const Vec3 column = arm.cross(axes.col(k));
        for (int j = 0; j < 3; ++j) put(3 + 3 * i + j, row + k, column[j]);
      }
    }
  };
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    const int row = 3 * static_cast<int>(h);
    if (!row_on_[z(row)]) continue;
    const HeldPoint& held = chain_.held[h];
    put_places(held.link, row, held.rows(), held.axes);
    for (int k = 0; k < held.rows() && !state_->root_held; ++k)
      for (int j = 0; j < 3; ++j) put(j, row + k, held.axes(j, k));
  }
  if (chain_.ring) {
    const int row = chain_.held_rows();
    put_places(chain_.real() - 1, row, 3, Mat3::Identity());
    for (int k = 0; k < 3 && row_on_[z(row + 3)]; ++k)
      put(3 + 3 * chain_.real() + k, row + 3 + k, 1), put(3 + k, row + 3 + k, -1);
  }
  for (int row = 0; row < chain_.rows(); ++row) {
    const bool turn = chain_.ring && row >= chain_.held_rows() + 3;
    const double corner = !row_on_[z(row)] ? 1 : turn ? 0 : -row_give_;
    if constexpr (std::is_same_v<Border, BorderedLU>)
      border.corner(row, row) = corner;
    else
      border.add_corner(row, row, corner);
  }
  if (!rows_too) return;
  // Right-hand side: what the springs of the rows pull with, then the rows themselves.
  for (int row = 0; row < chain_.held_rows(); ++row) {
    const double pull = row_stiffness_ * violation_[z(row)];
    for (int i = 0; pull != 0 && i < size(); ++i) direction_[z(i)] -= pull * border.column(i, row);
  }
  for (int row = 0; row < chain_.rows(); ++row) direction_[z(size() + row)] = -violation_[z(row)];
}

bool Problem::direct_symmetric(bool exact) {
  if (settings_.linear.kind != LinearKind::exact) return direct_iteratively(exact);
  assemble(ldlt_, exact);
  anchor();
  const PivotReport inner = ldlt_.factor(0, tiny_);
  for (std::size_t i = 0; i < gradient_.size(); ++i) direction_[i] = -gradient_[i];
  if (active_rows_ == 0 || soft_) {
    std::fill(direction_.begin() + size(), direction_.end(), 0.0);
    if (inner.negative > 0) return false;
    ldlt_.solve({direction_.data(), z(size())});
    return true;
  }
  fill_border(border_, true);
  const PivotReport outer = border_.factor(ldlt_, 1e-300);
  if (inner.negative + outer.negative != active_rows_) return false;
  border_.solve(ldlt_, direction_);
  return true;
}

bool Problem::direct_general() {
  assemble(lu_, true);
  assemble_loads(lu_);
  std::ignore = lu_.factor(1e-300, tiny_);
  for (std::size_t i = 0; i < gradient_.size(); ++i) direction_[i] = -gradient_[i];
  if (active_rows_ == 0) {
    std::fill(direction_.begin() + size(), direction_.end(), 0.0);
    lu_.solve({direction_.data(), z(size())});
  } else {
    fill_border(general_border_, true);
    std::ignore = general_border_.factor(lu_, 1e-300);
    general_border_.solve(lu_, direction_);
  }
  return std::all_of(direction_.begin(), direction_.end(), [](double d) { return std::isfinite(d); });
}

void Problem::limit_direction() {
  double largest = 0;
  for (int i = 0; i < chain_.all(); ++i)
    largest = std::max(largest, Eigen::Map<const Vec3>(direction_.data() + 3 + 3 * i).squaredNorm());
  if (largest <= largest_turn * largest_turn) return;
  const double factor = largest_turn / std::sqrt(largest);
  for (double& d : direction_) d *= factor;
}

bool Problem::find_symmetric() {
  if (settings_.matrix == NewtonMatrix::exact && direct_symmetric(true)) return true;
  ++fallbacks_;
  return direct_symmetric(false);
}

void Problem::solve_factored(std::span<double> x, int columns) const {
  if (active_rows_ > 0) return border_.solve(ldlt_, x, columns);
  ldlt_.solve(x.first(z(size()) * z(columns)), columns);
}

double Problem::descend() {
  if (!find_symmetric()) return std::nan("");
  limit_direction();
  double slope = 0;
  for (std::size_t i = 0; i < gradient_.size(); ++i) slope += gradient_[i] * direction_[i];
  return slope;
}

bool Problem::find_direction() {
  bool found = false;
  if (!potential_) {
    found = direct_general();
  } else {
    found = find_symmetric();
  }
  limit_direction();
  return found;
}

PivotReport Problem::factor_exact(double shift) {
  assemble(ldlt_, true);
  return ldlt_.factor(0, shift);
}

void Problem::multiply(std::span<const double> x, std::span<double> y) {
  if (potential_) {
    assemble(ldlt_, true);
    return ldlt_.multiply(x, y);
  }
  assemble(lu_, true);
  assemble_loads(lu_);
  lu_.multiply(x, y);
}

const ChainLDLT& Problem::assembled(bool exact) {
  assemble(ldlt_, exact);
  if (frozen_) {
    ldlt_.root() -= frozen_tangent_[0];
    for (int i = 0; i < chain_.real(); ++i) ldlt_.link(i).node -= frozen_tangent_[z(i + 1)];
  }
  return ldlt_;
}

template void Problem::assemble(ChainLDLT& m, bool exact);
template void Problem::fill_border(BorderedLDLT& border, bool rows_too);

}  // namespace tendril::compact
