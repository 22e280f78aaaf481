// long: one step of all that touches, round by round; its end is in meeting_end.cpp.
#include "methods/compact/meeting.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tendril::compact {
namespace {

constexpr int max_rounds = 200;       // of other boxes
constexpr int max_drive_rounds = 60;  // of driven things
constexpr int friction_rounds = 2;
constexpr double too_near = 0.5, near_enough = 0.9;  // gaps at the start, over the reach of their barriers

}  // namespace

Meeting::Meeting(const Model& model, Parts& parts, const SolverSettings& settings, const Drive& drive, Joined* joined)
    : model_(model), parts_(parts), joined_(joined), settings_(settings), field_(model, parts) {
  for (const ObstacleNow& o : drive.obstacles) poses_.push_back(o.pose);
  poses_.resize(field_.geometry().obstacles().size());
  put_bodies(poses_, drive);
  target_ = poses_;
  root_target_.resize(parts.size());
  const std::size_t all = parts.size() + 1;
  group_.resize(all), is_done_.resize(all), is_started_.resize(all);
  progress_.resize(all), hit_.resize(all), impact_.resize(all);
  spent_.resize(parts.size()), is_moved_.resize(parts.size()), is_touched_.resize(parts.size());
  // What overlaps at the start, within what a scene may, or is so near that its barrier would throw it: radii are as much smaller until it
  // is open.
  field_.begin_boxes();
  for (const auto& part : parts_) {
    const auto& y = part->state.points.y;
    field_.include(*part, {y.data(), z(part->chain.nodes())}, field_.reach());
    field_.base[z(part->chain.root_node)] = y[0];
    for (int i = 0; i < part->chain.real(); ++i)
      if (part->chain.links[z(i)].far != part->chain.root_node) field_.base[z(part->chain.links[z(i)].far)] = y[z(i + 1)];
  }
  if (field_.list(poses_, poses_) != Found::fine) return;
  for (const NearPair& pair : field_.pairs()) {
    const double gap = field_.near().gap(pair, field_.base, poses_), reach = field_.barrier_of(pair).reach;
    least_gap_ = std::min(least_gap_, gap / reach);
    if (gap < too_near * reach) field_.missing_radius = std::max(field_.missing_radius, near_enough * reach - gap);
  }
  energy_ = field_.stored(poses_);
}

void Meeting::begin_rod(int rod) {
  Part& part = *parts_[z(rod)];
  part.problem.begin(part.state, *drive_, *loads_, stage_of(rod));
  root_target_[z(rod)] = part.problem.root();
  part.problem.find_places();
  is_started_[z(rod)] = is_done_[z(rod)] = 0;
  progress_[z(rod)] = 0;
}

// Bodies as obstacles: where they are led, or are now.
void Meeting::put_bodies(std::vector<Pose>& poses, const Drive& drive) const {
  for (std::size_t o = drive.obstacles.size(); o < poses.size(); ++o) {
    const int body = field_.body_of(static_cast<int>(o));
    poses[o] = field_.is_free(static_cast<int>(o)) ? joined_->pose(body) : drive.bodies[z(body)].pose;
  }
}

