#include "model/node_frames.h"

#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "model/framing.h"

namespace tendril {
namespace {

using V = V3<double>;

// The screw that takes one pose to the other: (w, t) with turn = exp(w), shift = J(w) t.
void screw_between(const Pose& a, const Pose& b, V& w, V& t) {
  const Vec3 turn = log_rotation(Quat(a.orientation.conjugate() * b.orientation));
  const Vec3 shift = a.orientation.conjugate() * (b.position - a.position);
  w = to_small(turn);
  t = to_small(Vec3(left_jacobian_inverse(turn) * shift));
}

}  // namespace

double start_half_twist(const Model& model, int rod, int node) {
  const RodSpan& span = model.rods[z(rod)].span;
  if (span.inner == 0) return 0;
  return 0.5 * model.initial.twist[InnerNodeIndex{span.first_inner + std::clamp(node - 1, 0, span.inner - 1)}];
}

RestScrew rest_screw(const Model& model, int rod, int k) {
  const RodSpan& span = model.rods[z(rod)].span;
  const NodeIndex i{span.first_node + k};
  V w, t;
  screw_between({model.rest_position[i], model.rest_node_frame[i]},
                {model.rest_position[i + 1], model.rest_node_frame[i + 1]}, w, t);
  // A screw knows its turn up to whole turns; the unwrapped rest twist of the nodes says how many there are.
  const double twist = dot(w, t) / norm(t);  // about the direction of travel; any number of turns
  const double before = k > 0 ? model.rest_twist[InnerNodeIndex{span.first_inner + k - 1}] : HUGE_VAL;
  const double after = k + 1 < span.edges ? model.rest_twist[InnerNodeIndex{span.first_inner + k}] : HUGE_VAL;
  const double near =
      before == HUGE_VAL ? (after == HUGE_VAL ? twist : after) : (after == HUGE_VAL ? before : 0.5 * (before + after));
  const double turns = math::round_nearest((near - twist) / math::two_pi);
  if (turns != 0 && norm(w) > 0) {  // a section that turns by more than half a turn in one edge
    const double angle = norm(w), sign = twist < 0 ? -1.0 : 1.0;
    const V wound = ((angle + sign * turns * math::two_pi) / angle) * w;
    const Vec3 shift = left_jacobian(to_eigen(w)) * to_eigen(t);
    t = to_small(Vec3(left_jacobian_inverse(to_eigen(wound)) * shift));
    w = wound;
  }
  return {w, t};
}

std::vector<Quat> start_node_frames(const Model& model, int rod) {
  const RodSpan& span = model.rods[z(rod)].span;
  const Frame& start = model.initial;
  // Largest distance from the rest shape, in position and in orientation.
  double away = 0;
  for (int k = 0; k < span.nodes; ++k) {
    const NodeIndex i{span.first_node + k};
    away = std::max(away, (start.position[i] - model.rest_position[i]).norm());
  }
  for (int k = 0; k < span.edges; ++k) {
    const EdgeIndex e{span.first_edge + k};
    away = std::max(away, model.rods[z(rod)].length * start.orientation[e].angularDistance(model.rest_frame[e]));
  }
  const bool at_rest = away < 1e-9 * model.rods[z(rod)].length;
  std::vector<Quat> frames;
  for (int k = 0; k < span.nodes; ++k) {
    const EdgeIndex before{span.first_edge + std::max(0, k - 1)}, after{span.first_edge + std::min(k, span.edges - 1)};
    const Vec3 tangent = (director(start.orientation[before], 2) + director(start.orientation[after], 2)).normalized();
    const double half = k == 0 ? -start_half_twist(model, rod, 0) : start_half_twist(model, rod, k);
    frames.push_back(at_rest ? model.rest_node_frame[NodeIndex{span.first_node + k}]
                             : turned(carried_onto(start.orientation[before], tangent), half));
  }
  for (const ClampModel& clamp : model.clamps) {
    if (clamp.rod != rod || !clamp.direction || at_rest) continue;
    frames[z(clamp.node.value - span.first_node)] = clamp.start.orientation;
  }
  return frames;
}

}  // namespace tendril
