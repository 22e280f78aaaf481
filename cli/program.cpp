// The command line. The only file that sees CLI11.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/commands.h"
#include "tendril/record.h"

namespace tendril::cli {
namespace {

constexpr const char* short_help =
    R"(./tendril view

tendril simulates elastic rods: they bend, twist, buckle, coil and swing.

  tendril run SCENE           simulate a scene; the results go to runs/SCENE
  tendril view [SCENE]        play with a scene in the browser; without SCENE a gallery; RUN folders are replayed
  tendril render RUN -o FILE  a picture (.png) or a film (.mp4, .webm) of a run
  tendril check SCENE         every problem of a scene, its stiffness, wave speeds and steps
  tendril list WHAT           methods, scenes, experiments, features, scene-format, schema
  tendril validate [NAME...]  reproduce published results
  tendril compare SCENE       the same scene through several methods
  tendril gradient SCENE      how the probes of an equilibrium change with numbers of its scene
  tendril modes SCENE         natural frequencies and shapes about the equilibrium
  tendril bench               what a step costs

A SCENE is a file (TOML) or the name of one from `tendril list scenes`. `tendril COMMAND --help` says more.
)";

// CLI::Range lets "nan" pass: no comparison with it is true.
const CLI::Validator& is_finite() {
  static const CLI::Validator validator(
      [](std::string& text) {
        double number = 0;
        const bool read = CLI::detail::lexical_cast(text, number);
        return read && std::isfinite(number) ? std::string() : text + " is not a finite number";
      },
      "", "finite");
  return validator;
}

CLI::Validator at_least(double least) {
  return CLI::Validator(
      [least](std::string& text) {
        double number = 0;
        const bool read = CLI::detail::lexical_cast(text, number);
        return read && number >= least ? std::string() : fmt::format("got {}, must be at least {}", text, least);
      },
      "", "at least");
}

struct Arguments {
  RunArguments run;
  CheckArguments check;
  ListArguments list;
  ValidateArguments validate;
  BenchArguments bench;
  CompareArguments compare;
  GradientArguments gradient;
  ModesArguments modes;
  ViewArguments view;
  RenderArguments render;
};

void describe_run(CLI::App& app, RunArguments& a) {
  CLI::App* run = app.add_subcommand("run", "simulate a scene");
  run->add_option("scene", a.scene, "a file, or the name of a scene")->required();
  run->add_option("-o,--output", a.output, "folder for index.html, run.h5, summary.json, probes.csv (default runs/SCENE)");
  run->add_option("--method", a.method, "use this method instead of the scene's");
  run->add_option("--set", a.sets, "change a field: rod.beam.segments=100, rod[0].segments=100, time.step=1e-4")
      ->take_all()
      ->allow_extra_args(false);
  run->add_option("--until", a.until, "end at this time instead of the scene's duration [s]")
      ->check(is_finite())
      ->check(at_least(0));
  run->add_option("--inputs", a.inputs, "set the live inputs of the run in this folder again, each at its step");
  run->add_flag("--resume", a.resume, "go on with the run in the output folder");
  run->add_option("--threads", a.threads, "at most this many; the results are the same for any number")->check(at_least(1));
  CLI::Option* quiet = run->add_flag("--quiet", a.quiet, "say nothing but problems");
  run->add_flag("--json", a.json, "print the summary as JSON, nothing else")->excludes(quiet);
}

void describe_view(CLI::App& app, ViewArguments& a) {
  CLI::App* view = app.add_subcommand("view", "play with a scene in the browser, or replay runs");
  view->add_option("what", a.what, "a scene, or folders of runs (default: a gallery of the scenes)");
  view->add_option("--method", a.method, "use this method instead of the scene's");
  view->add_option("--set", a.sets, "change a field, as in run")->take_all()->allow_extra_args(false);
  view->add_option("--host", a.host, "listen on this address; others than loopback let other machines in")
      ->capture_default_str();
  view->add_option("--port", a.port, "listen on this port (default: any free one)")->check(CLI::Range(0, 65535));
  view->add_flag("--no-browser", a.no_browser, "only print the address");
  view->add_option("-o,--output", a.output, "runs: write them into one HTML file instead of showing them");
}

void describe_render(CLI::App& app, RenderArguments& a) {
  CLI::App* render = app.add_subcommand("render", "a picture or a film of saved runs");
  render->add_option("runs", a.runs, "folders of runs; several are overlaid")->required();
  render->add_option("-o,--output", a.output, "a file that ends in .png, .mp4 or .webm")->required();
  render->add_option("--time", a.time, "of a picture [s] (default: the end)")->check(is_finite());
  render->add_option("--from", a.from, "a film begins at this time [s]")->check(is_finite());
  render->add_option("--to", a.to, "a film ends at this time [s]")->check(is_finite());
  render->add_option("--speed", a.speed, "simulated seconds per second of film")
      ->check(is_finite())
      ->check(CLI::Range(1e-6, 1e6))
      ->capture_default_str();
  render->add_option("--fps", a.fps, "pictures per second of film")
      ->check(is_finite())
      ->check(CLI::Range(1.0, 240.0))
      ->capture_default_str();
  render->add_option("--size", a.size, "WIDTHxHEIGHT in pixels")->capture_default_str();
  render->add_option("--colour", a.colour, "what the colours show")
      ->check(CLI::IsMember({"twist", "curvature", "tension", "moment", "contact", "none"}))
      ->capture_default_str();
  render->add_option("--theme", a.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}))->capture_default_str();
  render->add_option("--layout", a.layout, "several runs: overlay or side")->check(CLI::IsMember({"overlay", "side"}));
  render
      ->add_option("--camera", a.camera, "px,py,pz,tx,ty,tz: where it stands and where it looks [m] (default: all in view)")
      ->delimiter(',')
      ->expected(6)
      ->check(is_finite());
  render->add_flag("--plain", a.plain, "without title, time, legend and arrows of contacts");
  render->add_flag("--quiet", a.quiet, "say nothing but problems");
}

