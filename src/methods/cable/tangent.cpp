#include "methods/cable/tangent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/rotation.h"
#include "methods/cable/system.h"

namespace tendril::cable {
namespace {

JointRows rows_of(const Joint& joint, const State& state, double near) {
  const std::size_t a = z(joint.a), b = z(joint.b);
  JointRows rows;
  double twist = 0;
  place_rows(joint, {state.x[a], state.x[b], state.q[a], state.q[b]}, near, false, rows, twist);
  return rows;
}

}  // namespace

void joint_wrenches(const Parts& parts, State& state, std::vector<Vec3>& pull, std::vector<Vec3>& turn) {
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    const Joint& joint = parts.joints[j];
    if (!state.point_on[j] && !state.frame_on[j]) continue;
    const JointRows rows = rows_of(joint, state, state.twist[j]);
    Vec3 &force = state.force[j], &couple = state.couple[j];
    if (state.point_on[j] && joint.stretch != rigid) force = -joint.stretch * rows.gap;
    for (int k = 0; k < 3 && state.frame_on[j]; ++k)
      if (rows.stiffness[k] != rigid) couple[k] = -rows.stiffness[k] * rows.moment_strain[k];
    const Vec3 f = state.point_on[j] ? force : Vec3::Zero();
    const Vec3 m = state.frame_on[j] ? Vec3(rows.turn.transpose() * couple) : Vec3::Zero();
    pull[z(joint.a)] -= f, turn[z(joint.a)] -= rows.lever_a.cross(f) + m;
    pull[z(joint.b)] += f, turn[z(joint.b)] += rows.lever_b.cross(f) + m;
  }
}

bool Tangent::knows(const Parts& parts) {
  return std::none_of(parts.joints.begin(), parts.joints.end(),
                      [](const Joint& j) { return j.slides || j.form != JointForm::smooth; });
}

Tangent::Tangent(const Parts& parts) : parts_(parts) {}

// Elements move and turn, junctions turn; rows of hard joints are eliminated with an element that they hold.
void Tangent::number(const State& state) {
  blocks_ = rows_ = 0;
  move_.assign(parts_.elements.size(), -1), turn_ = move_;
  row_.assign(parts_.joints.size(), -1);
  taken_.assign(parts_.elements.size(), 0);
  pairs_.clear(), weight_.clear();
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led || e.kind == Element::Kind::spare || e.kind == Element::Kind::fall) continue;
    if (e.kind != Element::Kind::junction) move_[i] = blocks_++;
    turn_[i] = blocks_++;
  }
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (!state.point_on[j] || joint.stretch != rigid) continue;
    if (move_[z(joint.a)] < 0 && move_[z(joint.b)] < 0) continue;
    row_[j] = blocks_++, ++rows_;
    for (const int e : {joint.b, joint.a}) {
      if (move_[z(e)] < 0 || taken_[z(e)]) continue;
      taken_[z(e)] = 1;
      pairs_.emplace_back(row_[j], move_[z(e)]);
      break;
    }
  }
}

void Tangent::assemble(const State& state, const std::vector<Mat3>& loads, double unit, double reach) {
  number(state);
  entries_.clear();
  weight_.assign(z(blocks_), 0.0);
  double stiffest = 0;
  for (const Joint& joint : parts_.joints)
    for (const double k : {joint.stiffness[0], joint.stiffness[1], joint.stiffness[2]})
      if (k != rigid) stiffest = std::max(stiffest, k);
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    const double share = e.length > 0 && e.whole > 0 ? e.length / e.whole : 1;
    if (move_[i] >= 0) weight_[z(move_[i])] = share * unit / (reach * reach), add(move_[i], move_[i], Mat3::Zero());
    if (turn_[i] >= 0) weight_[z(turn_[i])] = share * unit, add(turn_[i], turn_[i], loads[i]);
  }
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    const int xa = move_[z(joint.a)], xb = move_[z(joint.b)], ta = turn_[z(joint.a)], tb = turn_[z(joint.b)];
    if ((!state.point_on[j] && !state.frame_on[j]) || (ta < 0 && tb < 0)) continue;
    const JointRows rows = rows_of(joint, state, state.twist[j]);
    const Mat3 one = Mat3::Identity(), la = skew(rows.lever_a), lb = skew(rows.lever_b);
    if (state.point_on[j]) {
      add(tb, tb, geometric_stiffness(rows.lever_b, state.force[j]));
      add(ta, ta, -geometric_stiffness(rows.lever_a, state.force[j]));
    }
    if (row_[j] >= 0) {
      add(row_[j], xb, -one), add(row_[j], tb, lb), add(row_[j], xa, one), add(row_[j], ta, -la);
    } else if (state.point_on[j]) {
      const double k = joint.stretch;
      add(xb, xb, k * one), add(xb, tb, -k * lb), add(tb, tb, -k * lb * lb);
      add(xa, xa, k * one), add(xa, ta, -k * la), add(ta, ta, -k * la * la);
      add(xa, xb, -k * one), add(xa, tb, k * lb), add(xb, ta, k * la), add(ta, tb, k * la * lb);
    }
    if (!state.frame_on[j]) continue;
    Vec3 stiffness = rows.stiffness;
    for (int k = 0; k < 3; ++k)
      if (stiffness[k] == rigid) stiffness[k] = 1e4 * stiffest;  // so stiff that no softest direction has it
    const Quat qa = state.q[z(joint.a)] * joint.frame_a, qb = state.q[z(joint.b)] * joint.frame_b;
    const StrainPoint p = strain_point(joint.kind, qa.conjugate() * qb, state.twist[j]);
    const Mat3 axes = qa.toRotationMatrix();
    const Mat3 H = rows.turn.transpose() * stiffness.asDiagonal() * rows.turn -
                   axes * strain_curvature(p, state.couple[j]) * axes.transpose();
    const Mat3 half = 0.5 * skew(Vec3(rows.turn.transpose() * -state.couple[j]));
    add(ta, ta, H), add(tb, tb, H), add(ta, tb, -H + half);
  }
}

