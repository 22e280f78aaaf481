// A chain of curved open rods hangs, holds, and is pulled until a link opens and its neighbour slips off.  [Bergou 2008,
// sec. 9.3 and Fig. 10]
//
// That no link passes through another is shown twice.
//   by distance   before and after every step the axes of two links are almost two radii apart, and no node goes further
//   than
//                 a radius in a step; so the axes cannot have met in between
//   by linking    each link is closed by a straight piece over its gap. Two neighbours stay linked once, until one of them
//                 slips out through the other's gap, which then is wider than the rod is thick
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/segment_distance.h"
#include "math/link.h"
#include "validation/der/chain_scene.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::der_hanging_chain {
namespace {

// The corners of a link; closed by the straight piece from its last to its first.
std::span<const Vec3> corners(const Frame& frame, int rod) {
  const RodSpan& span = frame.rods[static_cast<std::size_t>(rod)];
  return {&frame.position[NodeIndex{span.first_node}], static_cast<std::size_t>(span.nodes)};
}

// Between the surfaces of a link's two ends.
double gap_of(const Frame& frame, int rod, double radius) {
  const RodSpan& span = frame.rods[static_cast<std::size_t>(rod)];
  const Vec3& first = frame.position[NodeIndex{span.first_node}];
  return (frame.position[NodeIndex{span.first_node + span.nodes - 1}] - first).norm() - 2 * radius;
}

double distance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double squared = HUGE_VAL;
  for (std::size_t i = 0; i + 1 < a.size(); ++i)
    for (std::size_t j = 0; j + 1 < b.size(); ++j)
      squared =
          std::min(squared, closest_points(to_small(a[i]), to_small(a[i + 1]), to_small(b[j]), to_small(b[j + 1])).squared);
  return std::sqrt(squared);
}

struct Watched {
  double penetration = 0;   // worst, over the radius
  double stride = 0;        // longest way of a node in a step, over the radius
  double whole = 0;         // worst distance of a linking number from a whole one
  double pull_at_rest = 0;  // [N] of a clamp, mean over the second half of hanging
  double gap_at_rest = 0;   // widest while it hangs [m]
  double strongest = 0;     // pull before it parts [N]
  int opened = -1,
      parted = -1;  // the pair whose linking is lost first; that is first two radii apart: this link and the next
  double opened_at = -1, parted_at = -1;  // [s]
  double gap_when_opened = 0;             // the wider one of the two [m]
  std::vector<std::vector<double>> rows;
};

void look_at_links(const Frame& frame, double radius, Watched& w) {
  const int links = static_cast<int>(frame.rods.size());
  std::vector<double> row{frame.time, 0};
  double widest = 0;
  for (int i = 0; i < links; ++i) {
    widest = std::max(widest, gap_of(frame, i, radius));
    if (i + 1 == links) break;
    const double number = linking_number(corners(frame, i), corners(frame, i + 1)), whole = std::round(number);
    w.whole = std::max(w.whole, std::abs(number - whole));
    row.push_back(std::abs(whole));
    if (whole != 0) continue;
    if (w.opened < 0) {
      w.opened = i, w.opened_at = frame.time;
      w.gap_when_opened = std::max(gap_of(frame, i, radius), gap_of(frame, i + 1, radius));
    }
    if (w.parted < 0 && distance(corners(frame, i), corners(frame, i + 1)) > 4 * radius)
      w.parted = i, w.parted_at = frame.time;
  }
  row.push_back(widest);
  w.rows.push_back(row);
}

Watched watch(const ChainLinks& choice) {
  Simulation simulation = open_or_throw(chain_scene(choice));
  Watched w;
  constexpr int every = 10;  // steps between two looks at the links
  int rests = 0;
  for (int step = 0; !simulation.finished(); ++step) {
    const StepReport report = step_or_throw(simulation);
    w.penetration = std::max(w.penetration, report.penetration);
    const Frame& frame = simulation.frame();
    for (const Vec3& v : frame.velocity) w.stride = std::max(w.stride, v.norm() * report.step_taken / choice.radius);
    if (step % every != 0) continue;
    look_at_links(frame, choice.radius, w);
    const double pull = simulation.reactions()[1].force.norm();
    w.rows.back()[1] = pull;
    if (frame.time < choice.hang) w.gap_at_rest = std::max(w.gap_at_rest, w.rows.back().back());
    if (frame.time < choice.hang && frame.time > 0.5 * choice.hang) w.pull_at_rest += (pull - w.pull_at_rest) / ++rests;
    if (w.parted < 0 && frame.time > choice.hang) w.strongest = std::max(w.strongest, pull);
  }
  return w;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  ChainLinks choice;
  const Watched w = watch(choice);
  std::vector<std::string> head{"time [s]", "pull [N]"};
  for (int i = 1; i < choice.links; ++i) head.push_back(fmt::format("linking of {} and {}", i, i + 1));
  head.push_back("widest gap [m]");
  context.write_csv("chain", head, w.rows);

  std::vector<Check> checks;
  checks.push_back(bound_check("worst penetration over the radius", w.penetration, 0.02));
  checks.push_back(bound_check("longest way of a node in a step over the radius", w.stride, 0.5));
  checks.push_back(bound_check("linking numbers are whole", w.whole, 1e-6));
  checks.push_back(bound_check("widest gap while it hangs [m]", w.gap_at_rest, 1));
  checks.push_back(at_least("a link opens [s], at least when it is pulled", choice.hang, w.opened_at));
  checks.push_back(at_least("through a gap of [m], at least the rod's thickness", 2 * choice.radius, w.gap_when_opened));
  checks.push_back(at_least("the neighbour is off, two rods away [s], at least when it opened", w.opened_at, w.parted_at));
  checks.push_back(at_least("pull before that over pull at rest, at least", 2, w.strongest / w.pull_at_rest));
  return checks;
}

}  // namespace tendril::experiments::der_hanging_chain
