#include <algorithm>

#include "methods/strands/shooting.h"

namespace tendril::strands {

// Every segment as a free body, in world axes: its two ends and the trapezoid of its loads. The far end of a segment at a
// hold inside the strand is left out: there the hold's unknown reaction is part of the jump.
double equilibrium_error(const Strand& strand, const std::vector<State>& states) {
  const Scales scales = Scales::of(strand);
  double worst = 0;
  for (int j = 0; j < strand.last(); ++j) {
    const bool inner = j + 1 < strand.last();
    if (inner && strand.hold_at(j + 1)) continue;
    const Segment& s = strand.segments[z(j)];
    // Forces and moments at both ends, and the loads between, must cancel.
    const State& a = states[z(j)];
    State b = states[z(j + 1)];
    if (inner) cross_node(strand, j + 1, b);
    const V na = into_world(a.q, a.x.n), nb = into_world(b.q, b.x.n), arm = b.r - a.r;
    V load{0, 0, 0}, turning = cross(arm, nb);
    if (s.loaded_world || s.loaded_material) {
      const V fa = s.world_force + into_world(a.q, s.material_force), fb = s.world_force + into_world(b.q, s.material_force);
      load = (0.5 * s.h) * (fa + fb);
      turning += (0.5 * s.h) * cross(arm, fb);
    }
    worst = std::max(worst, norm(nb - na + load) / scales.force);
    worst = std::max(worst, norm(into_world(b.q, b.x.m) - into_world(a.q, a.x.m) + turning) / scales.moment);
  }
  return worst;
}

}  // namespace tendril::strands
