// Every kind of bad input that a user has ever sent to a rod simulator: a clear message and exit code 2.
#include <sys/resource.h>

#include "cli/run_program_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

// Both run and check refuse it, with a message that holds `part`, and leave no run behind.
void expect_refused(const Shell& shell, const std::string& file, const std::string& part, const std::string& more = "") {
  for (const std::string command : {"run ", "check "}) {
    const Answer a = shell.tendril(command + file + " " + more);
    EXPECT_EQ(a.code, 2) << command << file << "\n" << a.out << a.err;
    EXPECT_TRUE(has(a.err, part)) << command << file << ": expected `" << part << "` in:\n" << a.err;
    EXPECT_FALSE(has(a.err, "inside tendril")) << a.err;
  }
  EXPECT_FALSE(std::filesystem::exists(shell.folder / "runs")) << file;
}
void expect_text_refused(const std::string& text, const std::string& part) {
  Shell shell;
  shell.file("scene.toml", text);
  expect_refused(shell, "scene.toml", part);
}

SENTENCE("cli", "bad input: an unknown key") {
  expect_text_refused(beam_scene("segments = 12", "segmnts = 12"), "did you mean");
  expect_text_refused(beam_scene("segments = 12", "segmnts = 12"), "scene.toml:16:");
}
SENTENCE("cli", "bad input: a wrong type") {
  expect_text_refused(beam_scene("segments = 12", "segments = \"many\""), "segments");
  expect_text_refused(beam_scene("density = 1100.0", "density = [1, 2]"), "density");
}
SENTENCE("cli", "bad input: a negative radius") {
  expect_text_refused(beam_scene("radius = 0.01", "radius = -0.01"), "radius");
}
SENTENCE("cli", "bad input: Poisson ratio 10") {
  expect_text_refused(beam_scene("poisson_ratio = 0.49", "poisson_ratio = 10"), "poisson_ratio");
}
SENTENCE("cli", "bad input: a rod of no length") {
  expect_text_refused(beam_scene("end = [1, 0, 0]", "end = [0, 0, 0]"), "rod[0].rest");
}
SENTENCE("cli", "bad input: coincident points and zero-length segments of a polyline") {
  const std::string rest = "rest = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }\nsegments = 12";
  expect_text_refused(beam_scene(rest, "rest = { polyline = { points = [[0,0,0],[1,0,0],[1,0,0],[2,0,0]] } }"),
                      "rod[0].rest");
}
SENTENCE("cli", "bad input: a clamp on a rod that is not there") {
  expect_text_refused(beam_scene("rod = \"beam\"\nat = 0.0", "rod = \"baem\"\nat = 0.0"), "did you mean");
}
SENTENCE("cli", "bad input: a target that moves more than a rod length in a step") {
  expect_text_refused(
      beam_scene("at = 0.0", "at = 0.0\nmove = { shape = \"linear\", keys = [[0, [0, 0, 0]], [1e-6, [5, 0, 0]]] }"),
      "clamp[0]");
}
SENTENCE("cli", "bad input: two targets further apart than the rod between them") {
  const std::string pulled =
      "[[clamp]]\nrod = \"beam\"\nat = 1.0\nmove = { shape = \"linear\", keys = [[0, [0, 0, 0]], [0.2, [0.5, 0, 0]]] }\n";
  expect_text_refused(beam_scene() + pulled, "clamp[1]");
}
SENTENCE("cli", "bad input: 1e9 segments") {
  expect_text_refused(beam_scene("segments = 12", "segments = 1000000000"), "segments");
}
SENTENCE("cli", "bad input: NaN and infinity") {
  expect_text_refused(beam_scene("density = 1100.0", "density = nan"), "density");
  expect_text_refused(beam_scene("end = [1, 0, 0]", "end = [nan, 0, 0]"), "rod[0].rest");
  expect_text_refused(beam_scene("gravity = [0, 0, -9.81]", "gravity = [0, 0, inf]"), "gravity");
  Shell shell;
  shell.file("scene.toml", beam_scene());
  expect_refused(shell, "scene.toml", "density", "--set material.rubber.density=nan");
}
SENTENCE("cli", "bad input: more steps or frames than anybody waits for") {
  expect_text_refused(beam_scene("step = \"auto\"", "step = 1e-300"), "time.step");
  expect_text_refused(beam_scene("frames_per_second = 50", "frames_per_second = 1e12"), "frames");
}
SENTENCE("cli", "bad input: an empty file") { expect_text_refused("", "scene.toml"); }
SENTENCE("cli", "bad input: a binary file") {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 7919) >> 3);
  expect_text_refused(bytes, "scene.toml");
}
SENTENCE("cli", "bad input: a file of 100 MB is refused by size, at once") {
  Shell shell;
  const auto file = shell.file("scene.toml", "");
  std::filesystem::resize_file(file, 100'000'000);
  const auto used = [] {  // by the programs it started, whatever else the machine does
    rusage children{};
    ::getrusage(RUSAGE_CHILDREN, &children);
    return static_cast<double>(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
  };
  const double before = used();
  expect_refused(shell, "scene.toml", "MB");
  EXPECT_LT(used() - before, 2);
}
SENTENCE("cli", "bad input: a folder instead of a file") {
  Shell shell;
  std::filesystem::create_directory(shell.folder / "scene.toml");
  expect_refused(shell, "scene.toml", "folder");
}
SENTENCE("cli", "bad input: a file that is not there, and a device") {
  Shell shell;
  expect_refused(shell, "missing/scene.toml", "there is no such file");
  expect_refused(shell, "/dev/null", "/dev/null");
}
SENTENCE("cli", "bad input: a request that the method cannot meet") {
  const std::string joint =
      "[[rod]]\nname = \"arm\"\nmaterial = \"rubber\"\nsection = { circle = { radius = 0.01 } }\n"
      "rest = { straight = { start = [1, 0, 0], end = [1, 1, 0] } }\n"
      "[[joint]]\nkind = \"rigid\"\na = { rod = \"beam\", at = 1.0 }\nb = { rod = \"arm\", at = 0.0 }\n";
  expect_text_refused(beam_scene("duration = 0.2", "mode = \"statics\"") + joint, "joint");
}

}  // namespace
}  // namespace tendril
