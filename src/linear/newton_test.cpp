#include "linear/newton.h"

#include <Eigen/Dense>
#include <cmath>

#include "testing/allocation_count.h"
#include "testing/sentence.h"

namespace tendril::newton_test {
namespace {

using Vec = Eigen::Vector2d;
using Mat = Eigen::Matrix2d;

// Rosenbrock's valley, the direction safeguarded by a shift where the Hessian is not positive.
struct Valley {
  double offset = 0;  // a large constant in the energy hides its differences in rounding
  Vec base{-1.2, 1}, x = base, step = Vec::Zero(), g = Vec::Zero();

  NewtonPoint evaluate() {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g = Vec(-2 * a - 400 * b * x[0], 200 * b);
    return {offset + a * a + 100 * b * b, g.norm(), 0};
  }
  double direction() {
    Mat h;
    h << 2 - 400 * (x[1] - 3 * x[0] * x[0]), -400 * x[0], -400 * x[0], 200;
    for (double shift = 0; shift < 1e6; shift = 2 * shift + 1) {
      const Mat lifted = h + shift * Mat::Identity();
      if (lifted(0, 0) <= 0 || lifted.determinant() <= 0) continue;
      step = -(lifted.inverse() * g);
      return g.dot(step);
    }
    return std::nan("");
  }
  void move(double fraction) { x = base + fraction * step; }
  void accept() { base = x; }
};

SENTENCE("linear", "damped Newton finds the minimum of Rosenbrock's valley without allocating") {
  Valley valley;
  const AllocationCount count;
  const NewtonReport report = newton_minimise(valley, {.max_iterations = 60, .tolerance = 1e-12});
  const long seen = count.count();
  EXPECT_EQ(seen, 0);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.end, NewtonEnd::converged);
  EXPECT_GT(report.line_search_cuts, 0);
  EXPECT_LT(report.iterations, 30);
  EXPECT_LT((valley.x - Vec(1, 1)).norm(), 1e-12);
  EXPECT_EQ(valley.x, valley.base);
}

SENTENCE("linear", "the last digits of a minimum are reached though energy differences are lost in rounding") {
  Valley valley;
  valley.offset = 1e6;
  const NewtonReport report = newton_minimise(valley, {.max_iterations = 60, .tolerance = 1e-11});
  EXPECT_TRUE(report.converged) << report.residual;
  EXPECT_LT((valley.x - Vec(1, 1)).norm(), 1e-11);
}

// atan(x) = 0: full Newton steps diverge from x = 3.
struct Arctangent {
  double base = 3, x = 3, step = 0;
  bool wrong_direction = false;
  NewtonPoint evaluate() const { return {0, std::abs(std::atan(x)), 0}; }
  bool direction() {
    step = -std::atan(x) * (1 + x * x) * (wrong_direction ? -1 : 1);
    return true;
  }
  void move(double fraction) { x = base + fraction * step; }
  void accept() { base = x; }
};

SENTENCE("linear", "damping saves Newton where full steps diverge") {
  Arctangent problem;
  const NewtonReport report = newton_solve(problem);
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.line_search_cuts, 0);
  EXPECT_NEAR(problem.x, 0, 1e-10);
}

SENTENCE("linear", "a search that cannot go down stalls, says so and stays where it was") {
  Arctangent problem;
  problem.wrong_direction = true;
  const NewtonReport report = newton_solve(problem);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.end, NewtonEnd::stalled);
  EXPECT_EQ(problem.x, 3);
  EXPECT_TRUE(newton_solve(problem, {.acceptable = 2}).converged);
}

SENTENCE("linear", "Newton reports iteration limits, missing directions and values that are not finite") {
  Valley valley;
  EXPECT_EQ(newton_minimise(valley, {.max_iterations = 2}).end, NewtonEnd::iteration_limit);
  struct NoDirection : Valley {
    double direction() { return std::nan(""); }
  } lost;
  EXPECT_EQ(newton_minimise(lost).end, NewtonEnd::no_direction);
  struct NotFinite : Valley {
    NewtonPoint evaluate() { return {std::nan(""), 1, 0}; }
  } broken;
  EXPECT_EQ(newton_minimise(broken).end, NewtonEnd::not_finite);
  struct Wall : Arctangent {  // NaN beyond 1: the search must come back from there
    NewtonPoint evaluate() const { return {0, std::abs(x) > 3.5 ? std::nan("") : std::abs(std::atan(x)), 0}; }
  } wall;
  EXPECT_TRUE(newton_solve(wall).converged);
}

}  // namespace
}  // namespace tendril::newton_test
