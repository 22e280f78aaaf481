// From the Model to elements and joints, once.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/cable/groups.h"
#include "methods/cable/parts.h"

namespace tendril::cable {
namespace {

class Builder {
 public:
  Builder(const Model& model, bool adaptive, Parts& parts)
      : model_(model), parts_(parts), plan_(model), adaptive_(adaptive) {}

  void build() {
    add_elements();
    parts_.first_inner_.assign(z(model_.initial.twist.size()), -1);
    for (std::size_t r = 0; r < model_.rods.size(); ++r)
      if (!is_reeved(static_cast<int>(r))) add_rod_joints(static_cast<int>(r));
    for (std::size_t c = 0; c < model_.clamps.size(); ++c) add_clamp(static_cast<int>(c));
    for (const WallPlan& wall : plan_.walls) add_wall(wall);
    for (const Tie& tie : plan_.ties) add_tie(tie);
    for (const TurnTie& turn : plan_.turns) add_turn(turn);
    for (const SliderTie& slider : plan_.sliders) add_slider(slider);
    for (const Tie& tie : plan_.repeats) add_repeat(tie);
    note_replaced();
    add_chains();
    add_groups(parts_);
  }

 private:
  bool is_reeved(int rod) const { return model_.rods[z(rod)].reeved; }
  void add_elements() {
    for (std::size_t r = 0; r < model_.rods.size(); ++r) {
      const RodModel& rod = model_.rods[r];
      for (int k = 0; k < rod.span.edges; ++k) {
        const int edge = rod.span.first_edge + k;
        const Section& s = model_.section[EdgeIndex(edge)];
        const double l = model_.rest_length[EdgeIndex(edge)], m = s.line_mass * l;
        const Vec3 inertia = segment_inertia(m, l, s.rotary1 * l, s.rotary2 * l);
        const bool reeved = is_reeved(static_cast<int>(r));
        parts_.elements.push_back({reeved ? Element::Kind::fall : Element::Kind::segment, edge, static_cast<int>(r), -1, l,
                                   m, inertia, rod.damping.mass, reeved, std::min(s.EI1, s.EI2), rod.length});
      }
    }
    parts_.first_body = static_cast<int>(parts_.elements.size());
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const BodyModel& body = model_.bodies[b];
      parts_.elements.push_back({Element::Kind::body, -1, -1, static_cast<int>(b), 0, body.mass, body.inertia, body.damping,
                                 !body.moves_freely()});
    }
    // A junction only turns: where it is does not matter.
    parts_.first_junction = static_cast<int>(parts_.elements.size());
    for (const Junction& j : plan_.junctions)
      parts_.elements.push_back({Element::Kind::junction, -1, -1, -1, 0, 0, Vec3::Constant(j.inertia), j.damping, j.fixed});
    parts_.first_clamp = static_cast<int>(parts_.elements.size());
    for (std::size_t c = 0; c < model_.clamps.size(); ++c)
      parts_.elements.push_back({Element::Kind::clamp, -1, -1, static_cast<int>(c), 0, 0, Vec3::Zero(), 0, true});
    parts_.world = static_cast<int>(parts_.elements.size());
    parts_.elements.push_back({});
  }

  const Section& section(int edge) const { return model_.section[EdgeIndex(edge)]; }
  double length(int edge) const { return model_.rest_length[EdgeIndex(edge)]; }
  // Compliances of the two halves add: force and moment are the same in both. [ERRATA S11, S12]
  static double in_series(double ka, double la, double kb, double lb) {
    return ka > 0 && kb > 0 ? 1 / (0.5 * la / ka + 0.5 * lb / kb) : 0;
  }
  double stretch_between(int rod, int a, int b) const {
    if (!model_.rods[z(rod)].stretches) return rigid;
    return in_series(section(a).EA, length(a), section(b).EA, length(b));
  }
  double stretch_of_half(int rod, int edge) const {
    return model_.rods[z(rod)].stretches ? section(edge).EA / (0.5 * length(edge)) : rigid;
  }
  static Quat about_axis(double angle) { return Quat(math::cos(0.5 * angle), 0, 0, math::sin(0.5 * angle)); }

