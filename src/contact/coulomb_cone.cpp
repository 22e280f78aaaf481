#include "contact/coulomb_cone.h"

#include <Eigen/Eigenvalues>

namespace tendril {

ConeSolution solve_cone(const Vec2& b, const Mat2& D, double limit) {
  // In the axes of D the problem is the diagonal one: |p| does not change with the axes.
  const Eigen::SelfAdjointEigenSolver<Mat2> axes(D);
  const Vec2 own_b = axes.eigenvectors().transpose() * b, own_D = axes.eigenvalues();
  const ConeImpulse found = solve_cone({own_b[0], own_b[1]}, {own_D[0], own_D[1]}, limit, 1e-15);
  ConeSolution out;
  out.impulse = axes.eigenvectors() * Vec2(found.p[0], found.p[1]);
  out.lambda = found.lambda;
  out.is_sliding = found.is_sliding;
  if (!out.is_sliding) {
    out.d_b = D.inverse();
  } else if (!(limit > 0)) {  // the tip of the cone: lambda is infinite, the impulse grows along b
    out.d_limit = b.normalized();
  } else {
    const Mat2 K = (D + out.lambda * Mat2::Identity()).inverse();
    const Vec2 Kp = K * out.impulse;
    const double curvature = out.impulse.dot(Kp);
    out.d_b = K - Kp * Kp.transpose() / curvature;
    out.d_limit = (limit / curvature) * Kp;
  }
  return out;
}

}  // namespace tendril
