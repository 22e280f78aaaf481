#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "record/files.h"
#include "record/trajectory_file.h"
#include "tendril/record.h"

namespace tendril {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_waiting_bytes = 64 << 20;

// Two scenes with one hash give the same frames, except that one may last longer.
std::uint64_t hash_of(Scene scene) {
  if (scene.time.mode != Mode::statics) scene.time.duration = 1;
  return hash_text(write_scene(scene));
}

TrajectoryHead head_of(const Simulation& simulation) {
  TrajectoryHead head{simulation.scene().method,
                      write_scene(simulation.scene()),
                      fmt::format("{:016x}", hash_of(simulation.scene())),
                      "",
                      simulation.rod_names(),
                      simulation.clamp_names(),
                      simulation.inputs_taken(),
                      simulation.inputs_taken() - static_cast<std::int64_t>(simulation.input_log().size()),
                      {},
                      {}};
  // One column per number: name.x [m], or name [N] where there is only one.
  for (const Probe& probe : simulation.scene().probes)
    for (const std::string& column : probe_columns(probe.quantity)) {
      head.probe_columns.push_back(probe.name + (column.front() == '[' ? " " : ".") + column);
      head.probe_names.push_back(probe.name);
    }
  return head;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status) && !fs::is_directory(status)) throw RecordError(folder.string() + ": is a file, not a folder");
  if (fs::exists(status)) return;
  fs::create_directories(folder, error);
  if (error) throw RecordError(fmt::format("{}: could not make the folder: {}", folder.string(), error.message()));
  sync_folder(folder.parent_path());
}

// A new folder, an empty one, or that of an older run. Nothing else is ever overwritten.
void clear_folder(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw RecordError(fmt::format("{}: could not look into the folder: {}", folder.string(), error.message()));
  const bool older_run = fs::exists(fs::symlink_status(folder / "run.h5", error));
  if (!older_run && entries != fs::directory_iterator())
    throw RecordError(folder.string() + ": holds other files and no run; give an empty or new folder with -o");
  // The summary goes first: from here on the folder does not look whole. The checkpoint goes before what it counts on.
  for (const char* name : {"summary.json", "index.html", "checkpoint.bin", "probes.csv", "run.h5.journal", "run.h5"}) {
    fs::remove(folder / name, error);
    if (error)
      throw RecordError(fmt::format("{}: could not replace the older run: {}", (folder / name).string(), error.message()));
  }
}

// A run that was ended before its first checkpoint has no frame to lose. Where there are frames and no checkpoint, somebody
// removed it: then nothing is thrown away.
bool nothing_was_recorded(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(folder / "checkpoint.bin", ignored))) return false;
  const std::int64_t frames = look_at_run(folder).frames;
  if (frames == 0 && !fs::exists(folder / "summary.json", ignored)) return true;
  throw RecordError(
      fmt::format("{}: its checkpoint.bin is missing, so that it cannot go on; its {} frames can be looked at. Choose "
                  "another folder with "
                  "-o, or start again without --resume, which replaces them",
                  folder.string(), frames));
}

std::string csv_head(const TrajectoryHead& head) {
  std::string line = "time [s]";
  for (const std::string& column : head.probe_columns) line += "," + column;
  return line + "\n";
}

}  // namespace

struct RunFolder::Inside {
  fs::path folder;
  std::optional<FolderLock> lock;            // from begin or resume on
  const Simulation* simulation = nullptr;    // from begin on
  std::optional<TrajectoryFile> trajectory;  // run.h5
  std::optional<GrowingFile> csv;            // probes.csv
  std::uint64_t scene_hash = 0;              // a checkpoint belongs to one scene
  std::chrono::steady_clock::time_point last_flush = std::chrono::steady_clock::now();
  StateWriter state;               // of the last checkpoint; keeps its storage
  std::vector<std::byte> scratch;  // the checkpoint file, likewise

  // First the frames, on the disk; then the checkpoint that counts on them.
  void flush() {
    trajectory->write_inputs(simulation->input_log(), simulation->inputs_taken());
    trajectory->write_and_flush();
    trajectory->sync();
    csv->flush();
    csv->sync();
    state.clear();
    simulation->save(state);
    write_checkpoint(folder / "checkpoint.bin", scene_hash, static_cast<std::uint64_t>(trajectory->frames()), csv->bytes(),
                     state.buffer(), scratch);
    last_flush = std::chrono::steady_clock::now();
  }
};

