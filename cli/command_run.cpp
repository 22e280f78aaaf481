#include <fmt/format.h>

#include <csignal>
#include <cstdio>

#include "cli/commands.h"
#include "cli/find_scene.h"
#include "cli/progress.h"
#include "cli/run_log.h"
#include "cli/words.h"
#include "tendril/record.h"
#include "tendril/view.h"
#include "view/replay.h"

namespace tendril::cli {
namespace {

volatile std::sig_atomic_t stop_signal = 0;
extern "C" void note_stop(int) { stop_signal = 1; }

// The first Ctrl-C ends the run in order; the second one ends the program.
void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = note_stop;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup ignores SIGHUP, and so do we
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes becomes an error of the write that meets it
}

void print_problems(const Problems& problems) { fmt::print(stderr, "{}", to_text(problems)); }

std::string resume_command(const RunArguments& a, const std::string& folder) {
  std::string text = fmt::format("./tendril run {} -o {} --resume", a.scene, folder);
  if (!a.method.empty()) text += " --method " + a.method;
  for (const std::string& set : a.sets) text += fmt::format(" --set '{}'", set);
  if (!a.inputs.empty()) text += " --inputs " + a.inputs;
  if (a.until) text += fmt::format(" --until {}", *a.until);
  return text;
}

// The live inputs of another run, each at its step; as long as that run, unless --until says otherwise.
bool replay_inputs(const RunArguments& a, const std::string& folder, Simulation& simulation) {
  std::error_code ignored;
  if (!a.resume && std::filesystem::equivalent(folder, a.inputs, ignored)) {
    fmt::print(stderr, "{}: the run would replace the one whose inputs it needs; give another folder with -o\n", folder);
    return false;
  }
  RecordedInputs recorded = read_inputs(a.inputs);
  if (recorded.scene != write_scene(simulation.scene()) && !a.quiet && !a.json)
    fmt::print(stderr, "note: {} was recorded with other values or another method; its inputs are set at the same steps\n",
               a.inputs);
  simulation.go_on_until(a.until.value_or(recorded.end));
  try {
    simulation.replay(std::move(recorded.inputs));
  } catch (const Misuse& error) {
    fmt::print(stderr, "{}: its inputs do not fit this scene: {}\n", a.inputs, error.what());
    return false;
  }
  return true;
}

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("  {}\n", line);
}

void print_summary(const RunReport& r, const Simulation& simulation, const std::string& folder, bool shown) {
  fmt::print("{}: {:.6g} s with {} in {} steps ({} frames), {:.2f} s of wall clock\n",
             simulation.scene().title.empty() ? "run" : printable(simulation.scene().title), r.time, r.method, r.steps,
             r.frames, r.wall_seconds);
  print_lines(probe_lines(r, simulation.scene()));
  print_lines(solver_lines(r));
  print_lines(energy_lines(r, simulation.frame().flow));
  if (const Verdict& verdict = simulation.frame().report.verdict;
      simulation.scene().time.mode != Mode::dynamics && verdict.judged())
    fmt::print("  {}\n", verdict_line(verdict, r.method));
  fmt::print("  {0}/run.h5  {0}/summary.json  {0}/probes.csv\n", folder);
  if (shown) fmt::print("  to look at it, open {}/index.html in a browser\n", folder);
}

// Every run leaves a page to look at, however it ended; the numbers are safe without it.
bool write_page(const std::string& folder) {
  try {
    const std::filesystem::path run = folder;
    view::write_replay_page({&run, 1}, run / "index.html");
    return true;
  } catch (const std::exception& error) {
    fmt::print(stderr, "warning: no index.html was written, everything else was: {}\n", error.what());
    return false;
  }
}

int finish(const RunArguments& a, const Simulation& simulation, const RunReport& report, const std::string& folder) {
  const bool shown = write_page(folder);
  if (a.json) fmt::print("{}", summary_json(simulation, report));
  const bool suspect = report.outcome == Outcome::suspect;
  if (report.outcome != Outcome::fine && !suspect) {
    fmt::print(stderr, "{}\nThe last good state (t = {:.6g} s) and every frame before it are in {}\n", report.message,
               report.time, folder);
    return diverged;
  }
  if (!simulation.finished()) {
    fmt::print(stderr, "interrupted at t = {:.6g} s; every frame so far is in {}\nto go on: {}\n", report.time, folder,
               resume_command(a, folder));
    return interrupted;
  }
  if (!a.json && !a.quiet) print_summary(report, simulation, folder, shown);
  if (suspect) fmt::print(stderr, "the result is suspect: {}\n", report.message);
  return suspect ? check_failed : fine;
}

std::unique_ptr<RunFolder> open_folder(const RunArguments& a, const std::string& folder, Simulation& simulation) {
  if (!a.resume) return std::make_unique<RunFolder>(folder);
  auto run = RunFolder::resume(folder, simulation);
  if (a.quiet || a.json) return run;
  if (run->begins_anew())
    fmt::print(stderr, "{}: the run was ended before its first frame was written; it begins anew\n", folder);
  else
    fmt::print(stderr, "going on at t = {:.6g} s\n", simulation.time());
  return run;
}

}  // namespace

int command_run(const RunArguments& a) {
  Checked<Scene> scene = load_scene({a.scene, a.method, a.sets});
  if (!scene) return print_problems(scene.problems()), bad_input;
  if (a.until && a.inputs.empty()) scene->time.duration = *a.until;
  Checked<Simulation> simulation = Simulation::open(*scene, {.threads = a.threads});
  print_problems(scene.problems());  // of the text
  print_problems(simulation.problems());
  if (!simulation) return bad_input;
  const std::string folder = a.output.empty() ? "runs/" + scene_name(a.scene) : a.output;
  if (!a.inputs.empty() && !replay_inputs(a, folder, *simulation)) return bad_input;

  catch_stop_signals();
  const std::unique_ptr<RunFolder> run = open_folder(a, folder, *simulation);
  run->describe = describe_for_views;
  RunLog log(folder);
  Progress progress;
  std::vector<Sink*> sinks{run.get(), &log};
  if (!a.quiet) sinks.push_back(&progress);
  const RunReport report = simulate(*simulation, sinks, [&a, &progress] {
    if (!a.quiet) progress.still_at_work();
    return stop_signal != 0;
  });
  return finish(a, *simulation, report, folder);
}

}  // namespace tendril::cli
