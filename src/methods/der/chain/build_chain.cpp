// long: one builder whose parts fill one struct.
// Lays a Model's rods out as a Chain: slots, walls, twins, coefficients, starting state.
#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/rotation.h"
#include "math/transport.h"
#include "methods/der/chain/chain.h"
#include "methods/der/rod/frames.h"

namespace tendril::der {
namespace {

constexpr double straight_enough = 1e-12;  // a rest curvature (angle per joint) below this is rounding
// GJ of a rod without twist stiffness [N m^2]: no moment that could be felt, and yet the twist has its place along the rod.
constexpr double limp = 1e-100;

V3<double> tangent_of(const Quat& q) { return to_small(director(q, 2)); }
V3<double> d1_of(const Quat& q) { return to_small(director(q, 0)); }

// Rest shape of one slot, and its shape in the pose the chain starts from.
struct SlotShape {
  V3<double> rest_t, rest_d1, t, d1;
  double twist_before = 0,
         rest_twist_before = 0;  // expected twist at the joint before this slot (unwrapping), section frame
};

class Builder {
 public:
  Builder(const Model& model, const Frame& pose, const Drive& drive, const ChainChoice& choice)
      : model_(model), pose_(pose), drive_(drive), choice_(choice) {}

  Chain build() {
    // Lay out rods one after the other; chunks of about equal size are what threads share.
    chain_.vertex_of_node.assign(static_cast<std::size_t>(model_.rest_position.size()), -1);
    chain_.slot_of_edge.assign(static_cast<std::size_t>(model_.rest_length.size()), -1);
    chain_.joint_of_inner.assign(static_cast<std::size_t>(model_.rest_twist.size()), -1);
    find_walls();
    chain_.begin = pack_size;
    int next = chain_.begin;
    Chunk chunk = next_chunk({}, next);
    for (int r = 0; r < static_cast<int>(model_.rods.size()); ++r) {
      if (next - chunk.begin >= slots_per_chunk) {
        chunk = next_chunk(close(chunk, next), next + pack_size);
        next = chunk.begin;
      }
      next = lay_out(r, next);
    }
    close(chunk, next);
    chain_.end = next;
    allocate(next + pack_size);
    // Numbers of every rod, then stretches of equal twist moment, then walls at their clamps and carriers.
    for (ChainRod& rod : chain_.rods) fill_rod(rod);
    for (Chunk& k : chain_.chunks) {
      k.first_region = static_cast<int>(chain_.regions.size());
      for (const ChainRod& rod : chain_.rods_of(k)) find_regions(chain_, rod);
      k.last_region = static_cast<int>(chain_.regions.size());
    }
    set_walls(chain_, drive_);
    for (const auto& [wall, now] : carried_walls_) set_wall(chain_, chain_.walls[wall], now);
    return std::move(chain_);
  }

 private:
  static Chunk next_chunk(const Chunk& before, int begin) {
    Chunk next;
    next.begin = begin;
    next.first_rod = before.last_rod, next.first_wall = before.last_wall, next.first_twin = before.last_twin;
    return next;
  }
  Chunk close(Chunk chunk, int end) {
    chunk.end = end;
    chunk.last_rod = static_cast<int>(chain_.rods.size());
    chunk.last_wall = static_cast<int>(chain_.walls.size());
    chunk.last_twin = static_cast<int>(chain_.twins.size());
    chain_.chunks.push_back(chunk);
    return chunk;
  }
  void find_walls() {
    wall_at_.assign(static_cast<std::size_t>(model_.rest_position.size()), -1);
    held_.assign(wall_at_.size(), 0);
    chain_.active.assign(model_.clamps.size(), 0);
    for (std::size_t i = 0; i < model_.clamps.size(); ++i) {
      const ClampModel& clamp = model_.clamps[i];
      const bool active = drive_.clamps[i].active;
      chain_.active[i] = active;
      const auto node = z(clamp.node.value);
      if (active && clamp.position) held_[node] = 1;
      if (active && (clamp.direction || clamp.twist)) wall_at_[node] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < choice_.carried.size(); ++i)
      wall_at_[z(choice_.carried[i].node)] = static_cast<int>(model_.clamps.size() + i);
  }
  // What the wall with this number holds: a clamp's, or everything where something carries it.
  struct WallWish {
    bool direction = true, twist = true;
    int clamp = -1;  // or what carries it
    WallPose now;
  };
  WallWish wish(int number) const {
    if (z(number) >= model_.clamps.size()) {
      const CarriedWall& wall = choice_.carried[z(number) - model_.clamps.size()];
      return {true, true, Wall::carried_by(wall.carrier), wall.now};
    }
    const ClampModel& clamp = model_.clamps[z(number)];
    return {clamp.direction, clamp.twist, number, pose_of(drive_.clamps[z(number)])};
  }

