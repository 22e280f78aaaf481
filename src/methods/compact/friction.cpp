#include "methods/compact/friction.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "math/transport.h"
#include "methods/compact/contacts.h"
#include "methods/compact/coupled.h"
#include "methods/compact/joined.h"

namespace tendril::compact {

const KeptContact* find_kept(std::span<const KeptContact> kept, const ContactKey& key) {
  const auto at = std::lower_bound(kept.begin(), kept.end(), key,
                                   [](const KeptContact& k, const ContactKey& wanted) { return k.key < wanted; });
  return at != kept.end() && at->key == key ? &*at : nullptr;
}

bool find_passed_on(std::span<const KeptContact> kept, const ContactField& field, const KeptContact& present,
                    KeptContact& out) {
  constexpr double same_point = 0.1, same_side = 0.5;  // of a segment; cosine between normals
  const auto apart = [&](const RodPlace& p, const RodPlace& q) {
    if (p.rod != q.rod) return HUGE_VAL;
    const double distance = p.rod < 0 ? 0 : std::abs(p.at - q.at);
    return std::min(distance, std::abs(field.segments_of_ring(p.rod) - distance));
  };
  double nearest = same_point;
  bool found = false;
  for (const KeptContact& k : kept) {
    if (k.obstacle != present.obstacle) continue;
    for (const bool swapped : {false, true}) {
      const double distance = std::max(apart(present.a, swapped ? k.b : k.a), apart(present.b, swapped ? k.a : k.b));
      const double sign = swapped ? -1 : 1;
      if (!(distance < nearest) || sign * k.normal.dot(present.normal) < same_side) continue;
      nearest = distance, found = true;
      out = k, out.slip *= sign, out.normal *= sign;
    }
  }
  return found;
}

double FrictionLaw::slope(double q) {
  if (q <= 1 - rounded) return q;
  if (q >= 1 + rounded) return 1;
  const double left = 1 + rounded - q;
  return 1 - left * left / (4 * rounded);
}
double FrictionLaw::bend(double q) {
  return q <= 1 - rounded ? 1 : q >= 1 + rounded ? 0 : (1 + rounded - q) / (2 * rounded);
}
double FrictionLaw::value(double q) {
  if (q <= 1 - rounded) return 0.5 * q * q;
  const double left = std::max(0.0, 1 + rounded - q), low = 1 - rounded;
  const double between = 0.5 * low * low + (std::min(q, 1 + rounded) - low) -
                         (8 * rounded * rounded * rounded - left * left * left) / (12 * rounded);
  return between + std::max(0.0, q - 1 - rounded);
}

namespace {
// Turn of a link since the last level, 2 vec(q q'^-1), and its derivative in a further turn.
struct TurnSince {
  Vec3 turn;
  Mat3 slope;
};
TurnSince turn_since(const Problem& problem, int link) {
  Quat p = problem.turn_of(link) * problem.turn_before(link).conjugate();
  if (p.w() < 0) p.coeffs() = -p.coeffs();
  return {2 * p.vec(), p.w() * Mat3::Identity() - skew(p.vec())};
}
}  // namespace

// A node's friction turns the two links beside it by halves.
void Friction::add_turned(Rub& rub, int which, bool node, const Vec3& lever) const {
  if (!node) {
    rub.turned[rub.turns++] = {field_.rod_of(which), field_.link_of(which), lever};
    return;
  }
  const auto& [previous, next] = field_.geometry().beside(which);
  const double share = previous >= 0 && next >= 0 ? 0.5 : 1;
  for (const int e : {previous, next})
    if (e >= 0) rub.turned[rub.turns++] = {field_.rod_of(e), field_.link_of(e), share * lever};
}

void Friction::add(const NearPair& pair, const GapSlopes& at, double force, const KeptContact* kept,
                   const Vec3& obstacle_shift, const RubbedBody& body) {
  if (!(pair.friction * force > 0)) return;
  Rub rub;
  rub.key = pair.key, rub.node = pair.node;
  const bool node = pair.node[1] < 0;
  rub.share[0] = node ? 1 : 1 - at.s, rub.share[1] = node ? 0 : at.s;
  if (pair.is_between_rods()) rub.share[2] = at.t - 1, rub.share[3] = -at.t;
  const Vec3& n = at.normal;
  // Along the rod, and across.
  const auto& ends = field_.geometry().ends(pair.edge_a);
  Vec3 along = field_.x[z(ends[1])] - field_.x[z(ends[0])];
  along -= along.dot(n) * n;
  rub.along = along.norm() > 1e-9 ? Vec3(along.normalized()) : any_perpendicular(n);
  rub.across = n.cross(rub.along);
  add_turned(rub, node ? pair.node[0] : pair.edge_a, node, -pair.radius_a * n);
  double radius = pair.radius_a;
  if (pair.is_between_rods()) {
    const double other = field_.geometry().radius(pair.edge_b);
    add_turned(rub, pair.edge_b, false, -other * n);  // + r n, and the motion of b counts less
    radius = std::min(radius, other);
  }
  rub.limit = pair.friction * force, rub.eps = FrictionLaw::slip_of_radius * radius;
  rub.shift = obstacle_shift, rub.on = body;
  if (kept != nullptr) {
    const Vec3 slip = turned_with_normal(kept->slip, kept->normal, n);
    rub.kept = Vec2(slip.dot(rub.along), slip.dot(rub.across));
  }
  rubs_.push_back(rub);
}

Vec2 Friction::slip_of(const Rub& rub, const Joined* joined) const {
  Vec3 motion = -rub.shift;
  if (rub.on.body >= 0) {
    const Pose pose = joined->pose(rub.on.body);
    motion -= pose.position + pose.orientation * rub.on.local - rub.on.start;
  }
  for (std::size_t i = 0; i < 4; ++i)
    if (rub.node[i] >= 0 && rub.share[i] != 0)
      motion += rub.share[i] * (field_.x[z(rub.node[i])] - field_.start[z(rub.node[i])]);
  for (int i = 0; i < rub.turns; ++i)
    motion += turn_since(parts_[z(rub.turned[i].rod)]->problem, rub.turned[i].link).turn.cross(rub.turned[i].lever);
  return Vec2(motion.dot(rub.along), motion.dot(rub.across));
}

double Friction::evaluate(Joined* joined) {
  double energy = 0;
  for (Rub& rub : rubs_) {
    rub.slip = slip_of(rub, joined);
    const Vec2 e = rub.kept + rub.slip;
    const double size = e.norm(), q = size / rub.eps;
    energy += rub.limit * rub.eps * FrictionLaw::value(q);
    rub.pull = size > 0 ? Vec2((rub.limit * FrictionLaw::slope(q) / size) * e) : Vec2(Vec2::Zero());
    const Vec3 force = rub.pull.x() * rub.along + rub.pull.y() * rub.across;
    for (std::size_t i = 0; i < 4; ++i) {
      if (rub.node[i] < 0 || rub.share[i] == 0) continue;
      const auto& at = field_.of_node(rub.node[i]);
      parts_[z(at.rod)]->problem.node_gradient(at.k) += rub.share[i] * force;
    }
    if (rub.on.body >= 0) {
      const Vec3 lever = joined->pose(rub.on.body).orientation * rub.on.local;
      joined->add_gradient(rub.on.body, -force, -lever.cross(force));
    }
    for (int i = 0; i < rub.turns; ++i) {
      Problem& problem = parts_[z(rub.turned[i].rod)]->problem;
      problem.link_gradient(rub.turned[i].link) +=
          turn_since(problem, rub.turned[i].link).slope.transpose() * rub.turned[i].lever.cross(force);
    }
  }
  return energy;
}

// How a body's turn bends the way of its point is left out: it is small, and so the matrix stays positive.
void Friction::assemble(const Coupled& coupled, FoldedLDLT& matrix, const Joined* joined) const {
  using Slopes = Eigen::Matrix<double, 3, 2>;
  for (const Rub& rub : rubs_) {
    const Vec2 e = rub.kept + rub.slip;
    const double size = e.norm(), q = size / rub.eps;
    // Along the slip H'', across it H'/q.
    Mat2 h = (rub.limit / rub.eps) * Mat2::Identity();
    if (q > 1e-12) {
      const Vec2 d = e / size;
      const Mat2 radial = d * d.transpose();
      h = (rub.limit / rub.eps) * (FrictionLaw::bend(q) * radial + FrictionLaw::slope(q) / q * (Mat2::Identity() - radial));
    }
    Slopes t;
    t << rub.along, rub.across;
    int block[10];
    Slopes slope[10];
    int count = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (rub.node[i] < 0 || rub.share[i] == 0) continue;
      const auto& at = field_.of_node(rub.node[i]);
      block[count] = coupled.node_block(at.rod, at.k);
      if (block[count] < 0) continue;
      slope[count++] = rub.share[i] * t;
    }
    for (int i = 0; i < rub.turns; ++i) {
      const Turned& turned = rub.turned[i];
      block[count] = coupled.turn_block(turned.rod, turned.link);
      slope[count++] = turn_since(parts_[z(turned.rod)]->problem, turned.link).slope.transpose() * skew(turned.lever) * t;
    }
    if (rub.on.body >= 0) {
      const Mat3 free = joined->freedom(rub.on.body);
      block[count] = joined->place_block(rub.on.body);
      slope[count++] = -free * t;
      block[count] = joined->turn_block(rub.on.body);
      slope[count++] = -free * skew(joined->pose(rub.on.body).orientation * rub.on.local) * t;
    }
    for (int i = 0; i < count; ++i)
      for (int j = 0; j <= i; ++j) {
        const Mat3 part = slope[i] * h * slope[j].transpose();
        if (i != j && block[i] == block[j])
          matrix.add(block[i], block[i], part + part.transpose());
        else
          matrix.add(block[i], block[j], part);
      }
  }
}

Vec3 Friction::force_on_a(std::size_t i) const {
  const Rub& rub = rubs_[i];
  return -(rub.pull.x() * rub.along + rub.pull.y() * rub.across);
}
double Friction::lost(std::size_t i) const { return rubs_[i].pull.dot(rubs_[i].slip); }
Vec3 Friction::kept_slip(std::size_t i) const {
  const Rub& rub = rubs_[i];
  Vec2 e = rub.kept + rub.slip;
  const double most = (1 + FrictionLaw::rounded) * rub.eps, size = e.norm();
  if (size > most) e *= most / size;
  return e.x() * rub.along + e.y() * rub.across;
}

}  // namespace tendril::compact
