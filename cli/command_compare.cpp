#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/find_scene.h"
#include "cli/words.h"

namespace tendril::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Result {
  RunReport report;
  Frame frame;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// Largest distance between the same nodes; methods may choose their nodes, so only where the counts agree.
double worst_node_distance(const Frame& a, const Frame& b) {
  if (a.position.size() != b.position.size()) return std::nan("");
  double worst = 0;
  for (int i = 0; i < a.position.size(); ++i)
    worst = std::max(worst, (a.position[NodeIndex(i)] - b.position[NodeIndex(i)]).norm());
  return worst;
}

double cost_per_segment_step(const Result& r) {
  return 1e9 * r.report.wall_seconds / std::max(1.0, static_cast<double>(r.report.steps) * r.frame.orientation.size());
}

const char* mark_of(Outcome outcome) {
  return outcome == Outcome::fine ? "" : outcome == Outcome::suspect ? "  SUSPECT" : "  DIVERGED";
}
std::string percent_or_none(double share) { return std::isfinite(share) ? percent_text(share) : "-"; }

void print_text(const std::vector<Result>& results) {
  const Result& first = results.front();
  fmt::print("{:<10} {:>10} {:>10} {:>12} {:>12} {:>14} {:>12}\n", "method", "steps", "wall s", "ns/seg/step",
             "energy error", "length error", "node dist m");
  for (const Result& r : results)
    fmt::print("{:<10} {:>10} {:>10.3f} {:>12.1f} {:>12} {:>14.2e} {:>12.3e}{}\n", r.report.method, r.report.steps,
               r.report.wall_seconds, cost_per_segment_step(r), percent_or_none(r.report.energy_error),
               r.report.worst_length_error, worst_node_distance(first.frame, r.frame), mark_of(r.report.outcome));
  for (std::size_t p = 0; p < first.report.last.probes.size(); ++p) {
    fmt::print("probe {}\n", first.report.last.probes[p].name);
    for (const Result& r : results) {
      const std::vector<double>& value = r.report.last.probes[p].value;
      fmt::print("  {:<10} {}  differs by {:.3e}\n", r.report.method, joined(value, 8),
                 distance(value, first.report.last.probes[p].value));
    }
  }
}

void print_json(const std::vector<Result>& results) {
  Json out = {{"methods", Json::array()}};
  for (const Result& r : results) {
    Json probes = Json::object();
    for (std::size_t p = 0; p < r.report.last.probes.size(); ++p)
      probes[r.report.last.probes[p].name] = {
          {"last", r.report.last.probes[p].value},
          {"differs", distance(r.report.last.probes[p].value, results.front().report.last.probes[p].value)}};
    out["methods"].push_back({{"method", r.report.method},
                              {"steps", r.report.steps},
                              {"wall_seconds", r.report.wall_seconds},
                              {"ns_per_segment_step", cost_per_segment_step(r)},
                              {"energy_error", r.report.energy_error},
                              {"worst_length_error", r.report.worst_length_error},
                              {"worst_penetration", r.report.worst_penetration},
                              {"max_contacts", r.report.max_contacts},
                              {"node_distance", worst_node_distance(results.front().frame, r.frame)},
                              {"diverged", r.report.outcome != Outcome::fine && r.report.outcome != Outcome::suspect},
                              {"outcome", to_text(r.report.outcome)},
                              {"probes", std::move(probes)}});
  }
  fmt::print("{}\n", out.dump(1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

int command_compare(const CompareArguments& a) {
  std::vector<Result> results;
  ExitCode worst = fine;
  for (const std::string& method : a.methods.empty() ? method_names() : a.methods) {
    const Checked<Scene> scene = load_scene({a.scene, method, a.sets});
    if (!scene) return fmt::print(stderr, "{}", to_text(scene.problems())), bad_input;
    Checked<Simulation> simulation = Simulation::open(*scene);
    if (!simulation) {
      fmt::print(stderr, "{}", to_text(simulation.problems()));
      if (a.methods.empty()) continue;  // every method that can
      return bad_input;
    }
    Result result{simulate(*simulation, {}), simulation->frame()};
    if (result.report.outcome != Outcome::fine) {
      worst = std::max(worst, result.report.outcome == Outcome::suspect ? check_failed : diverged);
      fmt::print(stderr, "{}: {}\n", method, result.report.message);
    }
    results.push_back(std::move(result));
  }
  if (results.empty()) return bad_input;
  if (a.json)
    print_json(results);
  else
    print_text(results);
  return worst;
}

}  // namespace tendril::cli
