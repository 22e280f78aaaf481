#include "contact/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "math/elementary.h"

namespace tendril {
using Size = std::size_t;

std::vector<int> joined_nodes(const Model& model) {
  std::vector<int> place(static_cast<Size>(model.material.size()));
  std::iota(place.begin(), place.end(), 0);
  const auto root = [&](int n) {
    while (place[static_cast<Size>(n)] != n)
      n = place[static_cast<Size>(n)] = place[static_cast<Size>(place[static_cast<Size>(n)])];
    return n;
  };
  for (const JointModel& joint : model.joints) {
    if (joint.rod_a < 0 || joint.rod_b < 0) continue;
    const int a = root(joint.node_a.value), b = root(joint.node_b.value);
    place[static_cast<Size>(std::max(a, b))] = std::min(a, b);
  }
  for (Size n = 0; n < place.size(); ++n) place[n] = root(static_cast<int>(n));
  return place;
}

void Neighbours::set_edge(int edge, int rod, double start, double end, double radius) {
  edge_[static_cast<Size>(edge)] = {rod, start, end, circumferences_ * math::two_pi * radius};
}

Neighbours::Neighbours(const Model& model) : circumferences_(model.contact.neighbour_length), line_(model.rods.size()) {
  for (Size r = 0; r < model.rods.size(); ++r)
    if (model.rods[r].span.ring) line_[r].ring_length = model.rods[r].length;
  // Where rods meet: nodes that joints tie together have one number, and so has each body.
  const std::vector<int> place = joined_nodes(model);
  const int nodes = model.material.size();
  const auto note = [&](int rod, NodeIndex node, int at, const Vec3& point) {
    line_[static_cast<Size>(rod)].meetings.push_back({at, model.material[node], point});
  };
  for (const JointModel& joint : model.joints) {
    for (const auto& [rod, node, body] :
         {std::tuple(joint.rod_a, joint.node_a, joint.body_b), std::tuple(joint.rod_b, joint.node_b, joint.body_a)}) {
      if (rod < 0) continue;
      if (body >= 0)
        note(rod, node, nodes + body, joint.point);
      else if (joint.rod_a >= 0 && joint.rod_b >= 0)
        note(rod, node, place[static_cast<Size>(node.value)], Vec3::Zero());
    }
  }
}

double Neighbours::distance_to(const Edge& edge, double at) const {
  const auto outside = [&edge](double p) { return std::max({0.0, edge.start - p, p - edge.end}); };
  const double ring = line_[static_cast<Size>(edge.rod)].ring_length;
  return ring > 0 ? std::min({outside(at), outside(at - ring), outside(at + ring)}) : outside(at);
}

double Neighbours::distance_between(const Edge& a, const Edge& b) const {
  const double direct = std::max({0.0, a.start - b.end, b.start - a.end});
  const double ring = line_[static_cast<Size>(a.rod)].ring_length;
  return ring > 0 ? std::min(direct, std::max(0.0, ring - (std::max(a.end, b.end) - std::min(a.start, b.start)))) : direct;
}

bool Neighbours::are_neighbours(int edge_a, int edge_b) const {
  const Edge &a = edge_[static_cast<Size>(edge_a)], &b = edge_[static_cast<Size>(edge_b)];
  const double reach = std::max(a.length, b.length);
  // Rest lengths are sums: what touches may be a rounding apart.
  const double together = 1e-9 * ((a.end - a.start) + (b.end - b.start));
  const auto near = [&](double along) { return along < reach || along <= together; };
  if (a.rod == b.rod && near(distance_between(a, b))) return true;
  const Line &line_a = line_[static_cast<Size>(a.rod)], &line_b = line_[static_cast<Size>(b.rod)];
  for (const Meeting& p : line_a.meetings)
    for (const Meeting& q : line_b.meetings)
      if (p.place == q.place && near(distance_to(a, p.at) + (p.point - q.point).norm() + distance_to(b, q.at))) return true;
  return false;
}

}  // namespace tendril
