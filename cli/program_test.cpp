#include <tendril_paths.h>
#include <nlohmann/json.hpp>

#include "cli/run_program_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using nlohmann::json;

SENTENCE("cli", "without arguments the first line is the command to try first") {
  const Answer a = Shell().tendril("");
  EXPECT_EQ(a.code, 0);
  EXPECT_EQ(a.out.substr(0, a.out.find('\n')), "./tendril view");
}

SENTENCE("cli", "run writes its files, says where, and exits with 0") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const Answer a = shell.tendril("run beam.toml");
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(has(a.out, "runs/beam/run.h5")) << a.out;
  for (const char* name : {"run.h5", "summary.json", "probes.csv"})
    EXPECT_TRUE(std::filesystem::exists(shell.folder / "runs" / "beam" / name)) << name;
  EXPECT_EQ(read_trajectory(shell.folder / "runs" / "beam" / "run.h5").frames.size(), 11u);
}

SENTENCE("cli",
         "every run leaves an index.html: finished, interrupted, resumed, diverged; without it the run is still a run") {
  Shell shell;
  const auto outcome = [&](const char* run) {
    const std::string html = read_text_file(shell.folder / run / "index.html");
    const std::size_t at = html.find("\"outcome\":\"");
    return at == std::string::npos ? "" : html.substr(at + 11, html.find('"', at + 11) - at - 11);
  };
  shell.file("beam.toml", beam_scene());
  const Answer a = shell.tendril("run beam.toml -o here");
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(has(a.out, "here/index.html")) << a.out;
  EXPECT_EQ(outcome("here"), "fine");
  shell.file("slow.toml", beam_scene("duration = 0.2", "duration = 1000"));
  EXPECT_EQ(shell.tendril_with_signal({"run", "slow.toml", "-o", "cut"}, SIGINT, "cut", 5).code, 130);
  EXPECT_EQ(outcome("cut"), "interrupted");
  shell.file("stiff.toml", beam_scene("step = \"auto\"", "step = 2.0"));
  const Answer stiff = shell.tendril(
      "run stiff.toml -o here --set time.allow_unstable=true --set time.duration=40 --set time.frames_per_second=0.5 --set "
      "'rod[0].stretch=elastic'");
  EXPECT_EQ(stiff.code, 3) << stiff.err;  // in the place of the older run
  EXPECT_EQ(outcome("here"), "diverged");
  EXPECT_EQ(shell.tendril("run beam.toml -o blocked").code, 0);
  std::filesystem::remove(shell.folder / "blocked" / "index.html");
  std::filesystem::create_directories(shell.folder / "blocked" / "index.html" / "in the way");
  const Answer resumed = shell.tendril("run beam.toml -o blocked --resume --until 0.3");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "warning: no index.html was written, everything else was")) << resumed.err;
  EXPECT_FALSE(has(resumed.out, "index.html")) << resumed.out;
  std::filesystem::remove_all(shell.folder / "blocked" / "index.html");
  EXPECT_EQ(shell.tendril("run beam.toml -o blocked --resume --until 0.4").code, 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(shell.folder / "blocked" / "index.html"));
}

SENTENCE("cli", "run --json prints JSON and nothing else, --quiet prints nothing") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const Answer a = shell.tendril("run beam.toml --json -o here");
  EXPECT_EQ(a.code, 0) << a.err;
  const json printed = json::parse(a.out);
  EXPECT_EQ(printed.at("method"), "der");
  EXPECT_EQ(printed.at("rods").at("beam").at("positions").size(), 13u);
  EXPECT_NEAR(printed.at("time").get<double>(), 0.2, 0);
  json written = json::parse(read_text_file(shell.folder / "here" / "summary.json"));
  EXPECT_EQ(printed.at("rods"), written.at("rods"));
  const Answer quiet = shell.tendril("run beam.toml --quiet");
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

