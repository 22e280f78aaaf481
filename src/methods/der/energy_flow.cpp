#include "methods/der/energy_flow.h"

#include <algorithm>
#include <array>

#include "math/rotation.h"
#include "math/transport.h"
#include "model/bodies.h"

namespace tendril::der {
namespace {

bool is_zero(const Vec3& v) { return v.isZero(0); }
V3<double> kept_edge(const Chain& c, int s) {
  return c.constrained[z(s)] > 0 ? c.length[z(s)] * c.t.get(s) : V3<double>{0, 0, 0};
}
V3<double> elastic_force(const Chain& c, int s) {  // of an edge, on its start
  return c.kind[z(s)] == SlotKind::edge ? c.gradient.get(s) : V3<double>{0, 0, 0};
}
void add(EnergyFlow& sum, const EnergyFlow& more, double factor) {
  std::array<double, parts_of_flow> parts{};
  std::size_t k = 0;
  for_each_component(more, [&](const char*, double part) { parts[k++] = factor * part; });
  k = 0;
  for_each_component(sum, [&](const char*, double& part) { part += parts[k++]; });
}
Vec3 point_velocity(const BodyState& body, const Vec3& local) {
  return body.motion.linear + body.motion.angular.cross(body.pose.orientation * local);
}

}  // namespace

double power_of_potentials(const Model& model, const Chain& c, const Drive& drive, const BodiesAndJoints* joins) {
  double sum = 0;
  for (const int s : c.slot_of_edge) sum += dot(c.gradient.get(s), c.v.get(s) - c.v.get(s + 1));
  const V3<double> g = to_small(drive.gravity);
  for (const int v : c.vertex_of_node) sum += c.mass[z(v)] * dot(g, c.v.get(v));
  for (const Wall& wall : c.walls) {
    const Vec3 felt = to_eigen(c.moment.get(wall.slot + 1) - c.moment.get(wall.slot));
    sum += felt.dot(wall.clamp >= 0 ? drive.clamps[z(wall.clamp)].motion.angular : joins->spin(wall.carrier()));
  }
  for (std::size_t b = 0; joins != nullptr && b < model.bodies.size(); ++b)
    sum += model.bodies[b].mass * drive.gravity.dot(joins->bodies()[b].motion.linear);
  return sum;
}

FlowMeter::FlowMeter(const Model& model) : model_(model), clamps_(model.clamps.size()) {
  has_loads_ = !model.node_loads.empty() || !model.line_loads.empty();
  has_contact_ = model.contact.enabled;
  has_turns_ = has_contact_;
  for (const NodeLoad& load : model.node_loads) has_turns_ = has_turns_ || load.is_moment;
  for (const LineLoad& load : model.line_loads) has_turns_ = has_turns_ || !load.moment.isZero(0);
  for (const RodModel& rod : model.rods) {
    has_damping_ = has_damping_ || rod.damping.mass > 0;
    has_internal_ = has_internal_ || rod.damping.internal > 0;
  }
  grip_impulse_.assign(model.couplings.size() + max_hands, Vec3::Zero());
  load_torque_.assign(z(model.rest_length.size()), 0);
  load_torque_before_ = friction_torque_before_ = load_torque_;
  bodies_before_.resize(model.bodies.size());
  Drive start;
  evaluate(model, Live{}, 0, 1, start);
  gravity_ = start.gravity;
}

void FlowMeter::attach(const Chain& c) {
  at_rest_ = false;
  before_.assign(static_cast<int>(c.kind.size()), {0, 0, 0});
  if (!model_.drags.empty() || !model_.winds.empty()) air_.impulse = before_;
  if (has_turns_) tangent_ = director_ = before_;
  if (has_internal_) internal_ = before_;
  wall_moment_.assign(c.walls.size(), Vec3::Zero());
  // Which vertices are the node of which clamp.
  held_.assign(model_.clamps.size(), {});
  std::vector<int> clamp_of(z(model_.rest_position.size()), -1);
  for (std::size_t i = 0; i < model_.clamps.size(); ++i)
    if (model_.clamps[i].position && c.active[i]) clamp_of[z(model_.clamps[i].node.value)] = static_cast<int>(i);
  for (const ChainRod& rod : c.rods) {
    for (int v = rod.first; v < rod.end; ++v)
      if (const int node = c.node[z(v)]; node >= 0 && clamp_of[z(node)] >= 0)
        held_[z(clamp_of[z(node)])].vertices.push_back({v, {0, 0, 0}, {0, 0, 0}});
  }
  couples_.reserve(2 * model_.node_loads.size() + model_.line_loads.size() * z(model_.rest_length.size()));
  couple_pull_.reserve(couples_.capacity());
}

// ---- at the start of a step ----------------------------------------------------------------------------------------------
// The potential -g.mx changes by -dg.mx where everything is now.
void FlowMeter::note_gravity(const Chain& c, const Drive& drive, const BodiesAndJoints* joins) {
  const Vec3 change = drive.gravity - gravity_;
  gravity_ = drive.gravity;
  if (is_zero(change)) return;
  Vec3 sum = Vec3::Zero();
  for (const int v : c.vertex_of_node) sum += c.mass[z(v)] * to_eigen(c.x.get(v));
  if (joins != nullptr) {
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) sum += model_.bodies[b].mass * joins->bodies()[b].pose.position;
  }
  flow_.gravity -= change.dot(sum);
}

