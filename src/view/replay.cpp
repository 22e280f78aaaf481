#include "view/replay.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "record/files.h"
#include "tendril/record.h"
#include "view/base64.h"
#include "view/description.h"
#include "view/frame_bytes.h"
#include "view/page.h"
#include "view/values.h"

namespace tendril::view {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr std::string_view place_for_runs = "<!-- tendril data -->";

// One of `every`, and the last: how a run ends matters most.
struct Thinned {
  std::int64_t all = 0, every = 1;
  std::int64_t kept() const { return all == 0 ? 0 : (all - 1) / every + 1 + ((all - 1) % every != 0 ? 1 : 0); }
  template <class F>
  void for_each(F&& f) const {
    for (std::int64_t k = 0; k < all; k += every) f(k);
    if (all > 0 && (all - 1) % every != 0) f(all - 1);
  }
};
// The smallest `every` for which the items fit.
Thinned thin(std::int64_t all, std::size_t bytes_each, std::size_t budget) {
  Thinned t{all, 1};
  // Base64 makes four characters of three bytes.
  const std::size_t fit = bytes_each > 0 ? budget / 4 * 3 / bytes_each : 0;
  if (static_cast<std::size_t>(all) <= fit) return t;
  t.every = fit <= 2 ? std::max<std::int64_t>(1, all) : all / static_cast<std::int64_t>(fit);
  const std::size_t most = std::max<std::size_t>(2, fit);
  const auto too_many = [&] { return static_cast<std::size_t>(t.kept()) > most; };
  while (too_many() && t.every < all) ++t.every;
  return t;
}

struct SavedRun {
  SavedRun(const fs::path& path, std::uint32_t number)
      : file(fs::is_directory(path) ? path / "run.h5" : path), reader(file) {
    // The description, which a run brings along, so that today's program need not understand its scene.
    if (reader.description().empty())
      throw RecordError(file.string() + ": was recorded without a description for views; run its scene again");
    label = fs::absolute(file).lexically_normal().parent_path().filename().string();
    generation = number;
    StoredDescription stored;
    try {
      stored = read_description(reader.description(), label, generation);
    } catch (const Misuse& error) {
      throw RecordError(file.string() + ": " + error.what());
    }
    description = std::move(stored.json);
    row_bytes = 8 * (1 + stored.facts.values);
    writer.emplace(std::move(stored.facts));
    // The last frame stands for the size of all.
    if (reader.frames() == 0) return;
    read(reader.frames() - 1);
    encode();
    frame_bytes = 4 + bytes.size();
  }
  void read(std::int64_t k) {
    reader.read(k, frame, measures);
    const FrameFacts& facts = writer->facts();
    if (frame.rods.size() != facts.rod_lengths.size() || frame.obstacles.size() != facts.moves.size() ||
        value_count(frame, measures) != facts.values)
      throw RecordError(file.string() + ": its description is that of another run");
  }
  void encode() { writer->write(frame, measures, {generation, false}, bytes); }
  std::size_t frames_text() const { return Base64::length(frame_bytes * static_cast<std::size_t>(reader.frames())); }
  std::size_t rows_text() const { return Base64::length(row_bytes * static_cast<std::size_t>(reader.frames())); }

