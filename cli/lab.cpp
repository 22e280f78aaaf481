// What only tendril-lab can do: experiments and benchmarks.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "benchmarks/benchmark.h"
#include "cli/commands.h"
#include "validation/experiment.h"

namespace tendril::cli {
namespace {

using Json = nlohmann::ordered_json;

// "der" stands for everything below der/.
bool stands_for(const std::string& word, const std::string& name) {
  return name == word || (name.starts_with(word) && (word.ends_with('/') || name[word.size()] == '/'));
}

// The chosen experiments, or none when a word names no experiment; then an error is printed.
std::optional<std::vector<const Experiment*>> choose(const ValidateArguments& a) {
  std::vector<const Experiment*> chosen;
  std::vector<std::string> names;
  for (const Experiment& e : all_experiments()) names.emplace_back(e.name);
  for (const std::string& word : a.names) {
    bool found = false;
    for (const std::string& name : names) found = found || stands_for(word, name);
    if (!found) {
      fmt::print(stderr, "there is no experiment `{}`; {}\n", word, suggest(word, names));
      return std::nullopt;
    }
  }
  for (const Experiment& e : all_experiments()) {
    const bool named =
        std::any_of(a.names.begin(), a.names.end(), [&e](const std::string& w) { return stands_for(w, e.name); });
    const bool by_full_name = std::find(a.names.begin(), a.names.end(), e.name) != a.names.end();
    if ((a.names.empty() || named) && (a.full || e.cost != Experiment::full || by_full_name)) chosen.push_back(&e);
  }
  return chosen;
}

struct Done {
  const Experiment* experiment;
  std::vector<Check> checks;
  double seconds = 0;
  bool passed = false;
};

Done perform(const Experiment& experiment, const ValidateArguments& a) {
  Done done{&experiment, {}, 0, false};
  const auto start = std::chrono::steady_clock::now();
  try {
    ExperimentContext context(std::filesystem::path(a.output) / experiment.name, a.full);
    done.checks = experiment.run(context);
    done.passed =
        !done.checks.empty() && std::all_of(done.checks.begin(), done.checks.end(), [](const Check& c) { return c.passed; });
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", experiment.name, error.what());
    done.checks.push_back({"runs to its end", 1, 0, 1, 0, false});
  }
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return done;
}

void print_text(const Done& d) {
  fmt::print("{}  [{}]  {:.1f} s  {}\n", d.experiment->name, d.experiment->from, d.seconds, d.passed ? "passed" : "FAILED");
  fmt::print("  {}\n", d.experiment->sentence);
  for (const Check& c : d.checks)
    fmt::print("  {:6}  target {:<12.7g} result {:<12.7g} error {:<9.2g} of {:<9.2g}  {}\n", c.passed ? "ok" : "FAILED",
               c.target, c.result, c.error, c.tolerance, c.name);
  std::fflush(stdout);
}

Json to_json(const Done& d) {
  Json checks = Json::array();
  for (const Check& c : d.checks)
    checks.push_back({{"name", c.name},
                      {"target", c.target},
                      {"result", c.result},
                      {"error", c.error},
                      {"tolerance", c.tolerance},
                      {"passed", c.passed}});
  return {{"name", d.experiment->name}, {"passed", d.passed}, {"seconds", d.seconds}, {"checks", std::move(checks)}};
}

int validate(const ValidateArguments& a) {
  const auto chosen = choose(a);
  if (!chosen) return bad_input;
  Json out = {{"experiments", Json::array()}};
  int failed = 0;
  for (const Experiment* experiment : *chosen) {
    const Done done = perform(*experiment, a);
    failed += done.passed ? 0 : 1;
    if (a.json)
      out["experiments"].push_back(to_json(done));
    else
      print_text(done);
  }
  if (a.json)
    fmt::print("{}\n", out.dump(1));
  else
    fmt::print("{} experiments, {} failed; figure data in {}\n", chosen->size(), failed, a.output);
  return failed > 0 ? check_failed : fine;
}

int bench(const BenchArguments& a) {
  Json out = {{"rows", Json::array()}};
  std::vector<std::string> names;
  bool found = a.name.empty();
  for (const Benchmark& benchmark : all_benchmarks()) {
    names.push_back(benchmark.name);
    if (!a.name.empty() && !benchmark.name.starts_with(a.name)) continue;
    found = true;
    const BenchmarkRow row = benchmark.run();
    if (a.json) {
      Json line = {{"name", benchmark.name}, {"ns_per_segment_step", row.ns_per_segment_step}};
      if (row.iterations > 0) line["iterations"] = row.iterations;
      out["rows"].push_back(std::move(line));
      continue;
    }
    const std::string iterations = row.iterations > 0 ? fmt::format("  {:6.2f} iterations", row.iterations) : "";
    fmt::print("{:<36} {:8.1f} ns per segment and step{}\n", benchmark.name, row.ns_per_segment_step, iterations);
    std::fflush(stdout);
  }
  if (!found) return fmt::print(stderr, "there is no benchmark `{}`; {}\n", a.name, suggest(a.name, names)), bad_input;
  if (a.json) fmt::print("{}\n", out.dump(1));
  return fine;
}

void list_experiments() {
  static constexpr const char* costs[] = {"", "", "  (only with --full)"};
  for (const Experiment& e : all_experiments()) fmt::print("{}  [{}]{}\n  {}\n", e.name, e.from, costs[e.cost], e.sentence);
}

}  // namespace

const Lab& lab() {
  static constexpr Lab all{validate, bench, list_experiments};
  return all;
}

}  // namespace tendril::cli
