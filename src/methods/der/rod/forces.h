// Forces on the centerline.  [Bergou 2008, sec. 7.1]
#pragma once

#include "methods/der/chain/chain.h"
#include "model/loads.h"

namespace tendril::der {

// Internal moments at all joints and dE/de of all slots, from tangents and frames.
// Returns the smallest 1 + a.b over the joints: 0 where a joint is folded.
double update_gradient(Chain& chain, const Chunk& chunk);
inline double update_gradient(Chain& chain) { return update_gradient(chain, chain.all()); }
// What an edge transmits, the action of its end on its start: dE/de and tension. None in walls and pads.
V3<double> inner_force(const Chain& chain, int slot);

// Drag and wind on each node as a linear law: force = push - (across (1 - tt) + along tt) v. Solved implicitly for each node
// it is stable for any step.
struct AirFlow {    // what the air did in a step
  Array3 impulse;   // per vertex; of twins the first has it all [N s]
  double wind = 0;  // the wind's force times the wind's velocity [J]
};
class AirDrag {
 public:
  AirDrag(const Model& model, const Chain& chain);
  bool any() const { return any_; }
  // v <- the velocity after dt with drag, for every free vertex.
  // `flow`, if given: what it did.
  void apply(const Drive& drive, Chain& chain, double dt, AirFlow* flow = nullptr);

 private:
  // Free nodes, and pads up to a whole number of packs.
  const Model& model_;
  bool any_ = false;
  std::vector<int> vertex_, before_, after_;  // slots at the vertex; the same twice at an end
  Array inverse_mass_, across_, along_;       // of still fluids [kg/s]
  std::vector<Array> area_;                   // per wind: 1/2 density coefficient width length [kg/m]
  std::vector<WindNow> winds_;                // now
};

Vec3 pull_of(const Chain& chain, const Grip& grip);  // [N] on the rod, at the point that the grip holds

// The frame at a node, from those in the middle of its edges: between both, of a wall that stands there, or at a free end
// carried on by half an edge. All to second order of the segments. `turn` says how it turns with its slots, to first order.
struct NodeTurn {
  int slot[2] = {-1, -1};
  double share[2] = {0, 0};
};
NodeTurn node_turn(const Chain& chain, int vertex);
Mat3 node_axes(const Chain& chain, int vertex);  // columns d1, d2, d3

// What the world does to the rods, apart from what depends on velocity: gravity, forces, line loads, couples.
class Loads {
 public:
  Loads(const Model& model, const Chain& chain);
  // Fills `force` (per vertex) and the chain's `torque`; recomputed only when something changed.
  void update(const Drive& drive, Chain& chain);
  // Couples turn their edges: adds to the gradient of the slots at their node.
  void add_couples(const Drive& drive, Chain& chain);
  const Array3& force() const { return force_; }
  bool follow() const { return follows_; }  // some load depends on the frames: update in every step
  struct Couple {                           // of one slot
    int slot = 0;
    V3<double> moment{0, 0, 0};
    bool follows = false;  // given in material axes
    NodeTurn turn;         // what it follows
  };
  struct Follower {  // a point force in material axes
    int vertex = 0;
    V3<double> force{0, 0, 0};
    NodeTurn turn;
  };
  // The couples on slots in world axes at the present frames, for the equilibrium solver.
  void couples(const Drive& drive, const Chain& chain, std::vector<Couple>& out) const;
  void followers(const Drive& drive, const Chain& chain, std::vector<Follower>& out) const;

 private:
  void add_node_loads(const Drive& drive, const Chain& chain);
  void add_line_loads(const Drive& drive, const Chain& chain);
  const Model& model_;
  Array3 force_;
  std::vector<double> last_;  // factors that `force` was computed for
  bool follows_ = false;      // some load depends on the frames
  std::vector<Couple> list_;  // work space
};

}  // namespace tendril::der