  fs::path file;
  TrajectoryReader reader;
  std::optional<FrameWriter> writer;           // made when the description is read
  std::string label, description;              // name shown; JSON
  std::uint32_t generation = 0;                // number of the run in the page
  std::size_t frame_bytes = 0, row_bytes = 0;  // size of one frame, of one row of plotted values
  Frame frame;                                 // the last one read; storage is reused
  Measures measures;
  std::vector<std::byte> bytes;  // that frame, as the page reads it
};

void open_script(std::string& out, const char* id, std::uint32_t number) {
  out += "<script type=\"text/plain\" id=\"" + std::string(id) + "-" + std::to_string(number) + "\">";
}
constexpr std::string_view close_script = "</script>\n";

// Appends [u32 length, frame] records; false when they took more than `budget`.
bool put_frames(SavedRun& run, const Thinned& which, std::size_t budget, std::string& out) {
  const std::size_t begin = out.size();
  open_script(out, "frames", run.generation);
  Base64 text(out);
  bool fits = true;
  which.for_each([&](std::int64_t k) {
    if (!fits) return;
    run.read(k);
    run.encode();
    const auto length = static_cast<std::uint32_t>(run.bytes.size());
    text.add(std::as_bytes(std::span(&length, 1)));
    text.add(run.bytes);
    fits = out.size() - begin <= budget || which.kept() <= 2;
  });
  text.finish();
  out += close_script;
  return fits;
}

void put_rows(SavedRun& run, const Thinned& which, std::string& out) {
  open_script(out, "rows", run.generation);
  Base64 text(out);
  std::vector<double> row(run.row_bytes / 8);
  which.for_each([&](std::int64_t k) {
    run.reader.read_numbers(k, run.frame, run.measures);
    row[0] = run.frame.time;
    put_values(run.frame, run.measures, row.data() + 1);
    text.add(std::as_bytes(std::span(row)));
  });
  text.finish();
  out += close_script;
}

// Plots keep half at least: they are small but for very short rods, and show what lies between two frames.
Json put_run(SavedRun& run, std::size_t share, std::string& out) {
  const std::size_t for_rows = std::max(share / 2, share > run.frames_text() ? share - run.frames_text() : std::size_t{0});
  const Thinned rows = thin(run.reader.frames(), run.row_bytes, for_rows);
  const std::size_t begin = out.size();
  put_rows(run, rows, out);
  const std::size_t left = share - std::min(share, out.size() - begin);
  Thinned frames = thin(run.reader.frames(), run.frame_bytes, left);
  // Frames differ in size where contacts come and go.
  for (const std::size_t after_rows = out.size(); !put_frames(run, frames, left + 128, out);
       frames.every += 1 + frames.every / 4)
    out.resize(after_rows);
  return {{"label", run.label},
          {"description", Json::parse(run.description)},
          {"frames", frames.kept()},
          {"recorded", run.reader.frames()},
          {"every", frames.every},
          {"rows", rows.kept()},
          {"outcome", run.reader.outcome()},
          {"message", run.reader.message()}};
}

// The runs, smallest first by what they are expected to need.
std::vector<std::size_t> smallest_first(const std::vector<SavedRun>& runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto need = [&runs](std::size_t i) { return runs[i].frames_text() + runs[i].rows_text(); };
  std::stable_sort(order.begin(), order.end(), [&need](std::size_t a, std::size_t b) { return need(a) < need(b); });
  return order;
}

// Names that do not distinguish the runs become paths.
void tell_apart(std::vector<SavedRun>& runs) {
  for (SavedRun& run : runs)
    if (std::count_if(runs.begin(), runs.end(), [&](const SavedRun& r) { return r.label == run.label; }) > 1)
      run.label = run.file.parent_path().string();
}

// A script element must not contain `<`: `</script>` would end it, `<!--` begin something else. In JSON it occurs in
// strings only.
std::string harmless(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace

std::string replay_page(std::span<const fs::path> paths, std::size_t budget) {
  // The page, and the place in it for the data.
  const std::string_view page = view::page();
  const std::size_t place = page.find(place_for_runs);
  TENDRIL_REQUIRE(place != std::string_view::npos, "the page has no place for runs");
  // What is left for data in the budget.
  std::vector<SavedRun> runs;
  std::size_t fixed = page.size() + 256;
  for (const fs::path& path : paths) {
    const SavedRun& run = runs.emplace_back(path, static_cast<std::uint32_t>(runs.size()));
    fixed += harmless(run.description).size() + run.reader.message().size() + 1024;  // names, tags
  }
  tell_apart(runs);
  std::size_t left = budget - std::min(budget, fixed);

  // Data as script elements that are not scripts, then the list of runs.
  std::string out(page.substr(0, place));
  Json told = Json::array();
  told.get_ref<Json::array_t&>().resize(runs.size());
  // Each gets an even share of what those before it have left. What a run needs is only known when it is written: frames
  // grow where contacts and hands come, so that an estimate must never be its limit.
  const std::vector<std::size_t> order = smallest_first(runs);
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t before = out.size();
    told[order[n]] = put_run(runs[order[n]], left / (order.size() - n), out);
    left -= std::min(left, out.size() - before);
  }
  out += "<script type=\"application/json\" id=\"tendril-runs\">";
  out += harmless(Json{{"runs", std::move(told)}}.dump(-1, ' ', false, Json::error_handler_t::replace));
  out += close_script;
  out += page.substr(place + place_for_runs.size());
  return out;
}

void write_replay_page(std::span<const fs::path> runs, const fs::path& file, std::size_t budget) {
  write_whole(file, replay_page(runs, budget));
}

}  // namespace tendril::view