void describe_others(CLI::App& app, Arguments& a) {
  CLI::App* check = app.add_subcommand("check", "every problem of a scene, derived stiffness, wave speeds, step advice");
  check->add_option("scene", a.check.scene, "a file, or the name of a scene")->required();
  check->add_option("--set", a.check.sets, "change a field, as in run")->take_all()->allow_extra_args(false);
  check->add_flag("--json", a.check.json, "print JSON, nothing else");

  CLI::App* list = app.add_subcommand("list", "what there is: methods, scenes, experiments, features, scene-format, schema");
  list->add_option("what", a.list.what, "methods, scenes, experiments, features, scene-format or schema")->required();

  CLI::App* validate = app.add_subcommand("validate", "reproduce published results: target, result, error, pass or fail");
  validate->add_option("names", a.validate.names, "experiments, or the beginning of their names (default: all)");
  validate->add_option("-o,--output", a.validate.output, "folder for figure data")->capture_default_str();
  validate->add_flag("--full", a.validate.full, "also what takes minutes");
  validate->add_flag("--json", a.validate.json, "print JSON, nothing else");

  CLI::App* bench = app.add_subcommand("bench", "cost per segment and step");
  bench->add_option("name", a.bench.name, "only benchmarks whose name begins like this");
  bench->add_flag("--json", a.bench.json, "print JSON, nothing else");

  CLI::App* compare = app.add_subcommand("compare", "the same scene through several methods: agreement and cost");
  compare->add_option("scene", a.compare.scene, "a file, or the name of a scene")->required();
  compare->add_option("--methods", a.compare.methods, "a,b,c (default: every method that can)")->delimiter(',');
  compare->add_option("--set", a.compare.sets, "change a field, as in run")->take_all()->allow_extra_args(false);
  compare->add_flag("--json", a.compare.json, "print JSON, nothing else");

  CLI::App* gradient = app.add_subcommand("gradient", "derivatives of the probes of an equilibrium in numbers of its scene");
  gradient->add_option("scene", a.gradient.scene, "a file, or the name of a scene; time.mode = \"statics\"")->required();
  gradient->add_option("--in", a.gradient.fields, "a number of the scene: material.steel.young_modulus, load[0].gravity[2]")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  gradient->add_option("--method", a.gradient.method, "use this method instead of the scene's");
  gradient->add_option("--set", a.gradient.sets, "change a field, as in run")->take_all()->allow_extra_args(false);
  gradient->add_flag("--json", a.gradient.json, "print JSON, nothing else");

  CLI::App* modes =
      app.add_subcommand("modes", "natural frequencies and shapes of small oscillations about the equilibrium");
  modes->add_option("scene", a.modes.scene, "a file, or the name of a scene")->required();
  modes->add_option("--count", a.modes.count, "how many, the lowest first")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  modes->add_option("-o,--output", a.modes.output,
                    "folder for a run that swings in one mode after the other, and modes.json");
  modes->add_option("--method", a.modes.method, "use this method instead of the scene's");
  modes->add_option("--set", a.modes.sets, "change a field, as in run")->take_all()->allow_extra_args(false);
  modes->add_flag("--json", a.modes.json, "print JSON, nothing else");
}