RunFolder::RunFolder(const fs::path& folder) : inside_(std::make_unique<Inside>()) { inside_->folder = folder; }
RunFolder::~RunFolder() = default;
const fs::path& RunFolder::folder() const { return inside_->folder; }
bool RunFolder::begins_anew() const { return !inside_->trajectory; }

std::unique_ptr<RunFolder> RunFolder::resume(const fs::path& folder, Simulation& simulation) {
  auto run = std::make_unique<RunFolder>(folder);
  Inside& in = *run->inside_;
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder / "run.h5", ignored)))
    throw RecordError(folder.string() + ": there is no run to resume; leave out --resume, or give its folder with -o");
  in.lock.emplace(folder);
  require_regular(folder / "run.h5", false);
  if (nothing_was_recorded(folder)) return run;
  // Only the same scene may go on.
  const Checkpoint checkpoint = read_checkpoint(folder / "checkpoint.bin");
  in.scene_hash = hash_of(simulation.scene());
  if (checkpoint.scene_hash != in.scene_hash)
    throw RecordError(folder.string() +
                      ": holds a run of another scene (or of this scene with other values); start again without "
                      "--resume, or choose another folder");
  try {
    // The state of the simulation; then both files cut back to the frames that the checkpoint counts on.
    StateReader reader(checkpoint.state);
    simulation.load(reader);
  } catch (const Misuse& error) {  // written by another version of the program
    throw RecordError(
        fmt::format("{}: {}; start again without --resume", (folder / "checkpoint.bin").string(), error.what()));
  }
  if (simulation.time() > simulation.end_time())
    throw RecordError(
        fmt::format("{}: the run has reached t = {:.6g} s already, later than the end that is asked for, {:.6g} s; give "
                    "a later one with --until",
                    folder.string(), simulation.time(), simulation.end_time()));
  in.trajectory.emplace(folder / "run.h5", static_cast<std::int64_t>(checkpoint.frames), head_of(simulation),
                        simulation.frame());
  in.csv.emplace(folder / "probes.csv", checkpoint.csv_bytes);
  return run;
}

void RunFolder::begin(const Simulation& simulation) {
  Inside& in = *inside_;
  in.simulation = &simulation;
  // A continued run, or a new one.
  if (in.trajectory) {
    std::error_code ignored;
    for (const char* name : {"summary.json", "index.html"})
      fs::remove(in.folder / name, ignored);  // they hold less than there will be
    if (describe) in.trajectory->set_description(describe(simulation));
  } else {
    make_folder(in.folder);
    if (!in.lock) in.lock.emplace(in.folder);
    clear_folder(in.folder);
    in.scene_hash = hash_of(simulation.scene());
    TrajectoryHead head = head_of(simulation);
    if (describe) head.description = describe(simulation);
    in.trajectory.emplace(in.folder / "run.h5", head, simulation.frame());
    in.csv.emplace(in.folder / "probes.csv", 0);
    in.csv->add(csv_head(head));
  }
  in.flush();
}

void RunFolder::take(const Frame& frame, const Measures& measures) {
  Inside& in = *inside_;
  in.trajectory->append(frame, measures);
  std::string line = fmt::format("{}", frame.time);
  for (const ProbeValue& probe : measures.probes)
    for (const double value : probe.value) line += fmt::format(",{}", value);  // shortest text that reads back equal
  in.csv->add(line + "\n");
}

void RunFolder::tick(const Simulation&) {
  Inside& in = *inside_;
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - in.last_flush;
  if (since.count() >= seconds_between_flushes || in.trajectory->waiting_bytes() > max_waiting_bytes) in.flush();
}

void RunFolder::end(const RunReport& report) {
  Inside& in = *inside_;
  in.flush();
  // Whole: the end was reached, or a live recording was stopped on purpose.
  const bool ended = whole_when_told || in.simulation->finished();
  // A suspect run has reached its end as well, but says why it should not be believed.
  const bool well = report.outcome == Outcome::fine || report.outcome == Outcome::suspect, stopped = well && !ended;
  in.trajectory->close(ended && well, stopped ? "interrupted" : to_text(report.outcome), stopped ? "" : report.message);
  // An interrupted run gets no summary: it does not look whole. A diverged one says so in its own.
  if (ended) write_whole(in.folder / "summary.json", summary_json(*in.simulation, report));
}

}  // namespace tendril
