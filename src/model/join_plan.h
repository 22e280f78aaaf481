// Who is joined to whom, from the joints of a Model: which points stay together, who carries which frame. For every method.
//
// A joint shares up to six freedoms: its points stay together (a tie), and frames turn together (a turn tie). A rod has a
// frame at a node when a wall stands there; what carries the wall is
//   a body      rod welded to a body: the wall is the body's  [Bergou 2008, sec. 8]
//   a junction  rods joined to rods, or by a hinge to anything: a small rotor at the node
// differs from the paper: not two vertices of the rod but a node and a frame are welded, with a joint of half a segment
// between the body and the first edge. The wall then stands exactly at its node and results are of second order  [ERRATA
// cross-method 7]; bending moment and torque reach the body by the same rule; no constraint of the weld repeats a length
// [ERRATA D19]; and a weld inside a rod needs no cut: its wall has an edge on either side.
#pragma once

#include <vector>

#include "model/model.h"

namespace tendril {

struct Junction {
  // Rotary inertia [kg m^2], the same about all axes: a quarter of m l^2 of each edge it turns. It vanishes with l^3 and
  // keeps the highest frequency at that of the rods. For methods whose frames need one.
  double inertia = 0;
  double damping = 0;  // [1/s], of its rod
  bool fixed = false;  // joined to the world
};
// A frame: carrier c is body c, or junction c - bodies.
struct WallPlan {
  int node = 0, carrier = 0;
  Quat local = Quat::Identity();  // the rod's frame there, seen from the carrier
};
struct TieSide {  // a point: of a rod, of a body, of the world
  int node = -1, body = -1;
  Vec3 local = Vec3::Zero();  // in the body's axes; in the world
};
struct Tie {
  TieSide a, b;
};
struct TurnTie {
  int a = 0, b = -1;                                // carriers; -1: the world
  bool hinge = false;                               // else everything turns together
  Vec3 axis = Vec3::UnitZ();                        // hinge: in a's axes
  Vec3 across[2] = {Vec3::UnitX(), Vec3::UnitY()};  // hinge: in b's axes, perpendicular to the hinge
  Quat relative = Quat::Identity();                 // rigid: from a to b
};
struct SliderTie {  // two bodies, or a body and the world: b's point stays on a line that a carries, and both turn together
  int a = 0, b = -1;                                    // bodies; -1: the world
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // in their own axes
  Vec3 axis = Vec3::UnitZ();                            // in a's axes
  Quat relative = Quat::Identity();                     // from a to b
  int joint = -1;
};
struct JoinPlan {
  explicit JoinPlan(const Model& model);
  bool empty() const { return bodies == 0 && ties.empty() && walls.empty(); }
  int bodies = 0;
  std::vector<Junction> junctions;
  std::vector<WallPlan> walls;
  std::vector<Tie> ties;
  std::vector<TurnTie> turns;
  std::vector<SliderTie> sliders;
};

// The edges at a node.
std::vector<EdgeIndex> edges_at(const Model& model, NodeIndex node);
// A clamp and a joint on one frame.
void check_frames_held_once(const Model& model, std::size_t joint, Problems& problems);

}  // namespace tendril
