#include "model/join_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "math/elementary.h"
#include "math/index.h"
#include "math/transport.h"

namespace tendril {

std::vector<EdgeIndex> edges_at(const Model& model, NodeIndex node) {
  for (const RodModel& rod : model.rods) {
    const RodSpan& span = rod.span;
    const int k = node.value - span.first_node;
    if (k < 0 || k >= span.nodes) continue;
    std::vector<EdgeIndex> edges;
    if (k > 0 || span.ring) edges.push_back(EdgeIndex{span.first_edge + (k + span.edges - 1) % span.edges});
    if (k < span.edges) edges.push_back(EdgeIndex{span.first_edge + k});
    return edges;
  }
  return {};
}

namespace {

double damping_at(const Model& model, NodeIndex node) {
  for (const RodModel& rod : model.rods)
    if (node.value >= rod.span.first_node && node.value < rod.span.first_node + rod.span.nodes) return rod.damping.mass;
  return 0;
}

struct Groups {  // things that were found to be one
  std::vector<int> parent;
  explicit Groups(int count) : parent(z(count)) { std::iota(parent.begin(), parent.end(), 0); }
  int find(int i) {
    while (parent[z(i)] != i) i = parent[z(i)] = parent[z(parent[z(i)])];
    return i;
  }
  void unite(int a, int b) { parent[z(find(b))] = find(a); }
};

class Planner {
 public:
  Planner(const Model& model, JoinPlan& plan)
      : model_(model), plan_(plan), frames_(model.rest_position.size()), points_(model.rest_position.size()) {}

  void plan() {
    plan_.bodies = static_cast<int>(model_.bodies.size());
    for (const JointModel& j : model_.joints) collect(j);
    for (const JointModel& j : model_.joints) assign_bodies(j);
    make_junctions();
    for (const auto& [node, frame] : frame_of_) add_wall(node, frame);
    for (const auto& [a, b] : welded_bodies_) add_turn(a, b, false, Vec3::UnitZ());
    for (const JointModel& j : model_.joints) {
      if (j.kind == JointKind::slider) {
        add_slider(j);
        continue;
      }
      add_tie(j);
      const bool rods = j.rod_a >= 0 || j.rod_b >= 0;
      if (j.kind == JointKind::hinge) add_turn(carrier(j, true), carrier(j, false), true, j.axis);
      if (j.kind == JointKind::rigid && !rods) add_turn(carrier(j, true), carrier(j, false), false, j.axis);
    }
  }

 private:
  // Frames at nodes, and which of them are one.
  void collect(const JointModel& j) {
    if (j.kind == JointKind::ball || j.kind == JointKind::slider) return;
    if (j.rod_a >= 0) frame_of_.emplace(j.node_a.value, j.frame_a);
    if (j.rod_b >= 0) frame_of_.emplace(j.node_b.value, j.frame_b);
    if (j.kind == JointKind::rigid && j.rod_a >= 0 && j.rod_b >= 0) frames_.unite(j.node_a.value, j.node_b.value);
  }
  void assign_bodies(const JointModel& j) {
    if (j.kind != JointKind::rigid || (j.rod_a >= 0) == (j.rod_b >= 0)) return;
    const int group = frames_.find(j.rod_a >= 0 ? j.node_a.value : j.node_b.value);
    const int body = j.rod_a >= 0 ? j.body_b : j.body_a;
    if (body < 0) {
      world_.insert(group);
    } else if (const auto [found, fresh] = body_of_.emplace(group, body); !fresh && found->second != body) {
      welded_bodies_.emplace(found->second, body);
    }
  }
  void make_junctions() {
    for (const auto& [node, frame] : frame_of_) {
      const int group = frames_.find(node);
      if (body_of_.count(group)) {
        carrier_of_[group] = body_of_[group];
        continue;
      }
      if (!carrier_of_.count(group)) {
        carrier_of_[group] = plan_.bodies + static_cast<int>(plan_.junctions.size());
        plan_.junctions.push_back({0, damping_at(model_, NodeIndex{node}), world_.count(group) > 0});
      }
      Junction& junction = plan_.junctions[z(carrier_of_[group] - plan_.bodies)];
      for (const EdgeIndex e : edges_at(model_, NodeIndex{node}))
        junction.inertia += 0.25 * model_.section[e].line_mass * math::cube(model_.rest_length[e]);
    }
    for (const auto& [group, body] : body_of_)  // joined to a body and to the world: so is the body
      if (world_.count(group)) welded_bodies_.emplace(body, -1);
  }
  Quat orientation(int c) const {
    return c >= 0 && c < plan_.bodies ? model_.bodies[z(c)].start.pose.orientation : Quat::Identity();
  }
  int carrier(const JointModel& j, bool first) {
    const int rod = first ? j.rod_a : j.rod_b, body = first ? j.body_a : j.body_b;
    if (rod < 0) return body;
    return carrier_of_.at(frames_.find((first ? j.node_a : j.node_b).value));
  }
  void add_wall(int node, const Quat& frame) {
    const int c = carrier_of_.at(frames_.find(node));
    plan_.walls.push_back({node, c, orientation(c).conjugate() * frame});
  }
  void add_turn(int a, int b, bool hinge, const Vec3& axis) {
    if (a < 0) std::swap(a, b);
    if (a < 0 || a == b) return;
    TurnTie turn;
    turn.a = a, turn.b = b, turn.hinge = hinge;
    const Quat qa = orientation(a), qb = orientation(b);
    turn.axis = qa.conjugate() * axis;
    const Vec3 first = any_perpendicular(axis);
    turn.across[0] = qb.conjugate() * first;
    turn.across[1] = qb.conjugate() * axis.cross(first);
    turn.relative = qa.conjugate() * qb;
    plan_.turns.push_back(turn);
  }