  void add_rod_joints(int r) {
    const RodModel& rod = model_.rods[z(r)];
    const RodSpan& span = rod.span;
    for (int i = 0; i < span.inner; ++i) {
      const int after = span.ring ? i : i + 1, before = (after + span.edges - 1) % span.edges;
      Joint joint;
      joint.a = span.first_edge + before, joint.b = span.first_edge + after;
      joint.node = span.first_node + after, joint.inner = span.first_inner + i;
      const double la = length(joint.a), lb = length(joint.b);
      joint.point_a = Vec3(0, 0, 0.5 * la), joint.point_b = Vec3(0, 0, -0.5 * lb);
      joint.stretch = stretch_between(r, joint.a, joint.b);
      joint.law = rod.law, joint.span = 0.5 * (la + lb);
      const Section &sa = section(joint.a), &sb = section(joint.b);
      joint.stiffness =
          Vec3(in_series(sa.EI1, la, sb.EI1, lb), in_series(sa.EI2, la, sb.EI2, lb), in_series(sa.GJ, la, sb.GJ, lb));
      // The weld of a ring: in axes between those of both sides, each of which lies turned by half of the weld's step.
      const double weld = i == 0 && span.ring ? rod.weld_turn : 0;
      joint.weld = weld;
      if (weld != 0) joint.frame_a = about_axis(0.5 * weld), joint.frame_b = about_axis(-0.5 * weld);
      joint.rest = strain_point(joint.kind,
                                joint.frame_a.conjugate() * model_.rest_frame[EdgeIndex(joint.a)].conjugate() *
                                    model_.rest_frame[EdgeIndex(joint.b)] * joint.frame_b,
                                model_.rest_twist[InnerNodeIndex(joint.inner)] - weld)
                       .strain;
      joint.damping = rod.damping.internal;
      parts_.first_inner_[z(joint.inner)] = static_cast<int>(parts_.joints.size());
      parts_.joints.push_back(joint);
    }
  }

