// Things that are driven against rods, and rods that are driven against things.
#include <algorithm>
#include <cmath>

#include "methods/compact/meeting.h"

namespace tendril::compact {
namespace {

constexpr double kept_in_drive = 0.8;  // of what is free

}  // namespace

// Barriers of a rod that moves or is wound up so much that it will press with far more than was known at the start: a weak one is entered to a
// millionth of its reach before it resists, and Newton's method creeps from there. Only while nothing touches it: nothing is stored then.
void Meeting::strengthen_barriers() {
  constexpr double far_more = 10;
  std::fill(is_touched_.begin(), is_touched_.end(), 0);
  for (const KeptContact& kept : field_.kept)
    for (const auto& end : {kept.a, kept.b})
      if (end.rod >= 0) is_touched_[z(end.rod)] = 1;
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    const double pressing = parts_[r]->problem.pressing();
    if (is_touched_[r] == 0 && pressing > far_more * field_.force_of(static_cast<int>(r))) field_.raised[r] = pressing;
  }
}

Pose Meeting::pose_between(std::size_t o, double progress) const {
  if (progress >= 1) return target_[o];
  const Pose &from = poses_[o], &to = target_[o];
  Pose p;
  p.position = from.position + progress * (to.position - from.position);
  const double sign = from.orientation.dot(to.orientation) < 0 ? -1 : 1;
  p.orientation =
      Quat(((1 - progress) * from.orientation.coeffs() + progress * sign * to.orientation.coeffs()).normalized());
  return p;
}

// Driven things go on as far as is free. False: they cannot.
bool Meeting::drive_on(Island& island) {
  island.shift.resize(island.rods.size());
  for (std::size_t r = 0; r < island.rods.size(); ++r) {
    const Problem& problem = parts_[z(island.rods[r])]->problem;
    island.shift[r] = problem.root_is_held() ? Vec3(root_target_[z(island.rods[r])] - problem.root()) : Vec3(Vec3::Zero());
  }
  const double free = island.touching.free_to_drive(target_, island.shift);
  const double part = free >= 1 ? 1 : kept_in_drive * free;
  if (part < 1e-7) return false;
  island.progress = part == 1 ? 1 : island.progress + part * (1 - island.progress);
  for (std::size_t r = 0; r < island.rods.size(); ++r) {
    Problem& problem = parts_[z(island.rods[r])]->problem;
    if (problem.root_is_held())
      problem.set_root(part == 1 ? root_target_[z(island.rods[r])] : Vec3(problem.root() + part * island.shift[r]));
    problem.find_places();
  }
  for (std::size_t o = 0; o < poses_.size(); ++o) island.target_poses[o] = pose_between(o, island.progress);
  island.touching.move_to(island.target_poses);
  return true;
}

// Straight rods that are to bend do so first, where that is free.
void Meeting::start_where_it_is(Island& island) {
  const bool bends =
      std::any_of(island.rods.begin(), island.rods.end(), [&](int r) { return parts_[z(r)]->problem.is_bent(); });
  if (Joined* joined = joined_to(island); joined != nullptr) joined->start_at_rest();
  for (const bool bent : {true, false}) {
    if (bent && !bends) continue;
    for (const int r : island.rods) {
      Problem& problem = parts_[z(r)]->problem;
      if (bent && problem.is_bent())
        problem.start_bent();
      else
        problem.start_at_rest();
      problem.find_places();
    }
    if (bent && island.touching.free_to_start(poses_)) return;
  }
}

// Rods that are straight and pushed end-on against what does not give way: nothing of first order says to which side they bend. The step
// begins again with a bend that makes room for it.
bool Meeting::bend_straight(Island& island) {
  bool any = false;
  for (const int r : island.rods) {
    Part& part = *parts_[z(r)];
    const double way = field_.most_driven();
    if (part.problem.is_bent() || !part.problem.may_bend(way)) continue;
    part.problem.take_back(), part.problem.ask_to_bend(way);
    begin_rod(r);
    include_start(r), field_.include(part, part.problem.places(), pad_);
    any = true;
  }
  for (const int r : island.rods) spent_[z(r)] = any ? 0 : spent_[z(r)];
  return any;
}

}  // namespace tendril::compact
