// Contacts before and after a solution: friction, what is remembered, what a Frame shows, what was done.
#include <algorithm>
#include <cmath>

#include "methods/compact/contacts.h"

namespace tendril::compact {

double ContactField::settling_time(const NearPair& pair) const {
  double pull = pull_[z(rod_of_[z(pair.edge_a)])];
  if (pair.is_between_rods()) pull = std::max(pull, pull_[z(rod_of_[z(pair.edge_b)])]);
  constexpr double settling = 3;  // over the time in which the reach is fallen through
  return pull > 0 ? settling * std::sqrt(barrier_of(pair).reach / pull) : 0;
}

double ContactField::stored(std::span<const Pose> poses) const {
  double sum = 0;
  PairGap at;
  for (const NearPair& pair : pairs()) {
    const BarrierValue value = barrier_at(barrier_of(pair), near_.gap(pair, base, poses) + missing_radius);
    if (!(value.energy > 0) || !std::isfinite(value.energy)) continue;
    near_.evaluate(pair, base, poses, at);
    sum += at.weight * value.energy;
  }
  return sum;
}

// Pairs that are faded out at the last level keep to the energy: others beside them carry what they carry.
BarrierValue Touching::push_of(const Barrier& barrier, std::size_t k, Active& active) {
  const double gap = active.gap.at.gap;
  const BarrierValue plain = barrier_at(barrier, gap);
  active.stored = plain.energy;
  if (!(step_ > 0) || on_way_) return plain;
  if (lambda_[k] < 0) {
    const NearPair& p = pair(k);
    start_gap_[k] = gap_before(p), lambda_[k] = 0;
    if (start_gap_[k] > 0 && start_gap_[k] < barrier.reach) {
      PairGap before;
      field_.near().evaluate(p, field_.start, field_.start_poses, before);
      if (!before.is_faded) lambda_[k] = field_.settling_time(p) / step_;
    }
  }
  active.lambda = lambda_[k];
  return barrier_since(barrier, start_gap_[k], lambda_[k], gap);
}

Vec3 Touching::centre_of(const NearPair& p, const GapSlopes& at) const {
  const Vec3& a0 = field_.x[z(p.node[0])];
  return p.node[1] < 0 ? a0 : Vec3((1 - at.s) * a0 + at.s * field_.x[z(p.node[1])]);
}

// What the point of an obstacle that is touched has done since the last level.
Vec3 Touching::obstacle_shift(const NearPair& p, const GapSlopes& at) const {
  if (p.obstacle < 0) return Vec3::Zero();
  const Pose &from = field_.start_poses[z(p.obstacle)], &to = poses_[z(p.obstacle)];
  if (from.position == to.position && from.orientation.coeffs() == to.orientation.coeffs()) return Vec3::Zero();
  const Vec3 touched = centre_of(p, at) - (p.radius_a + at.gap) * at.normal;
  return touched - (from.position + from.orientation * (to.orientation.conjugate() * (touched - to.position)));
}

bool Touching::may_rub() const {
  for (const Active& a : active_)
    if (field_.pairs()[z(a.pair)].friction > 0) return true;
  return false;
}

void Touching::rub(const NearPair& p, const GapSlopes& at, double force) {
  const int body = field_.free_body(p);
  const KeptContact* kept = find_kept(field_.kept, p.key);
  KeptContact passed_on;
  if (kept == nullptr && find_passed_on(field_.kept, field_, field_.named(p, at), passed_on)) kept = &passed_on;
  if (body < 0) return friction_.add(p, at, force, kept, obstacle_shift(p, at));
  const Pose &from = field_.start_poses[z(p.obstacle)], &to = poses_[z(p.obstacle)];
  const Vec3 touched = centre_of(p, at) - (p.radius_a + at.gap) * at.normal;
  RubbedBody on{body, to.orientation.conjugate() * (touched - to.position), Vec3::Zero()};
  on.start = from.position + from.orientation * on.local;
  friction_.add(p, at, force, kept, Vec3::Zero(), on);
}

bool Touching::set_friction(int round) {
  gather();
  friction_.clear();
  if (round == 0) {
    PairGap at;
    for (std::size_t k = 0; k < pairs_.size() && !field_.kept.empty(); ++k) {
      const NearPair& p = pair(k);
      if (p.friction == 0) continue;
      const KeptContact* kept = find_kept(field_.kept, p.key);
      if (kept == nullptr) continue;
      field_.near().evaluate(p, field_.x, poses_, at);
      rub(p, at.at, kept->force);
    }
    return !friction_.empty();
  }
  for (const Active& a : active_) {
    const NearPair& p = field_.pairs()[z(a.pair)];
    if (p.friction == 0) continue;
    rub(p, a.gap.at, -a.gap.weight * a.push.slope);
  }
  return !friction_.empty();
}

// A gap closed by more than a fifth of itself, or of its barrier's reach, in one step: an impact. The barrier, whose force doubles from
// half of a gap to the next, does not resolve it in time, however short the step is: it can keep far less energy than things that hit each other have. One that
// opens as fast still comes from an impact, and a scheme that looked back on it would go on with its change of velocity.
bool Touching::is_hit() const {
  constexpr double hit_part = 0.2;
  for (const Active& a : active_) {
    const NearPair& p = field_.pairs()[z(a.pair)];
    const double before = gap_before(p);
    if (std::abs(before - a.gap.at.gap) > hit_part * std::min(before, field_.barrier_of(p).reach)) return true;
  }
  return false;
}

double Touching::gap_before(const NearPair& p) const {
  return field_.near().gap(p, field_.start, field_.start_poses) + field_.missing_radius;
}

// What barriers had at the last level.
Touching::Kept Touching::kept_before(const NearPair& p) const {
  const double was = gap_before(p);
  const BarrierValue before = barrier_at(field_.barrier_of(p), was);
  if (!(was > 0) || before.energy == 0) return {};
  PairGap at;
  field_.near().evaluate(p, field_.start, field_.start_poses, at);
  return {at.weight * before.energy, at.is_faded};
}

// In a step of backward Euler the force at its end acts all the way: it takes more from the motion than the barrier keeps.
double Touching::taken_by(const Active& a) const {
  const NearPair& p = field_.pairs()[z(a.pair)];
  Vector12 slope = (a.gap.weight * a.push.slope) * a.gap.at.gradient;
  if (a.gap.is_faded) slope += a.push.energy * a.gap.weight_gradient;
  double sum = -a.gap.weight * a.push.slope * a.gap.at.normal.dot(obstacle_shift(p, a.gap.at));
  for (std::size_t i = 0; i < 4; ++i)
    if (p.node[i] >= 0)
      sum += slope.segment<3>(3 * static_cast<Eigen::Index>(i)).dot(field_.x[z(p.node[i])] - field_.start[z(p.node[i])]);
  return sum;
}

// Of what an opening gap had stored: all but the work of its push, by the trapezoid rule as all works are, and where a step does not
// resolve it by the push at its end, which acts all the way. a: nullptr where it has left its reach.
double Touching::not_given_back(const NearPair& p, const Active* a) const {
  if (a != nullptr && !(a->lambda > 0)) return 0;
  const Kept before = kept_before(p);
  if (a == nullptr) return before.is_faded ? 0 : before.energy;
  const double was = gap_before(p), opened = a->gap.at.gap - was;
  if (!(opened > 0)) return 0;
  const double now = -a->gap.weight * a->push.slope, lost = before.energy - a->gap.weight * a->stored;
  if (opened > 0.5 * was) return lost - now * opened;
  const KeptContact* kept = find_kept(field_.kept, p.key);
  return lost - 0.5 * (now + (kept != nullptr ? kept->force : now)) * opened;
}

// One that has opened gives nothing back of what it kept.
void Touching::settle(bool hit, std::vector<ContactPoint>& points, std::vector<KeptContact>& kept, ContactWork& work) const {
  std::size_t rub = 0;
  for (const Active& a : active_) {
    const NearPair& p = field_.pairs()[z(a.pair)];
    const GapSlopes& at = a.gap.at;
    const double push = -a.gap.weight * a.push.slope;
    Vec3 force = push * at.normal, slip = Vec3::Zero();
    const Vec3 shift = obstacle_shift(p, at);
    while (rub < friction_.size() && friction_.key(rub) < p.key) ++rub;
    if (rub < friction_.size() && friction_.key(rub) == p.key) {
      force += friction_.force_on_a(rub), slip = friction_.kept_slip(rub);
      work.friction += friction_.lost(rub);
    }
    if (!field_.is_free(p.obstacle)) work.obstacles += force.dot(shift);
    work.impacts += hit ? taken_by(a) - a.gap.weight * a.stored + kept_before(p).energy : not_given_back(p, &a);
    KeptContact& next = kept.emplace_back(field_.named(p, at));
    next.slip = slip, next.force = push;
    const int body = p.obstacle < 0 ? -1 : field_.body_of(p.obstacle);
    points.push_back({centre_of(p, at) - p.radius_a * at.normal, at.normal, force, at.gap - field_.missing_radius, p.edge_a,
                      p.edge_b, body < 0 ? p.obstacle : -1, body});
  }
  std::size_t following = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    while (following < active_.size() && active_[following].pair < pairs_[k]) ++following;
    if (following == active_.size() || active_[following].pair != pairs_[k])
      work.impacts += hit ? kept_before(pair(k)).energy : not_given_back(pair(k), nullptr);
  }
}

}  // namespace tendril::compact
