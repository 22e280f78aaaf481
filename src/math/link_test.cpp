#include "math/link.h"

#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "math/transport.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

std::vector<Vec3> trefoil(int n) {  // left-handed
  std::vector<Vec3> corners;
  for (int k = 0; k < n; ++k) {
    const double t = math::two_pi * k / n;
    const double r = 2 + std::cos(3 * t);
    corners.emplace_back(r * std::cos(2 * t), r * std::sin(2 * t), std::sin(3 * t));
  }
  return corners;
}
std::vector<Vec3> ring(int n, double radius) {
  std::vector<Vec3> corners;
  for (int k = 0; k < n; ++k)
    corners.emplace_back(radius * std::cos(math::two_pi * k / n), radius * std::sin(math::two_pi * k / n), 0);
  return corners;
}
// Bishop directors around a closed polygon, with `turns` more spread evenly, closed without a jump at the seam.
std::vector<Vec3> closed_directors(const std::vector<Vec3>& corners, double turns) {
  const std::size_t n = corners.size();
  std::vector<Vec3> tangents(n), directors(n);
  for (std::size_t i = 0; i < n; ++i) tangents[i] = (corners[(i + 1) % n] - corners[i]).normalized();
  bishop_frames(tangents, any_perpendicular(tangents[0]), directors);
  const double gap = discrete_twist(tangents[n - 1], directors[n - 1], tangents[0], directors[0]);
  for (std::size_t i = 0; i < n; ++i)
    directors[i] = turned_about(tangents[i], directors[i], (gap + math::two_pi * turns) * double(i) / double(n));
  return directors;
}
std::vector<Vec3> offset_curve(const std::vector<Vec3>& corners, const std::vector<Vec3>& directors, double distance) {
  std::vector<Vec3> result;
  const std::size_t n = corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    result.push_back(corners[i] + distance * (directors[i] + directors[(i + n - 1) % n]).normalized());
  }
  return result;
}

SENTENCE("math", "the writhe of a skew hexagon is the published value") {
  const std::vector<Vec3> corners{{0, 0, 0}, {2, 0, 0}, {2, 2, 1}, {1, -1, 2}, {1, 1, -1}, {0, 2, 1}};
  EXPECT_NEAR(writhe_closed(corners), -0.9584494747, 1e-9);
}

SENTENCE("math", "the writhe of trefoil polygons is the reference value, and opposite for the mirror image") {
  EXPECT_NEAR(writhe_closed(trefoil(50)), -3.494668493, 1e-9);
  EXPECT_NEAR(writhe_closed(trefoil(100)), -3.512219148, 1e-9);
  EXPECT_NEAR(writhe_closed(trefoil(200)), -3.516726147, 1e-9);
  auto mirror = trefoil(100);
  for (Vec3& p : mirror) p.z() = -p.z();
  EXPECT_NEAR(writhe_closed(mirror), 3.512219148, 1e-9);
}

SENTENCE("math", "plane polygons have no writhe, though some edges are parallel") {
  EXPECT_NEAR(writhe_closed(ring(4, 1)), 0, 1e-14);
  EXPECT_NEAR(writhe_closed(ring(60, 2)), 0, 1e-13);
  const std::vector<Vec3> straight{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
  EXPECT_EQ(writhe_open(straight), 0);
}

SENTENCE("math", "an open right-handed helix of many turns has writhe turns times one minus the sine of its pitch") {
  // Long helix: writhe per turn tends to 1 - sin(pitch angle) (Fuller); ends add a bounded amount, so take differences.
  const double radius = 1, rise = 0.6;  // per radian
  const auto helix = [&](int turns) {
    std::vector<Vec3> corners;
    for (int k = 0; k <= 60 * turns; ++k) {
      const double t = math::two_pi * k / 60;
      corners.emplace_back(radius * std::cos(t), radius * std::sin(t), rise * t);
    }
    return corners;
  };
  const double per_turn = (writhe_open(helix(20)) - writhe_open(helix(16))) / 4;
  EXPECT_NEAR(per_turn, 1 - rise / std::hypot(radius, rise), 2e-3);
}

SENTENCE("math", "linked rings have linking number one, with the sign of the crossing, apart ones zero") {
  const auto a = ring(20, 1);
  std::vector<Vec3> b;
  for (const Vec3& p : ring(17, 1)) b.emplace_back(p.x() + 1, 0, p.y());
  const double link = linking_number(a, b);
  EXPECT_NEAR(std::abs(link), 1, 1e-12);
  EXPECT_NEAR(linking_number(b, a), link, 1e-12);
  const std::vector<Vec3> reversed(b.rbegin(), b.rend());
  EXPECT_NEAR(linking_number(a, reversed), -link, 1e-12);
  for (Vec3& p : b) p.x() += 5;
  EXPECT_NEAR(linking_number(a, b), 0, 1e-12);
}

SENTENCE("math", "the link of a closed ribbon is the linking number of its two edges, for a trefoil") {
  const auto corners = trefoil(150);
  for (const int turns : {-3, 0, 5}) {
    const auto directors = closed_directors(corners, turns);
    const double link = link_closed(corners, directors);
    EXPECT_NEAR(link, std::round(link), 1e-11);
    EXPECT_NEAR(linking_number(corners, offset_curve(corners, directors, 0.02)), link, 1e-10);
  }
}

SENTENCE("math", "the link of a twisted ring is its number of turns") {
  const auto corners = ring(64, 1);
  for (const int turns : {-2, 0, 1, 7}) {
    const auto directors = closed_directors(corners, turns);
    EXPECT_NEAR(link_closed(corners, directors), turns, 1e-12);
    EXPECT_NEAR(total_twist_closed(corners, directors), turns, 1e-12);
    EXPECT_NEAR(linking_number(corners, offset_curve(corners, directors, 0.02)), turns, 1e-12);
  }
  // From unwrapped joint twists, also with more than half a turn per joint.
  const std::vector<double> twists(64, math::two_pi);
  EXPECT_NEAR(link_closed(corners, twists), 64, 1e-11);
}

SENTENCE("math", "link stays an integer when a ribbon moves at random, and twist and writhe ignore rigid motions") {
  EXPECT_TRUE(rc::check([](int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    auto corners = ring(24, 1);
    for (Vec3& p : corners) p += random.vector(0.1);
    const auto directors = closed_directors(corners, random.integer(-3, 3));
    const double link = link_closed(corners, directors);
    RC_ASSERT(std::abs(link - std::round(link)) < 1e-10);
    const Quat q = random.rotation();
    const Vec3 shift = random.vector();
    auto moved = corners;
    for (Vec3& p : moved) p = q * p + shift;
    RC_ASSERT(std::abs(writhe_closed(moved) - writhe_closed(corners)) < 1e-11);
    RC_ASSERT(std::abs(writhe_open(moved) - writhe_open(corners)) < 1e-11);
  }));
}

SENTENCE("math", "the twist of an open ribbon adds up") {
  Random random(31);
  const auto rod = random.framed_polyline(30, 1, 1, 0);
  std::vector<Vec3> turned = rod.director;
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = turned_about(rod.tangent[i], turned[i], 0.3 * double(i));
  EXPECT_NEAR(total_twist_open(rod.position, turned), 0.3 * 28 / math::two_pi, 1e-12);
  EXPECT_NEAR(link_open(rod.position, turned) - total_twist_open(rod.position, turned), writhe_open(rod.position), 1e-14);
  EXPECT_THROW(total_twist_closed(rod.position, turned), Misuse);
}

}  // namespace
}  // namespace tendril
