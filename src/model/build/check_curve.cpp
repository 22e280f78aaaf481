// What makes a curve unusable. The scene's own check has looked at ranges; this looks at geometry, so that a Scene made in
// C++ or Python is safe too.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "model/build/curves.h"

namespace tendril {

namespace {

// So near for where they are that rounding is left of the difference.
bool too_near(const Vec3& a, const Vec3& b) { return (a - b).norm() <= 1e-12 * (a.norm() + b.norm()); }
std::string far_text(const Vec3& a, const Vec3& b) {
  return fmt::format("{:.2g} m from its neighbour and {:.2g} m from the origin, where positions are rounded to {:.1g} m",
                     (a - b).norm(), a.norm(), std::numeric_limits<double>::epsilon() * a.norm());
}
constexpr const char* far_advice = "move the whole scene to the origin: subtract one point from all positions";

struct CurveChecker {
  const std::string& field;
  Problems problems;

  void say(const std::string& part, std::string what, std::string allowed, std::string remedy = "") {
    problems.push_back({Severity::error, "", field + part, std::move(what), std::move(allowed), std::move(remedy)});
  }
  void point(const std::string& part, const Vec3& v) {
    if (!v.allFinite()) say(part, fmt::format("got ({}, {}, {})", v.x(), v.y(), v.z()), "must be finite");
  }
  void direction(const std::string& part, const Vec3& v) {
    point(part, v);
    if (v.allFinite() && !(v.norm() > 1e-12))
      say(part, "a direction of length 0", "must have a length > 0", "for example [1, 0, 0]");
  }
  void positive(const std::string& part, double value, const std::string& unit) {
    if (!(value > 0) || !std::isfinite(value)) say(part, fmt::format("got {} {}", value, unit), "must be > 0");
  }
  void finite(const std::string& part, double value) {
    if (!std::isfinite(value)) say(part, fmt::format("got {}", value), "must be finite");
  }
  void apart(const std::string& part, const Vec3& a, const Vec3& b) {
    if (a == b)
      say(part, "start and end are the same point", "must be apart");
    else if (too_near(a, b))
      say(part, far_text(a, b), "must be well apart", far_advice);
  }

  void operator()(const StraightCurve& c) {
    point(".straight.start", c.start);
    point(".straight.end", c.end);
    apart(".straight.end", c.start, c.end);
  }
  void operator()(const ArcCurve& c) {
    point(".arc.start", c.start);
    direction(".arc.direction", c.direction);
    direction(".arc.towards", c.towards);
    positive(".arc.radius", c.radius, "m");
    positive(".arc.angle", c.angle, "rad");
    if (c.direction.cross(c.towards).norm() <= 1e-9 * c.direction.norm() * c.towards.norm())
      say(".arc.towards", "is parallel to the direction", "must point sideways");
  }
  void operator()(const CircleCurve& c) {
    point(".circle.center", c.center);
    direction(".circle.normal", c.normal);
    positive(".circle.radius", c.radius, "m");
  }
  void operator()(const HelixCurve& c) {
    point(".helix.center", c.center);
    direction(".helix.axis", c.axis);
    direction(".helix.radial", c.radial);
    positive(".helix.radius", c.radius, "m");
    positive(".helix.turns", c.turns, "turns");
    finite(".helix.pitch", c.pitch);
  }
  void operator()(const PolylineCurve& c) {
    const std::size_t fewest = c.closed ? 3 : 2;
    if (c.points.size() < fewest)
      say(".polyline.points", fmt::format("got {} points", c.points.size()), fmt::format("must be at least {}", fewest));
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      const std::string part = fmt::format(".polyline.points[{}]", i);
      point(part, c.points[i]);
      if (i > 0 && c.points[i] == c.points[i - 1])
        say(part, "is the same point as the one before it", "neighbours must be apart", "leave one of them out");
      else if (i > 0 && too_near(c.points[i], c.points[i - 1]))
        say(part, far_text(c.points[i], c.points[i - 1]), "neighbours must be well apart", far_advice);
    }
  }
  void operator()(const SineCurve& c) {
    point(".sine.start", c.start);
    direction(".sine.direction", c.direction);
    direction(".sine.normal", c.normal);
    positive(".sine.span", c.span, "m");
    finite(".sine.amplitude", c.amplitude);
    finite(".sine.waves", c.waves);
  }
  void operator()(const ParabolaCurve& c) {
    point(".parabola.start", c.start);
    point(".parabola.end", c.end);
    apart(".parabola.end", c.start, c.end);
    direction(".parabola.normal", c.normal);
    finite(".parabola.height", c.height);
  }
  void operator()(const TrefoilCurve& c) {
    point(".trefoil.center", c.center);
    positive(".trefoil.size", c.size, "m");
  }
  void operator()(const BentCurve& c) {
    point(".bent.start", c.start);
    direction(".bent.direction", c.direction);
    positive(".bent.length", c.length, "m");
    finite(".bent.curvature", c.curvature.sum());
    finite(".bent.twist", c.twist);
  }
};

}  // namespace

bool is_closed(const Curve& curve) {
  if (const auto* polyline = std::get_if<PolylineCurve>(&curve)) return polyline->closed;
  return std::holds_alternative<CircleCurve>(curve) || std::holds_alternative<TrefoilCurve>(curve);
}

Problems check_curve(const Curve& curve, const std::string& field) {
  CurveChecker checker{field, {}};
  std::visit([&](const auto& c) { checker(c); }, curve);
  return std::move(checker.problems);
}

}  // namespace tendril
