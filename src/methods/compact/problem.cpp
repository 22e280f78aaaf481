// Energy and gradient of one rod; what a step begins and ends with. Matrices: assemble.cpp.
#include "methods/compact/problem.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

namespace tendril::compact {
namespace {

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

// (1, turn/2) q, normalised: agrees with exp(turn) q to second order, and needs no sine.
Quat turned_by(const Vec3& turn, const Quat& q) {
  return (Quat(1, 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z()) * q).normalized();
}

}  // namespace

Problem::Problem(const Model& model, const Chain& chain, const SolverSettings& settings)
    : model_(model), chain_(chain), settings_(settings), potential_(all_have_potentials(model, chain.rod)) {
  const std::size_t links = z(chain.all()), points = z(chain.points()), nodes = z(chain.nodes()), rows = z(chain.rows());
  hat_.resize(points), bar_.resize(points);
  q_.resize(links), base_q_.resize(links), frame_.resize(links);
  x_.resize(points), node_gradient_.resize(nodes), link_gradient_.resize(links), beyond_.resize(links);
  joint_.resize(links), wall_.resize(chain.walls.size());
  dead_.resize(nodes), borne_.assign(nodes, 0), off_.assign(links, 0);
  lambda_.resize(rows), base_lambda_.resize(rows), violation_.resize(rows), row_on_.assign(rows, 0);
  target_.resize(chain.held.size());
  gradient_.resize(z(size())), direction_.resize(z(size()) + rows);
  ldlt_.resize(chain.all());
  border_.resize(size(), chain.rows());
  if (potential_) return;
  lu_.resize(chain.all(), true);
  general_border_.resize(size(), chain.rows());
}

// ---- at the start of a step ---------------------------------------------------------------------------------------------------
void Problem::begin(ChainState& state, const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  state_ = &state, drive_ = &drive, loads_ = &loads, stage_ = stage;
  fallbacks_ = 0;
  begin_points();
  begin_walls(drive);
  begin_joints();
  begin_loads(drive);
  begin_scale(drive);
  begin_rows(drive);
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

void Problem::begin_walls(const Drive& drive) {
  std::fill(off_.begin(), off_.end(), 0);
  std::fill(borne_.begin(), borne_.end(), 0);
  for (std::size_t w = 0; w < wall_.size(); ++w) {
    const Joint& wall = chain_.walls[w];
    const ClampNow& clamp = drive.clamps[z(wall.clamp)];
    // By the clamp's own count of turns, of which a pose shows less than one.
    if (clamp.active && state_->wall_holds[w])
      state_->wall_twist[w] += (wall.a < 0 ? -1 : 1) * (clamp.winding - state_->wall_winding[w]);
    else
      state_->wall_twist[w] = 0;
    if (clamp.active && !state_->wall_holds[w] && chain_.damping.internal > 0) {  // takes hold: nothing has bent it yet
      Levels& levels = state_->strains;
      const std::size_t at = joint_.size() + w;
      levels.y[at] = strain_point(wall.kind, joint_quaternion(wall, state_->q, drive.clamps), 0).strain;
      levels.y_before[at] = levels.y[at];
      levels.v[at].setZero(), levels.v_before[at].setZero(), levels.a[at].setZero();
    }
    state_->wall_winding[w] = clamp.winding;
    state_->wall_holds[w] = clamp.active;
    if (!clamp.active) continue;
    if (wall.replaces >= 0) off_[z(wall.replaces)] = 1;
    const int link = wall.a < 0 ? wall.b : wall.a;
    const bool far = chain_.links[z(link)].far == wall.node;
    if (model_.clamps[z(wall.clamp)].twist) borne_[z(far ? link + 1 : link)] = 1;
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
  if (!potential_) return;
  std::fill(dead_.begin(), dead_.end(), Vec3::Zero());
  for (int i = 0; i < chain_.real(); ++i) {
    const Link& link = chain_.links[z(i)];
    const Vec3 half = 0.5 * link.length * to_eigen(loads_->on_edge(EdgeIndex(link.edge)).world_force);
    dead_[z(i)] += half, dead_[z(i + 1)] += half;
    dead_[z(i + 1)] += to_eigen(loads_->at_node(NodeIndex(link.far)).world_force);
  }
  if (!chain_.ring) dead_[0] += to_eigen(loads_->at_node(NodeIndex(chain_.root_node)).world_force);
}

// What residuals are measured by: weight, the largest load, centrifugal forces; where there is none of it, a little stiffness.
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
  const double weight = chain_.total * drive.gravity.norm(), stiff = chain_.EI / (chain_.length * chain_.length);
  scale_ = weight + largest + moving / chain_.length + 1e-6 * stiff;
  // Stiffness of the whole against the place of a point.
  const double whole = stiff / chain_.length + weight / chain_.length + c_ * chain_.total;
  row_give_ = 1e-9 / whole;
  row_stiffness_ = stage_.still() ? whole : 0;
  tiny_ = stage_.still() ? 1e-9 * stiff * chain_.length / chain_.real() : 0;
}

void Problem::begin_rows(const Drive& drive) {
  state_->root_held = false;
  root_ = state_->root;
  for (const int c : chain_.root_clamps)
    if (drive.clamps[z(c)].active) state_->root_held = true, root_ = drive.clamps[z(c)].pose.position;
  ldlt_.hold_root(state_->root_held);
  lu_.hold_root(state_->root_held);
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
    for (int k = 0; k < 3; ++k) set(3 * static_cast<int>(h) + k, clamp.active);
  }
  // A ring closes; where a wall stands at its root there is no joint to turn with.
  for (int k = 0; chain_.ring && k < 6; ++k) set(chain_.held_rows() + k, k < 3 || off_.back() == 0);
  row_weight_ = (stage_.still() ? settings_.relax_tolerance : settings_.tolerance) / (1e-13 * chain_.length);
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
  std::copy(q_.begin(), q_.end(), base_q_.begin());
  std::copy(lambda_.begin(), lambda_.end(), base_lambda_.begin());
  base_root_ = root_;
}

// ---- at a place ------------------------------------------------------------------------------------------------------------------
void Problem::place() {
  x_[0] = root_;
  for (int i = 0; i < chain_.real(); ++i) {
    frame_[z(i)] = q_[z(i)].toRotationMatrix();
    x_[z(i + 1)] = x_[z(i)] + (chain_.sign() * chain_.links[z(i)].length) * frame_[z(i)].col(2);
  }
  if (chain_.ring) frame_.back() = frame_.front();
}

void Problem::add_inertia() {
  for (int k = 0; k < chain_.nodes(); ++k) {
    const Vec3 away = x_[z(k)] - hat_[z(k)];
    node_gradient_[z(k)] = (c_ * chain_.mass[z(k)]) * away;
    energy_ += 0.5 * c_ * chain_.mass[z(k)] * away.squaredNorm();
    // A small difference of large places: its rounding is theirs.
    energy_scale_ += node_gradient_[z(k)].cwiseAbs().dot(x_[z(k)].cwiseAbs());
  }
  // |d - d^|^2 on directors: gradient -c J d x d^ in the turn.
  for (int i = 0; i < chain_.real(); ++i) {
    const int p = chain_.d1(i);
    Vec3 turn = Vec3::Zero();
    for (int k = 0; k < 2; ++k) {
      const double inertia = c_ * chain_.mass[z(p + k)];
      const Vec3 d = frame_[z(i)].col(k);
      turn -= inertia * d.cross(hat_[z(p + k)]);
      energy_ += 0.5 * inertia * (d - hat_[z(p + k)]).squaredNorm();
    }
    link_gradient_[z(i)] = turn;
  }
}

void Problem::take_joint(const Joint& joint, JointNow& now, double near) {
  now.point = strain_point(joint.kind, joint_quaternion(joint, q_, drive_->clamps), near);
  now.slopes = strain_gradient(now.point);
  const Vec3 away = now.point.strain - now.rest, stress = now.kappa.cwiseProduct(away);
  energy_ += 0.5 * stress.dot(away);
  const Vec3 moment = now.slopes.transpose() * stress;
  now.moment =
      joint.a >= 0 ? Vec3(frame_[z(joint.a)] * moment) : Vec3(drive_->clamps[z(joint.clamp)].pose.orientation * moment);
  if (joint.b >= 0) link_gradient_[z(joint.b)] += now.moment;
  if (joint.a >= 0) link_gradient_[z(joint.a)] -= now.moment;
}

LoadedPoint<double> Problem::loaded_point(int link, bool far) const {
  const int k = far ? link + 1 : link;
  const Vec3 v = stage_.still() ? Vec3(Vec3::Zero()) : velocity(k);
  return {to_small(x_[z(k)]), to_small(v), to_small(frame_[z(link)])};
}

void Problem::add_loads() {
  if (potential_) {
    for (std::size_t k = 0; k < dead_.size(); ++k) {
      node_gradient_[k] -= dead_[k];
      const double work = dead_[k].dot(x_[k]);
      energy_ -= work;
      energy_scale_ += std::abs(work);
    }
    return;
  }
  for (int i = 0; i < chain_.real(); ++i) {
    for (const bool far : {false, true}) {
      const WrenchOf<double> w = half_load(i, far, loaded_point(i, far));
      node_gradient_[z(far ? i + 1 : i)] -= to_eigen(w.force);
      link_gradient_[z(i)] -= to_eigen(w.moment);
    }
  }
}

Problem::Held Problem::held_by(const Grip& grip) const {
  Held held;
  const RodSpan& span = model_.rods[z(chain_.rod)].span;
  const int k = grip.edge.value - span.first_edge;
  held.link = chain_.link_of_edge[z(k)];
  held.far = chain_.reversed ? 1 - grip.share : grip.share;
  const int other = grip.share == 0 ? k - 1 : grip.share == 1 ? k + 1 : -1;
  if (grip.share != 0 && grip.share != 1) return held;
  if (chain_.ring)
    held.neighbour = chain_.link_of_edge[z((other + span.edges) % span.edges)];
  else if (other >= 0 && other < span.edges)
    held.neighbour = chain_.link_of_edge[z(other)];
  return held;
}

// A damper that turns is a spring of stiffness damping/h to where the link would be if it had turned with the hand.
Grip Problem::turning_part(const Grip& grip, int link, double share) const {
  Grip part = grip;
  part.angular_stiffness *= share;
  part.angular_damping *= share;
  if (stage_.still() || part.angular_damping == 0) return part.angular_damping = 0, part;
  const double more = part.angular_damping / stage_.h;
  const Quat& before = state_->q[z(link)];
  const Quat led = exp_quat(Vec3(stage_.h * grip.motion.angular)) * before;
  // Two springs as one: between both places, as far as their stiffnesses say.
  const Vec3 between = log_rotation(Quat(led * grip.pose.orientation.conjugate()));
  const double all = part.angular_stiffness + more;
  part.pose.orientation = exp_quat(Vec3((more / all) * between)) * grip.pose.orientation;
  part.angular_stiffness = all;
  part.angular_damping = 0;
  return part;
}

void Problem::add_grips() {
  for (const Grip& grip : drive_->grips) {
    if (grip.rod != chain_.rod) continue;
    const Held held = held_by(grip);
    const auto at = [&](const auto& value) {
      return Vec3((1 - held.far) * value(held.link) + held.far * value(held.link + 1));
    };
    const Vec3 p = at([this](int k) { return x_[z(k)]; });
    const Vec3 v = stage_.still() ? Vec3(Vec3::Zero()) : at([this](int k) { return velocity(k); });
    const Vec3 force = grip_force(grip, p, v);
    node_gradient_[z(held.link)] -= (1 - held.far) * force;
    node_gradient_[z(held.link + 1)] -= held.far * force;
    energy_ += 0.5 * grip.stiffness * (grip.pose.position - p).squaredNorm();
    if (!stage_.still()) energy_ += 0.5 * grip.damping / stage_.gamma * (grip.motion.linear - v).squaredNorm();
    if (grip.angular_stiffness == 0 && grip.angular_damping == 0) continue;
    const double share = held.neighbour >= 0 ? 0.5 : 1;
    for (const int link : {held.link, held.neighbour}) {
      if (link < 0) continue;
      const Grip part = turning_part(grip, link, share);
      link_gradient_[z(link)] -= grip_moment(part, q_[z(link)], Vec3::Zero());
      energy_ +=
          0.5 * part.angular_stiffness * log_rotation(Quat(part.pose.orientation * q_[z(link)].conjugate())).squaredNorm();
    }
  }
}

// What they do along the velocities of the new level.
void Problem::measure_grips() {
  grip_power_ = 0;
  const Levels& l = state_->points;
  for (const Grip& grip : drive_->grips) {
    if (grip.rod != chain_.rod) continue;
    const Held held = held_by(grip);
    const auto at = [&](const std::vector<Vec3>& y) {
      return Vec3((1 - held.far) * y[z(held.link)] + held.far * y[z(held.link + 1)]);
    };
    grip_power_ += grip_force(grip, at(l.y), at(l.v)).dot(at(l.v));
    if (grip.angular_stiffness == 0 && grip.angular_damping == 0) continue;
    for (const int link : {held.link, held.neighbour}) {
      if (link < 0) continue;
      const Grip part = turning_part(grip, link, held.neighbour >= 0 ? 0.5 : 1);
      const Vec3 turned = log_rotation(Quat(q_[z(link)] * state_->q[z(link)].conjugate()));
      grip_power_ += grip_moment(part, q_[z(link)], Vec3::Zero()).dot(turned) / stage_.h;
    }
  }
}

void Problem::add_rows() {
  std::fill(violation_.begin(), violation_.end(), 0.0);
  for (std::size_t h = 0; h < chain_.held.size(); ++h) {
    if (!row_on_[3 * h]) continue;
    const int node = chain_.held[h].link + 1;
    for (int k = 0; k < 3; ++k) {
      violation_[3 * h + z(k)] = x_[z(node)][k] - target_[h][k];
      node_gradient_[z(node)][k] += lambda_[3 * h + z(k)];
    }
  }
  if (!chain_.ring) return;
  const std::size_t first = z(chain_.held_rows());
  for (int k = 0; k < 3; ++k) {
    violation_[first + z(k)] = x_[z(chain_.real())][k] - x_[0][k];
    node_gradient_[z(chain_.real())][k] += lambda_[first + z(k)];
    node_gradient_[0][k] -= lambda_[first + z(k)];
  }
  // The link at the end is the first one again.
  link_gradient_.front() += link_gradient_.back();
  link_gradient_.back().setZero();
}

void Problem::sum_up() {
  Vec3 sum = Vec3::Zero();
  double squares = 0;
  for (int i = chain_.all() - 1; i >= chain_.real(); --i) {
    beyond_[z(i)].setZero();
    Eigen::Map<Vec3>(gradient_.data() + 3 + 3 * i).setZero();
  }
  for (int i = chain_.real() - 1; i >= 0; --i) {
    sum += node_gradient_[z(i + 1)];
    beyond_[z(i)] = sum;
    const Vec3 arm = (chain_.sign() * chain_.links[z(i)].length) * frame_[z(i)].col(2);
    const Vec3 g = link_gradient_[z(i)] + arm.cross(sum);
    Eigen::Map<Vec3>(gradient_.data() + 3 + 3 * i) = g;
    squares += g.squaredNorm();
  }
  sum += node_gradient_[0];
  state_->reaction = state_->root_held ? sum : Vec3(Vec3::Zero());
  Eigen::Map<Vec3>(gradient_.data()) = state_->root_held ? Vec3(Vec3::Zero()) : sum;
  squares /= chain_.length * chain_.length;
  if (!state_->root_held) squares += sum.squaredNorm();
  squares /= scale_ * scale_;
  for (const double v : violation_) squares += (row_weight_ * v) * (row_weight_ * v);
  gradient_norm_ = std::sqrt(squares);
}

NewtonPoint Problem::evaluate() {
  energy_ = energy_scale_ = 0;
  place();
  if (stage_.still()) {
    std::fill(node_gradient_.begin(), node_gradient_.end(), Vec3::Zero());
    std::fill(link_gradient_.begin(), link_gradient_.end(), Vec3::Zero());
  } else {
    link_gradient_.back().setZero();
    add_inertia();
  }
  for (std::size_t i = 1; i < joint_.size(); ++i)
    if (!off_[i]) take_joint(chain_.joints[i], joint_[i], state_->twist[i]);
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state_->wall_holds[w]) take_joint(chain_.walls[w], wall_[w], state_->wall_twist[w]);
  add_loads();
  if (!drive_->grips.empty()) add_grips();
  if (active_rows_ > 0) add_rows();
  sum_up();
  return {energy_, gradient_norm_, std::abs(energy_) + energy_scale_};
}