void Meeting::begin(const Drive& drive, const LoadsNow& loads) {
  drive_ = &drive, loads_ = &loads;
  field_.start_poses.assign(poses_.begin(), poses_.end());
  for (std::size_t o = 0; o < drive.obstacles.size(); ++o) target_[o] = drive.obstacles[o].pose;
  // How far a step may go beyond the first guess before contacts are looked for again.
  pad_ = stage_.still() ? field_.geometry().skin() : field_.reach() + stage_.h * stage_.h * drive.gravity.norm();
  most_pad_ = std::max(pad_, 2 * field_.geometry().skin());
  field_.begin_boxes();
  std::fill(spent_.begin(), spent_.end(), 0), std::fill(is_moved_.begin(), is_moved_.end(), 0);
  field_.body_pad = pad_;
  if (joined_ != nullptr) joined_->begin(drive, stage_of(joined_number()));
  put_bodies(target_, drive);
  field_.driven.assign(poses_.size(), 0.0);
  for (std::size_t o = 0; o < poses_.size(); ++o)
    if (!field_.is_free(static_cast<int>(o))) field_.driven[o] = field_.moved(static_cast<int>(o), poses_[o], target_[o]);
  is_started_.back() = is_done_.back() = 0, progress_.back() = 0;
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    Part& part = *parts_[r];
    part.problem.ask_to_bend(0);
    begin_rod(static_cast<int>(r));
    field_.driven_rod[r] = part.state.root_held ? (root_target_[r] - part.state.root).norm() : 0;
    const auto& y = part.state.points.y;
    field_.include(part, {y.data(), z(part.chain.nodes())});
    field_.include(part, part.problem.places(), pad_);
    field_.base[z(part.chain.root_node)] = y[0];
    for (int i = 0; i < part.chain.real(); ++i)
      if (part.chain.links[z(i)].far != part.chain.root_node) field_.base[z(part.chain.links[z(i)].far)] = y[z(i + 1)];
  }
  std::copy(field_.base.begin(), field_.base.end(), field_.start.begin());
  if (joined_ != nullptr) joined_->settle(joined_->rods());
  if (!stage_.still()) strengthen_barriers();
}

// Islands: rods that pairs connect, by their lowest rod; a rod with pairs is one at least, and so is one that falls to where an
// equilibrium may be. Rods that are joined are one island.
void Meeting::find_islands() {
  std::iota(group_.begin(), group_.end(), 0);
  const auto root = [&](int r) {
    while (group_[z(r)] != r) r = group_[z(r)] = group_[z(group_[z(r)])];
    return r;
  };
  for (const NearPair& pair : field_.pairs()) {
    if (!pair.is_between_rods() && !field_.is_free(pair.obstacle)) continue;
    const int a = root(field_.rod_of(pair.edge_a));
    const int b = root(pair.is_between_rods() ? field_.rod_of(pair.edge_b) : joined_number());
    group_[z(std::max(a, b))] = std::min(a, b);
  }
  const std::span<const int> together = joined_ != nullptr ? joined_->rods() : std::span<const int>();
  for (const int r : together) {
    const int a = root(joined_number()), b = root(r);
    group_[z(std::max(a, b))] = std::min(a, b);
  }
  islands_ = 0;
  alone_.clear();
  std::vector<int>& number = island_of_;
  number.assign(parts_.size() + 1, -1);
  const auto island_of = [&](int rod) -> Island& {
    const int r = root(rod);
    if (number[z(r)] < 0) {
      number[z(r)] = islands_++;
      if (islands_ > static_cast<int>(island_.size()))
        island_.push_back(std::make_unique<Island>(model_, parts_, settings_, field_));
      island_[z(islands_ - 1)]->rods.clear(), island_[z(islands_ - 1)]->pairs.clear();
      island_[z(islands_ - 1)]->done = island_[z(islands_ - 1)]->joined = false;
    }
    return *island_[z(number[z(r)])];
  };
  const auto pairs = field_.pairs();
  if (takes_joined()) island_of(joined_number()).joined = true;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    island_of(field_.rod_of(pairs[k].edge_a)).pairs.push_back(static_cast<int>(k));
  for (int r = 0; r < static_cast<int>(parts_.size()); ++r) {
    if (number[z(root(r))] < 0 && !parts_[z(r)]->problem.falls())
      alone_.push_back(r);
    else
      island_of(r).rods.push_back(r);
  }
}

