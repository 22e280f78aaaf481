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
      {"adaptive",
       "",
       false,
       -forever,
       forever,
       {},
       "Resolution follows need: segments are merged where the rope is straight and quiet, and cut again, down to those of "
       "the scene, where it bends or is wound."},
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
  info.can.motion = features.with({Feature::inertia, Feature::limp_twist, Feature::winch, Feature::varying_nodes});
  info.can.fewest_edges = 1;
  info.options = options();
  info.failures = {{"a joint came apart: the gap is a tenth of a segment beyond what the rod stretches",
                    "leave options.cable.geometric = true, or take a smaller time.step"}};
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

namespace {
// What holds a rod inside stays a node: a drum must stay a segment away from it.
void check_winch(const Model& model, std::size_t index, Problems& problems) {
  const WinchModel& winch = model.winches[index];
  const RodModel& wound = model.rods[z(winch.rod)];
  const double length = wound.length;
  const double segment = model.rest_length[EdgeIndex(
      winch.end == RodEnd::start ? wound.span.first_edge : wound.span.first_edge + wound.span.edges - 1)];
  const auto look = [&](const std::string& what, int rod, double material) {
    const double away = winch.end == RodEnd::start ? material : length - material;
    if (rod != winch.rod || !(away > 0) || away >= length || length - away + segment <= winch.shortest) return;
    problems.push_back({Severity::error, "", fmt::format("winch[{}].shortest", index),
                        fmt::format("{} holds the rod {:.6g} m from the drum, which reels in until {:.6g} m are out", what,
                                    away, winch.shortest),
                        fmt::format("must be at least {:.6g} m", length - away + segment), "raise shortest"});
  };
  for (const ClampModel& clamp : model.clamps) look("clamp " + clamp.name, clamp.rod, clamp.material);
  for (const JointModel& joint : model.joints) {
    look("joint " + joint.name, joint.rod_a, joint.material_a);
    look("joint " + joint.name, joint.rod_b, joint.material_b);
  }
}
}  // namespace

Problems check(const Model& model, const Options& options) {
  Problems problems;
  // Contacts keep to the segments they were found on.
  const bool changes =
      options.flag("adaptive") || std::any_of(model.winches.begin(), model.winches.end(), [&](const WinchModel& w) {
        return std::none_of(model.reevings.begin(), model.reevings.end(),
                            [&](const ReevingModel& r) { return r.rod == w.rod; });
      });
  if (model.contact.enabled && changes)
    problems.push_back({Severity::error, "", "contact.enabled",
                        "rods of cable whose segments come and go do not touch anything yet", "",
                        "leave out the winch, or options.cable.adaptive, or contact"});
  for (std::size_t w = 0; w < model.winches.size(); ++w) check_winch(model, w, problems);
  for (std::size_t j = 0; j < model.joints.size(); ++j) check_frames_held_once(model, j, problems);
  return problems;
}

const MethodEntry& entry() {
  static const MethodEntry the_entry{make_info(), &check, &advise, &make_method<Cable, Settings>};
  return the_entry;
}

}  // namespace tendril::cable
