// Energy, gradient and Hessian of one rod, assembled from its joints, edges and loads.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "math/transport.h"
#include "methods/der/equilibrium/rod_problem.h"
#include "methods/der/rod/frames.h"

namespace tendril::der {

double RodProblem::load_work() const {
  // Forces: work since the base, at which they were evaluated.
  double work = work_;
  for (int v = rod_.first; v <= rod_.first + rod_.slots; ++v) {
    work += dot(loads_.force().get(v), c_.x.get(v) - r_.base_x_.get(v));
  }
  for (const Loads::Couple& couple : couples_) {
    // Moments: along the rotation of the edge since the base, its turn of direction plus that about itself.
    const int s = couple.slot;
    const V3<double> a = r_.base_t_.get(s), b = c_.t.get(s);
    const double angle = math::atan2(norm(cross(a, b)), dot(a, b));
    const double sine = norm(cross(a, b));
    const V3<double> turn = (sine > 1e-12 ? angle / sine : 1.0) * cross(a, b) + r_.turned_[z(s)] * b;
    work += dot(couple.moment, turn);
  }
  return work;
}

JointStiffness RodProblem::stiffness_at(int s) const {
  JointStiffness k;
  k.inverse_l = c_.inverse_l[z(s)];
  k.Ba << c_.B_xx[z(s - 1)], c_.B_xy[z(s - 1)], c_.B_xy[z(s - 1)], c_.B_yy[z(s - 1)];
  k.Bb << c_.B_xx[z(s)], c_.B_xy[z(s)], c_.B_xy[z(s)], c_.B_yy[z(s)];
  k.rest_a = Vec2(c_.rest_first.x[z(s)], c_.rest_first.y[z(s)]);
  k.rest_b = Vec2(c_.rest_second.x[z(s)], c_.rest_second.y[z(s)]);
  k.twist = c_.twist_stiffness[z(s)];
  k.rest_twist = c_.rest_twist[z(s)];
  return k;
}

void RodProblem::assemble(bool hessian) {
  std::fill(n_.gradient.begin(), n_.gradient.end(), 0.0);
  if (hessian && n_.ring) n_.cyclic.set_zero();
  if (hessian && !n_.ring) n_.band.set_zero();
  energy_ = energy_scale_ = 0;
  // Bending and twist of every joint.
  for (int s = rod_.first + 1; s < rod_.first + rod_.slots; ++s) add_joint(s, hessian);
  // Stretch of every edge: its spring, or the augmented Lagrangian of its length.
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.kind[z(s)] == SlotKind::edge) add_stretch(s, hessian);
  }
  // Forces on vertices; twins have the same unknowns.
  for (int v = rod_.first; v <= rod_.first + rod_.slots; ++v) {
    const V3<double> f = loads_.force().get(v);
    const int k = n_.x[z(v - rod_.first)];
    for (int i = 0; i < 3; ++i) n_.gradient[z(k + i)] -= f[i];
  }
  // Springs of hands and couplings; moments.
  for (const Grip& grip : drive_.grips) {
    if (holds_here(grip)) add_grip(grip, hessian);
  }
  for (const Loads::Couple& couple : couples_) add_couple(couple, hessian);
  // The work of loads is taken off. The scale is the sum of the terms' sizes: a difference below its rounding is no
  // difference.
  const double work = load_work();
  energy_scale_ = std::abs(energy_) + std::abs(work);
  energy_ -= work;
  if (!hessian) return;
  for (int i = 0; i < n_.size; ++i) {
    // What is held has only a diagonal entry, positive and of usual size, so that it is no pivot to count.
    if (n_.fixed[z(i)]) add_entry(i, i, n_.stiff[z(i)]);
  }
}

void RodProblem::add_entry(int i, int j, double value) {
  if (n_.ring) {
    n_.cyclic.add(i, j, value);
  } else {
    n_.band.add(i, j, value);
  }
}

JointShape RodProblem::shape_between(int a, int b) const {
  return {to_eigen(c_.t.get(a)),  to_eigen(c_.t.get(b)),  to_eigen(c_.m1.get(a)), to_eigen(c_.m2.get(a)),
          to_eigen(c_.m1.get(b)), to_eigen(c_.m2.get(b)), r_.twist_[z(b)]};
}