// What overlapped at the start opens by a part of what is open, step by step, and no faster than barriers let things part. It works
// like an obstacle that moves.
void Meeting::open_overlaps() {
  opening_ = 0;
  if (field_.missing_radius == 0) return;
  double least = 2 * field_.missing_radius;
  for (const NearPair& pair : field_.pairs()) {
    const double reach = field_.barrier_of(pair).reach;
    const double gap = field_.near().gap(pair, field_.base, poses_) + field_.missing_radius;
    least = std::min(least, std::max(0.0, gap - 0.2 * reach));
    if (!stage_.still() && gap < reach) least = std::min(least, 0.5 * reach * stage_.h / field_.settling_time(pair));
  }
  const double stored = field_.stored(poses_);
  field_.missing_radius = std::max(0.0, field_.missing_radius - 0.5 * least);
  if (field_.missing_radius < 1e-12 * field_.geometry().radius(0)) field_.missing_radius = 0;
  opening_ = field_.stored(poses_) - stored;
}

void Meeting::solve_alone(int rod) {
  Part& part = *parts_[z(rod)];
  if (is_done_[z(rod)]) return;
  part.solved = part.problem.iterate();
  part.problem.find_places();
  is_done_[z(rod)] = 1;
}

// All begin at the last level: as they would go on, where that is free, else from where they are.
void Meeting::begin_island(Island& island) {
  Joined* joined = joined_to(island);
  const bool impact = is_impact(island);
  for (const int r : island.rods) {
    if ((impact_[z(r)] != 0) == impact) continue;
    impact_[z(r)] = impact, is_done_[z(r)] = 1;  // has begun otherwise
  }
  if (joined != nullptr) {
    impact_.back() = impact, is_started_.back() = 1;
    joined->begin(*drive_, stage_of(joined_number()));
  }
  for (const int r : island.rods) {
    Part& part = *parts_[z(r)];
    if (is_started_[z(r)] || is_done_[z(r)]) part.problem.take_back(), begin_rod(r);
    const auto& y = part.state.points.y;
    field_.base[z(part.chain.root_node)] = y[0];
    for (int i = 0; i < part.chain.real(); ++i)
      if (part.chain.links[z(i)].far != part.chain.root_node) field_.base[z(part.chain.links[z(i)].far)] = y[z(i + 1)];
    is_started_[z(r)] = 1;
  }
  if (joined != nullptr) joined->settle(island.rods);
  island.touching.take(island.rods, island.pairs, poses_, joined, false);
  island.progress = 0;
  island.extrapolated = island.touching.free_to_start(target_);
  if (island.extrapolated) {
    island.touching.set_poses(target_);
    island.progress = 1;
    return;
  }
  start_where_it_is(island);
  bool moves = std::any_of(island.rods.begin(), island.rods.end(), [&](int r) {
    return parts_[z(r)]->problem.root_is_held() && root_target_[z(r)] != parts_[z(r)]->problem.root();
  });
  for (std::size_t o = 0; o < poses_.size(); ++o)
    moves = moves || poses_[o].position != target_[o].position ||
            poses_[o].orientation.coeffs() != target_[o].orientation.coeffs();
  if (!moves) island.progress = 1;
}

// What presses hard keeps its shape, and goes on as a whole: where that is the better guess, from there.
void Meeting::start_lower(Island& island) {
  if (stage_.still() || !island.extrapolated || joined_to(island) != nullptr) return;
  const bool free =
      std::none_of(island.rods.begin(), island.rods.end(), [&](int r) { return parts_[z(r)]->problem.root_is_held(); });
  if (!free) return;
  const double going_on = island.coupled.evaluate().energy;
  if (island.touching.active().empty()) return;
  for (const int r : island.rods) parts_[z(r)]->problem.start_as_whole();
  if (island.coupled.evaluate().energy < going_on) return island.coupled.accept();  // not where it is not free
  for (const int r : island.rods) parts_[z(r)]->problem.start_moving();
}

bool Meeting::is_impact(const Island& island) const {
  return (island.joined && impact_.back() != 0) ||
         std::any_of(island.rods.begin(), island.rods.end(), [&](int r) { return impact_[z(r)] != 0; });
}