// Becomes tendril-lab, which stands beside this program, with the same arguments. Returns only when that cannot be.
int hand_over(const char* const* argv) {
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tendril-lab";
  std::fflush(stdout);
  execv(beside.c_str(), const_cast<char* const*>(argv));
  fmt::print(stderr, "experiments and benchmarks are in {}: {}; `./tendril validate` in the repository builds it\n",
             beside.string(), std::strerror(errno));
  return bad_input;
}

int dispatch(const CLI::App& app, const Arguments& a, const char* const* argv, const Lab* lab) {
  if (app.got_subcommand("run")) return command_run(a.run);
  if (app.got_subcommand("check")) return command_check(a.check);
  const bool experiments = app.got_subcommand("list") && a.list.what == "experiments";
  if (!lab && (experiments || app.got_subcommand("validate") || app.got_subcommand("bench"))) return hand_over(argv);
  if (experiments) return lab->list_experiments(), fine;
  if (app.got_subcommand("list")) return command_list(a.list);
  if (app.got_subcommand("validate")) return lab->validate(a.validate);
  if (app.got_subcommand("view")) return command_view(a.view);
  if (app.got_subcommand("render")) return command_render(a.render);
  if (app.got_subcommand("bench")) return lab->bench(a.bench);
  if (app.got_subcommand("gradient")) return command_gradient(a.gradient);
  if (app.got_subcommand("modes")) return command_modes(a.modes);
  return command_compare(a.compare);
}

// What stands on the command line and nobody asked for: an option with a slip, or a word too many.
std::string too_much(const CLI::App& command) {
  const std::vector<std::string> extra = command.remaining();
  const auto option = std::find_if(extra.begin(), extra.end(), [](const std::string& w) { return w.starts_with("-"); });
  if (option == extra.end())
    return fmt::format("`{}` is one word too many; `tendril {} --help` says what the command takes",
                       extra.empty() ? "" : extra.front(), command.get_name());
  std::vector<std::string> known;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
  const std::string word = option->substr(0, option->find('='));
  return fmt::format("`tendril {}` has no option `{}`; {}", command.get_name(), word, suggest(word, known));
}

int parse_and_run(int argc, const char* const* argv, const Lab* lab) {
  Arguments arguments;
  CLI::App app("Elastic rods: bend, twist, buckle, coil, swing.", "tendril");
  app.set_version_flag("--version", std::string("tendril ") + TENDRIL_VERSION);
  app.require_subcommand(1);
  describe_run(app, arguments.run);
  describe_view(app, arguments.view);
  describe_render(app, arguments.render);
  describe_others(app, arguments);

  const std::string first = argv[1];
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (first.front() != '-' && std::find(commands.begin(), commands.end(), first) == commands.end()) {
    fmt::print(stderr, "there is no command `{}`; {}\n", first, suggest(first, commands));
    return bad_input;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    const auto command = app.get_subcommands();
    if (command.empty()) return app.exit(error), bad_input;
    fmt::print(stderr, "{}\n", printable(too_much(*command.front())));
    return bad_input;
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) == 0) return fine;  // asked for help
    return bad_input;
  }
  return dispatch(app, arguments, argv, lab);
}

}  // namespace

namespace {

int run_and_catch(int argc, const char* const* argv, const Lab* lab) {
  if (argc < 2 || std::string_view(argv[1]).empty()) {
    fmt::print("{}", short_help);
    return fine;
  }
  try {
    return parse_and_run(argc, argv, lab);
  } catch (const RecordError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "there is not enough memory for this scene; take fewer segments\n");
    return bad_input;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return check_failed;  // a full disk: run_program says so
    fmt::print(stderr, "an error inside tendril, please report it: {}\n", error.what());
    return check_failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "an error inside tendril, please report it: {}\n", error.what());
    return check_failed;
  }
}

}  // namespace

int run_program(int argc, const char* const* argv, const Lab* lab) {
  const int code = run_and_catch(argc, argv, lab);
  // What is still in the buffer may meet a full disk or a closed pipe: then the answer has not arrived, and that is no success.
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "the output could not be written{}{}\n", errno == 0 ? "" : ": ",
             errno == 0 ? "" : std::strerror(errno));
  return code == fine ? check_failed : code;
}

}  // namespace tendril::cli