// ---- from place to place ----------------------------------------------------------------------------------------------------------
void Problem::move(double fraction) {
  const double* d = direction_.data();
  root_ = base_root_ + fraction * Eigen::Map<const Vec3>(d);
  for (int i = 0; i < chain_.real(); ++i)
    q_[z(i)] = turned_by(fraction * Eigen::Map<const Vec3>(d + 3 + 3 * i), base_q_[z(i)]);
  if (chain_.ring) q_.back() = q_.front();
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] = base_lambda_[k] + fraction * d[z(size()) + k];
}

void Problem::accept() {
  base_root_ = root_;
  std::copy(q_.begin(), q_.end(), base_q_.begin());
  std::copy(lambda_.begin(), lambda_.end(), base_lambda_.begin());
  // From here the next twist is counted.
  for (std::size_t i = 1; i < joint_.size(); ++i)
    if (!off_[i] && joint_[i].point.kind == StrainKind::angle) state_->twist[i] = joint_[i].point.strain[2];
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state_->wall_holds[w] && wall_[w].point.kind == StrainKind::angle) state_->wall_twist[w] = wall_[w].point.strain[2];
}

void Problem::finish() {
  accept();
  for (std::size_t i = 1; i < joint_.size(); ++i)
    if (off_[i]) state_->twist[i] = 0;
  for (std::size_t w = 0; w < wall_.size(); ++w)  // of a joint that a wall replaces: across the wall
    if (state_->wall_holds[w] && chain_.walls[w].replaces >= 0)
      state_->twist[z(chain_.walls[w].replaces)] += state_->wall_twist[w];
  std::copy(lambda_.begin(), lambda_.end(), state_->multiplier.begin());
  for (int i = 0; i < chain_.real(); ++i) state_->force[z(i)] = -chain_.sign() * beyond_[z(i)];
  for (int i = 0; i < chain_.real(); ++i)
    for (int k = 0; k < 2; ++k) x_[z(chain_.d1(i) + k)] = frame_[z(i)].col(k);
  if (stage_.still()) {
    Levels& p = state_->points;
    for (std::size_t i = 0; i < x_.size(); ++i) p.y[i] = x_[i], p.v[i].setZero(), p.a[i].setZero();
    state_->root = root_;
    std::copy(q_.begin(), q_.end(), state_->q.begin());
    return;
  }
  for (std::size_t i = 0; i < x_.size(); ++i) state_->points.push(stage_, i, x_[i]);
  measure_grips();
  state_->root = root_;
  std::copy(q_.begin(), q_.end(), state_->q.begin());
  if (chain_.damping.internal <= 0) return;
  for (std::size_t i = 1; i < joint_.size(); ++i) {
    const Joint& joint = chain_.joints[i];
    if (off_[i]) joint_[i].point = strain_point(joint.kind, joint_quaternion(joint, q_, drive_->clamps), state_->twist[i]);
    state_->strains.push(stage_, i, joint_[i].point.strain);
  }
  for (std::size_t w = 0; w < wall_.size(); ++w) state_->strains.push(stage_, joint_.size() + w, wall_[w].point.strain);
}