// Whether all of it stands at the same point of the way, by the same scheme.
bool Meeting::is_under_way(const Island& island) const {
  const bool impact = is_impact(island);
  const int first = island.rods.empty() ? joined_number() : island.rods.front();
  const auto is_as_first = [&](int r) {
    return is_started_[z(r)] != 0 && (impact_[z(r)] != 0) == impact && progress_[z(r)] == progress_[z(first)];
  };
  return std::all_of(island.rods.begin(), island.rods.end(), is_as_first) &&
         (!island.joined || is_as_first(joined_number()));
}

// Whether it goes on from where it is.
bool Meeting::start_island(Island& island) {
  double low = 1;
  for (const int r : island.rods) low = std::min(low, progress_[z(r)]);
  if (island.joined) low = std::min(low, progress_.back());
  island.progress = low;
  island.target_poses.resize(poses_.size());
  for (std::size_t o = 0; o < poses_.size(); ++o) island.target_poses[o] = pose_between(o, low);
  if (!is_under_way(island)) return begin_island(island), false;
  island.touching.take(island.rods, island.pairs, island.target_poses, joined_to(island), true);
  return true;
}

void Meeting::solve_island(Island& island) {
  const bool goes_on = start_island(island);
  if (!goes_on) island.coupled.start_holding();
  island.solved = {};
  int iterations = 0, rubbed = 0;
  for (int round = 0;; ++round) {
    if (island.progress < 1 && (round > max_drive_rounds || !drive_on(island))) {
      island.solved.fine = false, island.solved.cause = not_apart();
      break;
    }
    island.touching.set_on_way(island.progress < 1, stage_.c, stage_.still() ? 0 : stage_.h);
    for (const int r : island.rods) parts_[z(r)]->problem.freeze_loads();
    island.coupled.take(island.rods, &island.touching, joined_to(island), goes_on || round > 0);
    // A rod on its way to an equilibrium may have met what holds it only now.
    const bool by_now = stage_.still() && goes_on;
    if (by_now && rubbed == 0) std::ignore = island.coupled.evaluate();
    const bool rubs = island.touching.set_friction(rubbed > 0 || by_now ? 1 : 0);
    if (round == 0 && !goes_on) start_lower(island);
    island.solved = island.coupled.iterate();
    iterations += island.solved.iterations;
    if (!island.solved.fine) {
      if (island.progress < 1 && !island.touching.outgrown()) island.solved.cause = not_apart();  // nothing gives way
      break;
    }
    if (island.progress < 1) continue;
    // Friction by the forces of the last level, or none; then by those found.
    if (++rubbed < friction_rounds && (rubs || island.touching.may_rub())) continue;
    double changed = 0;
    for (const int r : island.rods) changed = std::max(changed, parts_[z(r)]->problem.thaw());
    if (changed > (stage_.still() ? 1e-9 : 1e-6) && round <= max_drive_rounds) continue;
    const bool may_push = island.joined && !stage_.still() && stage_of(joined_number()).c == first_order_.c;
    if (!may_push || !joined_->change_pushes()) break;
  }
  if (island.joined && joined_->pushes_fail()) island.solved.fine = false, island.solved.cause = bodies_press;
  island.solved.iterations = iterations;
  island.done = island.solved.fine;
  for (const int r : island.rods) progress_[z(r)] = island.progress;
  if (island.joined) progress_.back() = island.progress, joined_solved_ = island.solved;
}