int Tangent::falling(double shift) {
  shift_ = shift;
  matrix_.begin(blocks_);
  for (const auto& [row, with] : pairs_) matrix_.pair(row, with);
  for (const Entry& e : entries_) matrix_.add(e.i, e.j, e.block);
  for (int i = 0; i < blocks_; ++i)
    if (weight_[z(i)] > 0) matrix_.add(i, i, shift * weight_[z(i)] * Mat3::Identity());
  const PivotReport report = matrix_.factor(1e-15);
  return report.good() ? report.negative - 3 * rows_ : -1;
}

void Tangent::solve(std::vector<Vec3>& move, std::vector<Vec3>& turn, std::vector<Vec3>& rows) {
  x_.assign(z(3 * blocks_), 0.0);
  const auto each = [&](const std::vector<int>& blocks, std::vector<Vec3>& values, bool back) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i] < 0) continue;
      Eigen::Map<Vec3> at(x_.data() + 3 * blocks[i]);
      if (back)
        values[i] = at;
      else
        at = values[i];
    }
  };
  each(move_, move, false), each(turn_, turn, false), each(row_, rows, false);
  matrix_.solve(x_);
  each(move_, move, true), each(turn_, turn, true), each(row_, rows, true);
}

double Tangent::bend_of(const std::vector<Vec3>& move, const std::vector<Vec3>& turn) const {
  double sum = 0;
  std::vector<Vec3> all(z(blocks_), Vec3::Zero());
  for (std::size_t i = 0; i < move_.size(); ++i) {
    if (move_[i] >= 0) all[z(move_[i])] = move[i];
    if (turn_[i] >= 0) all[z(turn_[i])] = turn[i];
  }
  for (const Entry& e : entries_) sum += (e.i == e.j ? 1 : 2) * all[z(e.i)].dot(e.block * all[z(e.j)]);
  return sum;
}
double Tangent::size_of(const std::vector<Vec3>& move, const std::vector<Vec3>& turn) const {
  double sum = 0;
  for (std::size_t i = 0; i < move_.size(); ++i) {
    if (move_[i] >= 0) sum += weight_[z(move_[i])] * move[i].squaredNorm();
    if (turn_[i] >= 0) sum += weight_[z(turn_[i])] * turn[i].squaredNorm();
  }
  return sum;
}

// Inverse iteration.
double Tangent::softest(std::vector<Vec3>& move, std::vector<Vec3>& turn) {
  constexpr int rounds = 12;
  std::vector<Vec3> rows(row_.size(), Vec3::Zero());
  move.assign(move_.size(), Vec3::Zero()), turn.assign(turn_.size(), Vec3::Zero());
  // A start that is like no mode: every element turns by something else.
  for (std::size_t i = 0; i < turn_.size(); ++i) {
    const auto odd = [i](std::size_t step, std::size_t size) {
      return static_cast<double>(i * step % size) / static_cast<double>(size);
    };
    turn[i] = Vec3(0.7 + 0.6 * odd(37, 17), 0.4 + 0.6 * odd(11, 19), 0.2 * odd(7, 13));
  }
  double before = HUGE_VAL, stiffness = 0;
  for (int n = 0; n < rounds; ++n) {
    const double size = std::sqrt(size_of(move, turn));
    if (!(size > 0) || !std::isfinite(size)) return std::numeric_limits<double>::quiet_NaN();
    // What is solved for is the unit times the direction before: (H + shift D) d' = D d.
    for (std::size_t i = 0; i < move_.size(); ++i) {
      if (move_[i] >= 0) move[i] *= weight_[z(move_[i])] / size;
      if (turn_[i] >= 0) turn[i] *= weight_[z(turn_[i])] / size;
    }
    std::fill(rows.begin(), rows.end(), Vec3::Zero());
    solve(move, turn, rows);
    stiffness = bend_of(move, turn) / size_of(move, turn);
    if (std::abs(stiffness - before) < 1e-6 * std::abs(stiffness)) break;
    before = stiffness;
  }
  return stiffness;
}

}  // namespace tendril::cable
