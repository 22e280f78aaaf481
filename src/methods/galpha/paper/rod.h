// A rod as the paper's formulation has it: segments and nodes, and one level of time with what follows from its fields.
#pragma once

#include <vector>

#include "math/index.h"
#include "methods/galpha/paper/segment.h"
#include "methods/galpha/paper/settings.h"
#include "model/loads.h"

namespace tendril::galpha::paper {

struct Node {
  Vec3 stiffness = Vec3::Zero();  // EI1, EI2, GJ: means of the segments on either side
  Vec3 rest = Vec3::Zero();       // natural curvature and twist
};
struct RodData {
  int rod = 0;
  RodSpan span;
  std::vector<Segment> segments;
  std::vector<Node> nodes;
  std::vector<Vec3> start;              // curvature at the start
  double length = 0, stiffness = 0;     // of the arc [m]; largest of EI1, EI2, GJ [N m^2]
  int near_clamp = -1, far_clamp = -1;  // -1: none
  int count() const { return static_cast<int>(segments.size()); }
  EdgeIndex edge(int k) const { return EdgeIndex(span.first_edge + k); }
  NodeIndex node(int k) const { return NodeIndex(span.first_node + k); }
  Vec3 moment(int k, const Fields& x) const {
    return nodes[z(k)].stiffness.cwiseProduct(x.k - nodes[z(k)].rest);  // [Sobottka 2008, eq. (11)]
  }
};
RodData rod_data(const Model& model, int rod);

struct Ends {         // at one level
  Pose near;          // of the first node
  Motion motion;      // of it, in its own axes
  bool held = false;  // the far end, too:
  Pose far;           // where it should be
  Motion far_motion;  // with what velocity, world axes, feedback included
  GivenLoad load;     // else: what acts there
};

struct Level {
  std::vector<Fields> x;
  std::vector<Rates> rate;
  Ends ends;
  // What follows from them.
  std::vector<Mat3> frame;       // of nodes
  std::vector<Vec3> place;       // of nodes [m]
  std::vector<Mat3> turn, half;  // of segments: from the frame of the near node to that of the far one, and to the middle
  std::vector<Slopes> slope;     // of nodes, by the recurrence
  std::vector<Rows> rows;        // of segments: all terms but those with derivatives in time

  explicit Level(const RodData& rod);
};

// Frames and places from the near end on: R_b = R_a exp(h k), r_b = r_a + the arc of constant curvature k = mean of both
// nodes.  [Sobottka 2008, eq. (23); ERRATA B15, B16]
void place_frames(const RodData& rod, Level& level);

// How a segment weighs its nodes.
struct Weights {
  double near_rate = 0.5;  // of derivatives in time; far: 1 - near_rate  (alpha of space)
  double near = 0.5;       // of everything else  (beta of space)
  double slope = 1;        // derivative along the rod: slope (y_b - y_a) / h + kept y_s,a
  double kept = 0;
  double gamma = 0.5;  // of the recurrence
};
Weights weights_of(const Settings& settings);

Point point_at(const RodData& rod, const Level& level, int node, const GivenLoad& load);
Point mean_point(const RodData& rod, const Level& level, int segment, const GivenLoad& load);
// `slope` and `rows` of a level whose frames are placed.
void find_rows(const RodData& rod, Space space, const Weights& weights, const LoadsNow& loads, Level& level);

}  // namespace tendril::galpha::paper
