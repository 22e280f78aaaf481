// What a scene consists of for `cable`: rigid elements, and joints between two of them. Built from the Model; where the mesh of a rod
// changes, mesh.h edits it in place.
//
// Every segment of a rod is a rigid element; so is every body. Clamps, driven bodies and the world are elements that nothing can
// move: they are led. A joint holds two points together (three rows) and turns two frames to each other (three rows, the strain of
// math/joint_strain.h). Each row is regularised: lambda = -k phi, k the stiffness of what lies between both sides; k infinite is a
// hard constraint.                                                      [Servin 2008, secs. II, V; ERRATA S9-S16]
#pragma once

#include <limits>
#include <vector>

#include "math/index.h"
#include "math/joint_strain.h"
#include "model/constitutive.h"
#include "model/drive.h"
#include "model/join_plan.h"
#include "model/model.h"
#include "tendril/state.h"

namespace tendril::cable {

inline constexpr double rigid = std::numeric_limits<double>::infinity();

struct Element {
  // fall: of a reeved rope, no element of its own; spare: of a mesh that changes, not in use
  enum class Kind : std::uint8_t { segment, body, junction, clamp, world, spare, fall };
  Kind kind = Kind::world;
  int edge = -1;    // of a segment, flat, of the model; of a rod whose mesh changes any number
  int rod = -1;     // of a segment
  int number = -1;  // of a body or a clamp
  double length = 0;
  double mass = 0;
  Vec3 inertia = Vec3::Zero();  // about its own axes
  double damping = 0;           // [1/s] of its mass
  bool led = true;              // nothing moves it: its pose is given
  double EI = 0, whole = 0;     // of a segment: the lesser bending stiffness; length of its rod
  // Of a segment that was merged or cut: where its start and its end stand, off the ends of its axis [m, own axes]. It is paid back
  // over the time that is left.
  Vec3 owed[2] = {Vec3::Zero(), Vec3::Zero()};
  double owed_left = 0;  // [s]
  int edge_now = -1;     // of a segment: in the Frame
  Vec3 end(int side) const {
    return Vec3(0, 0, side == 0 ? -0.5 * length : 0.5 * length) + owed[side];
  }  // 0: start, own axes
};

// [kg m^2] About its own axes: that of its section, and m l^2/12 across. A section that has none (a radius of 0, stiffness alone
// given) turns about the axis like a round one of a hundredth of its length: no joint could turn it otherwise.
inline Vec3 segment_inertia(double mass, double length, double rotary1, double rotary2) {
  const double rod_like = mass * length * length / 12, about = rotary1 + rotary2;
  return Vec3(rod_like + rotary1, rod_like + rotary2, about > 0 ? about : 0.5e-4 * mass * length * length);
}

enum class JointForm : std::uint8_t { smooth, paper, paper_aligned, cosine_lock };  // joint_forms.h

struct Joint {
  int a = 0, b = 0;  // elements
  int node = -1;     // of the rod it belongs to
  int inner = -1;    // flat inner node, of a joint inside a rod; -1: the joint is to something else
  int clamp = -1;    // a joint to a clamp stands while it holds
  int after = -1;    // of a joint to a clamp or carrier inside a rod: 0 its segment ends at the node, 1 it begins there
  // Points, in the elements' own axes.
  bool holds_point = true;
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
  double stretch = rigid;  // stiffness of the three rows [N/m]
  // Frames, in the elements' own axes.
  bool holds_frame = true;
  Quat frame_a = Quat::Identity(), frame_b = Quat::Identity();
  StrainKind kind = StrainKind::angle;
  JointForm form = JointForm::smooth;
  Law law = {};                       // of bend and twist
  double span = 0;                    // [m] of the rod that it stands for: strain over span is what the law knows
  Vec3 stiffness = Vec3::Zero();      // [N m/rad] about d1, d2, d3; 0: free
  Vec3 rest = Vec3::Zero();           // strain
  double damping = 0;                 // [s] Kelvin-Voigt
  double weld = 0;                    // [rad] of a ring's joint: the step of its frames
  double share = 1;                   // in the moment at its node: half where it stands on one side of it
  Vec3 fed = Vec3::Zero();            // [m/s] in this step: how fast the gap widens because a point runs along its segment
  int node_now = -1, inner_now = -1;  // in the Frame
  // Of a slider: b's point stays on the line through a's along `axis`, in a's own axes.
  bool slides = false;
  Vec3 axis = Vec3::UnitZ();
  // Joints of the scene that it stands for, which may come and go (switches.h); none: it always stands.
  int point_joint = -1;
  std::vector<int> frame_joints = {};  // one of them is enough
  Quat rest_turn = Quat::Identity();   // from frame a to frame b where nothing is strained
};

// A rod as it is now: its segments from start to end, and what joins them.
struct Chain {
  RodSpan span;                  // in the Frame
  std::vector<int> segments;     // elements
  std::vector<int> joints;       // between neighbours; of a ring joint k stands before segment k
  std::vector<double> material;  // [m] of its nodes
  bool varies = false;           // its mesh may change
};

// What is linked through elements that can move: solved on its own, and side by side with others.
struct Group {
  std::vector<int> elements;  // that can move
  std::vector<int> joints;
  bool path = false;  // joints and elements follow each other without branches: block tridiagonal
};

struct Parts {
  std::vector<Element> elements;  // segments by flat edge of the model, bodies, junctions, clamps, the world, spare segments
  std::vector<Joint> joints;      // and spare ones
  std::vector<Group> groups;
  std::vector<Chain> chains;                  // per rod
  std::vector<std::vector<int>> replaced_by;  // per joint inside a rod: joints to clamps or carriers at its node
  int first_body = 0, first_junction = 0, first_clamp = 0, world = 0;
  int joint_at(int inner) const { return first_inner_[z(inner)]; }
  // Points of rods that scene joints hold, where several may hold the same ones together: only as many stand as needed.
  struct PointTie {
    int joint = 0;                 // among `joints`
    int node = -1;                 // of a rod
    int node_b = -1, body_b = -1;  // to what: a node, a body, or the world
  };
  std::vector<PointTie> ties;     // empty where none repeats another
  std::vector<int> first_inner_;  // joint of each inner node of the model
  void number();                  // spans of the chains, and what has which number in the Frame
};
// `adaptive`: the meshes of all open rods change, not only of those with a winch.
Parts build_parts(const Model& model, bool adaptive = false);

// Everything that changes.
struct State {
  std::vector<Vec3> x, v;  // of elements: centre, velocity half a step back
  std::vector<Quat> q;
  std::vector<Vec3> momentum;  // of spin, world axes [kg m^2/s]: kept where nothing turns the element  [ERRATA S25]
  std::vector<Vec3> a, turn;   // acceleration, rate of spin in the last step: for velocities at the level itself
  std::vector<Vec3> a_before, turn_before;  // in the step before
  std::vector<Vec3> force;                  // multipliers of points, of joints: on b, and reversed on a
  std::vector<Vec3> couple;                 // of frames: the moments of the strains
  std::vector<double> twist;                // of joints, unwrapped [rad]
  std::vector<double> winding;              // of joints to clamps: the clamp's, when last set [rad]
  std::vector<char> point_on, frame_on;     // of joints
  std::vector<double> tension;              // of segments, sum of both ends [N], for the geometric stiffness
  void visit_state(StateArchive& archive);
};
State start_state(const Model& model, const Parts& parts);

}  // namespace tendril::cable