void RodProblem::add_joint(int s, bool hessian) {
  const JointShape shape = shape_between(s - 1, s);
  // Next to a wall that follows its neighbours the joint's own Hessian is not used; see pass_on.
  const bool beside_follower = follower_[z(s)] || follower_[z(s - 1)];
  JointStiffness stiffness = stiffness_at(s);
  JointEnergy joint = joint_energy_with_derivatives(shape, stiffness, hessian && !beside_follower);
  energy_ += joint.energy;
  // The moment that such a wall feels: from the joint before it and the joint after it.
  if (follower_[z(s)]) felt_ = joint.gradient.segment<3>(4);
  if (follower_[z(s - 1)]) felt_ += joint.gradient.segment<3>(0);
  // Derivatives by turns of the two tangents become derivatives by edge vectors.
  turns_to_edges(shape, c_.inverse_length[z(s - 1)], c_.inverse_length[z(s)], hessian && !beside_follower, joint);
  scatter_gradient(s - 1, s, joint);
  if (hessian && beside_follower) {
    stiffness.inverse_l = 0;  // the twist; how it bends is said by pass_on
    joint = joint_energy_with_derivatives(shape, stiffness, true);
    turns_to_edges(shape, c_.inverse_length[z(s - 1)], c_.inverse_length[z(s)], true, joint);
  }
  if (hessian) scatter_hessian(s - 1, s, joint);
  if (follower_[z(s - 1)]) pass_on(s - 1, hessian);
}

// A wall that follows its neighbours passes the moment across its direction on to them, as pass_on_moments does in a step.
// In the matrix the two half joints count as one whole joint between the neighbours: not its exact tangent, but near it.
void RodProblem::pass_on(int wall, bool hessian) {
  const Vec3 t = to_eigen(c_.t.get(wall)), a = to_eigen(c_.t.get(wall - 1)), b = to_eigen(c_.t.get(wall + 1));
  // The moment about the wall's own direction is kept by its clamp; the rest turns the mean of its neighbours' tangents,
  // half by each.
  const Vec3 target = to_eigen(wall_at(wall).target_tangent);
  const Vec3 tau = (target + t) / (1 + target.dot(t));
  const Vec3 pull = (felt_ - felt_.dot(t) * tau).cross(t) / (a + b).norm();
  for (const int s : {wall - 1, wall + 1}) {
    const Vec3 ts = to_eigen(c_.t.get(s));
    add_edge(s, c_.inverse_length[z(s)] * (pull - pull.dot(ts) * ts), Mat3::Zero(), false);
  }
  if (!hessian || c_.inverse_l[z(wall)] == 0) return;
  // One joint of the two halves: lengths and rest curvatures add up; the twist is counted in the halves.
  JointStiffness whole = stiffness_at(wall);
  const JointStiffness after = stiffness_at(wall + 1);
  whole.inverse_l = 1 / (1 / whole.inverse_l + 1 / after.inverse_l);
  whole.Bb = after.Bb;
  whole.rest_a += after.rest_a;
  whole.rest_b += after.rest_b;
  whole.twist = 0;
  const JointShape shape = shape_between(wall - 1, wall + 1);
  JointEnergy joint = joint_energy_with_derivatives(shape, whole, true);
  turns_to_edges(shape, c_.inverse_length[z(wall - 1)], c_.inverse_length[z(wall + 1)], true, joint);
  scatter_hessian(wall - 1, wall + 1, joint);
}

const Wall& RodProblem::wall_at(int slot) const {
  return *std::find_if(c_.walls.begin(), c_.walls.end(), [&](const Wall& wall) { return wall.slot == slot; });
}

// z = (e_a, theta_a, e_b, theta_b) to unknowns: an edge vector is the difference of its two vertices.
std::array<RodProblem::Part, 6> RodProblem::parts_of(int a, int b) const {
  const int i = a - rod_.first, j = b - rod_.first;
  return {{{n_.x[z(i)], 0, 3, -1.0},
           {n_.x[z(i + 1)], 0, 3, 1.0},
           {n_.theta[z(i)], 3, 1, 1.0},
           {n_.x[z(j)], 4, 3, -1.0},
           {n_.x[z(j + 1)], 4, 3, 1.0},
           {n_.theta[z(j)], 7, 1, 1.0}}};
}

void RodProblem::scatter_gradient(int a, int b, const JointEnergy& joint) {
  for (const Part& p : parts_of(a, b)) {
    for (int k = 0; k < p.count; ++k) n_.gradient[z(p.place + k)] += p.sign * joint.gradient[p.row + k];
  }
}

void RodProblem::scatter_hessian(int a, int b, const JointEnergy& joint) {
  const std::array<Part, 6> blocks = parts_of(a, b);
  // Lower triangle, free unknowns only.
  for (const Part& p : blocks) {
    for (const Part& q : blocks) {
      for (int k = 0; k < p.count; ++k) {
        for (int l = 0; l < q.count; ++l) {
          const int row = p.place + k, column = q.place + l;
          if (row < column || n_.fixed[z(row)] || n_.fixed[z(column)]) continue;
          add_entry(row, column, p.sign * q.sign * joint.hessian(p.row + k, q.row + l));
        }
      }
    }
  }
}

