// Opens a scene, steps it, reads positions: tendril as a library.
#include <tendril/tendril.h>

#include <iostream>

constexpr const char* text = R"(
[time]
duration = 0.5
[[rod]]
name = "beam"
section = { stiffness = { EI1 = 0.01, EI2 = 0.01, GJ = 0.008, mass_per_length = 0.1, radius = 0.005 } }
rest = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }
segments = 40
[[clamp]]
rod = "beam"
[[load]]
gravity = [0, 0, -9.81]
)";

int main(int argc, char** argv) {
  const auto scene = argc > 1 ? tendril::read_scene_file(argv[1]) : tendril::read_scene(text, "beam.toml");
  if (!scene) {  // every problem at once, with its place and a remedy
    std::cerr << to_text(scene.problems());
    return 1;
  }
  auto simulation = tendril::Simulation::open(*scene);
  if (!simulation) {
    std::cerr << to_text(simulation.problems());
    return 1;
  }
  while (!simulation->finished()) {
    const tendril::StepReport report = simulation->advance();
    if (report.outcome == tendril::Outcome::diverged) break;
    if (!simulation->at_recording_time()) continue;
    const tendril::Frame& frame = simulation->frame();
    std::cout << frame.time << " s: tip at " << frame.position[tendril::NodeIndex(frame.position.size() - 1)].transpose()
              << '\n';
  }
  std::cout << simulation->report().steps << " steps\n";
}
