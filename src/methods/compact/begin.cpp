// What a step of one rod begins with: predictors, walls, joints, loads, rows, scales and a first guess.
#include <algorithm>
#include <cmath>

#include "methods/compact/problem.h"

namespace tendril::compact {
// Moments, loads in material axes and air have no potential.
bool all_have_potentials(const Model& model, int rod) {
  const auto acts = [rod](int on) { return on < 0 || on == rod; };
  if (depends_on_frame(model, rod)) return false;
  for (const NodeLoad& load : model.node_loads)
    if (load.rod == rod && load.is_moment) return false;
  for (const LineLoad& load : model.line_loads)
    if (load.rod == rod && !load.moment.isZero(0)) return false;
  for (const Drag& drag : model.drags)
    if (acts(drag.rod)) return false;
  for (const Wind& wind : model.winds)
    if (acts(wind.rod)) return false;
  return true;
}

Problem::Problem(const Model& model, const Chain& chain, const SolverSettings& settings)
    : model_(model), chain_(chain), settings_(settings), potential_(all_have_potentials(model, chain.rod)) {
  const std::size_t links = z(chain.all()), points = z(chain.points()), nodes = z(chain.nodes()), rows = z(chain.rows());
  hat_.resize(points), bar_.resize(points);
  q_.resize(links), base_q_.resize(links), bent_q_.resize(links), frame_.resize(links);
  x_.resize(points), node_gradient_.resize(nodes), link_gradient_.resize(links), beyond_.resize(links);
  joint_.resize(links), wall_.resize(chain.walls.size()), wall_hessian_.resize(chain.walls.size());
  dead_.resize(nodes), borne_.assign(nodes, 0), off_.assign(links, 0);
  lambda_.resize(rows), base_lambda_.resize(rows), violation_.resize(rows), row_on_.assign(rows, 0);
  target_.resize(chain.held.size());
  held_at_.assign(nodes, -1);
  for (std::size_t h = 0; h < chain.held.size(); ++h) held_at_[z(chain.held[h].link + 1)] = static_cast<int>(h);
  gradient_.resize(z(size())), direction_.resize(z(size()) + rows);
  ldlt_.resize(chain.all());
  iterative_.resize(settings.linear, chain.all());
  border_.resize(size(), chain.rows());
  if (potential_) return;
  frozen_force_.resize(nodes), frozen_place_.resize(nodes), frozen_tangent_.resize(nodes);
  frozen_moment_.resize(links), frozen_q_.resize(links);
  lu_.resize(chain.all(), true);
  general_border_.resize(size(), chain.rows());
}

// ---- at the start of a step ---------------------------------------------------------------------------------------------------
void Problem::begin(ChainState& state, const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  state_ = &state, drive_ = &drive, loads_ = &loads, stage_ = stage;
  fallbacks_ = 0;
  frozen_ = false;
  iterative_.start();
  begin_walls();
  begin_rows(drive);
  begin_loads(drive);
  begin_floating();
  bend_straight_spans();
  begin_points();
  begin_joints();
  begin_scale(drive);
  guess();
}

// Mass damping pulls velocities to zero: -mu m v = -mu m gamma (y - y_), one more quadratic term.
void Problem::begin_points() {
  const double damping = chain_.damping.mass * stage_.gamma;
  c_ = stage_.c + damping;
  if (stage_.still()) return;
  for (std::size_t i = 0; i < hat_.size(); ++i) {
    bar_[i] = state_->points.blend(stage_.bar, i);
    hat_[i] = state_->points.blend(stage_.hat, i);
    if (damping > 0) hat_[i] = (stage_.c * hat_[i] + damping * bar_[i]) / c_;
  }
}

void Problem::begin_walls() {
  std::fill(off_.begin(), off_.end(), 0);
  std::fill(borne_.begin(), borne_.end(), 0);
  for (std::size_t w = 0; w < wall_.size(); ++w) {
    const Joint& wall = chain_.walls[w];
    const ClampNow& clamp = frames()[z(wall.clamp)];
    // By the clamp's own count of turns, of which a pose shows less than one.
    if (clamp.active && state_->wall_holds[w])
      state_->wall_twist[w] += (wall.a < 0 ? -1 : 1) * (clamp.winding - state_->wall_winding[w]);
    else
      state_->wall_twist[w] = 0;
    if (clamp.active && !state_->wall_holds[w] && chain_.damping.internal > 0) {  // takes hold: nothing has bent it yet
      Levels& levels = state_->strains;
      const std::size_t at = joint_.size() + w;
      levels.y[at] = strain_point(wall.kind, joint_quaternion(wall, state_->q, frames()), 0).strain;
      levels.y_before[at] = levels.y[at];
      levels.v[at].setZero(), levels.v_before[at].setZero(), levels.a[at].setZero();
    }
    state_->wall_winding[w] = clamp.winding;
    state_->wall_holds[w] = clamp.active;
    if (!clamp.active) continue;
    if (wall.replaces >= 0) off_[z(wall.replaces)] = 1;
    const int link = wall.a < 0 ? wall.b : wall.a;
    const bool far = chain_.links[z(link)].far == wall.node;
    if (z(wall.clamp) >= model_.clamps.size()) continue;  // carried: what acts at the node acts on the links beside it
    const ClampModel& holds = model_.clamps[z(wall.clamp)];
    if (holds.twist && holds.direction) borne_[z(far ? link + 1 : link)] = 1;
  }
}

// Kelvin-Voigt: moment = kappa (strain - rest + tau rate), rate = gamma (strain - strain_): a stiffer joint with another rest.
void Problem::begin_joints() {
  const double f = chain_.damping.internal * stage_.gamma;
  const auto set = [&](const Joint& joint, JointNow& now, std::size_t level) {
    now.kappa = (1 + f) * joint.kappa;
    now.rest = joint.rest;
    if (f > 0) now.rest = (joint.rest + f * state_->strains.blend(stage_.bar, level)) / (1 + f);
  };
  for (std::size_t i = 1; i < joint_.size(); ++i) set(chain_.joints[i], joint_[i], i);
  for (std::size_t w = 0; w < wall_.size(); ++w) set(chain_.walls[w], wall_[w], joint_.size() + w);
}

void Problem::begin_loads(const Drive&) {
  std::fill(dead_.begin(), dead_.end(), Vec3::Zero());
  for (int i = 0; i < chain_.real(); ++i) {
    const Link& link = chain_.links[z(i)];
    const Vec3 half = 0.5 * link.length * to_eigen(loads_->on_edge(EdgeIndex(link.edge)).world_force);
    dead_[z(i)] += half, dead_[z(i + 1)] += half;
    dead_[z(i + 1)] += to_eigen(loads_->at_node(NodeIndex(link.far)).world_force);
  }
  if (!chain_.ring) dead_[0] += to_eigen(loads_->at_node(NodeIndex(chain_.root_node)).world_force);
}

// What residuals are measured by: weight, the largest load or moment carried, centrifugal forces; where there is none of it, a little stiffness.
void Problem::begin_scale(const Drive& drive) {
  double largest = 0, moving = 0;
  for (std::size_t i = 0; i < model_.node_loads.size(); ++i) {
    const NodeLoad& load = model_.node_loads[i];
    if (load.rod != chain_.rod) continue;
    const double size = std::abs(drive.node_factor[i]) * load.value.norm();
    largest = std::max(largest, load.is_moment ? size / chain_.length : size);
  }
  for (std::size_t i = 0; i < model_.line_loads.size(); ++i) {
    const LineLoad& load = model_.line_loads[i];
    if (load.rod != chain_.rod) continue;
    const double size = std::abs(drive.line_factor[i]) * (load.force.norm() + load.moment.norm() / chain_.length);
    largest = std::max(largest, size * (load.to - load.from));
  }
  for (std::size_t k = 0; k < z(chain_.nodes()) && !stage_.still(); ++k)
    moving += chain_.mass[k] * state_->points.v[k].squaredNorm();
  // Moments that the rod carries by itself: one that is bent into a ring, or wound up, may have no other load.
  double carried = 0;
  const auto note = [&](const Joint& joint, double near) {
    const StrainPoint p = strain_point(joint.kind, joint_quaternion(joint, state_->q, frames()), near);
    carried = std::max(carried, joint.kappa.cwiseProduct(p.strain - joint.rest).squaredNorm());
  };
  for (std::size_t i = 1; i < joint_.size(); ++i)
    if (!off_[i]) note(chain_.joints[i], state_->twist[i]);
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state_->wall_holds[w]) note(chain_.walls[w], state_->wall_twist[w]);
  largest = std::max(largest, std::sqrt(carried) / chain_.length);
  pressing_ = 0.5 * moving / chain_.length + 0.5 * carried / chain_.EI;
  const double weight = chain_.total * drive.gravity.norm(), stiff = chain_.EI / (chain_.length * chain_.length);
  scale_ = weight + largest + moving / chain_.length + 1e-6 * stiff;
  // Stiffness of the whole against the place of a point.
  const double whole = stiff / chain_.length + weight / chain_.length + c_ * chain_.total;
  row_give_ = 1e-9 / whole;
  soft_stiffness_ = 100 * whole;
  row_stiffness_ = stage_.still() ? whole : 0;
  // A ring's rows carry a force of their own, and by what they give turning the whole ring would seem to be unstable: it is made stiffer than that.
  tiny_ = stage_.still() ? (chain_.ring ? 1e-5 : 1e-9) * stiff * chain_.length / chain_.real() : 0;
}

