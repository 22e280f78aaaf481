#include "math/transport.h"

#include <rapidcheck.h>

#include "math/pack.h"
#include "math/rotation.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

SENTENCE("math", "parallel transport is the smallest rotation from one tangent to the other") {
  Random random(21);
  for (int i = 0; i < 50; ++i) {
    const Vec3 a = random.unit_vector(), b = random.unit_vector(), u = random.vector();
    const Vec3 axis = a.cross(b);
    const Vec3 w = axis.normalized() * math::atan2(axis.norm(), a.dot(b));
    EXPECT_LT((parallel_transport(a, b, u) - exp_matrix(w) * u).norm(), 1e-12);
    EXPECT_LT((parallel_transport(a, b, a) - b).norm(), 1e-12);
    const Vec3 n = random.perpendicular(a);
    EXPECT_LT((to_eigen(parallel_transport_normal(to_small(a), to_small(b), to_small(n))) - exp_matrix(w) * n).norm(),
              1e-12);
  }
}

SENTENCE("math", "any perpendicular is a unit vector and smooth but for its one jump") {
  Random random(22);
  for (int i = 0; i < 2000; ++i) {
    Vec3 t = random.unit_vector();
    if (i < 3) t = Vec3::Unit(i);
    if (i >= 3 && i < 6) t = -Vec3::Unit(i - 3);
    const Vec3 u = any_perpendicular(t);
    EXPECT_NEAR(u.norm(), 1, 1e-14);
    EXPECT_NEAR(u.dot(t), 0, 1e-14);
    const Vec3 near = (t + 1e-6 * random.unit_vector()).normalized();
    if ((t.z() < -0.9) == (near.z() < -0.9)) {
      EXPECT_LT((any_perpendicular(near) - u).norm(), 3e-5);
    }
  }
}

SENTENCE("math", "an angle is unwrapped to the nearest one") {
  EXPECT_NEAR(unwrap(0.1, 27 * math::two_pi), 0.1 + 27 * math::two_pi, 1e-13);
  EXPECT_NEAR(unwrap(3.0, -3.0), 3.0 - math::two_pi, 1e-15);
  EXPECT_EQ(unwrap(0.5, 0.4), 0.5);
  EXPECT_TRUE(rc::check([](int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const double angle = random.uniform(-4, 4), near = random.uniform(-500, 500);
    const double result = unwrap(angle, near);
    RC_ASSERT(std::abs(result - near) <= math::pi + 1e-12);
    RC_ASSERT(std::abs(std::sin(result - angle)) < 1e-12);
  }));
}

SENTENCE("math", "the signed angle is positive right-handed about its axis") {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  EXPECT_NEAR(signed_angle(x, y, z), math::pi / 2, 1e-15);
  EXPECT_NEAR(signed_angle(y, x, z), -math::pi / 2, 1e-15);
  EXPECT_NEAR(signed_angle(x, Vec3(-x), z), math::pi, 1e-15);
}

SENTENCE("math", "Bishop frames have no twist, and turned ones the twist put in") {
  Random random(23);
  const auto rod = random.framed_polyline(60, 1, 2, 0);
  double angle = 0;
  std::vector<Vec3> turned = rod.director;
  std::vector<double> put_in;
  for (std::size_t i = 1; i < turned.size(); ++i) {
    EXPECT_NEAR(discrete_twist(rod.tangent[i - 1], rod.director[i - 1], rod.tangent[i], rod.director[i]), 0, 1e-14);
    put_in.push_back(random.uniform(-2, 2));
    angle += put_in.back();
    turned[i] = turned_about(rod.tangent[i], rod.director[i], angle);
  }
  for (std::size_t i = 1; i < turned.size(); ++i) {
    EXPECT_NEAR(discrete_twist(rod.tangent[i - 1], turned[i - 1], rod.tangent[i], turned[i]), put_in[i - 1], 1e-13);
  }
}

SENTENCE("math", "twist does not change under rigid rotation and changes sign under reflection; reversal keeps it") {
  EXPECT_TRUE(rc::check([](int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto rod = random.framed_polyline(3, 1, 3, 0.5);
    const Vec3 ta = rod.tangent[0], tb = rod.tangent[1], ua = rod.director[0], ub = rod.director[1];
    const double twist = discrete_twist(ta, ua, tb, ub);
    const Quat q = random.rotation();
    RC_ASSERT(std::abs(discrete_twist(q * ta, q * ua, q * tb, q * ub) - twist) < 1e-12);
    RC_ASSERT(std::abs(discrete_twist(Vec3(-ta), Vec3(-ua), Vec3(-tb), Vec3(-ub)) + twist) < 1e-12);
    RC_ASSERT(std::abs(discrete_twist(Vec3(-tb), ub, Vec3(-ta), ua) - twist) < 1e-12);
  }));
}

SENTENCE("math", "transport, twist and Bishop frames of packs have the bits of the scalar") {
  Random random(24);
  Vec3 ta[4], tb[4], ua[4], ub[4];
  for (int k = 0; k < 4; ++k) {
    ta[k] = random.unit_vector(), tb[k] = random.unit_vector();
    ua[k] = random.perpendicular(ta[k]), ub[k] = random.perpendicular(tb[k]);
  }
  const auto pta = gather_pack(ta), ptb = gather_pack(tb), pua = gather_pack(ua), pub = gather_pack(ub);
  const Pack twist = discrete_twist(pta, pua, ptb, pub);
  const V3<Pack> perpendicular = any_perpendicular(pta);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(twist[k], discrete_twist(ta[k], ua[k], tb[k], ub[k]));
    EXPECT_EQ(to_eigen(lane_of(perpendicular, k)), any_perpendicular(ta[k]));
  }
  const std::vector<V3<Pack>> tangents{pta, ptb};
  std::vector<V3<Pack>> out(2);
  bishop_frames<Pack>(tangents, pua, out);
  for (int k = 0; k < 4; ++k) {
    const std::vector<Vec3> lane{ta[k], tb[k]};
    std::vector<Vec3> lane_out(2);
    bishop_frames(lane, ua[k], lane_out);
    EXPECT_EQ(to_eigen(lane_of(out[1], k)), lane_out[1]);
  }
}

}  // namespace
}  // namespace tendril
