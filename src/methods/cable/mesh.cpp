// What segments and joints of a rod consist of, from its material coordinates; numbers and groups.
#include "methods/cable/mesh.h"

#include <algorithm>
#include <cmath>

#include "model/grips.h"

namespace tendril::cable {

Mesh::Mesh(const Model& model, double inertia_factor, Parts& parts, State& state)
    : model_(model),
      inertia_factor_(inertia_factor),
      parts_(parts),
      state_(state),
      in_pool_(parts.elements.size(), 0),
      joint_in_pool_(parts.joints.size(), 0),
      pinned_(parts.joints.size(), 0),
      density_(model.rods.size()),
      finder_(parts) {
  for (const Chain& chain : parts_.chains) varies_ = varies_ || chain.varies;
  if (!varies_) return;
  note_held();
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) in_pool_[i] = parts_.elements[i].kind == Element::Kind::spare;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    joint_in_pool_[j] = joint.a == parts_.world && joint.b == parts_.world;
  }
  for (std::size_t r = 0; r < parts_.chains.size(); ++r) {
    Chain& chain = parts_.chains[r];
    if (!chain.varies) continue;
    const RodModel& rod = model_.rods[r];
    const auto room = z(std::max(rod.max_edges, rod.span.edges)) + 2;
    chain.segments.reserve(room), chain.joints.reserve(room), chain.material.reserve(room + 1);
    for (const int e : chain.segments) in_pool_[z(e)] = 1;
    for (const int j : chain.joints) joint_in_pool_[z(j)] = !pinned_[z(j)];
    // Natural curvature per length, as the joints of the model have it.
    bool curved = false;
    for (std::size_t i = 0; i < chain.joints.size(); ++i) {
      const double length = 0.5 * (chain.material[i + 2] - chain.material[i]);
      density_[r].push_back(parts_.joints[z(chain.joints[i])].rest / length);
      curved = curved || density_[r].back() != Vec3::Zero();
    }
    if (!curved) density_[r].clear();
  }
  note_groups();
  changed_.reserve(parts_.elements.size());
  for (std::size_t r = 0; r < parts_.chains.size(); ++r)
    for (int k = 0; parts_.chains[r].varies && k < static_cast<int>(parts_.chains[r].segments.size()); ++k)
      touch(static_cast<int>(r), k);
}

// Joints that are not inside a rod, on their segments.
void Mesh::note_held() {
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (joint.inner >= 0 || joint.node < 0) continue;
    for (const bool is_b : {false, true}) {
      const Element& e = parts_.elements[z(is_b ? joint.b : joint.a)];
      if (e.kind != Element::Kind::segment) continue;
      const Chain& chain = parts_.chains[z(e.rod)];
      const int side = (is_b ? joint.point_b : joint.point_a).z() < 0 ? 0 : 1;
      const int count = static_cast<int>(chain.segments.size());
      const int node = e.edge - model_.rods[z(e.rod)].span.first_edge + side;
      Held held{static_cast<int>(j), e.rod, is_b, side, -1};
      if (model_.rods[z(e.rod)].span.ring)
        held.inner = chain.joints[z(node % count)];
      else if (node > 0 && node < count)
        held.inner = chain.joints[z(node - 1)];
      if (held.inner >= 0) pinned_[z(held.inner)] = 1;
      held_.push_back(held);
    }
  }
}

// What of a group is always there, and which rods of it change.
void Mesh::note_groups() {
  for (std::size_t g = 0; g < parts_.groups.size(); ++g) {
    Group& group = parts_.groups[g];
    Changing changing{static_cast<int>(g), {}, {}, {}};
    std::size_t room = 0;
    for (const int e : group.elements) {
      const Element& element = parts_.elements[z(e)];
      const bool comes = element.kind == Element::Kind::segment && parts_.chains[z(element.rod)].varies;
      if (!comes) changing.elements.push_back(e);
      if (comes && std::find(changing.rods.begin(), changing.rods.end(), element.rod) == changing.rods.end())
        changing.rods.push_back(element.rod);
    }
    if (changing.rods.empty()) continue;
    for (const int j : group.joints) {
      const bool inside = std::any_of(changing.rods.begin(), changing.rods.end(), [&](int r) {
        return std::find(chain(r).joints.begin(), chain(r).joints.end(), j) != chain(r).joints.end();
      });
      if (!inside) changing.joints.push_back(j);
    }
    for (const int r : changing.rods) room += chain(r).segments.capacity();
    group.elements.reserve(changing.elements.size() + room), group.joints.reserve(changing.joints.size() + room);
    changing_.push_back(std::move(changing));
  }
}

