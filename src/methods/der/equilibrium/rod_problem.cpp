// long: one Newton problem: values, derivatives and moves belong together.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "linear/dense.h"
#include "math/elementary.h"
#include "math/rotation.h"
#include "math/transport.h"
#include "methods/der/equilibrium/rod_problem.h"
#include "methods/der/lengths/straight_spans.h"
#include "methods/der/rod/frames.h"

namespace tendril::der {

namespace {
// A step that had to be cut followed a valley that bends; with this shift the next ones stay on its floor and creep along it
// instead of running up its walls.
constexpr double shift_in_bends = 1e-6;
constexpr double trusted_shift = 1e-5;  // steps with a larger one say nothing about the multipliers
constexpr double length_weight = 3e-3;  // with it the tolerance of forces is that of lengths, too
}  // namespace

RodProblem::RodProblem(Relaxer& r, Chain& c, int rod, const Drive& drive, Loads& loads)
    : r_(r), c_(c), rod_(c.rods[z(rod)]), index_(rod), n_(r.numbers_[z(rod)]), drive_(drive), loads_(loads) {
  // The wrap slot of a ring repeats its first edge, so sums over edges end before it.
  last_ = rod_.ring ? rod_.wrap : rod_.first + rod_.slots;
  linear_.assign(c.kind.size(), 0);
  follower_.assign(c.kind.size(), 0);
  for (const Wall& wall : c.walls) follower_[z(wall.slot)] = wall.follows;
  // The base is the state from which steps are measured; scales and multipliers are found once, at the start.
  set_base_from_chain();
  set_scales();
}

NewtonPoint RodProblem::evaluate() {
  if (!conservative()) refresh_loads();  // the residual counts, so it must be the true one
  // The residual is the largest force or moment on a free unknown, over what is usual there, so that both count alike.
  with_penalty_ = !saddle_;
  assemble(false);
  with_penalty_ = true;
  double residual = 0;
  for (int i = 0; i < n_.size; ++i) {
    if (!n_.fixed[z(i)]) residual = std::max(residual, std::abs(n_.gradient[z(i)]) / n_.scale[z(i)]);
  }
  for (int s = rod_.first; saddle_ && s < last_; ++s) {
    // Lengths in the measure of forces, weighted low: a step that changes the tension by dF leaves them dF/k off.
    const double missing = r_.stiffness_[z(s)] * std::abs(c_.length[z(s)] - c_.rest_length[z(s)]);
    if (c_.constrained[z(s)] > 0) residual = std::max(residual, length_weight * missing / n_.scale[z(n_.x[0])]);
  }
  return {energy_, residual, energy_scale_};
}

void RodProblem::move_multipliers() {
  saddle_ = true;
  base_multiplier_ = r_.multiplier_;
}

// Towards lower energy: the matrix is shifted until it is positive definite.
double RodProblem::direction() {
  assemble(true);
  // The line search cut the last step: a larger shift makes this one shorter and nearer to steepest descent.
  if (fraction_ < 1) shift_ = std::max(8 * used_shift_, shift_in_bends);
  // Modified Newton: shift by growing multiples of a segment's stiffness until all pivots are positive.
  for (double tries = 0;; ++tries) {
    const PivotReport report = factor(shift_);
    if (report.positive_definite()) break;
    shift_ = shift_ == 0 ? 1e-8 : 8 * shift_;
    if (tries > 60) return std::nan("");
  }
  // The Newton step; what is held does not move.
  for (int i = 0; i < n_.size; ++i) n_.direction[z(i)] = n_.fixed[z(i)] ? 0 : -n_.gradient[z(i)];
  solve(n_.direction);
  // The next iteration tries a smaller shift, so that near the minimum it is Newton's method again.
  used_shift_ = shift_;
  shift_ = shift_ < 2e-8 ? 0 : shift_ / 8;
  // The multipliers' share of the step is cut together with it.
  keep_linear_forces();
  const double share = limit_direction();
  for (double& force : linear_) force *= share;
  // Slope of the energy along the direction, for Armijo's rule of the line search.
  double slope = 0;
  for (int i = 0; i < n_.size; ++i) slope += n_.direction[z(i)] * (n_.fixed[z(i)] ? 0 : n_.gradient[z(i)]);
  return slope;
}

// Towards a smaller residual, with the whole tangent: what loads that follow the rod add to the symmetric matrix is of low
// rank.
//   (S + R Q^T)^-1 r = y - S^-1 R (1 + Q^T S^-1 R)^-1 Q^T y,   y = S^-1 r
bool RodProblem::full_direction() {
  assemble(true);
  std::ignore = factor(0);  // indefinite or singular: the line search judges the direction
  for (int i = 0; i < n_.size; ++i) n_.direction[z(i)] = n_.fixed[z(i)] ? 0 : -n_.gradient[z(i)];
  solve(n_.direction);
  // Woodbury's formula for the part of low rank: three or four columns per load that follows.
  const Eigen::MatrixXd R = follower_rows(), Q = follower_columns();
  const Eigen::Index rank = R.cols();
  if (rank > 0) {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W = R;
    solve({W.data(), z(n_.size) * z(static_cast<int>(rank))}, static_cast<int>(rank));
    const Eigen::Map<Eigen::VectorXd> y(n_.direction.data(), n_.size);
    const Eigen::MatrixXd QW = Q.transpose() * W;
    Eigen::VectorXd part = Q.transpose() * y;
    DenseLU small;
    small.resize(static_cast<int>(rank));
    for (int i = 0; i < rank; ++i)
      for (int j = 0; j < rank; ++j) small.at(i, j) = (i == j ? 1 : 0) + QW(i, j);
    std::ignore = small.factor();
    small.solve({part.data(), z(static_cast<int>(rank))});
    const Eigen::VectorXd correction = W * part;
    for (int i = 0; i < n_.size; ++i) n_.direction[z(i)] -= correction[i];
  }
  used_shift_ = 0;
  keep_linear_forces();
  const double share = limit_direction();
  for (double& force : linear_) force *= share;
  for (const double d : n_.direction) {
    if (!std::isfinite(d)) return false;
  }
  return true;
}

bool RodProblem::conservative() const {
  return std::all_of(couples_.begin(), couples_.end(),
                     [&](const Loads::Couple& couple) { return c_.kind[z(couple.slot)] == SlotKind::wall; }) &&
         std::all_of(follower_forces_.begin(), follower_forces_.end(),
                     [&](const Loads::Follower& f) { return c_.held[z(f.vertex)] != 0; });
}

// Edges turn about their base direction rather than move along a straight line, so that lengths change only as the step
// says; otherwise an inextensible rod could turn by little more than a degree at a time. Vertices follow from the edges, and
// what does not meet at a held vertex (a second-order amount) is spread evenly over the edges before it.
void RodProblem::move(double fraction) {
  fraction_ = fraction;
  for (int s = rod_.first; saddle_ && s < last_; ++s) {
    if (c_.constrained[z(s)] > 0) r_.multiplier_[z(s)] = base_multiplier_[z(s)] + fraction * linear_[z(s)];
  }
  const auto moved = [&](int v) {
    const int k = n_.x[z(v - rod_.first)];
    return r_.base_x_.get(v) + fraction * V3<double>{n_.direction[z(k)], n_.direction[z(k + 1)], n_.direction[z(k + 2)]};
  };
  // From the first vertex on, each edge is turned and attached to the one before. `anchor` is the last vertex that is held,
  // `count` the edges since.
  int anchor = rod_.first, count = 0;
  c_.x.set(anchor, moved(anchor));
  for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
    r_.turned_[z(s)] = fraction * n_.direction[z(n_.theta[z(s - rod_.first)])];
    if (s >= last_) continue;
    if (c_.kind[z(s)] == SlotKind::edge) {
      // What the linear step would do to the edge vector, done by turning the edge.
      const V3<double> t = r_.base_t_.get(s), base = r_.base_x_.get(s + 1) - r_.base_x_.get(s);
      const V3<double> change = moved(s + 1) - moved(s) - base;
      c_.x.set(s + 1, c_.x.get(s) + turned_edge(t, norm(base), change));
      ++count;
    } else {
      // A wall has no length: both of its vertices are the same node.
      c_.x.set(s + 1, c_.x.get(s));
    }
    // Where the rod is held, or a ring closes, the position is known: close the gap that turning left.
    const bool closes = rod_.ring && s + 1 == last_;
    if (!c_.held[z(s + 1)] && !closes) continue;
    spread(anchor, s + 1, count, moved(s + 1) - c_.x.get(s + 1));
    anchor = s + 1;
    count = 0;
  }
  // Second vertices of a node follow their first.
  for (const Twin& twin : c_.twins) {
    if (twin.second > rod_.first && twin.second <= rod_.first + rod_.slots) c_.x.set(twin.second, c_.x.get(twin.first));
  }
  update_frames();
}

