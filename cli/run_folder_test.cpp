// Run folders under attack and in bad weather: two writers, kills, links and pipes, files that go away, orders to stop.
#include <sys/inotify.h>
#include <sys/stat.h>
#include <tendril_paths.h>

#include "cli/run_program_testing.h"
#include "record/crafted_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// A run of the beam that lasts until it is told to end.
const std::vector<std::string> endless{"run", "beam.toml", "-o", "a", "--set", "time.step=1e-6", "--until", "20"};

SENTENCE(
    "cli",
    "two runs in one folder: the second one is refused, by run, by --resume and by view, and the first one is not harmed") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  Running first = shell.start(endless);
  ASSERT_TRUE(wait_for_rows(shell.folder / "a", 2));
  const Answer second = shell.tendril("run beam.toml -o a --until 0.1");
  EXPECT_EQ(second.code, 2);
  EXPECT_TRUE(has(second.err, "a: another tendril is writing its run there")) << second.err;
  const Answer resumed = shell.tendril("run beam.toml -o a --resume --set time.step=1e-6 --until 20");
  EXPECT_EQ(resumed.code, 2);
  EXPECT_TRUE(has(resumed.err, "another tendril is writing its run there")) << resumed.err;
  EXPECT_FALSE(has(resumed.err, "leave out --resume") || has(resumed.err, "without --resume")) << resumed.err;
  for (const char* look :
       {"view a -o x.html", "view a/run.h5 -o x.html", "render a -o x.png", "run beam.toml --inputs a -o b"}) {
    const Answer seen = shell.tendril(look);
    EXPECT_EQ(seen.code, 2) << look;
    EXPECT_TRUE(has(seen.err, "this run is still going on")) << look << ": " << seen.err;
  }
  ASSERT_TRUE(wait_for_rows(shell.folder / "a", 3));
  first.send(SIGINT);
  ASSERT_TRUE(first.ended_within(30));
  EXPECT_EQ(first.code(), 130) << first.err();
  EXPECT_GE(read_trajectory(shell.folder / "a" / "run.h5").frames.size(), 3u);
  EXPECT_EQ(shell.tendril("run beam.toml -o a --until 0.1").code, 0);  // the lock is gone with its process
}

SENTENCE("cli",
         "a run that was killed before its first frame begins anew with --resume; frames without a checkpoint are never "
         "thrown away") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  // As a kill during begin() leaves it: a run.h5 that is not finished, nothing else.
  fs::create_directories(shell.folder / "early");
  shell.file("early/run.h5", "\x89HDF");
  const Answer early = shell.tendril("run beam.toml -o early --resume");
  EXPECT_EQ(early.code, 0) << early.err;
  EXPECT_TRUE(has(early.err, "it begins anew")) << early.err;
  EXPECT_TRUE(look_at_run(shell.folder / "early").complete);
  // With frames: refused, and they stay.
  fs::remove(shell.folder / "early" / "checkpoint.bin");
  const Answer late = shell.tendril("run beam.toml -o early --resume --until 0.4");
  EXPECT_EQ(late.code, 2);
  EXPECT_TRUE(has(late.err, "checkpoint.bin is missing") && has(late.err, "11 frames")) << late.err;
  EXPECT_EQ(look_at_run(shell.folder / "early").frames, 11);
  // No run at all: said so.
  EXPECT_TRUE(has(shell.tendril("run beam.toml -o nowhere --resume").err, "there is no run to resume"));
}

SENTENCE("cli", "run.h5 or probes.csv removed while the run goes on: not exit code 0") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  for (const char* file : {"run.h5", "probes.csv"}) {
    Running run = shell.start(endless);
    ASSERT_TRUE(wait_for_rows(shell.folder / "a", 1));
    fs::remove(shell.folder / "a" / file);
    ASSERT_TRUE(run.ended_within(30)) << file;  // at the next flush, long before its end
    EXPECT_EQ(run.code(), 2) << file << ": " << run.err();
    EXPECT_TRUE(has(run.err(), std::string(file) + ": was removed, moved or replaced")) << run.err();
    fs::remove_all(shell.folder / "a");
  }
}

SENTENCE("cli", "SIGHUP ends a run in order, as Ctrl-C does; nohup goes on") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const Answer a = shell.tendril_with_signal(endless, SIGHUP, "a", 0);
  EXPECT_EQ(a.code, 130) << a.err;
  EXPECT_TRUE(has(a.err, "--resume")) << a.err;
  signal(SIGHUP, SIG_IGN);  // inherited, as nohup does it
  Running run = shell.start(endless);
  signal(SIGHUP, SIG_DFL);
  ASSERT_TRUE(wait_for_rows(shell.folder / "a", 1));
  run.send(SIGHUP);
  EXPECT_FALSE(run.ended_within(0.3));
}

