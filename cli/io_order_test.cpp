// What the program asks of the operating system, in its order: what must be on the disk before what, and how often files are looked at.
#include <tendril_paths.h>
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "cli/run_program_testing.h"
#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;

struct IoCall {
  std::string what, file;  // name without its folder
};

class WatchedDisk {
 public:
  explicit WatchedDisk(const Shell& shell) : shell_(shell), library_(shell.folder / "watch_io.so") {
    built = run_in_shell("cc -shared -fPIC -O1 -o '" + library_.string() +
                         "' '" TENDRIL_SOURCE_DIR "/testing/inject/watch_io.c' -ldl")
                .code == 0;
  }
  std::vector<IoCall> calls_of(const std::string& arguments) const {
    const fs::path log = shell_.folder / "calls";
    fs::remove(log);
    const std::string command = "cd '" + shell_.folder.text() + "' && LD_PRELOAD='" + library_.string() + "' WATCH_IO='" +
                                log.string() + "' ASAN_OPTIONS=verify_asan_link_order=0 '" TENDRIL_PROGRAM "' " + arguments +
                                " >out.txt 2>err.txt </dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << read_text_file(shell_.folder / "err.txt");
    std::vector<IoCall> calls;
    std::istringstream lines(read_text_file(log));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = line.find(' ');
      calls.push_back({line.substr(0, space), fs::path(line.substr(space + 1)).filename().string()});
    }
    return calls;
  }
  bool built = false;

 private:
  const Shell& shell_;
  fs::path library_;
};

SENTENCE("cli",
         "attack: frames and probes are on the disk before the checkpoint that counts on them, and then the folder is") {
  Shell shell;
  const WatchedDisk disk(shell);
  ASSERT_TRUE(disk.built);
  shell.file("beam.toml", beam_scene());
  const std::vector<IoCall> calls = disk.calls_of("run beam.toml -o a");
  std::set<std::string> unsynced;
  int checkpoints = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& [what, file] = calls[i];
    if (what == "write") unsynced.insert(file);
    if (what == "sync") unsynced.erase(file);
    if (what != "rename" || file != "checkpoint.bin") continue;
    ++checkpoints;
    for (const char* needed : {"run.h5", "probes.csv", "checkpoint.bin.new"})
      EXPECT_FALSE(unsynced.contains(needed)) << needed << " at call " << i;
    ASSERT_LT(i + 1, calls.size());
    EXPECT_EQ(calls[i + 1].what + " " + calls[i + 1].file, "sync a");
  }
  EXPECT_GE(checkpoints, 2);
  EXPECT_TRUE(
      std::any_of(calls.begin(), calls.end(), [](const IoCall& c) { return c.what == "write" && c.file == "run.h5"; }));
}

SENTENCE("cli", "attack: a file of points or triangles is looked at a few times, not once per line") {
  Shell shell;
  const WatchedDisk disk(shell);
  ASSERT_TRUE(disk.built);
  std::ostringstream points, mesh;
  for (int i = 0; i < 2000; ++i) points << 1e-3 * i << ",0,1\n";
  for (int i = 0; i < 500; ++i)
    for (const char* corner : {"0 0", "1 0", "0 1", "0.3 0.3"})
      mesh << "v " << corner << " " << 2 * i + (corner[1] == '.') << "\n";
  for (int i = 0; i < 500; ++i)
    for (const char* face : {"1 3 2", "1 2 4", "1 4 3", "2 3 4"}) {
      std::istringstream corners(face);
      mesh << "f";
      for (int corner = 0; corners >> corner;) mesh << " " << corner + 4 * i;
      mesh << "\n";
    }
  shell.file("points.csv", points.str());
  shell.file("mesh.obj", mesh.str());
  const std::string straight = "rest = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }\nsegments = 12";
  std::string scene = beam_scene(straight, "rest = { polyline = { file = \"points.csv\" } }");
  scene += "\n[contact]\nenabled = true\n[[obstacle]]\nname = \"rock\"\n";
  scene += "shape = { mesh = { file = \"mesh.obj\", position = [0, 9, 0] } }\n";
  shell.file("beam.toml", scene);
  const std::vector<IoCall> calls = disk.calls_of("check beam.toml");
  for (const char* file : {"points.csv", "mesh.obj"}) {
    const auto looks =
        std::count_if(calls.begin(), calls.end(), [&](const IoCall& c) { return c.what == "stat" && c.file == file; });
    EXPECT_GE(looks, 1) << file;
    EXPECT_LE(looks, 5) << file;
  }
}

SENTENCE("cli", "attack: no bit depends on whether the C library uses fused multiply-add") {
  Shell shell;
  const std::string without = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2_Usable,-AVX2 ";
  for (const auto& [scene, until] : {std::pair("perversion", "0.01"), {"hanging_chain", "0.05"}, {"curly_hair", "0.02"}}) {
    const std::string run = std::string("run ") + scene + " --until " + until + " -o ";
    ASSERT_EQ(shell.tendril(run + "a").code, 0) << scene;
    ASSERT_EQ(run_in_shell("cd '" + shell.folder.text() + "' && " + without + "'" TENDRIL_PROGRAM "' " + run + "b").code, 0);
    EXPECT_EQ(read_text_file(shell.folder / "a/probes.csv"), read_text_file(shell.folder / "b/probes.csv")) << scene;
    expect_same_runs(shell.folder / "a", shell.folder / "b");
    fs::remove_all(shell.folder / "a"), fs::remove_all(shell.folder / "b");
  }
}

SENTENCE("cli", "attack: a search for an equilibrium that takes long gives a sign of life, and the first Ctrl-C ends it") {
  Shell shell;
  Running run = shell.start({"run", "suture", "--method", "der", "--until", "0.0003", "-o", "a"});
  for (int tries = 0; tries < 6000 && !has(run.err(), "looking for the next equilibrium"); ++tries) {
    ASSERT_FALSE(run.ended_within(0.01)) << "nothing was said before the end: " << run.err();
  }
  run.send(SIGINT);
  ASSERT_TRUE(run.ended_within(20));
  EXPECT_EQ(run.code(), 130) << run.err();
  EXPECT_TRUE(fs::exists(shell.folder / "a/run.h5"));
}

}  // namespace
}  // namespace tendril
