// Strands with the same section and rest strain all along, for experiments, benchmarks and tests.
#pragma once

#include "methods/strands/shooting.h"
#include "methods/strands/standard.h"

namespace tendril::strands {

struct Uniform {
  double length = 1;
  int segments = 100;
  V stiffness{1, 1, 1};  // EI1, EI2, GJ
  V u_rest{0, 0, 0};
  V give{0, 0, 0};
  int order = 2;
};
inline Strand uniform_strand(const Uniform& of) {
  Strand strand;
  Segment s;
  s.h = of.length / of.segments;
  s.u_rest = of.u_rest;
  s.compliance = {1 / of.stiffness.x, 1 / of.stiffness.y, 1 / of.stiffness.z};
  s.give = of.give;
  strand.segments.assign(z(of.segments), s);
  strand.order = of.order;
  strand.set_loads({});
  return strand;
}
// d3 along +x, d1 along +y, d2 along +z: the frame of the reference cases.
inline Quaternion along_x() { return to_small(quat_from_frame(Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX())); }
inline HeldNode held(int node, const V& r, const Quaternion& q) { return {node, true, true, true, r, q}; }

// All states as a straight or naturally bent strand that starts at r, q.
inline std::vector<State> rest_states(const Strand& strand, const V& r, const Quaternion& q) {
  Strand bare = strand;
  for (Segment& s : bare.segments) s.world_force = s.material_force = {0, 0, 0};
  bare.set_loads({});
  Standard standard;
  standard.solve(bare, r, q, {{0, 0, 0}, {0, 0, 0}});
  return standard.states();
}

}  // namespace tendril::strands
