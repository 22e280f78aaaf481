// From the Model to chains, once.
#include <algorithm>
#include <limits>
#include <memory>

#include "math/transport.h"
#include "methods/compact/chain.h"

namespace tendril::compact {
namespace {

// Compliances of the two halves add: the moment is the same in both.
double in_series(double ka, double la, double kb, double lb) {
  return ka > 0 && kb > 0 ? 1 / (0.5 * la / ka + 0.5 * lb / kb) : 0;
}

// Where it is held; else where it is joined.
void choose_root(const Model& model, const JoinPlan& plan, const RodModel& rod, Chain& chain) {
  const int first = rod.span.first_node, last = first + rod.span.nodes - 1;
  const auto held_at = [&](int node) {
    return std::any_of(model.clamps.begin(), model.clamps.end(), [&](const ClampModel& c) {
      return c.rod == chain.rod && c.position && !c.slides && c.node.value == node;
    });
  };
  const auto joined_at = [&](int node) {
    return std::any_of(plan.ties.begin(), plan.ties.end(),
                       [&](const Tie& tie) { return tie.a.node == node || tie.b.node == node; });
  };
  chain.root_node = first;
  if (chain.ring) {
    for (int node = last; node >= first; --node)
      if (joined_at(node)) chain.root_node = node;
    for (int node = last; node >= first; --node)
      if (held_at(node)) chain.root_node = node;
  } else if (!held_at(first) && (held_at(last) || (!joined_at(first) && joined_at(last)))) {
    chain.root_node = last;
    chain.reversed = true;
  }
}

void add_links(const Model& model, const RodSpan& span, Chain& chain) {
  const int n = span.edges, shift = chain.root_node - span.first_node;
  const auto node = [&](int k) { return span.first_node + (chain.ring ? k % n : k); };
  chain.link_of_edge.resize(z(n));
  for (int i = 0; i < n; ++i) {
    const int k = chain.reversed ? n - 1 - i : chain.ring ? (shift + i) % n : i;
    const EdgeIndex e(span.first_edge + k);
    const Section& s = model.section[e];
    const double l = model.rest_length[e];
    chain.link_of_edge[z(k)] = i;
    chain.links.push_back(
        {e.value, node(chain.reversed ? k + 1 : k), node(chain.reversed ? k : k + 1), l, s.rotary2 * l, s.rotary1 * l});
  }
  if (chain.ring) chain.links.push_back({chain.links[0].edge, chain.root_node, chain.root_node, 0, 0, 0});
  chain.mass.assign(z(chain.points()), 0.0);
  for (int i = 0; i < n; ++i) {
    const Link& link = chain.links[z(i)];
    const double half = 0.5 * link.length * model.section[EdgeIndex(link.edge)].line_mass;
    chain.mass[z(i)] += half, chain.mass[z(i + 1)] += half;
    chain.mass[z(chain.d1(i))] = link.inertia1, chain.mass[z(chain.d1(i) + 1)] = link.inertia2;
    chain.total += 2 * half;
  }
}

Quat about_axis(double angle) { return Quat(math::cos(0.5 * angle), 0, 0, math::sin(0.5 * angle)); }

// The weld of a ring: in axes between those of both sides, each of which lies turned by half of the weld's step. Compliances and natural
// bends of the two halves are turned there and added; what then is left beside the diagonal cancels where both halves are alike.
void weld_joint(double weld, const Section& sa, double la, const Section& sb, double lb, Joint& joint) {
  joint.weld = weld;
  joint.turn_a = about_axis(0.5 * weld), joint.turn_b = about_axis(-0.5 * weld);
  const double c = math::cos(0.5 * weld) * math::cos(0.5 * weld), s = 1 - c;
  const auto mixed = [&](double own, double other) { return 1 / (c / own + s / other); };
  joint.kappa.x() = in_series(mixed(sa.EI1, sa.EI2), la, mixed(sb.EI1, sb.EI2), lb);
  joint.kappa.y() = in_series(mixed(sa.EI2, sa.EI1), la, mixed(sb.EI2, sb.EI1), lb);
  joint.rest.head<2>() *= math::cos(0.5 * weld);
}

void add_joints(const Model& model, const RodSpan& span, StrainKind strain, Chain& chain) {
  chain.joints.resize(chain.links.size());
  for (int i = 1; i < chain.all(); ++i) {
    Joint& joint = chain.joints[z(i)];
    joint.a = chain.reversed ? i : i - 1, joint.b = chain.reversed ? i - 1 : i;
    joint.kind = strain;
    joint.node = chain.links[z(i)].near;
    const int k = joint.node - span.first_node;
    joint.inner = span.first_inner + (chain.ring ? k : k - 1);
    const EdgeIndex a(chain.links[z(joint.a)].edge), b(chain.links[z(joint.b)].edge);
    const Section &sa = model.section[a], &sb = model.section[b];
    const double la = model.rest_length[a], lb = model.rest_length[b];
    joint.kappa =
        Vec3(in_series(sa.EI1, la, sb.EI1, lb), in_series(sa.EI2, la, sb.EI2, lb), in_series(sa.GJ, la, sb.GJ, lb));
    const double weld = k == 0 ? model.rods[z(chain.rod)].weld_turn : 0;
    joint.rest = strain_point(strain, model.rest_frame[a].conjugate() * model.rest_frame[b],
                              model.rest_twist[InnerNodeIndex(joint.inner)] - weld)
                     .strain;
    if (weld != 0) weld_joint(weld, sa, la, sb, lb, joint);
    chain.stiffest = std::max(chain.stiffest, joint.kappa.maxCoeff());
  }
}

// The frame at the weld of a ring lies between both sides, by their lengths (rod_shape.cpp).
void weld_wall(const Model& model, const Chain& chain, bool after, Joint& wall) {
  const RodModel& rod = model.rods[z(chain.rod)];
  if (rod.weld_turn == 0) return;
  const double before = model.rest_length[EdgeIndex(rod.span.first_edge + rod.span.edges - 1)];
  const double next = model.rest_length[EdgeIndex(rod.span.first_edge)], share = before / (before + next);
  wall.weld = (after ? 1 - share : share) * rod.weld_turn;
  (after ? wall.turn_a : wall.turn_b) = about_axis(after ? wall.weld : -wall.weld);
}

// A clamp that holds the direction is a wall at its node, with a joint of half a segment to each neighbour. [ERRATA cross-method 7]
// One that holds the twist alone is a wall whose joint does not resist bending; such walls stand at ends only (check).
void add_walls_at(const Model& model, const RodSpan& span, StrainKind strain, NodeIndex at, int clamp, bool direction,
                  bool twist, Chain& chain) {
  const int node = at.value - span.first_node;
  for (const bool after : {false, true}) {
    int k = after ? node : node - 1;
    if (chain.ring) k = (k + span.edges) % span.edges;
    if (k < 0 || k >= span.edges) continue;
    const EdgeIndex e(span.first_edge + k);
    const Section& s = model.section[e];
    Joint wall;
    (after ? wall.b : wall.a) = chain.link_of_edge[z(k)];
    wall.kind = twist ? strain : after ? StrainKind::beside_b : StrainKind::beside_a;
    wall.kappa = Vec3(s.EI1, s.EI2, twist ? s.GJ : 0.0) * (2 / model.rest_length[e]);
    if (!direction) wall.kappa.head<2>().setZero();
    const Quat &frame = model.rest_node_frame[at], &edge = model.rest_frame[e];
    wall.rest = strain_point(wall.kind, after ? frame.conjugate() * edge : edge.conjugate() * frame, 0).strain;
    wall.node = at.value, wall.clamp = clamp;
    if (node == 0 && twist) weld_wall(model, chain, after, wall);
    for (std::size_t i = 1; i < chain.joints.size(); ++i)
      if (chain.joints[i].node == wall.node) wall.replaces = static_cast<int>(i);
    chain.walls.push_back(wall);
    chain.stiffest = std::max(chain.stiffest, wall.kappa.maxCoeff());
  }
}

void add_walls(const Model& model, const JoinPlan& plan, const RodSpan& span, StrainKind strain, Chain& chain) {
  for (std::size_t c = 0; c < model.clamps.size(); ++c) {
    const ClampModel& clamp = model.clamps[c];
    if (clamp.rod == chain.rod && (clamp.direction || clamp.twist))
      add_walls_at(model, span, strain, clamp.node, static_cast<int>(c), clamp.direction, clamp.twist, chain);
  }
  for (std::size_t w = 0; w < plan.walls.size(); ++w) {
    const int node = plan.walls[w].node;
    if (node < span.first_node || node >= span.first_node + span.nodes) continue;
    add_walls_at(model, span, strain, NodeIndex(node), static_cast<int>(model.clamps.size() + w), true, true, chain);
  }
}

}  // namespace

Chain build_chain(const Model& model, int rod, StrainKind strain, const JoinPlan* plan) {
  if (plan == nullptr) return build_chain(model, rod, strain, std::make_unique<JoinPlan>(model).get());
  const RodModel& r = model.rods[z(rod)];
  Chain chain;
  chain.rod = rod, chain.ring = r.span.ring;
  chain.length = r.length, chain.damping = r.damping;
  chain.EI = std::numeric_limits<double>::infinity();
  for (int k = 0; k < r.span.edges; ++k) {
    const Section& s = model.section[EdgeIndex(r.span.first_edge + k)];
    chain.EI = std::min({chain.EI, s.EI1, s.EI2});
  }
  choose_root(model, *plan, r, chain);
  add_links(model, r.span, chain);
  add_joints(model, r.span, strain, chain);
  add_walls(model, *plan, r.span, strain, chain);
  for (std::size_t c = 0; c < model.clamps.size(); ++c) {
    const ClampModel& clamp = model.clamps[c];
    if (clamp.rod != rod || !clamp.position) continue;
    HeldPoint held{static_cast<int>(c), -1};
    if (clamp.node.value == chain.root_node) {
      if (!clamp.slides) {
        chain.root_clamps.push_back(static_cast<int>(c));
        continue;
      }
    } else {
      for (int i = 0; i < chain.real(); ++i)
        if (chain.links[z(i)].far == clamp.node.value) held.link = i;
    }
    if (clamp.slides) {
      const Vec3 first = any_perpendicular(clamp.slide);
      held.axes << first, clamp.slide.cross(first), clamp.slide;
      held.slides = true;
    }
    chain.held.push_back(held);
  }
  std::sort(chain.held.begin(), chain.held.end(),
            [](const HeldPoint& a, const HeldPoint& b) { return a.link != b.link ? a.link < b.link : a.clamp < b.clamp; });
  return chain;
}

ChainState start_state(const Model& model, const Chain& chain) {
  ChainState s;
  const Frame& start = model.initial;
  s.root = start.position[NodeIndex(chain.root_node)];
  for (const Link& link : chain.links) s.q.push_back(start.orientation[EdgeIndex(link.edge)].normalized());
  s.twist.assign(chain.joints.size(), 0.0);
  for (std::size_t i = 1; i < chain.joints.size(); ++i) {
    const Joint& joint = chain.joints[i];
    const double near = start.twist[InnerNodeIndex(joint.inner)] - joint.weld;
    s.twist[i] = strain_point(StrainKind::angle, joint_quaternion(joint, s.q, {}), near).strain[2];
  }
  s.wall_twist.assign(chain.walls.size(), 0.0);
  s.wall_winding = s.wall_twist;
  s.wall_holds.assign(chain.walls.size(), 0);
  s.multiplier.assign(z(chain.rows()), 0.0);
  s.force.assign(z(chain.real()), Vec3::Zero());
  // Points: places by sums, so that lengths are exact from the start.
  s.points.resize(chain.points());
  s.points.y[0] = s.root;
  s.points.v[0] = start.velocity[NodeIndex(chain.root_node)];
  for (int i = 0; i < chain.real(); ++i) {
    const Link& link = chain.links[z(i)];
    const Mat3 frame = s.q[z(i)].toRotationMatrix();
    const Vec3& spin = start.spin[EdgeIndex(link.edge)];
    s.points.y[z(i + 1)] = s.points.y[z(i)] + (chain.sign() * link.length) * frame.col(2);
    s.points.v[z(i + 1)] = start.velocity[NodeIndex(link.far)];
    for (int k = 0; k < 2; ++k) {
      s.points.y[z(chain.d1(i) + k)] = frame.col(k);
      s.points.v[z(chain.d1(i) + k)] = spin.cross(frame.col(k));
    }
  }
  if (chain.damping.internal <= 0) return s;
  s.strains.resize(static_cast<int>(chain.joints.size() + chain.walls.size()));
  for (std::size_t i = 1; i < chain.joints.size(); ++i) {
    const Joint& joint = chain.joints[i];
    s.strains.y[i] = strain_point(joint.kind, joint_quaternion(joint, s.q, {}), s.twist[i]).strain;
  }
  return s;
}

void Levels::push(const Stage& stage, std::size_t i, const Vec3& now, const Vec3& bar) {
  const Vec3 velocity = stage.gamma * (now - bar);
  if (stage.keeps_acceleration) a[i] = stage.c * (now - blend(stage.hat, i));
  y_before[i] = y[i], v_before[i] = v[i];
  y[i] = now, v[i] = velocity;
}

void Levels::visit_state(StateArchive& archive) {
  for (auto* list : {&y, &y_before, &v, &v_before, &a}) archive.fixed(*list);
}

void ChainState::visit_state(StateArchive& archive) {
  archive(root, reaction, root_held, points, strains);
  archive.fixed(q);
  for (auto* list : {&twist, &wall_twist, &wall_winding, &multiplier}) archive.fixed(*list);
  archive.fixed(wall_holds);
  archive.fixed(force);
}

}  // namespace tendril::compact
