#include "validation/der/overhand_knot.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril {

std::vector<Vec3> overhand_points(const OverhandKnot& knot) {
  const double R = knot.loop, apart = 4 * knot.radius;
  const double braid =
      1.5 * std::sqrt(apart * R);  // half of its length: there the circle is about a distance away from the line
  const double around = math::two_pi * R;
  const int count = 2000;
  std::vector<Vec3> points;
  // s = 0 where the line first touches the circle, s = around where it does so again
  for (int i = 0; i <= count; ++i) {
    const double s = -knot.tail + i * (around + 2 * knot.tail) / count;
    const double phi = std::clamp(s, 0.0, around) / R;
    const double along = s < 0 ? s : s > around ? s - around : 0;
    const Vec3 base(R * std::sin(phi) + along, R * (1 - std::cos(phi)), 0);
    // the first strand starts below (angle pi) and turns by 3 pi; the second one starts above
    const bool first = s < 0.5 * around;
    const double place = std::clamp((first ? s : s - around) / braid, -1.0, 1.0);
    // smooth at both ends, so that neither tail nor loop has a kink
    const double turned = 0.5 + 0.75 * (place - place * place * place / 3);
    const double angle = (first ? 1 : 0) * math::pi + 3 * math::pi * turned;
    const double away = std::abs(first ? s : s - around) / braid;
    const double fade = away < 1 ? 1 : std::exp(-(away - 1) * (away - 1));
    const double hand = knot.left_handed ? -1 : 1;
    points.push_back(base + 0.5 * apart * fade * Vec3(0, std::cos(angle), hand * std::sin(angle)));
  }
  return points;
}

Scene overhand_scene(const OverhandKnot& knot, int segments, double GJ) {
  Scene scene;
  scene.title = "overhand knot";
  Rod rod;
  rod.name = "rod";
  rod.section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = GJ, .mass_per_length = 1, .radius = knot.radius};
  PolylineCurve curve;
  curve.points = overhand_points(knot);
  double length = 0;
  for (std::size_t i = 1; i < curve.points.size(); ++i) length += (curve.points[i] - curve.points[i - 1]).norm();
  rod.rest = StraightCurve{Vec3::Zero(), Vec3(length, 0, 0)};
  rod.initial = curve;
  rod.segments = segments;
  scene.rods = {rod};
  Clamp left, right;
  left.name = "left", right.name = "right";
  left.rod = right.rod = "rod";
  right.at = 1;
  left.direction = right.direction = left.axis = right.axis = Vec3::UnitX();
  scene.clamps = {left, right};
  scene.contact.enabled = true;
  return scene;
}

Scene from_here(Scene scene, const Frame& frame) {
  PolylineCurve curve;
  curve.points.assign(frame.position.begin(), frame.position.end());
  scene.rods[0].initial = curve;
  return scene;
}

namespace {

// First and last node of the loop, which lies between the innermost contacts: those of the strand that leaves the braid and
// of the one that comes back to it.
std::pair<int, int> find_loop(const Frame& frame) {
  int first = -1, last = frame.orientation.size();
  for (const ContactPoint& c : frame.contacts) {
    if (c.edge_a < 0 || c.edge_b < 0) continue;
    first = std::max(first, std::min(c.edge_a, c.edge_b));
    last = std::min(last, std::max(c.edge_a, c.edge_b));
  }
  return {first + 1, last};
}

// Kasa's fit in the plane of the nodes: u^2 + v^2 = 2 a u + 2 b v + c is linear in a, b, c.
void fit_circle(const std::vector<Vec3>& nodes, KnotMeasures& m) {
  const double count = static_cast<double>(nodes.size());
  Vec3 centre = Vec3::Zero();
  for (const Vec3& x : nodes) centre += x / count;
  Mat3 spread = Mat3::Zero();
  for (const Vec3& x : nodes) spread += (x - centre) * (x - centre).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);  // the smallest first: across the plane
  Mat3 matrix = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (const Vec3& x : nodes) {
    const Vec3 q = axes.eigenvectors().transpose() * (x - centre), row(2 * q[1], 2 * q[2], 1);
    matrix += row * row.transpose();
    right += (q[1] * q[1] + q[2] * q[2]) * row;
  }
  const Vec3 fit = matrix.ldlt().solve(right);
  const double radius = std::sqrt(fit[2] + fit[0] * fit[0] + fit[1] * fit[1]);
  m.diameter = 2 * radius;
  m.out_of_plane = std::sqrt(axes.eigenvalues()[0] / count) / radius;
}

void fit_curvature(const Frame& frame, int first, int last, KnotMeasures& m) {
  const auto edge = [&](int e) { return Vec3(frame.position[NodeIndex{e + 1}] - frame.position[NodeIndex{e}]); };
  std::vector<double> curvature, theta;
  double turned = 0;
  for (int i = first + 1; i < last; ++i) {
    const Vec3 a = edge(i - 1), b = edge(i);
    const double angle = std::atan2(a.cross(b).norm(), a.dot(b)), length = 0.5 * (a.norm() + b.norm());
    curvature.push_back(2 * std::tan(0.5 * angle) / length);
    theta.push_back(turned + 0.5 * angle);
    turned += angle;
  }
  Mat2 matrix = Mat2::Zero();
  Vec2 right = Vec2::Zero();
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const Vec2 row(1, std::cos(theta[i] - 0.5 * turned));
    matrix += row * row.transpose();
    right += curvature[i] * row;
  }
  const Vec2 fit = matrix.ldlt().solve(right);
  m.curvature = fit[0];
  m.uneven = std::abs(fit[1]) / fit[0];
  const std::size_t middle = curvature.size() / 2;
  const int node = first + 1 + static_cast<int>(middle);
  const auto along = [&](int e) { return frame.force[EdgeIndex{e}].dot(edge(e).normalized()); };
  m.hamiltonian = 0.5 * curvature[middle] * curvature[middle] + 0.5 * (along(node - 1) + along(node));
}

}  // namespace

KnotMeasures measure_knot(const Frame& frame) {
  KnotMeasures m;
  m.contacts = static_cast<int>(frame.contacts.size());
  const auto [first, last] = find_loop(frame);
  if (first < 1 || last - first < 8) return m;
  m.loop_length = frame.material[NodeIndex{last}] - frame.material[NodeIndex{first}];
  fit_circle({frame.position.begin() + first, frame.position.begin() + last + 1}, m);
  fit_curvature(frame, first, last, m);
  return m;
}

}  // namespace tendril