  // Slots and vertices of one rod, in order; returns where the next rod starts.
  int lay_out(int r, int first) {
    // Slots in order: an edge, before it the wall of its first node if something holds that. A ring starts with its first
    // edge, so the wall there comes last, followed by the repeated edge.
    const RodSpan& span = model_.rods[z(r)].span;
    ChainRod rod;
    rod.first = first, rod.model_rod = r, rod.ring = span.ring;
    slots_.clear();
    for (int k = 0; k < span.edges; ++k) {
      if (!(span.ring && k == 0)) add_wall(span.first_node + k);
      slots_.push_back({SlotKind::edge, span.first_edge + k, -1});
    }
    add_wall(span.ring ? span.first_node : span.first_node + span.nodes - 1);
    if (span.ring) {
      rod.wrap = first + static_cast<int>(slots_.size());
      slots_.push_back({SlotKind::wrap, span.first_edge, -1});
    }
    // Room for the slots and their last vertex, filled up to whole packs, and one pack of padding before the next rod.
    rod.slots = static_cast<int>(slots_.size());
    rod.end = (first + rod.slots + 1 + pack_size - 1) / pack_size * pack_size;
    chain_.kind.resize(z(rod.end + pack_size), SlotKind::pad);
    chain_.edge.resize(chain_.kind.size(), -1);
    chain_.node.resize(chain_.kind.size(), -1);
    // Walk along the slots. Edges lead to the next node, walls stay at theirs: its two vertices are twins.
    int node = span.first_node;
    set_vertex(first, node);
    for (int i = 0; i < rod.slots; ++i) {
      const int s = first + i;
      const Slot& slot = slots_[z(i)];
      chain_.kind[z(s)] = slot.kind;
      chain_.edge[z(s)] = slot.edge;
      if (slot.kind == SlotKind::edge) chain_.slot_of_edge[z(slot.edge)] = s;
      if (slot.kind == SlotKind::wall) {
        // A wall inside the rod that does not hold direction takes it from its neighbours.
        const WallWish held = wish(slot.clamp);
        const bool inside = i > 0 && i + 1 < rod.slots;
        chain_.walls.push_back(
            {s, static_cast<int>(chain_.rods.size()), held.clamp, held.direction, held.twist, inside && !held.direction});
        chain_.walls.back().turn = held.now.turn, chain_.walls.back().winding = held.now.winding;
        if (held.clamp < 0) carried_walls_.push_back({chain_.walls.size() - 1, held.now});
        // It has the section of the edge after it, at the end of the rod of the edge before.
        chain_.edge[z(s)] = i + 1 < rod.slots ? slots_[z(i + 1)].edge : slots_[z(i - 1)].edge;
      } else {
        node = node + 1 == span.first_node + span.nodes && span.ring ? span.first_node : node + 1;
      }
      set_vertex(s + 1, node);
    }
    chain_.rods.push_back(rod);
    return rod.end;
  }
  void add_wall(int node) {
    const int clamp = wall_at_[z(node)];
    if (clamp >= 0) slots_.push_back({SlotKind::wall, -1, clamp});
  }
  void set_vertex(int vertex, int node) {
    chain_.node[z(vertex)] = node;
    int& primary = chain_.vertex_of_node[z(node)];
    if (primary < 0) {
      primary = vertex;
    } else {
      chain_.twins.push_back({primary, vertex});
    }
  }