  void add_slider(const JointModel& j) {
    int a = j.body_a, b = j.body_b;
    if (a < 0) std::swap(a, b);  // the world comes second
    const Quat qa = orientation(a);
    plan_.sliders.push_back({a, b, local_point(a, j.point), local_point(b, j.point), qa.conjugate() * j.axis,
                             qa.conjugate() * orientation(b), static_cast<int>(&j - model_.joints.data())});
  }

  // Points of rods that are tied already, perhaps round a loop of joints, are not tied twice.
  void add_tie(const JointModel& j) {
    TieSide a{j.rod_a >= 0 ? j.node_a.value : -1, j.body_a, local_point(j.body_a, j.point)};
    TieSide b{j.rod_b >= 0 ? j.node_b.value : -1, j.body_b, local_point(j.body_b, j.point)};
    if (a.node < 0) std::swap(a, b);
    if (a.node < 0 && a.body < 0) std::swap(a, b);  // the world comes second
    if (a.node >= 0) {
      const int p = points_.find(a.node);
      if (b.node >= 0) {
        const int q = points_.find(b.node);
        std::vector<int> shared;
        std::set_intersection(held_by_[p].begin(), held_by_[p].end(), held_by_[q].begin(), held_by_[q].end(),
                              std::back_inserter(shared));
        if (p == q || !shared.empty()) return;
        points_.unite(p, q);
        held_by_[p].insert(held_by_[q].begin(), held_by_[q].end());
      } else if (!held_by_[p].insert(b.body).second) {
        return;
      }
    }
    plan_.ties.push_back({a, b});
  }
  Vec3 local_point(int body, const Vec3& point) const {
    if (body < 0) return point;
    const Pose& pose = model_.bodies[z(body)].start.pose;
    return pose.orientation.conjugate() * (point - pose.position);
  }

  const Model& model_;
  JoinPlan& plan_;
  Groups frames_, points_;
  std::map<int, Quat> frame_of_;          // per node with a wall
  std::map<int, int> body_of_;            // per group of frames
  std::set<int> world_;                   // groups of frames joined to the world
  std::map<int, int> carrier_of_;         // per group
  std::map<int, std::set<int>> held_by_;  // per group of points: bodies, -1 the world
  std::set<std::pair<int, int>> welded_bodies_;
};

}  // namespace

JoinPlan::JoinPlan(const Model& model) { Planner(model, *this).plan(); }

// Two things cannot hold one frame.
void check_frames_held_once(const Model& model, std::size_t joint, Problems& problems) {
  const JointModel& j = model.joints[joint];
  for (const ClampModel& t : model.clamps) {
    const bool here = (j.rod_a >= 0 && t.node == j.node_a) || (j.rod_b >= 0 && t.node == j.node_b);
    if (!here || j.kind == JointKind::ball || !(t.direction || t.twist)) continue;
    problems.push_back({Severity::error, "", "joint[" + std::to_string(joint) + "]",
                        "holds a frame that clamp " + t.name + " holds already", "",
                        "let the clamp hold the position only, or join the rod to a fixed body"});
  }
}

}  // namespace tendril