// Energy of an edge that depends on its vector alone, with gradient g and Hessian H.
void RodProblem::add_edge(int s, const Vec3& g, const Mat3& H, bool hessian) {
  const int i = s - rod_.first;
  // Edge vector = second vertex - first: signs of the entries.
  const int from = n_.x[z(i)], to = n_.x[z(i + 1)];
  for (int k = 0; k < 3; ++k) {
    n_.gradient[z(to + k)] += g[k];
    n_.gradient[z(from + k)] -= g[k];
  }
  if (!hessian) return;
  for (const auto& [p, sp] : {std::pair(from, -1.0), std::pair(to, 1.0)}) {
    for (const auto& [q, sq] : {std::pair(from, -1.0), std::pair(to, 1.0)}) {
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
          const int row = p + k, column = q + l;
          if (row < column || n_.fixed[z(row)] || n_.fixed[z(column)]) continue;
          add_entry(row, column, sp * sq * H(k, l));
        }
      }
    }
  }
}

void RodProblem::add_stretch(int s, bool hessian) {
  const Vec3 t = to_eigen(c_.t.get(s));
  const double stretch = c_.length[z(s)] - c_.rest_length[z(s)];
  const double k = r_.stiffness_[z(s)];
  // Augmented Lagrangian: multiplier * stretch + k stretch^2 / 2. Without a constraint the multiplier is 0 and k is EA/l.
  const bool penalised = with_penalty_ || c_.constrained[z(s)] == 0;
  const double force = r_.multiplier_[z(s)] + (penalised ? k * stretch : 0.0);
  energy_ += (r_.multiplier_[z(s)] + 0.5 * k * stretch) * stretch;
  const Mat3 along = t * t.transpose();
  // Counting pivots wants the limit of no stretch at all; a Newton step would drown in rounding there.
  const double stiff = counting_ && c_.constrained[z(s)] > 0 ? 1e3 * k : k;
  add_edge(s, force * t, stiff * along + (force / c_.length[z(s)]) * (Mat3::Identity() - along), hessian);
}

Vec3 RodProblem::point_of(const Grip& grip) const {
  const int s = c_.slot_of_edge[z(grip.edge.value)];
  return to_eigen((1 - grip.share) * c_.x.get(s) + grip.share * c_.x.get(s + 1));
}

void RodProblem::add_grip(const Grip& grip, bool hessian) {
  const int s = c_.slot_of_edge[z(grip.edge.value)], at[2] = {n_.x[z(s - rod_.first)], n_.x[z(s + 1 - rod_.first)]};
  // The point lies between two vertices, so the spring couples six unknowns.
  const SpringEnergy spring = spring_energy_with_derivatives(grip.stiffness, grip.share, to_eigen(c_.x.get(s)),
                                                             to_eigen(c_.x.get(s + 1)), grip.pose.position);
  energy_ += spring.energy;
  for (int i = 0; i < 6; ++i) {
    const int row = at[i / 3] + i % 3;
    n_.gradient[z(row)] += spring.gradient[i];
    for (int j = 0; hessian && j < 6; ++j) {
      const int column = at[j / 3] + j % 3;
      if (row < column || n_.fixed[z(row)] || n_.fixed[z(column)] || spring.hessian(i, j) == 0) continue;
      add_entry(row, column, spring.hessian(i, j));
    }
  }
}

void RodProblem::add_couple(const Loads::Couple& couple, bool hessian) {
  const int s = couple.slot;
  const Vec3 t = to_eigen(c_.t.get(s)), M = to_eigen(couple.moment), turn = M.cross(t);
  n_.gradient[z(n_.theta[z(s - rod_.first)])] -= M.dot(t);
  if (c_.kind[z(s)] == SlotKind::wall) return;  // its direction is held
  const double inverse = c_.inverse_length[z(s)];
  // The symmetric part of the couple's own tangent; the rest is not conservative and is left to the iteration.
  add_edge(s, -inverse * turn, inverse * inverse * (turn * t.transpose() + t * turn.transpose()), hessian);
}

