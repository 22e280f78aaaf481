// Small scenes and shortcuts for the tests of this room.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "scene/check_scene.h"
#include "tendril/simulate.h"
#include "testing/temporary_folder.h"

namespace tendril::scene_testing {

inline const std::string plain_scene = R"(title  = "Cantilever under its own weight"
method = "der"

[time]
duration = 2.0
step     = "auto"

[material.rubber]
density = 1100.0
young_modulus = 1.0e6
poisson_ratio = 0.49

[[rod]]
name     = "beam"
material = "rubber"
section  = { circle = { radius = 0.005 } }
rest     = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }
segments = 50

[[clamp]]
rod = "beam"
at  = 0.0
hold = ["position", "direction", "twist"]

[[load]]
gravity = [0, 0, -9.81]

[[probe]]
name = "tip"
rod = "beam"
at = 1.0
quantity = "position"
)";

// The plain scene with one piece of text replaced.
inline std::string with(const std::string& from, const std::string& to) {
  std::string text = plain_scene;
  const std::size_t at = text.find(from);
  TENDRIL_REQUIRE(at != std::string::npos, "the plain scene does not contain " + from);
  return text.replace(at, from.size(), to);
}

// Everything that reading and checking find, as text.
inline std::string complaints(const std::string& toml, std::span<const MethodInfo> methods = all_method_infos()) {
  const Checked<Scene> scene = read_scene(toml, "scene.toml");
  Problems problems = scene.problems();
  if (scene)
    for (Problem& p : check_scene(*scene, methods)) problems.push_back(std::move(p));
  return to_text(problems);
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << "in:\n" << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ(std::string(text).find(part), std::string::npos) << "in:\n" << (text)

}  // namespace tendril::scene_testing