void Mesh::settle() {
  parts_.number();
  for (const Held& held : held_) {
    const RodSpan& span = chain(held.rod).span;
    Joint& joint = parts_.joints[z(held.joint)];
    if (held.inner >= 0)
      joint.node_now = parts_.joints[z(held.inner)].node_now;
    else
      joint.node_now = held.side == 0 ? span.first_node : span.first_node + span.nodes - 1;
  }
  for (const Changing& changing : changing_) {
    Group& group = parts_.groups[z(changing.group)];
    group.elements.assign(changing.elements.begin(), changing.elements.end());
    group.joints.assign(changing.joints.begin(), changing.joints.end());
    for (const int r : changing.rods) {
      group.elements.insert(group.elements.end(), chain(r).segments.begin(), chain(r).segments.end());
      group.joints.insert(group.joints.end(), chain(r).joints.begin(), chain(r).joints.end());
    }
    std::sort(group.elements.begin(), group.elements.end());
    std::sort(group.joints.begin(), group.joints.end());
    finder_.order(parts_, group);
  }
}

// ---- from material coordinates --------------------------------------------------------------------------------------------------
// Section by section of the model; beyond the ends that of the end goes on. Compliances of what lies in a row add. [ERRATA S11, S12]
Mesh::Part Mesh::part(int rod, double from, double to) const {
  const RodSpan& span = model_.rods[z(rod)].span;
  const double* s = model_.material.data() + span.first_node;
  int k = static_cast<int>(std::upper_bound(s + 1, s + span.edges, from) - s) - 1;
  Part sum;
  for (double at = from; at < to; ++k) {
    const double end = k + 1 < span.edges ? std::min(to, s[k + 1]) : to, length = end - at;
    const Section& section = model_.section[EdgeIndex(span.first_edge + k)];
    sum.mass += section.line_mass * length;
    sum.rotary1 += section.rotary1 * length, sum.rotary2 += section.rotary2 * length;
    sum.stretch += length / section.EA;
    sum.turn += Vec3(length / section.EI1, length / section.EI2, length / section.GJ);
    at = end;
  }
  return sum;
}

Vec3 Mesh::rest_density(int rod, double material) const {
  const std::vector<Vec3>& density = density_[z(rod)];
  if (density.empty() || material <= 0 || material >= model_.rods[z(rod)].length) return Vec3::Zero();
  const double* s = model_.material.data() + model_.rods[z(rod)].span.first_node + 1;  // of inner nodes
  const auto count = static_cast<std::ptrdiff_t>(density.size());
  const std::ptrdiff_t k = std::upper_bound(s, s + count, material) - s;
  if (k == 0) return density.front();
  if (k == count) return density.back();
  const double share = (material - s[k - 1]) / (s[k] - s[k - 1]);
  return (1 - share) * density[static_cast<std::size_t>(k - 1)] + share * density[static_cast<std::size_t>(k)];
}

void Mesh::set_segment(int rod, int k) {
  const Chain& c = chain(rod);
  const RodModel& from = model_.rods[z(rod)];
  const double start = c.material[z(k)], end = c.material[z(k + 1)], length = end - start;
  const Part all = part(rod, start, end);
  const PointOnNodes middle = point_on_nodes(from.span, model_.material, from.length, 0.5 * (start + end));
  const Section& section = model_.section[middle.edge];
  Element& e = parts_.elements[z(c.segments[z(k)])];
  e.kind = Element::Kind::segment, e.edge = middle.edge.value, e.rod = rod, e.number = -1;
  e.length = length, e.mass = all.mass, e.damping = from.damping.mass, e.led = false;
  e.inertia = inertia_factor_ * segment_inertia(all.mass, length, all.rotary1, all.rotary2);
  e.EI = std::min(section.EI1, section.EI2), e.whole = from.length;
}

void Mesh::set_inner_joint(int rod, int i) {
  const Chain& c = chain(rod);
  const RodModel& from = model_.rods[z(rod)];
  Joint& joint = parts_.joints[z(c.joints[z(i)])];
  const Element &a = parts_.elements[z(joint.a)], &b = parts_.elements[z(joint.b)];
  const double at = c.material[z(i + 1)];
  const Part between = part(rod, at - 0.5 * a.length, at + 0.5 * b.length);
  joint.node = std::max(joint.node, from.span.first_node), joint.inner = std::max(joint.inner, 0);
  joint.holds_point = joint.holds_frame = true;
  joint.point_a = a.end(1), joint.point_b = b.end(0);
  joint.stretch = from.stretches ? 1 / between.stretch : rigid;
  joint.stiffness = between.turn.cwiseInverse();
  joint.rest = 0.5 * (a.length + b.length) * rest_density(rod, at);
  joint.damping = from.damping.internal;
}

// Half a segment between the end of a segment and what holds it.
void Mesh::set_held_joint(const Held& held) {
  Joint& joint = parts_.joints[z(held.joint)];
  const Element& e = parts_.elements[z(held.is_b ? joint.b : joint.a)];
  (held.is_b ? joint.point_b : joint.point_a) = e.end(held.side);
  double end = held.side == 0 ? chain(held.rod).material.front() : chain(held.rod).material.back();
  if (held.inner >= 0) {
    const std::vector<int>& joints = chain(held.rod).joints;
    end = chain(held.rod)
              .material[static_cast<std::size_t>(std::find(joints.begin(), joints.end(), held.inner) - joints.begin()) + 1];
  }
  const Part half = held.side == 0 ? part(held.rod, end, end + 0.5 * e.length) : part(held.rod, end - 0.5 * e.length, end);
  if (joint.holds_point && joint.stretch != rigid) joint.stretch = 1 / half.stretch;
  if (!joint.holds_frame) return;
  for (int c = 0; c < 3; ++c)
    if (joint.stiffness[c] > 0 && joint.stiffness[c] != rigid) joint.stiffness[c] = 1 / half.turn[c];
  if (density_[z(held.rod)].empty()) return;
  joint.rest = 0.5 * e.length * rest_density(held.rod, end);
  if (joint.kind != StrainKind::angle) joint.rest[2] = 0;
}

