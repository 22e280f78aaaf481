// Which joint came apart, under what tension, and what would hold it.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "methods/cable/cable.h"

namespace tendril::cable {

std::string three_digits(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr;
  return std::string(text, end);
}

void Cable::note_failure(double dt) {
  std::size_t at = 0;
  failure_ = {};
  failure_.gap = worst_gap(&at), failure_.joint = static_cast<int>(at), failure_.dt = dt;
  failure_.tension = state_.force[at].norm();
  failure_.held = HUGE_VAL;
  for (const int e : {parts_.joints[at].a, parts_.joints[at].b})
    if (parts_.elements[z(e)].kind == Element::Kind::segment)
      failure_.held = std::min(failure_.held, largest_tension(parts_.elements[z(e)], dt, dt));
}

Explanation Cable::explain(Cause cause) const {
  if (cause != joint_apart || failure_.joint < 0) return {};
  const Joint& joint = parts_.joints[z(failure_.joint)];
  Explanation out;
  for (const RodModel& rod : model_->rods) {
    const int k = joint.node - rod.span.first_node;
    if (k < 0 || k >= rod.span.nodes) continue;
    out.what = "joint at node " + std::to_string(k) + " of rod " + rod.name + ", gap " + three_digits(failure_.gap) +
               " of a segment, tension " + three_digits(failure_.tension) + " N, step " + three_digits(failure_.dt) + " s";
  }
  // What is known to hold more, the surest first.
  if (!settings_.geometric)
    out.what_to_change = "options.cable.geometric = true holds it; geometric = false holds " + three_digits(failure_.held) +
                         " N at this step";
  else if (settings_.solver.kind != SolverKind::direct)
    out.what_to_change = "options.cable.solver = \"direct\" holds it";
  else if (settings_.joint != JointForm::smooth)
    out.what_to_change = "options.cable.joint = \"smooth\" holds it";
  else
    out.what_to_change = "take a smaller time.step, or options.cable.substeps > 1: a segment turns too far in one step";
  return out;
}

}  // namespace tendril::cable
