// run.h5 frame by frame: every dataset keeps a block of rows around the last one asked for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "record/columns.h"
#include "record/files.h"
#include "record/h5.h"
#include "record/input_log.h"
#include "record/journal_driver.h"
#include "tendril/record.h"

namespace tendril {
namespace {

constexpr std::size_t block_bytes = 256 * 1024;  // four of the chunks that the file is made of
constexpr std::int64_t longest_block = 1024;
constexpr double max_rows = 1 << 24;  // of a frame: a file that says more is damaged

// One dataset; its shape is compared with the column's when it is opened, so that whatever stands in the file is read into
// arrays that are large enough.
class Table {
 public:
  Table(hid_t file, const Column& column, const FileSizes& sizes, const std::string& name) : Table(file, column.name, name) {
    hsize_t expected[3] = {size_[0], 0, 0};
    int dimensions = 1;
    if (column.things != nullptr) expected[dimensions++] = column.things(sizes);
    if (column.width > 0) expected[dimensions++] = column.width;
    if (count_ != dimensions || !std::equal(expected, expected + dimensions, size_.begin())) fail_shape();
  }
  Table(hid_t file, const char* dataset, const std::string& name)
      : dataset_(dataset),
        name_(&name),
        set_(h5::checked(H5Dopen2(file, dataset, H5P_DEFAULT), name, fmt::format("find `{}`", dataset)), H5Dclose) {
    // Shape as found in the file, checked before memory is taken for it.
    const h5::Handle space(h5::checked(H5Dget_space(set_.get()), name, "read a size"), H5Sclose);
    count_ = h5::checked(H5Sget_simple_extent_ndims(space.get()), name, "read a size");
    if (count_ < 1 || count_ > 3) fail_shape();
    h5::checked(H5Sget_simple_extent_dims(space.get(), size_.data(), nullptr), name, "read a size");
    for (int i = 1; i < count_; ++i) {
      const hsize_t size = size_[static_cast<std::size_t>(i)];
      if (size > max_row_values / std::max<std::size_t>(1, per_row_)) fail_shape();
      per_row_ *= size;
    }
    // Rows that are read at once.
    const auto fit = static_cast<std::int64_t>(block_bytes / (8 * std::max<std::size_t>(1, per_row_)));
    block_rows_ = std::clamp<std::int64_t>(fit, 1, longest_block);
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(size_[0]); }
  std::size_t things() const { return count_ > 1 ? size_[1] : 0; }
  // Rows first .. first + count - 1, which must be there, one after another.
  const double* at(std::int64_t first, std::int64_t count) {
    if (first < first_ || first + count > first_ + loaded_) load(first, count);
    return block_.data() + static_cast<std::size_t>(first - first_) * per_row_;
  }

 private:
  [[noreturn]] void fail_shape() const {
    throw RecordError(fmt::format("{}: `{}` has not the shape it should have", *name_, dataset_));
  }
  void load(std::int64_t first, std::int64_t count) {
    // A block that starts at a multiple of its size, unless the rows wanted reach beyond it.
    first = first / block_rows_ * block_rows_ + block_rows_ >= first + count ? first / block_rows_ * block_rows_ : first;
    std::array<hsize_t, 3> start{static_cast<hsize_t>(first), 0, 0}, size = size_;
    size[0] = static_cast<hsize_t>(std::min(std::max(block_rows_, count), rows() - first));
    loaded_ = 0;
    block_.resize(std::max<std::size_t>(1, size[0] * per_row_));
    if (size[0] * per_row_ > 0) {
      const h5::Handle memory(h5::checked(H5Screate_simple(count_, size.data(), nullptr), *name_, "make a space"), H5Sclose);
      const h5::Handle space(h5::checked(H5Dget_space(set_.get()), *name_, "read a size"), H5Sclose);
      h5::checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), *name_,
                  "choose rows");
      h5::checked(H5Dread(set_.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, block_.data()), *name_,
                  fmt::format("read `{}`", dataset_));
    }
    first_ = first;
    loaded_ = static_cast<std::int64_t>(size[0]);
  }
  static constexpr std::size_t max_row_values = std::size_t{1} << 27;  // a file that says more is damaged
  const char* dataset_;                                                // its name
  const std::string* name_;                                            // of the file, for messages
  h5::Handle set_;
  int count_ = 1;                                         // dimensions
  std::array<hsize_t, 3> size_{};                         // rows first
  std::size_t per_row_ = 1;                               // values
  std::int64_t block_rows_ = 1, first_ = 0, loaded_ = 0;  // rows per block; first row and number of rows in memory
  std::vector<double> block_;                             // these rows
};

