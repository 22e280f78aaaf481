// Which segments never touch because they are neighbours: along one rod, around a ring, through a joint, or through a body
// to which both rods are joined (its points count as far apart as they are).
//
// A rod of radius r that does not bend more sharply than r touches itself from an arc length of pi r on. Stretches nearer
// than `neighbour_length` circumferences (2 pi r each, default 1) are left alone; segments that share a node always.
#pragma once

#include <vector>

#include "model/model.h"

namespace tendril {

// Nodes that joints put together get the same number: the lowest of them.
std::vector<int> joined_nodes(const Model& model);

class Neighbours {
 public:
  explicit Neighbours(const Model& model);  // where rods are joined; edges are set one by one
  void clear_edges(std::size_t count) { edge_.assign(count, {}); }
  void set_edge(int edge, int rod, double start, double end, double radius);  // arc length in the rest rod

  bool are_neighbours(int edge_a, int edge_b) const;
  double length_of(int edge) const { return edge_[static_cast<std::size_t>(edge)].length; }  // within which they are [m]
  int rod_of(int edge) const { return edge_[static_cast<std::size_t>(edge)].rod; }

 private:
  struct Edge {
    int rod = 0;
    double start = 0, end = 0;  // arc length in the rest rod
    double length = 0;          // within which others are neighbours
  };
  struct Meeting {              // a place where rods are joined
    int place = 0;              // the same number: the same place, or the same body
    double at = 0;              // arc length
    Vec3 point = Vec3::Zero();  // on the body, as it lies at the start
  };
  struct Line {
    double ring_length = 0;  // 0: open
    std::vector<Meeting> meetings;
  };
  double distance_to(const Edge& edge, double at) const;  // along the rod
  double distance_between(const Edge& a, const Edge& b) const;
  double circumferences_ = 1;  // within which edges are neighbours
  std::vector<Edge> edge_;
  std::vector<Line> line_;
};

}  // namespace tendril
