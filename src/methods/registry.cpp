// The only file that names all methods.
#include <array>

#include "methods/der/entry.h"
#include "methods/strands/entry.h"
#include "tendril/method.h"

namespace tendril {

std::span<const MethodEntry> all_methods() {
  static const std::array<MethodEntry, 2> methods{der::entry(), strands::entry()};
  return methods;
}

const MethodEntry* find_method(std::string_view name) {
  for (const MethodEntry& method : all_methods()) {
    if (method.info.name == name) return &method;
  }
  return nullptr;
}

const char* stability_text(int negative_pivots) {
  if (negative_pivots == no_energy)
    return "neither a minimum of the energy nor not: a load turns with the rod or is a moment, and has no energy";
  if (negative_pivots < 0) return "not judged";
  return negative_pivots == 0 ? "a minimum of the energy" : "not a minimum of the energy";
}

const char* to_text(Cause cause) {
  switch (cause) {
    case Cause::none:
      return "nothing went wrong";
    case Cause::not_finite:
      return "a position or velocity became infinite or undefined";
    case Cause::projection:
      return "the edges could not be brought back to their lengths";
    case Cause::frame_update:
      return "the material frame found no equilibrium";
    case Cause::folded_joint:
      return "two neighbouring segments folded onto each other";
    case Cause::newton:
      return "Newton's method found no equilibrium";
    case Cause::target:
      return "a clamp asks for something out of reach";
    case Cause::step_too_large:
      return "a point moved further than the rod is long in one step";
    case Cause::contact:
      return "what touches could not be kept apart";
  }
  return "unknown";
}

}  // namespace tendril