h5::File open_file_to_read(const std::string& name) {
  require_regular(name, true);
  try {
    return {name, JournaledFile::Access::read};
  } catch (const RecordError&) {
    // The writer has locked the file too.
    if (const std::filesystem::path folder = std::filesystem::path(name).parent_path(); folder_is_locked(folder))
      throw RunGoingOn(
          fmt::format("{}: this run is still going on; wait until it has ended, or stop it with Ctrl-C: it can go on later "
                      "with --resume",
                      folder.empty() ? "." : folder.string()));
    throw;
  }
}

h5::File open_to_read(const std::string& name) {
  h5::File file = open_file_to_read(name);
  const std::int64_t version = h5::read_number_attribute(file.get(), "format_version", name);
  if (version != run_format_version)
    throw RecordError(
        fmt::format("{}: was written by another version of tendril (format {}, this one reads {}); run its scene again",
                    name, version, run_format_version));
  return file;
}

}  // namespace

struct TrajectoryReader::Inside {
  explicit Inside(const std::filesystem::path& path) : name(path.string()), file(open_to_read(name)) {
    // Who made it, how it ended, what it holds.
    const hid_t root = file.get();
    method = h5::read_text_attribute(root, "method", name);
    scene = h5::read_text(root, "scene", name);
    description = h5::read_text(root, "description", name);
    complete = h5::read_number_attribute(root, "complete", name) == 1;
    outcome = h5::read_text(root, "outcome", name);
    message = h5::read_text(root, "message", name);
    rod_names = h5::read_texts(root, "rods/names", name);
    // One ProbeValue per run of equal names.
    std::string last;
    for (const std::string& probe : h5::read_texts(root, "probes/names", name)) {
      if (probes.empty() || probe != last) probes.push_back({probe, {}});
      probes.back().value.push_back(0);
      last = probe;
      ++sizes.probes;
    }
    // Sizes that do not change in a run; every dataset is compared with them.
    sizes.rods = rod_names.size();
    if (sizes.rods == 0) throw RecordError(name + ": has no rods");
    sizes.clamps = h5::read_texts(root, "clamp_names", name).size();
    sizes.bodies = Table(root, "bodies", name).things();
    sizes.obstacles = Table(root, "obstacles", name).things();
    for (const Column& column : all_columns()) tables.emplace_back(root, column, sizes, name);
    find_rows();
  }