  struct Side {  // a segment at a node
    int rod = 0, edge = 0;
    bool after = false;  // it begins there
  };
  std::vector<Side> sides_at(int node) const {
    std::vector<Side> sides;
    for (std::size_t r = 0; r < model_.rods.size(); ++r) {
      const RodSpan& span = model_.rods[r].span;
      const int k = node - span.first_node;
      if (k < 0 || k >= span.nodes) continue;
      if (k > 0 || span.ring)
        sides.push_back({static_cast<int>(r), span.first_edge + (k + span.edges - 1) % span.edges, false});
      if (k < span.edges) sides.push_back({static_cast<int>(r), span.first_edge + k, true});
    }
    return sides;
  }
  // A joint of half a segment between a segment's end at a node and `other`. [ERRATA cross-method 7]
  Joint half_joint(const Side& side, int node, int other) const {
    Joint joint;
    joint.node = node, joint.after = side.after;
    joint.share = 1.0 / static_cast<double>(sides_at(node).size());
    (side.after ? joint.b : joint.a) = side.edge;
    (side.after ? joint.a : joint.b) = other;
    (side.after ? joint.point_b : joint.point_a) = Vec3(0, 0, (side.after ? -0.5 : 0.5) * length(side.edge));
    joint.stretch = stretch_of_half(side.rod, side.edge);
    joint.law = model_.rods[z(side.rod)].law, joint.span = 0.5 * length(side.edge);
    joint.damping = model_.rods[z(side.rod)].damping.internal;
    return joint;
  }
  void set_wall(const Side& side, int node, bool direction, bool twist, const Quat& local, Joint& joint) const {
    const Section& s = section(side.edge);
    joint.kind = twist ? StrainKind::angle : side.after ? StrainKind::beside_b : StrainKind::beside_a;
    joint.stiffness = Vec3(direction ? s.EI1 : 0, direction ? s.EI2 : 0, twist ? s.GJ : 0.0) * (2 / length(side.edge));
    (side.after ? joint.frame_a : joint.frame_b) = local;
    const Quat &frame = model_.rest_node_frame[NodeIndex(node)], &edge = model_.rest_frame[EdgeIndex(side.edge)];
    joint.rest_turn = side.after ? frame.conjugate() * edge : edge.conjugate() * frame;
    joint.rest = strain_point(joint.kind, joint.rest_turn, 0).strain;
  }
  void add_clamp(int c) {
    const ClampModel& clamp = model_.clamps[z(c)];
    for (const Side& side : sides_at(clamp.node.value)) {
      Joint joint = half_joint(side, clamp.node.value, parts_.first_clamp + c);
      joint.clamp = c;
      joint.holds_point = clamp.position;
      joint.holds_frame = clamp.direction || clamp.twist;
      if (joint.holds_frame) set_wall(side, clamp.node.value, clamp.direction, clamp.twist, Quat::Identity(), joint);
      parts_.joints.push_back(joint);
    }
  }
  // A frame at a node that a body or a junction carries: its point is held by a tie.
  void add_wall(const WallPlan& wall) {
    for (const Side& side : sides_at(wall.node)) {
      Joint joint = half_joint(side, wall.node, parts_.first_body + wall.carrier);
      joint.holds_point = false;
      set_wall(side, wall.node, true, true, wall.local, joint);
      joint.frame_joints = wall.joints;
      parts_.joints.push_back(joint);
    }
  }
  Joint tie_joint(const Tie& tie) const {
    Joint joint;
    joint.holds_frame = false;
    joint.point_joint = tie.joint;
    joint.stretch = rigid;
    const auto place = [&](const TieSide& side, int& element, Vec3& point) {
      if (side.node >= 0) {
        const Side at = sides_at(side.node).front();
        element = at.edge, point = Vec3(0, 0, (at.after ? -0.5 : 0.5) * length(at.edge));
        const bool end = sides_at(side.node).size() == 1;
        if (end) joint.stretch = std::min(joint.stretch, stretch_of_half(at.rod, at.edge));
        joint.node = side.node;
      } else {
        element = side.body >= 0 ? parts_.first_body + side.body : parts_.world;
        point = side.local;
      }
    };
    place(tie.a, joint.a, joint.point_a);
    place(tie.b, joint.b, joint.point_b);
    return joint;
  }
  void add_tie(const Tie& tie) {
    const Joint joint = tie_joint(tie);
    // The end of a rod in a body: one joint holds the point and the frame, so that the chain goes on without a branch.
    for (Joint& other : parts_.joints) {
      if (other.clamp >= 0 || other.inner >= 0 || other.holds_point || sides_at(other.node).size() != 1) continue;
      if (other.a == joint.a && other.b == joint.b) {
        other.holds_point = true, other.stretch = joint.stretch, other.point_joint = tie.joint;
        other.point_a = joint.point_a, other.point_b = joint.point_b;
        return note_tie(tie, other);
      }
      if (other.a == joint.b && other.b == joint.a) {
        other.holds_point = true, other.stretch = joint.stretch, other.point_joint = tie.joint;
        other.point_a = joint.point_b, other.point_b = joint.point_a;
        return note_tie(tie, other);
      }
    }
    parts_.joints.push_back(joint);
    note_tie(tie, parts_.joints.back());
  }
  // Where no point is held twice nothing need be sorted out when joints come and go.
  void note_tie(const Tie& tie, const Joint& joint) {
    if (plan_.repeats.empty() || tie.a.node < 0) return;
    parts_.ties.push_back({static_cast<int>(&joint - parts_.joints.data()), tie.a.node, tie.b.node, tie.b.body});
  }
  void add_repeat(const Tie& tie) {
    parts_.joints.push_back(tie_joint(tie));
    note_tie(tie, parts_.joints.back());
  }
  void add_slider(const SliderTie& slider) {
    Joint joint;
    joint.a = parts_.first_body + slider.a;
    joint.b = slider.b >= 0 ? parts_.first_body + slider.b : parts_.world;
    joint.point_a = slider.point_a, joint.point_b = slider.point_b;
    joint.slides = true, joint.axis = slider.axis;
    joint.frame_a = slider.relative;
    joint.stiffness = Vec3(rigid, rigid, rigid);
    joint.point_joint = slider.joint, joint.frame_joints = {slider.joint};
    parts_.joints.push_back(joint);
  }
  void add_turn(const TurnTie& turn) {
    Joint joint;
    joint.holds_point = false;
    joint.a = parts_.first_body + turn.a;
    joint.b = turn.b >= 0 ? parts_.first_body + turn.b : parts_.world;
    if (turn.hinge) {
      joint.kind = StrainKind::beside_a;
      joint.frame_a =
          quat_from_frame(any_perpendicular(turn.axis), turn.axis.cross(any_perpendicular(turn.axis)), turn.axis);
      joint.frame_b = quat_from_frame(turn.across[0], turn.across[1], turn.across[0].cross(turn.across[1]));
      joint.stiffness = Vec3(rigid, rigid, 0);
    } else {
      joint.frame_a = turn.relative;
      joint.stiffness = Vec3(rigid, rigid, rigid);
    }
    if (turn.joint >= 0) joint.frame_joints = {turn.joint};
    // Bodies that are held together at a point: one joint.
    for (Joint& other : parts_.joints) {
      if (other.inner >= 0 || other.clamp >= 0 || other.holds_frame || other.node >= 0) continue;
      const bool same = other.a == joint.a && other.b == joint.b, reversed = other.a == joint.b && other.b == joint.a;
      if (!same && !reversed) continue;
      if (reversed) std::swap(other.a, other.b), std::swap(other.point_a, other.point_b);
      other.holds_frame = true, other.kind = joint.kind, other.stiffness = joint.stiffness;
      other.frame_a = joint.frame_a, other.frame_b = joint.frame_b;
      other.frame_joints = joint.frame_joints;
      return;
    }
    parts_.joints.push_back(joint);
  }
  void note_replaced() {
    parts_.replaced_by.resize(parts_.joints.size());
    for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
      const Joint& joint = parts_.joints[j];
      if (joint.node < 0 || joint.inner >= 0 || joint.after < 0) continue;
      for (std::size_t k = 0; k < parts_.joints.size(); ++k)
        if (parts_.joints[k].inner >= 0 && parts_.joints[k].node == joint.node)
          parts_.replaced_by[k].push_back(static_cast<int>(j));
    }
  }