void FlowMeter::note_clamps(const Chain& c, const Drive& drive, const Loads& loads) {
  for (std::size_t i = 0; i < clamps_.size(); ++i) {
    ClampPast& clamp = clamps_[i];
    const ClampNow& now = drive.clamps[i];
    clamp.moves.setZero(), clamp.turns.setZero();
    // By the number of turns, which may be many in a step: poses would not show them. Its axis, as a late clamp turned it.
    const ClampModel& from = model_.clamps[i];
    if (now.active && clamp.active && now.turn != clamp.turn)
      clamp.turns = (now.turn - clamp.turn) * (now.pose.orientation * (from.start.orientation.conjugate() * from.axis));
    clamp.active = now.active;
    clamp.turn = now.turn;
    HeldNode& held = held_[i];
    held.works = false;
    if (held.vertices.empty()) continue;
    // How far it goes, and what pulls at it where it starts.
    const int first = held.vertices.front().vertex;
    held.velocity = c.v.get(first);
    clamp.moves = now.pose.position - to_eigen(c.x.get(first));
    held.works = !is_zero(clamp.moves) || !is_zero(clamp.moved) || to_eigen(held.velocity) != now.motion.linear;
    if (!held.works) continue;
    held.felt = {0, 0, 0};
    for (HeldVertex& at : held.vertices) {
      const int v = at.vertex;
      held.felt += elastic_force(c, v) - elastic_force(c, v - 1) + loads.force().get(v);
      at.before = kept_edge(c, v - 1), at.after = kept_edge(c, v);
    }
  }
  for (std::size_t w = 0; w < c.walls.size(); ++w) {
    const Wall& wall = c.walls[w];
    if (wall.clamp < 0) continue;
    const ClampPast& clamp = clamps_[z(wall.clamp)];
    if (is_zero(clamp.turns) && is_zero(clamp.turned)) continue;
    wall_moment_[w] = to_eigen(c.moment.get(wall.slot) - c.moment.get(wall.slot + 1));
    const Vec3 t = to_eigen(c.t.get(wall.slot));
    if (wall.follows) wall_moment_[w] = wall_moment_[w].dot(t) * t;
  }
}

void FlowMeter::note_moments(const Chain& c, const Drive& drive, const Loads& loads) {
  tangent_ = c.t, director_ = c.m1;
  if (!loads.follow()) return;
  loads.couples(drive, c, couples_);
  couple_pull_.clear();
  std::fill(load_torque_.begin(), load_torque_.end(), 0.0);
  for (const Loads::Couple& couple : couples_) {
    const V3<double> t = c.t.get(couple.slot);
    couple_pull_.push_back(c.inverse_length[z(couple.slot)] * cross(couple.moment, t));
    load_torque_[z(c.edge[z(couple.slot)])] += dot(couple.moment, t);
  }
}

bool FlowMeter::is_metered(const Drive& drive) const {
  return has_loads_ || has_turns_ || has_damping_ || has_internal_ || has_contact_ || !air_.impulse.x.empty() ||
         !drive.grips.empty();
}

void FlowMeter::begin(const Chain& c, const Drive& drive, bool unchanged, const Loads& loads, const BodiesAndJoints* joins) {
  last_ = {};
  skips_clamps_ = unchanged && at_rest_;
  if (!skips_clamps_) {
    note_gravity(c, drive, joins);
    note_clamps(c, drive, loads);
  }
  if (has_turns_) note_moments(c, drive, loads);
  if (is_metered(drive)) before_ = c.v;
  if (joins != nullptr) std::copy(joins->bodies().begin(), joins->bodies().end(), bodies_before_.begin());
  if (!drive.grips.empty()) std::fill(grip_impulse_.begin(), grip_impulse_.end(), Vec3::Zero());
}