// Backward Euler takes the step in which things hit each other, and the one after it: schemes that look back over an impact make
// motion of it. What it takes from the motion is what the impact takes. Rods of other islands keep their scheme.
bool Meeting::solve(const Drive& drive, const LoadsNow& loads, const Stage& stage, Workers& workers) {
  stage_ = stage;
  first_order_ = stage;
  if (!stage.still()) first_order_ = euler_stage(stage.h);
  first_order_.keeps_acceleration = stage.keeps_acceleration;
  const bool may_hit = stage.c != first_order_.c;  // with `euler` all losses are the scheme's
  for (std::size_t r = 0; r < impact_.size(); ++r) impact_[r] = may_hit && hit_[r];
  begin(drive, loads);
  if (!solve_rounds(false, workers)) return false;
  if (may_hit && take_impacts()) {
    // They begin at the last level again.
    bool listed = true;
    std::fill(spent_.begin(), spent_.end(), 0);
    for (std::size_t r = 0; r < parts_.size(); ++r)
      if (is_moved_[r] != 0 && is_started_[r] == 0) include_start(static_cast<int>(r)), listed = false;
    if (!solve_rounds(listed, workers)) return false;
  }
  finish();
  return true;
}

// Notes who was hit; true: islands were that have to take the step again.
bool Meeting::take_impacts() {
  bool again = false;
  std::fill(hit_.begin(), hit_.end(), 0);
  for (int k = 0; k < islands_; ++k) {
    Island& island = *island_[z(k)];
    const bool bodies = island.joined && (joined_->pushes_now() || joined_->bodies_overlap());
    if (!bodies && !island.touching.is_hit()) continue;
    for (const int r : island.rods) hit_[z(r)] = 1;
    if (island.joined) hit_.back() = 1;
    if (is_impact(island)) continue;
    again = true, island.done = false;
    for (const int r : island.rods) impact_[z(r)] = 1, is_started_[z(r)] = 0, is_done_[z(r)] = 1;
    if (island.joined) impact_.back() = 1, is_started_.back() = 0;
  }
  return again;
}

// listed: pairs and islands are known, and only islands that are not done are to be solved.
bool Meeting::solve_rounds(bool listed, Workers& workers) {
  bool fine = true;
  for (int round = 0;; ++round) {
    const Found found = round > max_rounds ? Found::too_many : listed ? Found::fine : field_.list(poses_, target_);
    if (found != Found::fine) {
      const Cause cause = found == Found::not_finite ? Cause::not_finite
                          : stage_.still()           ? Cause::no_equilibrium
                                                     : Cause::contact;
      for (auto& part : parts_) part->solved = {false, cause};
      fine = false;
      break;
    }
    if (!listed) {
      if (round == 0) open_overlaps();
      find_islands();
      if (reach_back()) continue;
    }
    listed = false;
    const int alone = static_cast<int>(alone_.size());
    workers.for_each_chunk(alone + islands_, [&](int k) {
      if (k >= islands_)
        solve_alone(alone_[z(k - islands_)]);
      else if (!island_[z(k)]->done)
        solve_island(*island_[z(k)]);
    });
    // Who has left the box it was looked for in?
    bool grown = false;
    for (int k = 0; k < islands_; ++k) {
      Island& island = *island_[z(k)];
      bool goes_on = island.touching.outgrown();
      for (const int r : island.rods) {
        parts_[z(r)]->solved = island.solved;
        parts_[z(r)]->solved.iterations = spent_[z(r)] += island.solved.iterations;
        if (goes_on && spent_[z(r)] >= settings_.iterations)
          goes_on = false, parts_[z(r)]->solved.fine = false,
          parts_[z(r)]->solved.cause = cause_of(NewtonEnd::iteration_limit, stage_.still());
      }
      if (!island.solved.fine && !goes_on && island.solved.cause == not_apart() && bend_straight(island)) {
        grown = true;
        continue;
      }
      fine = fine && (island.solved.fine || goes_on);
      if (!goes_on) continue;
      grow_box(island);
      grown = true;
    }
    for (const int r : alone_) grown = !check_alone(r) || grown;
    for (const int r : alone_) fine = fine && (parts_[z(r)]->solved.fine || !is_done_[z(r)]);
    if (!grown || !fine) break;
    pad_ *= 2;
  }
  if (!fine) {
    for (auto& part : parts_) part->problem.take_back();
    return false;
  }
  return true;
}

}  // namespace tendril::compact
