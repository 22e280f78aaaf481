#include "run/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tendril {
namespace {

using Size = std::size_t;

// From aerogel and cork to osmium; from soft gels to diamond.
constexpr double least_density = 10, max_density = 25000;             // [kg/m^3]
constexpr double least_modulus = 1e3, max_modulus = 1e12;             // [Pa]
constexpr double least_slenderness = 10;                              // below it the theory of thin rods does not hold
constexpr double max_weight = 1e6;                                    // w L^3 / EI: a rod a hundred bending lengths long
constexpr double longest_segment = 1;                                 // over the bending length
constexpr double longest_in_contact = 10, shortest_in_contact = 0.5;  // segment over radius

// What is known of one rod, from its model.
struct RodFigures {
  double length = 0, radius = 0, segment = 0;  // [m]; the thickest section, the longest segment
  double EI = 0, line_mass = 0;                // [N m^2], [kg/m]; the softest section, the heaviest
};
RodFigures figures_of(const Model& model, const RodModel& rod) {
  RodFigures f{rod.length, 0, 0, std::numeric_limits<double>::infinity(), 0};
  for (int k = 0; k < rod.span.edges; ++k) {
    const EdgeIndex e(rod.span.first_edge + k);
    const Section& s = model.section[e];
    f.radius = std::max(f.radius, s.radius());
    f.segment = std::max(f.segment, model.rest_length[e]);
    f.EI = std::min({f.EI, s.EI1, s.EI2});
    f.line_mass = std::max(f.line_mass, s.line_mass);
  }
  return f;
}

class Plausible {
 public:
  Plausible(const Scene& scene, const Model& model) : scene_(scene), model_(model) {}

  void look_at(const Material& m) {
    const std::string path = "material." + m.name;
    if (m.density < least_density || m.density > max_density)
      warn(path + ".density", fmt::format("got {:g} kg/m^3", m.density),
           fmt::format("materials have {:g} to {:g}", least_density, max_density),
           slip(m.density, least_density, max_density, {{1e3, "g/cm^3"}, {1e-3, "g/m^3"}}));
    look_at_modulus(path + ".young_modulus", m.young_modulus);
    if (m.shear_modulus) look_at_modulus(path + ".shear_modulus", *m.shear_modulus);
  }

  void look_at(Size i) {
    const RodFigures f = figures_of(model_, model_.rods[i]);
    const std::string path = fmt::format("rod[{}]", i);
    look_at_thickness(f, path);
    if (model_.rods[i].reeved) return;                        // straight between its sheaves, and touches nothing
    const double weight = f.line_mass * strongest_gravity();  // [N/m]
    if (weight > 0 && f.EI > 0 && !model_.rods[i].reeved) look_at_weight(f, weight, path);
    if (model_.contact.enabled && f.radius > 0) look_at_contact(f, path);
  }

  Problems problems;

 private:
  struct Unit {
    double factor;
    const char* name;
  };
  void warn(std::string field, std::string what, std::string allowed, std::string remedy) {
    problems.push_back({Severity::warning, "", std::move(field), std::move(what), std::move(allowed), std::move(remedy)});
  }
  // "did you mean "1 MPa" or "1 GPa"?": the units in which the same digits would be plausible.
  static std::string slip(double value, double low, double high, std::initializer_list<Unit> units) {
    std::string text;
    for (const Unit& unit : units)
      if (value * unit.factor >= low && value * unit.factor <= high)
        text += fmt::format("{}\"{:g} {}\"", text.empty() ? "did you mean " : " or ", value, unit.name);
    return text.empty() ? "look whether the unit is right" : text + "?";
  }

  void look_at_modulus(const std::string& field, double modulus) {
    if (modulus >= least_modulus && modulus <= max_modulus) return;
    warn(field, fmt::format("got {:g} Pa", modulus), fmt::format("materials have {:g} to {:g}", least_modulus, max_modulus),
         slip(modulus, least_modulus, max_modulus, {{1e6, "MPa"}, {1e9, "GPa"}, {1e-3, "mPa"}}));
  }
  void look_at_thickness(const RodFigures& f, const std::string& path) {
    if (!(f.radius > 0) || f.length >= least_slenderness * f.radius) return;
    warn(path + ".section", fmt::format("radius {:.4g} m of a rod that is {:.4g} m long", f.radius, f.length),
         fmt::format("a rod is at least {:g} times as long as its radius", least_slenderness),
         slip(f.radius, 0, f.length / least_slenderness, {{1e-2, "cm"}, {1e-3, "mm"}}));
  }
  // Weight bends a rod over the bending length (EI/w)^(1/3), near clamps and in folds. [Wang, Int. J. Mech. Sci. 28, 1986]
  void look_at_weight(const RodFigures& f, double weight, const std::string& path) {
    const double bending_length = std::cbrt(f.EI / weight), ratio = f.length / bending_length;
    if (ratio * ratio * ratio > max_weight)
      return warn(
          path,
          fmt::format("w L^3 / EI is {:.2g}: its weight bends it within {:.2g} m", ratio * ratio * ratio, bending_length),
          "it hangs like a chain", "if it should resist bending, look at the units of stiffness and mass");
    if (f.length > bending_length && f.segment > longest_segment * bending_length)
      warn(path + ".segments",
           fmt::format("a segment is {:.2g} m long, and its weight bends the rod within (EI/w)^(1/3) = {:.2g} m", f.segment,
                       bending_length),
           "segments should be shorter than that",
           fmt::format("take at least {:.0f} segments, or `refine` near the clamps",
                       std::ceil(f.length / (longest_segment * bending_length))));
  }
  void look_at_contact(const RodFigures& f, const std::string& path) {
    const double ratio = f.segment / f.radius;
    if (ratio > longest_in_contact)
      warn(path + ".segments", fmt::format("a segment is {:.2g} times as long as the radius", ratio),
           fmt::format("where rods touch it should be at most {:g} times", longest_in_contact),
           fmt::format("take at least {:.0f} segments", std::ceil(f.length / (longest_in_contact * f.radius))));
    if (ratio < shortest_in_contact)
      warn(path + ".segments", fmt::format("a segment is {:.2g} times as long as the radius", ratio),
           "a rod cannot bend within its own thickness", "fewer segments give the same shape with a longer step");
  }
  double strongest_gravity() const {  // [m/s^2]
    double strongest = 0;
    for (const Load& load : scene_.loads) {
      if (const auto* g = std::get_if<GravityLoad>(&load)) strongest = std::max(strongest, g->acceleration.norm());
      const auto* changing = std::get_if<ChangingGravityLoad>(&load);
      if (changing == nullptr) continue;
      for (const auto& key : changing->factor.keys)
        strongest = std::max(strongest, std::abs(key.value) * changing->acceleration.norm());
    }
    return strongest;
  }

  const Scene& scene_;
  const Model& model_;
};

}  // namespace

Problems check_plausible(const Scene& scene, const Model& model) {
  constexpr Size most = 10;  // a thousand hairs have one slip, not a thousand
  Plausible plausible(scene, model);
  for (const Material& material : scene.materials) plausible.look_at(material);
  for (Size i = 0; i < model.rods.size() && plausible.problems.size() < most; ++i) plausible.look_at(i);
  return std::move(plausible.problems);
}

}  // namespace tendril