V3<double> RodProblem::turned_edge(const V3<double>& t, double length, const V3<double>& change) {
  // The part along the edge changes its length, the part across turns it, by an angle and not by a chord.
  const double along = dot(t, change);
  const V3<double> across = (1 / length) * (change - along * t);
  const double angle = norm(across);
  const auto [sine, cosine] = math::sincos(angle);
  return (length + along) * (cosine * t + (angle > 1e-9 ? sine / angle : 1.0) * across);
}

void RodProblem::spread(int from, int to, int count, const V3<double>& gap) {
  int seen = 0;
  for (int s = from; s < to; ++s) {
    if (c_.kind[z(s)] == SlotKind::edge) ++seen;
    c_.x.add(s + 1, (static_cast<double>(seen) / std::max(count, 1)) * gap);
  }
}

void RodProblem::accept() {
  // The present state becomes the new base; the work of loads goes on from the sum so far, because they are evaluated anew
  // there.
  work_ = load_work();
  if (saddle_) base_multiplier_ = r_.multiplier_;
  for (int s = rod_.first; s <= rod_.first + rod_.slots; ++s) {
    r_.base_x_.set(s, c_.x.get(s));
    r_.base_t_.set(s, c_.t.get(s));
    r_.base_m1_.set(s, c_.m1.get(s));
    r_.base_twist_[z(s)] = r_.twist_[z(s)];
    r_.turned_[z(s)] = 0;
  }
  refresh_loads();
}

