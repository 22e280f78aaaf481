// One rod as a chain of rigid segments: what does not change (built once) and what the method remembers.
//
//   x_(k+1) = x_k + a_k,  a_k = +-l_k d3_k          root first; a rod held at its end only is rooted there and runs backwards
// Points carry mass: nodes, and the tips of d1, d2 of each segment (rho I2 l, rho I1 l), which makes rotary inertia and
// gyroscopic terms exact without any algebra of rotation vectors. [ERRATA Z22]
#pragma once

#include <vector>

#include "math/index.h"
#include "math/joint_strain.h"
#include "methods/compact/scheme.h"
#include "model/drive.h"
#include "model/join_plan.h"
#include "model/model.h"
#include "tendril/state.h"

namespace tendril::compact {

struct Link {                         // a segment, in the chain's order
  int edge = 0;                       // of the model
  int near = 0, far = 0;              // nodes of the model
  double length = 0;                  // [m]
  double inertia1 = 0, inertia2 = 0;  // [kg m^2] on d1 (rho I2 l), on d2 (rho I1 l)
};

// Between frames a and b, in the order of the rod: two links, or a link and a wall.
struct Joint {
  int a = -1, b = -1;  // links; -1: the wall
  StrainKind kind = StrainKind::angle;
  Vec3 kappa = Vec3::Zero();  // stiffness over length, about d1, d2, d3 [N m]
  Vec3 rest = Vec3::Zero();   // strain at rest [rad]
  int node = 0;               // of the model
  int inner = -1;             // of the Frame: its twist; -1: none
  int clamp = -1;             // of a wall; from the number of clamps on: carried (joined.h)
  int replaces = -1;          // of a wall: the joint at its node, which is none while the wall stands; -1: at an end
  // At the weld of a ring whose ends were turned before they were joined (RodModel::weld_turn) frames show a step that is no strain:
  // there the joint lies between a and b turned about their own axes, by weld in all. Strain, moment and `twist` are between these.
  double weld = 0;  // [rad]
  Quat turn_a = Quat::Identity(), turn_b = Quat::Identity();
};

struct HeldPoint {  // the place of a node away from the root, or in a chute: three border rows, of which a chute has two
  int clamp = -1;
  int link = 0;                  // the node is its far end; -1: the root
  Mat3 axes = Mat3::Identity();  // row k holds the place along column k; the last is the chute's direction
  bool slides = false;
  int rows() const { return slides ? 2 : 3; }
};

struct Chain {
  int rod = 0;
  bool ring = false, reversed = false;
  int root_node = 0;               // of the model
  double length = 0, EI = 0;       // of the rod [m]; softest bending stiffness [N m^2]
  double stiffest = 0, total = 0;  // largest kappa [N m]; mass [kg]
  Damping damping;
  // Of a ring one more at the end: the first again, slaved to it, so that the closing joint is a joint like any other.
  std::vector<Link> links;
  std::vector<double> mass;   // of points: nodes (root first), then d1, d2 of every segment [kg], [kg m^2]
  std::vector<Joint> joints;  // joints[i], i >= 1: between links i - 1 and i; joints[0] is none
  std::vector<Joint> walls;
  std::vector<int> root_clamps;   // that may hold the root's place
  std::vector<HeldPoint> held;    // in the order of the chain
  std::vector<int> link_of_edge;  // by the rod's own count

  int all() const { return static_cast<int>(links.size()); }
  int real() const { return all() - (ring ? 1 : 0); }  // segments
  int nodes() const { return real() + 1; }             // of a ring the first again at the end
  int points() const { return nodes() + 2 * real(); }
  int d1(int link) const { return nodes() + 2 * link; }  // its point; that of d2 is the next
  double sign() const { return reversed ? -1 : 1; }
  int held_rows() const { return 3 * static_cast<int>(held.size()); }
  int rows() const { return held_rows() + (ring ? 6 : 0); }
};
// The plan gives walls that are carried; nullptr: that of the model.
Chain build_chain(const Model& model, int rod, StrainKind strain, const JoinPlan* plan = nullptr);

// The levels of points or strains that the schemes look back on.
struct Levels {
  std::vector<Vec3> y, y_before, v, v_before, a;
  void resize(int count) {
    for (auto* list : {&y, &y_before, &v, &v_before, &a}) list->assign(z(count), Vec3::Zero());
  }
  Vec3 blend(const Weights& w, std::size_t i) const {
    return w.y * y[i] + w.y_before * y_before[i] + w.v * v[i] + w.v_before * v_before[i] + w.a * a[i];
  }
  void push(const Stage& stage, std::size_t i, const Vec3& now, const Vec3& bar);  // a new level; bar: its y_
  void visit_state(StateArchive& archive);
};

// Everything that changes, of one rod.
struct ChainState {
  Vec3 root = Vec3::Zero();
  std::vector<Quat> q;                    // of links
  std::vector<double> twist, wall_twist;  // of joints and walls, unwrapped [rad]
  std::vector<double> wall_winding;       // of walls' clamps when they were last set [rad]
  std::vector<char> wall_holds;           // walls that stand now; while one does, the joint at its node is none
  std::vector<double> multiplier;         // of rows: held points, then a ring's closing force [N]
  Levels points, strains;                 // strains: of joints, then of walls; only with internal damping
  std::vector<Vec3> force;                // action of s+ on s- in each segment, of the last solution
  Vec3 reaction = Vec3::Zero();           // on the root, while it is held
  bool root_held = false;
  void visit_state(StateArchive& archive);
};
ChainState start_state(const Model& model, const Chain& chain);

// (1, turn/2) q, normalised: agrees with exp(turn) q to second order, and needs no sine.
inline Quat turned_by(const Vec3& turn, const Quat& q) {
  return (Quat(1, 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z()) * q).normalized();
}
// The quaternion of the joint, a^-1 b. `walls`: by clamp, where they stand.
inline Quat joint_quaternion(const Joint& joint, const std::vector<Quat>& q, const std::vector<ClampNow>& clamps) {
  const Quat& a = joint.a >= 0 ? q[z(joint.a)] : clamps[z(joint.clamp)].pose.orientation;
  const Quat& b = joint.b >= 0 ? q[z(joint.b)] : clamps[z(joint.clamp)].pose.orientation;
  const Quat between = a.conjugate() * b;
  return joint.weld == 0 ? between : Quat(joint.turn_a.conjugate() * between * joint.turn_b);
}
// What the strain's axes are: those of frame a, as the joint takes it.
inline Mat3 strain_axes(const Joint& joint, const Mat3& frame_a) {
  return joint.weld == 0 ? frame_a : Mat3(frame_a * joint.turn_a.toRotationMatrix());
}
}  // namespace tendril::compact
