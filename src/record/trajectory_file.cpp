#include "record/trajectory_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "record/columns.h"
#include "record/files.h"
#include "record/h5.h"
#include "record/input_log.h"
#include "record/journal_driver.h"

namespace tendril {
namespace {

constexpr const char* word_interrupted = "interrupted";  // until the end of the run is written
constexpr std::size_t chunk_bytes = 64 * 1024;           // fits HDF5's chunk cache many times
constexpr hsize_t longest_chunk_row = 8192;

struct Dimensions {
  int count = 1;  // the first counts rows
  std::array<hsize_t, 3> size{};
};

Dimensions dimensions_of(const Column& column, const FileSizes& sizes, hsize_t rows) {
  Dimensions d;
  d.size[0] = rows;
  if (column.things != nullptr) d.size[static_cast<std::size_t>(d.count++)] = column.things(sizes);
  if (column.width > 0) d.size[static_cast<std::size_t>(d.count++)] = column.width;
  return d;
}

h5::Handle create_dataset(hid_t file, const Column& column, const FileSizes& sizes, const std::string& name) {
  // Rows grow without limit. A chunk holds many rows of small things, or a piece of one long row.
  const Dimensions d = dimensions_of(column, sizes, 0);
  std::array<hsize_t, 3> most{H5S_UNLIMITED, d.size[1], d.size[2]}, chunk{1, 1, 1};
  std::size_t row_bytes = 8;
  for (std::size_t i = 1; i < static_cast<std::size_t>(d.count); ++i) {
    chunk[i] = std::clamp<hsize_t>(d.size[i], 1, longest_chunk_row);
    if (d.size[i] == 0) most[i] = H5S_UNLIMITED;  // a chunk may not be larger than a fixed size
    row_bytes *= chunk[i];
  }
  chunk[0] = std::clamp<hsize_t>(chunk_bytes / row_bytes, 1, column.row == RowIs::frame ? 1024 : longest_chunk_row);
  // The dataset, with what it means as an attribute.
  const h5::Handle space(h5::checked(H5Screate_simple(d.count, d.size.data(), most.data()), name, "make a space"), H5Sclose);
  const h5::Handle how(h5::checked(H5Pcreate(H5P_DATASET_CREATE), name, "describe a dataset"), H5Pclose);
  h5::checked(H5Pset_chunk(how.get(), d.count, chunk.data()), name, "describe a dataset");
  const hid_t type = column.whole_numbers ? H5T_STD_I64LE : H5T_IEEE_F64LE;
  h5::Handle set(h5::checked(H5Dcreate2(file, column.name, type, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), name,
                             fmt::format("make the dataset `{}`", column.name)),
                 H5Dclose);
  h5::write_text_attribute(set.get(), "about", column.about, name);
  return set;
}

}  // namespace

struct TrajectoryFile::Inside {
  struct Open {
    h5::Handle set;
    hsize_t rows = 0;             // written
    std::vector<double> waiting;  // values of frames that are not written yet
  };
  std::string name;  // of the file, for messages
  h5::File file;
  FileSizes sizes;                        // counts that do not change in a run
  std::vector<Open> columns;              // as all_columns()
  std::int64_t written = 0, waiting = 0;  // frames

