#include "contact/segment_distance.h"

#include <array>
#include <cmath>
#include <limits>

#include "math/pack.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

struct Four {
  Vec3 a0, a1, b0, b1;
  ClosestPoints<double> closest() const { return closest_points(to_small(a0), to_small(a1), to_small(b0), to_small(b1)); }
  double squared(double s, double t) const { return ((a0 + s * (a1 - a0)) - (b0 + t * (b1 - b0))).squaredNorm(); }
};

// Generic, near-parallel, exactly parallel, crossing, sharing a point, degenerate: all kinds, and all sizes.
Four random_pair(Random& random) {
  Four f{random.vector(), random.vector(), random.vector(), random.vector()};
  const int kind = random.integer(0, 9);
  const Vec3 u = f.a1 - f.a0;
  if (kind == 0) f.b1 = f.b0 + u * random.uniform(-2, 2);  // parallel
  if (kind == 1) f.b1 = f.b0 + u * random.uniform(-2, 2) + random.vector(std::pow(10.0, random.uniform(-12, -1)));
  if (kind == 2) {  // they cross, at any angle
    const Vec3 x = f.a0 + random.uniform() * u;
    const Vec3 v = kind % 2 ? random.vector() : Vec3(u + random.vector(std::pow(10.0, random.uniform(-6, 0))));
    f.b0 = x - random.uniform() * v;
    f.b1 = f.b0 + v;
  }
  if (kind == 3) f.b0 = f.a0 + random.uniform(-1, 2) * u, f.b1 = f.a0 + random.uniform(-1, 2) * u;  // on one line
  if (kind == 4) f.a1 = f.a0;
  if (kind == 5) f.a1 = f.a0, f.b1 = f.b0;
  if (kind == 6) f.b0 = f.a1;
  const double size = std::pow(10.0, random.uniform(-3, 3));
  for (Vec3* p : {&f.a0, &f.a1, &f.b0, &f.b1}) *p *= size;
  return f;
}

// A sweep that knows nothing of the kernel: for every s of a fine comb the best t is found by bisection of the slope; the
// comb is then narrowed around its best tooth. The function of s is convex, so this cannot end in another minimum.
double swept(const Four& f) {
  const auto best_over_t = [&](double s) {
    double low = 0, high = 1;
    const Vec3 p = f.a0 + s * (f.a1 - f.a0), v = f.b1 - f.b0;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (((f.b0 + middle * v) - p).dot(v) > 0 ? high : low) = middle;
    }
    return f.squared(s, 0.5 * (low + high));
  };
  double low = 0, high = 1, best = best_over_t(0);
  for (int round = 0; round < 20; ++round) {
    constexpr int teeth = 8;
    int at = 0;
    double smallest = best_over_t(low);
    for (int k = 1; k <= teeth; ++k) {
      const double value = best_over_t(low + (high - low) * k / teeth);
      if (value < smallest) smallest = value, at = k;
    }
    best = std::min(best, smallest);
    const double width = (high - low) / teeth, centre = low + at * width;
    low = std::max(low, centre - width), high = std::min(high, centre + width);
  }
  return best;
}

double size_of(const Four& f) {
  return std::max({(f.a1 - f.a0).norm(), (f.b1 - f.b0).norm(), (f.a0 - f.b0).norm(), (f.a1 - f.b1).norm()});
}

