// Joints that say what another joint or a clamp says already: their rows would repeat each other, and no solver could tell which of them
// carries the load.
#include <algorithm>

#include "methods/cable/cable.h"
#include "model/join_plan.h"

namespace tendril::cable {
namespace {

// One side of a joint: a node of a rod, a body that moves, or what is led.
struct Side {
  int node = -1, body = -1;
  bool operator==(const Side&) const = default;
  bool is_led() const { return node < 0 && body < 0; }
};
Side side_of(const Model& model, int rod, NodeIndex node, int body) {
  if (rod >= 0) return {node.value, -1};
  return {-1, body >= 0 && model.bodies[z(body)].moves_freely() ? body : -1};
}
bool at_once(double from_a, double until_a, double from_b, double until_b) {
  return std::max(from_a, from_b) < std::min(until_a, until_b);
}

}  // namespace

void check_points_held_once(const Model& model, Problems& problems) {
  const auto sides = [&](const JointModel& j) {
    return std::pair(side_of(model, j.rod_a, j.node_a, j.body_a), side_of(model, j.rod_b, j.node_b, j.body_b));
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointModel& one = model.joints[i];
    const auto [a, b] = sides(one);
    const std::string field = "joint[" + std::to_string(i) + "]";
    for (std::size_t k = 0; k < i; ++k) {
      const JointModel& other = model.joints[k];
      const auto [c, d] = sides(other);
      const bool same = (a == c && b == d) || (a == d && b == c);
      if (!same || (one.point - other.point).norm() > 1e-9 || !at_once(one.from, one.until, other.from, other.until))
        continue;
      problems.push_back({Severity::error, "", field, "holds the same point as joint " + other.name, "",
                          "remove one of them: two joints that say the same repeat their rows"});
    }
    for (const ClampModel& clamp : model.clamps) {
      const bool here = (b.is_led() && a.node == clamp.node.value) || (a.is_led() && b.node == clamp.node.value);
      if (!here || !clamp.position || !at_once(one.from, one.until, clamp.from, clamp.until)) continue;
      problems.push_back({Severity::error, "", field, "holds a point that clamp " + clamp.name + " holds already", "",
                          "remove one of them: clamp and joint repeat their rows"});
    }
  }
}

}  // namespace tendril::cable