  void allocate(int n) {
    Chain& c = chain_;
    c.kind.resize(z(n), SlotKind::pad);
    c.edge.resize(z(n), -1);
    c.node.resize(z(n), -1);
    c.held.assign(z(n), 0);
    for (Array* a : {&c.mass,         &c.inverse_mass,
                     &c.mass_damping, &c.rest_length,
                     &c.constrained,  &c.EA,
                     &c.phi,          &c.B_xx,
                     &c.B_xy,         &c.B_yy,
                     &c.line_mass,    &c.bend,
                     &c.inverse_l,    &c.twist_stiffness,
                     &c.rest_twist,   &c.internal_damping,
                     &c.theta,        &c.tension,
                     &c.length,       &c.inverse_length,
                     &c.twist_moment, &c.torque,
                     &c.roll_inertia, &c.roll,
                     &c.roll_change}) {
      a->assign(z(n), 0);
    }
    for (Array2* a : {&c.rest_first, &c.rest_second}) a->assign(n);
    for (Array3* a : {&c.x, &c.v, &c.moment, &c.gradient}) a->assign(n, {0, 0, 0});
    c.t.assign(n, {1, 0, 0});
    for (Array3* a : {&c.u, &c.m1}) a->assign(n, {0, 1, 0});
    c.m2.assign(n, {0, 0, 1});
    c.first_director.assign(3 * c.rods.size(), 0);
    c.closure.assign(c.rods.size(), 0);
  }

  void fill_rod(ChainRod& rod) {
    const RodModel& from = model_.rods[z(rod.model_rod)];
    fill_vertices(rod, from);
    const std::vector<SlotShape> shapes = slot_shapes(rod);
    fill_stiffness(rod, shapes);
    fill_rest(rod, shapes);
    fill_joints(rod, from);
    fill_angles(rod, shapes);
    decide_path(rod);
  }

  void fill_vertices(const ChainRod& rod, const RodModel& from) {
    Chain& c = chain_;
    for (int s = rod.first; s < rod.first + rod.slots; ++s) {
      if (c.kind[z(s)] != SlotKind::edge) continue;
      // Lumped mass: half of each edge to its two nodes; twins share one node's mass.
      const EdgeIndex e{c.edge[z(s)]};
      const Section& section = model_.section[e];
      c.rest_length[z(s)] = model_.rest_length[e];
      c.line_mass[z(s)] = section.line_mass;
      if (from.stretches) c.EA[z(s)] = section.EA;
      const double half = 0.5 * section.line_mass * model_.rest_length[e];
      for (const int v : {s, s + 1}) c.mass[primary(v)] += half;
    }
    for (int v = rod.first; v <= rod.first + rod.slots; ++v) {
      const auto k = z(v);
      const NodeIndex node{c.node[k]};
      // Held nodes have no inverse mass: nothing moves them.
      c.mass[k] = c.mass[primary(v)];
      c.held[k] = held_[z(node.value)];
      c.inverse_mass[k] = c.held[k] ? 0 : 1 / c.mass[k];
      c.mass_damping[k] = from.damping.mass;
      c.x.set(v, to_small(pose_.position[node]));
      c.v.set(v, to_small(pose_.velocity[node]));
    }
    for (int s = rod.first; s < rod.first + rod.slots; ++s) {
      const auto k = z(s);
      // Lengths are constraints, unless the rod stretches or both ends are held.
      const bool movable = c.inverse_mass[k] > 0 || c.inverse_mass[k + 1] > 0;
      c.constrained[k] = c.kind[k] == SlotKind::edge && movable && !from.stretches ? 1 : 0;
    }
  }
  std::size_t primary(int vertex) const {
    return static_cast<std::size_t>(chain_.vertex_of_node[static_cast<std::size_t>(chain_.node[z(vertex)])]);
  }

