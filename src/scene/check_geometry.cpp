// Curves, sections, segments and materials of each rod.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scene/check_scene.h"
#include "scene/describe_scene.h"
#include "scene/write_value.h"

namespace tendril {

bool is_ring(const Curve& curve) {
  if (const auto* p = std::get_if<PolylineCurve>(&curve)) return p->closed;
  return std::holds_alternative<CircleCurve>(curve) || std::holds_alternative<TrefoilCurve>(curve);
}

namespace {
using scene_detail::number_text;

constexpr double pi = std::numbers::pi;
constexpr double trefoil_bend_radius = 1.4303;  // smallest, at size 1, by sampling

bool parallel(const Vec3& a, const Vec3& b) { return a.normalized().cross(b.normalized()).norm() < 1e-6; }

class GeometryChecker {
 public:
  explicit GeometryChecker(const Scene& scene) : scene_(scene) {}

  void check_rod(const Rod& rod, const std::string& path) {
    check_sections(rod, path);
    check_curve(rod.rest, path + ".rest");
    if (rod.initial) check_curve(*rod.initial, path + ".initial");
    // The other way round is fine: a naturally straight rod may be bent into a ring and welded.
    if (rod.initial && is_ring(rod.rest) && !is_ring(*rod.initial))
      error(path + ".initial", "is open, but the rest curve is a ring", "must be closed as well",
            "give the rest curve as an open one, an arc of a full turn for a circle");
    check_bend(rod, rod.rest, path + ".rest");
    if (rod.initial) check_bend(rod, *rod.initial, path + ".initial");
    for (std::size_t i = 0; i < rod.refine.size(); ++i)
      if (!(rod.refine[i].from < rod.refine[i].to))
        error(fmt::format("{}.refine[{}]", path, i),
              fmt::format("runs from {} to {}", number_text(rod.refine[i].from), number_text(rod.refine[i].to)),
              "`from` must be smaller than `to`", {});
  }

  void check_material(const Material& m) {
    if (m.poisson_ratio && m.shear_modulus)
      error("material." + m.name + ".shear_modulus", "poisson_ratio and shear_modulus are both given",
            "at most one is allowed: each follows from the other", "remove one of them");
  }

  // Counted as a number, because 1000 rods of two million segments overflow an int.
  void check_total() {
    double total = 0;
    for (const Rod& rod : scene_.rods) {
      const auto* p = std::get_if<PolylineCurve>(&rod.rest);
      total += rod.segments ? *rod.segments : p ? static_cast<double>(p->points.size()) : 50.0;
    }
    if (scene_.rods.size() > 1 && total > max_segments)
      error("rod", fmt::format("the rods have {:.0f} segments together", total),
            fmt::format("must be at most {}", max_segments), {});
  }

  Problems problems;

