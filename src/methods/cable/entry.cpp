// What `cable` can do, its options, its step advice.
#include <algorithm>
#include <cmath>

#include "methods/cable/cable.h"
#include "methods/cable/particles/particle_rope.h"
#include "model/rates.h"

namespace tendril::cable {
namespace {

// Name, unit, default, least, most, words, what it does.
const std::vector<OptionInfo>& options() {
  static const std::vector<OptionInfo> list = {
      {"model",
       "",
       std::string("segments"),
       -forever,
       forever,
       {"segments", "particles_a", "particles_b", "particles_c", "particles_d", "particles_e"},
       "Rigid segments, or one of the paper's cables of particles, to compare with: links (a), and the total length (b), a "
       "link "
       "to the load (c), the total length without the last link (d), bend angles (e). Particles neither twist nor turn: a "
       "rod "
       "that hangs on its start under gravity, with a load at its end."},
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
      {"keep_pitch",
       "",
       false,
       -forever,
       forever,
       {},
       "Of integrator = \"averaged\": two more solutions a step, with the same factors, after which bending waves have "
       "their "
       "pitch to fourth order in the step."},
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
      {"joint",
       "",
       std::string("smooth"),
       -forever,
       forever,
       {"smooth", "paper", "cosine_lock"},
       "How joints measure bend and twist. `paper`: the bend angle as one row, singular where a joint is straight. "
       "`cosine_lock`: direction cosines, whose moment flips beyond half a turn. Both to compare with, for straight rods of "
       "one bending stiffness."},
      {"twist",
       "",
       std::string("perpendicular"),
       -forever,
       forever,
       {"perpendicular", "aligned"},
       "Of joint = \"paper\": twist by perpendicular vectors, signed and unwrapped, or by aligned ones, which measure "
       "bending "
       "too."},
      {"solver",
       "",
       std::string("direct"),
       -forever,
       forever,
       {"direct", "gauss_seidel", "conjugate_directions"},
       "`gauss_seidel`: the paper's, in turn over cables and what holds them. `conjugate_directions`: the same parts as "
       "preconditioner. Both begin with the multipliers of the step before."},
      {"iterations", "", 20.0, 1, 1e6, {}, "Of solvers that iterate: at most so many in a step."},
      {"substeps", "", 1.0, 1, 1e4, {}, "Every step is divided into so many."},
      {"bend_by_tension",
       "",
       0.0,
       0,
       100,
       {},
       "Bending stiffness follows the load: at least this part of what the tension needs to be held with geometric = false; "
       "0: "
       "off."},
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
  constexpr FeatureSet features{Feature::stretch,       Feature::anisotropic,      Feature::rest_curvature,
                                Feature::line_moments,  Feature::follower_loads,   Feature::drag,
                                Feature::damping,       Feature::couplings,        Feature::turning_couplings,
                                Feature::hold_position, Feature::hold_direction,   Feature::hold_twist,
                                Feature::hold_inside,   Feature::hold_twist_alone, Feature::ring,
                                Feature::joints,        Feature::bodies,           Feature::stiffening};
  // Waves of a rod that stiffens are as fast as its strain is large: the advised step does not resolve them.
  info.can.motion =
      features.without({Feature::stiffening})
          .with({Feature::inertia, Feature::limp_twist, Feature::limp_bend, Feature::winch, Feature::varying_nodes,
                 Feature::switched_joints, Feature::slider_joints, Feature::reeving, Feature::contact});
  info.can.equilibrium = features.with({Feature::equilibria});
  info.can.fewest_edges = 1;
  info.options = options();
  info.failures = {
      {"a joint came apart: the gap is a tenth of a segment beyond what the rod stretches",
       "leave options.cable.geometric = true, or take a smaller time.step"},
      {"particle cables have motion only, no equilibria", "take options.cable.model = \"segments\", or mode = \"dynamics\""},
      {"a fall of a reeved rope is shorter than the radius of its sheave: the blocks have met",
       "stop hoisting earlier (winch.shortest), or start with longer falls"}};
  return info;
}

// What a rope of the paper's scheme carries: the largest tension of its weakest segment.  [ERRATA S23]
std::string tension_that_holds(const Model& model, double step, double frame) {
  double at_step = HUGE_VAL, at_frame = HUGE_VAL;
  const Parts parts = build_parts(model);
  for (const Element& e : parts.elements) {
    if (e.kind != Element::Kind::segment) continue;
    at_step = std::min(at_step, largest_tension(e, step, step));
    at_frame = std::min(at_frame, largest_tension(e, frame, frame));
  }
  return "geometric = false holds tensions up to " + three_digits(at_step) + " N at this step, " + three_digits(at_frame) +
         " N at 1/60 s";
}

// Joints to compare with know neither rest shapes nor two bending stiffnesses.
void check_joint_form(const Model& model, const std::string& form, Problems& problems) {
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan& span = model.rods[r].span;
    const std::string rod = "rod[" + std::to_string(r) + "]";
    const auto refuse = [&](const std::string& field, const std::string& what) {
      problems.push_back({Severity::error, "", rod + field, what, "options.cable.joint = \"" + form + "\" cannot do this",
                          "take options.cable.joint = \"smooth\""});
    };
    const Section& s = model.section[EdgeIndex(span.first_edge)];
    if (s.EI1 != s.EI2) refuse(".section", "has two bending stiffnesses");
    bool curved = false;
    for (int i = 0; i + 1 < span.edges; ++i)
      curved = curved || model.rest_frame[EdgeIndex(span.first_edge + i)].angularDistance(
                             model.rest_frame[EdgeIndex(span.first_edge + i + 1)]) > 1e-9;
    if (curved || span.ring) refuse(".rest", "is curved or twisted");
  }
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
  if (!options.flag("geometric")) advice.reason += "; " + tension_that_holds(model, advice.advised, frame);
  return advice;
}

namespace {
std::string numbered(const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

// What holds a rod inside stays a node: a drum must stay a segment away from it.
void check_winch(const Model& model, std::size_t index, Problems& problems) {
  const WinchModel& winch = model.winches[index];
  if (model.rods[z(winch.rod)].reeved) return;  // reeving.h feeds it
  const RodModel& wound = model.rods[z(winch.rod)];
  const double length = wound.length;
  const double segment = model.rest_length[EdgeIndex(
      winch.end == RodEnd::start ? wound.span.first_edge : wound.span.first_edge + wound.span.edges - 1)];
  const auto look = [&](const std::string& what, int rod, double material) {
    const double away = winch.end == RodEnd::start ? material : length - material;
    if (rod != winch.rod || !(away > 0) || away >= length || length - away + segment <= winch.shortest) return;
    problems.push_back({Severity::error, "", numbered("winch", index) + ".shortest",
                        what + " holds the rod " + three_digits(away) + " m from the drum, which reels in until " +
                            three_digits(winch.shortest) + " m are out",
                        "must be at least " + three_digits(length - away + segment) + " m", "raise shortest"});
  };
  for (const ClampModel& clamp : model.clamps) look("clamp " + clamp.name, clamp.rod, clamp.material);
  for (const JointModel& joint : model.joints) {
    look("joint " + joint.name, joint.rod_a, joint.material_a);
    look("joint " + joint.name, joint.rod_b, joint.material_b);
  }
}
// Nothing but its points holds a rope that runs, and nothing but its weight and its points pulls at it.
void check_reeved(const Model& model, Problems& problems) {
  for (std::size_t r = 0; r < model.reevings.size(); ++r) {
    const int rod = model.reevings[r].rod;
    const auto refuse = [&](const char* list, std::size_t i, const char* what) {
      problems.push_back({Severity::error, "", numbered(list, i),
                          std::string(what) + " rod " + model.rods[z(rod)].name + ", which is reeved",
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
}
}  // namespace

namespace {
// What cannot be had together.
void check_together(const Model& model, const Options& options, Problems& problems) {
  const auto refuse = [&](const std::string& field, const std::string& what, const std::string& remedy) {
    problems.push_back({Severity::error, "", field, what, "", remedy});
  };
  const bool varies =
      options.flag("adaptive") || std::any_of(model.winches.begin(), model.winches.end(),
                                              [&](const WinchModel& w) { return !model.rods[z(w.rod)].reeved; });
  if (model.contact.enabled && varies)  // contacts keep to the segments they were found on
    refuse("contact.enabled", "rods of cable whose segments come and go do not touch anything yet",
           "leave out the winch, or options.cable.adaptive, or contact");
  else if (varies && Contacts::needed(model))
    problems.push_back({Severity::warning, "", "body", "bodies do not collide where segments of cable come and go", "",
                        "set collides = false, or leave out the winch or options.cable.adaptive"});
  if (options.word("solver") != "direct" && (varies || Contacts::needed(model) || !model.reevings.empty()))
    refuse("options.cable.solver", "solvers that iterate know joints only: no contact, no reeving, no mesh that changes",
           "solver = \"direct\", the default");
  if (varies && options.word("joint") != "smooth")
    refuse("options.cable.joint", "joints to compare with stand in meshes that stay as they are",
           "joint = \"smooth\", the default");
  for (std::size_t r = 0; r < model.rods.size(); ++r)
    if (varies && !model.rods[r].law.is_linear())
      refuse(numbered("rod", r) + ".stiffening_strain", "a rod that stiffens keeps its mesh",
             "remove the winch, or stiffening_strain");
}
}  // namespace

Problems check(const Model& model, const Options& options) {
  if (particles::particle_model(options.word("model"))) return particles::check_particles(model, options.word("model"));
  Problems problems;
  if (options.word("joint") != "smooth") check_joint_form(model, options.word("joint"), problems);
  check_reeved(model, problems);
  check_together(model, options, problems);
  for (std::size_t w = 0; w < model.winches.size(); ++w) check_winch(model, w, problems);
  for (std::size_t j = 0; j < model.joints.size(); ++j) check_frames_held_once(model, j, problems);
  check_points_held_once(model, problems);
  check_rope_lengths(model, problems);
  return problems;
}

std::unique_ptr<Method> make(std::shared_ptr<const Model> model, const Options& options, const Resources& resources) {
  if (const auto which = particles::particle_model(options.word("model")))
    return std::make_unique<particles::ParticleRope>(std::move(model), *which);
  return make_method<Cable, Settings>(std::move(model), options, resources);
}

const MethodEntry& entry() {
  static const MethodEntry the_entry{make_info(), &check, &advise, &make};
  return the_entry;
}

}  // namespace tendril::cable
