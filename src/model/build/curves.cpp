#include "model/build/curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "math/elementary.h"
#include "math/rotation.h"
#include "math/transport.h"
#include "model/build/arc_length.h"

namespace tendril {

using math::pi, math::two_pi;

// What a kind of curve must answer for arc lengths in [0, length].
class ArcLengthCurve::Shape {
 public:
  virtual ~Shape() = default;
  virtual CurvePoint at(double s) const = 0;
  virtual std::optional<Quat> own_frame(double) const { return std::nullopt; }
  double length = 0;
  bool closed = false;
  std::vector<Vertex> vertices;
};

namespace {

using Shape = ArcLengthCurve::Shape;

Vec3 perpendicular_part(const Vec3& unit, const Vec3& v) {
  const Vec3 across = v - unit.dot(v) * unit;
  return across.norm() > 1e-9 * v.norm() ? Vec3(across.normalized()) : any_perpendicular(unit);
}

struct Straight final : Shape {
  explicit Straight(const StraightCurve& c) : from(c.start), to(c.end) { length = (c.end - c.start).norm(); }
  CurvePoint at(double s) const override {
    const double u = s / length;
    return {u == 1 ? to : Vec3(from + u * (to - from)), (to - from) / length, Vec3::Zero()};
  }
  Vec3 from, to;
};

// center + radius (cos t x + sin t y) + rise t z, t from 0 to `angle`: circles, arcs and helices.
struct Screw final : Shape {
  Screw(const Vec3& center_, const Vec3& x_, const Vec3& y_, double radius_, double rise_, double angle_)
      : center(center_), x(x_), y(y_), z(x_.cross(y_)), radius(radius_), rise(rise_), speed(math::hypot(radius_, rise_)) {
    length = speed * angle_;
  }
  CurvePoint at(double s) const override {
    const auto [sine, cosine] = math::sincos(s / speed);
    const Vec3 out = cosine * x + sine * y, along = cosine * y - sine * x;
    return {center + radius * out + (rise * s / speed) * z, (radius * along + rise * z) / speed,
            -(radius / (speed * speed)) * out};
  }
  Vec3 center, x, y, z;
  double radius, rise, speed;
};

struct Jet {
  Vec3 x, d1, d2;  // position and its derivatives in the curve's own parameter
};

// Any smooth curve x(t), 0 <= t <= end.
struct Smooth final : Shape {
  Smooth(std::function<Jet(double)> curve_, double end, int first_panels)
      : curve(std::move(curve_)), arc([this](double t) { return curve(t).d1.norm(); }, end, first_panels) {
    length = arc.total();
  }
  CurvePoint at(double s) const override {
    const Jet jet = curve(arc.parameter(s));
    const double speed = jet.d1.norm();
    const Vec3 t = jet.d1 / speed;
    return {jet.x, t, (jet.d2 - t.dot(jet.d2) * t) / (speed * speed)};
  }
  std::function<Jet(double)> curve;
  ArcLength arc;
};

// Constant strain u in the frame it carries along: R' = R [u], r' = R e3, so R(s) = R0 exp(s u) and
// r(s) = r0 + R0 (left Jacobian of s u) (s e3), exactly.
struct Bent final : Shape {
  Bent(const BentCurve& c, const std::optional<Vec3>& fallback_d1)
      : start(c.start), u(c.curvature.x(), c.curvature.y(), c.twist) {
    length = c.length;
    const Vec3 t = c.direction.normalized();
    const auto d1 = c.d1 ? c.d1 : fallback_d1;
    const Vec3 first = d1 ? perpendicular_part(t, *d1) : any_perpendicular(t);
    frame0 = quat_from_frame(first, t.cross(first), t);
  }
  CurvePoint at(double s) const override {
    const Mat3 R0 = frame0.toRotationMatrix(), R = R0 * exp_matrix(s * u);
    return {start + R0 * (left_jacobian(Vec3(s * u)) * Vec3(0, 0, s)), R.col(2), R * Vec3(u.y(), -u.x(), 0)};
  }
  std::optional<Quat> own_frame(double s) const override { return (frame0 * exp_quat(s * u)).normalized(); }
  Vec3 start, u;
  Quat frame0;
};

struct Polyline final : Shape {
  explicit Polyline(const PolylineCurve& c) : points(c.points) {
    // A closed polyline repeats its first point. `place`: arc length of each point.
    closed = c.closed;
    if (closed && points.size() > 1 && points.front() != points.back()) points.push_back(points.front());
    place = {0.0};
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const Vec3 step = points[i + 1] - points[i];
      place.push_back(place.back() + step.norm());
      direction.push_back(step.normalized());
    }
    length = place.back();
    const std::size_t last = points.size() - 1;
    // Curvature at a point: change of direction over the mean of the two lengths. A point is a corner where the direction
    // changes; meshes put a node there.
    turn.assign(points.size(), Vec3::Zero());
    for (std::size_t i = 0; i <= last; ++i) {
      const bool inner = i > 0 && i < last;
      if (inner || closed) {
        const Vec3& before = inner ? direction[i - 1] : direction.back();
        const Vec3& after = inner ? direction[i] : direction.front();
        const double before_length = inner ? place[i] - place[i - 1] : place[last] - place[last - 1];
        const double after_length = inner ? place[i + 1] - place[i] : place[1];
        turn[i] = (after - before) / (0.5 * (before_length + after_length));
        vertices.push_back({place[i] / length, (after - before).norm() > 1e-9});
      } else {
        vertices.push_back({place[i] / length, false});
      }
    }
    // Exactly, whatever the sum of lengths is. Ends have no curvature of their own and take their neighbour's.
    vertices.back().fraction = 1;
    if (!closed && last > 1) {
      turn.front() = turn[1];
      turn.back() = turn[last - 1];
    }
  }
  CurvePoint at(double s) const override {
    const auto after = std::upper_bound(place.begin() + 1, place.end() - 1, s);
    const auto i = static_cast<std::size_t>(after - place.begin()) - 1;
    const double u = (s - place[i]) / (place[i + 1] - place[i]);
    CurvePoint p{u == 1 ? points[i + 1] : Vec3(points[i] + u * (points[i + 1] - points[i])), direction[i],
                 turn[i] + u * (turn[i + 1] - turn[i])};
    const double rounding = 1e-12 * length;  // at a point: the mean of both sides
    const std::size_t edges = direction.size();
    if (s - place[i] < rounding && (i > 0 || closed)) p.tangent += direction[(i + edges - 1) % edges];
    if (place[i + 1] - s < rounding && (i + 1 < edges || closed)) p.tangent += direction[(i + 1) % edges];
    p.tangent = p.tangent.norm() > 1e-6 ? Vec3(p.tangent.normalized()) : direction[i];
    return p;
  }
  std::vector<Vec3> points, direction, turn;
  std::vector<double> place;
};

struct ShapeMaker {
  const std::optional<Vec3>& d1;
  using Made = std::shared_ptr<Shape>;

