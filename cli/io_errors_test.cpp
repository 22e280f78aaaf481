// The disk fails at every single write, sync, rename and cut of a run, one after the other: never exit code 0, and what was recorded
// before stays readable and goes on with the same bits.
#include <tendril_paths.h>

#include "cli/run_program_testing.h"
#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;

class FailingDisk {
 public:
  explicit FailingDisk(const Shell& shell) : shell_(shell), library_(shell.folder / "fail_io.so") {
    built = run_in_shell("cc -shared -fPIC -O1 -o '" + library_.string() +
                         "' '" TENDRIL_SOURCE_DIR "/testing/inject/fail_io.c' -ldl")
                .code == 0;
  }
  // The program's answer when its `at`-th write fails; `failed` says whether there were as many.
  Answer tendril(const std::string& arguments, int at, bool from_then_on, bool& failed,
                 const std::string& settings = "") const {
    const fs::path mark = shell_.folder / "mark";
    fs::remove(mark);
    const std::string command = "cd '" + shell_.folder.text() + "' && LD_PRELOAD='" + library_.string() +
                                "' FAIL_AT=" + std::to_string(at) + " FAIL_ON=" + (from_then_on ? "1 FAIL_ERRNO=28" : "0") +
                                " FAIL_MARK='" + mark.string() + "' " + settings + " '" TENDRIL_PROGRAM "' " + arguments +
                                " >out.txt 2>err.txt </dev/null";
    const int status = std::system(command.c_str());
    failed = fs::exists(mark);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_text_file(shell_.folder / "out.txt"),
            read_text_file(shell_.folder / "err.txt")};
  }
  bool built = false;

 private:
  const Shell& shell_;
  fs::path library_;
};

void expect_told(const Answer& a, int k) {
  // Only the page may be missing: it can be made again from what is there.
  const bool page = has(a.err, "no index.html was written");
  EXPECT_EQ(a.code, page ? 0 : 2) << k << ": " << a.err;
  EXPECT_FALSE(has(a.err, "inside tendril")) << a.err;
}

SLOW_SENTENCE("cli", "an I/O error at any write of a new run is told, and --resume brings the run to its end") {
  Shell shell;
  const FailingDisk disk(shell);
  ASSERT_TRUE(disk.built);
  shell.file("beam.toml", beam_scene("duration = 0.2", "duration = 0.06"));
  ASSERT_EQ(shell.tendril("run beam.toml -o whole").code, 0);
  int k = 1;
  for (bool failed = true; k < 2000; ++k) {
    fs::remove_all(shell.folder / "a");
    const Answer a = disk.tendril("run beam.toml -o a", k, k % 2 == 0, failed);
    if (!failed) break;
    expect_told(a, k);
    // Before run.h5 was made there is nothing to resume.
    const bool begun = fs::exists(shell.folder / "a" / "run.h5");
    const Answer again = shell.tendril(begun ? "run beam.toml -o a --resume" : "run beam.toml -o a");
    ASSERT_EQ(again.code, 0) << k << ": " << a.err << again.err;
    expect_same_runs(shell.folder / "whole", shell.folder / "a");
  }
  EXPECT_GT(k, 30);
}

// A run in one go, and one that is to be resumed half-way.
bool run_whole_and_half(Shell& shell) {
  shell.file("beam.toml", beam_scene("duration = 0.2", "duration = 0.12"));
  return shell.tendril("run beam.toml -o whole").code == 0 && shell.tendril("run beam.toml -o half --until 0.06").code == 0;
}
void begin_at_half(const Shell& shell) {
  fs::remove_all(shell.folder / "a");
  fs::copy(shell.folder / "half", shell.folder / "a");
}

SLOW_SENTENCE("cli", "an I/O error at any write of a resumed run loses no frame that was there, and the run goes on later") {
  Shell shell;
  const FailingDisk disk(shell);
  ASSERT_TRUE(disk.built);
  ASSERT_TRUE(run_whole_and_half(shell));
  int k = 1;
  for (bool failed = true; k < 2000; ++k) {
    begin_at_half(shell);
    const Answer a = disk.tendril("run beam.toml -o a --resume", k, k % 2 == 0, failed);
    if (!failed) break;
    expect_told(a, k);
    ASSERT_GE(look_at_run(shell.folder / "a").frames, 4) << k << ": " << a.err;
    const Answer again = shell.tendril("run beam.toml -o a --resume");
    ASSERT_EQ(again.code, 0) << k << ": " << a.err << again.err;
    expect_same_runs(shell.folder / "whole", shell.folder / "a");
  }
  EXPECT_GT(k, 30);
}

SLOW_SENTENCE("cli", "a kill before any write of a resumed run loses no frame that was there, and the run goes on later") {
  Shell shell;
  const FailingDisk disk(shell);
  ASSERT_TRUE(disk.built);
  ASSERT_TRUE(run_whole_and_half(shell));
  int k = 1, journals = 0;
  for (bool failed = true; k < 2000; ++k) {
    begin_at_half(shell);
    const Answer a = disk.tendril("run beam.toml -o a --resume", k, false, failed, "FAIL_KILL=1");
    if (!failed) break;
    EXPECT_EQ(a.code, 128 + SIGKILL) << k;
    journals += fs::exists(shell.folder / "a" / "run.h5.journal") ? 1 : 0;
    ASSERT_GE(look_at_run(shell.folder / "a").frames, 4) << k;
    ASSERT_EQ(shell.tendril("run beam.toml -o a --resume").code, 0) << k;
    expect_same_runs(shell.folder / "whole", shell.folder / "a");
    EXPECT_FALSE(fs::exists(shell.folder / "a" / "run.h5.journal")) << k;
  }
  EXPECT_GT(k, 30);
  EXPECT_GT(journals, 5);  // ends in the middle of a commit
}

}  // namespace
}  // namespace tendril
