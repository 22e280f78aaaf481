// A straight rod that is pushed together.
//
// Nothing of first order says to which side it bends: rows of held points that lie in its direction have no gradient. It is bent before
// the step, by the sine that has the right length, towards where loads push it; where none does, to where natural curvature bulges
// it, to the other side than the span before, or over its softer axis. Its clamps have given it the velocity to get there: shortening goes
// with the square of the bend, so that the smoothest start of a clamp is a blow for the rod.
#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/rotation.h"
#include "math/sine_bend.h"
#include "methods/compact/problem.h"

namespace tendril::compact {
namespace {

constexpr double shortened = 1e-12, bent_enough = 0.01;  // of the length; of what the ends ask for

Vec3 across(const Vec3& v, const Vec3& along) { return v - v.dot(along) * along; }

}  // namespace

void Problem::bend_straight_spans() {
  bent_ = false;
  blow_ = 0;
  if (asked_to_bend_ > 0) return bend_as_asked();
  if (chain_.ring || active_rows_ == 0) return;
  std::copy(state_->q.begin(), state_->q.end(), bent_q_.begin());
  SineBend bend;
  int from = -1;  // node of the chain
  Vec3 start = Vec3::Zero(), reached = Vec3::Zero(), before = Vec3::Zero();
  for (int k = 0; k < chain_.nodes(); ++k) {
    if (k > 0) {
      const double l = chain_.links[z(k - 1)].length;
      bend.rest += l;
      reached += chain_.sign() * l * (bent_q_[z(k - 1)] * Vec3::UnitZ());
    }
    const int held = held_at_[z(k)];
    const bool holds = k == 0 ? state_->root_held : held >= 0 && row_on_[z(3 * held)] && !chain_.held[z(held)].slides;
    if (!holds) continue;
    const Vec3 end = k == 0 ? root_ : target_[z(held)];
    bend.chord = (end - start).norm();
    const double missing = bend.rest - bend.chord;
    if (from >= 0 && missing > shortened * bend.rest && bend.rest - reached.norm() < bent_enough * missing) {
      bend.clamped = has_wall_at(from) || has_wall_at(k);
      before = bend_straight(from, k, bend, reached.normalized(), before);
      bent_ = true;
    }
    from = k, bend.rest = 0, start = end, reached.setZero();
  }
  if (bent_) shift_levels(1);
}

bool Problem::has_wall_at(int k) const {
  for (std::size_t w = 0; w < wall_.size(); ++w) {
    if (!state_->wall_holds[w]) continue;
    if (chain_.walls[w].node == (k == 0 ? chain_.root_node : chain_.links[z(k - 1)].far)) return true;
  }
  return false;
}

// The same for a rod whose far end runs into something, or is run into.
bool Problem::may_bend(double shortening) const {
  if (chain_.ring || active_rows_ > 0 || !(shortening > shortened * chain_.length)) return false;
  const double apart = (state_->points.y[z(chain_.real())] - state_->points.y[0]).norm();
  return chain_.length - apart < bent_enough * shortening;
}

void Problem::bend_as_asked() {
  std::copy(state_->q.begin(), state_->q.end(), bent_q_.begin());
  const Vec3 along = (state_->points.y[z(chain_.real())] - state_->points.y[0]).normalized();
  const SineBend bend{chain_.length, chain_.length - asked_to_bend_, has_wall_at(0)};
  std::ignore = bend_straight(0, chain_.real(), bend, along, Vec3::Zero());
  bent_ = true;
  shift_levels(1);
}

void Problem::start_bent() {
  start_at_rest();
  std::copy(bent_q_.begin(), bent_q_.end(), q_.begin());
  std::copy(q_.begin(), q_.end(), base_q_.begin());
}

// Velocities as if it had been on its way there (+1), or back (-1) when the step was not taken: all predictors then are where it bends to.
void Problem::shift_levels(double sign) {
  if (stage_.still()) return;
  const auto shift = [&](Levels& levels, std::size_t i, const Vec3& way) {
    const Vec3 by = sign * way, rate = by / stage_.h;
    levels.y_before[i] -= by, levels.v[i] += rate, levels.v_before[i] += rate;
  };
  const auto kinetic = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < state_->points.v.size(); ++i)
      sum += 0.5 * chain_.mass[i] * state_->points.v[i].squaredNorm();
    return sum;
  };
  const double before = kinetic();
  Vec3 way = Vec3::Zero();
  for (int i = 0; i < chain_.real(); ++i) {
    const Mat3 to = bent_q_[z(i)].toRotationMatrix(), from = state_->q[z(i)].toRotationMatrix();
    way += (chain_.sign() * chain_.links[z(i)].length) * (to.col(2) - from.col(2));
    shift(state_->points, z(i + 1), way);
    for (int k = 0; k < 2; ++k) shift(state_->points, z(chain_.d1(i) + k), to.col(k) - from.col(k));
  }
  blow_ += kinetic() - before;
}

void Problem::straighten() {
  if (bent_) shift_levels(-1);
  bent_ = false;
}

// Returns the side it went to.
Vec3 Problem::bend_straight(int from, int to, const SineBend& bend, const Vec3& along, const Vec3& before) {
  // Loads weighted with the sine, natural curvature, the softer axis.
  Vec3 push = Vec3::Zero(), curved = Vec3::Zero();
  double s = 0, size = 0;
  for (int i = from; i < to; ++i) {
    const Vec3 force = across(dead_[z(i)], along);
    if (i > from) {
      push += bend.share(s) * force, size += force.norm();
      const Joint& joint = chain_.joints[z(i)];
      curved += bent_q_[z(joint.a)] * Vec3(joint.rest.x(), joint.rest.y(), 0);
    }
    s += chain_.links[z(i)].length;
  }
  const int middle = std::max(1, (from + to) / 2);
  const Joint& joint = chain_.joints[z(middle)];
  Vec3 side = across(bent_q_[z(joint.a)] * (joint.kappa.x() <= joint.kappa.y() ? Vec3::UnitY() : Vec3::UnitX()), along);
  const Vec3 tangent = chain_.sign() * along, bulge = across(tangent.cross(curved), along);
  if (push.norm() > 1e-9 * size && push.norm() > 1e-12 * chain_.stiffest / chain_.length)
    side = push;
  else if (bulge.norm() > 1e-9)
    side = bulge;
  else if (before.norm() > 0)
    side = -across(before, along);
  side.normalize();
  // Each link by the slope of the sine.
  const Vec3 axis = along.cross(side);
  s = 0;
  for (int i = from; i < to; ++i) {
    const double l = chain_.links[z(i)].length, rise = bend.amplitude() * (bend.share(s + l) - bend.share(s)) / l;
    s += l;
    bent_q_[z(i)] =
        (exp_quat(Vec3(math::atan2(rise, std::sqrt(std::max(0.01, 1 - rise * rise))) * axis)) * bent_q_[z(i)]).normalized();
  }
  return side;
}

}  // namespace tendril::compact