void Problem::begin_rows(const Drive& drive) {
  state_->root_held = false;
  root_ = state_->root;
  for (const int c : chain_.root_clamps)
    if (drive.clamps[z(c)].active) state_->root_held = true, root_ = drive.clamps[z(c)].pose.position;
  std::copy(state_->multiplier.begin(), state_->multiplier.end(), lambda_.begin());
  active_rows_ = 0;
  const auto set = [&](int row, bool on) {
    row_on_[z(row)] = on;
    if (!on) lambda_[z(row)] = 0;
    active_rows_ += on;
  };
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    const ClampNow& clamp = drive.clamps[z(chain_.held[h].clamp)];
    target_[h] = clamp.pose.position;
    for (int k = 0; k < 3; ++k) set(3 * static_cast<int>(h) + k, clamp.active && k < chain_.held[h].rows());
  }
  // A ring closes; where a wall stands at its root there is no joint to turn with.
  for (int k = 0; chain_.ring && k < 6; ++k) set(chain_.held_rows() + k, k < 3 || off_.back() == 0);
  drifts_ = is_adrift(drive);
  ldlt_.hold_root(state_->root_held || drifts_);
  lu_.hold_root(state_->root_held || drifts_);
  row_weight_ = (stage_.still() ? settings_.relax_tolerance : settings_.tolerance) / (1e-13 * chain_.length);
}