  Made operator()(const StraightCurve& c) const { return std::make_shared<Straight>(c); }
  Made operator()(const ArcCurve& c) const {
    const Vec3 t = c.direction.normalized(), n = perpendicular_part(t, c.towards);
    return std::make_shared<Screw>(c.start + c.radius * n, -n, t, c.radius, 0, c.angle);
  }
  Made operator()(const CircleCurve& c) const {
    const Vec3 n = c.normal.normalized(), x = any_perpendicular(n);
    auto made = std::make_shared<Screw>(c.center, x, n.cross(x), c.radius, 0, two_pi);
    made->closed = true;
    return made;
  }
  Made operator()(const HelixCurve& c) const {
    const Vec3 a = c.axis.normalized(), r = perpendicular_part(a, c.radial);
    // Left-handed: the angle runs the other way round, (r, -a x r, -a) is the right-handed triad of the screw.
    const double hand = c.left_handed ? -1 : 1;
    return std::make_shared<Screw>(c.center, r, hand * a.cross(r), c.radius, hand * c.pitch / two_pi, two_pi * c.turns);
  }
  Made operator()(const PolylineCurve& c) const { return std::make_shared<Polyline>(c); }
  Made operator()(const SineCurve& c) const {
    const Vec3 t = c.direction.normalized(), n = perpendicular_part(t, c.normal), start = c.start;
    const double k = two_pi * c.waves / c.span, a = c.amplitude;
    const auto curve = [=](double x) {
      const auto [sine, cosine] = math::sincos(k * x);
      return Jet{start + x * t + (a * sine) * n, t + (a * k * cosine) * n, (-a * k * k * sine) * n};
    };
    const int panels = 8 * static_cast<int>(std::clamp(std::ceil(c.waves), 1.0, 4096.0));
    return std::make_shared<Smooth>(curve, c.span, panels);
  }
  Made operator()(const ParabolaCurve& c) const {
    const Vec3 chord = c.end - c.start, n = perpendicular_part(chord.normalized(), c.normal), start = c.start;
    const double h = c.height;
    const auto curve = [=](double u) {
      return Jet{start + u * chord + (4 * h * u * (1 - u)) * n, chord + (4 * h * (1 - 2 * u)) * n, (-8 * h) * n};
    };
    return std::make_shared<Smooth>(curve, 1.0, 8);
  }
  Made operator()(const TrefoilCurve& c) const {
    const Vec3 center = c.center;
    const double size = c.size;
    const auto curve = [=](double t) {
      const auto [s2, c2] = math::sincos(2 * t);
      const auto [s3, c3] = math::sincos(3 * t);
      const double r = 2 + c3, dr = -3 * s3, ddr = -9 * c3;
      return Jet{center + size * Vec3(r * c2, r * s2, s3), size * Vec3(dr * c2 - 2 * r * s2, dr * s2 + 2 * r * c2, 3 * c3),
                 size * Vec3((ddr - 4 * r) * c2 - 4 * dr * s2, (ddr - 4 * r) * s2 + 4 * dr * c2, -9 * s3)};
    };
    auto made = std::make_shared<Smooth>(curve, two_pi, 24);
    made->closed = true;
    return made;
  }
  Made operator()(const BentCurve& c) const { return std::make_shared<Bent>(c, d1); }
};

}  // namespace

ArcLengthCurve::ArcLengthCurve(const Curve& curve, const std::optional<Vec3>& d1) {
  const auto made = std::visit(ShapeMaker{d1}, curve);
  length_ = made->length;
  closed_ = made->closed;
  vertices_ = made->vertices;
  shape_ = made;
}

CurvePoint ArcLengthCurve::at(double s) const {
  if (closed_) return shape_->at(s >= 0 && s <= length_ ? s : s - length_ * std::floor(s / length_));
  CurvePoint p = shape_->at(std::clamp(s, 0.0, length_));
  if (s < 0 || s > length_) {
    p.position += (s - std::clamp(s, 0.0, length_)) * p.tangent;
    p.curvature.setZero();
  }
  return p;
}

std::optional<Quat> ArcLengthCurve::own_frame(double s) const { return shape_->own_frame(std::clamp(s, 0.0, length_)); }

}  // namespace tendril
