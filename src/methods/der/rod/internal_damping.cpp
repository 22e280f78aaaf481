#include "methods/der/rod/internal_damping.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace tendril::der {
namespace {
constexpr int per_node = 4, half_bandwidth = 10;  // a joint couples three nodes and the spins of two edges
// [1] of a joint's stiffness: keeps the spin of a straight rod about itself, which nothing resists, from dividing by zero.
constexpr double spin_floor = 1e-13;

// The joint's stiffness against dw, half of it in the frame of each side.
//   curvature towards m1 is a turn about m2, towards m2 a turn about -m1  [ERRATA D3]
M3<double> half_stiffness(const Chain& c, int s, bool general) {
  const Sym2<double> B = c.stiffness(s);
  const V3<double> t = c.t.get(s);
  if (!general) {  // isotropic: no frame needed, and none kept
    const M3<double> along = outer(t, t);
    return B.xx * (M3<double>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} - along);
  }
  const V3<double> m1 = c.m1.get(s), m2 = c.m2.get(s);
  return B.xx * outer(m2, m2) - B.xy * (outer(m1, m2) + outer(m2, m1)) + B.yy * outer(m1, m1);
}
}  // namespace

InternalDamping::InternalDamping(const Chain& c) {
  for (std::size_t r = 0; r < c.rods.size(); ++r) {
    if (c.internal_damping[z(c.rods[r].first + 1)] > 0) add_rod(c, static_cast<int>(r));
  }
}

void InternalDamping::add_rod(const Chain& c, int r) {
  const ChainRod& from = c.rods[z(r)];
  DampedRod rod;
  rod.rod = r;
  rod.ring = from.ring;
  rod.time = c.internal_damping[z(from.first + 1)];
  // Edges and nodes in order; a ring's wrap slot is its first edge again.
  std::vector<int> edge_of(z(from.slots), -1);
  for (int i = 0; i < from.slots; ++i) {
    const int s = from.first + i;
    if (c.kind[z(s)] == SlotKind::wrap) edge_of[z(i)] = 0;
    if (c.kind[z(s)] != SlotKind::edge) continue;
    edge_of[z(i)] = static_cast<int>(rod.slot.size());
    rod.slot.push_back(s);
    rod.vertex.push_back(c.vertex_of_node[z(c.node[z(s)])]);
  }
  if (!from.ring) rod.vertex.push_back(c.vertex_of_node[z(c.node[z(rod.slot.back() + 1)])]);
  // Links: neighbours along the rod. Walls that hold no direction, or that a body or junction carries, are passed over.
  Side before;
  double twist_compliance = 0;
  bool found = false;
  for (int i = 0; i < from.slots; ++i) {
    const int s = from.first + i;
    if (i > 0 && c.twist_stiffness[z(s)] > 0) twist_compliance += 1 / c.twist_stiffness[z(s)];
    Side side{s, edge_of[z(i)], -1};
    if (side.edge < 0) {
      const auto wall = std::find_if(c.walls.begin(), c.walls.end(), [&](const Wall& w) { return w.slot == s; });
      if (wall == c.walls.end() || wall->clamp < 0 || !wall->direction) continue;
      side.clamp = wall->clamp;
    } else if (c.kind[z(s)] == SlotKind::wrap) {
      side.slot = from.first;
      while (c.kind[z(side.slot)] != SlotKind::edge) ++side.slot;
    }
    if (found && (before.edge >= 0 || side.edge >= 0)) {
      const double l =
          (before.edge >= 0 ? c.rest_length[z(before.slot)] : 0) + (side.edge >= 0 ? c.rest_length[z(side.slot)] : 0);
      rod.links.push_back({before, side, 1 / l, twist_compliance > 0 ? 1 / twist_compliance : 0});
    }
    before = side;
    found = true;
    twist_compliance = 0;
  }
  const int size = per_node * static_cast<int>(rod.vertex.size()) - (from.ring ? 0 : 1);
  rod.right.assign(z(size), 0);
  from.ring ? rod.closed.resize(size, half_bandwidth) : rod.open.resize(size, half_bandwidth);
  rods_.push_back(std::move(rod));
}

