// Points against rate. The paper: hundreds of points at 30 Hz, both ends posed, on a Pentium III of 700 MHz. Here: both ends
// posed, the far end led along a path, on one core of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "math/number.h"
#include "tendril/strand.h"
#include "validation/experiment.h"

namespace tendril::experiments::strands_realtime {

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const auto pose_at = [](double t) {
    Pose pose;
    pose.position = Vec3(0.15 * std::sin(2 * t), 0.12 * std::sin(t), 0.7 + 0.08 * std::cos(t));
    pose.orientation = Quat(Eigen::AngleAxisd(0.4 * std::sin(t), Vec3::UnitX())) *
                       Quat(Eigen::AngleAxisd(0.5 * std::sin(2 * t), Vec3::UnitZ()));
    return pose;
  };
  for (const int n : {100, 200, 500, 1000, 2000}) {
    StrandDesign design;
    design.segments = n, design.GJ = 0.75;
    design.verdict = false;
    HapticStrand strand(design);
    for (int k = 0; k < 100; ++k) strand.lead(pose_at(0));
    // A hand of 1 Hz, asked at 1 kHz.
    int solved = 0;
    const int calls = context.full() || n <= 500 ? 1000 : 300;
    const std::clock_t before = std::clock();  // of this process: others may use the machine too
    for (int k = 1; k <= calls; ++k) solved += strand.lead(pose_at(math::two_pi * k / 1000)).fine;
    const double rate = calls * static_cast<double>(CLOCKS_PER_SEC) / static_cast<double>(std::clock() - before);
    rows.push_back({1.0 * n, rate, 30});
    checks.push_back(absolute_check(fmt::format("{} points: poses solved, of {}", n, calls), calls, solved, 0));
    if (n == 500) checks.push_back({"500 points: rate in Hz, more than the paper's 30", 30, rate, 0, 0, rate > 30});
  }
  context.write_csv("rate", {"points", "rate here [Hz]", "rate of the paper for hundreds of points [Hz]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::strands_realtime