  std::vector<SlotShape> slot_shapes(const ChainRod& rod) {
    Chain& c = chain_;
    std::vector<SlotShape> shapes(z(rod.slots));
    for (int i = 0; i < rod.slots; ++i) {
      const int s = rod.first + i;
      const auto k = z(s);
      SlotShape& shape = shapes[z(i)];
      const NodeIndex node{c.node[k]};
      if (c.kind[k] == SlotKind::wall) {
        // A wall has the frame of its node, an edge its own: at rest, and in the pose to start from.
        const Quat& rest = model_.rest_node_frame[node];
        const Quat now = wish(wall_at_[z(node.value)]).now.orientation;
        shape = {tangent_of(rest), d1_of(rest), tangent_of(now), d1_of(now)};
      } else {
        const EdgeIndex e{c.edge[k]};
        shape = {tangent_of(model_.rest_frame[e]), d1_of(model_.rest_frame[e]), tangent_of(pose_.orientation[e]),
                 d1_of(pose_.orientation[e])};
      }
      const int inner = inner_of(rod, node.value);
      if (inner >= 0 && i > 0) {  // a wall inside the rod shares the node's twist with the joint after it
        const bool beside_wall = c.kind[k] == SlotKind::wall || c.kind[k - 1] == SlotKind::wall;
        const double share = beside_wall ? 0.5 : 1;
        shape.rest_twist_before = share * model_.rest_twist[InnerNodeIndex{inner}];
        shape.twist_before = share * pose_.twist[InnerNodeIndex{inner}];
        if (c.kind[k - 1] != SlotKind::wall) c.joint_of_inner[z(inner)] = s;
      }
    }
    return shapes;
  }
  int inner_of(const ChainRod& rod, int node) const {
    const RodSpan& span = model_.rods[z(rod.model_rod)].span;
    const int k = node - span.first_node;
    if (span.ring) return span.first_inner + k;
    return k > 0 && k < span.nodes - 1 ? span.first_inner + k - 1 : -1;
  }

  // The material frame of the formulas is, at rest, a Bishop frame along the chain: phi is the angle from it to the
  // section's d1, and the section's stiffness is turned by phi into a full 2x2.  [Bergou 2008, sec. 4.1.1; ERRATA D3, D4]
  void fill_stiffness(const ChainRod& rod, const std::vector<SlotShape>& shapes) {
    Chain& c = chain_;
    V3<double> bishop = shapes[0].rest_d1;
    rest_directors_.clear();
    for (int i = 0; i < rod.slots; ++i) {
      const SlotShape& shape = shapes[z(i)];
      const auto k = z(rod.first + i);
      if (i > 0) bishop = parallel_transport_normal(shapes[z(i - 1)].rest_t, shape.rest_t, bishop);
      bishop = orthonormalized(shape.rest_t, bishop);
      const double near = i == 0 ? 0 : c.phi[k - 1] + shape.rest_twist_before;
      c.phi[k] = unwrap(signed_angle(bishop, shape.rest_d1, shape.rest_t), near);
      if (c.kind[k] == SlotKind::wrap) {  // the first slot again: the same frame, not the transported one
        c.phi[k] = c.phi[z(rod.first)];
        bishop = rest_directors_.front();
      }
      rest_directors_.push_back(bishop);
      const Mat2 diagonal = bending_matrix_towards(section_of(rod.first + i));
      const auto [sine, cosine] = math::sincos(c.phi[k]);  // not the C library's: its bits depend on the processor
      Mat2 turn;
      turn << cosine, -sine, sine, cosine;
      const Mat2 B = turn * diagonal * turn.transpose();
      c.B_xx[k] = B(0, 0), c.B_xy[k] = 0.5 * (B(0, 1) + B(1, 0)), c.B_yy[k] = B(1, 1);
    }
  }
  Section section_of(int slot) const { return model_.section[EdgeIndex{chain_.edge[z(slot)]}]; }

