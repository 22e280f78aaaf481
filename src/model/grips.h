// What pulls at a point of a rod or a body by a spring and a damper: couplings of the scene and hands of a user, in one form. As
// place, motion, stiffness and damping, never as a force: explicit methods solve the point it holds implicitly, implicit
// ones add it to their matrix, so that it is stable for any hand.
#pragma once

#include "math/log_of.h"
#include "model/model.h"
#include "tendril/live.h"
#include "tendril/state.h"

namespace tendril {

struct Grip {
  int coupling = -1;  // of Model::couplings; -1: a hand
  int hand = 0;       // its id; 0: a coupling
  int rod = -1;
  int body = -1;              // instead of a rod
  Vec3 point = Vec3::Zero();  // of the body, in its own axes
  double material = 0;        // of the rod: arc length in the rest rod [m]
  // The point it holds is (1 - share) times node a plus share times node b, the ends of `edge`; at a node, share is 0 or 1.
  EdgeIndex edge;
  NodeIndex a, b;
  double share = 0;
  Pose pose;
  double turn = 0;  // [rad] of a coupling about its axis since the start, any number of turns
  Motion motion;
  double stiffness = 0, damping = 0;                  // [N/m], [N s/m]
  double angular_stiffness = 0, angular_damping = 0;  // [N m/rad], [N m s/rad]
  void visit_state(StateArchive& archive) {
    archive(coupling, hand, rod, body, point, material, edge.value, a.value, b.value, share, pose, turn, motion);
    archive(stiffness, damping, angular_stiffness, angular_damping);
  }
};

// Where a material point lies among the nodes of a rod as they are now: those of the model, of a frame, or a method's own.
struct PointOnNodes {
  EdgeIndex edge;
  NodeIndex a, b;  // its ends
  double share = 0;
};
// `material`: of all nodes; `length`: of the rest rod. Beyond the ends it is the end, around a ring it goes on.
PointOnNodes point_on_nodes(const RodSpan& rod, const OnNodes<double>& material, double length, double s);

// A grip at the material point `material` [m] of a rod, for methods that keep the model's nodes; others take `material` and
// point_on_nodes of their own.
Grip grip_at(const Model& model, int rod, double material);

// A spring's pull on a point at x, and its moment on a frame q in the frame's own axes: over double and jets.
template <class T>
V3<T> spring_pull(double stiffness, const V3<double>& place, const V3<T>& x) {
  return stiffness * (constant<T>(place) - x);
}
template <class T>
V3<T> spring_turn(double angular_stiffness, const Q<double>& place, const Q<T>& q) {
  return angular_stiffness * log_of(Q<T>(conjugate(q) * constant<T>(place)));
}
// The energy of a spring from a place to the point (1 - share) a + share b, with derivatives in (a, b).
struct SpringEnergy {
  double energy = 0;
  Eigen::Matrix<double, 6, 1> gradient;
  Eigen::Matrix<double, 6, 6> hessian;
};
SpringEnergy spring_energy_with_derivatives(double stiffness, double share, const Vec3& a, const Vec3& b, const Vec3& place);

// The force of the spring and damper on a point that is at `position` with `velocity`.
inline Vec3 grip_force(const Grip& grip, const Vec3& position, const Vec3& velocity) {
  return grip.stiffness * (grip.pose.position - position) + grip.damping * (grip.motion.linear - velocity);
}
// The moment on a rod whose frame there is `orientation`, turning with `spin`: along the shortest turn to the grip's pose.
Vec3 grip_moment(const Grip& grip, const Quat& orientation, const Vec3& spin);

// A hand that drags a point with the mouse: stiff enough that a pull over a fraction of the rod's length clearly moves the
// rod, critically damped, from the rod's own stiffness, weight and mass; a hair's hand is a hair's. It stands where the
// point is at the start and at rest.
Hand suggested_hand(const Model& model, int rod, double material);
// Likewise for a point of a body, in its own axes: from its weight and size, its mass and the rods that are joined to it.
Hand suggested_hand(const Model& model, int body, const Vec3& point);

}  // namespace tendril
