// The one helper for all derivatives. Central differences with two step sizes give the error and its observed order:
// 2 when the derivative is right, 0 when it is wrong.
//   const auto r = compare_with_differences(energy, gradient, x);               // scalar f, gradient vector
//   const auto r = compare_with_differences(gradient, hessian, x);              // vector f, Jacobian (rows: outputs)
//   const auto r = compare_with_differences(f, jacobian, pose, {}, retract);    // x on a manifold: retract(x, delta)
//   EXPECT_TRUE(r.ok) << r.message;
// f takes x and returns a double or an Eigen vector. The derivative's columns belong to the entries of delta.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

namespace tendril {

struct DifferenceOptions {
  double step = 1e-3;          // the larger step, in the units of x; the smaller one is half of it
  double rounding = 1e-9;      // errors below this part of the largest entry (and below f's rounding noise) are fine
  double least_order = 1.5;    // observed order asked of every entry that is above rounding
  double largest_error = 0.1;  // error at the smaller step, part of the largest entry: above, the step is too long to judge
};
struct DifferenceResult {
  bool ok = false;
  double error = 0;  // worst error at the smaller step over the largest entry
  double order = 0;  // observed at the worst entry; 2 where the error is rounding only
  int row = -1, column = -1;
  std::string message;
};

namespace testing_detail {
struct PlainRetract {
  template <class X, class D>
  X operator()(const X& x, const D& delta) const {
    if constexpr (std::is_arithmetic_v<X>) {
      return x + delta[0];
    } else {
      return X(x + delta);
    }
  }
};
template <class Value>
Eigen::VectorXd as_vector(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    return Eigen::VectorXd::Constant(1, value);
  } else {
    return value;
  }
}
// The derivative as outputs x inputs: a gradient vector of a scalar function, or a number, is one row.
template <class D>
Eigen::MatrixXd as_matrix(const D& derivative, Eigen::Index outputs) {
  if constexpr (std::is_arithmetic_v<D>) {
    return Eigen::MatrixXd::Constant(1, 1, derivative);
  } else {
    const Eigen::MatrixXd m = derivative;
    return outputs == 1 && m.rows() != 1 && m.cols() == 1 ? Eigen::MatrixXd(m.transpose()) : m;
  }
}
template <class F, class X, class Retract>
Eigen::MatrixXd central_differences(const F& f, const X& x, const Retract& retract, Eigen::Index inputs,
                                    Eigen::Index outputs, double h, double& largest_value) {
  Eigen::MatrixXd result(outputs, inputs);
  Eigen::VectorXd delta = Eigen::VectorXd::Zero(inputs);
  for (Eigen::Index j = 0; j < inputs; ++j) {
    delta[j] = h;
    const Eigen::VectorXd ahead = as_vector(f(retract(x, delta)));
    delta[j] = -h;
    const Eigen::VectorXd behind = as_vector(f(retract(x, delta)));
    delta[j] = 0;
    result.col(j) = (ahead - behind) / (2 * h);
    largest_value = std::max({largest_value, ahead.cwiseAbs().maxCoeff(), behind.cwiseAbs().maxCoeff()});
  }
  return result;
}
}  // namespace testing_detail

template <class F, class D, class X, class Retract = testing_detail::PlainRetract>
DifferenceResult compare_with_differences(const F& f, const D& derivative, const X& x, const DifferenceOptions& options = {},
                                          const Retract& retract = {}) {
  DifferenceResult result;
  const Eigen::VectorXd value = testing_detail::as_vector(f(x));
  const Eigen::MatrixXd given = testing_detail::as_matrix(derivative, value.size());
  if (given.rows() != value.size()) {
    result.message =
        "the derivative has " + std::to_string(given.rows()) + " rows, the function " + std::to_string(value.size());
    return result;
  }
  const double given_scale = given.cwiseAbs().maxCoeff();
  if (!(given_scale > 0) || !given.allFinite()) {
    result.message =
        given.allFinite() ? "the derivative is zero everywhere: nothing is tested" : "the derivative is not finite";
    return result;
  }
  double largest_value = value.cwiseAbs().maxCoeff();
  const double h = options.step;
  const Eigen::MatrixXd d1 =
      testing_detail::central_differences(f, x, retract, given.cols(), value.size(), h, largest_value);
  const Eigen::MatrixXd d2 =
      testing_detail::central_differences(f, x, retract, given.cols(), value.size(), h / 2, largest_value);
  const double scale = std::max(given_scale, d2.cwiseAbs().maxCoeff());
  // Rounding of f (a few ulp of its value), amplified by 1/h.
  const double noise = options.rounding * scale + 8 * std::numeric_limits<double>::epsilon() * largest_value / (h / 2);

  result.ok = true;
  double worst = -1;
  for (Eigen::Index j = 0; j < given.cols(); ++j) {
    for (Eigen::Index i = 0; i < given.rows(); ++i) {
      const double e1 = std::abs(d1(i, j) - given(i, j)), e2 = std::abs(d2(i, j) - given(i, j));
      const bool rounding_only = e2 <= noise && e1 <= std::max(noise, options.largest_error * scale);
      const double order = rounding_only ? 2.0 : std::log2(e1 / e2);
      const bool good = rounding_only || (order >= options.least_order && e2 <= options.largest_error * scale);
      // A bad entry is always worse than a good one, however large the latter's truncation error is.
      const double badness = good ? e2 / scale : (std::isfinite(e2) ? 1e6 + e2 / scale : 1e300);
      if (badness > worst) {
        worst = badness;
        result.error = e2 / scale;
        result.order = order;
        result.row = int(i), result.column = int(j);
      }
      result.ok = result.ok && good;
    }
  }
  const int i = result.row, j = result.column;
  std::ostringstream text;
  text.precision(12);
  text << (result.ok ? "right" : "wrong") << "; worst entry (" << i << ", " << j << "): given " << given(i, j)
       << ", differences " << d1(i, j) << " (step " << h << ") and " << d2(i, j) << " (step " << h / 2 << "); error "
       << result.error << " of the largest entry, observed order " << result.order;
  result.message = text.str();
  return result;
}

}  // namespace tendril
