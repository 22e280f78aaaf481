#include "methods/cable/switches.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tendril::cable {
namespace {

constexpr double hook_rate = 20;          // [1/s] of a hook's spring: it closes its gap within half a second
constexpr double hook_met = 0.02;         // of its reach: where its points have met
constexpr double hook_long_enough = 0.5;  // [s] after which it takes hold where it is nearly there:
constexpr double hook_nearly = 0.2;       // of its reach; its own spring may sag under a load
constexpr double hook_let_go = 1.5;       // reaches: where it stops drawing

// [kg] What a hook has to move on one side.
double mass_of_side(const Model& model, const Element& e) {
  if (e.led || e.kind == Element::Kind::junction) return HUGE_VAL;
  return e.kind == Element::Kind::segment ? mass_of(model, model.rods[z(e.rod)]) : e.mass;
}

bool varies(const Parts& parts, int element) {
  const Element& e = parts.elements[z(element)];
  return e.kind == Element::Kind::segment && parts.chains[z(e.rod)].varies;
}
bool is_meshed(const Parts& parts, const Joint& joint) { return varies(parts, joint.a) || varies(parts, joint.b); }
// Point a without its shift: as built, or at the end of a segment that may have changed.
Vec3 base_of(int number, const Vec3& built, const Parts& parts) {
  const int a = parts.joints[z(number)].a;
  return varies(parts, a) ? parts.elements[z(a)].end(built.z() < 0 ? 0 : 1) : built;
}
Vec3 end_a(const Joint& joint, const Vec3& point_a, const State& state) {
  return state.x[z(joint.a)] + state.q[z(joint.a)] * point_a;
}
Vec3 end_b(const Joint& joint, const State& state) { return state.x[z(joint.b)] + state.q[z(joint.b)] * joint.point_b; }

}  // namespace

JointSwitches::JointSwitches(const Model& model, const Parts& parts)
    : model_(model), holds_(model.joints.size(), 0), stands_(parts.joints.size()), held_(holds_) {
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    const Joint& joint = parts.joints[j];
    if (joint.point_joint < 0 && joint.frame_joints.empty()) continue;
    Own own;
    own.joint = static_cast<int>(j), own.point_a = joint.point_a, own.frame_b = joint.frame_b;
    own.stretch = joint.stretch, own.damping = joint.damping;
    own.spring = hook_rate * hook_rate *
                 std::min(mass_of_side(model, parts.elements[z(joint.a)]), mass_of_side(model, parts.elements[z(joint.b)]));
    own_.push_back(own);
  }
  own_before_ = own_, stood_ = stands_;
  drawn_.assign(holds_.size(), 0.0), drawn_before_ = drawn_;
  int nodes = 0;
  for (const Parts::PointTie& tie : parts.ties) nodes = std::max({nodes, tie.node + 1, tie.node_b + 1});
  parent_.resize(z(nodes));
}

bool JointSwitches::any_holds(const std::vector<int>& joints) const {
  return joints.empty() || std::any_of(joints.begin(), joints.end(), [&](int i) { return holds_[z(i)] == yes; });
}

double JointSwitches::distance(int scene_joint, const State& state, const Parts& parts) const {
  for (const Own& own : own_) {
    const Joint& joint = parts.joints[z(own.joint)];
    if (joint.point_joint != scene_joint) continue;
    Vec3 gap = end_b(joint, state) - end_a(joint, base_of(own.joint, own.point_a, parts), state);
    if (joint.slides) {
      const Vec3 axis = state.q[z(joint.a)] * joint.axis;
      gap -= axis.dot(gap) * axis;
    }
    return gap.norm();
  }
  return 0;
}

char JointSwitches::hook_now(std::size_t i, const State& state, const Parts& parts) const {
  if (held_[i] == yes) return yes;
  const double reach = model_.joints[i].reach, apart = distance(static_cast<int>(i), state, parts);
  if (apart <= hook_met * reach || (drawn_before_[i] > hook_long_enough && apart <= hook_nearly * reach)) return yes;
  return apart <= (held_[i] == draws_near ? hook_let_go : 1) * reach ? draws_near : no;
}