SENTENCE("cli", "a hostile folder: links are not followed, pipes are not waited for") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  const auto victim = shell.file("victim", "precious");
  for (const char* name : {"checkpoint.bin.new", "summary.json.new", "index.html.new", "run.log", "run.h5", "probes.csv",
                           "checkpoint.bin", "summary.json", "index.html"}) {
    fs::create_directories(shell.folder / "f");
    if (std::string(name) != "run.h5") shell.file("f/run.h5", "");
    fs::create_symlink(victim, shell.folder / "f" / name);
    const Answer a = shell.tendril("run beam.toml -o f");
    EXPECT_EQ(a.code, 0) << name << ": " << a.err;
    EXPECT_EQ(read_text_file(victim), "precious") << name;
    fs::remove_all(shell.folder / "f");
  }
  for (const char* name : {"checkpoint.bin.new", "run.log", "run.h5", "probes.csv", "checkpoint.bin"})
    for (const char* what : {"run beam.toml -o f", "run beam.toml -o f --resume", "view f -o x.html"}) {
      ASSERT_EQ(shell.tendril("run beam.toml -o f").code, 0);
      fs::remove(shell.folder / "f" / name);
      ASSERT_EQ(mkfifo((shell.folder / "f" / name).c_str(), 0600), 0);
      std::vector<std::string> words;
      std::istringstream text(what);
      for (std::string word; text >> word;) words.push_back(word);
      Running run = shell.start(words);
      ASSERT_TRUE(run.ended_within(30)) << what << " waits for the pipe " << name;
      EXPECT_GE(run.code(), 0) << what << " " << name;
      fs::remove_all(shell.folder / "f");
    }
  // A resumed run does not write through a link either.
  ASSERT_EQ(shell.tendril("run beam.toml -o f").code, 0);
  fs::rename(shell.folder / "f" / "run.h5", shell.folder / "elsewhere.h5");
  fs::create_symlink(shell.folder / "elsewhere.h5", shell.folder / "f" / "run.h5");
  const Answer through = shell.tendril("run beam.toml -o f --resume --until 0.4");
  EXPECT_EQ(through.code, 2);
  EXPECT_TRUE(has(through.err, "run.h5: is a link, not a regular file")) << through.err;
}

SENTENCE("cli",
         "the first Ctrl-C ends the search for an equilibrium within a second or two, and what was found before stays") {
  Shell shell;
  // One equilibrium that takes minutes: an inextensible der rod of 20 000 segments, pushed together while it is straight.
  shell.file("long.toml", R"(method = "der"
[time]
duration = 1
mode = "quasistatic"
frames_per_second = 1000
[options.der]
relax_iterations = 100000
relax_tolerance = 1e-15
[[rod]]
name = "r"
section = { stiffness = { EI1 = 1e-6, EI2 = 1e-6, GJ = 1e-6, mass_per_length = 0.001, radius = 0.001 } }
rest = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }
segments = 20000
[[clamp]]
name = "a"
rod = "r"
[[clamp]]
name = "b"
rod = "r"
at = 1.0
move = { keys = [[0, [0, 0, 0]], [1, [-0.5, 0, 0]]] }
[[load]]
gravity = [0, 0, -9.81]
[[probe]]
name = "b"
clamp = "b"
quantity = "reaction_force"
)");
  Running run = shell.start({"run", "long.toml", "-o", "a"});
  ASSERT_TRUE(wait_for_rows(shell.folder / "a", -1));
  while (!fs::exists(shell.folder / "a" / "checkpoint.bin")) usleep(10'000);
  usleep(1'000'000);  // it is at work on an equilibrium now
  ASSERT_FALSE(run.ended_within(0.01)) << run.err();
  run.send(SIGINT);
  ASSERT_TRUE(run.ended_within(20)) << "this machine may be busy, but not that busy";
  EXPECT_EQ(run.code(), 130) << run.err();
  EXPECT_TRUE(has(run.err(), "interrupted at t = ")) << run.err();
}

SENTENCE("cli",
         "the scene inside a run.h5 loads no file of this machine: not in view, --resume, --inputs, start_from or compare") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  ASSERT_EQ(shell.tendril("run beam.toml -o a").code, 0);
  const auto secret = shell.file("secret.csv", "x,y,z\n0,0,0\n1,0,0\n");
  {
    const h5::Handle open = open_to_craft((shell.folder / "a" / "run.h5").string());
    const std::string rest = "rest = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }";
    h5::write_text(open.get(), "scene", beam_scene(rest, "rest = { polyline = { file = \"" + secret.string() + "\" } }"),
                   "a");
  }
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(watch, secret.c_str(), IN_OPEN | IN_ACCESS), 0);
  EXPECT_EQ(shell.tendril("view a -o x.html").code, 0);
  EXPECT_EQ(shell.tendril("run beam.toml -o b --inputs a").code, 0);
  EXPECT_EQ(shell.tendril("run beam.toml -o a --resume --until 0.3").code, 0);
  char event[4096];
  EXPECT_LT(read(watch, event, sizeof event), 0) << "somebody opened the file";
  // The watch works: reading the scene itself opens it.
  shell.file("reads.toml", beam_scene("rest = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }\nsegments = 12",
                                      "rest = { polyline = { file = \"secret.csv\" } }"));
  shell.tendril("check reads.toml");
  EXPECT_GT(read(watch, event, sizeof event), 0);
  close(watch);
}

SENTENCE("cli", "--resume with an end before the checkpoint is refused, and the run stays as it was") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  ASSERT_EQ(shell.tendril("run beam.toml -o a").code, 0);
  const Answer a = shell.tendril("run beam.toml -o a --resume --until 0.1");
  EXPECT_EQ(a.code, 2);
  EXPECT_TRUE(has(a.err, "has reached t = 0.2 s already")) << a.err;
  EXPECT_TRUE(look_at_run(shell.folder / "a").complete);
  EXPECT_EQ(shell.tendril("run beam.toml -o a --resume").code, 0);  // nothing left to do
}

SENTENCE("cli", "attack strands_hang: a rod of half a micrometre that is led a metre away ends with a sentence, at once") {
  Shell shell;
  Running run = shell.start({"run", TENDRIL_SOURCE_DIR "/testing/attacks/strands_hang.toml", "-o", "a", "--until", "0.05"});
  ASSERT_TRUE(run.ended_within(60));
  EXPECT_EQ(run.code(), 3) << run.err();
  EXPECT_TRUE(has(run.err(), "What to change: look at the paths of the clamps")) << run.err();
}

}  // namespace
}  // namespace tendril