  // Rods as chains; spare segments and joints for those whose mesh grows.
  void add_chains() {
    for (std::size_t r = 0; r < model_.rods.size(); ++r) {
      const RodModel& rod = model_.rods[r];
      const bool wound = std::any_of(model_.winches.begin(), model_.winches.end(),
                                     [&](const WinchModel& w) { return w.rod == static_cast<int>(r); });
      Chain chain;
      chain.varies = !rod.span.ring && (wound || adaptive_) && !is_reeved(static_cast<int>(r));
      for (int k = 0; k < rod.span.edges; ++k) chain.segments.push_back(rod.span.first_edge + k);
      for (int i = 0; i < rod.span.inner; ++i) chain.joints.push_back(parts_.joint_at(rod.span.first_inner + i));
      for (int k = 0; k < rod.span.nodes; ++k) chain.material.push_back(model_.material[NodeIndex(rod.span.first_node + k)]);
      parts_.chains.push_back(std::move(chain));
      if (!parts_.chains.back().varies || !wound) continue;
      for (int k = rod.span.edges; k < rod.max_edges; ++k) {
        parts_.elements.push_back({Element::Kind::spare});
        Joint spare;
        spare.a = spare.b = parts_.world, spare.holds_point = spare.holds_frame = false;
        parts_.joints.push_back(spare);
      }
    }
    parts_.replaced_by.resize(parts_.joints.size());
    for (std::size_t r = 0; r < model_.rods.size(); ++r) parts_.chains[r].span.ring = model_.rods[r].span.ring;
    parts_.number();
    number_held_nodes();
  }
  void number_held_nodes() {
    for (Joint& joint : parts_.joints) joint.node_now = joint.node;
  }