  // How many frames there are, and where each one's rows of the lists begin. A kill may leave datasets that differ by the
  // frames of one flush: only frames that have all their rows count.
  void find_rows() {
    const std::span<const Column> columns = all_columns();
    Table* counts = nullptr;
    // Rows that are there: of frames, and of each list (nodes, edges, contacts ...).
    ListCounts there;
    there.fill(std::numeric_limits<std::int64_t>::max());
    frames = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::int64_t& rows = columns[i].row == RowIs::frame ? frames : there[list_of(columns[i].row)];
      rows = std::min(rows, tables[i].rows());
      if (columns[i].name == std::string_view(counts_column)) counts = &tables[i];
    }
    first_row.assign(1, ListCounts{});
    for (std::int64_t k = 0; k < frames; ++k) {
      // Frame k counts if its numbers make sense and all of its rows exist; the first that does not is the end.
      const double* n = counts->at(k, 1);
      ListCounts next = first_row.back();
      for (std::size_t l = 0; l < lists; ++l) {
        if (!(n[l] >= 0 && n[l] <= max_rows)) frames = k;
        if (frames > k) next[l] += static_cast<std::int64_t>(n[l]);
        if (next[l] > there[l]) frames = k;
      }
      if (n[list_of(RowIs::node)] < 2 * static_cast<double>(sizes.rods)) frames = k;
      if (frames > k) first_row.push_back(next);
    }
  }

  void read(std::int64_t k, Frame& f, Measures& m, bool plotted) {
    TENDRIL_REQUIRE(k >= 0 && k < frames, "there is no such frame");
    f.report = {};
    // Storage is reused; every column puts its rows into frame or measures.
    m.probes.resize(probes.size());
    for (std::size_t i = 0; i < probes.size(); ++i) {
      m.probes[i].name = probes[i].name;
      m.probes[i].value.resize(probes[i].value.size());
    }
    const std::span<const Column> columns = all_columns();
    FrameChecksum plotted_sum, other_sum;
    double sums[2] = {};
    try {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (plotted && !columns[i].plotted) continue;
        // One row per frame, or the frame's rows of a list.
        std::int64_t first = k, count = 1;
        if (columns[i].row != RowIs::frame) {
          const std::size_t l = list_of(columns[i].row);
          first = first_row[static_cast<std::size_t>(k)][l];
          count = first_row[static_cast<std::size_t>(k) + 1][l] - first;
        }
        const double* const values = tables[i].at(first, count);
        const std::size_t size = static_cast<std::size_t>(count) * columns[i].values_per_row(sizes);
        if (is_checksums(columns[i]))
          std::copy_n(values, 2, sums);
        else
          (columns[i].plotted ? plotted_sum : other_sum).add({values, size});
        columns[i].take({values, static_cast<std::size_t>(count), sizes, f, m});
      }
      if (sums[0] != plotted_sum.number() || (!plotted && sums[1] != other_sum.number()))
        throw RecordError("is damaged: its values are not those that were written");
      check_frame(f, plotted);
    } catch (const RecordError& error) {
      const std::string what = error.what();
      throw RecordError(what.starts_with(name) ? what : fmt::format("{}: frame {} {}", name, k, what));
    }
  }

  std::string name;  // of the file, for messages
  h5::File file;
  std::string method, scene, description, outcome, message;
  bool complete = false;  // true: the run reached its end
  std::vector<std::string> rod_names;
  std::vector<ProbeValue> probes;     // names and numbers of values
  FileSizes sizes;                    // counts that do not change in a run
  std::int64_t frames = 0;            // that are whole
  std::vector<Table> tables;          // as all_columns()
  std::vector<ListCounts> first_row;  // per frame, and one more
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& file) : inside_(std::make_unique<Inside>(file)) {}
TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;
TrajectoryReader& TrajectoryReader::operator=(TrajectoryReader&&) noexcept = default;
TrajectoryReader::~TrajectoryReader() = default;

std::int64_t TrajectoryReader::frames() const { return inside_->frames; }
const std::string& TrajectoryReader::method() const { return inside_->method; }
const std::string& TrajectoryReader::scene() const { return inside_->scene; }
bool TrajectoryReader::complete() const { return inside_->complete; }
const std::string& TrajectoryReader::outcome() const { return inside_->outcome; }
const std::string& TrajectoryReader::message() const { return inside_->message; }
const std::vector<std::string>& TrajectoryReader::rod_names() const { return inside_->rod_names; }
const std::string& TrajectoryReader::description() const { return inside_->description; }

void TrajectoryReader::read_numbers(std::int64_t k, Frame& f, Measures& m) { inside_->read(k, f, m, true); }
void TrajectoryReader::read(std::int64_t k, Frame& f, Measures& m) { inside_->read(k, f, m, false); }

Trajectory read_trajectory(const std::filesystem::path& path) {
  TrajectoryReader reader(path);
  Trajectory out;
  out.method = reader.method(), out.scene = reader.scene(), out.complete = reader.complete();
  out.rod_names = reader.rod_names();
  out.frames.resize(static_cast<std::size_t>(reader.frames()));
  Measures measures;
  for (std::size_t k = 0; k < out.frames.size(); ++k) {
    reader.read(static_cast<std::int64_t>(k), out.frames[k], measures);
    out.energies.push_back(measures.energy);
    out.energy_error.push_back(measures.energy_error);
  }
  return out;
}

RunState look_at_run(const std::filesystem::path& folder) {
  RunState state;
  std::error_code ignored;
  const std::filesystem::path path = folder / "run.h5";
  if (!std::filesystem::is_regular_file(path, ignored)) return state;
  try {
    const TrajectoryReader reader(path);
    state = {true, reader.complete(), false, reader.frames(), reader.scene(), reader.method()};
  } catch (const RunGoingOn&) {
    state.going_on = true;
  } catch (const RecordError&) {
    state = {};
  }
  return state;
}

RecordedInputs read_inputs(const std::filesystem::path& folder) {
  const std::string name = (folder / "run.h5").string();
  TrajectoryReader reader(name);
  RecordedInputs out;
  out.scene = reader.scene();
  if (reader.frames() > 0) {
    Frame frame;
    Measures measures;
    reader.read_numbers(reader.frames() - 1, frame, measures);
    out.end = frame.time;
  }
  out.inputs = read_input_log(open_to_read(name).get(), name);
  return out;
}

}  // namespace tendril
