#include "record/trajectory_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "record/columns.h"
#include "record/contact_log.h"
#include "record/h5.h"
#include "record/input_log.h"

namespace tendril {
namespace {

constexpr const char* word_interrupted = "interrupted";  // until the end of the run is written
constexpr std::size_t chunk_bytes = 64 * 1024;           // fits HDF5's chunk cache many times
constexpr hsize_t longest_chunk_row = 8192;

struct Dimensions {
  int count = 1;  // the first counts frames
  std::array<hsize_t, 3> size{};
  hsize_t values() const {
    hsize_t product = 1;
    for (int i = 1; i < count; ++i) product *= size[static_cast<std::size_t>(i)];
    return product;
  }
};

Dimensions dimensions_of(const Column& column, const FrameSizes& sizes, hsize_t frames) {
  Dimensions d;
  d.size[0] = frames;
  const bool single_number = column.rows(FrameSizes{1, 1, 1, 1, 1, 1}) == 0;
  if (!single_number) d.size[static_cast<std::size_t>(d.count++)] = column.rows(sizes);
  if (column.width > 0) d.size[static_cast<std::size_t>(d.count++)] = column.width;
  return d;
}

h5::Handle create_dataset(hid_t file, const Column& column, const FrameSizes& sizes, const std::string& name) {
  const Dimensions d = dimensions_of(column, sizes, 0);
  std::array<hsize_t, 3> most{H5S_UNLIMITED, d.size[1], d.size[2]}, chunk{1, 1, 1};
  std::size_t row_bytes = 8;
  for (std::size_t i = 1; i < static_cast<std::size_t>(d.count); ++i) {
    chunk[i] = std::clamp<hsize_t>(d.size[i], 1, longest_chunk_row);
    if (d.size[i] == 0) most[i] = H5S_UNLIMITED;  // a chunk may not be larger than a fixed size
    row_bytes *= chunk[i];
  }
  chunk[0] = std::clamp<hsize_t>(chunk_bytes / row_bytes, 1, 1024);
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
    std::vector<double> waiting;
  };
  std::string name;
  h5::Handle file;
  FrameSizes sizes;
  std::vector<Open> columns;  // as all_columns()
  std::optional<ContactLog> contacts;
  std::int64_t written = 0, waiting = 0;