SENTENCE("cli", "--set takes names and indices, --until ends earlier, --method chooses") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const Answer a =
      shell.tendril("run beam.toml --json --set rod.beam.segments=20 --set time.step=1e-4 --until 0.1 --method der");
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(json::parse(a.out).at("rods").at("beam").at("positions").size(), 21u);
  EXPECT_EQ(json::parse(a.out).at("time"), 0.1);
  const Answer b = shell.tendril("run beam.toml --json --set 'rod[0].segments=7'");
  EXPECT_EQ(json::parse(b.out).at("rods").at("beam").at("positions").size(), 8u) << b.err;
  EXPECT_EQ(shell.tendril("run beam.toml --set rod.beam.segmnts=7").code, 2);
  EXPECT_TRUE(has(shell.tendril("run beam.toml --set rod.beam.segmnts=7").err, "did you mean"));
  EXPECT_EQ(shell.tendril("run beam.toml --set rod.beam.segments").code, 2);
  EXPECT_EQ(shell.tendril("run beam.toml --set rod.baem.segments=7").code, 2);
}

SENTENCE("cli", "--inputs does again what a user did in another run, bit for bit, and never over it") {
  Shell shell;
  const auto file = shell.file("beam.toml", beam_scene("step = \"auto\"", "step = 2e-4"));
  {
    Checked<Scene> scene = read_scene_file(file);
    Checked<Simulation> live = Simulation::open(*scene);
    live->go_on_until(0.3);  // longer than the scene
    RunFolder run(shell.folder / "live");
    Sink* sinks[] = {&run};
    int asked = 0;
    simulate(*live, sinks, [&] {
      if (++asked % 5 == 0) live->set_input("clamp.wall.turn", 0.001 * asked);
      if (asked == 3) live->set_input("clamp.wall.move", Vec3(0, 0.01, 0));
      return false;
    });
  }
  EXPECT_GT(read_inputs(shell.folder / "live").inputs.size(), 5u);
  const Answer a = shell.tendril("run beam.toml --inputs live -o again");
  EXPECT_EQ(a.code, 0) << a.err;
  expect_same_runs(shell.folder / "live", shell.folder / "again");
  const Answer over = shell.tendril("run beam.toml --inputs live -o live");
  EXPECT_EQ(over.code, 2);
  EXPECT_TRUE(has(over.err, "would replace the one whose inputs it needs")) << over.err;
  EXPECT_EQ(shell.tendril("run beam.toml --inputs nowhere").code, 2);
  shell.file("other.toml", beam_scene("name = \"wall\"", "name = \"door\""));
  const Answer misfit = shell.tendril("run other.toml --inputs live -o other");
  EXPECT_EQ(misfit.code, 2);
  EXPECT_TRUE(has(misfit.err, "do not fit this scene")) << misfit.err;
}

SENTENCE("cli", "unknown commands, scenes, methods, experiments and lists get a suggestion and exit code 2") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  setenv("TENDRIL_SCENES_DIR", shell.folder.text().c_str(), 1);
  const auto suggests = [&shell](const std::string& arguments, const std::string& word) {
    const Answer a = shell.tendril(arguments);
    EXPECT_EQ(a.code, 2) << arguments;
    EXPECT_TRUE(has(a.err, "did you mean `" + word + "`")) << arguments << ": " << a.err;
    EXPECT_EQ(a.out, "") << arguments;
  };
  suggests("rnu beam", "run");
  suggests("run baem", "beam");
  suggests("run beam --method dre", "der");
  suggests("list scens", "scenes");
  EXPECT_EQ(shell.tendril("run beam").code, 0);
  EXPECT_TRUE(has(shell.tendril("list scenes").out, "beam  Beam") || has(shell.tendril("list scenes").out, "Beam"));
  EXPECT_EQ(shell.tendril("validate der/nothing-like-this").code, 2);
  unsetenv("TENDRIL_SCENES_DIR");
}

SENTENCE("cli", "a program that has been moved finds the scenes installed beside it, not those it was built with") {
  Shell shell;
  namespace fs = std::filesystem;
  fs::create_directories(shell.folder / "bin");
  fs::create_directories(shell.folder / "share/tendril/scenes");
  fs::create_symlink(TENDRIL_PROGRAM, shell.folder / "linked");
  fs::copy_file(TENDRIL_PROGRAM, shell.folder / "bin/tendril");
  shell.file("share/tendril/scenes/only_here.toml", beam_scene());
  const auto listed = [&shell](const std::string& program) {
    const std::string said = (shell.folder / "said.txt").string();
    EXPECT_EQ(std::system(("cd / && '" + (shell.folder / program).string() + "' list scenes >'" + said + "'").c_str()), 0);
    return read_text_file(said);
  };
  EXPECT_TRUE(has(listed("bin/tendril"), "only_here"));
  EXPECT_FALSE(has(listed("bin/tendril"), "cantilever"));
  EXPECT_TRUE(has(listed("linked"), "cantilever"));  // a link to the program of a source tree has that tree's
}