SENTENCE("contact", "the closest points of a million random segments are those a sweep finds, and nothing is closer") {
  Random random(20260);
  double worst = 0;
  for (int k = 0; k < 1000000; ++k) {
    const Four f = random_pair(random);
    const ClosestPoints<double> c = f.closest();
    const double scale = size_of(f);
    ASSERT_TRUE(c.s >= 0 && c.s <= 1 && c.t >= 0 && c.t <= 1) << k;
    const double here = std::sqrt(f.squared(c.s, c.t));
    ASSERT_NEAR(here, std::sqrt(c.squared), 1e-14 * scale) << k;
    ASSERT_NEAR(norm(c.apart), here, 1e-14 * scale) << k;
    // A sweep of 17 x 17 places costs little enough for a million pairs; every thousandth pair is swept finely.
    const V3<double> a0 = to_small(f.a0), u = to_small(f.a1) - a0, b0 = to_small(f.b0), v = to_small(f.b1) - b0;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 16; ++i) {
      const V3<double> p = a0 + (i / 16.0) * u - b0;
      for (int j = 0; j <= 16; ++j) least = std::min(least, squared_norm(p - (j / 16.0) * v));
    }
    ASSERT_LE(here, std::sqrt(least) + 1e-14 * scale) << k;
    // The squared distance is convex, so that a point where no way within the square leads down is the minimum: a bound
    // much tighter than the sweep's teeth allow. The sweep is an oracle that has nothing in common with the kernel.
    const auto downhill = [&](double at, double slope) {
      return at == 0 ? std::max(0.0, -slope) : at == 1 ? std::max(0.0, slope) : std::abs(slope);
    };
    const double along = downhill(c.s, dot(c.apart, u)), across = downhill(c.t, -dot(c.apart, v));
    ASSERT_LE(2 * (along + across), 1e-13 * scale * scale) << k;  // what the least squared distance may be below this one
    // Slopes are bounded: the true minimum lies at most half a tooth's reach below the sweep's.
    ASSERT_GE(here, std::sqrt(least) - (norm(u) + norm(v)) / 32 - 1e-14 * scale) << k;
    if (k % 1000 == 0) {
      const double error = std::abs(here - std::sqrt(swept(f))) / scale;
      worst = std::max(worst, error);
      ASSERT_LE(error, 1e-12) << k;
    }
  }
  EXPECT_GT(worst, 0) << "the sweep copies the kernel";
}

SENTENCE("contact", "the closest points fulfil the conditions of a minimum at every angle") {
  // Crossing at a distance known exactly: a along x, b at angle phi in a plane h above; and the same turned.
  Random random(3);
  for (double phi : {1.5, 0.1, 1e-3, 1e-5, 1e-7}) {
    for (int k = 0; k < 200; ++k) {
      const Quat turn = random.rotation();
      const double h = random.uniform(0.01, 1), s = random.uniform(0.1, 0.9), t = random.uniform(0.1, 0.9);
      const Vec3 u = turn * Vec3(1, 0, 0), v = turn * Vec3(std::cos(phi), std::sin(phi), 0), n = turn * Vec3(0, 0, 1);
      const Vec3 x = random.vector();
      const Four f{x - s * u, x + (1 - s) * u, x - t * v + h * n, x + (1 - t) * v + h * n};
      const ClosestPoints<double> c = f.closest();
      ASSERT_NEAR(std::sqrt(c.squared), h, 1e-14) << phi;
      const double conditioned = 2e-15 * (1 / phi + h / (phi * phi));  // what rounding of the points themselves does to s
      ASSERT_NEAR(c.s, s, conditioned) << phi;
      ASSERT_NEAR(c.t, t, conditioned) << phi;
    }
  }
}

SENTENCE("contact", "parallel segments side by side meet in the middle of what they share") {
  const Vec3 h(0, 0.3, 0);
  const auto c = Four{Vec3::Zero(), Vec3(4, 0, 0), Vec3(1, 0, 0) + h, Vec3(3, 0, 0) + h}.closest();
  EXPECT_DOUBLE_EQ(c.s, 0.5);
  EXPECT_DOUBLE_EQ(c.t, 0.5);
  EXPECT_DOUBLE_EQ(c.squared, 0.09);
  const auto opposed = Four{Vec3::Zero(), Vec3(4, 0, 0), Vec3(6, 0, 0) + h, Vec3(2, 0, 0) + h}.closest();
  EXPECT_DOUBLE_EQ(opposed.s, 0.75);
  EXPECT_DOUBLE_EQ(opposed.t, 0.75);
  const auto beyond = Four{Vec3::Zero(), Vec3(4, 0, 0), Vec3(5, 0, 0) + h, Vec3(6, 0, 0) + h}.closest();
  EXPECT_DOUBLE_EQ(beyond.s, 1);
  EXPECT_DOUBLE_EQ(beyond.t, 0);
  EXPECT_DOUBLE_EQ(beyond.squared, 1.09);
  const auto points = Four{h, h, Vec3::Zero(), Vec3::Zero()}.closest();
  EXPECT_DOUBLE_EQ(points.squared, 0.09);
}

SENTENCE("contact", "a pack of four pairs has the bits of four pairs") {
  Random random(5);
  for (int k = 0; k < 2000; ++k) {
    std::array<Four, 4> f;
    V3<Pack> p[4];
    for (int lane = 0; lane < 4; ++lane) {
      f[lane] = random_pair(random);
      const Vec3* points[4] = {&f[lane].a0, &f[lane].a1, &f[lane].b0, &f[lane].b1};
      for (int i = 0; i < 4; ++i)
        for (int axis = 0; axis < 3; ++axis) p[i][axis][lane] = (*points[i])[axis];
    }
    const ClosestPoints<Pack> c = closest_points(p[0], p[1], p[2], p[3]);
    for (int lane = 0; lane < 4; ++lane) {
      const ClosestPoints<double> one = f[lane].closest();
      ASSERT_EQ(one.s, c.s[lane]);
      ASSERT_EQ(one.t, c.t[lane]);
      ASSERT_EQ(one.squared, c.squared[lane]);
    }
  }
}