  void fill_rest(const ChainRod& rod, const std::vector<SlotShape>& shapes) {
    Chain& c = chain_;
    for (int i = 1; i < rod.slots; ++i) {
      const auto k = z(rod.first + i);
      const V3<double> a = shapes[z(i - 1)].rest_t, b = shapes[z(i)].rest_t;
      const double w = joint_weight(dot(a, b));
      const V3<double> ua = rest_directors_[z(i - 1)], ub = rest_directors_[z(i)];
      c.rest_first.set(rod.first + i, material_curvature_first(b, w, ua, cross(a, ua)));
      c.rest_second.set(rod.first + i, material_curvature_second(a, w, ub, cross(b, ub)));
      // Zero along the chain by construction; the closing joint of a ring carries the rest.
      if (c.kind[k] == SlotKind::wrap) {
        const double before_wall = c.kind[k - 1] == SlotKind::wall ? 0 : 1;
        const RodSpan& span = model_.rods[z(rod.model_rod)].span;
        const double section_twist = before_wall > 0
                                         ? model_.rest_twist[InnerNodeIndex{span.first_inner}]
                                         : unwrap(discrete_twist(a, shapes[z(i - 1)].rest_d1, b, shapes[z(i)].rest_d1), 0.0);
        c.rest_twist[k] = section_twist - (c.phi[k] - c.phi[k - 1]);
      }
    }
  }

  void fill_joints(const ChainRod& rod, const RodModel& from) {
    Chain& c = chain_;
    for (int i = 1; i < rod.slots; ++i) {
      const auto k = z(rod.first + i);
      const bool wall_a = c.kind[k - 1] == SlotKind::wall, wall_b = c.kind[k] == SlotKind::wall;
      const auto rest_of = [&](std::size_t s) { return model_.rest_length[EdgeIndex{c.edge[s]}]; };
      // A wall's joint has the length of half of the one edge.  [ERRATA cross-method 7]
      const double l = wall_a ? rest_of(k) : wall_b ? rest_of(k - 1) : rest_of(k - 1) + rest_of(k);
      const Section a = model_.section[EdgeIndex{wall_a ? c.edge[k] : c.edge[k - 1]}];
      const Section b = model_.section[EdgeIndex{wall_b ? c.edge[k - 1] : c.edge[k]}];
      // Which joints of a wall are free: one that does not hold direction does not bend the rod, unless it follows its
      // neighbours.
      bool bends = true, twists = true;
      if (wall_a || wall_b) {
        const WallWish clamp = wish(wall_at_[z(c.node[k])]);
        const bool follows = i > (wall_b ? 0 : 1) && i < rod.slots - (wall_b ? 1 : 0) && !clamp.direction;
        bends = clamp.direction || follows;
        twists = clamp.twist || clamp.direction;
      }
      c.inverse_l[k] = bends ? 1 / l : 0;
      c.bend[k] = bends ? 8 * 0.25 * (a.EI1 + a.EI2 + b.EI1 + b.EI2) / l : 0;
      c.twist_stiffness[k] = twists ? 2 * std::max(0.5 * (a.GJ + b.GJ), limp) / l : 0;
      c.internal_damping[k] = from.damping.internal;
    }
  }

  void fill_angles(const ChainRod& rod, const std::vector<SlotShape>& shapes) {
    Chain& c = chain_;
    const auto first = z(rod.first);
    // The first frame is the reference; angles are sums of unwrapped twists, less those of the section's own frame phi.
    c.theta[first] = 0;
    const V3<double> m1 = turned_about(shapes[0].t, orthonormalized(shapes[0].t, shapes[0].d1), -c.phi[first]);
    c.set_first_director(static_cast<int>(&rod - c.rods.data()), m1);
    for (int i = 1; i < rod.slots; ++i) {
      const auto k = z(rod.first + i);
      const SlotShape &a = shapes[z(i - 1)], &b = shapes[z(i)];
      const double section_twist = unwrap(discrete_twist(a.t, a.d1, b.t, b.d1), twist_near(rod.first + i, b));
      c.theta[k] = c.theta[k - 1] + section_twist - (c.phi[k] - c.phi[k - 1]);
    }
    if (rod.ring) {
      const auto wrap = z(rod.wrap);
      c.closure[static_cast<std::size_t>(&rod - c.rods.data())] = c.theta[wrap] - c.theta[first];
    }
  }

