// What a step or an equilibrium of all rods ends with: losses of impacts, contacts as a Frame shows them, verdict, state.
#include <algorithm>
#include <cmath>

#include "methods/compact/meeting.h"

namespace tendril::compact {

// 1/2 m |dv|^2 of every point: what backward Euler takes beyond the works of forces. (The shares of links, joints and barriers: `finish`.)
double Meeting::lost_by_euler() const {
  double sum = 0;
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    if (!impact_[r]) continue;
    const Levels& p = parts_[r]->state.points;
    for (std::size_t i = 0; i < p.v.size(); ++i)
      sum += 0.5 * parts_[r]->chain.mass[i] * (p.v[i] - p.v_before[i]).squaredNorm();
  }
  return takes_joined() && impact_.back() ? sum + joined_->lost_by_euler() : sum;
}

void Meeting::finish() {
  energy_ = 0, least_gap_ = 1;
  work_ = {opening_};
  double in_turning = 0;
  for (std::size_t r = 0; r < parts_.size(); ++r)
    if (impact_[r]) in_turning += parts_[r]->problem.lost_in_turning();
  for (auto& part : parts_) {
    part->solved.folded = part->problem.is_folded_now();
    part->problem.finish();
  }
  if (takes_joined()) joined_->finish();
  points_.clear(), next_kept_.clear();
  for (int k = 0; k < islands_; ++k) {
    energy_ += island_[z(k)]->touching.energy();
    least_gap_ = std::min(least_gap_, island_[z(k)]->touching.least_gap());
    island_[z(k)]->touching.settle(is_impact(*island_[z(k)]), points_, next_kept_, work_);
  }
  std::sort(next_kept_.begin(), next_kept_.end(), [](const KeptContact& a, const KeptContact& b) { return a.key < b.key; });
  std::swap(field_.kept, next_kept_);
  // Links and joints take no more than what hits: the rest is what so long a step takes of bending and of turning, a loss of the scheme.
  if (any_impact()) {
    const double taken = std::max(0.0, work_.impacts + lost_by_euler());
    work_.impacts = taken + std::min(in_turning, taken);
  }
  std::copy(target_.begin(), target_.end(), poses_.begin());
  put_bodies(poses_, *drive_);
}

// One verdict by the rod itself where nothing touches it.
Verdict Meeting::judge() {
  Verdict whole{Verdict::Kind::counted};
  for (int k = 0; k < islands_; ++k) {
    Island& island = *island_[z(k)];
    const bool single = island.rods.size() == 1 && joined_to(island) == nullptr && island.touching.active().empty();
    whole.add(single ? parts_[z(island.rods[0])]->problem.judge() : island.coupled.judge());
  }
  for (const int r : alone_) whole.add(parts_[z(r)]->problem.judge());
  return whole;
}

void Meeting::visit_state(StateArchive& archive) {
  archive(energy_, least_gap_, field_.missing_radius, field_.kept, points_);
  archive.fixed(poses_), archive.fixed(hit_), archive.fixed(field_.raised);
  if (!archive.reading()) return;
  for (const double force : field_.raised) TENDRIL_REQUIRE(force >= 0 && std::isfinite(force), "the state is damaged");
  check_loaded_points(points_, model_, field_.geometry().edges());
  for (std::size_t k = 1; k < field_.kept.size(); ++k)
    TENDRIL_REQUIRE(field_.kept[k - 1].key < field_.kept[k].key, "the state is damaged");
}

}  // namespace tendril::compact
