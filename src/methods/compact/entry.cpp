// What `compact` can do, its options, its step advice.
#include <algorithm>
#include <cmath>

#include "math/number.h"
#include "methods/compact/compact.h"
#include "model/checks.h"
#include "model/timetable.h"

namespace tendril::compact {
namespace {

// Name, unit, default, least, most, words, what it does.
const std::vector<OptionInfo>& options() {
  static const std::vector<OptionInfo> list = {
      {"scheme",
       "",
       std::string("bdf2"),
       -forever,
       forever,
       {"bdf2", "euler", "trbdf2"},
       "Time scheme. `bdf2`: second order, one solve. `trbdf2`: second order, two solves, least damped. `euler`: the "
       "paper's backward Euler, first order, which damps strongly.",
       {"euler"}},
      {"strain",
       "",
       std::string("angle"),
       -forever,
       forever,
       {"angle", "sine"},
       "Strain of a joint. `angle`: bend and twist angles, any winding. `sine`: the paper's, twice the sine of half the "
       "angle; "
       "smooth where segments fold, but blind to twist beyond half a turn per joint."},
      {"tolerance",
       "",
       1e-6,
       1e-14,
       1e-2,
       {},
       "Largest residual of a step: forces over weight plus largest load, moments over that times the length."},
      {"relax_tolerance", "", 1e-11, 1e-15, 1e-2, {}, "The same for an equilibrium."},
      {"iterations", "", 500.0, 1, 1e6, {}, "Maximum number of Newton iterations of a step or an equilibrium."},
      {"at_limit",
       "",
       std::string("refuse"),
       -forever,
       forever,
       {"refuse", "accept"},
       "What becomes of a step that has used up its iterations: it is repeated in two halves, or accepted as it is (the "
       "paper's, with iterations = 5 and tolerance = 1e-5)."},
      {"matrix",
       "",
       std::string("exact"),
       -forever,
       forever,
       {"exact", "positive", "paper"},
       "Newton's matrix. `exact`: the Hessian, and `positive` where it is not. `positive`: joints without the curvature of "
       "their strains, plus what tension stiffens. `paper`: the same without tension; slow on taut rods."},
      {"solver",
       "",
       std::string("exact"),
       -forever,
       forever,
       {"exact", "pcg", "dense"},
       "Linear solver. `exact`: in linear time, the fastest. `pcg`: the paper's conjugate gradients. `dense`: the full "
       "matrix."},
      {"preconditioner",
       "",
       std::string("hybrid"),
       -forever,
       forever,
       {"hybrid", "block_diagonal", "diagonal"},
       "Of solver = \"pcg\". `hybrid`: the paper's."},
      {"contact",
       "",
       std::string("barrier"),
       -forever,
       forever,
       {"barrier", "active_set"},
       "How rods touch. `barrier`: part of the energy, nothing ever passes through. `active_set`: the paper's, gaps as "
       "inequalities; may overlap, and pass through in large steps; without friction, joints, bodies and moving obstacles."},
      {"solver_tolerance", "", 1e-7, 1e-15, 1e-1, {}, "Of solver = \"pcg\": largest residual over the right-hand side."},
  };
  return list;
}

MethodInfo make_info() {
  MethodInfo info;
  info.name = "compact";
  info.title = "Inextensible rods in minimal coordinates";
  info.paper =
      "Zhao, Lin, Wang, Bao, Huang: Efficient and Stable Simulation of Inextensible Cosserat Rods by a Compact "
      "Representation, Computer Graphics Forum 41(7), 2022";
  info.summary = "implicit, any step, lengths exact: root position and one rotation per segment, solved in linear time";
  constexpr FeatureSet both{Feature::anisotropic,   Feature::rest_curvature,   Feature::ring,
                            Feature::line_moments,  Feature::follower_loads,   Feature::drag,
                            Feature::damping,       Feature::couplings,        Feature::turning_couplings,
                            Feature::hold_position, Feature::hold_direction,   Feature::hold_twist,
                            Feature::hold_inside,   Feature::hold_twist_alone, Feature::sliding_clamps};
  info.can.motion = both.with({Feature::inertia, Feature::limp_twist, Feature::contact, Feature::joints, Feature::bodies});
  info.can.equilibrium = both.with(
      {Feature::equilibria, Feature::stability, Feature::modes, Feature::contact, Feature::joints, Feature::bodies});
  info.can.fewest_edges = 2;
  info.options = options();
  info.failures = {
      {"two neighbouring segments folded onto each other by more than 170 degrees",
       "take more segments, or options.compact.strain = \"sine\", which is smooth there"},
      {"in equilibrium two bodies, or a body and the ground, would overlap: compact keeps bodies apart in motion only",
       "let them come to rest in motion (time.mode = \"dynamics\", with damping), or set body.collides = false where they "
       "do "
       "not matter to each other"},
      {"contact = \"active_set\" has motion only, no equilibria", "take options.compact.contact = \"barrier\""},
      {"clamps, driven bodies or joints with the world hold it, through its joints, further apart than all that lies "
       "between is long",
       "move them less far, or make the rods longer"},
      {"Newton's method had used up its iterations before the step was found",
       "take a smaller time.step, or more options.compact.iterations; look whether something snaps at that time, or is of "
       "extreme size (a mass, a force, a speed, a friction)"},
      {"Newton's method stopped before the step was found: nothing lowers any more what is left",
       "look whether clamps, loads or bodies ask for contradictory things at that time, or are of extreme size (a mass, a "
       "force, a speed, a friction); take a smaller time.step"},
      {"in equilibrium what touches could not be kept apart",
       "look whether clamps or obstacles press the rods into each other; take more frames per second where they move "
       "(smaller "
       "increments), or mode = \"dynamics\" with damping"},
      {"bodies that press against each other came to no end within the step",
       "take a smaller time.step; look whether bodies are wedged in between others, or of extreme mass or speed"},
      {"nothing holds it, and the loads on it do not cancel: it has no equilibrium",
       "hold it with a clamp, a coupling or a joint, let it come to rest on an obstacle (contact.enabled = true), or take "
       "time.mode = \"dynamics\""}};
  return info;
}

}  // namespace

namespace {
// Strains by sines: blind beyond half a turn of a joint, and soft long before.
void check_sines(const Model& model, Problems& problems) {
  constexpr double most = 0.5;  // [rad]
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan& span = model.rods[r].span;
    double largest = 0;
    for (int i = 0; i < span.inner; ++i)
      largest = std::max(largest, std::abs(model.initial.twist[InnerNodeIndex(span.first_inner + i)] -
                                           (i == 0 ? model.rods[r].weld_turn : 0)));
    if (largest <= most) continue;
    problems.push_back({Severity::warning, "", "rod[" + std::to_string(r) + "].initial_twist",
                        "turns neighbouring segments by up to " + std::to_string(largest) + " rad against each other",
                        "with strain = \"sine\" it should be below half a radian",
                        "take more segments, or strain = \"angle\""});
  }
}

// The same of clamps that wind a rod up: by what they turn against each other, spread over the segments between them.
void check_winding(const Model& model, Problems& problems) {
  constexpr double most = 0.5;  // [rad]
  const auto turned = [](const ClampModel& clamp, double time) {
    const double along = clamp.axis.dot(clamp.start.orientation * Vec3::UnitZ());
    return math::two_pi * along * at_time(clamp.turn, time, 0.0, 0.0).value;
  };
  for (std::size_t c = 0; c < model.clamps.size(); ++c) {
    const ClampModel& clamp = model.clamps[c];
    if (!clamp.twist || clamp.turn.keys.empty()) continue;
    double largest = 0;
    for (const ClampModel& other : model.clamps) {
      const int between = std::abs(clamp.node.value - other.node.value);
      if (&other == &clamp || other.rod != clamp.rod || !other.twist || between == 0) continue;
      for (const ClampModel* keys : {&clamp, &other})
        for (const auto& key : keys->turn.keys)
          largest = std::max(largest, std::abs(turned(clamp, key.time) - turned(other, key.time)) / between);
    }
    if (largest <= most) continue;
    problems.push_back({Severity::warning, "", "clamp[" + std::to_string(c) + "].turn",
                        "turns neighbouring segments by up to " + std::to_string(largest) + " rad against each other",
                        "with strain = \"sine\" it should be below half a radian",
                        "take more segments, or strain = \"angle\""});
  }
}

// Conjugate gradients and Cholesky's factor need a symmetric matrix.
void check_symmetric(const Model& model, const std::string& solver, Problems& problems) {
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    if (all_have_potentials(model, static_cast<int>(r))) continue;
    problems.push_back(
        {Severity::error, "", "options.compact.solver", "got \"" + solver + "\"",
         "rod " + model.rods[r].name + " has a moment, a load in material axes, drag or wind, whose matrix is not symmetric",
         "leave solver = \"exact\""});
  }
}

