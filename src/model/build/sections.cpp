#include "model/build/sections.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "math/elementary.h"
#include "math/number.h"

namespace tendril {

using math::pi;

// Saint-Venant's series for the rectangle a >= b:
//   J = a b^3 ( 1/3 - 64/pi^5 (b/a) sum over odd n of tanh(n pi a / 2b) / n^5 )
// Terms fall with n^-5 and tanh is 1 to rounding after the first few; summed from the small end.
double rectangle_torsion_constant(double side1, double side2) {
  const double a = std::max(side1, side2), b = std::min(side1, side2);
  double sum = 0;
  for (int n = 399; n >= 1; n -= 2) {
    const double n2 = static_cast<double>(n) * n;
    sum += math::tanh(n * pi * a / (2 * b)) / (n2 * n2 * n);
  }
  return a * b * b * b * (1.0 / 3.0 - 64.0 / (pi * pi * pi * pi * pi) * (b / a) * sum);
}

double shear_modulus(const Material& material) {
  if (material.shear_modulus) return *material.shear_modulus;
  return material.young_modulus / (2 * (1 + material.poisson_ratio.value_or(0.5)));
}

namespace {

// I1 = second moment for bending about d1 = integral of (distance along d2)^2, so the size along d2 counts cubed.
// k1, k2: the parts of the area that resist shear along d1 and d2.
Section from_geometry(double area, double I1, double I2, double J, double k1, double k2, const Material* material) {
  TENDRIL_REQUIRE(material != nullptr, "a section given by its shape needs a material");
  const double E = material->young_modulus, rho = material->density;
  Section s;
  s.EA = E * area;
  s.EI1 = E * I1;
  s.EI2 = E * I2;
  s.GJ = shear_modulus(*material) * J;
  s.GA1 = k1 * shear_modulus(*material) * area;
  s.GA2 = k2 * shear_modulus(*material) * area;
  s.line_mass = rho * area;
  s.rotary1 = rho * I1;
  s.rotary2 = rho * I2;
  return s;
}

// Shear coefficients [Cowper 1966]: of an ellipse with the half axis a along the shear force, of a rectangle.
double poisson_ratio(const Material* material) {
  return material == nullptr ? 0 : material->young_modulus / (2 * shear_modulus(*material)) - 1;
}
double ellipse_shear(double a, double b, double nu) {
  const double n = (a / b) * (a / b);
  return 12 * (1 + nu) * n * (3 * n + 1) / ((40 + 37 * nu) * n * n + (16 + 10 * nu) * n + nu);
}
double rectangle_shear(double nu) { return 10 * (1 + nu) / (12 + 11 * nu); }

Section ellipse(double a, double b, const Material* material) {  // semi-axes along d1, d2
  const double J = pi * a * a * a * b * b * b / (a * a + b * b), nu = poisson_ratio(material);
  Section s = from_geometry(pi * a * b, pi * a * b * b * b / 4, pi * a * a * a * b / 4, J, ellipse_shear(a, b, nu),
                            ellipse_shear(b, a, nu), material);
  s.extent1 = a;
  s.extent2 = b;
  return s;
}

struct Maker {
  const Material* material;
  Section operator()(const CircleSection& c) const { return ellipse(c.radius, c.radius, material); }
  Section operator()(const EllipseSection& e) const { return ellipse(e.a, e.b, material); }
  Section operator()(const RectangleSection& r) const {
    const double w = r.width, h = r.height, k = rectangle_shear(poisson_ratio(material));
    Section s =
        from_geometry(w * h, w * h * h * h / 12, w * w * w * h / 12, rectangle_torsion_constant(w, h), k, k, material);
    s.extent1 = w / 2;
    s.extent2 = h / 2;
    s.shape = Section::Shape::box;
    return s;
  }
  Section operator()(const StiffnessSection& g) const {
    Section s;
    s.EA = g.EA.value_or(0.0);
    s.GA1 = g.GA1.value_or(0.0), s.GA2 = g.GA2.value_or(0.0);
    s.EI1 = g.EI1;
    s.EI2 = g.EI2;
    s.GJ = g.GJ;
    s.line_mass = g.mass_per_length;
    // Not given: the rotary inertia of a homogeneous round section of that mass and radius, rho I = m r^2 / 4.
    const double round = g.mass_per_length * g.radius * g.radius / 4;
    s.rotary1 = g.rotary1.value_or(round), s.rotary2 = g.rotary2.value_or(round);
    s.rotary_given = g.rotary1 || g.rotary2;
    s.extent1 = s.extent2 = g.radius;
    return s;
  }
};

double mix(double a, double b, double u) { return a + u * (b - a); }

struct SizeMixer {  // the section between two of the same kind; nothing when the kinds differ
  double u;
  std::optional<CrossSection> operator()(const CircleSection& p, const CircleSection& q) const {
    return CircleSection{mix(p.radius, q.radius, u)};
  }
  std::optional<CrossSection> operator()(const EllipseSection& p, const EllipseSection& q) const {
    return EllipseSection{mix(p.a, q.a, u), mix(p.b, q.b, u)};
  }
  std::optional<CrossSection> operator()(const RectangleSection& p, const RectangleSection& q) const {
    return RectangleSection{mix(p.width, q.width, u), mix(p.height, q.height, u)};
  }
  std::optional<CrossSection> operator()(const StiffnessSection& p, const StiffnessSection& q) const {
    StiffnessSection s;
    const auto mix_given = [this](const std::optional<double>& a, const std::optional<double>& b) {
      return a && b ? std::optional<double>(mix(*a, *b, u)) : std::nullopt;
    };
    s.EA = mix_given(p.EA, q.EA);
    s.GA1 = mix_given(p.GA1, q.GA1), s.GA2 = mix_given(p.GA2, q.GA2);
    s.rotary1 = mix_given(p.rotary1, q.rotary1), s.rotary2 = mix_given(p.rotary2, q.rotary2);
    s.EI1 = mix(p.EI1, q.EI1, u);
    s.EI2 = mix(p.EI2, q.EI2, u);
    s.GJ = mix(p.GJ, q.GJ, u);
    s.mass_per_length = mix(p.mass_per_length, q.mass_per_length, u);
    s.radius = mix(p.radius, q.radius, u);
    return s;
  }
  template <class P, class Q>
  std::optional<CrossSection> operator()(const P&, const Q&) const {
    return std::nullopt;
  }
};

Section mix(const Section& p, const Section& q, double u) {
  Section s = u < 0.5 ? p : q;  // the shape has no mean
  const auto mix_given = [u](double a, double b) { return a > 0 && b > 0 ? mix(a, b, u) : 0; };
  s.EA = mix_given(p.EA, q.EA);
  s.GA1 = mix_given(p.GA1, q.GA1), s.GA2 = mix_given(p.GA2, q.GA2);
  s.EI1 = mix(p.EI1, q.EI1, u);
  s.EI2 = mix(p.EI2, q.EI2, u);
  s.GJ = mix(p.GJ, q.GJ, u);
  s.line_mass = mix(p.line_mass, q.line_mass, u);
  s.rotary1 = mix(p.rotary1, q.rotary1, u);
  s.rotary2 = mix(p.rotary2, q.rotary2, u);
  s.extent1 = mix(p.extent1, q.extent1, u);
  s.extent2 = mix(p.extent2, q.extent2, u);
  return s;
}

}  // namespace

Section make_section(const CrossSection& shape, const Material* material) { return std::visit(Maker{material}, shape); }

Section section_at(const std::vector<Station>& stations, double fraction, const Material* material) {
  TENDRIL_REQUIRE(!stations.empty(), "a rod needs a section");
  const auto after = std::upper_bound(stations.begin(), stations.end(), fraction,
                                      [](double f, const Station& station) { return f < station.at; });
  if (after == stations.begin()) return make_section(stations.front().section, material);
  if (after == stations.end()) return make_section(stations.back().section, material);
  const Station &a = *(after - 1), &b = *after;
  const double u = (fraction - a.at) / (b.at - a.at);
  if (const auto between = std::visit(SizeMixer{u}, a.section, b.section)) return make_section(*between, material);
  return mix(make_section(a.section, material), make_section(b.section, material), u);
}

// Curvature TOWARDS d1 is bending ABOUT d2: the first entry is EI2. [ERRATA D4]
Mat2 bending_matrix_towards(const Section& section) { return Eigen::DiagonalMatrix<double, 2>(section.EI2, section.EI1); }

double mass_of(const Model& model, const RodModel& rod) {
  double sum = 0;
  for (int k = 0; k < rod.span.edges; ++k) {
    const EdgeIndex e(rod.span.first_edge + k);
    sum += model.section[e].line_mass * model.rest_length[e];
  }
  return sum;
}

}  // namespace tendril