  const Model& model_;
  Parts& parts_;
  JoinPlan plan_;
  bool adaptive_ = false;
};

}  // namespace

Parts build_parts(const Model& model, bool adaptive) {
  Parts parts;
  Builder(model, adaptive, parts).build();
  return parts;
}

// Flat over all rods, as in a Frame. What is held at the start or at the end of a rod is numbered by Mesh, where counts change.
void Parts::number() {
  RodSpan next;
  for (Chain& chain : chains) {
    RodSpan& span = chain.span;
    span.first_node = next.first_node, span.first_edge = next.first_edge, span.first_inner = next.first_inner;
    span.nodes = static_cast<int>(chain.material.size()), span.edges = static_cast<int>(chain.segments.size());
    span.inner = static_cast<int>(chain.joints.size());
    for (int k = 0; k < span.edges; ++k) elements[z(chain.segments[z(k)])].edge_now = span.first_edge + k;
    for (int i = 0; i < span.inner; ++i) {
      if (chain.joints[z(i)] < 0) continue;  // between falls of a reeved rope
      Joint& joint = joints[z(chain.joints[z(i)])];
      joint.inner_now = span.first_inner + i, joint.node_now = span.first_node + (span.ring ? i : i + 1);
    }
    next.first_node += span.nodes, next.first_edge += span.edges, next.first_inner += span.inner;
  }
}

State start_state(const Model& model, const Parts& parts) {
  State s;
  const Frame& start = model.initial;
  const std::size_t count = parts.elements.size(), joints = parts.joints.size();
  s.x.assign(count, Vec3::Zero()), s.v = s.momentum = s.a = s.turn = s.a_before = s.turn_before = s.x;
  s.q.assign(count, Quat::Identity());
  s.force.assign(joints, Vec3::Zero()), s.couple = s.force;
  s.twist.assign(joints, 0.0), s.winding = s.twist;
  s.point_on.assign(joints, 0), s.frame_on = s.point_on;
  s.tension.assign(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const Element& e = parts.elements[i];
    Vec3 spin = Vec3::Zero();
    if (e.kind == Element::Kind::segment) {
      const RodSpan& span = model.rods[z(e.rod)].span;
      const int k = e.edge - span.first_edge;
      const NodeIndex a(span.first_node + k), b(span.first_node + (k + 1) % span.nodes);
      s.x[i] = 0.5 * (start.position[a] + start.position[b]);
      s.v[i] = 0.5 * (start.velocity[a] + start.velocity[b]);
      s.q[i] = start.orientation[EdgeIndex(e.edge)].normalized();
      spin = start.spin[EdgeIndex(e.edge)];
    } else if (e.kind == Element::Kind::body) {
      const BodyState& body = model.initial.bodies[z(e.number)];
      s.x[i] = body.pose.position, s.q[i] = body.pose.orientation;
      if (!e.led) s.v[i] = body.motion.linear, spin = body.motion.angular;
    }
    s.momentum[i] = s.q[i] * e.inertia.cwiseProduct(s.q[i].conjugate() * spin);
  }
  for (std::size_t j = 0; j < joints; ++j) {
    const Joint& joint = parts.joints[j];
    if (joint.inner < 0) continue;
    const Quat between = (s.q[z(joint.a)] * joint.frame_a).conjugate() * (s.q[z(joint.b)] * joint.frame_b);
    s.twist[j] = strain_point(joint.kind, between, start.twist[InnerNodeIndex(joint.inner)] - joint.weld).strain[2];
  }
  return s;
}

void State::visit_state(StateArchive& archive) {
  for (auto* list : {&x, &v, &momentum, &a, &turn, &a_before, &turn_before, &force, &couple}) archive.fixed(*list);
  archive.fixed(q);
  for (auto* list : {&twist, &winding, &tension}) archive.fixed(*list);
  archive.fixed(point_on), archive.fixed(frame_on);
}

}  // namespace tendril::cable