// What follows the rod: moments M on slots and forces F on vertices. The rows are the gradient entries they act on, the
// columns what they depend on (edge and angle of the slot they turn with), such that the tangent's missing part is rows *
// columns^T.
Eigen::MatrixXd RodProblem::follower_rows() const {
  Eigen::MatrixXd R =
      Eigen::MatrixXd::Zero(n_.size, static_cast<Eigen::Index>(4 * couples_.size() + 3 * follower_forces_.size()));
  Eigen::Index at = 0;
  // A moment acts on an edge vector (three columns) and on an angle (the fourth).
  for (const Loads::Couple& couple : couples_) {
    if (c_.kind[z(couple.slot)] != SlotKind::wall) add_edge_entries(R, couple.slot, at, Mat3::Identity());
    R(n_.theta[z(couple.slot - rod_.first)], at + 3) = 1;
    at += 4;
  }
  // A force acts on its vertex.
  for (const Loads::Follower& f : follower_forces_) {
    for (int k = 0; k < 3; ++k) R(n_.x[z(f.vertex - rod_.first)] + k, at + k) = 1;
    at += 3;
  }
  for (int i = 0; i < n_.size; ++i) {
    // Nothing acts on what is held.
    if (n_.fixed[z(i)]) R.row(i).setZero();
  }
  return R;
}

Eigen::MatrixXd RodProblem::follower_columns() const {
  Eigen::MatrixXd Q =
      Eigen::MatrixXd::Zero(n_.size, static_cast<Eigen::Index>(4 * couples_.size() + 3 * follower_forces_.size()));
  Eigen::Index at = 0;
  for (const Loads::Couple& couple : couples_) {
    const int s = couple.slot;
    const Vec3 t = to_eigen(c_.t.get(s)), M = to_eigen(couple.moment), turn = M.cross(t);
    const double inverse = c_.inverse_length[z(s)];
    // g_e = -(M x t)/|e|, g_theta = -M.t; in material axes M turns with its node: dM = share (t x de/|e| + t dtheta) x M
    const Mat3 edge_by_edge =
        inverse * inverse * (-skew(M) + 2 * turn * t.transpose() - turn * t.transpose() - t * turn.transpose());
    const Vec3 angle_by_edge = -inverse * (M - M.dot(t) * t);
    add_edge_entries(Q, s, at, edge_by_edge);
    // Fourth column: what the moment about the edge depends on.
    Mat3 last = Mat3::Zero();
    last.row(0) = angle_by_edge.transpose();
    add_edge_entries(Q, s, at + 3, last, 1);
    for (int k = 0; couple.follows && k < 2; ++k) {
      const int q = couple.turn.slot[k];
      if (q < 0) continue;
      const double share = couple.turn.share[k];
      const Vec3 tq = to_eigen(c_.t.get(q)), by_angle = share * tq.cross(M);
      for (int j = 0; j < 3; ++j) Q(n_.theta[z(q - rod_.first)], at + j) += inverse * t.cross(by_angle)[j];
      Q(n_.theta[z(q - rod_.first)], at + 3) -= t.dot(by_angle);
      if (c_.kind[z(q)] != SlotKind::edge) continue;
      const Mat3 dM = (share * c_.inverse_length[z(q)]) * follower_tangent(M) * skew(tq);
      add_edge_entries(Q, q, at, inverse * skew(t) * dM);
      last.row(0) = -(dM.transpose() * t).transpose();
      add_edge_entries(Q, q, at + 3, last, 1);
    }
    at += 4;
  }
  for (const Loads::Follower& f : follower_forces_) {
    const Vec3 F = to_eigen(f.force);
    for (int k = 0; k < 2; ++k) {
      const int s = f.turn.slot[k];
      if (s < 0) continue;
      const Vec3 t = to_eigen(c_.t.get(s));
      // g_x = -F, dF = (t x de/|e| + t dtheta) x F, as the node turns with its slots
      for (int j = 0; j < 3; ++j) Q(n_.theta[z(s - rod_.first)], at + j) += f.turn.share[k] * F.cross(t)[j];
      if (c_.kind[z(s)] != SlotKind::edge) continue;
      add_edge_entries(Q, s, at, -(f.turn.share[k] * c_.inverse_length[z(s)]) * follower_tangent(F) * skew(t));
    }
    at += 3;
  }
  for (int i = 0; i < n_.size; ++i) {
    // What is held does not change.
    if (n_.fixed[z(i)]) Q.row(i).setZero();
  }
  return Q;
}

// Column at + k gets row k of `by_edge`, which belongs to the edge vector of slot s.
void RodProblem::add_edge_entries(Eigen::MatrixXd& matrix, int s, Eigen::Index at, const Mat3& by_edge, int rows) const {
  const int from = n_.x[z(s - rod_.first)], to = n_.x[z(s - rod_.first + 1)];
  for (int k = 0; k < rows; ++k) {
    for (int j = 0; j < 3; ++j) {
      matrix(to + j, at + k) += by_edge(k, j);
      matrix(from + j, at + k) -= by_edge(k, j);
    }
  }
}

}  // namespace tendril::der
