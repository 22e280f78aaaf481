#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/find_scene.h"
#include "tendril/modes.h"
#include "tendril/record.h"
#include "tendril/view.h"
#include "view/replay.h"

namespace tendril::cli {
namespace {

using Json = nlohmann::ordered_json;

Json list_of(const OnNodes<Vec3>& moves, const RodSpan& rod) {
  Json out = Json::array();
  for (int k = 0; k < rod.nodes; ++k) {
    const Vec3& v = moves[NodeIndex(rod.first_node + k)];
    out.push_back({v.x(), v.y(), v.z()});
  }
  return out;
}

// Shapes have unit modal mass; frequencies are null where nothing swings.
Json json_of(const Modes& modes, const std::string& method, const std::vector<std::string>& rods) {
  Json out = {{"method", method}, {"modes", Json::array()}};
  for (const NaturalMode& mode : modes.list) {
    Json one = {{"omega_squared", mode.omega_squared}, {"frequency", nullptr}, {"shape", Json::object()}};
    if (mode.omega_squared > 0) one["frequency"] = mode.frequency();
    for (std::size_t r = 0; r < modes.equilibrium.rods.size(); ++r)
      one["shape"][rods[r]] = list_of(mode.move, modes.equilibrium.rods[r]);
    out["modes"].push_back(std::move(one));
  }
  return out;
}

std::string words_of(const NaturalMode& mode) {
  if (mode.omega_squared > 0) return fmt::format("{:.6g} Hz", mode.frequency());
  if (mode.omega_squared == 0) return "moves for nothing";
  return fmt::format("unstable, grows by e in {:.4g} s", 1 / std::sqrt(-mode.omega_squared));
}

// A run folder whose frames swing in one mode after the other; its page has a menu of them.
bool record(const Scene& scene, const Modes& modes, const std::string& folder, const Json& json) {
  RunFolder run(folder);
  run.describe = [&modes](const Simulation& simulation) {
    Json description = Json::parse(describe_for_views(simulation));
    for (std::size_t k = 0; k < modes.list.size(); ++k)
      description["sections"].push_back({{"from", static_cast<double>(k) * seconds_per_mode},
                                         {"to", static_cast<double>(k + 1) * seconds_per_mode},
                                         {"label", fmt::format("mode {}: {}", k + 1, words_of(modes.list[k]))}});
    return description.dump();
  };
  const Problems problems = show_modes(scene, modes, run);
  if (!problems.empty()) fmt::print(stderr, "{}", to_text(problems));
  if (has_errors(problems)) return false;
  const std::filesystem::path path = folder;
  view::write_replay_page({&path, 1}, path / "index.html");
  std::ofstream(path / "modes.json") << json.dump(1) << "\n";
  return true;
}

}  // namespace

int command_modes(const ModesArguments& arguments) {
  Checked<Scene> scene = load_scene({arguments.scene, arguments.method, arguments.sets});
  if (!scene) return fmt::print(stderr, "{}", to_text(scene.problems())), bad_input;
  const Checked<Modes> modes = natural_modes(*scene, arguments.count);
  if (!modes) return fmt::print(stderr, "{}", to_text(modes.problems())), bad_input;
  std::vector<std::string> rods;
  for (std::size_t r = 0; r < scene->rods.size(); ++r)
    rods.push_back(scene->rods[r].name.empty() ? fmt::format("rod{}", r + 1) : scene->rods[r].name);
  const Json json = json_of(*modes, scene->method, rods);
  if (!arguments.output.empty() && !record(*scene, *modes, arguments.output, json)) return bad_input;
  if (arguments.json) {
    fmt::print("{}\n", json.dump(1));
    return fine;
  }
  fmt::print("mode  frequency [Hz]  period [s]  omega [rad/s]\n");
  for (std::size_t k = 0; k < modes->list.size(); ++k) {
    const NaturalMode& mode = modes->list[k];
    if (mode.omega_squared > 0)
      fmt::print("{:>4}  {:>14.6g}  {:>10.5g}  {:>13.6g}\n", k + 1, mode.frequency(), 1 / mode.frequency(),
                 std::sqrt(mode.omega_squared));
    else
      fmt::print("{:>4}  {}\n", k + 1, words_of(mode));
  }
  if (!arguments.output.empty())
    fmt::print("to look at them, open {0}/index.html in a browser; shapes are in {0}/modes.json\n", arguments.output);
  return fine;
}

}  // namespace tendril::cli
