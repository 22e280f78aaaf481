// Contacts before and after a solution: friction, what is remembered, what a Frame shows, what was done.
#include <algorithm>

#include "methods/compact/contacts.h"

namespace tendril::compact {

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
  if (body < 0) return friction_.add(p, at, force, find_kept(field_.kept, p.key), obstacle_shift(p, at));
  const Pose &from = field_.start_poses[z(p.obstacle)], &to = poses_[z(p.obstacle)];
  const Vec3 touched = centre_of(p, at) - (p.radius_a + at.gap) * at.normal;
  RubbedBody on{body, to.orientation.conjugate() * (touched - to.position), Vec3::Zero()};
  on.start = from.position + from.orientation * on.local;
  friction_.add(p, at, force, find_kept(field_.kept, p.key), Vec3::Zero(), on);
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

// A gap closed by more than half of itself, or of its barrier's reach, in one step: an impact. The barrier, whose force doubles there,
// does not resolve it in time, however short the step is: it can keep far less energy than things that hit each other have.
bool Touching::is_hit() const {
  for (const Active& a : active_) {
    const NearPair& p = field_.pairs()[z(a.pair)];
    const double before = field_.near().gap(p, field_.start, field_.start_poses) + field_.missing_radius;
    if (before - a.gap.at.gap > 0.5 * std::min(before, field_.barrier_of(p).reach)) return true;
  }
  return false;
}

// What barriers had at the last level.
double Touching::kept_before(const NearPair& p) const {
  const double was = field_.near().gap(p, field_.start, field_.start_poses) + field_.missing_radius;
  const BarrierValue before = barrier_at(field_.barrier_of(p), was);
  if (!(was > 0) || before.energy == 0) return 0;
  PairGap at;
  field_.near().evaluate(p, field_.start, field_.start_poses, at);
  return at.weight * before.energy;
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
    if (hit) work.impacts += taken_by(a) - a.gap.weight * a.push.energy + kept_before(p);
    kept.push_back({p.key, slip, at.normal, push});
    const int body = p.obstacle < 0 ? -1 : field_.body_of(p.obstacle);
    points.push_back({centre_of(p, at) - p.radius_a * at.normal, at.normal, force, at.gap - field_.missing_radius, p.edge_a,
                      p.edge_b, body < 0 ? p.obstacle : -1, body});
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < pairs_.size() && hit; ++k) {
    while (next < active_.size() && active_[next].pair < pairs_[k]) ++next;
    if (next == active_.size() || active_[next].pair != pairs_[k]) work.impacts += kept_before(pair(k));
  }
}

}  // namespace tendril::compact