SENTENCE("cli", "wrong usage exits with 2") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  for (const char* arguments : {"run", "run beam.toml --until x", "run beam.toml --threads 0", "run beam.toml --colour red",
                                "run beam.toml --quiet --json", "list", "check", "run beam.toml --resume -o nowhere"})
    EXPECT_EQ(shell.tendril(arguments).code, 2) << arguments;
  EXPECT_EQ(shell.tendril("--help").code, 0);
  EXPECT_EQ(shell.tendril("run --help").code, 0);
  EXPECT_EQ(shell.tendril("--version").code, 0);
}

SENTENCE("cli", "list knows methods, scenes, experiments, the scene format and its schema") {
  Shell shell;
  EXPECT_TRUE(has(shell.tendril("list methods").out, "der: Discrete Elastic Rods"));
  EXPECT_EQ(shell.tendril("list experiments").code, 0);
  EXPECT_TRUE(has(shell.tendril("list scene-format").out, "frames_per_second"));
  EXPECT_TRUE(json::parse(shell.tendril("list schema").out).contains("properties"));
}

SENTENCE("cli", "check prints stiffness, wave speeds and step advice, as text and as JSON") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const Answer text = shell.tendril("check beam.toml");
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* word : {"EA", "EI1", "GJ", "wave speeds", "slenderness", "advised step"})
    EXPECT_TRUE(has(text.out, word)) << word;
  const Answer a = shell.tendril("check beam.toml --json");
  const json j = json::parse(a.out);
  EXPECT_TRUE(j.at("fine").get<bool>());
  const double area = 3.141592653589793 * 1e-4, inertia = 3.141592653589793 * 1e-8 / 4;
  EXPECT_NEAR(j.at("rods").at("beam").at("EA").get<double>(), 1e6 * area, 1e-6);
  EXPECT_NEAR(j.at("rods").at("beam").at("EI1").get<double>(), 1e6 * inertia, 1e-12);
  EXPECT_NEAR(j.at("rods").at("beam").at("mass").get<double>(), 1100 * area, 1e-9);
  EXPECT_GT(j.at("methods").at("der").at("advised_step").get<double>(), 0);
  shell.file("bad.toml", beam_scene("density = 1100.0", "density = -1.0"));
  const Answer bad = shell.tendril("check bad.toml --json");
  EXPECT_EQ(bad.code, 2);
  EXPECT_FALSE(json::parse(bad.out).at("problems").empty());
}

SENTENCE("cli", "check tells every problem at once") {
  Shell shell;
  std::string text = beam_scene("density = 1100.0", "density = -1.0");
  text += "[[clamp]]\nrod = \"nothing\"\nat = 0.5\n";
  shell.file("bad.toml", text);
  const Answer a = shell.tendril("check bad.toml");
  EXPECT_EQ(a.code, 2);
  EXPECT_TRUE(has(a.err, "bad.toml:8:")) << a.err;
  EXPECT_TRUE(has(a.err, "nothing")) << a.err;
}

SENTENCE("cli", "a run that diverges exits with 3, names the cause and keeps the last good state") {
  Shell shell;
  // 1 s steps for a rod that needs less than a millisecond; even 1/256 of it is too much.
  shell.file("beam.toml", beam_scene("step = \"auto\"", "step = 2.0"));
  const Answer a = shell.tendril(
      "run beam.toml --set time.allow_unstable=true --set time.duration=40 --set time.frames_per_second=0.5 "
      "--set 'rod[0].stretch=elastic'");
  EXPECT_EQ(a.code, 3) << a.err;
  EXPECT_TRUE(has(a.err, "What to change")) << a.err;
  EXPECT_TRUE(std::filesystem::exists(shell.folder / "runs" / "beam" / "checkpoint.bin"));
  EXPECT_FALSE(look_at_run(shell.folder / "runs" / "beam").complete);
}

