#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <limits>

#include "cli/commands.h"
#include "cli/words.h"
#include "render/render.h"
#include "tendril/record.h"
#include "view/replay.h"

namespace tendril::cli {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t render_asked_to_stop = 0;
extern "C" void note_render_stop(int) { render_asked_to_stop = 1; }

// Everything about the drawing is in memory at once: more than a page that people open, less than a browser can take.
constexpr std::size_t page_budget = 200'000'000;

struct Span {
  double from = std::numeric_limits<double>::infinity(), to = -std::numeric_limits<double>::infinity();
};
Span recorded_span(const std::vector<fs::path>& runs) {
  Span span;
  Frame frame;
  Measures measures;
  for (const fs::path& run : runs) {
    TrajectoryReader reader(fs::is_directory(run) ? run / "run.h5" : run);
    if (reader.frames() == 0) throw RecordError(run.string() + ": holds no frame");
    reader.read_numbers(0, frame, measures);
    span.from = std::min(span.from, frame.time);
    reader.read_numbers(reader.frames() - 1, frame, measures);
    span.to = std::max(span.to, frame.time);
  }
  return span;
}

// All that is wrong with the arguments, one sentence each.
std::vector<std::string> problems_of(const RenderArguments& a, const std::string& ending, const Span& span) {
  std::vector<std::string> wrong;
  const std::vector<std::string> films = film_endings();
  const bool film = std::find(films.begin(), films.end(), ending) != films.end();
  if (!film && ending != ".png")
    wrong.push_back(fmt::format("-o {}: a picture ends in .png, a film in {}", a.output, joined(films)));
  const fs::path folder = fs::absolute(a.output).parent_path();
  if (!fs::is_directory(folder)) wrong.push_back(fmt::format("-o {}: there is no folder {}", a.output, folder.string()));
  if (film && a.time) wrong.emplace_back("--time is for a picture; a film has --from and --to");
  if (!film && (a.from || a.to)) wrong.emplace_back("--from and --to are for a film; a picture has --time");
  const double from = a.from.value_or(span.from), to = a.to.value_or(span.to);
  if (film && to < from) wrong.push_back(fmt::format("--to {:g} s lies before --from {:g} s", to, from));
  for (const auto& [name, value] : {std::pair{"--time", a.time}, std::pair{"--from", a.from}, std::pair{"--to", a.to}})
    if (value && (*value < span.from || *value > span.to * (1 + 1e-9)))
      wrong.push_back(fmt::format("{} {:g} s: the run goes from {:g} to {:g} s", name, *value, span.from, span.to));
  if (a.camera.size() == 6 && std::equal(a.camera.begin(), a.camera.begin() + 3, a.camera.begin() + 3))
    wrong.emplace_back("--camera: stands at the point that it looks at");
  return wrong;
}

bool parse_size(const std::string& text, RenderOptions& options) {
  int read = 0;
  return std::sscanf(text.c_str(), "%5dx%5d%n", &options.width, &options.height, &read) == 2 &&
         static_cast<std::size_t>(read) == text.size() && options.width >= 16 && options.height >= 16 &&
         options.width <= 7680 && options.height <= 4320;
}

std::function<bool(std::int64_t, std::int64_t)> progress(bool quiet) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  return [quiet, terminal, said = std::int64_t{-1}](std::int64_t done, std::int64_t all) mutable {
    const std::int64_t tenth = all > 1 ? 10 * done / all : 0;
    if (!quiet && terminal && all > 1) fmt::print(stderr, "\r  {} of {} pictures", done, all);
    if (!quiet && !terminal && all > 1 && tenth > said) fmt::print(stderr, "  {} of {} pictures\n", done, all);
    said = std::max(said, tenth);
    return render_asked_to_stop == 0;
  };
}

}  // namespace

int command_render(const RenderArguments& a) {
  // Arguments are judged together, with the recorded time at hand, and all complaints printed at once.
  const std::vector<fs::path> runs(a.runs.begin(), a.runs.end());
  const Span span = recorded_span(runs);
  RenderOptions options;
  options.file = a.output;
  const std::string ending = options.file.extension().string();
  std::vector<std::string> wrong = problems_of(a, ending, span);
  if (!parse_size(a.size, options))
    wrong.push_back(fmt::format("--size {}: must be like 1280x720, from 16x16 to 7680x4320", a.size));
  for (const std::string& text : wrong) fmt::print(stderr, "{}\n", text);
  if (!wrong.empty()) return bad_input;

  // Times not given are the ends of the run; a picture shows one time.
  options.fps = a.fps, options.speed = a.speed;
  options.from = a.from.value_or(span.from);
  options.to = ending == ".png" ? a.time.value_or(span.to) : a.to.value_or(span.to);
  // Words that the page understands, as in its address.
  options.words = {"colour=" + a.colour, "theme=" + a.theme};
  options.words.push_back(a.plain ? "plain" : "contacts");
  if (!a.layout.empty()) options.words.push_back("layout=" + a.layout);
  if (!a.camera.empty()) {
    std::string camera;
    for (const double number : a.camera) camera += fmt::format("{}{:.9g}", camera.empty() ? "camera=" : ",", number);
    options.words.push_back(camera);
  }
  // Interrupting ends the browser and removes the unfinished file: the exit code says what happened.
  std::signal(SIGINT, note_render_stop);
  std::signal(SIGTERM, note_render_stop);
  try {
    const RenderReport report = render(view::replay_page(runs, page_budget), options, progress(a.quiet));
    if (!a.quiet && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
    if (!a.quiet && ending == ".png") fmt::print("{}: t = {:g} s\n", a.output, options.to);
    if (!a.quiet && ending != ".png") fmt::print("{}: {} pictures, {:.3g} s\n", a.output, report.pictures, report.seconds);
    return fine;
  } catch (const RenderStopped&) {
    fmt::print(stderr, "interrupted; {} was not made\n", a.output);
    return interrupted;
  } catch (const RenderError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return check_failed;
  }
}

}  // namespace tendril::cli
