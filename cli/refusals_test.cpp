// Wrong must not look fine: what the commands refuse, what they say then, and with which exit code.
#include <tendril_paths.h>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/run_program_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using nlohmann::json;

const std::filesystem::path attacks = std::filesystem::path(TENDRIL_SOURCE_DIR) / "testing/attacks";

SENTENCE("refusals",
         "attack check_json_utf8: check --json takes any bytes, in the scene and in its name: exit code 2 and valid JSON") {
  Shell shell;
  const Answer a = shell.tendril("check --json " + (attacks / "check_json_utf8.toml").string());
  EXPECT_EQ(a.code, 2) << a.err;
  EXPECT_FALSE(json::parse(a.out).at("problems").empty());
  shell.file("\xff.toml", beam_scene("density = 1100.0", "density = -1.0"));
  const Answer b = shell.tendril("check --json \xff.toml");
  EXPECT_EQ(b.code, 2) << b.err;
  EXPECT_FALSE(json::parse(b.out).at("problems").empty());
}

SENTENCE("refusals", "attack segv_dotted_key: a key of 50 000 parts is refused, not a stack overflow") {
  Shell shell;
  for (const std::string command : {"check ", "run "}) {
    const Answer a = shell.tendril(command + (attacks / "segv_dotted_key.toml").string());
    EXPECT_EQ(a.code, 2) << command << a.err;
    EXPECT_TRUE(has(a.err, "segv_dotted_key.toml:1: a key has too many parts")) << a.err.substr(0, 300);
  }
  std::filesystem::create_directory(shell.folder / "scenes");
  std::filesystem::copy_file(attacks / "segv_dotted_key.toml", shell.folder / "scenes/deep.toml");
  setenv("TENDRIL_SCENES_DIR", (shell.folder / "scenes").c_str(), 1);
  EXPECT_TRUE(has(shell.tendril("list scenes").out, "cannot be read"));
  unsetenv("TENDRIL_SCENES_DIR");
}

// Processor time that `check` needs, user only.
double seconds_to_check(const Shell& shell, const std::string& file) {
  const int status = std::system(("cd '" + shell.folder.text() + "' && '" TENDRIL_PROGRAM "' check " + file +
                                  " >out.txt 2>err.txt; code=$?; times >times.txt; exit $code")
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_TRUE(has(read_text_file(shell.folder / "err.txt"), "more"));
  // The second line of `times` is what children used: user and system, as 0m1.234s.
  const std::string times = read_text_file(shell.folder / "times.txt");
  int minutes = 99;
  double seconds = 99;
  EXPECT_EQ(std::sscanf(times.substr(times.find('\n') + 1).c_str(), "%dm%lfs", &minutes, &seconds), 2) << times;
  return 60 * minutes + seconds;
}

SENTENCE("refusals",
         "attack quadratic_errors: 40 000 wrong rods, and a clamp that holds 50 000 things, are refused in seconds") {
  Shell shell;
  EXPECT_LT(seconds_to_check(shell, (attacks / "quadratic_errors.toml").string()), 5)
      << "20 s when each looked at all others";
  std::string holds = "[[rod]]\n[[clamp]]\nhold = [";
  for (int i = 0; i < 50000; ++i) holds += "\"position\", ";
  shell.file("holds.toml", holds + "]\n");
  EXPECT_LT(seconds_to_check(shell, "holds.toml"), 5) << "25 s when each looked at all others";
}

SENTENCE("refusals", "output that cannot be written is no success") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  for (const std::string command : {"check --json beam.toml", "check beam.toml", "list schema", "run beam.toml --json"}) {
    const int status = std::system(
        ("cd '" + shell.folder.text() + "' && '" TENDRIL_PROGRAM "' " + command + " >/dev/full 2>err.txt").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << command;
    EXPECT_TRUE(has(read_text_file(shell.folder / "err.txt"), "could not be written"))
        << command << ": " << read_text_file(shell.folder / "err.txt");
  }
}

SENTENCE("refusals", "--resume --until before the run's time is refused and leaves its files alone") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  EXPECT_EQ(shell.tendril("run beam.toml -o a").code, 0);
  const std::string before = read_text_file(shell.folder / "a/summary.json");
  const Answer a = shell.tendril("run beam.toml -o a --resume --until 0.1");
  EXPECT_EQ(a.code, 2);
  EXPECT_TRUE(has(a.err, "has reached t = 0.2 s already")) << a.err;
  EXPECT_EQ(read_text_file(shell.folder / "a/summary.json"), before);
}

SENTENCE("refusals", "numbers that are none are refused by run and render") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  EXPECT_EQ(shell.tendril("run beam.toml -o a").code, 0);
  for (const std::string arguments : {"--time nan", "--time inf", "--camera nan,0,0,1,1,1", "--camera 1,1,1,1,1,1"}) {
    const Answer a = shell.tendril("render a -o a.png " + arguments);
    EXPECT_EQ(a.code, 2) << arguments << a.err;
    EXPECT_FALSE(std::filesystem::exists(shell.folder / "a.png")) << arguments;
  }
  for (const std::string arguments : {"--from nan", "--to nan", "--speed nan", "--fps nan"})
    EXPECT_EQ(shell.tendril("render a -o a.mp4 " + arguments).code, 2) << arguments;
  EXPECT_EQ(shell.tendril("run beam.toml -o b --until nan").code, 2);
  EXPECT_FALSE(std::filesystem::exists(shell.folder / "b"));
}

