// A suture with one end rigidly in tissue, its needle end led along a looping path with turns, as in the paper's figure;
// then the same suture pulled by end force and torque, given directly and through the virtual coupling.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "math/number.h"
#include "tendril/strand.h"
#include "validation/experiment.h"

namespace tendril::experiments::strands_suture {
namespace {

constexpr int poses = 2000, segments = 100;
constexpr double length = 0.3;

StrandDesign design() {
  StrandDesign d;
  d.length = length, d.segments = segments;
  d.EI1 = d.EI2 = 2e-6, d.GJ = 1.5e-6;  // polypropylene, 0.25 mm
  return d;
}

// Loops around and above the tissue, tilts, and turns three times about the needle's own axis. Twice, at pose 0 and 1000,
// both ends have one axis, the second time with one and a half turns of twist between them: there the suture lies in any
// plane equally well, and just behind it has to swing into the one that the next pose prefers.
Pose needle(int k) {
  const double t = math::two_pi * k / poses;
  Pose pose;
  pose.position = length * Vec3(0.35 * std::sin(3 * t), 0.3 * std::sin(2 * t), 0.62 + 0.18 * std::cos(4 * t));
  pose.orientation = Quat(Eigen::AngleAxisd(0.9 * std::sin(2 * t), Vec3::UnitX())) *
                     Quat(Eigen::AngleAxisd(0.8 * std::sin(3 * t), Vec3::UnitY())) *
                     Quat(Eigen::AngleAxisd(3 * t, Vec3::UnitZ()));
  return pose;
}

double turned_by(const Quat& a, const Quat& b) {
  return 2 * std::atan2((a.conjugate() * b).vec().norm(), std::abs((a.conjugate() * b).w()));
}

// Through the coupling: a hand at the pose pulls the end after it.
void add_coupled(std::vector<Check>& checks) {
  Hand hand;
  hand.stiffness = 0.1, hand.damping = 1e-4, hand.angular_stiffness = 1e-4, hand.angular_damping = 1e-7;
  HapticStrand coupled(design());
  for (int k = 0; k < 100; ++k) coupled.lead(needle(0));
  double lag = 0;
  int fine = 0;
  for (int k = 0; k < poses; ++k) {
    hand.pose = needle(k);
    fine += coupled.couple(hand, 1e-3).fine;
    lag = std::max(lag, (coupled.pose(segments).position - hand.pose.position).norm() / length);
  }
  checks.push_back(absolute_check("led through the coupling: samples solved", poses, fine, 0));
  checks.push_back(bound_check("  needle end behind the hand, part of the length, worst", lag, 0.05));
  checks.push_back({"  work less stored energy, over the stored energy, at least", 0,
                    (coupled.work() - coupled.stored_energy()) / coupled.stored_energy(), 0, 1, coupled.work() > 0});
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows, shapes;
  HapticStrand suture(design());
  for (int k = 0; k < 100; ++k) suture.lead(needle(0));
  int solved = 0, minima = 0;
  double worst = 0, off = 0, seconds = 0, slowest = 0;
  for (int k = 0; k < poses; ++k) {
    const Pose end = needle(k);
    const auto before = std::chrono::steady_clock::now();
    const StrandAnswer answer = suture.lead(end);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    seconds += took, slowest = std::max(slowest, took);
    solved += answer.fine && answer.arrived;
    minima += answer.verdict.minimum();
    worst = std::max(worst, answer.residual);
    const Pose tip = suture.pose(segments);
    off = std::max({off, (tip.position - end.position).norm() / length, turned_by(tip.orientation, end.orientation)});
    rows.push_back({1.0 * k, answer.residual, 1.0 * answer.iterations, 1e6 * took, answer.on_hand.force.norm(),
                    answer.on_hand.moment.norm(), 1.0 * answer.verdict.unstable});
    if (k % 100 == 0)
      for (int node = 0; node <= segments; ++node) {
        const Vec3 x = suture.pose(node).position;
        shapes.push_back({1.0 * k, x.x(), x.y(), x.z()});
      }
  }
  checks.push_back(absolute_check(fmt::format("poses solved, of {}", poses), poses, solved, 0));
  checks.push_back(bound_check("worst residual", worst, 1e-8));
  checks.push_back(bound_check("needle end from its pose, parts of the length and radians, worst", off, 1e-7));
  checks.push_back(absolute_check("poses whose shape is a minimum of the energy", poses, minima, 0));
  // Pulled directly: the stress of the pose before, in the strand's own axes, gives the same shape back.
  const Pose tip = suture.pose(segments);
  const Wrench stress = suture.stress(segments);
  const Quat back = tip.orientation.conjugate();
  const StrandAnswer pulled = suture.pull_in_material_axes({back * stress.force, back * stress.moment});
  checks.push_back(bound_check("led by force and torque instead: needle end from where it was, part of the length",
                               (suture.pose(segments).position - tip.position).norm() / length, 1e-6));
  checks.push_back(absolute_check("  sweeps it took", 2, pulled.sweeps, 0));
  add_coupled(checks);
  context.write_csv(
      "poses", {"pose", "residual", "iterations", "time [us]", "force [N]", "torque [N m]", "unstable directions"}, rows);
  context.write_csv("shapes", {"pose", "x [m]", "y [m]", "z [m]"}, shapes);
  context.write_csv("time", {"poses", "mean time per pose [us]", "slowest [us]"},
                    {{1.0 * poses, 1e6 * seconds / poses, 1e6 * slowest}});
  return checks;
}

}  // namespace tendril::experiments::strands_suture
