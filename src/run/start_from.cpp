#include "run/start_from.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "tendril/record.h"

namespace tendril {
namespace {
namespace fs = std::filesystem;

Problems problem_with_start(std::string what, std::string remedy) {
  return {{Severity::error, "", "start_from", std::move(what), "", std::move(remedy)}};
}

// The same rods, cut at the same places; empty when they are.
std::string difference(const Frame& frame, const Model& model) {
  const auto count = [](std::size_t n, const char* noun) { return fmt::format("{} {}", n, noun); };
  if (frame.rods.size() != model.rods.size())
    return fmt::format("it has {}, the scene {}", count(frame.rods.size(), "rods"), model.rods.size());
  if (frame.bodies.size() != model.bodies.size())
    return fmt::format("it has {}, the scene {}", count(frame.bodies.size(), "bodies"), model.bodies.size());
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan &was = frame.rods[r], &is = model.rods[r].span;
    if (was.nodes != is.nodes || was.ring != is.ring)
      return fmt::format("its rod `{}` has {} segments, the scene's {}", model.rods[r].name, was.edges, is.edges);
    for (int k = 0; k < is.nodes; ++k) {
      const NodeIndex node(is.first_node + k);
      if (std::abs(frame.material[node] - model.material[node]) > 1e-9 * model.rods[r].length)
        return fmt::format("the nodes of its rod `{}` stand elsewhere along it", model.rods[r].name);
    }
  }
  return {};
}

}  // namespace

Problems take_start(const Scene& scene, Model& model) {
  const fs::path named = fs::path(scene.source.file).parent_path() / scene.start_from;
  const fs::path file = fs::is_directory(named) ? named / "run.h5" : named;
  Frame frame;
  try {
    TrajectoryReader reader(file);
    if (reader.frames() == 0) return problem_with_start(fmt::format("{} has no frames", file.string()), "let it run first");
    Measures measures;
    reader.read(reader.frames() - 1, frame, measures);
  } catch (const RecordError& error) {
    return problem_with_start(error.what(), "give the folder of a run, from the scene's own folder");
  }
  if (const std::string other = difference(frame, model); !other.empty())
    return problem_with_start(fmt::format("{} cannot be started from: {}", file.string(), other),
                              "take the same rods with the same segments");
  // What moves and how fast; everything else of the start is the scene's.
  model.initial.position = frame.position, model.initial.velocity = frame.velocity;
  model.initial.orientation = frame.orientation, model.initial.spin = frame.spin, model.initial.twist = frame.twist;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (model.bodies[b].moves_freely()) model.bodies[b].start = frame.bodies[b];
  return {};
}

}  // namespace tendril
