#include "methods/der/rod/forces.h"

#include <algorithm>
#include <cmath>

#include "math/transport.h"

namespace tendril::der {
namespace {

void isotropic_moments(Chain& c, int begin, int end, Pack& openness) {
  for (int s = begin; s < end; s += pack_size) {
    const V3<Pack> a = load(c.t, s - 1), b = load(c.t, s);
    const Pack bend = load(c.bend, s);
    store(c.moment, s, isotropic_moment(a, b, bend, load(c.twist_moment, s)));
    openness = math::min(openness, select(bend > Pack(0), Pack(Pack(1) + dot(a, b)), Pack(2)));
  }
}

void general_moments(Chain& c, int begin, int end, Pack& openness) {
  for (int s = begin; s < end; s += pack_size) {
    const V3<Pack> a = load(c.t, s - 1), b = load(c.t, s);
    // Curvatures in the frames of both edges, and their strain.
    const Pack cosine = dot(a, b), w = joint_weight(cosine), inverse_l = load(c.inverse_l, s);
    const Directors<Pack> da{load(c.m1, s - 1), load(c.m2, s - 1)}, db{load(c.m1, s), load(c.m2, s)};
    const V2<Pack> first = material_curvature_first(b, w, da.m1, da.m2);
    const V2<Pack> second = material_curvature_second(a, w, db.m1, db.m2);
    const V2<Pack> strain_a = first - load(c.rest_first, s), strain_b = second - load(c.rest_second, s);
    const Sym2<Pack> Ba{load(c.B_xx, s - 1), load(c.B_xy, s - 1), load(c.B_yy, s - 1)};
    const Sym2<Pack> Bb{load(c.B_xx, s), load(c.B_xy, s), load(c.B_yy, s)};
    // Moments of the two halves, and with the twist the moment G of the joint.
    const V2<Pack> p = inverse_l * (Ba * strain_a), q = inverse_l * (Bb * strain_b);
    store(c.moment, s, general_moment(a, b, w, da, db, first, second, p, q, load(c.twist_moment, s)));
    openness = math::min(openness, select(inverse_l > Pack(0), Pack(Pack(1) + cosine), Pack(2)));
  }
}

// A wall inside the rod that holds twist only takes its direction from its neighbours, so the moment it feels across its
// direction is theirs; what it feels about its direction stays with the clamp.
void pass_on_moments(Chain& c, const Chunk& chunk) {
  for (const Wall& wall : c.walls_of(chunk)) {
    if (!wall.follows) continue;
    const int s = wall.slot;
    const V3<double> t = c.t.get(s), a = c.t.get(s - 1), b = c.t.get(s + 1);
    const V3<double> felt = c.moment.get(s) - c.moment.get(s + 1);  // dE when the wall's frame turns
    // The held director is carried from the target's direction to the present one, which turns it about t as well.
    const V3<double> tau = joint_weight(dot(wall.target_tangent, t)) * (wall.target_tangent + t);
    const V3<double> across = felt - dot(felt, t) * tau;
    const V3<double> pull = (1 / norm(a + b)) * cross(across, t);
    for (const int k : {s - 1, s + 1}) {
      const V3<double> tk = c.t.get(k);
      c.gradient.add(k, c.inverse_length[z(k)] * (pull - dot(pull, tk) * tk));
    }
  }
}

Mat3 frame_matrix(const V3<double>& t, const V3<double>& d1) {
  Mat3 axes;
  axes << to_eigen(d1), to_eigen(cross(t, d1)), to_eigen(t);
  return axes;
}

}  // namespace

double update_gradient(Chain& c, const Chunk& chunk) {
  Pack openness(2);
  // Moments of all joints, each rod on its own path.
  if (!c.has_general) {
    isotropic_moments(c, chunk.begin, chunk.end, openness);
  } else {
    for (const ChainRod& rod : c.rods_of(chunk)) {
      if (!rod.general) {
        isotropic_moments(c, rod.first, rod.end, openness);
      } else {
        general_moments(c, rod.first, rod.end, openness);
      }
    }
  }
  // Moment balance of an edge gives its shear force: dE/de = t x (G after - G before)/|e|; and the stretching force.
  for (int s = chunk.begin; s < chunk.end; s += pack_size) {
    const V3<Pack> t = load(c.t, s);
    const Pack rest = load(c.rest_length, s);
    const Pack strain = load(c.length, s) / select(rest > Pack(0), rest, Pack(1)) - Pack(1);
    const V3<Pack> turn = load(c.inverse_length, s) * cross(t, load(c.moment, s + 1) - load(c.moment, s));
    store(c.gradient, s, turn + (load(c.EA, s) * strain) * t);
  }
  // The closing joint of a ring ends at its first slot. Only now: the slot before that, a pad, must feel no moment.
  for (const ChainRod& rod : c.rods_of(chunk)) {
    if (!rod.ring) continue;
    const int s = rod.first;
    c.moment.set(s, c.moment.get(rod.wrap));
    c.gradient.add(s, -c.inverse_length[z(s)] * cross(c.t.get(s), c.moment.get(s)));
  }
  pass_on_moments(c, chunk);
  // How far the sharpest joint is from folding.
  double smallest = openness[0];
  for (int lane = 1; lane < pack_size; ++lane) smallest = std::min(smallest, static_cast<double>(openness[lane]));
  return smallest;
}

V3<double> inner_force(const Chain& c, int s) {
  if (c.kind[z(s)] != SlotKind::edge) return {0, 0, 0};
  return c.gradient.get(s) + (c.tension[z(s)] * c.length[z(s)]) * c.t.get(s);
}

Vec3 pull_of(const Chain& c, const Grip& grip) {
  const int s = c.slot_of_edge[z(grip.edge.value)];
  const auto point = [&](const Array3& a) { return to_eigen((1 - grip.share) * a.get(s) + grip.share * a.get(s + 1)); };
  return grip_force(grip, point(c.x), point(c.v));
}

NodeTurn node_turn(const Chain& c, int vertex) {
  if (c.kind[z(vertex)] == SlotKind::wall) return {{vertex, -1}, {1, 0}};
  const Beside beside = edges_beside(c, c.node[z(vertex)]);
  // Half an edge is this part of the way between the middles of two edges.
  const auto part = [&](int near, int other) {
    return c.rest_length[z(near)] / (c.rest_length[z(near)] + c.rest_length[z(other)]);
  };
  if (beside.before >= 0 && beside.after >= 0) {
    const double share = part(beside.before, beside.after);
    return {{beside.before, beside.after}, {1 - share, share}};
  }
  const int near = beside.after < 0 ? beside.before : beside.after;
  const Beside inner = edges_beside(c, c.node[z(beside.after < 0 ? near : near + 1)]);
  const int other = beside.after < 0 ? inner.before : inner.after;
  if (other < 0) return {{near, -1}, {1, 0}};
  return {{near, other}, {1 + part(near, other), -part(near, other)}};
}

Mat3 node_axes(const Chain& c, int vertex) {
  const NodeTurn turn = node_turn(c, vertex);
  const int near = turn.slot[0], other = turn.slot[1];
  const V3<double> t = c.t.get(near), d1 = turned_about(t, c.m1.get(near), c.phi[z(near)]);
  if (other < 0) return frame_matrix(t, d1);
  // Bending and twist from the one to the other, and their share: a turn about the common binormal, and one about the tangent.
  const V3<double> to = c.t.get(other), binormal = cross(t, to);
  const double sine = norm(binormal), bend = turn.share[1] * math::atan2(sine, dot(t, to));
  const double wound = c.theta[z(other)] - c.theta[z(near)];
  const double twist =
      unwrap(discrete_twist(t, c.m1.get(near), to, c.m1.get(other)), wound) + c.phi[z(other)] - c.phi[z(near)];
  const V3<double> axis = sine > 1e-12 ? (1 / sine) * binormal : V3<double>{0, 0, 0};
  const V3<double> tangent = sine > 1e-12 ? turned_about(axis, t, bend) : t;
  return frame_matrix(tangent, turned_about(tangent, orthonormalized(tangent, parallel_transport_normal(t, tangent, d1)),
                                            turn.share[1] * twist));
}

Loads::Loads(const Model& model, const Chain& c) : model_(model) {
  force_.assign(static_cast<int>(c.kind.size()), {0, 0, 0});
  for (std::size_t r = 0; r < model.rods.size(); ++r) follows_ = follows_ || depends_on_frame(model, static_cast<int>(r));
  std::size_t couples = 3 * model.node_loads.size();
  for (const NodeLoad& load : model.node_loads) follows_ = follows_ || load.is_moment;
  for (const LineLoad& load : model.line_loads) {
    if (load.moment.isZero(0)) continue;
    follows_ = true;
    couples += static_cast<std::size_t>(load.last.value - load.first.value);
  }
  list_.reserve(couples);
  last_.assign(3 + model.node_loads.size() + model.line_loads.size(), std::nan(""));
}

void Loads::update(const Drive& drive, Chain& c) {
  // Nothing to do where gravity and all factors are those of the last call.
  bool same = !follows_;
  std::size_t place = 0;
  const auto note = [&](double value) {
    same = same && last_[place] == value;
    last_[place++] = value;
  };
  for (int i = 0; i < 3; ++i) note(drive.gravity[i]);
  for (const double f : drive.node_factor) note(f);
  for (const double f : drive.line_factor) note(f);
  if (same) return;
  // Weight, point loads, distributed loads.
  const V3<double> g = to_small(drive.gravity);
  for (std::size_t v = 0; v < c.mass.size(); ++v) force_.set(static_cast<int>(v), c.mass[v] * g);
  // A node's mass stands at each of its twins, and their forces are added up: the copies carry no weight of their own.
  for (const Twin& twin : c.twins) force_.set(twin.second, {0, 0, 0});
  add_node_loads(drive, c);
  add_line_loads(drive, c);
  if (!follows_) return;
  // Moments about the rod act on the angles; their other components turn the edges (add_couples).
  std::fill(c.torque.begin(), c.torque.end(), 0.0);
  couples(drive, c, list_);
  for (const Couple& couple : list_) c.torque[z(couple.slot)] += dot(couple.moment, c.t.get(couple.slot));
}

namespace {
// In world axes.
Vec3 point_load(const NodeLoad& load, double factor, const Chain& c, int vertex) {
  const Vec3 value = factor * load.value;
  return load.axes == Axes::material ? in_world(load.axes, node_axes(c, vertex), value) : value;
}
const Wall* wall_of(const Chain& c, int slot) {
  const auto at = std::find_if(c.walls.begin(), c.walls.end(), [&](const Wall& wall) { return wall.slot == slot; });
  return at == c.walls.end() ? nullptr : &*at;
}
bool carried(const Chain& c, int slot) {  // by a body or a joint, which has its own balance
  const Wall* wall = wall_of(c, slot);
  return wall && wall->clamp < 0;
}
bool passes_on(const Chain& c, int slot) {
  const Wall* wall = wall_of(c, slot);
  return wall && wall->follows;
}
M3<double> slot_axes(const Chain& c, int s) {
  const V3<double> t = c.t.get(s), d1 = turned_about(t, c.m1.get(s), c.phi[z(s)]);
  return from_columns(d1, cross(t, d1), t);
}
}  // namespace

void Loads::add_node_loads(const Drive& drive, const Chain& c) {
  for (std::size_t i = 0; i < model_.node_loads.size(); ++i) {
    const NodeLoad& load = model_.node_loads[i];
    if (load.is_moment) continue;
    const int vertex = c.vertex_of_node[z(load.node.value)];
    force_.add(vertex, to_small(point_load(load, drive.node_factor[i], c, vertex)));
  }
}

void Loads::add_line_loads(const Drive& drive, const Chain& c) {
  for (std::size_t i = 0; i < model_.line_loads.size(); ++i) {
    const LineLoad& load = model_.line_loads[i];
    for (EdgeIndex e = load.first; e < load.last; ++e) {
      const int s = c.slot_of_edge[z(e.value)];
      const double half = 0.5 * line_weight(load, drive.line_factor[i], e) * model_.rest_length[e];
      V3<double> value = to_small(Vec3(half * load.force));
      if (load.axes == Axes::material) value = in_world(load.axes, slot_axes(c, s), value);
      // Twins add their forces up, so it does not matter which of them an edge gives its half to.
      force_.add(s, value);
      force_.add(s + 1, value);
    }
  }
}

void Loads::couples(const Drive& drive, const Chain& c, std::vector<Couple>& out) const {
  out.clear();
  for (std::size_t i = 0; i < model_.node_loads.size(); ++i) {
    const NodeLoad& load = model_.node_loads[i];
    if (!load.is_moment) continue;
    const int vertex = c.vertex_of_node[z(load.node.value)];
    V3<double> value = to_small(point_load(load, drive.node_factor[i], c, vertex));
    const bool follows = load.axes == Axes::material;
    const NodeTurn turn = node_turn(c, vertex);
    // A clamp's wall bears what it holds: all but the turn about a direction that is held alone; about a twist that is held
    // alone nothing but that turn.
    if (c.kind[z(vertex)] == SlotKind::wall && !carried(c, vertex)) {
      if (!passes_on(c, vertex)) {
        out.push_back({vertex, value, follows, turn});
        continue;
      }
      const V3<double> t = c.t.get(vertex), borne = dot(value, t) * t;
      out.push_back({vertex, borne, follows, turn});
      value = value - borne;
    }
    const Beside beside = edges_beside(c, load.node.value);
    // A moment at a node is shared by its two edges.
    const double share = beside.before >= 0 && beside.after >= 0 ? 0.5 : 1;
    for (const int slot : {beside.before, beside.after}) {
      if (slot >= 0) out.push_back({slot, share * value, follows, turn});
    }
  }
  for (std::size_t i = 0; i < model_.line_loads.size(); ++i) {
    const LineLoad& load = model_.line_loads[i];
    if (load.moment.isZero(0)) continue;
    for (EdgeIndex e = load.first; e < load.last; ++e) {
      const int s = c.slot_of_edge[z(e.value)];
      // Distributed moments act on their own edge.
      const double whole = line_weight(load, drive.line_factor[i], e) * model_.rest_length[e];
      const V3<double> value = to_small(Vec3(whole * load.moment));
      out.push_back({s, in_world(load.axes, slot_axes(c, s), value), load.axes == Axes::material, {{s, -1}, {1, 0}}});
    }
  }
}

void Loads::followers(const Drive& drive, const Chain& c, std::vector<Follower>& out) const {
  out.clear();
  for (std::size_t i = 0; i < model_.node_loads.size(); ++i) {
    const NodeLoad& load = model_.node_loads[i];
    if (load.is_moment || load.axes != Axes::material) continue;
    const int vertex = c.vertex_of_node[z(load.node.value)];
    out.push_back({vertex, to_small(point_load(load, drive.node_factor[i], c, vertex)), node_turn(c, vertex)});
  }
}

void Loads::add_couples(const Drive& drive, Chain& c) {
  if (!follows_) return;
  couples(drive, c, list_);
  for (const Couple& couple : list_) {
    if (c.kind[z(couple.slot)] == SlotKind::wall) continue;  // its clamp bears it
    const double inverse = c.inverse_length[z(couple.slot)];
    c.gradient.add(couple.slot, -inverse * cross(couple.moment, c.t.get(couple.slot)));
  }
}

AirDrag::AirDrag(const Model& model, const Chain& c)
    : model_(model),
      any_(!model.drags.empty() || !model.winds.empty()),
      area_(model.winds.size()),
      winds_(model.winds.size()) {
  if (!any_) return;
  // Nodes that may move, packed without gaps, with the tangents they are between and the coefficients of their half edges.
  const auto add = [&](int vertex, const Beside& beside, double inverse_mass) {
    vertex_.push_back(vertex);
    before_.push_back(beside.before >= 0 ? beside.before : beside.after);
    after_.push_back(beside.after >= 0 ? beside.after : beside.before);
    inverse_mass_.push_back(inverse_mass);
    for (Array* a : {&across_, &along_}) a->push_back(0);
    for (Array& a : area_) a.push_back(0);
  };
  for (const ChainRod& rod : c.rods) {
    const RodSpan& span = model.rods[z(rod.model_rod)].span;
    for (int node = span.first_node; node < span.first_node + span.nodes; ++node) {
      const int vertex = c.vertex_of_node[z(node)];
      if (c.inverse_mass[z(vertex)] == 0) continue;
      const Beside beside = edges_beside(c, node);
      add(vertex, beside, c.inverse_mass[z(vertex)]);
      for (const int s : {beside.before, beside.after}) {
        if (s < 0) continue;
        const double half = 0.5 * c.rest_length[z(s)], width = 2 * model.section[EdgeIndex{c.edge[z(s)]}].radius();
        for (const Drag& drag : model.drags) {
          if (drag.rod >= 0 && drag.rod != rod.model_rod) continue;
          across_.back() += drag.normal * half;
          along_.back() += drag.tangential * half;
        }
        for (std::size_t w = 0; w < area_.size(); ++w) {
          const Wind& wind = model.winds[w];
          if (wind.rod < 0 || wind.rod == rod.model_rod) area_[w].back() += wind_area(wind.law, width) * half;
        }
      }
    }
  }
  // Filled up to whole packs by nodes that nothing moves.
  while (vertex_.size() % pack_size != 0) add(0, {0, 0}, 0);
}

namespace {
V3<Pack> gather(const Array3& a, const int* index) {
  const auto lanes = [index](const Array& from) { return Pack([&](int k) { return from[z(index[k])]; }); };
  return {lanes(a.x), lanes(a.y), lanes(a.z)};
}
}  // namespace

void AirDrag::apply(const Drive& drive, Chain& c, double dt, AirFlow* flow) {
  if (flow != nullptr) flow->wind = 0;
  for (std::size_t w = 0; w < winds_.size(); ++w)
    winds_[w] = wind_now(model_.winds[w].law, drive.wind_factor[w], drive.time);
  for (int i = 0; i < static_cast<int>(vertex_.size()); i += pack_size) {
    // Tangent at the node: the mean of its edges'; at a fold that of the edge after it.
    const V3<Pack> after = gather(c.t, &after_[z(i)]), sum = gather(c.t, &before_[z(i)]) + after;
    const Pack size = norm(sum);
    const V3<Pack> t = select(size > Pack(0), sum / select(size > Pack(0), size, Pack(1)), after);
    const V3<Pack> v = gather(c.v, &vertex_[z(i)]);
    const Pack h = Pack(dt) * load(inverse_mass_, i);
    AirLaw<Pack> law{load(across_, i), load(along_, i), {Pack(0), Pack(0), Pack(0)}};
    Pack power(0);  // of the wind on what stands still [W]
    V3<Pack> pushed{Pack(0), Pack(0), Pack(0)};
    for (std::size_t w = 0; w < winds_.size(); ++w) {
      const Pack across = law.across;
      const V3<Pack> push = law.push;
      add_wind(winds_[w], load(area_[w], i), gather(c.x, &vertex_[z(i)]), v, t, law);
      // force = coefficient (air - v'), all across the rod; the wind's part of its power is force . air
      const Pack coefficient = law.across - across;
      const V3<Pack> gain = law.push - push;
      power = power + select(coefficient > Pack(0), squared_norm(gain) / select(coefficient > Pack(0), coefficient, Pack(1)),
                             Pack(0));
      pushed = pushed + gain;
    }
    // (1 + dt across/m) v_across + (1 + dt along/m) v_along = v + dt push/m
    const V3<Pack> moved = v + h * law.push, part = dot(moved, t) * t;
    const V3<Pack> slowed =
        (Pack(1) / (Pack(1) + h * law.across)) * (moved - part) + (Pack(1) / (Pack(1) + h * law.along)) * part;
    const Pack wind = Pack(dt) * (power - dot(slowed, pushed));
    for (int k = 0; k < pack_size; ++k) {
      if (!(inverse_mass_[z(i + k)] > 0)) continue;
      c.v.set(vertex_[z(i + k)], lane_of(slowed, k));
      if (flow == nullptr) continue;
      const double whole = 1 + dt * c.mass_damping[z(vertex_[z(i + k)])];  // mass damping took its part
      flow->impulse.set(vertex_[z(i + k)], (whole / inverse_mass_[z(i + k)]) * (lane_of(slowed, k) - lane_of(v, k)));
      flow->wind += whole * wind[k];
    }
  }
  for (const Twin& twin : c.twins) c.v.set(twin.second, c.v.get(twin.first));
}

}  // namespace tendril::der