// An equilibrium of a rod whose place nothing holds: where it is does not matter, so its root stays.
bool Problem::is_adrift(const Drive& drive) const {
  if (!stage_.still() || state_->root_held) return false;
  for (std::size_t h = 0; h < chain_.held.size(); ++h)
    if (row_on_[3 * h]) return false;
  return std::none_of(drive.grips.begin(), drive.grips.end(),
                      [this](const Grip& g) { return g.rod == chain_.rod && g.stiffness > 0; });
}

// Where nothing holds the rod and nothing pulls at it, its first link may stay as it is: turning the whole, or a ring about itself, costs
// nothing, and without that the exact matrix is never positive before the equilibrium is found.
void Problem::begin_floating() {
  floats_ = drifts_ && potential_ && std::all_of(dead_.begin(), dead_.end(), [](const Vec3& f) { return f.isZero(0); });
  for (const char holds : state_->wall_holds) floats_ = floats_ && !holds;
  for (const Grip& grip : drive_->grips) floats_ = floats_ && grip.rod != chain_.rod;
}
void Problem::anchor() {
  if (floats_) ldlt_.link(0).turn.diagonal().array() += chain_.stiffest;
}

// Everything goes on as it moves, where that is not far.
void Problem::guess() {
  std::copy(state_->q.begin(), state_->q.end(), q_.begin());
  if (!stage_.still()) {
    const Levels& p = state_->points;
    if (!state_->root_held) root_ = state_->root + stage_.h * p.v[0];
    for (int i = 0; i < chain_.real(); ++i) {
      const Link& link = chain_.links[z(i)];
      const Vec3 d1 = p.y[z(chain_.d1(i))], d2 = p.y[z(chain_.d1(i) + 1)], d3 = d1.cross(d2);
      const Vec3 v3 = (chain_.sign() / link.length) * (p.v[z(i + 1)] - p.v[z(i)]);
      const Vec3 turn =
          (0.5 * stage_.h) * (d1.cross(p.v[z(chain_.d1(i))]) + d2.cross(p.v[z(chain_.d1(i) + 1)]) + d3.cross(v3));
      if (turn.squaredNorm() < 0.25) q_[z(i)] = turned_by(turn, q_[z(i)]);
    }
    if (chain_.ring) q_.back() = q_.front();
  }
  if (bent_) std::copy(bent_q_.begin(), bent_q_.end(), q_.begin());
  std::copy(q_.begin(), q_.end(), base_q_.begin());
  std::copy(lambda_.begin(), lambda_.end(), base_lambda_.begin());
  base_root_ = root_;
}

// How far held points are apart, over the length of the rod between them: above 1 they are out of reach, at 1 the rod is taut.
double Problem::stretched() const {
  bool known = state_->root_held;
  Vec3 last = root_;
  double length = 0, most = 0;
  int link = -1;
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    if (!row_on_[3 * h]) continue;
    const HeldPoint& held = chain_.held[h];
    while (link < held.link) length += chain_.links[z(++link)].length;
    const double apart = (held.axes.leftCols(held.rows()).transpose() * (target_[h] - last)).norm();
    if (known) most = std::max(most, length > 0 ? apart / length : 1 + apart / chain_.length);
    known = !held.slides, last = target_[h], length = 0;  // where it is in a chute is not known
  }
  return most;
}

void Problem::restore(const ChainState& state) {
  std::fill(off_.begin(), off_.end(), 0);
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state.wall_holds[w] != 0 && chain_.walls[w].replaces >= 0) off_[z(chain_.walls[w].replaces)] = 1;
}

}  // namespace tendril::compact
