// A tree of rods and bodies in gusts and vortices, with and without resistance to twist.  [Bergou 2008, sec. 9.4 and Fig.
// 12]
//
// "Without resistance to twist, the tree would start spinning due to vortices in the wind." A crown that is turned about the
// trunk is held back by nothing but the trunk's twist: bending does not care in which direction the section looks. What is
// measured is the twist of the trunk from the ground to its first fork, unwrapped. (Not the integral of the fork's angular
// velocity about the trunk: a trunk that leans and is swept round by the wind makes it grow by the area it encloses, without
// any twist.) With twist stiffness the crown swings about where it stood; without, the vortex carries it along, turn after
// turn.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "methods/der/der.h"
#include "validation/der/tree_scene.h"
#include "validation/experiment.h"

namespace tendril::experiments::der_tree_in_wind {
namespace {

struct Blown {
  double turned = 0, most = 0;  // turns of the trunk's top against its foot, at the end and farthest
  double mean_turn = 0;         // over the second half
  double spin = 0;              // turns per second, mean over the second half
  double fastest = 0;           // node [m/s]
  double lean = 0;              // of the trunk's top, farthest [rad]
  double length_error = 0;      // at the end
  std::vector<std::vector<double>> rows;
};

Blown blow(const TreeChoice& choice, double duration) {
  const Scene scene = tree_scene(choice);
  const auto model = std::make_shared<const Model>(*build_model(scene));
  const Options options(der::entry().info.options, {});
  der::Der der(model, der::Settings::from(options));
  const int steps = static_cast<int>(std::ceil(duration / der::advise(*model, options).advised));
  const double dt = duration / steps;
  const der::Chain& c = der.chain();
  const int foot = c.rods[0].first, fork = foot + c.rods[0].slots - 1;  // the walls at both ends of the trunk
  const auto twist = [&] { return (c.theta[z(fork)] - c.theta[z(foot)]) / (2 * std::numbers::pi); };
  const double start = twist();
  Blown b;
  double half = 0;
  for (int k = 0; k < steps; ++k) {
    if (const StepReport report = der.step(k * dt, dt, {}); report.outcome != Outcome::fine)
      throw std::runtime_error(fmt::format("at {} s: {}", k * dt, failure_of(report.cause, der::entry().info).sentence));
    b.turned = twist() - start;
    b.most = std::max(b.most, std::abs(b.turned));
    const double lean = std::acos(std::clamp(c.t.get(fork).z, -1.0, 1.0));
    b.lean = std::max(b.lean, lean);
    if (2 * k < steps) half = b.turned;
    if (2 * k >= steps) b.mean_turn += b.turned * dt / (0.5 * duration);
    if (k % 200 != 0 && k + 1 != steps) continue;
    double fastest = 0;
    for (const int v : c.vertex_of_node) fastest = std::max(fastest, norm(c.v.get(v)));
    b.fastest = std::max(b.fastest, fastest);
    b.rows.push_back({(k + 1) * dt, b.turned, fastest, lean});
  }
  b.spin = (b.turned - half) / (0.5 * duration);
  Frame frame = model->initial;
  der.write(frame);
  for (const RodModel& rod : model->rods) {
    for (int k = 0; k < rod.span.edges; ++k) {
      const NodeIndex i{rod.span.first_node + k};
      const double length = (frame.position[i + 1] - frame.position[i]).norm();
      b.length_error =
          std::max(b.length_error, std::abs(length / model->rest_length[EdgeIndex{rod.span.first_edge + k}] - 1));
    }
  }
  return b;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const int levels = context.full() ? 5 : 4;
  const double duration = context.full() ? 30 : 3;  // [s]
  const Blown stiff = blow({levels, true}, duration), limp = blow({levels, false}, duration);
  for (const auto& [name, b] : {std::pair("stiff", &stiff), std::pair("limp", &limp)})
    context.write_csv(name, {"time [s]", "twist of the trunk [turns]", "fastest node [m/s]", "lean of its top [rad]"},
                      b->rows);
  std::vector<Check> checks;
  for (const auto& [name, b] : {std::pair("with", &stiff), std::pair("without", &limp)}) {
    checks.push_back(
        bound_check(fmt::format("{} twist stiffness: fastest node in {} s [m/s]", name, duration), b->fastest, 60));
    checks.push_back(bound_check(fmt::format("{} twist stiffness: error of a length", name), b->length_error, 1e-7));
  }
  checks.push_back(at_least("with twist stiffness: the trunk's top leans by [rad], at least", 0.05, stiff.lean));
  checks.push_back(
      bound_check("with twist stiffness: farthest turn of the trunk's top against its foot [turns]", stiff.most, 0.1));
  checks.push_back(bound_check("with twist stiffness: mean turn over the second half [turns]", stiff.mean_turn, 0.05));
  checks.push_back(at_least("without: mean turn over the second half [turns], at least", context.full() ? 5 : 0.3,
                            std::abs(limp.mean_turn)));
  checks.push_back(at_least("without: mean spin over the second half [turns/s], at least", 0.2, std::abs(limp.spin)));
  return checks;
}

}  // namespace tendril::experiments::der_tree_in_wind
