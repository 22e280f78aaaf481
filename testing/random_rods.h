// Random vectors, rotations and curves for tests: the same for the same seed, on every machine (no std distributions,
// whose numbers differ between libraries).
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "math/transport.h"
#include "tendril/types.h"

namespace tendril {

class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : engine_(seed) {}

  double uniform(double low = 0, double high = 1) { return low + (high - low) * (double(engine_() >> 11) * 0x1p-53); }
  int integer(int low, int high) { return low + int(engine_() % std::uint64_t(high - low + 1)); }  // both ends included
  double normal() {                                                                                // Box-Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(uniform(0, math::two_pi));
  }
  Vec3 vector(double size = 1) {
    const double x = normal(), y = normal(), z = normal();  // in this order
    return size * Vec3(x, y, z);
  }
  Vec3 unit_vector() {
    Vec3 v = vector();
    while (v.norm() < 1e-3) v = vector();
    return v.normalized();
  }
  Quat rotation() {
    const double w = normal(), x = normal(), y = normal(), z = normal();
    return Quat(w, x, y, z).normalized();
  }
  // Unit vector perpendicular to t.
  Vec3 perpendicular(const Vec3& t) { return turned_about(t, any_perpendicular(t), uniform(-math::pi, math::pi)); }

  // `nodes` points along a smooth curve of about the given length: a straight line in a random direction, bent by a few
  // sine waves; `bend` about 1 gives turning angles that add up to a few radians.
  std::vector<Vec3> polyline(int nodes, double length = 1, double bend = 1) {
    const Quat turn = rotation();
    const Vec3 start = vector(length);
    Vec3 wave[4], phase[4];
    for (int k = 0; k < 4; ++k) {
      wave[k] = vector(0.1 * bend * length / (k + 1));
      phase[k] = vector(math::pi);
    }
    std::vector<Vec3> points(nodes);
    for (int i = 0; i < nodes; ++i) {
      const double s = nodes > 1 ? double(i) / (nodes - 1) : 0.0;
      Vec3 p(0, 0, s * length);
      for (int k = 0; k < 4; ++k) {
        for (int axis = 0; axis < 3; ++axis) p[axis] += wave[k][axis] * std::sin((k + 1) * math::pi * s + phase[k][axis]);
      }
      points[i] = start + turn * p;
    }
    return points;
  }

  struct FramedPolyline {
    std::vector<Vec3> position;  // nodes
    std::vector<Vec3> tangent;   // edges
    std::vector<Vec3> director;  // edges: d1, perpendicular to the tangent
    std::vector<Quat> frame;     // edges: columns d1, d2, d3
  };
  // A polyline with Bishop directors turned by a random walk of `twist` rad per joint.
  FramedPolyline framed_polyline(int nodes, double length = 1, double bend = 1, double twist = 0.2) {
    FramedPolyline rod;
    rod.position = polyline(nodes, length, bend);
    for (int i = 0; i + 1 < nodes; ++i) rod.tangent.push_back((rod.position[i + 1] - rod.position[i]).normalized());
    if (rod.tangent.empty()) return rod;
    rod.director.resize(rod.tangent.size());
    bishop_frames(rod.tangent, perpendicular(rod.tangent[0]), rod.director);
    double angle = 0;
    for (std::size_t i = 0; i < rod.tangent.size(); ++i) {
      rod.director[i] = turned_about(rod.tangent[i], rod.director[i], angle);
      angle += twist * normal();
      Mat3 columns;
      columns << rod.director[i], rod.tangent[i].cross(rod.director[i]), rod.tangent[i];
      rod.frame.push_back(Quat(columns).normalized());
    }
    return rod;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tendril
