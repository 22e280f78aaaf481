// A hand that jerks and jumps at 1 kHz, coupled to a strand: bounded, passive at every sample, and the strand never longer
// than it is.
#include <fmt/format.h>

#include <algorithm>

#include "math/rotation.h"
#include "tendril/strand.h"
#include "testing/random_rods.h"
#include "validation/experiment.h"

namespace tendril::experiments::strands_virtual_coupling {

std::vector<Check> experiment(ExperimentContext& context) {
  constexpr double length = 0.3, dt = 1e-3;
  const int samples = context.full() ? 60000 : 6000;
  StrandDesign design;
  design.length = length, design.segments = 60;
  design.EI1 = design.EI2 = 2e-6, design.GJ = 1.5e-6;
  HapticStrand strand(design);
  Random random(4);
  Hand hand;
  hand.pose = strand.pose(design.segments);
  hand.stiffness = 0.02, hand.damping = 1e-4, hand.angular_stiffness = 2e-5, hand.angular_damping = 1e-7;
  strand.couple(hand, dt);
  const double start = strand.stored_energy();
  double work = 0, peak = 0, worst = 0, strongest = 0, longest = 0;
  int kept = 0;
  Pose last = hand.pose;
  Vec3 speed = Vec3::Zero();
  std::vector<std::vector<double>> rows;
  for (int k = 0; k < samples; ++k) {
    if (k % 250 == 0)
      hand.pose.position = random.vector(0.15), hand.pose.orientation = random.rotation();  // jumps, also out of reach
    if (k % 40 == 0) speed = random.vector(0.5);                                            // jerks
    hand.pose.position += dt * speed + random.vector(2e-4);                                 // trembles
    hand.pose.orientation = (exp_quat(random.vector(0.01)) * hand.pose.orientation).normalized();
    if (hand.pose.position.norm() > 2 * length) speed = -hand.pose.position;
    const StrandAnswer answer = strand.couple(hand, dt);
    kept += !answer.fine;
    work -= answer.on_hand.force.dot(hand.pose.position - last.position) +
            answer.on_hand.moment.dot(log_rotation(Quat(hand.pose.orientation * last.orientation.conjugate())));
    last = hand.pose;
    const double stored = strand.stored_energy() - start;
    peak = std::max(peak, stored);
    worst = std::min(worst, work - stored);
    strongest = std::max(strongest, answer.on_hand.force.norm());
    double along = 0;
    for (int j = 0; j < design.segments; ++j) along += (strand.pose(j + 1).position - strand.pose(j).position).norm();
    longest = std::max(longest, along / length);
    if (k % 20 == 0) rows.push_back({k * dt, work, stored, answer.on_hand.force.norm(), 1.0 * answer.fine});
  }
  std::vector<Check> checks;
  const auto add = [&checks](std::string name, double target, double result, double error, double tolerance, bool passed) {
    Check& check = checks.emplace_back();
    check.name = std::move(name);
    check.target = target, check.result = result, check.error = error, check.tolerance = tolerance, check.passed = passed;
  };
  add("work of the hand less stored energy, over the peak, at every sample, at least", -1e-9, worst / peak, 0, 0,
      worst >= -1e-9 * peak);
  add("strand's length over its length at rest, at most", 1, longest, 0, 1e-12, longest <= 1 + 1e-12);
  // The stiffness times twice the reach, and the damper at the fastest jump there was.
  const double bound = (hand.stiffness + hand.damping / dt) * 4 * length;
  add("force on the hand stays below stiffness and damping times the largest jump [N]", bound, strongest, 0, 0,
      strongest < bound);
  const double corrected = strand.corrected() / strand.work();
  add("part of the work added to stay passive, at most", 0, corrected, corrected, 0.05, corrected <= 0.05);
  add(fmt::format("samples, of {}, whose answer was kept from the one before, at most", samples), 0, 1.0 * kept, 0,
      0.02 * samples, kept <= 0.02 * samples);
  context.write_csv("energy", {"t [s]", "work of the hand [J]", "stored [J]", "force [N]", "solved"}, rows);
  return checks;
}

}  // namespace tendril::experiments::strands_virtual_coupling
