// What `galpha` can do, its options, its checks, its step advice.
#include <algorithm>
#include <cmath>

#include "math/number.h"
#include "methods/galpha/galpha.h"
#include "methods/galpha/paper/paper.h"
#include "model/checks.h"
#include "model/node_frames.h"
#include "model/rates.h"
#include "model/rest_curve.h"

namespace tendril::galpha {
namespace {

OptionInfo number(const char* name, const char* unit, double fallback, double low, double high, const char* sentence) {
  return {name, unit, fallback, low, high, {}, sentence};
}
OptionInfo flag(const char* name, bool fallback, const char* sentence) {
  return {name, "", fallback, -forever, forever, {}, sentence};
}
OptionInfo word(const char* name, std::vector<std::string> choices, const char* sentence) {
  return {name, "", choices.front(), -forever, forever, choices, sentence};
}

MethodInfo make_info() {
  MethodInfo info;
  info.name = "galpha";
  info.title = "Dynamic Cosserat rods by generalized-alpha";
  info.paper =
      "Sobottka, Lay, Weber: Stable Integration of the Dynamic Cosserat Equations with Application to Hair Modeling, "
      "Journal of WSCG 16, "
      "2008";
  info.summary =
      "implicit, any step, second order in space and time, numerical damping under control: poses and forces in one "
      "boundary "
      "value problem per step";
  constexpr FeatureSet both{
      Feature::anisotropic,    Feature::rest_curvature, Feature::stretch,           Feature::shear,
      Feature::stiffening,     Feature::line_moments,   Feature::follower_loads,    Feature::drag,
      Feature::damping,        Feature::couplings,      Feature::turning_couplings, Feature::hold_position,
      Feature::hold_direction, Feature::hold_twist,     Feature::hold_twist_alone,  Feature::hold_inside};
  info.can.motion = both.with({Feature::inertia, Feature::sliding_clamps});
  info.can.equilibrium = both.with({Feature::equilibria, Feature::stability});
  info.can.fewest_edges = 2;
  info.options = {
      word("formulation", {"pose", "paper"},
           "Unknowns. `pose`: a pose per node and a force per segment, from an energy. `paper`: velocity, spin, curvature "
           "and "
           "force at nodes, in local axes; for comparison, less accurate and less able."),
      word("scheme", {"rho_infinity", "triple"},
           "What gives the time scheme: `rho_infinity`, of second order, or `triple`: alpha, beta and gamma as the paper "
           "has them."),
      number("rho_infinity", "", 0.3, 0, 1,
             "Spectral radius at infinite frequency: 0 damps what a step does not resolve at once, 1 not at all. At most "
             "0.95 for rods "
             "that do not stretch."),
      number("alpha", "", 0.3, -10, 0.5, "Of scheme = \"triple\". The paper's .3, 0, .7 is backward Euler."),
      number("beta", "", 0.0, -10, 0.5, "Of scheme = \"triple\"."),
      number("gamma", "", 0.7, 0.5, 10, "Of scheme = \"triple\"."),
      flag("guard", true,
           "A step after which energy less work has risen by more than 1 % of kinetic and elastic energy above its lowest "
           "value is taken "
           "again with rho_infinity = 0, then in halves."),
      number("newton_tolerance", "", 1e-8, 1e-13, 1e-2,
             "Largest residual of a step: forces over EI/L^2, weight and loads; lengths over what these move in a step."),
      number("iterations", "", 40, 1, 1e4, "Newton iterations of one step."),
      word("guess", {"extrapolated", "last"},
           "Where Newton's method begins: the motion extrapolated, or the last state as in the paper."),
      number("relaxation", "", 1, 0.01, 1, "Largest fraction of a Newton step that is taken (the paper's mu)."),
      word("space", {"products_of_means", "means_of_products", "recurrence"},
           "Of formulation = \"paper\": how a segment takes values from its nodes. `products_of_means`: box scheme. "
           "`means_of_products`: as printed, gains energy. `recurrence`: the printed recurrence, of first order."),
      number("feedback", "", 1, 0, 1,
             "Of formulation = \"paper\": which part of a held far end's error a step takes back; 0: it drifts."),
      flag("seek_minimum", true, "An equilibrium that is not a minimum of the energy is left for one that is."),
  };
  info.failures = {
      {"a segment turned by more than 3 rad against the next node", "take more segments"},
      {"the step gained energy", "take a smaller time.step or a smaller options.galpha.rho_infinity"},
  };
  for (const FailureInfo& failure : paper::failures()) info.failures.push_back(failure);
  return info;
}

std::string option(const char* name) { return std::string("options.galpha.") + name; }

void check_scheme(const Model& model, const Options& options, Problems& problems) {
  if (options.word("scheme") == "triple") {
    const Triple t{options.number("alpha"), options.number("beta"), options.number("gamma")};
    if (!t.stable())
      problems.push_back({Severity::error, "", option("gamma"),
                          "alpha - beta + gamma is " + std::to_string(t.alpha - t.beta + t.gamma),
                          "must be at least 1/2 or motions grow", "take scheme = \"rho_infinity\", or a larger gamma"});
    return;
  }
  constexpr double most = 0.95;
  for (const RodModel& rod : model.rods)
    if (options.number("rho_infinity") > most && !rod.stretches) {
      problems.push_back(
          {Severity::error, "", option("rho_infinity"),
           "got " + std::to_string(options.number("rho_infinity")) + ", and rod " + rod.name + " does not stretch",
           "must be at most 0.95: the tension of a rod that does not stretch would alternate ever wider",
           "take a smaller one, or stretch = \"elastic\""});
      return;
    }
}

// [rad] How far the rest curve bends along a segment: beyond half a turn its end frames do not tell.
double bend_along(const Model& model, const RodModel& rod, int edge) {
  if (!rod.rest_curve) return 0;
  constexpr int parts = 8;
  const double from = model.material[NodeIndex(rod.span.first_node + edge)],
               length = model.rest_length[EdgeIndex(rod.span.first_edge + edge)];
  double sum = 0;
  Vec3 before = rod.rest_curve->at(from + 1e-6 * length).tangent;
  for (int k = 1; k <= parts; ++k) {
    const Vec3 next = rod.rest_curve->at(from + length * std::min(1 - 1e-6, double(k) / parts)).tangent;
    sum += std::atan2(before.cross(next).norm(), before.dot(next));
    before = next;
  }
  return sum;
}

// A segment's strain is a rotation vector: beyond half a turn it would be another one.
void check_turns(const Model& model, Problems& problems) {
  constexpr double most = 2.5;  // [rad]
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan& span = model.rods[r].span;
    double rest = 0, start = 0;
    for (int k = 0; k < span.edges; ++k)
      rest = std::max({rest, norm(rest_screw(model, static_cast<int>(r), k).w), bend_along(model, model.rods[r], k)});
    for (int i = 0; i < span.inner; ++i)
      start = std::max(start, std::abs(model.initial.twist[InnerNodeIndex(span.first_inner + i)]));
    const auto refuse = [&](const std::string& field, double turn) {
      const int needed = static_cast<int>(std::ceil(span.edges * turn / most));
      problems.push_back({Severity::error, "", "rod[" + std::to_string(r) + "]." + field,
                          "turns a segment by " + std::to_string(turn) + " rad", "at most 2.5 rad",
                          "take at least " + std::to_string(needed) + " segments"});
    };
    if (rest > most) refuse("segments", rest);
    if (start > most && start > rest + 1e-9) refuse("initial_twist", start);
  }
}

}  // namespace