void JointSwitches::decide(const Drive& drive, double dt, const State& state, const Parts& parts) {
  for (std::size_t i = 0; i < holds_.size(); ++i) {
    if (!drive.joints[i])
      holds_[i] = no;
    else
      holds_[i] = model_.joints[i].is_hook() ? hook_now(i, state, parts) : static_cast<char>(yes);
    drawn_[i] = holds_[i] == draws_near ? drawn_before_[i] + dt : 0;
  }
}

void JointSwitches::take_hold(Own& own, bool point, bool frame, const State& state, Parts& parts) const {
  Joint& joint = parts.joints[z(own.joint)];
  const std::size_t a = z(joint.a), b = z(joint.b);
  if (point) {
    own.shift = state.q[a].conjugate() * (end_b(joint, state) - end_a(joint, base_of(own.joint, own.point_a, parts), state));
    if (joint.slides) own.shift -= joint.axis.dot(own.shift) * joint.axis;
  }
  if (frame) own.frame_b = (state.q[b].conjugate() * (state.q[a] * (joint.frame_a * joint.rest_turn))).normalized();
}

void JointSwitches::apply(const Own& own, Parts& parts) {
  Joint& joint = parts.joints[z(own.joint)];
  joint.point_a = base_of(own.joint, own.point_a, parts) + own.shift;
  joint.frame_b = own.frame_b;
  if (own.draws)
    joint.stretch = own.spring;
  else if (!is_meshed(parts, joint) || joint.stretch == own.spring)  // else the mesh knows it
    joint.stretch = own.stretch;
  joint.damping = own.draws ? 2 / hook_rate : own.damping;
}

void JointSwitches::follow(const Drive& drive, double dt, const State& state, Parts& parts) {
  if (holds_.empty()) return;
  decide(drive, dt, state, parts);
  work_ = 0;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    Own& own = own_[i];
    own = own_before_[i];
    Joint& joint = parts.joints[z(own.joint)];
    Stands& stands = stands_[z(own.joint)];
    const int by = joint.point_joint;
    const char point = by < 0 ? static_cast<char>(yes) : holds_[z(by)], frame = any_holds(joint.frame_joints);
    // At the start things stand as they were built.
    const bool new_point = begun_ && by >= 0 && point == yes && held_[z(by)] != yes;
    const bool new_frame = begun_ && frame && !stood_[z(own.joint)].frame && !joint.frame_joints.empty();
    own.draws = point == draws_near;
    if (own.draws) own.shift.setZero();
    if (own.draws != own_before_[i].draws) {
      const double apart = distance(by, state, parts);
      work_ += (own.draws ? 0.5 : -0.5) * own.spring * apart * apart;
    }
    if (new_point || new_frame) take_hold(own, new_point, new_frame, state, parts);
    apply(own, parts);
    stands = {point != no, frame, new_frame, new_point, own.draws};
  }
  if (!parts.ties.empty()) drop_repeats(parts);
}

void JointSwitches::take_step() {
  std::copy(holds_.begin(), holds_.end(), held_.begin());
  std::copy(own_.begin(), own_.end(), own_before_.begin());
  std::copy(drawn_.begin(), drawn_.end(), drawn_before_.begin());
  std::copy(stands_.begin(), stands_.end(), stood_.begin());
  begun_ = true;
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

void JointSwitches::visit_state(StateArchive& archive, Parts& parts) {
  archive.fixed(holds_), archive.fixed(drawn_);
  archive.fixed(own_);
  archive(begun_);
  if (!archive.reading()) return;
  for (const Own& own : own_) {
    apply(own, parts);
    const Joint& joint = parts.joints[z(own.joint)];
    const char point = joint.point_joint < 0 || holds_[z(joint.point_joint)] != no, frame = any_holds(joint.frame_joints);
    stands_[z(own.joint)] = {point, frame, false, false, own.draws};
  }
  if (!parts.ties.empty()) drop_repeats(parts);
  const bool begun = begun_;
  take_step();
  begun_ = begun;
}

}  // namespace tendril::cable
