// A strand as a mesh of segments with its loads and holds: what the sweeps and solvers of this folder share.
#pragma once

#include <array>
#include <vector>

#include "math/index.h"
#include "math/log_of.h"
#include "methods/strands/segment.h"
#include "model/grips.h"
#include "tendril/live.h"

namespace tendril::strands {

struct StrandLoad {
  int node = 0;
  V world_force{0, 0, 0}, world_moment{0, 0, 0}, material_force{0, 0, 0}, material_moment{0, 0, 0};
};

// What is held at a node: position in world axes; direction and twist as an orientation. Twist is held only with direction.
struct HeldNode {
  int node = 0;
  bool position = false, direction = false, twist = false;
  V r{0, 0, 0};
  Quaternion q{1, 0, 0, 0};
  bool all() const { return position && direction && twist; }
};

// Springs at a node: force = k (r* - r) in world axes; moment = sum of turning springs, material axes. A damper in backward
// differences is a spring too, so this is also a spring and damper (coupling.h).
struct TurningSpring {
  double k = 0;  // [N m/rad]
  Quaternion q{1, 0, 0, 0};
};
inline constexpr int max_turning = 12;
struct Spring {
  int node = 0;
  double k = 0;  // [N/m]
  V r{0, 0, 0};
  FixedVec<TurningSpring, max_turning> turning;
};

// Pose and stress of a cross section: r, q in world axes, stress in material axes.
template <class T>
struct Slice {
  V3<T> r;
  Q<T> q;
  Stress<T> x;
};
using State = Slice<double>;

struct Strand {
  std::vector<Segment> segments;  // node i lies between segments i - 1 and i
  std::vector<StrandLoad> loads;  // rising nodes, each node once
  std::vector<int> load_at;       // by node: index into loads, or -1
  std::vector<HeldNode> holds;    // rising nodes, each node once
  std::vector<Spring> springs;    // rising nodes, each node once
  std::vector<int> spring_at;     // by node, as load_at
  Law law;
  int order = 2;
  bool world_loads = false;  // any, not zero
  bool plain = false;        // along d3, of fixed length, no distributed loads but such that turn with the strand

  int nodes() const { return static_cast<int>(segments.size()) + 1; }
  int last() const { return static_cast<int>(segments.size()); }
  double length() const {
    double sum = 0;
    for (const Segment& s : segments) sum += s.h;
    return sum;
  }
  double softest() const {  // smallest bending stiffness: the scale of forces and moments
    double most = 0;
    for (const Segment& s : segments) most = std::max({most, s.compliance.x, s.compliance.y});
    return 1 / most;
  }
  const HeldNode* hold_at(int node) const {
    for (const HeldNode& hold : holds)
      if (hold.node == node) return &hold;
    return nullptr;
  }
  void set_loads(std::vector<StrandLoad> given);  // sorts; fills load_at
  void set_springs(std::vector<Spring> given);
  void note_loads();  // which kinds of loads and segments there are
};

// Residuals and unknowns are made dimensionless with these.
struct Scales {
  double length = 1, force = 1, moment = 1;
  static Scales of(const Strand& strand) {
    const double l = strand.length(), stiffness = strand.softest();
    return {l, stiffness / (l * l), stiffness / l};
  }
};

template <class T>
V3<T> into_material(const Q<T>& q, const V3<T>& world) {
  return rotate(conjugate(q), world);
}
template <class T>
V3<T> into_world(const Q<T>& q, const V3<T>& material) {
  return rotate(q, material);
}

// What a spring does to the strand, in material axes.
template <class T>
Stress<T> pull_of(const Spring& spring, const V3<T>& r, const Q<T>& q) {
  Stress<T> x;
  x.n = into_material(q, spring_pull(spring.k, spring.r, r));
  x.m = zero3<T>();
  for (const TurningSpring& turning : spring.turning) x.m += spring_turn(turning.k, turning.q, q);
  return x;
}

// Going back over a node: n(s-) = n(s+) + applied force, of loads and springs.
template <class T>
void cross_node(const Strand& strand, int node, Slice<T>& at) {
  if (const int index = strand.spring_at[z(node)]; index >= 0) {
    const Stress<T> pull = pull_of(strand.springs[z(index)], at.r, at.q);
    at.x.n += pull.n, at.x.m += pull.m;
  }
  const int index = strand.load_at[z(node)];
  if (index < 0) return;
  const StrandLoad& load = strand.loads[z(index)];
  at.x.n += into_material(at.q, constant<T>(load.world_force)) + constant<T>(load.material_force);
  at.x.m += into_material(at.q, constant<T>(load.world_moment)) + constant<T>(load.material_moment);
}

// Goes back from just before node `from` to just behind node `to` (both sides named going along s). `record`, when given,
// has room for all nodes and takes the slices just behind each node passed, `to` included.
template <int order, class T>
void sweep_back_of_order(const Strand& strand, int from, int to, Slice<T>& at, State* record) {
  for (int j = from - 1; j >= to; --j) {
    const Segment& s = strand.segments[z(j)];
    const V3<T> world = s.loaded_world ? into_material(at.q, constant<T>(s.world_force)) : zero3<T>();
    const Screw<T> e = step_back<order>(s, strand.law, at.x, world);
    at.q = at.q * conjugate(e.turn);
    at.r -= rotate(at.q, e.shift);
    if (record) {
      if constexpr (std::is_same_v<T, double>) record[j] = at;
    }
    if (j > to) cross_node(strand, j, at);
  }
}
template <class T>
void sweep_back(const Strand& strand, int from, int to, Slice<T>& at, State* record = nullptr) {
  if (strand.order == 1) return sweep_back_of_order<1>(strand, from, to, at, record);
  if (strand.order == 2) return sweep_back_of_order<2>(strand, from, to, at, record);
  return sweep_back_of_order<4>(strand, from, to, at, record);
}

}  // namespace tendril::strands
