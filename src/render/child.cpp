#include "render/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "render/render.h"

namespace tendril {
namespace fs = std::filesystem;

std::optional<fs::path> find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
      std::error_code error;
      if (fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return std::nullopt;
}

namespace {

// Between fork and exec only what is safe there: no allocation, no locks.
[[noreturn]] void become(char* const* words, int input, int log, pid_t parent) {
  setpgid(0, 0);  // a group of its own: it can be ended with all that it starts, and Ctrl-C is ours
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGXFSZ}) signal(number, SIG_DFL);
  dup2(input, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(words[0], words);
  _exit(127);
}

}  // namespace

Child::Child(std::vector<std::string> words, const fs::path& log, bool fed) : log_(log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (fed) {
    if (pipe2(ends, O_CLOEXEC) != 0) throw RenderError(fmt::format("could not make a pipe: {}", std::strerror(errno)));
  } else {
    ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become(arguments.data(), ends[0], out, parent);
  const int failed = process_ < 0 ? errno : 0;
  close(ends[0]);
  close(out);
  input_ = ends[1];
  if (failed != 0) throw RenderError(fmt::format("could not start {}: {}", words[0], std::strerror(failed)));
  setpgid(process_, process_);  // parent or child, whichever runs first
}

Child::~Child() {
  end();
  if (input_ >= 0) close(input_);
}

bool Child::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(input_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool Child::running() {
  if (!ended_) ended_ = waitpid(process_, &status_, WNOHANG) == process_;
  return !ended_;
}

int Child::wait() {
  if (input_ >= 0) close(input_), input_ = -1;
  reap();
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
}

void Child::reap() {
  while (!ended_) ended_ = waitpid(process_, &status_, 0) == process_ || errno != EINTR;
}

// Leaves its input open: another thread may be feeding it, and finds out by itself.
void Child::end() {
  kill(-process_, SIGKILL);  // also the processes it started
  reap();
}

std::string Child::last_words() const {
  std::ifstream in(log_, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  constexpr std::size_t most = 1500;
  return all.size() <= most ? all : "..." + all.substr(all.size() - most);
}

TemporaryPlace::TemporaryPlace() {
  std::string name = (fs::temp_directory_path() / fmt::format("tendril-render-{}-XXXXXX", getpid())).string();
  if (mkdtemp(name.data()) == nullptr) throw RenderError(fmt::format("could not make {}: {}", name, std::strerror(errno)));
  path_ = name;
}
TemporaryPlace::~TemporaryPlace() {
  std::error_code ignored;
  for (int tries = 0; tries < 20; ++tries) {  // a browser that is being ended may still write
    fs::remove_all(path_, ignored);
    if (!fs::exists(path_)) break;
    usleep(50'000);
  }
}

}  // namespace tendril
