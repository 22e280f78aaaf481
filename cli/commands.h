// The commands of the program, each with its arguments. CLI11 stays in program.cpp, JSON in the files that print it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_program.h"
#include "tendril/simulate.h"

namespace tendril::cli {

enum ExitCode { fine = 0, check_failed = 1, bad_input = 2, diverged = 3, interrupted = 130 };

struct RunArguments {
  std::string scene, output, method;
  std::string inputs;             // folder of a run whose live inputs are set again
  std::vector<std::string> sets;  // "path=value"
  std::optional<double> until;    // [s]
  bool resume = false, quiet = false, json = false;
  int threads = 1;
};
struct CheckArguments {
  std::string scene;
  std::vector<std::string> sets;
  bool json = false;
};
struct ListArguments {
  std::string what;
};
struct ValidateArguments {
  std::vector<std::string> names;
  std::string output = "runs/validation";
  bool json = false, full = false;
};
struct BenchArguments {
  std::string name;
  bool json = false;
};
struct CompareArguments {
  std::string scene;
  std::vector<std::string> methods, sets;
  bool json = false;
};
struct GradientArguments {
  std::string scene, method;
  std::vector<std::string> fields, sets;
  bool json = false;
};
struct ModesArguments {
  std::string scene, method, output;
  std::vector<std::string> sets;
  int count = 6;
  bool json = false;
};
struct ViewArguments {
  std::vector<std::string> what;  // one scene, or folders of runs; none: the gallery
  std::string method;
  std::vector<std::string> sets;
  std::string host = "127.0.0.1";
  unsigned short port = 0;  // 0: any free one
  bool no_browser = false;
  std::string output;  // runs: write the page to this file instead of serving it
};
struct RenderArguments {
  std::vector<std::string> runs;
  std::string output, size = "1280x720", colour = "twist", theme = "light", layout;
  double fps = 30, speed = 1;
  std::optional<double> time, from, to;  // [s]
  std::vector<double> camera;            // where it stands, where it looks; empty: the whole scene
  bool plain = false, quiet = false;
};

int command_run(const RunArguments& arguments);
int command_check(const CheckArguments& arguments);
int command_list(const ListArguments& arguments);  // all but experiments
int command_compare(const CompareArguments& arguments);
int command_gradient(const GradientArguments& arguments);
int command_modes(const ModesArguments& arguments);
int command_view(const ViewArguments& arguments);
int command_render(const RenderArguments& arguments);

// Experiments and benchmarks: half of the code and of the compile time, needed by few. They are in a program of their own,
// tendril-lab; the small program hands what belongs to them over to it.
struct Lab {
  int (*validate)(const ValidateArguments& arguments);
  int (*bench)(const BenchArguments& arguments);
  void (*list_experiments)();
};

}  // namespace tendril::cli
