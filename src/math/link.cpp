#include "math/link.h"

#include "math/transport.h"

namespace tendril {
namespace {

using V = V3<double>;

// The spherical quadrilateral of the directions a = a0->b0, b = a1->b0, c = a1->b1, d = a0->b1, in the order that makes
// a right-handed crossing positive, as two triangles (a, b, c) and (a, c, d), each by van Oosterom & Strackee: tan(Omega/2)
// = a.(b x c) / (abc + (a.b) c + (b.c) a + (c.a) b). differs from the paper: Klenin and Langowski add four arcsines, which
// lose half of the digits for nearly flat cases. The two half angles are added as a product of complex numbers: one atan2
// for both; their sum stays within (-pi, pi).
double half_solid_angle(const V& a0, const V& a1, const V& b0, const V& b1) {
  const V a = b0 - a0, b = b0 - a1, c = b1 - a1, d = b1 - a0;
  const double na = norm(a), nb = norm(b), nc = norm(c), nd = norm(d);
  if (na == 0 || nb == 0 || nc == 0 || nd == 0) return 0;  // a common corner: the segments lie in one plane
  const double ac = dot(a, c);
  const V normal = cross(a, c);
  const double y1 = -dot(b, normal), x1 = na * nb * nc + dot(a, b) * nc + dot(b, c) * na + ac * nb;
  const double y2 = dot(d, normal), x2 = na * nc * nd + ac * nd + dot(c, d) * na + dot(d, a) * nc;
  return math::atan2(x1 * y2 + y1 * x2, x1 * x2 - y1 * y2);
}

const Vec3& corner(std::span<const Vec3> corners, std::size_t i) {
  return corners[i < corners.size() ? i : i - corners.size()];
}

// Sum over pairs of different edges, both orders: 2 * (Omega / 4 pi) each = half solid angle / pi.
double writhe(std::span<const Vec3> corners, bool closed) {
  if (corners.size() < 4) return 0;  // plane
  const std::size_t edges = closed ? corners.size() : corners.size() - 1;
  double sum = 0;
  for (std::size_t i = 0; i < edges; ++i) {
    const V a0 = to_small(corners[i]), a1 = to_small(corner(corners, i + 1));
    double row = 0;
    for (std::size_t j = i + 2; j < edges; ++j) {
      if (closed && i == 0 && j == edges - 1) continue;  // neighbours across the seam
      row += half_solid_angle(a0, a1, to_small(corners[j]), to_small(corner(corners, j + 1)));
    }
    sum += row;
  }
  return sum / math::pi;
}

double twist(std::span<const Vec3> corners, std::span<const Vec3> directors, bool closed) {
  const std::size_t edges = closed ? corners.size() : corners.size() - 1;
  TENDRIL_REQUIRE(directors.size() == edges, "one director for each edge is needed");
  const auto tangent = [&](std::size_t i) { return normalized(to_small(corner(corners, i + 1)) - to_small(corners[i])); };
  double sum = 0;
  const std::size_t joints = closed ? edges : edges - 1;
  for (std::size_t i = 0; i < joints; ++i) {
    const std::size_t next = i + 1 < edges ? i + 1 : 0;
    sum += discrete_twist(tangent(i), to_small(directors[i]), tangent(next), to_small(directors[next]));
  }
  return sum / math::two_pi;
}

}  // namespace

double gauss_integral(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  return half_solid_angle(to_small(a0), to_small(a1), to_small(b0), to_small(b1)) / math::two_pi;
}

double writhe_closed(std::span<const Vec3> corners) { return writhe(corners, true); }
double writhe_open(std::span<const Vec3> corners) { return writhe(corners, false); }

double linking_number(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double row = 0;
    for (std::size_t j = 0; j < b.size(); ++j) row += gauss_integral(a[i], corner(a, i + 1), b[j], corner(b, j + 1));
    sum += row;
  }
  return sum;
}

double total_twist_open(std::span<const Vec3> corners, std::span<const Vec3> directors) {
  TENDRIL_REQUIRE(corners.size() >= 2, "a polygon has at least two corners");
  return twist(corners, directors, false);
}
double total_twist_closed(std::span<const Vec3> corners, std::span<const Vec3> directors) {
  TENDRIL_REQUIRE(corners.size() >= 3, "a closed polygon has at least three corners");
  return twist(corners, directors, true);
}

double total_twist(std::span<const double> joint_twists) {
  double sum = 0;
  for (const double t : joint_twists) sum += t;
  return sum / math::two_pi;
}

double link_closed(std::span<const Vec3> corners, std::span<const double> joint_twists) {
  return total_twist(joint_twists) + writhe_closed(corners);
}
double link_open(std::span<const Vec3> corners, std::span<const double> joint_twists) {
  return total_twist(joint_twists) + writhe_open(corners);
}
double link_closed(std::span<const Vec3> corners, std::span<const Vec3> directors) {
  return total_twist_closed(corners, directors) + writhe_closed(corners);
}
double link_open(std::span<const Vec3> corners, std::span<const Vec3> directors) {
  return total_twist_open(corners, directors) + writhe_open(corners);
}

}  // namespace tendril
