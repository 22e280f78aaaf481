// What `strands` can do, its options, its checks.
#include <algorithm>
#include <cmath>

#include "methods/strands/strands.h"

namespace tendril::strands {
namespace {

OptionInfo flag(const char* name, bool fallback, const char* sentence) {
  return {name, "", fallback, -forever, forever, {}, sentence};
}
OptionInfo number(const char* name, const char* unit, double fallback, double low, double high, const char* sentence) {
  return {name, unit, fallback, low, high, {}, sentence};
}
OptionInfo word(const char* name, std::vector<std::string> choices, const char* sentence) {
  return {name, "", choices.front(), -forever, forever, choices, sentence};
}

MethodInfo make_info() {
  MethodInfo info;
  info.name = "strands";
  info.title = "Strands";
  info.paper =
      "Pai: STRANDS: Interactive Simulation of Thin Solids using Cosserat Models, Computer Graphics Forum 21(3), 2002";
  info.summary = "equilibria only, by sweeps along the rod and shooting: the fastest answer to where a strand lies now";
  Capability& can = info.can;
  can.statics = can.stretch = can.shear = can.stiffening = can.anisotropic = can.rest_curvature = can.follower_loads =
      can.stability = true;
  can.coupling = can.angular_coupling = true;
  can.hold_position = can.hold_direction = can.hold_twist = can.hold_inside = true;
  can.fewest_edges = 2;
  info.options = {
      word("order", {"2", "1", "4"}, "Order of the sweeps: 2 (midpoint), 1 (as published, corrected) or 4."),
      word("dead_loads", {"newton", "fixed_point"},
           "How loads with fixed directions are found: Newton's method, or repeated sweeps, which converge for small loads "
           "only."),
      word("shooting", {"single", "multiple"},
           "What is tried first for rods held at both ends; single shooting falls back on multiple."),
      number("pieces", "", 0, 0, 1e4, "Pieces of multiple shooting; 0: as many as the rod's tension and stiffness ask for."),
      number("tolerance", "", 1e-10, 1e-14, 1e-2,
             "Largest residual: parts of the length, radians, parts of EI/L^2 and EI/L."),
      number("iterations", "", 30, 1, 1e4, "Newton iterations of one shooting."),
      flag("seek_minimum", true, "An equilibrium that is not a minimum of the energy is left for one that is."),
      number("mesh_tolerance", "", 0, 0, 1,
             "Local error at which segments are cut into parts, summed over the rod, in radians; 0: the mesh stays."),
  };
  return info;
}

void check_limp(const Model& model, Problems& problems) {
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan& span = model.rods[r].span;
    for (int k = 0; k < span.edges; ++k) {
      if (model.section[EdgeIndex{span.first_edge + k}].GJ > 0) continue;
      problems.push_back({Severity::error, "", "rod[" + std::to_string(r) + "].section.stiffness.GJ", "is 0",
                          "strands follows strains from stresses: must be > 0", "give GJ; methods that can: der"});
      break;
    }
  }
}

void check_twist(const Model& model, Problems& problems) {
  for (std::size_t i = 0; i < model.clamps.size(); ++i) {
    if (!model.clamps[i].twist || model.clamps[i].direction) continue;
    problems.push_back({Severity::error, "", "clamp[" + std::to_string(i) + "].hold",
                        "holds the twist but not the direction", "strands holds the twist only together with the direction",
                        "hold the direction too; methods that can: der"});
  }
}

// An equilibrium has no unique place when nothing holds the rod.
void check_held(const Model& model, Problems& problems) {
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const bool held = std::any_of(model.clamps.begin(), model.clamps.end(), [&](const ClampModel& t) {
      return t.rod == static_cast<int>(r) && t.position && t.from <= 0;
    });
    if (held) continue;
    problems.push_back({Severity::error, "", "clamp",
                        "no clamp holds the position of rod " + model.rods[r].name + " from the start",
                        "an equilibrium of a free rod is nowhere in particular", "add a clamp that holds a position"});
  }
}

void check_twice(const Model& model, Problems& problems) {
  for (std::size_t i = 0; i < model.clamps.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ClampModel &a = model.clamps[i], &b = model.clamps[j];
      if (a.node != b.node || std::max(a.from, b.from) >= std::min(a.until, b.until)) continue;
      if (!((a.position && b.position) || (a.direction && b.direction))) continue;
      problems.push_back({Severity::error, "", "clamp[" + std::to_string(i) + "]",
                          "holds what clamp " + b.name + " holds already", "", "put what is held into one clamp"});
    }
  }
}

// As many turning springs as a node has room for, hands of a user not counted.
void check_couplings(const Model& model, Problems& problems) {
  for (std::size_t i = 0; i < model.couplings.size(); ++i) {
    const CouplingModel& c = model.couplings[i];
    const auto same = std::count_if(model.couplings.begin(), model.couplings.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const CouplingModel& b) { return b.node == c.node && b.angular_stiffness > 0; });
    if (c.angular_stiffness <= 0 || same < most_turning - 8) continue;
    problems.push_back({Severity::error, "", "coupling[" + std::to_string(i) + "].angular_stiffness",
                        "turns a point that " + std::to_string(same) + " couplings turn already", "at most 4 turn one point",
                        "put it at another place"});
  }
}

}  // namespace

Problems check(const Model& model, const Options&) {
  Problems problems;
  check_limp(model, problems);
  check_twist(model, problems);
  check_held(model, problems);
  check_twice(model, problems);
  check_couplings(model, problems);
  return problems;
}

// No step limits an equilibrium.
StepAdvice advise(const Model&, const Options&) { return {0, 0, "equilibria have no step"}; }

const MethodEntry& entry() {
  static const MethodEntry the_entry{
      make_info(), &check, &advise,
      [](std::shared_ptr<const Model> model, const Options& options) -> std::unique_ptr<Method> {
        return std::make_unique<Strands>(std::move(model), Settings::from(options));
      }};
  return the_entry;
}

}  // namespace tendril::strands