SENTENCE("cli", "Ctrl-C leaves a valid partial run, says how to go on, and going on gives the same bits") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const std::vector<std::string> words{"run", "beam.toml", "-o", "cut", "--set", "time.step=1e-6", "--until", "20"};
  const Answer cut = shell.tendril_with_signal(words, SIGINT, "cut", 0);
  ASSERT_EQ(cut.code, 130) << cut.err;
  EXPECT_TRUE(has(cut.err, "--resume")) << cut.err;
  EXPECT_FALSE(std::filesystem::exists(shell.folder / "cut" / "summary.json"));
  const std::int64_t frames = look_at_run(shell.folder / "cut").frames;
  const std::string until = std::to_string(static_cast<double>(frames + 5) / 50);
  const std::string common = " --set time.step=1e-6 --until " + until;
  EXPECT_EQ(shell.tendril("run beam.toml -o cut --resume" + common).code, 0);
  EXPECT_EQ(shell.tendril("run beam.toml -o whole" + common).code, 0);
  expect_same_runs(shell.folder / "whole", shell.folder / "cut");
}

SENTENCE("cli", "a process killed with SIGKILL leaves a readable run, and --resume gives the bits of an uninterrupted one") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const std::vector<std::string> words{"run", "beam.toml", "-o", "cut", "--set", "time.step=1e-6", "--until", "20"};
  EXPECT_EQ(shell.tendril_with_signal(words, SIGKILL, "cut", 2).code, -SIGKILL);
  const Trajectory t = read_trajectory(shell.folder / "cut" / "run.h5");
  ASSERT_GT(t.frames.size(), 1u);
  const std::string common =
      " --set time.step=1e-6 --until " + std::to_string(static_cast<double>(t.frames.size() + 4) / 50);
  const Answer resumed = shell.tendril("run beam.toml -o cut --resume" + common);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(shell.tendril("run beam.toml -o whole" + common).code, 0);
  expect_same_runs(shell.folder / "whole", shell.folder / "cut");
}

SENTENCE("cli", "a bad output folder is refused with exit code 2 and a clear message") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  shell.file("taken", "text");
  for (const char* folder : {"taken", "taken/deeper", "/proc/tendril", "/dev/null/x", "."}) {
    const Answer a = shell.tendril(std::string("run beam.toml -o ") + folder);
    EXPECT_EQ(a.code, 2) << folder;
    EXPECT_TRUE(has(a.err, folder)) << folder << ": " << a.err;
  }
}

SENTENCE("cli", "a full disk is an error at once with a clear message, and leaves nothing that looks whole") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const std::string command = "cd '" + shell.folder.text() +
                              "' && (ulimit -f 60; '" TENDRIL_PROGRAM
                              "' run beam.toml --set time.frames_per_second=2000 >out.txt 2>err.txt)";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_TRUE(has(read_text_file(shell.folder / "err.txt"), "run.h5: could not"))
      << read_text_file(shell.folder / "err.txt");
  EXPECT_FALSE(std::filesystem::exists(shell.folder / "runs" / "beam" / "summary.json"));
  EXPECT_FALSE(look_at_run(shell.folder / "runs" / "beam").complete);
}

SENTENCE("cli", "validate, bench and compare print their JSON") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  EXPECT_TRUE(json::parse(shell.tendril("compare beam.toml --methods der,der --json").out).contains("methods"));
  const Answer table = shell.tendril("compare beam.toml --methods der,der");
  EXPECT_TRUE(has(table.out, "probe tip")) << table.out;
  EXPECT_EQ(shell.tendril("compare beam.toml --methods der,dre").code, 2);
  EXPECT_EQ(shell.tendril("bench no-such-benchmark").code, 2);
}

}  // namespace
SENTENCE("cli", "bench --json tells what a step costs, in rows that name method, rod, variant and segments") {
  const Shell shell;
  const Answer answer = shell.tendril("bench der/isotropic/extensible/20 --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json rows = nlohmann::json::parse(answer.out)["rows"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["name"], "der/isotropic/extensible/20");
  EXPECT_GT(rows[0]["ns_per_segment_step"].get<double>(), 1);
  EXPECT_LT(rows[0]["ns_per_segment_step"].get<double>(), 1e6);
}

}  // namespace tendril