  void write_column(const Column& column, Open& open) const;
  std::size_t contacts_so_far() const;  // of the frames written
  void write_head(const TrajectoryHead& head, const Frame& first);
  void write_outcome(const std::string& outcome, const std::string& message) const {
    h5::write_text(file.get(), "outcome", outcome, name);
    h5::write_text(file.get(), "message", message, name);
  }
};

void TrajectoryFile::Inside::write_head(const TrajectoryHead& head, const Frame& first) {
  const hid_t root = file.get();
  h5::write_number_attribute(root, "format_version", run_format_version, name);
  h5::write_number_attribute(root, "complete", 0, name);
  h5::write_text_attribute(root, "tendril_version", TENDRIL_VERSION, name);
  h5::write_text_attribute(root, "method", head.method, name);
  h5::write_text_attribute(root, "scene_hash", head.scene_hash, name);
  h5::write_text(root, "scene", head.scene, name);  // a dataset: attributes end at 64 kB
  for (const char* group : {solver_group, probes_group, "rods", contacts_group})
    h5::Handle(h5::checked(H5Gcreate2(root, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name, "make a group"), H5Gclose);
  create_input_log(root, head.inputs_missing, name);
  h5::write_texts(root, "rods/names", head.rod_names, name);
  h5::write_texts(root, "clamp_names", head.clamp_names, name);
  h5::write_texts(root, "probes/columns", head.probe_columns, name);
  h5::write_texts(root, "probes/names", head.probe_names, name);
  std::vector<std::int64_t> spans;
  for (const RodSpan& s : first.rods)
    spans.insert(spans.end(), {s.first_node, s.nodes, s.first_edge, s.edges, s.first_inner, s.inner, s.ring ? 1 : 0});
  const std::array<hsize_t, 2> size{first.rods.size(), 7};
  const h5::Handle space(h5::checked(H5Screate_simple(2, size.data(), nullptr), name, "make a space"), H5Sclose);
  h5::Handle set(
      h5::checked(H5Dcreate2(root, "rods/spans", H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name,
                  "make the rods"),
      H5Dclose);
  h5::write_text_attribute(set.get(), "about", "first node, nodes, first edge, edges, first inner node, inner nodes, ring",
                           name);
  if (!spans.empty())
    h5::checked(H5Dwrite(set.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, spans.data()), name, "write the rods");
  h5::checked(set.close(), name, "write the rods");
}

std::size_t TrajectoryFile::Inside::contacts_so_far() const {
  std::vector<std::int64_t> count(static_cast<std::size_t>(written));
  const std::span<const Column> all = all_columns();
  for (std::size_t i = 0; i < all.size() && written > 0; ++i)
    if (std::string_view(all[i].name) == "contacts/count")
      h5::checked(H5Dread(columns[i].set.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, count.data()), name,
                  "read the number of contacts");
  return static_cast<std::size_t>(std::accumulate(count.begin(), count.end(), std::int64_t{0}));
}

TrajectoryFile::TrajectoryFile(const std::filesystem::path& path, const TrajectoryHead& head, const Frame& first)
    : inside_(std::make_unique<Inside>()) {
  h5::set_up();
  Inside& in = *inside_;
  in.name = path.string();
  in.sizes = sizes_of(first, head.clamp_names.size(), head.probe_columns.size());
  in.file = h5::Handle(
      h5::checked(H5Fcreate(in.name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), in.name, "create the file"),
      H5Fclose);
  in.write_head(head, first);
  for (const Column& column : all_columns())
    in.columns.push_back({create_dataset(in.file.get(), column, in.sizes, in.name), {}});
  in.contacts = ContactLog::create(in.file.get(), in.name);
  in.write_outcome(word_interrupted, "");
  write_and_flush();
}

TrajectoryFile::TrajectoryFile(const std::filesystem::path& path, std::int64_t frames, const TrajectoryHead& head,
                               const Frame& first)
    : inside_(std::make_unique<Inside>()) {
  h5::set_up();
  Inside& in = *inside_;
  in.name = path.string();
  in.sizes = sizes_of(first, head.clamp_names.size(), head.probe_columns.size());
  in.file = h5::Handle(h5::checked(H5Fopen(in.name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), in.name, "open the file"), H5Fclose);
  if (h5::read_number_attribute(in.file.get(), "format_version", in.name) != run_format_version)
    throw RecordError(in.name + ": was written by another version of tendril: start again without --resume");
  for (const Column& column : all_columns()) {
    h5::Handle set(
        h5::checked(H5Dopen2(in.file.get(), column.name, H5P_DEFAULT), in.name, fmt::format("find `{}`", column.name)),
        H5Dclose);
    const h5::Handle space(h5::checked(H5Dget_space(set.get()), in.name, "read a size"), H5Sclose);
    std::array<hsize_t, 3> size{};
    h5::checked(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), in.name, "read a size");
    if (size[0] < static_cast<hsize_t>(frames))
      throw RecordError(
          fmt::format("{}: holds {} frames, the checkpoint {}: start again without --resume", in.name, size[0], frames));
    const Dimensions cut = dimensions_of(column, in.sizes, static_cast<hsize_t>(frames));
    h5::checked(H5Dset_extent(set.get(), cut.size.data()), in.name, "cut back to the checkpoint");
    in.columns.push_back({std::move(set), {}});
  }
  in.written = frames;
  in.contacts = ContactLog::open(in.file.get(), in.name);
  in.contacts->cut(in.contacts_so_far());
  cut_input_log(in.file.get(), head.inputs_taken, in.name);
  h5::write_number_attribute(in.file.get(), "complete", 0, in.name);
  h5::write_text(in.file.get(), "scene", head.scene, in.name);
  in.write_outcome(word_interrupted, "");
  write_and_flush();
}

TrajectoryFile::~TrajectoryFile() = default;

void TrajectoryFile::append(const Frame& frame, const Measures& measures, std::span<const Wrench> reactions) {
  Inside& in = *inside_;
  std::size_t probe_values = 0;
  for (const ProbeValue& probe : measures.probes) probe_values += probe.value.size();
  if (sizes_of(frame, reactions.size(), probe_values) != in.sizes)
    throw RecordError(in.name + ": the number of nodes changed during the run; this version cannot record that");
  const std::span<const Column> columns = all_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].put({frame, measures, reactions}, in.columns[i].waiting);
  put_contacts(frame.contacts, in.contacts->waiting);
  ++in.waiting;
}

void TrajectoryFile::write_inputs(std::span<const LoggedInput> log, std::int64_t taken) {
  const Inside& in = *inside_;
  const auto left = static_cast<std::size_t>(taken - inputs_in_log(in.file.get(), in.name));
  append_to_input_log(in.file.get(), log.last(std::min(left, log.size())), in.name);
}

std::size_t TrajectoryFile::waiting_bytes() const {
  std::size_t values = inside_->contacts->waiting.size();
  for (const Inside::Open& open : inside_->columns) values += open.waiting.size();
  return values * sizeof(double);
}

std::int64_t TrajectoryFile::frames() const { return inside_->written + inside_->waiting; }

void TrajectoryFile::Inside::write_column(const Column& column, Open& open) const {
  Dimensions d = dimensions_of(column, sizes, static_cast<hsize_t>(written + waiting));
  h5::checked(H5Dset_extent(open.set.get(), d.size.data()), name, "make room for frames");
  if (d.values() == 0) return;
  std::array<hsize_t, 3> start{static_cast<hsize_t>(written), 0, 0}, count = d.size;
  count[0] = static_cast<hsize_t>(waiting);
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
    in.contacts->write();  // before their numbers
    const std::span<const Column> columns = all_columns();
    for (std::size_t i = 0; i < columns.size(); ++i) in.write_column(columns[i], in.columns[i]);
    for (Inside::Open& open : in.columns) open.waiting.clear();
    in.written += in.waiting;
    in.waiting = 0;
  }
  // On a full disk H5Dwrite reports success and only this fails.
  h5::checked(H5Fflush(in.file.get(), H5F_SCOPE_GLOBAL), in.name, "write to disk");
}

void TrajectoryFile::close(bool complete, const std::string& outcome, const std::string& message) {
  Inside& in = *inside_;
  write_and_flush();
  h5::write_number_attribute(in.file.get(), "complete", complete ? 1 : 0, in.name);
  in.write_outcome(outcome, message);
  h5::checked(H5Fflush(in.file.get(), H5F_SCOPE_GLOBAL), in.name, "write to disk");
  for (Inside::Open& open : in.columns) h5::checked(open.set.close(), in.name, "close a dataset");
  in.columns.clear();
  in.contacts->close();
  h5::checked(in.file.close(), in.name, "close the file");
}

}  // namespace tendril
