#include "testing/finite_difference.h"

#include <cmath>
#include <vector>

#include "math/rotation.h"
#include "testing/allocation_count.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

const auto energy = [](const Eigen::VectorXd& x) {
  return std::sin(x[0]) * x[1] * x[1] + std::exp(0.3 * x[2]) * x[0] + 1e-4 * std::cos(x[3] + x[1]);
};
Eigen::VectorXd gradient(const Eigen::VectorXd& x) {
  Eigen::VectorXd g(4);
  g << std::cos(x[0]) * x[1] * x[1] + std::exp(0.3 * x[2]), 2 * std::sin(x[0]) * x[1] - 1e-4 * std::sin(x[3] + x[1]),
      0.3 * std::exp(0.3 * x[2]) * x[0], -1e-4 * std::sin(x[3] + x[1]);
  return g;
}
const Eigen::VectorXd place = (Eigen::VectorXd(4) << 0.4, 1.3, -0.6, 0.9).finished();

SENTENCE("testing", "a right gradient is found right, with order two") {
  const auto r = compare_with_differences(energy, gradient(place), place);
  EXPECT_TRUE(r.ok) << r.message;
  EXPECT_NEAR(r.order, 2, 0.1) << r.message;
}

SENTENCE("testing", "a gradient twice too large is found wrong, with order zero") {
  const auto r = compare_with_differences(energy, Eigen::VectorXd(2 * gradient(place)), place);
  EXPECT_FALSE(r.ok);
  EXPECT_NEAR(r.order, 0, 0.1) << r.message;
}

SENTENCE("testing", "one wrong sign is found, in a small entry too, and named") {
  for (int entry = 0; entry < 4; ++entry) {
    Eigen::VectorXd g = gradient(place);
    g[entry] = -g[entry];
    const auto r = compare_with_differences(energy, g, place);
    EXPECT_FALSE(r.ok);
    EXPECT_EQ(r.column, entry) << r.message;
    EXPECT_NE(r.message.find("(0, " + std::to_string(entry) + ")"), std::string::npos) << r.message;
  }
}

SENTENCE("testing", "an error of a millionth is found") {
  Eigen::VectorXd g = gradient(place);
  g[0] *= 1 + 1e-6;
  EXPECT_FALSE(compare_with_differences(energy, g, place).ok);
}

SENTENCE("testing", "a zero or infinite derivative is refused, even where it is right") {
  const auto constant = [](const Eigen::VectorXd&) { return 1.0; };
  EXPECT_FALSE(compare_with_differences(constant, Eigen::VectorXd(Eigen::VectorXd::Zero(4)), place).ok);
  EXPECT_FALSE(compare_with_differences(energy, Eigen::VectorXd(Eigen::VectorXd::Constant(4, std::nan(""))), place).ok);
}

SENTENCE("testing", "a linear function, where only rounding is left, is found right") {
  Eigen::MatrixXd a(2, 4);
  a << 1, 2, 3, 4, -1, 0, 5, 1e3;
  const auto f = [&a](const Eigen::VectorXd& x) { return Eigen::VectorXd(a * x); };
  const auto r = compare_with_differences(f, a, place);
  EXPECT_TRUE(r.ok) << r.message;
  Eigen::MatrixXd wrong = a;
  wrong(1, 1) = 1e-4;
  EXPECT_FALSE(compare_with_differences(f, wrong, place).ok);
}

SENTENCE("testing", "a missing term of a Hessian is found") {
  const auto hessian_column = [](int j) {
    Eigen::VectorXd ahead = place, behind = place;
    ahead[j] += 1e-6, behind[j] -= 1e-6;
    return Eigen::VectorXd((gradient(ahead) - gradient(behind)) / 2e-6);
  };
  Eigen::MatrixXd h(4, 4);
  for (int j = 0; j < 4; ++j) h.col(j) = hessian_column(j);
  const auto r = compare_with_differences(gradient, h, place);
  EXPECT_TRUE(r.ok) << r.message;
  h(2, 0) = h(0, 2) = 0;
  EXPECT_FALSE(compare_with_differences(gradient, h, place).ok);
}

SENTENCE("testing", "derivatives on rotations go through the retraction, and the wrong side is found") {
  Random random(41);
  const Quat q = random.rotation();
  const Vec3 v = random.vector();
  const auto turned = [&v](const Quat& at) { return Vec3(at * v); };
  const auto retract = [](const Quat& at, const Eigen::VectorXd& d) { return Quat(at * exp_quat(Vec3(d))); };
  const Mat3 right = -q.toRotationMatrix() * skew(v), wrong = -skew(q * v);
  const auto r = compare_with_differences(turned, right, q, {}, retract);
  EXPECT_TRUE(r.ok) << r.message;
  EXPECT_FALSE(compare_with_differences(turned, wrong, q, {}, retract).ok);
}

SENTENCE("testing", "random curves are the same for the same seed, and their frames are adapted") {
  Random a(9), b(9), c(10);
  const auto rod = a.framed_polyline(20);
  EXPECT_EQ(rod.position[7], b.framed_polyline(20).position[7]);
  EXPECT_NE(rod.position[7], c.framed_polyline(20).position[7]);
  for (std::size_t i = 0; i < rod.tangent.size(); ++i) {
    EXPECT_NEAR(rod.tangent[i].dot(rod.director[i]), 0, 1e-14);
    EXPECT_LT((director(rod.frame[i], 2) - rod.tangent[i]).norm(), 1e-14);
    EXPECT_LT((director(rod.frame[i], 0) - rod.director[i]).norm(), 1e-14);
  }
}

SENTENCE("testing", "the allocation count sees vectors, Eigen matrices and nothing else") {
  Eigen::VectorXd fixed(100);
  const AllocationCount none;
  fixed.setZero();
  const long seen_none = none.count();
  const AllocationCount some;
  std::vector<double> v(1000);
  Eigen::MatrixXd m(50, 50);
  m.setZero();
  v[3] = m(1, 1);
  const long seen = some.count();
  EXPECT_EQ(seen_none, 0);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(v[3], 0);
}

}  // namespace
}  // namespace tendril