void RodProblem::bend_straight_spans() {
  const std::vector<SpanPath> paths = paths_of(c_, rod_);
  std::vector<StraightSpan> spans;
  find_compressed_spans(c_, paths, spans);
  if (spans.empty()) return;
  assemble(false);
  const auto force_at = [&](int v) -> V3<double> {
    const int k = n_.x[z(v - rod_.first)];
    return {-n_.gradient[z(k)], -n_.gradient[z(k + 1)], -n_.gradient[z(k + 2)]};
  };
  std::fill(n_.direction.begin(), n_.direction.end(), 0.0);
  V3<double> side{0, 0, 0};
  for (const StraightSpan& span : spans) {
    side = preferred_side(c_, span, force_at, side);
    bend_span(c_, span, side, [&](int v, const V3<double>& x) {
      const V3<double> change = x - c_.x.get(v);
      for (int k = 0; k < 3; ++k) n_.direction[z(n_.x[z(v - rod_.first)] + k)] = change[k];
    });
  }
  move(1);
  accept();
}

bool RodProblem::pushed_while_taut() {
  const std::vector<SpanPath> paths = paths_of(c_, rod_);
  std::vector<StraightSpan> spans;
  find_taut_spans(c_, paths, spans);
  if (spans.empty()) return false;
  assemble(false);
  for (const StraightSpan& span : spans) {
    for (std::size_t i = 1; i + 1 < span.path->vertex.size(); ++i) {
      const int k = n_.x[z(span.path->vertex[i] - rod_.first)];
      const V3<double> g{n_.gradient[z(k)], n_.gradient[z(k + 1)], n_.gradient[z(k + 2)]};
      if (norm(g - dot(g, span.along) * span.along) > 1e-9 * n_.scale[z(k)]) return true;
    }
  }
  return false;
}

double RodProblem::worst_length() const {
  double worst = 0;
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.constrained[z(s)] > 0) worst = std::max(worst, std::abs(c_.length[z(s)] / c_.rest_length[z(s)] - 1));
  }
  return worst;
}

void RodProblem::follow_multipliers(double fraction) {
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.constrained[z(s)] > 0) r_.multiplier_[z(s)] += fraction * linear_[z(s)];
  }
}

bool RodProblem::inextensible() const {
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.constrained[z(s)] > 0) return true;
  }
  return false;
}

void RodProblem::update_multipliers() {
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.constrained[z(s)] > 0) r_.multiplier_[z(s)] += r_.stiffness_[z(s)] * (c_.length[z(s)] - c_.rest_length[z(s)]);
  }
  if (saddle_) base_multiplier_ = r_.multiplier_;
}

int RodProblem::negative_pivots(double below) {
  // Sylvester's law of inertia: the negative pivots of K + below S count the eigenvalues less than -below.
  counting_ = true;
  assemble(true);
  counting_ = false;
  return factor(below).negative;
}

// Writes frames and tension back: theta from the twists, the Bishop frame of the first slot from its material frame.
void RodProblem::finish() {
  // The Bishop frame starts at the first material frame, so that its angle is 0 and the others are sums of twists.
  c_.set_first_director(index_, c_.m1.get(rod_.first));
  c_.theta[z(rod_.first)] = 0;
  for (int s = rod_.first + 1; s < rod_.first + rod_.slots; ++s) c_.theta[z(s)] = c_.theta[z(s - 1)] + r_.twist_[z(s)];
  if (rod_.ring) c_.closure[z(index_)] = c_.theta[z(rod_.wrap)] - c_.theta[z(rod_.first)];
  for (int s = rod_.first; s < last_; ++s) {
    // The augmented Lagrangian's force, as the tension over length that a step would find.
    const double stretch = r_.multiplier_[z(s)] + r_.stiffness_[z(s)] * (c_.length[z(s)] - c_.rest_length[z(s)]);
    c_.tension[z(s)] = c_.constrained[z(s)] > 0 ? stretch / c_.length[z(s)] : 0;
  }
}

