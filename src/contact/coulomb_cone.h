// Coulomb's law of friction for the two tangents of one contact together, solved exactly, with derivatives.
//
//   slip(p) = D p - b      how far the surfaces slide under the tangential impulse p
//   D                      inverse effective mass, symmetric and positive definite; b = -slip(0)
//   limit = mu p_n >= 0    radius of the cone's section at the present normal impulse
//
// Find p with |p| <= limit so that either nothing slides, D p = b (sticking), or p lies on the cone and points against the
// slip, D p - b = -lambda p, lambda >= 0 (sliding). So (D + lambda) p = b, and lambda is the one root of |p(lambda)| = limit.
// The normal impulse stays as it is: friction never changes it (the nearest point of the cone would).
#pragma once

#include <array>

#include "math/elementary.h"
#include "tendril/types.h"

namespace tendril {

struct ConeImpulse {
  std::array<double, 2> p{};
  double lambda = 0;  // 0: sticks; not needed and not found where the limit is zero
  bool is_sliding = false;
};

// D diagonal. Newton's method on 1/|p|, which is concave in lambda: from lambda = 0 it comes from below and never passes the root.
inline ConeImpulse solve_cone(const std::array<double, 2>& b, const std::array<double, 2>& D, double limit,
                              double accuracy = 1e-9) {
  constexpr int max_iterations = 20;
  ConeImpulse out;
  auto& p = out.p;
  for (std::size_t i = 0; i < 2; ++i) p[i] = b[i] / D[i];
  double size = math::hypot(p[0], p[1]);
  if (!(size > limit)) return out;
  out.is_sliding = true;
  double& lambda = out.lambda;
  for (int k = 0; k < max_iterations && limit > 0 && size > (1 + accuracy) * limit; ++k) {
    const double slope = (p[0] * p[0] / (D[0] + lambda) + p[1] * p[1] / (D[1] + lambda)) / (size * size);
    lambda += (size / limit - 1) / slope;
    for (std::size_t i = 0; i < 2; ++i) p[i] = b[i] / (D[i] + lambda);
    size = math::hypot(p[0], p[1]);
  }
  for (double& part : p) part *= limit / size;  // what is left of the error is taken along p
  return out;
}

struct ConeSolution {
  Vec2 impulse = Vec2::Zero();
  double lambda = 0;
  bool is_sliding = false;
  Mat2 d_b = Mat2::Zero();      // d impulse / d b. By a change dD of D: d impulse = -d_b dD impulse
  Vec2 d_limit = Vec2::Zero();  // d impulse / d limit; times mu: by the normal impulse
};

// Any D, with the derivatives that a Newton step or an active set needs. From (D + lambda) dp + p dlambda = db and
// p . dp = limit dlimit, with K = (D + lambda)^-1:
//   dp = (K - K p p^T K / (p . K p)) db + K p limit / (p . K p) dlimit        sliding
//   dp = D^-1 db                                                              sticking
ConeSolution solve_cone(const Vec2& b, const Mat2& D, double limit);

}  // namespace tendril
