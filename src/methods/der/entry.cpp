// What `der` can do, its options, its step advice.
#include <algorithm>
#include <cmath>

#include "methods/der/der.h"
#include "methods/der/failures.h"
#include "methods/der/turning.h"
#include "model/checks.h"

namespace tendril::der {
namespace {

// Name, unit, default, least, most, words, what it does.
const std::vector<OptionInfo>& options() {
  static const std::vector<OptionInfo> list = {
      {"projection",
       "",
       std::string("conserving"),
       -forever,
       forever,
       {"conserving", "fast"},
       "How lengths are kept. `conserving`: by forces along the edges at the start of the step, which keeps energy and "
       "angular momentum; the step is divided where edges turn far. `fast`: the paper's fast projection, which damps "
       "what is under tension, feeds what is compressed and loses energy in lively motion.",
       {"fast"}},
      {"projection_tolerance",
       "",
       1e-8,
       1e-15,
       1e-2,
       {},
       "Largest relative error of a squared edge length after projection."},
      {"projection_iterations",
       "",
       100.0,
       1,
       1e6,
       {},
       "Maximum number of iterations of a projection; a step that needs more fails."},
      {"contact_tolerance",
       "",
       1e-5,
       1e-12,
       1e-2,
       {},
       "Tolerance on contact gaps at the end of a step, relative to the radius; overlap and separation are treated alike."},
      {"contact_rounds",
       "",
       50.0,
       1,
       1e6,
       {},
       "Maximum number of alternating length/contact sweeps per step. If they do not converge, overlaps up to 1 % of the "
       "radius are accepted; larger ones make the step fail."},
      {"relax_tolerance",
       "",
       1e-11,
       1e-16,
       1e-2,
       {},
       "Largest force left at an equilibrium, relative to the bending force of one segment."},
      {"relax_iterations", "", 2000.0, 1, 1e6, {}, "Maximum number of Newton iterations for an equilibrium."},
      {"seek_minimum",
       "",
       false,
       -forever,
       forever,
       {},
       "An equilibrium that is not a minimum of the energy is left for one that is."},
      {"general",
       "",
       false,
       -forever,
       forever,
       {},
       "Treat naturally straight, isotropic rods by the formulas for general ones too. Slower; for comparison."},
  };
  return list;
}

MethodInfo make_info() {
  MethodInfo info;
  info.name = "der";
  info.title = "Discrete Elastic Rods";
  info.paper =
      "Bergou, Wardetzky, Robinson, Audoly, Grinspun: Discrete Elastic Rods, ACM Transactions on Graphics 27(3), 2008";
  info.summary = "explicit centerline, material frame in quasistatic equilibrium, inextensible by projection or extensible";
  constexpr FeatureSet both{Feature::stretch,    Feature::anisotropic,      Feature::rest_curvature, Feature::ring,
                            Feature::limp_twist, Feature::line_moments,     Feature::follower_loads, Feature::drag,
                            Feature::damping,    Feature::couplings,        Feature::hold_position,  Feature::hold_direction,
                            Feature::hold_twist, Feature::hold_twist_alone, Feature::hold_inside};
  info.can.motion = both.with({Feature::inertia, Feature::joints, Feature::bodies, Feature::contact});
  info.can.equilibrium = both.with({Feature::equilibria, Feature::stability});
  info.can.fewest_edges = 2;
  info.options = options();
  info.failures = failures();
  return info;
}

// Gershgorin's bound on the largest eigenvalue of M^-1/2 K M^-1/2, K the bending stiffness of the straight rod.
double highest_squared_frequency(const Model& model, const RodModel& rod, bool extensible) {
  const RodSpan& span = rod.span;
  const auto edge = [&](int k) { return EdgeIndex{span.first_edge + (k + span.edges) % span.edges}; };
  const auto length = [&](int k) { return model.rest_length[edge(k)]; };
  const auto section = [&](int k) -> const Section& { return model.section[edge(k)]; };
  const auto mass = [&](int node) {
    double sum = 0;
    if (span.ring || node > 0) sum += 0.5 * length(node - 1) * section(node - 1).line_mass;
    if (span.ring || node < span.nodes - 1) sum += 0.5 * length(node) * section(node).line_mass;
    return sum;
  };
  std::vector<double> row(static_cast<std::size_t>(span.nodes), 0.0);
  // Adds k (sum g_i x_i)^2 / 2 for a few nodes.
  const auto add = [&](double k, std::initializer_list<std::pair<int, double>> terms) {
    for (const auto& [i, gi] : terms) {
      for (const auto& [j, gj] : terms) {
        const int a = (i + span.nodes) % span.nodes, b = (j + span.nodes) % span.nodes;
        row[static_cast<std::size_t>(a)] += k * std::abs(gi * gj) / std::sqrt(mass(a) * mass(b));
      }
    }
  };
  for (int i = span.ring ? 0 : 1; i < (span.ring ? span.nodes : span.nodes - 1); ++i) {
    const double la = length(i - 1), lb = length(i);
    const Section &a = section(i - 1), &b = section(i);
    const double stiff = (std::max(a.EI1, a.EI2) + std::max(b.EI1, b.EI2)) / (la + lb);  // of kb: 2 alpha / l
    add(stiff, {{i - 1, 1 / la}, {i, -1 / la - 1 / lb}, {i + 1, 1 / lb}});
  }
  for (const ClampModel& clamp : model.clamps) {
    if (!clamp.direction || clamp.node.value < span.first_node || clamp.node.value >= span.first_node + span.nodes) continue;
    const int node = clamp.node.value - span.first_node;
    for (const int k : {node - 1, node}) {
      if (!span.ring && (k < 0 || k >= span.edges)) continue;
      add(2 * std::max(section(k).EI1, section(k).EI2) / length(k), {{k, -1 / length(k)}, {k + 1, 1 / length(k)}});
    }
  }
  if (extensible) {
    for (int k = 0; k < span.edges; ++k) add(section(k).EA / length(k), {{k, -1.0}, {k + 1, 1.0}});
  }
  return *std::max_element(row.begin(), row.end());
}

}  // namespace

constexpr double advised_turn = 0.25;  // [rad] in a step, of what spins

// Symplectic Euler is stable below 2/omega. A frame turned far adds stiffness that the straight rod does not show, and
// curved rods couple more, so half of that is advised; and half of that again where rods touch, which then sink in
// less when they move fast. [ERRATA D23]
StepAdvice advise(const Model& model, const Options&) {
  StepAdvice advice;
  advice.stable = HUGE_VAL;
  double damped = HUGE_VAL;  // stable step of what internal damping stops
  for (const RodModel& rod : model.rods) {
    const double squared = highest_squared_frequency(model, rod, rod.stretches);
    const double stable = 2 / std::sqrt(squared);
    std::string reason = "bending waves of one segment's length in rod " + rod.name;
    if (rod.stretches && squared > 2 * highest_squared_frequency(model, rod, false))
      reason = "stretching waves in rod " + rod.name;
    // Internal damping is implicit, but damps before the forces act: a mode that it stops at once in every step is stable
    // below sqrt(2)/omega, trace and determinant of the step being 1 - h^2 omega^2 and 0. The advised half of 2/omega is less.
    if (rod.damping.internal > 0) damped = std::min(damped, std::sqrt(2 / squared));
    if (stable < advice.stable) {
      advice.stable = stable;
      advice.reason = reason;
    }
  }
  if (!model.joints.empty()) {
    const JoinPlan plan(model);
    const CarrierBound bound = carrier_bound(model, plan);
    if (bound.squared > 0 && 2 / std::sqrt(bound.squared) < advice.stable) {
      advice.stable = 2 / std::sqrt(bound.squared);
      advice.reason = bound.carrier < plan.bodies ? "the light body " + model.bodies[z(bound.carrier)].name + " on its rods"
                                                  : "a joint of rods";
    }
  }
  if (const TurnBound swing = swinging_walls(model); swing.rate * advice.stable > max_swing) {
    advice.stable = max_swing / swing.rate;
    advice.reason = swing.reason;
  }
  advice.advised = (model.contact.enabled ? 0.25 : 0.5) * advice.stable;
  if (const TurnBound turn = turning_things(model); turn.rate * advice.advised > advised_turn) {
    advice.advised = advised_turn / turn.rate;
    advice.reason = turn.reason;
  }
  advice.stable = std::min(advice.stable, damped);
  return advice;
}

namespace {

// A wall that looks against the rod is a joint folded flat from the start.
void check_directions(const Model& model, Problems& problems) {
  for (std::size_t i = 0; i < model.clamps.size(); ++i) {
    const ClampModel& clamp = model.clamps[i];
    if (!clamp.direction && !clamp.twist) continue;
    const RodSpan& span = model.rods[static_cast<std::size_t>(clamp.rod)].span;
    const Vec3 held = clamp.start.orientation * Vec3::UnitZ();
    const int node = clamp.node.value - span.first_node;
    for (const int k : {node - 1, node}) {
      if (!span.ring && (k < 0 || k >= span.edges)) continue;
      const EdgeIndex edge{span.first_edge + (k + span.edges) % span.edges};
      if (1 + held.dot(model.initial.orientation[edge] * Vec3::UnitZ()) > 1e-3) continue;
      problems.push_back({Severity::error, "", "clamp[" + std::to_string(i) + "].direction", "points against the rod",
                          "must be less than half a turn from the rod's own direction there", "turn it round"});
      break;
    }
  }
}

void check_wind(const Model& model, Problems& problems) {
  for (const Wind& wind : model.winds) {
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
      const RodSpan& span = model.rods[r].span;
      if ((wind.rod >= 0 && wind.rod != static_cast<int>(r)) || model.section[EdgeIndex{span.first_edge}].radius() > 0)
        continue;
      problems.push_back({Severity::warning, "", "rod[" + std::to_string(r) + "].section.stiffness.radius", "is 0",
                          "the wind has no effect on a rod without width", "give a radius"});
    }
  }
}

}  // namespace

Problems check(const Model& model, const Options&) {
  Problems problems;
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodModel& rod = model.rods[r];
    const std::string field = "rod[" + std::to_string(r) + "]";
    if (rod.span.edges < entry().info.can.fewest_edges || (rod.span.ring && rod.span.edges < 3)) {
      problems.push_back({Severity::error, "", field + ".segments", "got " + std::to_string(rod.span.edges),
                          "der needs at least 2 segments, 3 in a ring", "use more segments"});
    }
  }
  for (auto& problem : check_noise(model)) problems.push_back(std::move(problem));
  check_directions(model, problems);
  check_joins(model, problems);
  check_wind(model, problems);
  return problems;
}

const MethodEntry& entry() {
  static const MethodEntry the_entry{make_info(), &check, &advise, &make_method<Der, Settings>};
  return the_entry;
}

}  // namespace tendril::der
