// Hands and couplings in a step: springs and dampers at points between two nodes.
#include <algorithm>

#include "methods/der/der.h"
#include "model/bodies.h"

namespace tendril::der {
namespace {

// Of a segment, per step: no hand makes its point faster than this, however far away and stiff it is. Beyond it the lengths
// could not be restored any more. With the steps that bending waves allow it is metres to tens of metres per second.
constexpr double max_pull = 0.25;

struct HeldPoint {
  int vertex[2];
  double weight[2];
  double mobility[2] = {0, 0};  // of the nodes: inverse masses, none where a clamp holds
  double W = 0;                 // of the point, sum w^2/m
  V3<double> x{0, 0, 0}, v{0, 0, 0};
  double most = 0;  // speed
};

HeldPoint point_of(const Chain& c, const Array* decay, const Grip& grip, double dt) {
  const int s = c.slot_of_edge[z(grip.edge.value)];
  HeldPoint p{{s, s + 1}, {1 - grip.share, grip.share}};
  for (int i = 0; i < 2; ++i) {
    p.mobility[i] = c.inverse_mass[z(p.vertex[i])] * (decay == nullptr ? 1 : (*decay)[z(p.vertex[i])]);
    p.W += p.weight[i] * p.weight[i] * p.mobility[i];
    p.x += p.weight[i] * c.x.get(p.vertex[i]);
    p.v += p.weight[i] * c.v.get(p.vertex[i]);
  }
  p.most = max_pull * c.rest_length[z(s)] / dt;
  return p;
}

// Changes the point's velocity by an impulse change/W: each node's by w/m of that. Twins stay alike.
// Returns the impulse.
V3<double> push(Chain& c, const HeldPoint& p, V3<double> change, double dt_of_positions) {
  if (const double size = norm(change); size > p.most) change = (p.most / size) * change;
  const double before = norm(p.v), after = norm(p.v + change);
  if (after > p.most && after > before) change = (std::max(p.most, before) / after) * (p.v + change) - p.v;
  for (int i = 0; i < 2; ++i) {
    const int v = p.vertex[i];
    const V3<double> dv = (p.weight[i] * p.mobility[i] / p.W) * change;
    c.v.add(v, dv);
    c.x.add(v, dt_of_positions * dv);
    for (const Twin& twin : c.twins) {
      if (c.node[z(twin.first)] != c.node[z(v)]) continue;
      for (const int other : {twin.first, twin.second}) {
        c.v.set(other, c.v.get(v));
        c.x.set(other, c.x.get(v));
      }
    }
  }
  return (1 / p.W) * change;
}

}  // namespace

bool BodiesAndJoints::is_tied(int body) const {
  for (const Tie& tie : plan_.ties)
    if (tie.a.body == body || tie.b.body == body) return true;
  return false;
}

// How the body's point at `lever` answers to an impulse.
Mat3 BodiesAndJoints::mobility(int body, const Vec3& lever) const {
  const BodyModel& model = model_.bodies[z(body)];
  Mat3 arm;
  arm << 0, -lever.z(), lever.y(), lever.z(), 0, -lever.x(), -lever.y(), lever.x(), 0;
  return inverse_mass(model) - arm * inverse_inertia(model, bodies_[z(body)].pose.orientation) * arm;
}

// With the point's place x after the step without it, W its mobility and p the impulse times dt,
//   p = k dt^2 (x_h - x - W p)
// As for rods, no hand moves what hangs on them by more in a step than the lengths can follow.
Vec3 BodiesAndJoints::pull(const Grip& grip, StepTimes step) {
  const Pose& pose = bodies_[z(grip.body)].pose;
  const Vec3 lever = pose.orientation * grip.point;
  const double k = grip.stiffness * step.dt * step.kick;
  const Mat3 W = mobility(grip.body, lever);
  const Vec3 away = grip.pose.position - pose.position - lever;
  Vec3 p = (Mat3::Identity() + k * W).ldlt().solve(k * away);
  if (const double moved = (W * p).norm(); moved > max_pull * scale_ && is_tied(grip.body)) p *= max_pull * scale_ / moved;
  push_body(grip.body, p, grip.point, step.dt);
  return p / step.dt;
}

//   J = c dt (v_h - v - W J)
Vec3 BodiesAndJoints::damp(const Grip& grip, double dt) {
  BodyState& body = bodies_[z(grip.body)];
  const Vec3 lever = body.pose.orientation * grip.point;
  const double c = grip.damping * dt;
  const Mat3 W = mobility(grip.body, lever);
  const Vec3 difference = grip.motion.linear - body.motion.linear - body.motion.angular.cross(lever);
  Vec3 impulse = (Mat3::Identity() + c * W).ldlt().solve(c * difference);
  if (const double change = (W * impulse).norm(); change * dt > max_pull * scale_ && is_tied(grip.body))
    impulse *= max_pull * scale_ / (change * dt);
  const BodyModel& model = model_.bodies[z(grip.body)];
  body.motion.linear += inverse_mass(model) * impulse;
  body.motion.angular += inverse_inertia(model, body.pose.orientation) * lever.cross(impulse);
  return impulse;
}

// Each spring implicitly, at its point alone: the force it has at the end of the step. With x after the step without it,
//   J = k (x_h - x) dt / (1 + W k dt^2)
// What slows the other forces of the step down (mass damping here, drag afterwards) slows this one down too; otherwise a rod
// would come to rest elsewhere than in equilibrium.
void Der::pull_grips(double dt, bool moved) {
  for (std::size_t i = 0; i < drive_.grips.size(); ++i) {
    const Grip& grip = drive_.grips[i];
    if (grip.body >= 0) flow_.note_grip(i, joins_->pull(grip, {dt, kick_}));
    if (grip.rod < 0 || grip.stiffness == 0) continue;
    HeldPoint p = point_of(*chain_, &decay_, grip, dt);
    if (!moved) p.x += dt * p.v;
    const double k = grip.stiffness;
    const V3<double> away = to_small(grip.pose.position) - p.x;
    if (!(p.W > 0)) continue;
    const V3<double> J = push(*chain_, p, (p.W * k * kick_ / (1 + p.W * k * kick_ * dt)) * away, moved ? dt : 0);
    flow_.note_grip(i, to_eigen(J));
  }
}

// Each damper implicitly, on the velocities that are left by the projection: before it a rod at rest falls, and a damper
// there would pull at what does not move.
//   J = c (v_h - v) dt / (1 + W c dt)
void Der::damp_grips(double dt) {
  for (std::size_t i = 0; i < drive_.grips.size(); ++i) {
    const Grip& grip = drive_.grips[i];
    if (grip.body >= 0) flow_.note_grip(i, joins_->damp(grip, kick_));
    if (grip.rod < 0 || grip.damping == 0) continue;
    const HeldPoint p = point_of(*chain_, nullptr, grip, dt);
    const double share = p.W * grip.damping * kick_ / (1 + p.W * grip.damping * kick_);
    if (!(p.W > 0)) continue;
    const V3<double> J = push(*chain_, p, share * (to_small(grip.motion.linear) - p.v), 0);
    flow_.note_grip(i, to_eigen(J) / decay_[z(p.vertex[0])]);  // whole: mass damping had taken its part before
  }
}

}  // namespace tendril::der
