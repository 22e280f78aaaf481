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
  info.can.equilibrium = {Feature::equilibria,  Feature::stretch,           Feature::shear,          Feature::stiffening,
                          Feature::anisotropic, Feature::rest_curvature,    Feature::follower_loads, Feature::stability,
                          Feature::couplings,   Feature::turning_couplings, Feature::hold_position,  Feature::hold_direction,
                          Feature::hold_twist,  Feature::hold_inside};
  info.can.fewest_edges = 2;
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

// As many turning springs as a node has room for, hands of a user not counted.
void check_couplings(const Model& model, Problems& problems) {
  for (std::size_t i = 0; i < model.couplings.size(); ++i) {
    const CouplingModel& c = model.couplings[i];
    const auto same = std::count_if(model.couplings.begin(), model.couplings.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const CouplingModel& b) { return b.node == c.node && b.angular_stiffness > 0; });
    if (c.angular_stiffness <= 0 || same < max_turning - 8) continue;
    problems.push_back({Severity::error, "", "coupling[" + std::to_string(i) + "].angular_stiffness",
                        "turns a point that " + std::to_string(same) + " couplings turn already", "at most 4 turn one point",
                        "put it at another place"});
  }
}

}  // namespace

Problems check(const Model& model, const Options&) {
  Problems problems;
  check_held(model, problems);
  check_couplings(model, problems);
  return problems;
}

// No step limits an equilibrium.
StepAdvice advise(const Model&, const Options&) { return {0, 0, "equilibria only"}; }

const MethodEntry& entry() {
  static const MethodEntry the_entry{make_info(), &check, &advise, &make_method<Strands, Settings>};
  return the_entry;
}

}  // namespace tendril::strands
