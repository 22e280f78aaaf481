#include "methods/der/joints/join_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "math/index.h"
#include "model/bodies.h"

namespace tendril::der {
namespace {

double bending_of(const Section& s) { return std::max(s.EI1, s.EI2); }

}  // namespace

// A wall's joint resists with 2 EI/l and shares its edge's two nodes.
CarrierBound carrier_bound(const Model& model, const JoinPlan& plan) {
  std::vector<double> row(z(plan.bodies) + plan.junctions.size(), 0.0);
  for (const WallPlan& wall : plan.walls) {
    const bool body = wall.carrier < plan.bodies;
    const double inertia =
        body ? model.bodies[z(wall.carrier)].inertia.minCoeff() : plan.junctions[z(wall.carrier - plan.bodies)].inertia;
    if (!(inertia > 0)) continue;
    for (const EdgeIndex e : edges_at(model, NodeIndex{wall.node})) {
      const double l = model.rest_length[e], m = 0.5 * model.section[e].line_mass * l;  // at least half an edge at a node
      const double k = 2 * std::max(bending_of(model.section[e]), model.section[e].GJ) / l;
      row[z(wall.carrier)] += k / inertia + 2 * (k / l) / std::sqrt(inertia * m);
    }
  }
  CarrierBound bound;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] > bound.squared) bound = {row[i], static_cast<int>(i)};
  return bound;
}

void check_joins(const Model& model, Problems& problems) {
  constexpr double light = 0.05;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointModel& j = model.joints[i];
    check_frames_held_once(model, i, problems);
    // A light body on a heavy rod.
    for (const auto& [rod, body] : {std::pair(j.rod_a, j.body_b), std::pair(j.rod_b, j.body_a)}) {
      if (rod < 0 || body < 0 || !model.bodies[z(body)].moves_freely()) continue;
      const double ratio = model.bodies[z(body)].mass / mass_of(model, model.rods[z(rod)]);
      if (ratio >= light) continue;
      char text[200];
      std::snprintf(text, sizeof text, "is much lighter than rod %s: mass ratio %.3g", model.rods[z(rod)].name.c_str(),
                    ratio);
      problems.push_back({Severity::warning, "", "body[" + std::to_string(body) + "].mass", text,
                          "the rod turns it about rather than it the rod, and the step may have to be shorter",
                          "make it heavier, or join the rods to each other"});
    }
  }
}

}  // namespace tendril::der
