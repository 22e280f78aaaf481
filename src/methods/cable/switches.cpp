#include "methods/cable/switches.h"

#include <algorithm>
#include <numeric>

namespace tendril::cable {
namespace {

constexpr double closing_time = 0.5;  // [s] in which a hook draws its points together

// What is left of the distance.
double left_after(double age) {
  const double t = std::min(1.0, age / closing_time);
  return 1 - t * t * (3 - 2 * t);
}

Vec3 end_a(const Joint& joint, const Vec3& point_a, const State& state) {
  return state.x[z(joint.a)] + state.q[z(joint.a)] * point_a;
}
Vec3 end_b(const Joint& joint, const State& state) { return state.x[z(joint.b)] + state.q[z(joint.b)] * joint.point_b; }

}  // namespace

JointSwitches::JointSwitches(const Model& model, const Parts& parts)
    : model_(model), holds_(model.joints.size(), 0), held_(holds_), stands_(parts.joints.size()) {
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    const Joint& joint = parts.joints[j];
    if (joint.point_joint < 0 && joint.frame_joints.empty()) continue;
    Own own;
    own.joint = static_cast<int>(j), own.point_a = joint.point_a, own.frame_b = joint.frame_b;
    own_.push_back(own);
  }
  int nodes = 0;
  for (const Parts::PointTie& tie : parts.ties) nodes = std::max({nodes, tie.node + 1, tie.node_b + 1});
  parent_.resize(z(nodes));
}

bool JointSwitches::any_holds(const std::vector<int>& joints) const {
  return joints.empty() || std::any_of(joints.begin(), joints.end(), [&](int i) { return holds_[z(i)] != 0; });
}

bool JointSwitches::is_near(int scene_joint, const State& state, const Parts& parts) const {
  for (const Own& own : own_) {
    const Joint& joint = parts.joints[z(own.joint)];
    if (joint.point_joint != scene_joint) continue;
    Vec3 gap = end_b(joint, state) - end_a(joint, own.point_a, state);
    if (joint.slides) {
      const Vec3 axis = state.q[z(joint.a)] * joint.axis;
      gap -= axis.dot(gap) * axis;
    }
    return gap.norm() <= model_.joints[z(scene_joint)].reach;
  }
  return true;
}

void JointSwitches::decide(const Drive& drive, const State& state, const Parts& parts) {
  std::copy(holds_.begin(), holds_.end(), held_.begin());
  for (std::size_t i = 0; i < holds_.size(); ++i) {
    if (!drive.joints[i])
      holds_[i] = 0;
    else if (!holds_[i])
      holds_[i] = !model_.joints[i].is_hook() || is_near(static_cast<int>(i), state, parts);
  }
}

void JointSwitches::take_hold(Own& own, bool point, bool frame, const State& state, Parts& parts) const {
  Joint& joint = parts.joints[z(own.joint)];
  const std::size_t a = z(joint.a), b = z(joint.b);
  if (point) {
    own.shift = state.q[a].conjugate() * (end_b(joint, state) - end_a(joint, own.point_a, state));
    if (joint.slides) own.shift -= joint.axis.dot(own.shift) * joint.axis;
    own.age = 0, own.closes = model_.joints[z(joint.point_joint)].is_hook();
  }
  if (frame) own.frame_b = (state.q[b].conjugate() * (state.q[a] * (joint.frame_a * joint.rest_turn))).normalized();
}

void JointSwitches::apply(const Own& own, Parts& parts) {
  Joint& joint = parts.joints[z(own.joint)];
  joint.point_a = own.point_a + (own.closes ? left_after(own.age) : 1) * own.shift;
  joint.frame_b = own.frame_b;
}

void JointSwitches::follow(const Drive& drive, double dt, const State& state, Parts& parts) {
  if (holds_.empty()) return;
  decide(drive, state, parts);
  for (Own& own : own_) {
    Joint& joint = parts.joints[z(own.joint)];
    Stands& stands = stands_[z(own.joint)];
    const char point = joint.point_joint < 0 || holds_[z(joint.point_joint)], frame = any_holds(joint.frame_joints);
    // At the start things stand as they were built, but for hooks, whose points may be apart.
    const bool new_point = begun_ ? joint.point_joint >= 0 && point && !held_[z(joint.point_joint)]
                                  : joint.point_joint >= 0 && point && model_.joints[z(joint.point_joint)].is_hook();
    const bool new_frame = begun_ && frame && !stands.frame && !joint.frame_joints.empty();
    if (new_point || new_frame) take_hold(own, new_point, new_frame, state, parts);
    const Vec3 before = joint.point_a;
    if (own.closes && point && !new_point) own.age += dt;
    apply(own, parts);
    own.moved = point && own.closes && !new_point ? Vec3(joint.point_a - before) : Vec3::Zero();
    stands = {point, frame, new_frame, new_point};
  }
  begun_ = true;
  if (!parts.ties.empty()) drop_repeats(parts);
}

// Points that others hold together already are not held twice: in the order of the scene.
void JointSwitches::drop_repeats(const Parts& parts) {
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto find = [&](int i) {
    while (parent_[z(i)] != i) i = parent_[z(i)];
    return i;
  };
  const auto on_body = [&](std::size_t last, int node, int body) {
    for (std::size_t k = 0; k < last; ++k) {
      const Parts::PointTie& tie = parts.ties[k];
      if (stands_[z(tie.joint)].point && tie.node_b < 0 && tie.body_b == body && find(tie.node) == find(node)) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < parts.ties.size(); ++i) {
    const Parts::PointTie& tie = parts.ties[i];
    char& point = stands_[z(tie.joint)].point;
    if (!point) continue;
    if (tie.node_b < 0) {
      if (on_body(i, tie.node, tie.body_b)) point = 0;
      continue;
    }
    bool shared = find(tie.node) == find(tie.node_b);
    for (std::size_t k = 0; k < i && !shared; ++k) {
      const Parts::PointTie& other = parts.ties[k];
      shared = stands_[z(other.joint)].point && other.node_b < 0 && find(other.node) == find(tie.node) &&
               on_body(i, tie.node_b, other.body_b);
    }
    if (shared)
      point = 0;
    else
      parent_[z(find(tie.node_b))] = find(tie.node);
  }
}

double JointSwitches::work(const Parts& parts, const State& state) const {
  double sum = 0;
  for (const Own& own : own_)
    if (own.moved != Vec3::Zero())
      sum += state.force[z(own.joint)].dot(state.q[z(parts.joints[z(own.joint)].a)] * own.moved);
  return sum;
}

void JointSwitches::visit_state(StateArchive& archive, Parts& parts) {
  archive.fixed(holds_);
  archive.fixed(own_);
  archive(begun_);
  if (!archive.reading()) return;
  for (const Own& own : own_) {
    apply(own, parts);
    const Joint& joint = parts.joints[z(own.joint)];
    const char point = joint.point_joint < 0 || holds_[z(joint.point_joint)], frame = any_holds(joint.frame_joints);
    stands_[z(own.joint)] = {point, frame, false, false};
  }
  if (!parts.ties.empty()) drop_repeats(parts);
}

}  // namespace tendril::cable
