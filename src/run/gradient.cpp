#include "tendril/gradient.h"

#include <fmt/format.h>

#include <cmath>

#include "measure/measure.h"
#include "methods/nearby.h"
#include "run/check.h"
#include "run/inside.h"
#include "run/open.h"
#include "scene/number_at.h"

namespace tendril {
namespace {

// Both neighbours of the scene.
struct ModelsBeside {
  double less = 0, more = 0;
  std::shared_ptr<const Model> model_less, model_more;
};
Checked<ModelsBeside> models_beside(const Scene& scene, const MethodEntry& entry, const std::string& field, double value,
                                    double part) {
  const double apart = value != 0 ? part * std::abs(value) : 0.1 * part;
  ModelsBeside n{value - apart, value + apart, {}, {}};
  for (const bool more : {false, true}) {
    Scene changed = scene;
    Problems problems = set_field(changed, field, fmt::format("{:.17g}", more ? n.more : n.less));
    if (has_errors(problems)) return problems;
    Examined examined = examine(changed, entry);
    if (has_errors(examined.problems)) return std::move(examined.problems);
    (more ? n.model_more : n.model_less) = examined.model;
  }
  return n;
}

bool same_nodes(const Model& a, const Model& b) {
  return a.rods.size() == b.rods.size() && a.initial.position.size() == b.initial.position.size() &&
         a.clamps.size() == b.clamps.size();
}

}  // namespace

Checked<Gradient> differentiate(const Scene& scene, const std::vector<std::string>& fields) {
  if (scene.time.mode != Mode::statics)
    return one_error("time.mode", "derivatives are those of one equilibrium", "must be \"statics\"",
                     "set time.mode = \"statics\"");
  Checked<Simulation> opened = Simulation::open(scene);
  if (!opened) return opened.problems();
  Simulation& simulation = *opened;
  auto& in = SimulationAccess::inside(simulation);
  auto* nearby = dynamic_cast<Nearby*>(in.method.get());
  if (nearby == nullptr)
    return one_error("method", fmt::format("method `{}` has no derivatives of its equilibria", scene.method), "",
                     "take method = \"compact\"");
  while (!simulation.finished())
    if (simulation.advance().outcome != Outcome::fine)
      return one_error("", simulation.report().message, "", "derivatives are those of an equilibrium that was found");
  Gradient gradient{simulation.measures().probes, {}};
  for (const std::string& field : fields) {
    const std::optional<double> value = number_at(scene, field);
    if (!value)
      return one_error(field, "is not a number that stands in the scene", "",
                       "write it like material.steel.young_modulus or load[0].value[2]");
    Checked<ModelsBeside> n = models_beside(scene, *in.entry, field, *value, nearby->apart());
    if (!n) return n.problems();
    Frame less = n->model_less->initial, more = n->model_more->initial;
    if (!same_nodes(*in.model, *n->model_less) || !same_nodes(*in.model, *n->model_more) ||
        !nearby->nearby(n->model_less, n->model_more, in.place.time, in.place.load_factor, less, more))
      return one_error(
          field, "the equilibrium does not change smoothly with it",
          "needs a minimum of the energy, the same nodes, contact without friction that nothing slides along for "
          "nothing, and, where rods touch or are joined, loads with a potential",
          "");
    Measures at_less, at_more;
    Meter(n->model_less).measure(less, at_less), Meter(n->model_more).measure(more, at_more);
    FieldGradient& out = gradient.fields.emplace_back(FieldGradient{field, *value, at_more.probes});
    for (std::size_t p = 0; p < out.derivative.size(); ++p)
      for (std::size_t k = 0; k < out.derivative[p].value.size(); ++k)
        out.derivative[p].value[k] = (at_more.probes[p].value[k] - at_less.probes[p].value[k]) / (n->more - n->less);
  }
  return gradient;
}

}  // namespace tendril
