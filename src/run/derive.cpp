// What follows from a scene before it runs: stiffness, mass, wave speeds, and a step for each method.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "run/check.h"
#include "scene/check_scene.h"

namespace tendril {
namespace {

RodDerived derive_rod(const Model& model, const RodModel& rod) {
  RodDerived out;
  out.name = rod.name;
  out.segments = rod.span.edges;
  out.length = rod.length;
  out.mass = mass_of(model, rod);
  const EdgeIndex first(rod.span.first_edge);
  const Section& middle = model.section[first + rod.span.edges / 2];
  double radius = 0;
  for (int k = 0; k < rod.span.edges; ++k) {
    const Section& s = model.section[first + k];
    radius = std::max(radius, s.radius());
    const auto differs = [](double a, double b) { return std::abs(a - b) > 1e-9 * std::abs(b); };
    if (differs(s.EI1, middle.EI1) || differs(s.EI2, middle.EI2) || differs(s.GJ, middle.GJ) || differs(s.EA, middle.EA))
      out.uniform = false;
  }
  out.EA = middle.EA, out.EI1 = middle.EI1, out.EI2 = middle.EI2, out.GJ = middle.GJ;
  out.slenderness = radius > 0 ? rod.length / radius : 0;
  const double rotary = middle.rotary1 + middle.rotary2;
  if (middle.line_mass > 0) {
    out.stretch_speed = std::sqrt(middle.EA / middle.line_mass);
    // Bending waves disperse: phase speed = wave number sqrt(EI / mass per length).
    const double wave_number = 2 * std::numbers::pi / rod.length;
    out.bending_speed = wave_number * std::sqrt(std::min(middle.EI1, middle.EI2) / middle.line_mass);
  }
  if (rotary > 0) out.twist_speed = std::sqrt(middle.GJ / rotary);
  return out;
}

}  // namespace

Checked<Derived> derive(const Scene& scene) {
  Derived out;
  std::shared_ptr<const Model> model;
  Problems own;
  for (const MethodEntry& method : all_methods()) {
    // The scene as every method sees it; the model is the same for all.
    Scene as_if = scene;
    as_if.method = method.info.name;
    Examined examined = examine(as_if, method);
    if (examined.model) model = examined.model;
    if (method.info.name == scene.method) own = examined.problems;
    MethodDerived derived{method.info.name, {}, examined.advice};
    for (Problem& p : examined.problems)
      if (p.severity == Severity::error) derived.problems.push_back(std::move(p));
    out.methods.push_back(std::move(derived));
  }
  if (!model) return own.empty() ? check(scene) : own;
  for (const RodModel& rod : model->rods) out.rods.push_back(derive_rod(*model, rod));
  return Checked<Derived>(std::move(out), std::move(own));
}

}  // namespace tendril
