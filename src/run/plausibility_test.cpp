// Slips that `check` names, and scenes in which it finds none.
#include "run/plausibility.h"

#include <tendril_paths.h>
#include <filesystem>

#include "run/far_away.h"
#include "scene/scene_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {
using namespace scene_testing;

std::string told_by_check(const std::string& text) {
  const Checked<Scene> scene = read_scene(text, "scene.toml");
  EXPECT_TRUE(scene) << to_text(scene.problems());
  return scene ? to_text(check(*scene)) : std::string();
}

SENTENCE("check", "a radius in mm where m are expected is asked about") {
  EXPECT_EQ(told_by_check(plain_scene), "");
  const std::string told = told_by_check(with("radius = 0.005", "radius = 5"));
  EXPECT_CONTAINS(
      told,
      "scene.toml:16:12: warning: rod[0].section: radius 5 m of a rod that is 1 m long, a rod is at least 10 times "
      "as long as its radius; did you mean \"5 cm\" or \"5 mm\"?");
  EXPECT_EQ(told_by_check(with("radius = 0.005", "radius = 0.09")), "");
  EXPECT_CONTAINS(told_by_check(with("radius = 0.005", "radius = 0.11")), "did you mean \"0.11 cm\" or \"0.11 mm\"?");
}

SENTENCE("check", "a density in g/cm^3 and moduli in MPa or GPa are asked about") {
  EXPECT_CONTAINS(
      told_by_check(with("density = 1100.0", "density = 1.1")),
      "warning: material.rubber.density: got 1.1 kg/m^3, materials have 10 to 25000; did you mean \"1.1 g/cm^3\"?");
  EXPECT_CONTAINS(told_by_check(with("density = 1100.0", "density = 1.1e6")), "did you mean \"1.1e+06 g/m^3\"?");
  EXPECT_CONTAINS(told_by_check(with("young_modulus = 1.0e6", "young_modulus = 1")),
                  "young_modulus: got 1 Pa, materials have 1000 to 1e+12; did you mean \"1 MPa\" or \"1 GPa\"?");
  EXPECT_CONTAINS(told_by_check(with("young_modulus = 1.0e6", "young_modulus = 2e12")),
                  "warning: material.rubber.young_modulus");
  EXPECT_CONTAINS(told_by_check(with("poisson_ratio = 0.49", "shear_modulus = 80")),
                  "shear_modulus: got 80 Pa, materials have 1000 to 1e+12; did you mean \"80 MPa\" or \"80 GPa\"?");
}

SENTENCE("check", "a rod that its own weight folds within a fraction of its length is asked about") {
  // EI = 5e-7 N m^2 and w = 0.85 N/m: bent within 8 mm, a hundredth of the metre.
  const std::string limp =
      told_by_check(with("section  = { circle = { radius = 0.005 } }",
                         "section = { stiffness = { EI1 = 5e-7, EI2 = 5e-7, GJ = 5e-7, mass_per_length = 0.0864 } }"));
  EXPECT_CONTAINS(limp, "w L^3 / EI is 1.7e+06");
  EXPECT_CONTAINS(limp, "look at the units of stiffness and mass");
}

SENTENCE("check", "segments longer than the bending length are named with a number that would do") {
  // (EI/w)^(1/3) = (4.9e-4 / 0.848)^(1/3) = 0.083 m.
  EXPECT_EQ(told_by_check(with("segments = 50", "segments = 13")), "");
  const std::string told = told_by_check(with("segments = 50", "segments = 11"));
  EXPECT_CONTAINS(
      told,
      "warning: rod[0].segments: a segment is 0.091 m long, and its weight bends the rod within (EI/w)^(1/3) = 0.083 m");
  EXPECT_CONTAINS(told, "take at least 12 segments");
  // Without weight there is no such length.
  EXPECT_EQ(
      told_by_check(
          with("[[load]]\ngravity = [0, 0, -9.81]\n", "").replace(plain_scene.find("segments = 50"), 13, "segments = 11")),
      "");
}

SENTENCE("check", "segments much longer or shorter than the radius are named where rods touch") {
  const std::string contact = "[contact]\nenabled = true\n";
  EXPECT_EQ(told_by_check(plain_scene + contact), "");
  EXPECT_CONTAINS(told_by_check(with("segments = 50", "segments = 19") + contact),
                  "warning: rod[0].segments: a segment is 11 times as long as the radius");
  EXPECT_CONTAINS(told_by_check(with("segments = 50", "segments = 450") + contact), "fewer segments give the same shape");
  EXPECT_EQ(told_by_check(with("segments = 50", "segments = 19")), "");
}

SENTENCE("check", "no shipped scene is asked about") {
  int scenes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TENDRIL_SOURCE_DIR) / "scenes")) {
    if (entry.path().extension() != ".toml") continue;
    const Checked<Scene> scene = read_scene_file(entry.path());
    ASSERT_TRUE(scene) << to_text(scene.problems());
    const Checked<Model> model = build_model(*scene);
    ASSERT_TRUE(model) << to_text(model.problems());
    EXPECT_EQ(to_text(check_plausible(*scene, *model)), "") << entry.path();
    EXPECT_EQ(to_text(check_far(*model)), "") << entry.path();
    ++scenes;
  }
  EXPECT_GE(scenes, 20);
}

SENTENCE("check", "a scene in map coordinates is warned of, with what is rounded and the remedy") {
  const auto at = [](const char* x, const char* to) {
    return told_by_check(
        with("start = [0, 0, 0], end = [1, 0, 0]", std::string("start = [") + x + ", 0, 0], end = [" + to + ", 0, 0]"));
  };
  EXPECT_EQ(at("1000", "1001"), "");
  EXPECT_CONTAINS(at("1e6", "1000001"),
                  "warning: rod: the rods are 1e+06 m from the origin, where positions are rounded to 2e-10 m");
  EXPECT_CONTAINS(at("1e6", "1000001"), "move the whole scene to the origin");
  EXPECT_CONTAINS(at("1e9", "1000000001"), "rod: the rods are 1e+09 m from the origin");
  EXPECT_LACKS(at("1e9", "1000000001"), "warning: rod:");  // an error
  // Nearer to each other than anything can be there: not "the same point".
  EXPECT_CONTAINS(at("1e12", "1000000000001"), "from the origin, where positions are rounded to");
  EXPECT_CONTAINS(at("1e300", "1e300"), "so far from the origin positions are rounded to 2e+284 m");
}

SENTENCE("check", "a run that stops far from the origin names that, not the step or the clamps") {
  const Checked<Scene> scene =
      read_scene(with("start = [0, 0, 0], end = [1, 0, 0]", "start = [1e7, 0, 0], end = [10000001, 0, 0]"), "scene.toml");
  ASSERT_TRUE(scene);
  Checked<Simulation> simulation = Simulation::open(*scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  while (!simulation->finished() && simulation->time() < 0.3) simulation->advance();
  const RunReport report = simulation->report();
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_CONTAINS(report.message, "move the whole scene to the origin");
  EXPECT_LACKS(report.message, "clamps");
}

}  // namespace
}  // namespace tendril
