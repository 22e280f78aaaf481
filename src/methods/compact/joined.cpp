// State of bodies, junctions and joints: their step, their energy and gradient. Matrices: joined_matrix.cpp.
#include "methods/compact/joined.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/compact/coupled.h"
#include "model/bodies.h"

namespace tendril::compact {

Joined::Joined(const Model& model, Parts& parts, const SolverSettings& settings)
    : model_(model), parts_(parts), plan_(model), is_joined_(parts.size(), 0), settings_(settings) {
  const std::size_t bodies = z(plan_.bodies), carriers = bodies + plan_.junctions.size();
  for (const BodyModel& body : model.bodies) {
    state_.place.push_back(body.start.pose.position), state_.turn.push_back(body.start.pose.orientation);
    const Vec3& I = body.inertia;
    for (int k = 0; k < 3; ++k) inertia_.push_back(0.5 * (I.sum() - 2 * I[k]));
  }
  state_.turn.resize(carriers, Quat::Identity());
  state_.levels.resize(static_cast<int>(4 * bodies));
  for (std::size_t b = 0; b < bodies; ++b) {
    const BodyState& start = model.bodies[b].start;
    const Mat3 axes = start.pose.orientation.toRotationMatrix();
    state_.levels.y[4 * b] = start.pose.position, state_.levels.v[4 * b] = start.motion.linear;
    for (int k = 0; k < 3; ++k) {
      state_.levels.y[4 * b + 1 + z(k)] = axes.col(k);
      state_.levels.v[4 * b + 1 + z(k)] = start.motion.angular.cross(axes.col(k));
    }
  }
  make_rows();
  for (std::size_t r = 0; r < parts.size(); ++r)
    if (is_joined_[r]) rods_.push_back(static_cast<int>(r));
  frames_.resize(model.clamps.size() + plan_.walls.size());
  place_ = base_place_ = state_.place;
  turn_ = base_turn_ = state_.turn;
  hat_.assign(4 * bodies, Vec3::Zero()), bar_ = hat_;
  place_gradient_.assign(bodies, Vec3::Zero()), place_direction_ = place_gradient_;
  turn_gradient_.assign(carriers, Vec3::Zero()), turn_direction_ = turn_gradient_;
  place_block_.assign(bodies, -1), turn_block_.assign(carriers, -1);
  c_.assign(bodies, 0.0);
  state_.multiplier.assign(3 * (ties_.size() + turns_.size()), 0.0);
  lambda_ = base_lambda_ = violations_ = row_direction_ = state_.multiplier;
}

Joined::Side Joined::side_of(const TieSide& tie) const {
  Side side;
  side.body = tie.body, side.local = tie.local;
  for (std::size_t r = 0; r < parts_.size() && tie.node >= 0; ++r) {
    const Chain& chain = parts_[r]->chain;
    if (tie.node == chain.root_node) side.rod = static_cast<int>(r), side.node = 0;
    for (int i = 0; i < chain.real() - (chain.ring ? 1 : 0); ++i)
      if (chain.links[z(i)].far == tie.node) side.rod = static_cast<int>(r), side.node = i + 1;
  }
  return side;
}

void Joined::make_rows() {
  for (const Tie& tie : plan_.ties) {
    TieRow row;
    row.side[0] = side_of(tie.a), row.side[1] = side_of(tie.b);
    for (const Side& side : row.side)
      if (side.rod >= 0) is_joined_[z(side.rod)] = 1;
    ties_.push_back(row);
  }
  for (const TurnTie& tie : plan_.turns) {
    TurnRow row;
    row.carrier[0] = tie.a, row.carrier[1] = tie.b;
    if (tie.hinge) {
      row.count = 2;
      for (int i = 0; i < 2; ++i) row.axis[0][i] = tie.axis, row.axis[1][i] = tie.across[i];
    } else {  // each axis of a across the next of b
      for (int i = 0; i < 3; ++i) row.axis[0][i] = tie.relative * Vec3::Unit(i), row.axis[1][i] = Vec3::Unit((i + 1) % 3);
    }
    turns_.push_back(row);
  }
  for (const auto& part : parts_)
    for (const Joint& wall : part->chain.walls)
      if (wall.clamp >= static_cast<int>(model_.clamps.size())) is_joined_[z(part->chain.rod)] = 1;
}

bool Joined::is_led(int carrier) const {
  return is_body(carrier) ? !model_.bodies[z(carrier)].moves_freely() : plan_.junctions[z(carrier - plan_.bodies)].fixed;
}

Mat3 Joined::mask(int carrier) const {
  if (!is_body(carrier) || model_.bodies[z(carrier)].kind != BodyKind::guided) return Mat3::Identity();
  const Vec3& axis = model_.bodies[z(carrier)].axis;
  return axis * axis.transpose();
}

double Joined::weight() const {
  double sum = 0;
  for (const BodyModel& body : model_.bodies) sum += body.moves_freely() ? body.mass : 0;
  return sum * drive_->gravity.norm();
}

// ---- at the start of a step -----------------------------------------------------------------------------------------------------
void Joined::drive(const Drive& drive) {
  drive_ = &drive;
  std::copy(drive.clamps.begin(), drive.clamps.end(), frames_.begin());
  for (int b = 0; b < plan_.bodies; ++b)
    if (is_led(b)) place_[z(b)] = drive.bodies[z(b)].pose.position, turn_[z(b)] = drive.bodies[z(b)].pose.orientation;
  place_frames();
}

void Joined::place_frames() {
  for (std::size_t w = 0; w < plan_.walls.size(); ++w) {
    const WallPlan& wall = plan_.walls[w];
    ClampNow& now = frames_[model_.clamps.size() + w];
    now.active = true;
    now.pose.orientation = turn_[z(wall.carrier)] * wall.local;
    if (!is_body(wall.carrier) || !is_led(wall.carrier)) continue;
    // Driven bodies turn by numbers, as clamps do.
    const Vec3 d3 = now.pose.orientation * Vec3::UnitZ();
    now.winding = drive_->body_turn[z(wall.carrier)] * model_.bodies[z(wall.carrier)].axis.dot(d3);
  }
}

void Joined::begin(const Drive& drive, const Stage& stage) {
  stage_ = stage;
  std::copy(state_.place.begin(), state_.place.end(), place_.begin());
  std::copy(state_.turn.begin(), state_.turn.end(), turn_.begin());
  std::copy(state_.multiplier.begin(), state_.multiplier.end(), lambda_.begin());
  drive_ = &drive;
  double stiff = 0, whole = 0;
  scale_ = length_ = stiffest_ = 0;
  for (const int rod : rods_) {
    const Part& part = *parts_[z(rod)];
    length_ = std::max(length_, part.chain.length), stiffest_ = std::max(stiffest_, part.chain.stiffest);
    stiff = std::max(stiff, part.chain.EI / (part.chain.length * part.chain.length));
    whole += stage.c * part.chain.total;
  }
  if (rods_.empty()) length_ = 1;
  for (std::size_t b = 0; b < c_.size(); ++b) {
    const BodyModel& body = model_.bodies[b];
    const double damping = body.damping * stage.gamma;
    c_[b] = stage.c + damping;
    whole += c_[b] * body.mass;
    for (std::size_t k = 4 * b; k < 4 * b + 4 && !stage.still(); ++k) {
      bar_[k] = state_.levels.blend(stage.bar, k);
      hat_[k] = state_.levels.blend(stage.hat, k);
      if (damping > 0) hat_[k] = (stage.c * hat_[k] + damping * bar_[k]) / c_[b];
    }
  }
  whole += stiff / length_ + weight() / length_;
  give_ = whole > 0 ? 1e-9 / whole : 0;
  tiny_ = stage.still() ? 1e-9 * std::max(stiff * length_, 1e-9 * weight() * length_) : 0;
  if (pushes_) pushes_->begin(state_.place, state_.turn);
  guess();
  this->drive(drive);
  std::copy(place_.begin(), place_.end(), base_place_.begin());
  std::copy(turn_.begin(), turn_.end(), base_turn_.begin());
  std::copy(lambda_.begin(), lambda_.end(), base_lambda_.begin());
}

void Joined::start_at_rest() {
  std::copy(state_.place.begin(), state_.place.end(), place_.begin());
  std::copy(state_.turn.begin(), state_.turn.end(), turn_.begin());
  drive(*drive_);
  accept();
}

// Residuals of all are measured by the weight, loads and moments of all; see Problem::begin_scale.
void Joined::settle(std::span<const int> rods) {
  double moving = 0;
  for (int b = 0; b < plan_.bodies && !stage_.still(); ++b)
    if (!is_led(b)) moving += model_.bodies[z(b)].mass * state_.levels.v[z(4 * b)].squaredNorm();
  scale_ = weight() + moving / length_;
  for (const int rod : rods) scale_ = std::max(scale_, weight() + moving / length_ + parts_[z(rod)]->problem.scale());
  if (!(scale_ > 0)) scale_ = 1;
  for (const int rod : rods) parts_[z(rod)]->problem.raise_scale(scale_);
  place_weight_ = (stage_.still() ? settings_.relax_tolerance : settings_.tolerance) / (1e-12 * length_);
}

// What is asked for, or what rounding leaves of large masses and places.
double Joined::tolerance() const {
  double rounding = 0;
  for (std::size_t b = 0; b < place_.size(); ++b) {
    const double reach = state_.place[b].cwiseAbs().maxCoeff();
    if (!is_led(static_cast<int>(b))) rounding += c_[b] * model_.bodies[b].mass * reach / scale_;
    rounding = std::max(rounding, place_weight_ * reach);
  }
  for (const Grip& grip : drive_->grips)
    if (grip.body >= 0)
      rounding += (grip.stiffness + stage_.gamma * grip.damping) * grip.pose.position.cwiseAbs().maxCoeff() / scale_;
  return std::max(stage_.still() ? settings_.relax_tolerance : settings_.tolerance, 1e-15 * rounding);
}

// Everything goes on as it moves.
void Joined::guess() {
  if (stage_.still()) return;
  for (int b = 0; b < plan_.bodies; ++b) {
    if (is_led(b)) continue;
    const BodyState now = state_of(b);
    place_[z(b)] += stage_.h * (mask(b) * now.motion.linear);
    const Vec3 turn = stage_.h * (mask(b) * now.motion.angular);
    if (turn.squaredNorm() < 0.25) turn_[z(b)] = turned_by(turn, turn_[z(b)]);
  }
}

// ---- energy and gradient --------------------------------------------------------------------------------------------------------
Vec3 Joined::point(const Side& side) const {
  if (side.rod >= 0) return parts_[z(side.rod)]->problem.places()[z(side.node)];
  return side.body < 0 ? side.local : Vec3(place_[z(side.body)] + arm(side));
}

void Joined::add_bodies() {
  for (int b = 0; b < plan_.bodies; ++b) {
    const BodyModel& body = model_.bodies[z(b)];
    if (is_led(b)) continue;
    const double work = body.mass * drive_->gravity.dot(place_[z(b)]);
    energy_ -= work, energy_scale_ += std::abs(work);
    place_gradient_[z(b)] -= body.mass * drive_->gravity;
    if (stage_.still()) continue;
    if (pushes_) add_push(b);
    const Vec3 away = place_[z(b)] - hat_[z(4 * b)];
    const Vec3 force = (c_[z(b)] * body.mass) * away;
    place_gradient_[z(b)] += force;
    energy_ += 0.5 * force.dot(away), energy_scale_ += force.cwiseAbs().dot(place_[z(b)].cwiseAbs());
    const Mat3 axes = turn_[z(b)].toRotationMatrix();
    for (int k = 0; k < 3; ++k) {
      const double inertia = c_[z(b)] * inertia_[z(3 * b + k)];
      const Vec3 d = axes.col(k), &hat = hat_[z(4 * b + 1 + k)];
      turn_gradient_[z(b)] -= inertia * d.cross(hat);
      energy_ += 0.5 * inertia * (d - hat).squaredNorm();
    }
  }
}

// Constant forces and moments; these by 2 vec(q q'^-1), so that there is an energy.
void Joined::add_push(int b) {
  const Wrench& push = pushes_->on(b);
  if (push.force.isZero(0) && push.moment.isZero(0)) return;
  Quat p = turn_[z(b)] * pushes_->turn_of(b).conjugate();
  if (p.w() < 0) p.coeffs() = -p.coeffs();
  const Vec3 away = place_[z(b)] - state_.place[z(b)];
  energy_ -= push.force.dot(away) + 2 * push.moment.dot(p.vec());
  energy_scale_ += std::abs(push.force.dot(away));
  place_gradient_[z(b)] -= push.force;
  turn_gradient_[z(b)] -= (p.w() * Mat3::Identity() - skew(p.vec())).transpose() * push.moment;
}

void Joined::add_ties() {
  for (std::size_t t = 0; t < ties_.size(); ++t) {
    const Eigen::Map<const Vec3> force(lambda_.data() + 3 * t);
    const Vec3 apart = point(ties_[t].side[0]) - point(ties_[t].side[1]);
    Eigen::Map<Vec3>(violations_.data() + 3 * t) = apart;
    violation_ += apart.lpNorm<1>();
    for (const int s : {0, 1}) {
      const Side& side = ties_[t].side[s];
      const Vec3 pull = (s == 0 ? 1.0 : -1.0) * force;
      if (side.rod >= 0) {
        parts_[z(side.rod)]->problem.node_gradient(side.node) += pull;
      } else if (side.body >= 0) {
        place_gradient_[z(side.body)] += pull;
        turn_gradient_[z(side.body)] += arm(side).cross(pull);
      }
    }
  }
}

void Joined::add_turns() {
  for (std::size_t t = 0; t < turns_.size(); ++t) {
    const TurnRow& row = turns_[t];
    const std::size_t at = 3 * (ties_.size() + t);
    for (int i = 0; i < row.count; ++i) {
      const Vec3 u = turn_[z(row.carrier[0])] * row.axis[0][i];
      const Vec3 v = row.carrier[1] < 0 ? row.axis[1][i] : Vec3(turn_[z(row.carrier[1])] * row.axis[1][i]);
      violations_[at + z(i)] = u.dot(v);
      violation_ += std::abs(u.dot(v));
      const Vec3 moment = lambda_[at + z(i)] * u.cross(v);
      turn_gradient_[z(row.carrier[0])] += moment;
      if (row.carrier[1] >= 0) turn_gradient_[z(row.carrier[1])] -= moment;
    }
  }
}

// The rods have taken their moments already.
void Joined::add_walls() {
  for (const int rod : rods_) {
    const Part& part = *parts_[z(rod)];
    for (std::size_t w = 0; w < part.chain.walls.size(); ++w) {
      const Joint& wall = part.chain.walls[w];
      const int own = wall.clamp - static_cast<int>(model_.clamps.size());
      if (own < 0) continue;
      const Vec3& moment = part.problem.wall_moment(static_cast<int>(w));
      turn_gradient_[z(plan_.walls[z(own)].carrier)] += wall.a < 0 ? Vec3(-moment) : moment;
    }
  }
}

// Velocity of a point of a body: axes are points too, and it is a sum of them.
Vec3 Joined::velocity_of(int b, const Vec3& local) const {
  const Mat3 axes = turn_[z(b)].toRotationMatrix();
  Vec3 v = place_[z(b)] - bar_[z(4 * b)];
  for (int k = 0; k < 3; ++k) v += local[k] * (axes.col(k) - bar_[z(4 * b + 1 + k)]);
  return stage_.gamma * v;
}

void Joined::add_grips() {
  for (const Grip& grip : drive_->grips) {
    if (grip.body < 0 || is_led(grip.body)) continue;
    const Vec3 lever = turn_[z(grip.body)] * grip.point, p = place_[z(grip.body)] + lever;
    const Vec3 v = stage_.still() ? Vec3(Vec3::Zero()) : velocity_of(grip.body, grip.point);
    const Vec3 force = grip_force(grip, p, v);
    place_gradient_[z(grip.body)] -= force;
    turn_gradient_[z(grip.body)] -= lever.cross(force);
    energy_ += 0.5 * grip.stiffness * (grip.pose.position - p).squaredNorm();
    if (!stage_.still()) energy_ += 0.5 * grip.damping / stage_.gamma * (grip.motion.linear - v).squaredNorm();
  }
}

void Joined::clear_gradients() {
  std::fill(place_gradient_.begin(), place_gradient_.end(), Vec3::Zero());
  std::fill(turn_gradient_.begin(), turn_gradient_.end(), Vec3::Zero());
}

NewtonPoint Joined::evaluate() {
  energy_ = energy_scale_ = violation_ = 0;
  add_bodies();
  add_ties();
  add_turns();
  add_walls();
  if (!drive_->grips.empty()) add_grips();
  double squares = 0;
  for (std::size_t c = 0; c < turn_.size(); ++c) {
    if (is_led(static_cast<int>(c))) continue;
    const Mat3 free = mask(static_cast<int>(c));
    squares += (free * turn_gradient_[c]).squaredNorm() / (length_ * length_);
    if (c < place_.size()) squares += (free * place_gradient_[c]).squaredNorm();
  }
  squares /= scale_ * scale_;
  for (const double v : violations_) squares += (place_weight_ * v) * (place_weight_ * v);
  return {energy_, squares, std::abs(energy_) + energy_scale_};
}

// ---- from place to place ---------------------------------------------------------------------------------------------------------
void Joined::move(double fraction) {
  for (std::size_t c = 0; c < turn_.size(); ++c) {
    if (is_led(static_cast<int>(c))) continue;
    turn_[c] = turned_by(fraction * turn_direction_[c], base_turn_[c]);
    if (c < place_.size()) place_[c] = base_place_[c] + fraction * place_direction_[c];
  }
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] = base_lambda_[k] + fraction * row_direction_[k];
}

