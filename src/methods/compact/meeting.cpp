#include "methods/compact/meeting.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tendril::compact {
namespace {

constexpr int max_rounds = 200;        // of other boxes
constexpr int max_drive_rounds = 60;   // of driven things
constexpr double kept_in_drive = 0.8;  // of what is free
constexpr int friction_rounds = 2;

}  // namespace

Meeting::Meeting(const Model& model, Parts& parts, const SolverSettings& settings, const Drive& drive, Joined* joined)
    : model_(model), parts_(parts), joined_(joined), settings_(settings), field_(model, parts) {
  for (const ObstacleNow& o : drive.obstacles) poses_.push_back(o.pose);
  for (std::size_t o = poses_.size(); o < field_.geometry().obstacles().size(); ++o) poses_.push_back({});
  target_ = poses_;
  root_target_.resize(parts.size());
  group_.resize(parts.size()), is_done_.resize(parts.size()), is_started_.resize(parts.size());
  progress_.resize(parts.size()), spent_.resize(parts.size()), is_moved_.resize(parts.size());
  // What overlaps at the start, within what a scene may: radii are as much smaller until it is open.
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
    if (gap < 0.1 * reach) field_.missing_radius = std::max(field_.missing_radius, 0.5 * reach - gap);
  }
}

void Meeting::begin_rod(int rod) {
  Part& part = *parts_[z(rod)];
  part.problem.begin(part.state, *drive_, *loads_, stage_);
  root_target_[z(rod)] = part.problem.root();
  part.problem.find_places();
  is_started_[z(rod)] = is_done_[z(rod)] = 0;
  progress_[z(rod)] = 0;
}

void Meeting::begin(const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  drive_ = &drive, loads_ = &loads, stage_ = stage;
  field_.start_poses.assign(poses_.begin(), poses_.end());
  for (std::size_t o = 0; o < drive.obstacles.size(); ++o) target_[o] = drive.obstacles[o].pose;
  // How far a step may go beyond the first guess before contacts are looked for again.
  pad_ = stage.still() ? field_.geometry().skin() : field_.reach() + stage.h * stage.h * drive.gravity.norm();
  most_pad_ = std::max(pad_, 2 * field_.geometry().skin());
  field_.begin_boxes();
  std::fill(spent_.begin(), spent_.end(), 0), std::fill(is_moved_.begin(), is_moved_.end(), 0);
  if (joined_ != nullptr) joined_->begin(drive, stage);
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    Part& part = *parts_[r];
    begin_rod(static_cast<int>(r));
    const auto& y = part.state.points.y;
    field_.include(part, {y.data(), z(part.chain.nodes())});
    field_.include(part, part.problem.places(), pad_);
    field_.base[z(part.chain.root_node)] = y[0];
    for (int i = 0; i < part.chain.real(); ++i)
      if (part.chain.links[z(i)].far != part.chain.root_node) field_.base[z(part.chain.links[z(i)].far)] = y[z(i + 1)];
  }
  std::copy(field_.base.begin(), field_.base.end(), field_.start.begin());
  if (joined_ != nullptr) joined_->settle();
}

Joined* Meeting::joined_to(const Island& island) const {
  const bool any = joined_ != nullptr &&
                   std::any_of(island.rods.begin(), island.rods.end(), [&](int r) { return joined_->is_joined(r); });
  return any ? joined_ : nullptr;
}

// Islands: rods that pairs connect, by their lowest rod; a rod with pairs is one at least. Rods that are joined are one island.
void Meeting::find_islands() {
  std::iota(group_.begin(), group_.end(), 0);
  const auto root = [&](int r) {
    while (group_[z(r)] != r) r = group_[z(r)] = group_[z(group_[z(r)])];
    return r;
  };
  for (const NearPair& pair : field_.pairs()) {
    if (!pair.is_between_rods()) continue;
    const int a = root(field_.rod_of(pair.edge_a)), b = root(field_.rod_of(pair.edge_b));
    group_[z(std::max(a, b))] = std::min(a, b);
  }
  const std::span<const int> together = joined_ != nullptr ? joined_->rods() : std::span<const int>();
  for (const int r : together) {
    const int a = root(together[0]), b = root(r);
    group_[z(std::max(a, b))] = std::min(a, b);
  }
  islands_ = 0;
  alone_.clear();
  std::vector<int>& number = island_of_;
  number.assign(parts_.size(), -1);
  const auto island_of = [&](int rod) -> Island& {
    const int r = root(rod);
    if (number[z(r)] < 0) {
      number[z(r)] = islands_++;
      if (islands_ > static_cast<int>(island_.size()))
        island_.push_back(std::make_unique<Island>(model_, parts_, settings_, field_));
      island_[z(islands_ - 1)]->rods.clear(), island_[z(islands_ - 1)]->pairs.clear();
    }
    return *island_[z(number[z(r)])];
  };
  const auto pairs = field_.pairs();
  if (!together.empty()) std::ignore = island_of(together[0]);
  for (std::size_t k = 0; k < pairs.size(); ++k)
    island_of(field_.rod_of(pairs[k].edge_a)).pairs.push_back(static_cast<int>(k));
  for (int r = 0; r < static_cast<int>(parts_.size()); ++r) {
    if (number[z(root(r))] < 0)
      alone_.push_back(r);
    else
      island_of(r).rods.push_back(r);
  }
}

