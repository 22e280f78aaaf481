// Finding contacts: a pure function of the positions before and after a motion. The workspace remembers which pairs are
// near, so that they are not searched again in every step; it changes the cost, never the result, and need not be saved.
// In the field's terms: a grid as broad phase, closest points as narrow phase, speculative contacts (the margin), and
// continuous collision detection by conservative advancement (impact.h).
//
// Reports, sorted by key:
//   * pairs of segments whose gap after the motion is at most the margin: one contact for each pair (at their closest
//     points); where several pairs meet at the same node of the same rod, it is reported once;
//   * nodes near an obstacle, and segments that come nearest to it between their nodes. On flat ground these are the nodes;
//     over an edge, a rod or a ball the point between. A node is left out when its segment touches the same thing within a
//     quarter of its length from it. A mesh may touch in several places (a corner of a room);
//   * everything that would pass through (Touch::is_passing), however far beyond it is after the motion.
//
// What is promised. Nodes move on straight lines from before to after. (Seen from an obstacle: one that turns while things
// move sees them on straight lines in its own axes.)
//   1. Two segments that may touch, or a segment and an obstacle, whose centerlines come nearer than
//      limit = min(passing_core (ra + rb), d0 / 2), d0 > 0 their distance before, at any instant of the motion, are reported as passing,
//      with the normal from before that instant. So nothing crosses unreported, however fast and thin.
//   2. Up to safe_fraction of the motion no such pair is nearer than its limit: a method that goes no further than that
//      cannot have let anything pass through, however good or bad its response is.
//   3. A contact that is not passing has the right side: its normal is that of a pair that has not crossed.
// Not covered: centerlines that cross already before (d0 = 0; the scene's check refuses such starts); neighbours along a rod
// (neighbours.h), which can only fold; rounding, at 1e-15 of the coordinates. Half-spaces have no other side to pass to:
// their normal is always right and nothing is reported as passing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/contact_geometry.h"
#include "contact/grid.h"
#include "contact/touch.h"
#include "parallel/workers.h"

namespace tendril {

inline constexpr double passing_core = 0.5;  // [1] of the sum of radii: nearer than this counts as passing through

struct ContactPositions {
  std::span<const Vec3> nodes;      // flat, as in the model
  std::span<const Pose> obstacles;  // as in the geometry
};

enum class Found : std::uint8_t {
  fine,
  not_finite,  // a position is not a finite number
  too_many     // everything lies in one heap: more than 200 pairs for each segment
};

class ContactWorkspace {
 public:
  long searches() const { return searches_; }                 // how often pairs were searched anew
  void set_workers(Workers* workers) { workers_ = workers; }  // none: one thread; the answer is the same

 private:
  friend class ContactSearch;
  struct EdgeNote {  // about one obstacle
    enum : std::uint8_t { far, near, passing } mark = far;
    int first = 0, count = 0;  // its contacts in the list
  };
  OverlapGrid grid_;
  std::vector<Bounds> now_, known_, searched_;  // of segments, then obstacles
  std::vector<double> motion_;                  // how far each segment's nodes go
  std::vector<BoxPair> pairs_;                  // segment, segment or segment, edges + obstacle
  std::vector<BoxPair> at_obstacles_;           // obstacle, segment
  std::vector<EdgeNote> note_;
  std::vector<int> group_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> twins_;
  std::vector<std::vector<Touch>> met_;  // what each chunk of pairs found
  std::vector<char> finite_;             // of each chunk of segments
  Workers* workers_ = nullptr;
  long searches_ = 0;
  int revision_ = 0;  // of the geometry
};

Found find_contacts(const ContactGeometry& geometry, const ContactPositions& before, const ContactPositions& after,
                    ContactWorkspace& workspace, std::vector<Touch>& out);

// How much of the motion can be taken so that nothing passes through; > 0, 1 when nothing would. The judge of promise 2: der
// does not need it, the tests of passing through do.
double safe_fraction(std::span<const Touch> contacts);

}  // namespace tendril