void Mesh::attach(int rod) {
  const Chain& c = chain(rod);
  for (std::size_t i = 0; i < c.joints.size(); ++i) {
    Joint& joint = parts_.joints[z(c.joints[i])];
    joint.a = c.segments[i], joint.b = c.segments[i + 1];
  }
  for (const Held& held : held_) {
    if (held.rod != rod) continue;
    Joint& joint = parts_.joints[z(held.joint)];
    int& element = held.is_b ? joint.b : joint.a;
    if (held.inner >= 0)
      element = held.side == 1 ? parts_.joints[z(held.inner)].a : parts_.joints[z(held.inner)].b;
    else
      element = held.side == 0 ? c.segments.front() : c.segments.back();
  }
}

void Mesh::touch(int rod, int k) {
  const Chain& c = chain(rod);
  const int element = c.segments[z(k)];
  set_segment(rod, k);
  if (k > 0) set_inner_joint(rod, k - 1);
  if (k + 1 < static_cast<int>(c.segments.size())) set_inner_joint(rod, k);
  for (const Held& held : held_)
    if (held.rod == rod && (held.is_b ? parts_.joints[z(held.joint)].b : parts_.joints[z(held.joint)].a) == element)
      set_held_joint(held);
}

// ---- what is there ------------------------------------------------------------------------------------------------------------------
Mesh::Point Mesh::find(int rod, double material) const {
  const Chain& c = chain(rod);
  const auto after = std::upper_bound(c.material.begin() + 1, c.material.end() - 1, material);
  const int k = static_cast<int>(after - c.material.begin()) - 1;
  const double share = (material - c.material[z(k)]) / (c.material[z(k + 1)] - c.material[z(k)]);
  // Where a load stands at the very end rounding does not put it onto the drum.
  const double slack = 1e-9 * model_.rods[z(rod)].length;
  const bool out = material > c.material.front() - slack && material < c.material.back() + slack;
  return {c.segments[z(k)], k, std::clamp(share, 0.0, 1.0), out};
}

int Mesh::rod_that_varies(int node) const {
  for (std::size_t r = 0; r < model_.rods.size(); ++r) {
    const RodSpan& span = model_.rods[r].span;
    if (node >= span.first_node && node < span.first_node + span.nodes)
      return parts_.chains[r].varies ? static_cast<int>(r) : -1;
  }
  return -1;
}

bool Mesh::has_room() const {
  for (std::size_t i = 0; i < in_pool_.size(); ++i)
    if (in_pool_[i] && parts_.elements[i].kind == Element::Kind::spare) return true;
  return false;
}

int Mesh::take_segment() {
  for (std::size_t i = 0; i < in_pool_.size(); ++i) {
    if (!in_pool_[i] || parts_.elements[i].kind != Element::Kind::spare) continue;
    parts_.elements[i].kind = Element::Kind::segment;
    return static_cast<int>(i);
  }
  TENDRIL_REQUIRE(false, "a rod has more segments than there is room for");
  return -1;
}

int Mesh::take_joint() {
  for (std::size_t j = 0; j < joint_in_pool_.size(); ++j) {
    Joint& joint = parts_.joints[j];
    if (!joint_in_pool_[j] || joint.a != parts_.world || joint.b != parts_.world) continue;
    joint.holds_point = joint.holds_frame = true;
    return static_cast<int>(j);
  }
  TENDRIL_REQUIRE(false, "a rod has more joints than there is room for");
  return -1;
}

void Mesh::free_segment(int element) {
  const std::size_t i = z(element);
  parts_.elements[i] = {};
  parts_.elements[i].kind = Element::Kind::spare;
  for (auto* list : {&state_.x, &state_.v, &state_.momentum, &state_.a, &state_.turn, &state_.a_before, &state_.turn_before})
    (*list)[i].setZero();
  state_.q[i].setIdentity();
  state_.tension[i] = 0;
}

void Mesh::free_joint(int j) {
  Joint& joint = parts_.joints[z(j)];
  joint = {};
  joint.a = joint.b = parts_.world, joint.holds_point = joint.holds_frame = false;
  state_.force[z(j)].setZero(), state_.couple[z(j)].setZero();
  state_.twist[z(j)] = state_.winding[z(j)] = 0;
  state_.point_on[z(j)] = state_.frame_on[z(j)] = 0;
}

}  // namespace tendril::cable