void RodProblem::set_base_from_chain() {
  for (int s = rod_.first; s <= rod_.first + rod_.slots; ++s) {
    r_.base_x_.set(s, c_.x.get(s));
    r_.base_t_.set(s, c_.t.get(s));
    r_.base_m1_.set(s, c_.m1.get(s));
    // From the angles, which know how often the rod is wound.
    r_.base_twist_[z(s)] = s > rod_.first && s < rod_.first + rod_.slots ? c_.theta[z(s)] - c_.theta[z(s - 1)] : 0;
    r_.turned_[z(s)] = 0;
  }
  // Frames of a step of length zero: the base itself.
  for (double& d : n_.direction) d = 0;
  update_frames();
  for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {  // walls may have turned since
    r_.base_t_.set(s, c_.t.get(s));
    r_.base_m1_.set(s, c_.m1.get(s));
    r_.base_twist_[z(s)] = r_.twist_[z(s)];
  }
  refresh_loads();
}

// Tangents, material frames carried from the base, unwrapped twists.
void RodProblem::update_frames() {
  for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
    // Edges from their vertices.
    if (c_.kind[z(s)] == SlotKind::wall) continue;
    const V3<double> e = c_.x.get(s + 1) - c_.x.get(s);
    c_.length[z(s)] = norm(e);
    c_.inverse_length[z(s)] = 1 / c_.length[z(s)];
    c_.t.set(s, c_.inverse_length[z(s)] * e);
  }
  // Walls from their clamps, or from their neighbours where they follow them.
  for (Wall& wall : c_.walls) {
    if (wall.rod == index_) place_wall(c_, wall);
  }
  for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
    const V3<double> t = c_.t.get(s);
    // Material frames: parallel transport from the base in time, then the angle of the step.
    const V3<double> carried = parallel_transport_normal(r_.base_t_.get(s), t, r_.base_m1_.get(s));
    c_.m1.set(s, turned_about(t, orthonormalized(t, carried), r_.turned_[z(s)]));
  }
  for (const Wall& wall : c_.walls) {
    // Twist held by a clamp: its director is given.
    if (wall.rod == index_ && wall.twist) c_.m1.set(wall.slot, wall.director);
  }
  if (rod_.ring) c_.m1.set(rod_.wrap, c_.m1.get(rod_.first));
  for (int s = rod_.first; s < rod_.first + rod_.slots; ++s) {
    // Twist of each joint, on the winding nearest to the base's plus the step's.
    c_.m2.set(s, cross(c_.t.get(s), c_.m1.get(s)));
    if (s == rod_.first) continue;
    const double near = r_.base_twist_[z(s)] + r_.turned_[z(s)] - r_.turned_[z(s - 1)];
    r_.twist_[z(s)] = unwrap(discrete_twist(c_.t.get(s - 1), c_.m1.get(s - 1), c_.t.get(s), c_.m1.get(s)), near);
  }
}

void RodProblem::refresh_loads() {
  // Loads of all rods as the chain is now; of moments and follower forces those on this rod are kept.
  loads_.update(drive_, c_);
  loads_.couples(drive_, c_, couples_);
  loads_.followers(drive_, c_, follower_forces_);
  const auto elsewhere = [&](int slot) { return slot < rod_.first || slot > rod_.first + rod_.slots; };
  std::erase_if(couples_, [&](const Loads::Couple& couple) { return elsewhere(couple.slot); });
  std::erase_if(follower_forces_, [&](const Loads::Follower& f) { return elsewhere(f.vertex); });
}

PivotReport RodProblem::factor(double shift) {
  return n_.ring ? n_.cyclic.factor(shift, n_.stiff) : n_.band.factor(shift, n_.stiff);
}

void RodProblem::solve(std::span<double> x, int columns) const {
  if (n_.ring) {
    n_.cyclic.solve(x, columns);
  } else {
    n_.band.solve(x, columns);
  }
}

