// What a step costs: `tendril bench`.
// To add some: write benchmarks/NAME.cpp with a function that appends Benchmarks, and one line in registry.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tendril {

struct BenchmarkRow {
  double ns_per_segment_step = 0;
  double iterations = 0;  // of the solver inside a step, mean; 0: there is none
};
struct Benchmark {
  std::string name;  // "der/isotropic/projection/100": method / rod / variant / segments
  std::function<BenchmarkRow()> run;
};
std::vector<Benchmark> all_benchmarks();  // registry.cpp

}  // namespace tendril