Problems check(const Model& model, const Options& options) {
  Problems problems;
  check_scheme(model, options, problems);
  check_turns(model, problems);
  if (options.word("formulation") == "paper")
    for (const Problem& problem : paper::check_paper(model)) problems.push_back(problem);
  return problems;
}

namespace {
paper::Settings paper_settings(const Options& options) {
  const std::string& space = options.word("space");
  paper::Settings s;
  s.space = space == "recurrence"          ? paper::Space::recurrence
            : space == "means_of_products" ? paper::Space::means_of_products
                                           : paper::Space::products_of_means;
  s.triple = Settings::from(options).motion.triple;
  s.feedback = options.number("feedback"), s.relaxation = options.number("relaxation");
  s.iterations = static_cast<int>(options.number("iterations"));
  s.first_failure = static_cast<int>(entry().info.failures.size() - paper::failures().size());
  return s;
}
std::unique_ptr<Method> make(std::shared_ptr<const Model> model, const Options& options, const Resources& resources) {
  if (options.word("formulation") == "paper")
    return std::make_unique<paper::Paper>(std::move(model), paper_settings(options));
  return make_method<Galpha, Settings>(std::move(model), options, resources);
}
}  // namespace

// Nothing limits stability. Accuracy: the first bending modes.
StepAdvice advise(const Model& model, const Options&) {
  constexpr double per_step = 0.1;  // [rad] of the third mode
  StepAdvice advice;
  advice.advised = HUGE_VAL;
  for (const RodModel& rod : model.rods) {
    const double step = per_step / bending_rate(model, rod, 1);
    if (step >= advice.advised) continue;
    advice.advised = step, advice.reason = "accuracy of the bending waves of rod " + rod.name;
  }
  return advice;
}

const MethodEntry& entry() {
  static const MethodEntry the_entry{make_info(), &check, &advise, &make};
  return the_entry;
}

}  // namespace tendril::galpha
