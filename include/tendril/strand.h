// One strand for a haptic loop: where does it lie now, and what does the hand feel?
//
// Made once (allocates); every call afterwards allocates nothing and does a bounded amount of work. When the bound is hit
// the last good shape stays, and the answer says so.
//
//   HapticStrand suture({.length = 0.3, .EI1 = 2e-6, .EI2 = 2e-6, .GJ = 1.5e-6});
//   for (;;) {                                              // a thousand times a second
//     const StrandAnswer answer = suture.couple(hand, 1e-3);  // hand: pose, stiffness and damping of the coupling
//     device.set(answer.on_hand);
//   }
#pragma once

#include <memory>
#include <span>

#include "tendril/frame.h"
#include "tendril/live.h"
#include "tendril/types.h"

namespace tendril {

struct StrandDesign {
  double length = 1;  // [m]
  int segments = 100;
  double EI1 = 1, EI2 = 1, GJ = 1;  // [N m^2]
  Vec3 rest_strain = Vec3::Zero();  // curvature about d1 and d2, twist [rad/m]
  Vec3 line_force = Vec3::Zero();   // weight per length, world axes [N/m]
  Pose root = {};                   // of the held end, d3 along the strand
  int order = 2;                    // of the sweeps: 1, 2 or 4
  double tolerance = 1e-8;          // parts of the length, radians
  int max_iterations = 8;           // of Newton's method in one call
  int max_descents = 100;           // iterations of the energy's descent when Newton's method fails; 0: none
  bool verdict = true;              // look in every call whether the shape is a minimum of the energy, and leave it if not
};

struct StrandAnswer {
  bool fine = false;     // false: the bound was hit and the last good shape is still there
  bool arrived = true;   // false: the pose asked for was far away; the strand goes there call by call
  bool in_reach = true;  // false: further away than 99.5 % of the strand's length; the nearest place in reach is held
  int iterations = 0, sweeps = 0;
  double residual = 0;   // parts of the length, radians
  double imbalance = 0;  // of force and moment, of any segment as a free body, over EI/L^2 and EI/L; with the verdict
  Verdict verdict;       // no_energy: the pull turns with the strand, or turns it
  Wrench on_hand;        // what the hand feels, world axes
};

class HapticStrand {
 public:
  explicit HapticStrand(const StrandDesign& design);
  ~HapticStrand();
  HapticStrand(HapticStrand&&) noexcept;
  HapticStrand& operator=(HapticStrand&&) noexcept;

  void move_root(const Pose& root);
  // The far end is where the hand is.
  StrandAnswer lead(const Pose& end);
  // The far end is pulled and turned: in the strand's own axes there (two sweeps, no iteration) or in world axes.
  StrandAnswer pull_in_material_axes(const Wrench& end);
  StrandAnswer pull_in_world_axes(const Wrench& end);
  // The hand holds the far end by a spring and damper. Passive for any motion of the hand: over any number of calls the work
  // on_hand . motion that the hand has done is at least what is stored.
  StrandAnswer couple(const Hand& hand, double dt);
  void let_go();  // forget the coupling; the next couple() begins a new one, with nothing stored in it

  int nodes() const;
  Pose pose(int node) const;
  Wrench stress(int node) const;  // internal force and moment, action of s+ on s-, world axes
  double elastic_energy() const;  // of the strand
  double stored_energy() const;   // of strand, weight and coupling
  double work() const;            // done by the hand since the coupling began
  double corrected() const;       // part of that work which was added to keep the coupling passive

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tendril
