#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/find_scene.h"
#include "cli/words.h"
#include "tendril/gradient.h"

namespace tendril::cli {

int command_gradient(const GradientArguments& arguments) {
  Checked<Scene> scene = load_scene({arguments.scene, arguments.method, arguments.sets});
  if (!scene) return fmt::print(stderr, "{}", to_text(scene.problems())), bad_input;
  const Checked<Gradient> gradient = differentiate(*scene, arguments.fields);
  if (!gradient) return fmt::print(stderr, "{}", to_text(gradient.problems())), bad_input;
  if (arguments.json) {
    nlohmann::ordered_json out;
    for (const ProbeValue& probe : gradient->probes) out["probes"][probe.name] = probe.value;
    for (const FieldGradient& f : gradient->fields) {
      out["gradient"][f.field]["value"] = f.value;
      for (const ProbeValue& probe : f.derivative) out["gradient"][f.field]["derivative"][probe.name] = probe.value;
    }
    fmt::print("{}\n", out.dump(1));
    return fine;
  }
  for (const ProbeValue& probe : gradient->probes) fmt::print("probe {} = {}\n", probe.name, joined(probe.value, 8));
  for (const FieldGradient& f : gradient->fields) {
    fmt::print("{} = {:g}\n", f.field, f.value);
    for (const ProbeValue& probe : f.derivative) fmt::print("  d {} = {}\n", probe.name, joined(probe.value, 8));
  }
  return fine;
}

}  // namespace tendril::cli
