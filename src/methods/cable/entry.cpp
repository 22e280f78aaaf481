// What `cable` can do, its options, its step advice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/cable/cable.h"
#include "model/rates.h"

namespace tendril::cable {
namespace {

// Name, unit, default, least, most, words, what it does.
const std::vector<OptionInfo>& options() {
  static const std::vector<OptionInfo> list = {
      {"integrator",
       "",
       std::string("averaged"),
       -forever,
       forever,
       {"averaged", "euler"},
       "Time scheme of bend and twist. `averaged`: over three levels, several times closer at the same cost. `euler`: "
       "the paper's, implicit in the new level, first order, which damps bending.",
       {"euler"}},
      {"averaged_damping",
       "steps",
       0.1,
       0,
       10,
       {},
       "Of integrator = \"averaged\": internal damping of this many steps, which keeps the shortest waves quiet."},
      {"geometric",
       "",
       true,
       -forever,
       forever,
       {},
       "Geometric stiffness (tension against turning segments) is implicit, so that any load holds at any step; false: the "
       "paper's, "
       "which holds tensions up to a limit."},
      {"inertia_factor", "", 1.0, 1, 1e6, {}, "Rotary inertia of segments is multiplied by it (the paper's crane: 20)."},
      {"relax_tolerance", "", 1e-10, 1e-14, 1e-2, {}, "Largest residual of an equilibrium: forces over all that acts."},
      {"relax_iterations", "", 200.0, 1, 1e6, {}, "Maximum number of solves of an equilibrium."},
  };
  return list;
}

MethodInfo make_info() {
  MethodInfo info;
  info.name = "cable";
  info.title = "Hoisting cables of rigid segments";
  info.paper =
      "Servin, Lacoursiere: Rigid Body Cable for Virtual Environments, IEEE Transactions on Visualization and "
      "Computer Graphics 14(4), 2008";
  info.summary =
      "rigid segments and regularised joints: heavy loads on light ropes at 60 steps a second, one direct solve a step";
  constexpr FeatureSet features{Feature::stretch,
                                Feature::anisotropic,
                                Feature::rest_curvature,
                                Feature::line_moments,
                                Feature::follower_loads,
                                Feature::drag,
                                Feature::damping,
                                Feature::couplings,
                                Feature::turning_couplings,
                                Feature::hold_position,
                                Feature::hold_direction,
                                Feature::hold_twist,
                                Feature::hold_inside,
                                Feature::hold_twist_alone,
                                Feature::ring,
                                Feature::joints,
                                Feature::bodies};
  info.can.motion = features.with({Feature::inertia, Feature::limp_twist, Feature::switched_joints, Feature::slider_joints,
                                   Feature::winch, Feature::reeving});
  info.can.fewest_edges = 1;
  info.options = options();
  info.failures = {{"a joint came apart: the gap is a tenth of a segment beyond what the rod stretches",
                    "leave options.cable.geometric = true, or take a smaller time.step"},
                   {"a fall of a reeved rope is shorter than the radius of its sheave: the blocks have met",
                    "stop hoisting earlier (winch.shortest), or start with longer falls"}};
  return info;
}

}  // namespace

// Nothing limits stability where geometric stiffness is implicit. Accuracy: bending waves, not quicker than a segment bends.
StepAdvice advise(const Model& model, const Options& options) {
  constexpr double frame = 1.0 / 60;                                               // what simulators step by
  const double per_step = options.word("integrator") == "averaged" ? 0.06 : 0.02;  // [rad] of the third mode
  StepAdvice advice;
  advice.advised = frame;
  advice.reason = "60 steps a second";
  for (const RodModel& rod : model.rods) {
    const double rate = bending_rate(model, rod, 0.1);
    if (per_step / rate >= advice.advised) continue;
    advice.advised = per_step / rate;
    advice.reason = "accuracy of the bending waves of rod " + rod.name;
  }
  return advice;
}

// Nothing but its points holds a rope that runs, and nothing but its weight and its points pulls at it.
void check_reeved(const Model& model, Problems& problems) {
  for (std::size_t r = 0; r < model.reevings.size(); ++r) {
    const int rod = model.reevings[r].rod;
    const auto refuse = [&](const char* list, std::size_t i, const char* what) {
      problems.push_back({Severity::error, "", fmt::format("{}[{}]", list, i),
                          fmt::format("{} rod {}, which is reeved", what, model.rods[z(rod)].name),
                          "the points of a reeving hold its rope", "let it act on a body to which a point is fixed"});
    };
    for (std::size_t i = 0; i < model.joints.size(); ++i)
      if (model.joints[i].rod_a == rod || model.joints[i].rod_b == rod) refuse("joint", i, "joins");
    for (std::size_t i = 0; i < model.couplings.size(); ++i)
      if (model.couplings[i].rod == rod) refuse("coupling", i, "pulls at");
    const bool loads =
        std::any_of(model.node_loads.begin(), model.node_loads.end(), [&](auto& l) { return l.rod == rod; }) ||
        std::any_of(model.line_loads.begin(), model.line_loads.end(), [&](auto& l) { return l.rod == rod; });
    if (loads) refuse("reeving", r, "a load acts on");
  }
  for (std::size_t w = 0; w < model.winches.size(); ++w)
    if (std::none_of(model.reevings.begin(), model.reevings.end(), [&](auto& r) { return r.rod == model.winches[w].rod; }))
      problems.push_back({Severity::error, "", fmt::format("winch[{}].rod", w), "is a rod of segments",
                          "method `cable` reels ropes that are reeved", "give the rod a [[reeving]]"});
}

Problems check(const Model& model, const Options&) {
  Problems problems;
  check_reeved(model, problems);
  for (std::size_t j = 0; j < model.joints.size(); ++j) check_frames_held_once(model, j, problems);
  return problems;
}

const MethodEntry& entry() {
  static const MethodEntry the_entry{make_info(), &check, &advise, &make_method<Cable, Settings>};
  return the_entry;
}

}  // namespace tendril::cable