// The paper's contact has rods, obstacles that stand still, and no friction.
void check_active_set(const Model& model, const Options& options, Problems& problems) {
  const auto refuse = [&](const std::string& what) {
    problems.push_back(
        {Severity::error, "", "options.compact.contact", "got \"active_set\", and " + what,
         "the paper's active set has frictionless contact of rods with rods and with obstacles that stand still",
         "take contact = \"barrier\""});
  };
  bool rubs = model.contact.friction > 0;
  for (const ObstacleModel& o : model.obstacles) {
    rubs = rubs || o.friction > 0;
    if (o.moves()) refuse("obstacle " + o.name + " moves");
  }
  if (rubs) refuse("there is friction");
  if (!model.joints.empty() || !model.bodies.empty()) refuse("there are joints or bodies");
  if (options.word("solver") != "exact") refuse("solver = \"" + options.word("solver") + "\"");
  for (std::size_t r = 0; r < model.rods.size(); ++r)
    if (!all_have_potentials(model, static_cast<int>(r)))
      refuse("rod " + model.rods[r].name + " has a moment, a load in material axes, drag or wind");
}

// Pushes of bodies end an approach; they give nothing back.
void check_bounces(const Model& model, Problems& problems) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyModel& body = model.bodies[b];
    if (!(body.restitution > 0) || !body.collides || !body.shape || !body.moves_freely()) continue;
    problems.push_back({Severity::warning, "", "body[" + std::to_string(b) + "].restitution",
                        "got " + std::to_string(body.restitution), "with compact bodies do not bounce off each other",
                        "leave it 0, or take method = \"der\""});
  }
}
}  // namespace

