#include "view/fibres.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/number.h"
#include "math/rotation.h"

namespace tendril::view {
namespace {

// A bijection of 32-bit numbers without visible pattern: two rounds of multiply and shift (lowbias32 of the hash prospector).
std::uint32_t scrambled(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU;
  x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

Vec3 direction(const Vec3& v, const Vec3& otherwise) {
  const double square = v.squaredNorm();
  return square > 0 ? Vec3(v / std::sqrt(square)) : otherwise;
}

// Tangent at a node between two edges: the shorter edge weighs more, as on a circle through the three nodes.
Vec3 tangent_between(const Vec3& before, const Vec3& after) {
  return direction(before / std::max(before.squaredNorm(), 1e-30) + after / std::max(after.squaredNorm(), 1e-30),
                   direction(after, Vec3::UnitX()));
}

// A rod that runs back by more than 100 degrees has a corner: a rope over a sheave, straight on either side of it.
bool runs_back(const Vec3& before, const Vec3& after) { return before.dot(after) < -0.17 * before.norm() * after.norm(); }

// Length of Hermite's tangent that reproduces circular arcs; shorter where the rod folds, so that it never overshoots.
double tangent_length(double cosine) { return cosine > 0 ? 2 / (1 + cosine) : 2 / (1 - 4 * cosine); }

class Guide {  // a rod's nodes and frames by number, with what lies beyond the ends of an open rod
 public:
  Guide(const Frame& frame, int rod) : frame_(frame), span_(frame.rods[static_cast<std::size_t>(rod)]) {}
  int edges() const { return span_.edges; }
  bool ring() const { return span_.ring; }
  Vec3 node(int k) const {
    return frame_.position[NodeIndex(span_.first_node + (ring() ? around(k) : std::clamp(k, 0, edges())))];
  }
  Eigen::Vector4d turn(int e) const {
    return frame_.orientation[EdgeIndex(span_.first_edge + (ring() ? around(e) : std::clamp(e, 0, edges() - 1)))].coeffs();
  }

 private:
  int around(int k) const { return k < 0 ? k + edges() : k >= edges() ? k - edges() : k; }
  const Frame& frame_;
  const RodSpan& span_;
};

// Hermite's curve on edge k at u in 0..1: place and tangent.
void find_curve(const Guide& guide, int k, double u, GuidePoint& at) {
  const Vec3 p0 = guide.node(k), p1 = guide.node(k + 1), chord = p1 - p0;
  const double size = chord.norm();
  const Vec3 along = size > 0 ? Vec3(chord / size) : Vec3(Vec3::UnitX());
  const bool starts = !guide.ring() && k == 0, ends = !guide.ring() && k == guide.edges() - 1;
  const Vec3 before = p0 - guide.node(k - 1), after = guide.node(k + 2) - p1;
  Vec3 t0 = starts || runs_back(before, chord) ? along : tangent_between(before, chord);
  Vec3 t1 = ends || runs_back(chord, after) ? along : tangent_between(chord, after);
  if (starts && !ends) t0 = 2 * t1.dot(along) * along - t1;  // mirrored: an arc of constant curvature to the end
  if (ends && !starts) t1 = 2 * t0.dot(along) * along - t0;
  const Vec3 m0 = t0 * size * tangent_length(t0.dot(along)), m1 = t1 * size * tangent_length(t1.dot(along));
  const double u2 = u * u, u3 = u2 * u;
  at.centre = p0 + (3 * u2 - 2 * u3) * chord + (u3 - 2 * u2 + u) * m0 + (u3 - u2) * m1;
  at.tangent = direction((6 * u - 6 * u2) * chord + (3 * u2 - 4 * u + 1) * m0 + (3 * u2 - 2 * u) * m1, along);
}

// Frames between the middles of two edges; at free ends the turning of the last pair goes on.
void find_frame(const Guide& guide, int k, double u, GuidePoint& at) {
  int e = u < 0.5 ? k - 1 : k;
  double w = u < 0.5 ? u + 0.5 : u - 0.5;
  if (!guide.ring() && guide.edges() > 1) {
    if (e < 0) e = 0, w -= 1;
    if (e > guide.edges() - 2) e = guide.edges() - 2, w += 1;
  }
  const Eigen::Vector4d qa = guide.turn(e);
  Eigen::Vector4d qb = guide.turn(e + 1);
  if (qa.dot(qb) < 0) qb = -qb;
  const Vec3 d1 = director(Quat(Eigen::Vector4d(((1 - w) * qa + w * qb).normalized())), 0), t = at.tangent;
  at.d1 = direction(d1 - d1.dot(t) * t, direction(t.cross(Vec3(0.31, 0.54, 0.78)), Vec3::UnitX()));
  at.d2 = t.cross(at.d1);
}

}  // namespace

double random_share(std::uint32_t seed, std::uint32_t fibre, std::uint32_t draw) {
  return scrambled(scrambled(scrambled(seed) + fibre) + draw) / 4294967296.0;
}

int fibres_of(const TressModel& tress) { return tress.fibres * static_cast<int>(tress.guides.size()); }

Fibre fibre_at(const TressModel& tress, int fibre) {
  const auto guide = static_cast<std::size_t>(fibre / tress.fibres);
  Fibre made;
  made.rod = {tress.guides[guide], tress.guides[guide], tress.guides[guide]};
  if (fibre % tress.fibres == 0) return made;
  const auto share = [&](std::uint32_t draw) { return random_share(tress.seed, static_cast<std::uint32_t>(fibre), draw); };
  // Evenly over a disc.
  const double radius = std::sqrt(share(0)), angle = 2 * math::pi * share(1);
  const Vec2 place(radius * math::cos(angle), radius * math::sin(angle));
  made.start = tress.spread * place, made.end = tress.tip_spread * place;
  if (tress.near.empty()) return made;
  // Evenly over the triangle of its guide and the two near it.
  double u = share(2), v = share(3);
  if (u + v > 1) u = 1 - u, v = 1 - v;
  for (std::size_t n = 0; n < 2; ++n) made.rod[n + 1] = tress.guides[static_cast<std::size_t>(tress.near[guide][n])];
  made.weight = {1 - u - v, u, v};
  return made;
}

double spread_about(const Model& model, int rod) {
  double most = 0;
  for (const TressModel& tress : model.tresses)
    if (std::count(tress.guides.begin(), tress.guides.end(), rod) > 0)
      most = std::max({most, tress.spread, tress.tip_spread});
  return most;
}

GuidePoint guide_point(const Frame& frame, int rod, double s) {
  const Guide guide(frame, rod);
  const double at = std::clamp(s, 0.0, 1.0) * guide.edges();
  const int k = std::min(static_cast<int>(at), guide.edges() - 1);
  GuidePoint point;
  find_curve(guide, k, at - k, point);
  find_frame(guide, k, at - k, point);
  return point;
}

Vec3 fibre_point(const Frame& frame, const Fibre& fibre, double s) {
  const Vec2 place = fibre.start + s * (fibre.end - fibre.start);
  Vec3 sum = Vec3::Zero();
  for (std::size_t g = 0; g < 3; ++g) {
    if (fibre.weight[g] == 0) continue;
    const GuidePoint at = guide_point(frame, fibre.rod[g], s);
    sum += fibre.weight[g] * (at.centre + place.x() * at.d1 + place.y() * at.d2);
  }
  return sum;
}

}  // namespace tendril::view
