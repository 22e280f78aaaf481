#include "model/build/fit_lengths.h"

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <numeric>

#include "math/elementary.h"

namespace tendril {

using Size = std::size_t;

FittedPolygon walk_along(const ArcLengthCurve& curve, const std::vector<double>& edge_length) {
  FittedPolygon result;
  double s = 0;
  result.point.push_back(curve.at(0).position);
  result.arc_length.push_back(0);
  for (const double wanted : edge_length) {
    const Vec3 here = result.point.back();
    // The distance from `here` grows along the curve as long as the curve turns by less than a right angle per edge.
    double low = s, high = s + 2 * wanted, next = s + wanted;
    if ((curve.at(high).position - here).norm() < wanted) return result;
    Vec3 there = here;
    for (int iteration = 0; iteration < 100; ++iteration) {
      // Newton's method on the distance, with bisection where it leaves the bracket.
      const CurvePoint p = curve.at(next);
      there = p.position;
      const Vec3 step = there - here;
      const double miss = step.norm() - wanted;
      if (std::abs(miss) <= 1e-14 * wanted) break;
      (miss > 0 ? high : low) = next;
      const double newton = next - miss * step.norm() / p.tangent.dot(step);
      next = newton > low && newton < high ? newton : 0.5 * (low + high);
    }
    result.point.push_back(here + wanted * (there - here).normalized());  // exact to rounding
    result.arc_length.push_back(s = next);
  }
  result.fine = true;
  return result;
}

namespace {

// One Newton step on |e_k| = l_k with the displacements that are least by 1/weight:  (C_x W C_x^T) lambda = C,  dx = -W C_x^T lambda.
// The matrix couples neighbouring edges only (t_k . t_{k+1}): round a ring, or along a chain. A node of weight 0 stays.
double restore_lengths(std::vector<Vec3>& x, const std::vector<double>& length, const std::vector<double>& weight) {
  const auto n = length.size();
  const bool ring = x.size() == n;
  const auto end_of = [&](Size k) { return ring ? (k + 1) % n : k + 1; };
  // Directions, and what each length misses.
  std::vector<Vec3> t(n);
  Eigen::VectorXd miss(static_cast<Eigen::Index>(n));
  double worst = 0;
  for (Size k = 0; k < n; ++k) {
    const Vec3 e = x[end_of(k)] - x[k];
    t[k] = e.normalized();
    miss[static_cast<Eigen::Index>(k)] = e.norm() - length[k];
    worst = std::max(worst, std::abs(e.norm() / length[k] - 1));
  }
  // C_x W C_x^T: on the diagonal the weights of the edge's nodes, next to it -t_k . t_{k+1} times that of the common node; round
  // a ring in the corners too.
  std::vector<Eigen::Triplet<double>> entries;
  for (Size k = 0; k < n; ++k) {
    entries.emplace_back(k, k, weight[k] + weight[end_of(k)]);
    if (!ring && k + 1 == n) continue;
    const Size next = (k + 1) % n;
    const double coupling = -weight[next] * t[k].dot(t[next]);
    entries.emplace_back(k, next, coupling);
    entries.emplace_back(next, k, coupling);
  }
  Eigen::SparseMatrix<double> matrix(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
  if (solver.info() != Eigen::Success) return worst;
  // Each edge pulls its two nodes together or apart along itself.
  const Eigen::VectorXd lambda = solver.solve(miss);
  for (Size k = 0; k < n; ++k) {
    const double pull = lambda[static_cast<Eigen::Index>(k)];
    x[k] += weight[k] * pull * t[k];
    x[end_of(k)] -= weight[end_of(k)] * pull * t[k];
  }
  return worst;
}

}  // namespace

FittedPolygon fit_closed(const ArcLengthCurve& curve, const std::vector<double>& fraction,
                         const std::vector<double>& edge_length) {
  FittedPolygon result;
  const auto n = edge_length.size();
  std::vector<Vec3> x(n);
  // Start: points of the curve, scaled about their centre to the right perimeter.
  Vec3 centre = Vec3::Zero();
  for (Size k = 0; k < n; ++k) {
    x[k] = curve.at(fraction[k] * curve.length()).position;
    centre += x[k] / static_cast<double>(n);
  }
  double perimeter = 0;
  for (Size k = 0; k < n; ++k) perimeter += (x[(k + 1) % n] - x[k]).norm();
  const double scale = std::accumulate(edge_length.begin(), edge_length.end(), 0.0) / perimeter;
  for (Vec3& p : x) p = centre + scale * (p - centre);
  // Then Newton's method on all lengths together.
  const std::vector<double> even(x.size(), 1.0);
  double error = forever;
  for (int iteration = 0; iteration < 30 && error > 1e-14; ++iteration) error = restore_lengths(x, edge_length, even);
  result.fine = error < 1e-12;
  result.point = x;
  result.point.push_back(x.front());
  for (const double f : fraction) result.arc_length.push_back(f * curve.length());
  return result;
}

FittedPolygon fit_open(const ArcLengthCurve& curve, const std::vector<double>& edge_length) {
  // Edges laid along the curve one by one end beside the curve's end, by the square of their length; that is spread over all
  // of them, and the lengths restored between the two ends.
  const FittedPolygon walked = walk_along(curve, edge_length);
  const double length = std::accumulate(edge_length.begin(), edge_length.end(), 0.0);
  const Vec3 from = curve.at(0).position, to = curve.at(curve.length()).position;
  if (!walked.fine || (to - from).norm() > (1 - 1e-9) * length) return walked;  // straight: there is no room
  FittedPolygon result = walked;
  const Vec3 miss = to - result.point.back();
  // The middle gives way, not the ends: they would be kinked where clamps hold their direction.
  std::vector<double> weight(result.point.size(), 0.0);
  double along = 0;
  for (Size k = 0; k < edge_length.size(); ++k) {
    along += edge_length[k];
    const double wave = math::sin(math::pi * along / length);
    if (k + 1 < edge_length.size()) weight[k + 1] = wave * wave;
    result.point[k + 1] += along / length * miss;
    result.arc_length[k + 1] *= curve.length() / walked.arc_length.back();
  }
  result.point.back() = to;
  double error = forever;
  for (int iteration = 0; iteration < 30 && error > 1e-14; ++iteration)
    error = restore_lengths(result.point, edge_length, weight);
  return error < 1e-12 ? result : walked;
}

}  // namespace tendril
