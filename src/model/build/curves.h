// The curves of a scene, parametrised by arc length.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

struct CurvePoint {
  Vec3 position = Vec3::Zero();
  Vec3 tangent = Vec3::UnitX();   // unit
  Vec3 curvature = Vec3::Zero();  // d tangent / d s [1/m]: towards the centre of curvature, 1 / bend radius long
  double bend_radius() const { return 1 / curvature.norm(); }  // infinite where straight
};

// Straight, arc, circle, helix and bent are closed forms; sine, parabola and trefoil by quadrature to 1e-13 of the length.
// A polyline is straight between its points; at a point its tangent is the mean of both sides, and its curvature is the turn
// at the points per length, interpolated, so that "towards the centre" has a meaning for it too.
class ArcLengthCurve {
 public:
  class Shape;
  // `d1`: start director of a `bent` curve that does not name its own.
  explicit ArcLengthCurve(const Curve& curve, const std::optional<Vec3>& d1 = std::nullopt);

  double length() const { return length_; }
  bool closed() const { return closed_; }
  // Arc lengths beyond the ends: an open curve goes on straight, a closed one goes round.
  CurvePoint at(double arc_length) const;
  // `bent` brings its own section frame (columns d1, d2, d3); other curves have none.
  std::optional<Quat> own_frame(double arc_length) const;
  // Where a polyline has its points (fractions of length; first and last included, a closed one ends at 1) and turns.
  struct Vertex {
    double fraction = 0;
    bool corner = false;  // the direction changes here, and not only by rounding
  };
  const std::vector<Vertex>& vertices() const { return vertices_; }  // empty for smooth curves

 private:
  std::shared_ptr<const Shape> shape_;
  double length_ = 0;
  bool closed_ = false;
  std::vector<Vertex> vertices_;
};

bool is_closed(const Curve& curve);
// What makes a curve unusable: not finite, no length, no direction, coincident points. `field`: "rod[0].rest".
Problems check_curve(const Curve& curve, const std::string& field);

}  // namespace tendril