namespace {}  // namespace

Problems check(const Model& model, const Options& options) {
  Problems problems;
  // Of the half segment next to a clamp that points backwards no strain is known.
  for (const auto& problem : check_fold(model, 170, folded_flat)) problems.push_back(problem);
  check_bounces(model, problems);
  for (auto& problem : check_noise(model)) problems.push_back(std::move(problem));
  for (auto& problem : check_rigid_segments(model)) problems.push_back(std::move(problem));
  if (options.word("strain") == "sine") check_sines(model, problems), check_winding(model, problems);
  if (options.word("solver") != "exact") check_symmetric(model, options.word("solver"), problems);
  if (model.contact.enabled && options.word("contact") == "active_set") check_active_set(model, options, problems);
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan& span = model.rods[r].span;
    if (span.edges >= (span.ring ? 3 : 2)) continue;
    problems.push_back({Severity::error, "", "rod[" + std::to_string(r) + "].segments", "got " + std::to_string(span.edges),
                        "compact needs at least 2 segments, 3 in a ring", "use more segments"});
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) check_frames_held_once(model, j, problems);
  for (std::size_t c = 0; c < model.clamps.size(); ++c) {
    const ClampModel& clamp = model.clamps[c];
    const RodSpan& span = model.rods[z(clamp.rod)].span;
    const int k = clamp.node.value - span.first_node;
    if (!clamp.twist || clamp.direction || (!span.ring && (k == 0 || k == span.nodes - 1))) continue;
    problems.push_back({Severity::error, "", "clamp[" + std::to_string(c) + "].hold",
                        "holds the twist without the direction inside a rod", "compact does so at ends only",
                        "hold the direction too, or put the clamp at an end"});
  }
  return problems;
}

const MethodEntry& entry() {
  static const MethodEntry the_entry{make_info(), &check, &advise, &make_method<Compact, Settings>};
  return the_entry;
}

}  // namespace tendril::compact
