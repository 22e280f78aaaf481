// What strands cost, per segment: the standard problem by two sweeps, with loads that turn with the strand at its end or all
// along, and a strand held at both ends whose far end is led by
// a hand. For the latter `iterations` is Newton's, mean; ns_per_segment_step times the segments is the time of one call.
#include <fmt/format.h>

#include <memory>

#include "benchmarks/benchmark.h"
#include "benchmarks/measure_time.h"
#include "math/number.h"
#include "methods/strands/uniform.h"
#include "tendril/strand.h"

namespace tendril {
namespace {

using namespace strands;

BenchmarkRow time_standard(int order, int segments, bool loaded_along) {
  Strand strand = uniform_strand({.length = 1,
                                  .segments = segments,
                                  .stiffness = {1, 0.7, 0.5},
                                  .u_rest = {0.1, 0.2, 0.3},
                                  .give = {0, 0, 0},
                                  .order = order});
  for (Segment& s : strand.segments)
    if (loaded_along) s.material_force = {0.4, -0.3, 0.2};
  strand.note_loads();
  Standard standard;
  const Stress<double> end{{0.5, 1, 0.3}, {1, 2, 0.2}};
  const int runs = std::max(1, 100000 / segments);
  const double ns = measure_time({{}, [&] {
                                    for (int k = 0; k < runs; ++k) standard.solve(strand, {0, 0, 0}, along_x(), end);
                                  }});
  return {ns / (1.0 * runs * segments), 0};
}

// A hand of 1 Hz asked `rate` times a second.
BenchmarkRow time_lead(int segments, double rate, bool verdict) {
  StrandDesign design;
  design.segments = segments, design.GJ = 0.75, design.verdict = verdict;
  HapticStrand strand(design);
  double t = 0, iterations = 0, calls = 0;
  const auto lead = [&] {
    Pose pose;
    pose.position = Vec3(0.15 * std::sin(2 * t), 0.12 * std::sin(t), 0.7 + 0.08 * std::cos(t));
    pose.orientation = Quat(Eigen::AngleAxisd(0.4 * std::sin(t), Vec3::UnitX())) *
                       Quat(Eigen::AngleAxisd(0.5 * std::sin(2 * t), Vec3::UnitZ()));
    iterations += strand.lead(pose).iterations;
    ++calls;
  };
  for (int k = 0; k < 100; ++k) lead();
  iterations = calls = 0;
  const int runs = 100;
  const double ns = measure_time({{}, [&] {
                                    for (int k = 0; k < runs; ++k) t += math::two_pi / rate, lead();
                                  }});
  return {ns / (1.0 * runs * segments), iterations / calls};
}

}  // namespace

void add_strands_benchmarks(std::vector<Benchmark>& all) {
  for (const int order : {1, 2, 4})
    for (const int n : {100, 1000})
      for (const bool loaded : {false, true})
        all.push_back({fmt::format("strands/standard/order{}{}/{}", order, loaded ? "-loaded-along" : "", n),
                       [=] { return time_standard(order, n, loaded); }});
  all.push_back({"strands/two-poses/led-at-5kHz/100", [] { return time_lead(100, 5000, false); }});
  all.push_back({"strands/two-poses/led-at-1kHz/500", [] { return time_lead(500, 1000, false); }});
  all.push_back({"strands/two-poses/led-at-5kHz-with-verdict/100", [] { return time_lead(100, 5000, true); }});
}

}  // namespace tendril