// What the multipliers change by in the whole step: stiffness * (stretch before + its linear change).
void RodProblem::keep_linear_forces() {
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.constrained[z(s)] == 0) continue;
    const int from = n_.x[z(s - rod_.first)], to = n_.x[z(s - rod_.first + 1)];
    // Constraint value at the start of the step, and its first-order change by the step.
    double stretch = c_.length[z(s)] - c_.rest_length[z(s)];
    for (int k = 0; k < 3; ++k) stretch += c_.t.get(s)[k] * (n_.direction[z(to + k)] - n_.direction[z(from + k)]);
    linear_[z(s)] = used_shift_ < trusted_shift ? r_.stiffness_[z(s)] * stretch : 0;
  }
}

// Edges turn by at most half a radian in a step.
double RodProblem::limit_direction() {
  double worst = 0;
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.kind[z(s)] != SlotKind::edge) continue;
    const int from = n_.x[z(s - rod_.first)], to = n_.x[z(s - rod_.first + 1)];
    double squared = 0;
    for (int k = 0; k < 3; ++k) {
      // How far the two ends go apart, over the length: the turn in radians.
      const double apart = n_.direction[z(to + k)] - n_.direction[z(from + k)];
      squared += apart * apart;
    }
    worst = std::max(worst, std::sqrt(squared) * c_.inverse_length[z(s)] / 0.5);
    worst = std::max(worst, std::abs(n_.direction[z(n_.theta[z(s - rod_.first)])]) / 1.0);
  }
  if (worst > 1) {
    for (double& d : n_.direction) d /= worst;
  }
  return worst > 1 ? 1 / worst : 1;
}

// What one unknown's stiffness and force are of the order of, and the stiffness of the length multipliers.
void RodProblem::set_scales() {
  // Stiffest bending, shortest segment, sum of loads: all scales are made of these.
  double bending = 0, shortest = 1e300, load = 0, whole = 0;
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.kind[z(s)] == SlotKind::edge) {
      shortest = std::min(shortest, c_.rest_length[z(s)]);
      whole += c_.rest_length[z(s)];
    }
    bending = std::max({bending, c_.B_xx[z(s)] + c_.B_yy[z(s)]});
  }
  for (int v = rod_.first; v <= rod_.first + rod_.slots; ++v) {
    if (!c_.held[z(v)]) load += norm(loads_.force().get(v));
  }
  for (const Grip& grip : drive_.grips) {  // what reaches the rod of a pull: its spring and a segment's bending in a row
    if (!holds_here(grip)) continue;
    const double segment = bending / math::cube(shortest);
    const double away = (grip.pose.position - point_of(grip)).norm();
    load += away * grip.stiffness * segment / (grip.stiffness + segment);
  }
  n_.whole = whole;
  // Positions: stiffness EI/l^3, force EI/l^2 plus the loads. Angles: stiffness EI/l, moment that force times l.
  const double force = bending / (shortest * shortest) + load;
  n_.stiff.assign(z(n_.size), bending / shortest);
  n_.scale.assign(z(n_.size), force * shortest);
  for (int i = 0; i <= rod_.slots; ++i) {
    for (int k = 0; k < 3; ++k) {
      n_.stiff[z(n_.x[z(i)] + k)] = bending / math::cube(shortest);
      n_.scale[z(n_.x[z(i)] + k)] = force;
    }
  }
  for (const Grip& grip : drive_.grips) {  // a stiff spring's force is known to rounding of positions only
    if (!holds_here(grip)) continue;
    // The residual at the two nodes of the point is judged by that force.
    const int i = c_.slot_of_edge[z(grip.edge.value)] - rod_.first;
    for (const auto& [at, weight] : {std::pair(n_.x[z(i)], 1 - grip.share), std::pair(n_.x[z(i + 1)], grip.share)}) {
      const double known = 1e-4 * weight * grip.stiffness * whole;
      for (int k = 0; k < 3; ++k) n_.scale[z(at + k)] = std::max(n_.scale[z(at + k)], known);
    }
  }
  for (int s = rod_.first; s < last_; ++s) {
    if (c_.kind[z(s)] != SlotKind::edge) continue;
    // Penalty of the augmented Lagrangian: a few hundred times as stiff as a bent segment, so that lengths converge in a few
    // steps and the matrix stays well conditioned. Where the rod stretches it is the spring EA/l itself.
    r_.stiffness_[z(s)] =
        c_.EA[z(s)] > 0 ? c_.EA[z(s)] / c_.rest_length[z(s)] : 3e2 * bending / math::cube(shortest) + 1e2 * load / shortest;
    // From the state, not from the last call: an equilibrium depends on nothing that is not saved.
    r_.multiplier_[z(s)] = c_.constrained[z(s)] > 0 ? c_.tension[z(s)] * c_.rest_length[z(s)] : 0;
  }
}

}  // namespace tendril::der