  void write_column(const Column& column, Open& open) const;
  void open_and_cut(const Column& column, hsize_t rows);
  ListCounts rows_of_frames(std::int64_t frames) const;  // all together, of each list
  void write_head(const TrajectoryHead& head);
  void write_outcome(const std::string& outcome, const std::string& message) const {
    h5::write_text(file.get(), "outcome", outcome, name);
    h5::write_text(file.get(), "message", message, name);
  }
};

void TrajectoryFile::Inside::write_head(const TrajectoryHead& head) {
  // Written once: what the run is. `complete` stays 0 until the end is written, also when the program is killed.
  const hid_t root = file.get();
  h5::write_number_attribute(root, "format_version", run_format_version, name);
  h5::write_number_attribute(root, "complete", 0, name);
  h5::write_text_attribute(root, "tendril_version", TENDRIL_VERSION, name);
  h5::write_text_attribute(root, "method", head.method, name);
  h5::write_text_attribute(root, "scene_hash", head.scene_hash, name);
  h5::write_text(root, "scene", head.scene, name);  // a dataset: attributes end at 64 kB
  h5::write_text(root, "description", head.description, name);
  for (const char* group : groups)
    h5::Handle(h5::checked(H5Gcreate2(root, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name, "make a group"), H5Gclose);
  create_input_log(root, head.inputs_missing, name);
  h5::write_texts(root, "rods/names", head.rod_names, name);
  h5::write_texts(root, "clamp_names", head.clamp_names, name);
  h5::write_texts(root, "probes/columns", head.probe_columns, name);
  h5::write_texts(root, "probes/names", head.probe_names, name);
}

TrajectoryFile::TrajectoryFile(const std::filesystem::path& path, const TrajectoryHead& head, const Frame& first)
    : inside_(std::make_unique<Inside>()) {
  Inside& in = *inside_;
  in.name = path.string();
  in.sizes = sizes_of(first, head.probe_columns.size());
  in.file = h5::File(in.name, JournaledFile::Access::create);
  in.write_head(head);
  for (const Column& column : all_columns())
    in.columns.push_back({create_dataset(in.file.get(), column, in.sizes, in.name), 0, {}});
  in.write_outcome(word_interrupted, "");
  write_and_flush();
}

TrajectoryFile::TrajectoryFile(const std::filesystem::path& path, std::int64_t frames, const TrajectoryHead& head,
                               const Frame& first)
    : inside_(std::make_unique<Inside>()) {
  Inside& in = *inside_;
  in.name = path.string();
  in.sizes = sizes_of(first, head.probe_columns.size());
  require_regular(path, false);
  in.file = h5::File(in.name, JournaledFile::Access::go_on);
  if (h5::read_number_attribute(in.file.get(), "format_version", in.name) != run_format_version)
    throw RecordError(in.name + ": was written by another version of tendril: start again without --resume");
  // A checkpoint may be older than the file: rows beyond it are cut off.
  const ListCounts rows = in.rows_of_frames(frames);
  for (const Column& column : all_columns())
    in.open_and_cut(column, static_cast<hsize_t>(column.row == RowIs::frame ? frames : rows[list_of(column.row)]));
  in.written = frames;
  // The continued run is open again; its scene may last longer.
  cut_input_log(in.file.get(), head.inputs_taken, in.name);
  h5::write_number_attribute(in.file.get(), "complete", 0, in.name);
  h5::write_text(in.file.get(), "scene", head.scene, in.name);
  in.write_outcome(word_interrupted, "");
  write_and_flush();
}

void TrajectoryFile::Inside::open_and_cut(const Column& column, hsize_t rows) {
  h5::Handle set(h5::checked(H5Dopen2(file.get(), column.name, H5P_DEFAULT), name, fmt::format("find `{}`", column.name)),
                 H5Dclose);
  const h5::Handle space(h5::checked(H5Dget_space(set.get()), name, "read a size"), H5Sclose);
  // The shape must be that of today's columns, and no row of the checkpoint may be missing.
  const Dimensions cut = dimensions_of(column, sizes, rows);
  std::array<hsize_t, 3> size{};
  if (H5Sget_simple_extent_ndims(space.get()) != cut.count)
    throw RecordError(fmt::format("{}: `{}` has not the shape it should have", name, column.name));
  h5::checked(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), name, "read a size");
  if (size[0] < rows)
    throw RecordError(fmt::format("{}: `{}` has {} rows, the checkpoint {}: start again without --resume", name, column.name,
                                  size[0], rows));
  h5::checked(H5Dset_extent(set.get(), cut.size.data()), name, "cut back to the checkpoint");
  columns.push_back({std::move(set), rows, {}});
}

ListCounts TrajectoryFile::Inside::rows_of_frames(std::int64_t frames) const {
  const h5::Handle set(h5::checked(H5Dopen2(file.get(), counts_column, H5P_DEFAULT), name, "find the counts"), H5Dclose);
  const std::size_t points = h5::points_of(set.get(), name);
  if (points % lists != 0 || points / lists < static_cast<std::size_t>(frames))
    throw RecordError(
        fmt::format("{}: holds {} frames, the checkpoint {}: start again without --resume", name, points / lists, frames));
  // Sum of the rows of all frames, list by list.
  std::vector<std::int64_t> counts(points);
  if (points > 0)
    h5::checked(H5Dread(set.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts.data()), name, "read the counts");
  ListCounts sum{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames) * lists; ++i) sum[i % lists] += counts[i];
  return sum;
}