// ---- at its end ------------------------------------------------------------------------------------------------------------
void FlowMeter::add_loads(const Chain& c, const Loads& loads, double kick) {
  // Weight is a potential: what is left are point and line loads. Weight stands at one of twins only.
  double sum = 0;
  const V3<double> g = to_small(gravity_);
  for (int v = c.begin; v < c.end; ++v) {
    if (c.node[z(v)] < 0) continue;
    const V3<double> force = loads.force().get(v);
    const double weight = v == c.vertex_of_node[z(c.node[z(v)])] ? c.mass[z(v)] : 0;
    sum += dot(force - weight * g, mean_velocity(c, v));
  }
  for (std::size_t k = 0; has_turns_ && k < couples_.size(); ++k) {
    const int s = couples_[k].slot;
    sum += dot(couple_pull_[k], mean_velocity(c, s + 1) - mean_velocity(c, s));
  }
  last_.loads += kick * sum;
}

void FlowMeter::add_clamps(const Chain& c, const BodiesAndJoints* joins, const Contacts* contacts, const Drive& drive,
                           double kick, Push push) {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const HeldNode& held = held_[i];
    if (!held.works) continue;
    const int node = model_.clamps[i].node.value;
    V3<double> felt = held.felt;
    for (const HeldVertex& at : held.vertices) {
      // Tension of the edges there, along which it pushed.
      const int v = at.vertex;
      const V3<double> after = push == Push::fast ? kept_edge(c, v) : at.after;
      const V3<double> before = push == Push::fast ? kept_edge(c, v - 1) : at.before;
      felt += c.tension[z(v)] * after - c.tension[z(v - 1)] * before;
    }
    Vec3 force = to_eigen(felt);
    if (joins != nullptr) force += to_eigen(joins->force_at(node));
    if (contacts != nullptr) force += contacts->force_at(node);
    for (std::size_t k = 0; k < drive.grips.size(); ++k) {
      const Grip& grip = drive.grips[k];
      if (grip.rod < 0) continue;
      const double share = grip.a.value == node ? 1 - grip.share : grip.b.value == node ? grip.share : 0;
      force += (share / kick) * grip_impulse_[k];
    }
    last_.clamps -= 0.5 * force.dot(clamps_[i].moved + clamps_[i].moves);
    const int first = held.vertices.front().vertex;
    flow_.clamps += 0.5 * c.mass[z(first)] * (squared_norm(c.v.get(first)) - squared_norm(held.velocity));
  }
  for (std::size_t w = 0; w < c.walls.size(); ++w) {
    if (c.walls[w].clamp < 0) continue;
    const ClampPast& clamp = clamps_[z(c.walls[w].clamp)];
    if (!is_zero(clamp.turns) || !is_zero(clamp.turned))
      last_.clamps += 0.5 * wall_moment_[w].dot(clamp.turned + clamp.turns);
  }
  at_rest_ = std::none_of(held_.begin(), held_.end(), [](const HeldNode& held) { return held.works; });
  for (ClampPast& clamp : clamps_) {
    at_rest_ = at_rest_ && is_zero(clamp.turns) && is_zero(clamp.turned);
    clamp.moved = clamp.moves, clamp.turned = clamp.turns;
  }
}

void FlowMeter::add_grips(const Chain& c, const Drive& drive, const BodiesAndJoints* joins) {
  for (std::size_t k = 0; k < drive.grips.size(); ++k) {
    const Grip& grip = drive.grips[k];
    if (grip.rod >= 0) {
      const int s = c.slot_of_edge[z(grip.edge.value)];
      const V3<double> v = (1 - grip.share) * mean_velocity(c, s) + grip.share * mean_velocity(c, s + 1);
      last_.hands += grip_impulse_[k].dot(to_eigen(v));
    } else if (grip.body >= 0 && joins != nullptr) {
      const BodyState &before = bodies_before_[z(grip.body)], &after = joins->bodies()[z(grip.body)];
      last_.hands += 0.5 * grip_impulse_[k].dot(point_velocity(before, grip.point) + point_velocity(after, grip.point));
    }
  }
}

void FlowMeter::add_air(const Chain& c) {
  double done = 0;
  for (const int v : c.vertex_of_node) done += dot(air_.impulse.get(v), mean_velocity(c, v));
  last_.wind += air_.wind;
  last_.drag += air_.wind - done;
}