// What overlapped at the start opens by a part of what is open, step by step.
void Meeting::open_overlaps() {
  if (field_.missing_radius == 0) return;
  double least = field_.missing_radius;
  for (const NearPair& pair : field_.pairs()) {
    const double reach = field_.barrier_of(pair).reach;
    least =
        std::min(least, std::max(0.0, field_.near().gap(pair, field_.base, poses_) + field_.missing_radius - 0.2 * reach));
  }
  field_.missing_radius = std::max(0.0, field_.missing_radius - 0.5 * least);
  if (field_.missing_radius < 1e-12 * field_.geometry().radius(0)) field_.missing_radius = 0;
}

void Meeting::solve_alone(int rod) {
  Part& part = *parts_[z(rod)];
  if (is_done_[z(rod)]) return;
  part.solved = part.problem.iterate();
  part.problem.find_places();
  is_done_[z(rod)] = 1;
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

// As it would go on, where that is free; else from where it is.
void Meeting::start_island(Island& island) {
  const bool all_started =
      std::all_of(island.rods.begin(), island.rods.end(), [&](int r) { return is_started_[z(r)] != 0; });
  double low = 1, high = 0;
  for (const int r : island.rods) low = std::min(low, progress_[z(r)]), high = std::max(high, progress_[z(r)]);
  island.progress = low;
  island.goes_on = all_started && low == high;
  island.target_poses.resize(poses_.size());
  for (std::size_t o = 0; o < poses_.size(); ++o) island.target_poses[o] = pose_between(o, low);
  if (!island.goes_on) {
    // Some are not under way: all begin at the last level.
    Joined* joined = joined_to(island);
    if (joined != nullptr) joined->begin(*drive_, stage_);
    for (const int r : island.rods) {
      Part& part = *parts_[z(r)];
      if (is_started_[z(r)] || is_done_[z(r)]) part.problem.take_back(), begin_rod(r);
      const auto& y = part.state.points.y;
      field_.base[z(part.chain.root_node)] = y[0];
      for (int i = 0; i < part.chain.real(); ++i)
        if (part.chain.links[z(i)].far != part.chain.root_node) field_.base[z(part.chain.links[z(i)].far)] = y[z(i + 1)];
      is_started_[z(r)] = 1;
    }
    if (joined != nullptr) joined->settle();
    island.touching.take(island.rods, island.pairs, poses_);
    island.progress = 0;
    if (island.touching.free_to_start(target_)) {
      island.touching.set_poses(target_);
      island.progress = 1;
    } else {
      for (const int r : island.rods) parts_[z(r)]->problem.start_at_rest(), parts_[z(r)]->problem.find_places();
      if (joined != nullptr) joined->start_at_rest();
      const bool driven = std::any_of(island.rods.begin(), island.rods.end(), [&](int r) {
        return parts_[z(r)]->problem.root_is_held() && root_target_[z(r)] != parts_[z(r)]->problem.root();
      });
      bool moves = driven;
      for (std::size_t o = 0; o < poses_.size(); ++o)
        moves = moves || poses_[o].position != target_[o].position ||
                poses_[o].orientation.coeffs() != target_[o].orientation.coeffs();
      if (!moves) island.progress = 1;
    }
  } else {
    island.touching.take(island.rods, island.pairs, island.target_poses);
  }
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

void Meeting::solve_island(Island& island) {
  start_island(island);
  island.solved = {};
  int iterations = 0, rubbed = 0;
  for (int round = 0;; ++round) {
    if (island.progress < 1 && (round > max_drive_rounds || !drive_on(island))) {
      island.solved.fine = false, island.solved.cause = Cause::contact;
      break;
    }
    for (const int r : island.rods) parts_[z(r)]->problem.freeze_loads();
    const bool rubs = island.touching.set_friction(rubbed > 0 ? 1 : 0);
    island.coupled.take(island.rods, &island.touching, joined_to(island), island.goes_on || round > 0);
    island.solved = island.coupled.iterate();
    iterations += island.solved.iterations;
    if (!island.solved.fine) break;
    if (island.progress < 1) continue;
    // Friction by the forces of the last level, or none; then by those found.
    if (++rubbed < friction_rounds && (rubs || island.touching.may_rub())) continue;
    double changed = 0;
    for (const int r : island.rods) changed = std::max(changed, parts_[z(r)]->problem.thaw());
    if (!(changed > 1e-6) || round > max_drive_rounds) break;
  }
  island.solved.iterations = iterations;
  for (const int r : island.rods) progress_[z(r)] = island.progress;
}

// Backward Euler takes the step in which things hit each other, and the one after it: schemes that look back over an impact make
// motion of it. What it takes from the motion is what the impact takes.
bool Meeting::solve(const Drive& drive, const LoadsNow& loads, const Stage& stage, Workers& workers) {
  Stage first_order = euler_stage(stage.h);
  first_order.keeps_acceleration = stage.keeps_acceleration;
  const bool may_hit = !stage.still() && stage.c != first_order.c;  // with `euler` all losses are the scheme's
  books_impacts_ = may_hit && hit_;
  if (!solve_stage(drive, loads, books_impacts_ ? first_order : stage, workers)) return false;
  bool hit = false;
  for (int k = 0; k < islands_ && may_hit; ++k) hit = hit || island_[z(k)]->touching.is_hit();
  if (hit && !books_impacts_) {
    for (auto& part : parts_) part->problem.take_back();
    books_impacts_ = true;
    if (!solve_stage(drive, loads, first_order, workers)) return false;
  }
  hit_ = hit;
  finish();
  return true;
}

bool Meeting::solve_stage(const Drive& drive, const LoadsNow& loads, const Stage& stage, Workers& workers) {
  begin(drive, loads, stage);
  bool fine = true;
  for (int round = 0;; ++round) {
    const Found found = round > max_rounds ? Found::too_many : field_.list(poses_, target_);
    if (found != Found::fine) {
      for (auto& part : parts_) part->solved = {false, found == Found::not_finite ? Cause::not_finite : Cause::contact};
      fine = false;
      break;
    }
    if (round == 0) open_overlaps();
    find_islands();
    if (reach_back()) continue;
    const int alone = static_cast<int>(alone_.size());
    workers.for_each_chunk(alone + islands_, [&](int k) {
      if (k < islands_)
        solve_island(*island_[z(k)]);
      else
        solve_alone(alone_[z(k - islands_)]);
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
          goes_on = false, parts_[z(r)]->solved.fine = false, parts_[z(r)]->solved.cause = Cause::step_too_large;
      }
      fine = fine && (island.solved.fine || goes_on);
      if (!goes_on) continue;
      grow(island);
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

// Alone it may go anywhere in its box; from further away it starts again.
bool Meeting::check_alone(int rod) {
  Part& part = *parts_[z(rod)];
  const auto places = part.problem.places();
  bool inside = true;
  for (int i = 0; i < part.chain.real() && inside; ++i)
    inside = field_.is_inside(part.chain.links[z(i)].edge, places[z(i)], places[z(i + 1)]);
  if (inside || !part.solved.fine) return true;
  field_.include(part, places, pad_);
  part.problem.take_back();
  begin_rod(rod);
  return false;
}

// 1/2 m |dv|^2 of every point: what backward Euler takes beyond the works of forces. (The shares of joints and barriers: `finish`.)
double Meeting::lost_by_euler() const {
  double sum = 0;
  for (int k = 0; k < islands_; ++k)
    for (const int r : island_[z(k)]->rods) {
      const Part& part = *parts_[z(r)];
      const Levels& p = part.state.points;
      for (std::size_t i = 0; i < p.v.size(); ++i) sum += 0.5 * part.chain.mass[i] * (p.v[i] - p.v_before[i]).squaredNorm();
    }
  return sum;
}

void Meeting::finish() {
  energy_ = 0, least_gap_ = 1;
  work_ = {};
  for (int k = 0; k < islands_ && books_impacts_; ++k)
    for (const int r : island_[z(k)]->rods) work_.impacts += parts_[z(r)]->problem.lost_in_joints();
  for (auto& part : parts_) {
    part->solved.folded = part->problem.is_folded_now();
    part->problem.finish();
  }
  if (joined_ != nullptr && !joined_->rods().empty()) joined_->finish();
  points_.clear(), next_kept_.clear();
  for (int k = 0; k < islands_; ++k) {
    energy_ += island_[z(k)]->touching.energy();
    least_gap_ = std::min(least_gap_, island_[z(k)]->touching.least_gap());
    island_[z(k)]->touching.settle(books_impacts_, points_, next_kept_, work_);
  }
  std::sort(next_kept_.begin(), next_kept_.end(), [](const KeptContact& a, const KeptContact& b) { return a.key < b.key; });
  std::swap(field_.kept, next_kept_);
  if (books_impacts_) work_.impacts += lost_by_euler();
  std::copy(target_.begin(), target_.end(), poses_.begin());
}

void Meeting::visit_state(StateArchive& archive) {
  archive(energy_, least_gap_, field_.missing_radius, field_.kept, points_, hit_);
  archive.fixed(poses_);
  if (!archive.reading()) return;
  check_loaded_points(points_, model_, field_.geometry().edges());
  for (std::size_t k = 1; k < field_.kept.size(); ++k)
    TENDRIL_REQUIRE(field_.kept[k - 1].key < field_.kept[k].key, "the state is damaged");
}

}  // namespace tendril::compact