  // What the twist of the joint before a slot is about. Next to a wall that stood before it is what it was then, any number of
  // turns, and what the wall has turned since: half a segment may carry many turns, of which poses show nothing.
  double twist_near(int slot, const SlotShape& shape) const {
    const bool wall = chain_.kind[z(slot)] == SlotKind::wall || chain_.kind[z(slot - 1)] == SlotKind::wall;
    if (!wall || !choice_.before) return shape.twist_before;
    const Chain& old = *choice_.before;
    const Place a = place_in(old, slot - 1), b = place_in(old, slot);
    if (a.slot < 0 || b.slot != a.slot + 1) return shape.twist_before;
    const auto angle = [&](int s) { return old.theta[z(s)] + old.phi[z(s)]; };
    return angle(b.slot) + b.wound - angle(a.slot) - a.wound;
  }
  struct Place {
    int slot = -1;
    double wound = 0;  // since then
  };
  Place place_in(const Chain& old, int slot) const {
    if (chain_.kind[z(slot)] == SlotKind::edge) return {old.slot_of_edge[z(chain_.edge[z(slot)])], 0};
    if (chain_.kind[z(slot)] != SlotKind::wall) return {};  // around a ring: the closure is found anew
    const auto at = [&](const Chain& c, const auto& same) { return std::find_if(c.walls.begin(), c.walls.end(), same); };
    const auto now = at(chain_, [&](const Wall& w) { return w.slot == slot; });
    const auto was =
        at(old, [&](const Wall& w) { return w.clamp == now->clamp && old.node[z(w.slot)] == chain_.node[z(slot)]; });
    return was == old.walls.end() ? Place{} : Place{was->slot, now->winding - was->winding};
  }

  void decide_path(ChainRod& rod) {
    Chain& c = chain_;
    bool simple = true;
    for (int s = rod.first; s < rod.first + rod.slots; ++s) {
      // The fast path needs an isotropic section and a straight rest shape.
      const Section section = section_of(s);
      if (std::abs(section.EI1 - section.EI2) > 1e-12 * section.EI1) simple = false;
      for (const V2<double>& rest : {c.rest_first.get(s), c.rest_second.get(s)}) {
        if (dot(rest, rest) > straight_enough * straight_enough) simple = false;
      }
    }
    // A rod that friction may turn, and nothing holds from turning, gets inertia about itself.
    bool held = false;
    for (const Wall& wall : c.walls_of_rod(static_cast<int>(&rod - c.rods.data()))) held = held || wall.twist;
    if (choice_.rolling && !held) let_roll(c, rod, model_, pose_);
    // Loads that need the material frame take the general path.
    simple = simple && !choice_.force_general && !choice_.rolling;
    for (const NodeLoad& load : model_.node_loads) {
      if (load.rod == rod.model_rod && (load.is_moment || load.axes == Axes::material)) simple = false;
    }
    for (const LineLoad& load : model_.line_loads) {
      if (load.rod == rod.model_rod && (load.axes == Axes::material || !load.moment.isZero(0))) simple = false;
    }
    rod.general = !simple;
    c.has_general = c.has_general || rod.general;
  }

  struct Slot {
    SlotKind kind;
    int edge, clamp;
  };
  const Model& model_;
  const Frame& pose_;
  const Drive& drive_;
  const ChainChoice choice_;
  Chain chain_;
  std::vector<Slot> slots_;
  std::vector<int> wall_at_;  // per node: clamp or -1
  std::vector<char> held_;    // per node
  std::vector<V3<double>> rest_directors_;
  std::vector<std::pair<std::size_t, WallPose>> carried_walls_;
};

}  // namespace

Chain build_chain(const Model& model, const Frame& pose, const Drive& drive, const ChainChoice& choice) {
  return Builder(model, pose, drive, choice).build();
}

}  // namespace tendril::der
