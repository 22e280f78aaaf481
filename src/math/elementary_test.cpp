#include "math/elementary.h"

#include <bit>
#include <cmath>

#include "math/pack.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

// The distance in units of the last place of the exact value (long double has 11 more bits).
double ulps(double got, long double exact) {
  const double size = std::max(std::abs(double(exact)), 1e-300);
  const double ulp = std::nextafter(size, 1e308) - size;
  return double(std::abs((long double)got - exact) / ulp);
}
bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

SENTENCE("math", "sine and cosine are right to an ulp up to a million radians") {
  Random random(3);
  double worst = 0;
  for (const double range : {1e-3, 1.0, 10.0, 1e3, 1e6}) {
    for (int i = 0; i < 200000; ++i) {
      const double x = random.uniform(-range, range);
      const auto [s, c] = math::sincos(x);
      worst = std::max({worst, ulps(s, std::sin((long double)x)), ulps(c, std::cos((long double)x))});
    }
  }
  EXPECT_LT(worst, 1.0);
}

SENTENCE("math", "sine and cosine are right next to multiples of a quarter turn") {
  for (int k = -1000; k <= 1000; ++k) {
    for (const double off : {0.0, 1e-12, -1e-9}) {
      const double x = k * (math::pi / 2) + off;
      const auto [s, c] = math::sincos(x);
      EXPECT_NEAR(s, double(std::sin((long double)x)), 1.2e-16);
      EXPECT_NEAR(c, double(std::cos((long double)x)), 1.2e-16);
    }
  }
  EXPECT_EQ(math::sin(0.0), 0.0);
  EXPECT_EQ(math::cos(0.0), 1.0);
}

SENTENCE("math", "atan2 is right to two ulps in all quadrants and exact on the axes") {
  Random random(4);
  double worst = 0;
  for (int i = 0; i < 1000000; ++i) {
    const double size = std::pow(10.0, random.uniform(-8, 8));
    const double y = size * random.uniform(-1, 1), x = random.uniform(-1, 1);
    worst = std::max(worst, ulps(math::atan2(y, x), std::atan2((long double)y, (long double)x)));
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(math::atan2(0.0, 0.0), 0.0);
  EXPECT_EQ(math::atan2(0.0, 1.0), 0.0);
  EXPECT_EQ(math::atan2(0.0, -1.0), math::pi);
  EXPECT_EQ(math::atan2(1.0, 0.0), math::pi / 2);
  EXPECT_EQ(math::atan2(-1.0, 0.0), -math::pi / 2);
  EXPECT_EQ(math::atan2(1.0, 1.0), math::pi / 4);
  EXPECT_EQ(math::atan2(1.0, -1.0), 3 * math::pi / 4);
}

SENTENCE("math", "exp is right to two ulps and runs into zero and infinity") {
  Random random(5);
  double worst = 0;
  for (const double range : {1e-3, 1.0, 50.0, 700.0}) {
    for (int i = 0; i < 200000; ++i) {
      const double x = random.uniform(-range, range);
      worst = std::max(worst, ulps(math::exp(x), std::exp((long double)x)));
    }
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(math::exp(0.0), 1.0);
  EXPECT_EQ(math::exp(-1e9), 0.0);
  EXPECT_NEAR(math::exp(-740.0), std::exp(-740.0), 1e-323);
  EXPECT_EQ(math::exp(1e9), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(math::exp(std::nan(""))));
}

SENTENCE("math", "each lane of a pack has the bits of the scalar") {
  Random random(6);
  int different = 0;
  for (int i = 0; i < 50000; ++i) {
    double x[4], y[4];
    for (int k = 0; k < 4; ++k) {
      x[k] = random.uniform(-1, 1) * (i % 3 == 0 ? 1e6 : 10.0);
      y[k] = random.uniform(-10, 10);
    }
    const Pack px = load_pack(x), py = load_pack(y);
    const auto [s, c] = math::sincos(px);
    const Pack angle = math::atan2(px, py), e = math::exp(py), r = math::sqrt(math::abs(px));
    for (int k = 0; k < 4; ++k) {
      different += !same_bits(s[k], math::sin(x[k])) + !same_bits(c[k], math::cos(x[k])) +
                   !same_bits(angle[k], math::atan2(x[k], y[k])) + !same_bits(e[k], math::exp(y[k])) +
                   !same_bits(r[k], math::sqrt(math::abs(x[k])));
    }
  }
  EXPECT_EQ(different, 0);
}

SENTENCE("math", "dual numbers carry the derivatives of the elementary functions") {
  const auto f = [](auto x) {
    using T = decltype(x);
    return math::exp(T(math::sin(x) * T(0.5))) + math::atan2(T(x * x), math::cos(x)) / (math::sqrt(x) + T(2)) -
           math::abs(T(x - T(3)));
  };
  const double x = 0.7;
  const auto slope_at = [&f](double at) { return f(Dual<double>(at, 1)).slope; };
  const auto first = compare_with_differences(f, slope_at(x), x);
  EXPECT_TRUE(first.ok) << first.message;
  const Dual<Dual<double>> twice(Dual<double>(x, 1), Dual<double>(1, 0));
  const auto second = compare_with_differences(slope_at, f(twice).slope.slope, x);
  EXPECT_TRUE(second.ok) << second.message;
}

SENTENCE("math", "small vectors, matrices and quaternions agree with Eigen") {
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const Vec3 a = random.vector(), b = random.vector();
    const Quat p = random.rotation(), q = random.rotation();
    const Mat3 m = p.toRotationMatrix() + a * b.transpose(), n = q.toRotationMatrix() - b * a.transpose();
    EXPECT_LT((to_eigen(cross(to_small(a), to_small(b))) - a.cross(b)).norm(), 1e-14);
    EXPECT_NEAR(dot(to_small(a), to_small(b)), a.dot(b), 1e-14);
    EXPECT_LT((to_eigen(to_small(m) * to_small(n)) - m * n).norm(), 1e-13);
    EXPECT_LT((to_eigen(to_small(m) * to_small(a)) - m * a).norm(), 1e-13);
    EXPECT_LT((to_eigen(transpose(to_small(m))) - m.transpose()).norm(), 1e-16);
    EXPECT_LT((to_eigen(outer(to_small(a), to_small(b))) - a * b.transpose()).norm(), 1e-14);
    EXPECT_LT((to_eigen(to_small(p) * to_small(q)).coeffs() - (p * q).coeffs()).norm(), 1e-14);
    EXPECT_LT((to_eigen(rotate(to_small(p), to_small(a))) - p * a).norm(), 1e-14);
    EXPECT_LT((to_eigen(matrix_of(to_small(p))) - p.toRotationMatrix()).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace tendril
