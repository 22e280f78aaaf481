// Runs the real program, as a user would.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <tendril_paths.h>
#include <unistd.h>
#include <csignal>

#include <cstdlib>
#include <string>
#include <vector>

#include "record/record_testing.h"

namespace tendril {

struct Answer {
  int code = -1;  // exit code, or -signal
  std::string out, err;
};

// A program that was started and is still at work; it is ended with its owner.
class Running {
 public:
  Running(std::vector<std::string> words, const std::filesystem::path& folder, const std::string& name)
      : err_(folder / (name + ".err")) {
    child_ = fork();
    if (child_ == 0) {
      if (chdir(folder.c_str()) != 0) _exit(99);
      if (freopen((name + ".out").c_str(), "w", stdout) == nullptr ||
          freopen((name + ".err").c_str(), "w", stderr) == nullptr)
        _exit(99);
      words.insert(words.begin(), TENDRIL_PROGRAM);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      signal(SIGINT, SIG_DFL);  // a shell script that starts the tests with & has it ignored
      execv(argv[0], argv.data());
      _exit(99);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (child_ > 0) kill(child_, SIGKILL), waitpid(child_, nullptr, 0);
  }
  void send(int signal_number) const { kill(child_, signal_number); }
  bool ended_within(double seconds) {
    for (int tries = 0; tries < seconds * 100; ++tries) {
      if (child_ < 0 || waitpid(child_, &status_, WNOHANG) == child_) return child_ = -1, true;
      usleep(10'000);
    }
    return false;
  }
  int code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_); }
  std::string err() const { return read_text_file(err_); }
  pid_t id() const { return child_; }

 private:
  pid_t child_ = -1;
  int status_ = 0;
  std::filesystem::path err_;
};

class Shell {  // a folder to work in
 public:
  Running start(const std::vector<std::string>& words, const std::string& name = "background") const {
    return Running(words, folder.text(), name);
  }
  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }
  Answer tendril(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder.text() + "' && '" TENDRIL_PROGRAM "' " + arguments + " >out.txt 2>err.txt </dev/null";
    const int status = std::system(command.c_str());
    Answer answer;
    answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    answer.out = read_text_file(folder / "out.txt");
    answer.err = read_text_file(folder / "err.txt");
    return answer;
  }
  // Starts, waits until the run in `run_folder` has `rows` rows of probes, sends a signal; the arguments are words, without
  // a shell between.
  Answer tendril_with_signal(std::vector<std::string> words, int signal_number, const std::string& run_folder,
                             int rows) const {
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder.text().c_str()) != 0) _exit(99);
      if (freopen("out.txt", "w", stdout) == nullptr || freopen("err.txt", "w", stderr) == nullptr) _exit(99);
      words.insert(words.begin(), TENDRIL_PROGRAM);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      signal(SIGINT, SIG_DFL);  // a shell script that starts the tests with & has it ignored
      execv(argv[0], argv.data());
      _exit(99);
    }
    EXPECT_TRUE(wait_for_rows(folder / run_folder, rows));
    kill(child, signal_number);
    int status = 0;
    waitpid(child, &status, 0);
    Answer answer;
    answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    answer.out = read_text_file(folder / "out.txt");
    answer.err = read_text_file(folder / "err.txt");
    return answer;
  }
  TemporaryFolder folder;
};

// A short rubber beam; `replace` changes one piece of the text.
inline std::string beam_scene(const std::string& what = "", const std::string& by = "") {
  std::string text = R"(title = "Beam"
method = "der"
[time]
duration = 0.2
frames_per_second = 50
step = "auto"
[material.rubber]
density = 1100.0
young_modulus = 1.0e6
poisson_ratio = 0.49
[[rod]]
name = "beam"
material = "rubber"
section = { circle = { radius = 0.01 } }
rest = { straight = { start = [0, 0, 0], end = [1, 0, 0] } }
segments = 12
[[clamp]]
name = "wall"
rod = "beam"
at = 0.0
[[load]]
gravity = [0, 0, -9.81]
[[probe]]
name = "tip"
rod = "beam"
at = 1.0
quantity = "position"
)";
  if (!what.empty()) {
    const auto place = text.find(what);
    if (place == std::string::npos) throw std::logic_error("beam_scene: nothing to replace: " + what);
    text.replace(place, what.size(), by);
  }
  return text;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace tendril
