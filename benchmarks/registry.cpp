// The list of benchmarks: one declaration and one line for each family.
#include "benchmarks/benchmark.h"

namespace tendril {

void add_cable_benchmarks(std::vector<Benchmark>& all);
void add_compact_benchmarks(std::vector<Benchmark>& all);
void add_contact_benchmarks(std::vector<Benchmark>& all);
void add_der_benchmarks(std::vector<Benchmark>& all);
void add_rods_benchmarks(std::vector<Benchmark>& all);
void add_strands_benchmarks(std::vector<Benchmark>& all);

std::vector<Benchmark> all_benchmarks() {
  std::vector<Benchmark> all;
  add_der_benchmarks(all);
  add_contact_benchmarks(all);
  add_strands_benchmarks(all);
  add_compact_benchmarks(all);
  add_cable_benchmarks(all);
  add_rods_benchmarks(all);
  return all;
}

}  // namespace tendril
