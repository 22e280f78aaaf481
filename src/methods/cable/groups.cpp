#include "methods/cable/groups.h"

#include <algorithm>

namespace tendril::cable {
namespace {
bool moves(const Parts& parts, int e) { return !parts.elements[z(e)].led; }
bool is_between(const Parts& parts, int j) {
  return moves(parts, parts.joints[z(j)].a) && moves(parts, parts.joints[z(j)].b);
}
}  // namespace

PathFinder::PathFinder(const Parts& parts) : at_(parts.elements.size()), used_(parts.joints.size(), 0) {
  joints_.reserve(parts.joints.size()), elements_.reserve(parts.elements.size());
}

bool PathFinder::note_joints(const Parts& parts, const Group& group) {
  for (const int e : group.elements) at_[z(e)].count = 0;
  bool path = true;
  for (const int j : group.joints) {
    used_[z(j)] = 0;
    for (const int e : {parts.joints[z(j)].a, parts.joints[z(j)].b}) {
      if (!moves(parts, e)) continue;
      At& at = at_[z(e)];
      if (at.count < 2) at.joints[z(at.count)] = j;
      path = ++at.count <= 2 && path;
    }
  }
  return path;
}

// From an end on. Joints of the first and of the last element to what is led come first and last.
void PathFinder::walk(const Parts& parts, const Group& group, int from) {
  joints_.clear(), elements_.clear();
  const auto take_led = [&](int e) {
    for (int k = 0; k < at_[z(e)].count; ++k) {
      const int j = at_[z(e)].joints[z(k)];
      if (!used_[z(j)] && !is_between(parts, j)) used_[z(j)] = 1, joints_.push_back(j);
    }
  };
  for (int e = from, next = -1; e >= 0; e = next) {
    elements_.push_back(e);
    const bool last = elements_.size() == group.elements.size();
    if (elements_.size() == 1 && !last) take_led(e);
    next = -1;
    for (int k = 0; k < at_[z(e)].count; ++k) {
      const int j = at_[z(e)].joints[z(k)];
      const Joint& joint = parts.joints[z(j)];
      if (used_[z(j)] || !is_between(parts, j)) continue;
      used_[z(j)] = 1, joints_.push_back(j);
      next = joint.a == e ? joint.b : joint.a;
    }
    if (last) take_led(e);
  }
}

void PathFinder::order(const Parts& parts, Group& group) {
  group.path = false;
  if (!note_joints(parts, group)) return;
  std::size_t between = 0;
  for (const int j : group.joints) between += is_between(parts, j);
  if (between + 1 != group.elements.size()) return;  // a loop, or two joints between the same elements
  // An element with one joint to what moves.
  const auto is_end = [&](int e) {
    int count = 0;
    for (int k = 0; k < at_[z(e)].count; ++k) count += is_between(parts, at_[z(e)].joints[z(k)]);
    return count <= 1;
  };
  const auto end = std::find_if(group.elements.begin(), group.elements.end(), is_end);
  if (end == group.elements.end()) return;
  walk(parts, group, *end);
  if (joints_.size() != group.joints.size()) return;
  std::copy(joints_.begin(), joints_.end(), group.joints.begin());
  std::copy(elements_.begin(), elements_.end(), group.elements.begin());
  group.path = true;
}

// Elements that can move and are linked by joints; joints along a path in its order.
void add_groups(Parts& parts) {
  const std::size_t count = parts.elements.size();
  std::vector<std::vector<int>> at(count);
  for (std::size_t j = 0; j < parts.joints.size(); ++j)
    for (const int e : {parts.joints[j].a, parts.joints[j].b})
      if (moves(parts, e)) at[z(e)].push_back(static_cast<int>(j));
  std::vector<char> seen(count, 0), joint_seen(parts.joints.size(), 0);
  PathFinder finder(parts);
  for (int start = 0; start < static_cast<int>(count); ++start) {
    if (!moves(parts, start) || seen[z(start)]) continue;
    Group group;
    std::vector<int> queue{start};
    seen[z(start)] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const int j : at[z(queue[i])]) {
        if (!joint_seen[z(j)]) joint_seen[z(j)] = 1, group.joints.push_back(j);
        for (const int e : {parts.joints[z(j)].a, parts.joints[z(j)].b})
          if (moves(parts, e) && !seen[z(e)]) seen[z(e)] = 1, queue.push_back(e);
      }
    }
    group.elements = queue;
    std::sort(group.elements.begin(), group.elements.end());
    std::sort(group.joints.begin(), group.joints.end());
    finder.order(parts, group);
    parts.groups.push_back(std::move(group));
  }
}

}  // namespace tendril::cable
