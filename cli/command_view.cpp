#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "cli/commands.h"
#include "cli/scene_source.h"
#include "serve/private_redirect.h"
#include "serve/server.h"
#include "view/page.h"
#include "view/replay.h"

extern char** environ;

namespace tendril::cli {
namespace {

// Ctrl-C and similar signals stay blocked until they are waited for: set before any thread starts, so that all threads leave
// them to this one.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes becomes an error of the write that meets it
  }
  ~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  // The first Ctrl-C ends in order; from then on the next one ends the program.
  void wait() {
    int signal = 0;
    sigwait(&signals_, &signal);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t signals_, before_;
};

bool there_is_a_screen() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

// Does not wait for it. False: there is no such program.
bool open_browser(std::string address, const sigset_t& signals) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int out : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, out, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  // In a session of its own: Ctrl-C here does not end the user's browser.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::string program = "xdg-open";
  char* words[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  std::signal(SIGCHLD, SIG_IGN);  // its exit code is not needed
  const int failed = posix_spawnp(&child, words[0], &files, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0;
}

bool on_loopback(const std::string& host) { return host == "127.0.0.1" || host == "::1" || host == "localhost"; }

// Says where, opens the browser, stays until Ctrl-C.
int show(const ViewArguments& a, Content content, StopSignals& signals) {
  const Server server({a.host, a.port, {}}, std::move(content));
  fmt::print("{}\n", server.address());
  std::fflush(stdout);
  if (!on_loopback(a.host))
    fmt::print(stderr, "note: whoever can reach {} and knows this address can use the view\n", a.host);
  std::optional<PrivateRedirect> door;  // until the end: a browser that is closed may be asked to restore its pages
  try {
    if (!a.no_browser && there_is_a_screen()) door.emplace(redirect_folder(), server.address());
  } catch (const ServeError&) {  // the address was printed: the user can open it
  }
  const bool opened = door && open_browser(door->address(), signals.before());
  fmt::print(stderr, "{}; Ctrl-C ends it\n", opened ? "opened in the browser" : "open this address in a browser");
  signals.wait();
  return fine;
}

Served served_page(std::string text) {
  return {"text/html; charset=utf-8", std::make_shared<const std::string>(std::move(text))};
}

int view_live(const ViewArguments& a) {
  std::optional<SceneChoice> chosen;
  if (!a.what.empty()) {
    chosen = SceneChoice{a.what.front(), a.method, a.sets};
    const Checked<Scene> scene = load_scene(*chosen);
    const Problems problems = scene ? check(*scene) : scene.problems();
    fmt::print(stderr, "{}", to_text(problems));
    if (has_errors(problems)) return bad_input;
  }
  StopSignals signals;
  Session session({scene_source(chosen), "runs"});
  if (chosen) session.submit({0, OpenScene{scene_name(chosen->word), {}, {}}});
  Content content;
  const Served page = served_page(std::string(view::page()));
  content.get = [page](std::string_view path) -> std::optional<Served> {
    if (path.empty()) return page;
    if (std::optional<std::string> picture = scene_picture(path))
      return Served{"image/png", std::make_shared<const std::string>(std::move(*picture))};
    return std::nullopt;
  };
  content.session = &session;
  return show(a, std::move(content), signals);
}

bool is_run(const std::string& word) {
  std::error_code error;
  const std::filesystem::path path = word;
  return std::filesystem::is_directory(path, error) || path.extension() == ".h5";
}

// Saved runs, side by side or overlaid, in the browser or as one file.
int view_runs(const ViewArguments& a) {
  const std::vector<std::filesystem::path> runs(a.what.begin(), a.what.end());
  if (!a.output.empty()) return view::write_replay_page(runs, a.output), fine;
  StopSignals signals;
  Content content;
  content.get = [page = served_page(view::replay_page(runs))](std::string_view path) -> std::optional<Served> {
    return path.empty() ? std::optional(page) : std::nullopt;
  };
  return show(a, std::move(content), signals);
}

}  // namespace

int command_view(const ViewArguments& a) {
  try {
    const auto runs = std::count_if(a.what.begin(), a.what.end(), is_run);
    const bool only_runs = runs > 0 && runs == static_cast<std::ptrdiff_t>(a.what.size());
    if (only_runs && a.method.empty() && a.sets.empty()) return view_runs(a);
    if (only_runs || !a.output.empty()) {
      fmt::print(stderr, "{}\n",
                 only_runs ? "--method and --set change a scene; a run has been made already"
                           : "-o writes the page of saved runs: give their folders");
      return bad_input;
    }
    if (runs == 0 && a.what.size() <= 1) return view_live(a);
    fmt::print(stderr, "give one scene, or the folders of one or more runs\n");
    return bad_input;
  } catch (const ServeError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return bad_input;
  }
}

}  // namespace tendril::cli