// 12 numbers -> distance.
double distance_of(const Vector12& x) {
  return distance_derivatives(x.segment<3>(0), x.segment<3>(3), x.segment<3>(6), x.segment<3>(9)).distance;
}
Vector12 gradient_of(const Vector12& x) {
  return distance_derivatives(x.segment<3>(0), x.segment<3>(3), x.segment<3>(6), x.segment<3>(9)).gradient;
}

SENTENCE("contact", "distance: gradient and Hessian agree with differences, inside, at ends and for points") {
  Random random(7);
  int crossing = 0, sides = 0, corners = 0;
  for (int k = 0; k < 1000; ++k) {
    Vector12 x;
    for (int i = 0; i < 12; ++i) x[i] = random.normal();
    const auto d = distance_derivatives(x.segment<3>(0), x.segment<3>(3), x.segment<3>(6), x.segment<3>(9));
    const auto well_inside = [](double p) { return p == 0 || p == 1 || (p > 0.02 && p < 0.98); };
    // Away from the places where the Hessian jumps: steps must stay in one region. At an end the slope must be clear.
    const Vec3 n = to_eigen(d.at.apart);
    const Vec3 u = x.segment<3>(3) - x.segment<3>(0), v = x.segment<3>(9) - x.segment<3>(6);
    const bool s_end = d.at.s == 0 || d.at.s == 1, t_end = d.at.t == 0 || d.at.t == 1;
    const bool clear = (!s_end || std::abs(n.dot(u)) > 0.05) && (!t_end || std::abs(n.dot(v)) > 0.05);
    const double sine = u.normalized().cross(v.normalized()).norm();
    if (d.distance < 0.2 || sine < 0.2 || !clear || !well_inside(d.at.s) || !well_inside(d.at.t)) continue;
    (s_end && t_end ? corners : s_end || t_end ? sides : crossing) += 1;
    const DifferenceOptions options{.step = 1e-4, .rounding = 1e-7};
    const auto first = compare_with_differences(distance_of, d.gradient, x, options);
    EXPECT_TRUE(first.ok) << k << ": " << first.message;
    const auto second = compare_with_differences(gradient_of, d.hessian, x, options);
    EXPECT_TRUE(second.ok) << k << ": " << second.message;
    EXPECT_LT((d.hessian - d.hessian.transpose()).norm(), 1e-12 * d.hessian.norm());
  }
  EXPECT_GT(crossing, 10);
  EXPECT_GT(sides, 50);
  EXPECT_GT(corners, 50);
}

SENTENCE("contact", "distance: moving both segments together changes nothing, in either derivative") {
  Random random(8);
  for (int k = 0; k < 100; ++k) {
    const Four f{random.vector(), random.vector(), random.vector(), random.vector()};
    const auto d = distance_derivatives(f.a0, f.a1, f.b0, f.b1);
    const Vec3 shift = random.vector(), spin = random.vector();
    Vector12 motion;
    const Vec3* points[4] = {&f.a0, &f.a1, &f.b0, &f.b1};
    for (int i = 0; i < 4; ++i) motion.segment<3>(3 * i) = shift + spin.cross(*points[i]);
    EXPECT_NEAR(d.gradient.dot(motion), 0, 1e-12 * motion.norm());
    Vector12 translation;
    for (int i = 0; i < 4; ++i) translation.segment<3>(3 * i) = shift;
    EXPECT_LT((d.hessian * translation).norm(), 1e-11 * d.hessian.norm() * shift.norm());
    // Turning x by w turns the gradient g with it: H (w x x) = w x g, block by block.
    Vector12 turned;
    for (int i = 0; i < 4; ++i) {
      motion.segment<3>(3 * i) = spin.cross(*points[i]);
      turned.segment<3>(3 * i) = spin.cross(Vec3(d.gradient.segment<3>(3 * i)));
    }
    EXPECT_LT((d.hessian * motion - turned).norm(), 1e-10 * (1 + d.hessian.norm() * motion.norm()));
  }
}

}  // namespace
}  // namespace tendril