void Problem::restore(const ChainState& state) {
  std::fill(off_.begin(), off_.end(), 0);
  for (std::size_t w = 0; w < wall_.size(); ++w)
    if (state.wall_holds[w] != 0 && chain_.walls[w].replaces >= 0) off_[z(chain_.walls[w].replaces)] = 1;
}

// ---- the whole -------------------------------------------------------------------------------------------------------------------
namespace {
struct Minimise {
  Problem& p;
  NewtonPoint evaluate() { return p.evaluate(); }
  double direction() { return p.descend(); }
  void move(double fraction) { p.move(fraction); }
  void accept() { p.accept(); }
};
struct FindRoot {
  Problem& p;
  NewtonPoint evaluate() { return p.evaluate(); }
  bool direction() { return p.find_direction(); }
  void move(double fraction) { p.move(fraction); }
  void accept() { p.accept(); }
};
}  // namespace

Solved Problem::solve(ChainState& state, const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  begin(state, drive, loads, stage);
  NewtonOptions options;
  options.max_iterations = settings_.iterations;
  // Sums of moments of size stiffest, and of inertia, are known to rounding only.
  double reach = 0;
  for (const Vec3& x : state.points.y) reach = std::max(reach, x.cwiseAbs().maxCoeff());
  const double rounding = 2e-16 * std::sqrt(double(chain_.all())) *
                          (4 * chain_.stiffest / chain_.length + c_ * chain_.total * reach / chain_.all()) / scale_;
  options.tolerance = std::max(stage.still() ? settings_.relax_tolerance : settings_.tolerance, 4 * rounding);
  options.acceptable = std::max(10 * options.tolerance, 100 * rounding);
  Minimise minimise{*this};
  FindRoot find_root{*this};
  const NewtonReport report =
      potential_ && active_rows_ == 0 ? newton_minimise(minimise, options) : newton_solve(find_root, options);
  // Whatever ended the search, what is left is rounding.
  const bool converged = report.converged || (report.end != NewtonEnd::not_finite && report.residual <= options.acceptable);
  Solved solved{converged, Cause::none, report.iterations, fallbacks_, report.residual};
  if (!converged) {
    solved.cause = report.end == NewtonEnd::not_finite ? Cause::not_finite
                   : stage.still()                     ? Cause::no_equilibrium
                                                       : Cause::step_too_large;
    return solved;
  }
  for (std::size_t i = 1; i < joint_.size(); ++i) solved.folded = solved.folded || (!off_[i] && is_folded(joint_[i].point));
  for (std::size_t w = 0; w < wall_.size(); ++w)
    solved.folded = solved.folded || (state.wall_holds[w] && is_folded(wall_[w].point));
  finish();
  return solved;
}

}  // namespace tendril::compact
