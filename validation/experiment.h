// A published figure, table or exact solution that tendril reproduces: `tendril validate NAME`.
// To add one: write validation/METHOD/NAME.cpp with a function `std::vector<Check> experiment(ExperimentContext&)` in the namespace
// tendril::experiments::METHOD_NAME (files are compiled together: names of their own must not meet), and its lines in registry.cpp.
#pragma once

#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tendril {

struct Check {
  std::string name;
  double target = 0, result = 0, error = 0, tolerance = 0;
  bool passed = false;
};
Check relative_check(std::string name, double target, double result, double tolerance);  // |result - target| / |target|
Check absolute_check(std::string name, double target, double result, double tolerance);  // |result - target|
Check bound_check(std::string name, double result, double bound);                        // |result|: the target is 0
Check at_least(std::string name, double bound, double result);
Check at_most(std::string name, double bound, double result);

class ExperimentContext {
 public:
  ExperimentContext(std::filesystem::path folder, bool full) : folder_(std::move(folder)), full_(full) {}
  bool full() const { return full_; }  // asked for the long version
  const std::filesystem::path& folder() const { return folder_; }
  // Figure data: FOLDER/<name>.csv; the head names the columns with their units.
  void write_csv(const std::string& name, const std::vector<std::string>& head,
                 const std::vector<std::vector<double>>& rows);

 private:
  std::filesystem::path folder_;
  bool full_;
};

struct Experiment {
  enum Cost { quick, slow, full };  // at most 10 s (and a test of ./test), a minute, more (only with --full)
  const char* name;                 // "der/cantilever"
  const char* from;                 // "Bergou 2008, Fig. 7", "docs/references.md 1a-1c"
  const char* sentence;             // what it shows
  Cost cost;
  std::vector<Check> (*run)(ExperimentContext&);
  bool by_clock = false;  // judges times (machine_speed.h): as a test it runs alone on the machine
};
std::span<const Experiment> all_experiments();  // registry.cpp

}  // namespace tendril