void FlowMeter::add_damping(const Chain& c, double kick) {
  double sum = 0;
  for (const int v : c.vertex_of_node)
    if (!c.held[z(v)]) sum += c.mass_damping[z(v)] * c.mass[z(v)] * dot(c.v.get(v), mean_velocity(c, v));
  double inside = 0;
  if (has_internal_) {
    for (const int v : c.vertex_of_node) inside -= dot(internal_.get(v), mean_velocity(c, v));
  }
  for (int s = c.begin; c.has_rolling && s < c.end; ++s)
    sum += c.mass_damping[z(s)] * c.roll_inertia[z(s)] * c.roll[z(s)] * c.roll[z(s)];
  last_.damping += kick * sum + inside;
}

// Torque of loads does work; torque of friction gives back what friction seemed to take at the surface.
void FlowMeter::add_turns(const Chain& c, const Contacts* contacts) {
  for (std::size_t e = 0; e < load_torque_.size(); ++e) {
    const double friction = contacts != nullptr ? contacts->torque(e) : 0;
    const double load = 0.5 * (load_torque_[e] + load_torque_before_[e]);
    const double rub = 0.5 * (friction + friction_torque_before_[e]);
    load_torque_before_[e] = load_torque_[e], friction_torque_before_[e] = friction;
    if (load == 0 && rub == 0) continue;
    const int s = c.slot_of_edge[e];
    const V3<double> t = c.t.get(s);
    const double turn = signed_angle(parallel_transport_normal(tangent_.get(s), t, director_.get(s)), c.m1.get(s), t);
    last_.loads += load * turn;
    flow_.friction -= rub * turn;
  }
}

void FlowMeter::add_bodies(const BodiesAndJoints& joins, const StepTimes& step) {
  double touched = 0;  // what contacts gave to free bodies
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const BodyModel& body = model_.bodies[b];
    if (!body.moves_freely()) continue;
    const BodyState &before = bodies_before_[b], &after = joins.bodies()[b];
    const Vec3 v = 0.5 * (before.motion.linear + after.motion.linear);
    const Vec3 w = 0.5 * (before.motion.angular + after.motion.angular);
    if (body.damping > 0) {
      const double slow = step.kick * body.damping / (1 + step.kick * body.damping);
      last_.damping += slow * (body.mass * before.motion.linear.dot(v) +
                               (world_inertia(body, before.pose.orientation) * before.motion.angular).dot(w));
    }
    const Wrench& contact = joins.contact_impulse(b);
    touched += contact.force.dot(v) + contact.moment.dot(w);
  }
  if (const ModelWorld* world = joins.world(); world != nullptr && !world->contacts().empty()) {
    const double obstacles = world->work_of(true), driven = world->work_of(false), friction = world->friction();
    flow_.obstacles += obstacles, flow_.bodies += driven, flow_.friction += friction;
    flow_.impacts += obstacles + driven - friction - touched;
  }
  last_.bodies += joins.work_of_driven(bodies_before_, step.dt);
}

void FlowMeter::end(const Chain& c, const Drive& drive, const Loads& loads, const BodiesAndJoints* joins,
                    const Contacts* contacts, const StepTimes& step, Push push) {
  last_kick_ = step.kick;
  // Short rods that nothing but gravity and clamps at rest act on have nothing to add up.
  if (skips_clamps_ && !is_metered(drive) && joins == nullptr && contacts == nullptr) return;
  if (has_loads_) add_loads(c, loads, step.kick);
  if (!skips_clamps_) add_clamps(c, joins, contacts, drive, step.kick, push);
  if (!drive.grips.empty()) add_grips(c, drive, joins);
  if (!air_.impulse.x.empty()) add_air(c);
  if (has_damping_ || has_internal_) add_damping(c, step.kick);
  if (has_turns_) add_turns(c, contacts);
  if (joins != nullptr) add_bodies(*joins, step);
  if (contacts != nullptr) contacts->add_flow(c, before_, joins, bodies_before_, step.dt, flow_);
  add(flow_, last_, 1);
}

EnergyFlow FlowMeter::after(double since) const {
  EnergyFlow now = flow_;
  if (last_kick_ > 0) add(now, last_, since / last_kick_);
  return now;
}

void FlowMeter::settle(double since) {
  flow_ = after(since);
  last_ = {};
  for (ClampPast& clamp : clamps_) clamp.moved.setZero(), clamp.turned.setZero();
}

void FlowMeter::visit_state(StateArchive& archive) {
  at_rest_ = false;  // to be looked at again: what is skipped changes no number
  archive(flow_, last_, last_kick_, gravity_);
  archive.fixed(clamps_);
  archive.fixed(load_torque_before_);
  archive.fixed(friction_torque_before_);
}

}  // namespace tendril::der