SENTENCE("refusals", "a missing file is called that, with the nearest one beside it") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const auto says = [&shell](const std::string& word, const std::string& part) {
    const Answer a = shell.tendril("check " + word);
    EXPECT_EQ(a.code, 2);
    EXPECT_TRUE(has(a.err, part)) << a.err;
  };
  says("beam.tml", "there is no such file: `beam.tml`; did you mean `beam.toml`?");
  says("./baem.toml", "there is no such file: `./baem.toml`; did you mean `./beam.toml`?");
  says("foo.toml", "there is no such file: `foo.toml`; give a file that exists, or a name from `tendril list scenes`");
  says("cantilevr.toml", "there is no such file: `cantilevr.toml`; did you mean `cantilever`?");
}

SENTENCE("refusals", "a misspelt option gets a suggestion") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const Answer a = shell.tendril("run beam.toml --sett a=b");
  EXPECT_EQ(a.code, 2);
  EXPECT_TRUE(has(a.err, "`tendril run` has no option `--sett`; did you mean `--set`?")) << a.err;
  const Answer b = shell.tendril("run beam.toml --sett=a=b");
  EXPECT_TRUE(has(b.err, "has no option `--sett`; did you mean `--set`?")) << b.err;
  const Answer c = shell.tendril("check beam.toml other.toml");
  EXPECT_EQ(c.code, 2);
  EXPECT_TRUE(has(c.err, "`other.toml` is one word too many")) << c.err;
}

SENTENCE("refusals", "what a scene says cannot command the terminal") {
  Shell shell;
  const std::string title = "title = \"\\u001b]0;owned\\u0007\\u009b31mred\\nnext \\u202eback\"";
  shell.file("beam.toml", beam_scene("title = \"Beam\"", title));
  const Answer a = shell.tendril("run beam.toml");
  EXPECT_EQ(a.code, 0) << a.err;
  shell.file("broken.toml", beam_scene("duration = 0.2", "duration = = \x1b[5m"));
  const Answer b = shell.tendril("check broken.toml");
  EXPECT_EQ(b.code, 2);
  const Answer c = shell.tendril("check beam.toml --set $(printf 'rod.\\033[31m=1')");
  EXPECT_EQ(c.code, 2);
  std::filesystem::create_directory(shell.folder / "scenes");
  std::filesystem::copy_file(shell.folder / "beam.toml", shell.folder / "scenes/zz.toml");
  setenv("TENDRIL_SCENES_DIR", (shell.folder / "scenes").c_str(), 1);
  const Answer d = shell.tendril("list scenes");
  unsetenv("TENDRIL_SCENES_DIR");
  const std::string log = read_text_file(shell.folder / "runs/beam/run.log");
  for (const std::string& text : {a.out, a.err, b.err, c.err, d.out, log})
    for (const char* sign : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae"}) EXPECT_FALSE(has(text, sign)) << text;
  EXPECT_TRUE(has(a.out, "\\x1b]0;owned\\x07")) << a.out;
}

SENTENCE("refusals", "a step above the stable one is refused; allowed, the run is suspect: exit code 1, in every file") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const std::string common = " --set time.step=0.1 --set time.duration=2 --set time.frames_per_second=10";
  const Answer refused = shell.tendril("run beam.toml" + common);
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_TRUE(has(refused.err, "time.step: got 0.1 s, stable up to")) << refused.err;
  EXPECT_TRUE(has(refused.err, "allow_unstable = true")) << refused.err;
  const Answer a = shell.tendril("run beam.toml --set time.allow_unstable=true -o a" + common);
  EXPECT_EQ(a.code, 1) << a.err;
  EXPECT_TRUE(has(a.err, "the result is suspect: ")) << a.err;
  const json summary = json::parse(read_text_file(shell.folder / "a/summary.json"));
  EXPECT_EQ(summary.at("run").at("outcome"), "suspect");
  const auto why = summary.at("run").at("message").get<std::string>();
  EXPECT_TRUE(has(why, "% of its energy came from nowhere; take a smaller time.step")) << why;
  EXPECT_EQ(TrajectoryReader(shell.folder / "a/run.h5").outcome(), "suspect");
  EXPECT_TRUE(look_at_run(shell.folder / "a").complete);
  EXPECT_TRUE(has(read_text_file(shell.folder / "a/run.log"), "the result is suspect"));
}

SENTENCE("refusals", "check says in one sentence why a method cannot, and that equilibria need no step") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const Answer a = shell.tendril("check beam.toml");
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(has(a.out,
                  "method strands: cannot run this scene (beam.toml:3:1): it computes equilibria only, but the mode is "
                  "\"dynamics\"; methods that can: der, compact, cable\n"))
      << a.out;
  const Answer b = shell.tendril("check beam.toml --set time.mode=statics");
  EXPECT_TRUE(has(b.out, "method strands: no time step needed (equilibria only)")) << b.out;
}

}  // namespace
}  // namespace tendril