void Joined::accept() {
  std::copy(place_.begin(), place_.end(), base_place_.begin());
  std::copy(turn_.begin(), turn_.end(), base_turn_.begin());
  std::copy(lambda_.begin(), lambda_.end(), base_lambda_.begin());
}

void Joined::finish() {
  std::copy(place_.begin(), place_.end(), state_.place.begin());
  std::copy(turn_.begin(), turn_.end(), state_.turn.begin());
  std::copy(lambda_.begin(), lambda_.end(), state_.multiplier.begin());
  if (pushes_) pushes_->finish(*this, *drive_);
  Levels& l = state_.levels;
  grip_power_ = 0;
  for (const Grip& grip : drive_->grips) {
    if (grip.body < 0 || is_led(grip.body) || stage_.still()) continue;
    const Vec3 p = place_[z(grip.body)] + turn_[z(grip.body)] * grip.point, v = velocity_of(grip.body, grip.point);
    grip_power_ += grip_force(grip, p, v).dot(v);
  }
  for (std::size_t b = 0; b < place_.size(); ++b) {
    const Mat3 axes = turn_[b].toRotationMatrix();
    const bool led = is_led(static_cast<int>(b));
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t i = 4 * b + k;
      const Vec3 now = k == 0 ? place_[b] : Vec3(axes.col(static_cast<Eigen::Index>(k) - 1));
      if (stage_.still()) {
        l.y[i] = now, l.v[i].setZero(), l.a[i].setZero();
        continue;
      }
      l.push(stage_, i, now, bar_[i]);
      if (!led) continue;
      const Motion& motion = drive_->bodies[b].motion;
      l.v[i] = k == 0 ? motion.linear : Vec3(motion.angular.cross(now));
    }
  }
}

void Joined::take_accelerations() {
  for (std::size_t b = 0; b < place_.size(); ++b) {
    const Mat3 axes = turn_[b].toRotationMatrix();
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 now = k == 0 ? place_[b] : Vec3(axes.col(static_cast<Eigen::Index>(k) - 1));
      state_.levels.a[4 * b + k] = stage_.c * (now - state_.levels.blend(stage_.hat, 4 * b + k));
    }
  }
}

}  // namespace tendril::compact