 private:
  void add(Severity severity, const std::string& field, std::string what, std::string allowed, std::string remedy) {
    problems.push_back({severity, locate(scene_, field), field, std::move(what), std::move(allowed), std::move(remedy)});
  }
  void error(const std::string& field, std::string what, std::string allowed, std::string remedy) {
    add(Severity::error, field, std::move(what), std::move(allowed), std::move(remedy));
  }
  void check_sections(const Rod& rod, const std::string& path);
  void check_given(const Rod& rod, const CrossSection& section, const std::string& path);
  void check_stations(const Rod& rod, const std::string& path);
  void check_curve(const Curve& curve, const std::string& path);
  void check_points(const PolylineCurve& curve, const std::string& path);
  void check_bend(const Rod& rod, const Curve& curve, const std::string& path);
  void not_parallel(const Vec3& a, const Vec3& b, const std::string& field, const char* other) {
    if (a.norm() > 0 && b.norm() > 0 && parallel(a, b))
      error(field, fmt::format("is parallel to `{}`", other), "must point to a side", {});
  }
  void apart(const Vec3& start, const Vec3& end, const std::string& field) {
    if ((end - start).norm() > 0) return;
    // Far from the origin different points are rounded to the same number.
    const double rounding = std::numeric_limits<double>::epsilon() * start.lpNorm<Eigen::Infinity>();
    error(field, "is the same point as `start`", "the rod must have a length",
          rounding < 1e-9
              ? ""
              : fmt::format("so far from the origin positions are rounded to {:.1g} m: move the scene to the origin",
                            rounding));
  }
  const Scene& scene_;
};

void GeometryChecker::check_sections(const Rod& rod, const std::string& path) {
  // Exactly one of section and sections.
  if (rod.section && !rod.sections.empty())
    error(path + ".sections", "section and sections are both given", "must be exactly one of them", "remove one");
  if (!rod.section && rod.sections.empty())
    error(path + ".section", "is missing", {}, "give one, for example section = { circle = { radius = 0.005 } }");
  check_stations(rod, path);
  if (rod.section) check_given(rod, *rod.section, path + ".section");
  for (std::size_t i = 0; i < rod.sections.size(); ++i)
    check_given(rod, rod.sections[i].section, fmt::format("{}.sections[{}].section", path, i));
  // Shapes need a material; stiffness that is given directly does not.
  const auto is_given = [](const CrossSection& s) { return std::holds_alternative<StiffnessSection>(s); };
  bool needs_material = rod.section && !is_given(*rod.section);
  for (const Station& s : rod.sections) needs_material = needs_material || !is_given(s.section);
  if (needs_material && rod.material.empty())
    error(path + ".material", "is missing", {}, "name a [material.NAME], or give a stiffness section");
  if (!needs_material && !rod.material.empty() && (rod.section || !rod.sections.empty()))
    add(Severity::warning, path + ".material", "is not used: the section gives stiffness and mass directly", {},
        "remove it");
}

// What a rod that stretches or shears needs of a section that is given directly.
void GeometryChecker::check_given(const Rod& rod, const CrossSection& section, const std::string& path) {
  const auto* given = std::get_if<StiffnessSection>(&section);
  if (given == nullptr) return;
  const auto need = [&](const char* name, const std::optional<double>& value, Give give, const char* what) {
    if (give == Give::elastic && !value)
      error(path + ".stiffness." + name, "not given", fmt::format("needed by {} = \"elastic\"", what),
            fmt::format("give {}, or leave `{}` out", name, what));
  };
  need("EA", given->EA, rod.stretch, "stretch");
  need("GA1", given->GA1, rod.shear, "shear");
  need("GA2", given->GA2, rod.shear, "shear");
}

void GeometryChecker::check_stations(const Rod& rod, const std::string& path) {
  const std::vector<Station>& s = rod.sections;
  if (s.empty()) return;
  const auto field = [&path](std::size_t i) { return fmt::format("{}.sections[{}].at", path, i); };
  for (std::size_t i = 1; i < s.size(); ++i) {
    // Rising from 0 to 1, all of one kind.
    if (!(s[i - 1].at < s[i].at))
      error(field(i), fmt::format("got {} after {}", number_text(s[i].at), number_text(s[i - 1].at)),
            "stations must stand in rising order", {});
    if (s[i].section.index() != s[0].section.index())
      error(fmt::format("{}.sections[{}].section", path, i), "is of another kind than the first station",
            "all stations must be of one kind, to be interpolated", {});
  }
  if (s.front().at != 0) error(field(0), "got " + number_text(s.front().at), "the first station must stand at 0", {});
  if (s.back().at != 1 && s.size() > 1)
    error(field(s.size() - 1), "got " + number_text(s.back().at), "the last station must stand at 1", {});
  if (s.size() == 1)
    error(path + ".sections", "has one station", "must have at least two, at 0 and at 1", "or write it as `section`");
}

void GeometryChecker::check_points(const PolylineCurve& c, const std::string& path) {
  if (!c.file.empty())  // the reader replaces the file by its points
    return error(path + ".file", "has not been read", {}, "a scene made in code gives the points themselves");
  // Number of points.
  const std::size_t fewest = c.closed ? 3 : 2;
  if (c.points.size() < fewest)
    return error(path + ".points", fmt::format("has {} points", c.points.size()), fmt::format("must be at least {}", fewest),
                 {});
  if (c.points.size() > static_cast<std::size_t>(max_segments) + 1)
    return error(path + ".points", fmt::format("has {} points", c.points.size()),
                 fmt::format("must be at most {}", max_segments + 1), {});
  // Double points, at most ten of them reported; then folds.
  std::size_t found = 0;
  for (std::size_t i = 1; i < c.points.size(); ++i)
    if (c.points[i] == c.points[i - 1] && ++found <= 10)
      error(fmt::format("{}.points[{}]", path, i), "is the same point as the one before", "segments must have a length",
            "remove one of the two");
  if (c.closed && c.points.front() == c.points.back())
    error(fmt::format("{}.points[{}]", path, c.points.size() - 1), "is the same point as the first",
          "a closed polyline joins the last point to the first by itself", "remove the last point");
  if (found > 0) return;
  for (std::size_t i = 2; i < c.points.size(); ++i) {
    const Vec3 e = (c.points[i - 1] - c.points[i - 2]).normalized(), f = (c.points[i] - c.points[i - 1]).normalized();
    if (e.dot(f) < -1 + 1e-12)
      return error(fmt::format("{}.points[{}]", path, i), "turns straight back", "a rod cannot fold onto itself",
                   "move the point");
  }
}

void GeometryChecker::check_curve(const Curve& curve, const std::string& base) {
  const std::string path = base + "." + Choices<Curve>::list[curve.index()].name;
  if (const auto* s = std::get_if<StraightCurve>(&curve)) apart(s->start, s->end, path + ".end");
  if (const auto* a = std::get_if<ArcCurve>(&curve)) not_parallel(a->direction, a->towards, path + ".towards", "direction");
  if (const auto* h = std::get_if<HelixCurve>(&curve)) not_parallel(h->axis, h->radial, path + ".radial", "axis");
  if (const auto* w = std::get_if<SineCurve>(&curve)) not_parallel(w->direction, w->normal, path + ".normal", "direction");
  if (const auto* p = std::get_if<ParabolaCurve>(&curve)) {
    apart(p->start, p->end, path + ".end");
    not_parallel(p->end - p->start, p->normal, path + ".normal", "end - start");
  }
  if (const auto* b = std::get_if<BentCurve>(&curve)) {
    if (b->d1) not_parallel(b->direction, *b->d1, path + ".d1", "direction");
  }
  if (const auto* p = std::get_if<PolylineCurve>(&curve)) check_points(*p, path);
}

// Half the smallest thickness: what must fit inside the bend. A flat ribbon may bend tighter than its width.
double thinnest(const CrossSection& section) {
  if (const auto* c = std::get_if<CircleSection>(&section)) return c->radius;
  if (const auto* e = std::get_if<EllipseSection>(&section)) return std::min(e->a, e->b);
  if (const auto* r = std::get_if<RectangleSection>(&section)) return 0.5 * std::min(r->width, r->height);
  return std::get<StiffnessSection>(section).radius;
}

double bend_radius(const Curve& curve) {  // smallest along the curve
  if (const auto* a = std::get_if<ArcCurve>(&curve)) return a->radius;
  if (const auto* c = std::get_if<CircleCurve>(&curve)) return c->radius;
  if (const auto* t = std::get_if<TrefoilCurve>(&curve)) return trefoil_bend_radius * t->size;
  if (const auto* b = std::get_if<BentCurve>(&curve)) return 1 / b->curvature.norm();
  if (const auto* p = std::get_if<ParabolaCurve>(&curve))
    return (p->end - p->start).squaredNorm() / (8 * std::abs(p->height));
  if (const auto* w = std::get_if<SineCurve>(&curve)) {
    const double k = 2 * pi * w->waves / w->span;
    return 1 / (std::abs(w->amplitude) * k * k);
  }
  if (const auto* h = std::get_if<HelixCurve>(&curve)) {
    const double climb = h->pitch / (2 * pi);
    return h->radius + climb * climb / h->radius;
  }
  return forever;  // straight, and polylines, whose corners are meant
}

void GeometryChecker::check_bend(const Rod& rod, const Curve& curve, const std::string& path) {
  // The thickest place against the sharpest bend. A radius that is only drawn gives a warning.
  double thickness = 0;
  bool only_for_drawing = false;
  const auto take = [&](const CrossSection& s) {
    thickness = std::max(thickness, thinnest(s));
    only_for_drawing = std::holds_alternative<StiffnessSection>(s);
  };
  if (rod.section) take(*rod.section);
  for (const Station& s : rod.sections) take(s.section);
  const double bend = bend_radius(curve);
  if (!(thickness >= bend)) return;
  add(only_for_drawing ? Severity::warning : Severity::error, path,
      fmt::format("the curve bends with radius {} m, the section's half thickness is {} m", number_text(bend),
                  number_text(thickness)),
      "the section must be thinner than the bend", "use a thinner section or a wider curve");
}

}  // namespace

Problems check_geometry(const Scene& scene) {
  GeometryChecker checker(scene);
  for (const Material& m : scene.materials) checker.check_material(m);
  for (std::size_t i = 0; i < scene.rods.size(); ++i) checker.check_rod(scene.rods[i], "rod[" + std::to_string(i) + "]");
  checker.check_total();
  return std::move(checker.problems);
}

}  // namespace tendril