TrajectoryFile::~TrajectoryFile() = default;

void TrajectoryFile::append(const Frame& frame, const Measures& measures) {
  Inside& in = *inside_;
  // Nodes, contacts and pulls may change in number; the rest may not.
  std::size_t probe_values = 0;
  for (const ProbeValue& probe : measures.probes) probe_values += probe.value.size();
  if (sizes_of(frame, probe_values) != in.sizes)
    throw RecordError(in.name + ": the number of rods, clamps, bodies, obstacles or probes changed during the run");
  const std::span<const Column> columns = all_columns();
  FrameChecksum plotted, others;
  double* sums = nullptr;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<double>& waiting = in.columns[i].waiting;
    const std::size_t before = waiting.size();
    columns[i].put({frame, measures}, waiting);
    if (is_checksums(columns[i]))
      sums = waiting.data() + before;
    else
      (columns[i].plotted ? plotted : others).add(std::span(waiting).subspan(before));
  }
  sums[0] = plotted.number(), sums[1] = others.number();
  ++in.waiting;
}

void TrajectoryFile::write_inputs(std::span<const LoggedInput> log, std::int64_t taken) {
  const Inside& in = *inside_;
  const auto left = static_cast<std::size_t>(taken - inputs_in_log(in.file.get(), in.name));
  append_to_input_log(in.file.get(), log.last(std::min(left, log.size())), in.name);
}

std::size_t TrajectoryFile::waiting_bytes() const {
  std::size_t values = 0;
  for (const Inside::Open& open : inside_->columns) values += open.waiting.size();
  return values * sizeof(double);
}

std::int64_t TrajectoryFile::frames() const { return inside_->written + inside_->waiting; }

void TrajectoryFile::Inside::write_column(const Column& column, Open& open) const {
  // Grow the dataset by the rows that wait.
  const std::size_t per_row = column.values_per_row(sizes);
  const auto more =
      static_cast<hsize_t>(column.row == RowIs::frame ? static_cast<std::size_t>(waiting) : open.waiting.size() / per_row);
  const Dimensions d = dimensions_of(column, sizes, open.rows + more);
  h5::checked(H5Dset_extent(open.set.get(), d.size.data()), name, "make room for frames");
  const hsize_t begin = open.rows;
  open.rows += more;
  if (open.waiting.empty()) return;
  // Write them in one piece.
  std::array<hsize_t, 3> start{begin, 0, 0}, count = d.size;
  count[0] = more;
  const h5::Handle memory(h5::checked(H5Screate_simple(d.count, count.data(), nullptr), name, "make a space"), H5Sclose);
  const h5::Handle space(h5::checked(H5Dget_space(open.set.get()), name, "read a size"), H5Sclose);
  h5::checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), name,
              "choose rows");
  h5::checked(H5Dwrite(open.set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, open.waiting.data()), name,
              "write frames");
}

void TrajectoryFile::write_and_flush() {
  Inside& in = *inside_;
  if (in.waiting > 0) {
    const std::span<const Column> columns = all_columns();
    for (const bool per_frame : {false, true})  // lists first, then the counts that refer to them
      for (std::size_t i = 0; i < columns.size(); ++i)
        if ((columns[i].row == RowIs::frame) == per_frame) in.write_column(columns[i], in.columns[i]);
    for (Inside::Open& open : in.columns) open.waiting.clear();
    in.written += in.waiting;
    in.waiting = 0;
  }
  in.file.flush();
}

void TrajectoryFile::sync() { inside_->file.commit(); }

void TrajectoryFile::set_description(const std::string& description) {
  h5::write_text(inside_->file.get(), "description", description, inside_->name);
}

void TrajectoryFile::close(bool complete, const std::string& outcome, const std::string& message) {
  Inside& in = *inside_;
  write_and_flush();
  h5::write_number_attribute(in.file.get(), "complete", complete ? 1 : 0, in.name);
  in.write_outcome(outcome, message);
  for (Inside::Open& open : in.columns) h5::checked(open.set.close(), in.name, "close a dataset");
  in.columns.clear();
  in.file.close();
}

}  // namespace tendril