// dw is linear in the unknowns: a column of three numbers for each. Nodes that are held have none.
void InternalDamping::add_link(const Chain& c, const Drive& drive, double h, DampedRod& rod, const Link& link) const {
  const bool general = c.rods[z(rod.rod)].general;
  const int nodes = static_cast<int>(rod.vertex.size());
  // Stiffness times tau h, and the present rate without spins.
  const V3<double> mean = normalized(c.t.get(link.a.slot) + c.t.get(link.b.slot));
  const double twist = std::max(link.twist, 1e-6 * link.inverse_l * c.B_xx[z(link.a.slot)]);
  const M3<double> bending = half_stiffness(c, link.a.slot, general) + half_stiffness(c, link.b.slot, general);
  const M3<double> K = (h * rod.time) * (link.inverse_l * bending + twist * outer(mean, mean));
  V3<double> rate{0, 0, 0};
  std::array<int, 14> index;
  std::array<V3<double>, 14> column;
  int count = 0;
  const auto take = [&](int i, const V3<double>& g) {  // one unknown; the node that both edges share comes twice
    for (int k = 0; k < count; ++k) {
      if (index[z(k)] != i) continue;
      column[z(k)] += g;
      return;
    }
    index[z(count)] = i;
    column[z(count++)] = g;
  };
  for (const double sign : {-1.0, 1.0}) {
    const Side& side = sign < 0 ? link.a : link.b;
    if (side.edge < 0) {
      rate += sign * to_small(drive.clamps[z(side.clamp)].motion.angular);
      continue;
    }
    const int s = side.slot, ends[2] = {side.edge, (side.edge + 1) % nodes};
    const V3<double> t = c.t.get(s);
    const double inverse = c.inverse_length[z(s)];
    rate += (sign * inverse) * cross(t, c.v.get(s + 1) - c.v.get(s));
    take(per_node * side.edge + 3, sign * t);
    for (const int end : {0, 1}) {
      if (c.inverse_mass[z(rod.vertex[z(ends[end])])] == 0) continue;
      const double share = (end == 0 ? -sign : sign) * inverse;
      for (int k = 0; k < 3; ++k) {
        const V3<double> axis{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
        take(per_node * ends[end] + k, share * cross(t, axis));
      }
    }
  }
  const V3<double> moment = K * rate;
  const double floor = spin_floor * (K(0, 0) + K(1, 1) + K(2, 2));
  for (int p = 0; p < count; ++p) {
    const V3<double> pushed = K * column[z(p)];
    rod.right[z(index[z(p)])] -= dot(column[z(p)], moment);
    for (int q = 0; q <= p; ++q) rod.add(index[z(p)], index[z(q)], dot(column[z(q)], pushed));
    if (index[z(p)] % per_node == 3) rod.add(index[z(p)], index[z(p)], floor);
  }
}

void InternalDamping::apply(Chain& c, const Chunk& chunk, const Drive& drive, double h, Array3* impulse) {
  for (DampedRod& rod : rods_) {
    if (rod.rod < chunk.first_rod || rod.rod >= chunk.last_rod) continue;
    rod.ring ? rod.closed.set_zero() : rod.open.set_zero();
    std::fill(rod.right.begin(), rod.right.end(), 0.0);
    for (std::size_t k = 0; k < rod.vertex.size(); ++k) {
      const auto v = z(rod.vertex[k]);
      for (int i = 0; i < 3; ++i) {
        const int at = per_node * static_cast<int>(k) + i;
        rod.add(at, at, c.inverse_mass[v] > 0 ? c.mass[v] : 1);
      }
    }
    for (const Link& link : rod.links) add_link(c, drive, h, rod, link);
    // Positive definite by its making; a pivot that rounding makes tiny is that of a spin nothing resists.
    std::ignore = rod.ring ? rod.closed.factor() : rod.open.factor();
    rod.ring ? rod.closed.solve(rod.right) : rod.open.solve(rod.right);
    for (std::size_t k = 0; k < rod.vertex.size(); ++k) {
      const double* change = &rod.right[per_node * k];
      const V3<double> d{change[0], change[1], change[2]};
      c.v.add(rod.vertex[k], d);
      if (impulse != nullptr) impulse->set(rod.vertex[k], c.mass[z(rod.vertex[k])] * d);
    }
  }
  for (const Twin& twin : c.twins_of(chunk)) c.v.set(twin.second, c.v.get(twin.first));
}

}  // namespace tendril::der
