// run.h5 frame by frame: every dataset keeps a block of rows around the last one asked for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "record/columns.h"
#include "record/contact_log.h"
#include "record/h5.h"
#include "record/input_log.h"
#include "tendril/record.h"

namespace tendril {
namespace {

constexpr std::size_t block_bytes = 256 * 1024;  // four of the chunks that the file is made of
constexpr std::int64_t longest_block = 1024;

class Table {  // one dataset
 public:
  Table(hid_t file, const char* dataset, const std::string& name)
      : dataset_(dataset),
        name_(&name),
        set_(h5::checked(H5Dopen2(file, dataset, H5P_DEFAULT), name, fmt::format("find `{}`", dataset)), H5Dclose) {
    const h5::Handle space(h5::checked(H5Dget_space(set_.get()), name, "read a size"), H5Sclose);
    count_ = h5::checked(H5Sget_simple_extent_ndims(space.get()), name, "read a size");
    if (count_ < 1 || count_ > 3) throw RecordError(fmt::format("{}: `{}` has not the shape it should have", name, dataset));
    h5::checked(H5Sget_simple_extent_dims(space.get(), size_.data(), nullptr), name, "read a size");
    for (int i = 1; i < count_; ++i) per_frame_ *= size_[static_cast<std::size_t>(i)];
    const auto fit = static_cast<std::int64_t>(block_bytes / (8 * std::max<std::size_t>(1, per_frame_)));
    block_rows_ = std::clamp<std::int64_t>(fit, 1, longest_block);
  }
  std::int64_t frames() const { return static_cast<std::int64_t>(size_[0]); }
  std::size_t per_frame() const { return per_frame_; }
  void cut(std::int64_t frames) { size_[0] = std::min(size_[0], static_cast<hsize_t>(frames)); }
  const double* row(std::int64_t k) {
    const std::int64_t first = k / block_rows_ * block_rows_;
    if (first != first_) load(first);
    return block_.data() + static_cast<std::size_t>(k - first_) * per_frame_;
  }
  double number(std::int64_t k) { return *row(k); }

 private:
  void load(std::int64_t first) {
    std::array<hsize_t, 3> start{static_cast<hsize_t>(first), 0, 0}, count = size_;
    count[0] = static_cast<hsize_t>(std::min(block_rows_, frames() - first));
    block_.resize(std::max<std::size_t>(1, count[0] * per_frame_));
    first_ = -1;
    if (count[0] * per_frame_ > 0) {
      const h5::Handle memory(h5::checked(H5Screate_simple(count_, count.data(), nullptr), *name_, "make a space"),
                              H5Sclose);
      const h5::Handle space(h5::checked(H5Dget_space(set_.get()), *name_, "read a size"), H5Sclose);
      h5::checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), *name_,
                  "choose rows");
      h5::checked(H5Dread(set_.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, block_.data()), *name_,
                  fmt::format("read `{}`", dataset_));
    }
    first_ = first;
  }
  const char* dataset_;
  const std::string* name_;
  h5::Handle set_;
  int count_ = 1;
  std::array<hsize_t, 3> size_{};
  std::size_t per_frame_ = 1;
  std::int64_t block_rows_ = 1, first_ = -1;
  std::vector<double> block_;
};

template <class Array>
void fill(Array& array, Table& table, std::int64_t frame) {
  array.resize(static_cast<int>(table.per_frame() / 3));
  const double* v = table.row(frame);
  for (auto& value : array) value = Vec3(v[0], v[1], v[2]), v += 3;
}
template <class Array>
void fill_numbers(Array& array, Table& table, std::int64_t frame) {
  array.resize(static_cast<int>(table.per_frame()));
  const double* v = table.row(frame);
  for (auto& value : array) value = *v++;
}
Energy energy_from(Table& table, std::int64_t frame) {  // shearing came later, behind the total
  const double* v = table.row(frame);
  return {v[0], v[1], v[2], v[3], v[4], v[5], table.per_frame() > 7 ? v[7] : 0};
}

h5::Handle open_to_read(const std::string& name) {
  h5::set_up();
  h5::Handle file(h5::checked(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), name, "open the file"), H5Fclose);
  const std::int64_t version = h5::read_number_attribute(file.get(), "format_version", name);
  if (version < oldest_run_format_version || version > run_format_version)
    throw RecordError(fmt::format(
        "{}: was written by another version of tendril (format {}, this one reads {} to {}); run its scene again", name,
        version, oldest_run_format_version, run_format_version));
  return file;
}

std::vector<RodSpan> read_spans(hid_t file, const std::string& name) {
  Table table(file, "rods/spans", name);
  std::vector<RodSpan> rods;
  for (std::int64_t i = 0; i < table.frames(); ++i) {
    const double* v = table.row(i);
    const auto at = [v](int k) { return static_cast<int>(v[k]); };
    rods.push_back({at(0), at(1), at(2), at(3), at(4), at(5), at(6) != 0});
  }
  return rods;
}

}  // namespace

struct TrajectoryReader::Inside {
  explicit Inside(const std::filesystem::path& path) : name(path.string()), file(open_to_read(name)) {
    const hid_t root = file.get();
    method = h5::read_text_attribute(root, "method", name);
    scene = h5::read_text(root, "scene", name);
    complete = h5::read_number_attribute(root, "complete", name) == 1;
    outcome = h5::read_text(root, "outcome", name);
    message = h5::read_text(root, "message", name);
    rod_names = h5::read_texts(root, "rods/names", name);
    rods = read_spans(root, name);
    // One ProbeValue per run of equal names.
    std::string last;
    for (const std::string& probe : h5::read_texts(root, "probes/names", name)) {
      if (probes.empty() || probe != last) probes.push_back({probe, {}});
      probes.back().value.push_back(0);
      last = probe;
    }
    // A kill may leave datasets that differ by the frames of one flush.
    frames = std::numeric_limits<std::int64_t>::max();
    const std::int64_t version = h5::read_number_attribute(root, "format_version", name);
    for (const Column& column : all_columns())
      if (column.since <= version) frames = std::min(frames, Table(root, column.name, name).frames());
    if (version >= 3) find_contacts();
    for (Table* table : {&time,     &step,   &material,     &position,    &velocity,     &moment, &orientation, &spin,
                         &force,    &twist,  &energy,       &own,         &momentum,     &drift,  &iterations,  &residual,
                         &outcomes, &pivots, &length_error, &penetration, &probe_values, &bodies})
      table->cut(frames);
  }
  // Where each frame's contacts begin.
  void find_contacts() {
    Table count(file.get(), "contacts/count", name);
    contacts.emplace(file.get(), contact_points, name);
    first_contact.assign(1, 0);
    for (std::int64_t k = 0; k < frames; ++k) {
      first_contact.push_back(first_contact.back() + static_cast<std::int64_t>(count.number(k)));
      if (first_contact.back() > contacts->frames()) frames = k;  // a kill left them behind
    }
  }
  void read_contacts(std::int64_t k, std::vector<ContactPoint>& out) {
    out.clear();
    if (!contacts) return;
    for (std::int64_t i = first_contact[static_cast<std::size_t>(k)]; i < first_contact[static_cast<std::size_t>(k) + 1];
         ++i)
      out.push_back(contact_from(contacts->row(i)));
  }
  std::string name;
  h5::Handle file;
  std::string method, scene, outcome, message;
  bool complete = false;
  std::vector<std::string> rod_names;
  std::vector<RodSpan> rods;
  std::vector<ProbeValue> probes;
  std::int64_t frames = 0;
  Table time{file.get(), "time", name}, step{file.get(), "step", name}, material{file.get(), "material", name},
      position{file.get(), "positions", name}, velocity{file.get(), "velocities", name}, moment{file.get(), "moments", name},
      orientation{file.get(), "orientations", name}, spin{file.get(), "spin", name}, force{file.get(), "forces", name},
      twist{file.get(), "twist", name}, energy{file.get(), "energies", name}, own{file.get(), "own_energies", name},
      momentum{file.get(), "momentum", name}, drift{file.get(), "solver/drift", name},
      iterations{file.get(), "solver/iterations", name}, residual{file.get(), "solver/residual", name},
      outcomes{file.get(), "solver/outcome", name}, pivots{file.get(), "solver/negative_pivots", name},
      length_error{file.get(), "solver/length_error", name}, penetration{file.get(), "solver/penetration", name},
      probe_values{file.get(), "probes/values", name}, bodies{file.get(), "bodies", name};
  std::optional<Table> contacts;  // none in files of version 2
  std::vector<std::int64_t> first_contact;
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
const std::vector<RodSpan>& TrajectoryReader::rods() const { return inside_->rods; }

void TrajectoryReader::read_numbers(std::int64_t k, Frame& f, Measures& m) {
  Inside& in = *inside_;
  TENDRIL_REQUIRE(k >= 0 && k < in.frames, "there is no such frame");
  f.time = in.time.number(k);
  f.step = static_cast<std::int64_t>(in.step.number(k));
  f.rods = in.rods;
  fill_numbers(f.twist, in.twist, k);
  f.report = {};
  f.report.outcome = static_cast<Outcome>(static_cast<int>(in.outcomes.number(k)));
  f.report.iterations = static_cast<int>(in.iterations.number(k));
  f.report.residual = in.residual.number(k);
  f.report.negative_pivots = static_cast<int>(in.pivots.number(k));
  m.energy = energy_from(in.energy, k);
  m.drift = in.drift.number(k);
  m.length_error = in.length_error.number(k);
  m.penetration = in.penetration.number(k);
  m.probes.resize(in.probes.size());
  const double* v = in.probe_values.row(k);
  for (std::size_t i = 0; i < in.probes.size(); ++i) {
    m.probes[i].name = in.probes[i].name;
    m.probes[i].value.resize(in.probes[i].value.size());
    for (double& value : m.probes[i].value) value = *v++;
  }
}

void TrajectoryReader::read(std::int64_t k, Frame& f, Measures& m) {
  read_numbers(k, f, m);
  Inside& in = *inside_;
  fill_numbers(f.material, in.material, k);
  fill(f.position, in.position, k), fill(f.velocity, in.velocity, k), fill(f.moment, in.moment, k);
  fill(f.spin, in.spin, k), fill(f.force, in.force, k);
  f.orientation.resize(static_cast<int>(in.orientation.per_frame() / 4));
  const double* q = in.orientation.row(k);
  for (Quat& value : f.orientation) value = Quat(q[0], q[1], q[2], q[3]), q += 4;
  f.own_energy = energy_from(in.own, k);
  in.read_contacts(k, f.contacts);
  f.bodies.resize(in.bodies.per_frame() / 13);
  const double* b = in.bodies.row(k);
  for (BodyState& body : f.bodies) {
    body.pose = {Vec3(b[0], b[1], b[2]), Quat(b[3], b[4], b[5], b[6])};
    body.motion = {Vec3(b[7], b[8], b[9]), Vec3(b[10], b[11], b[12])};
    b += 13;
  }
  const double* p = in.momentum.row(k);
  m.momentum = Vec3(p[0], p[1], p[2]), m.angular_momentum = Vec3(p[3], p[4], p[5]);
}

Trajectory read_trajectory(const std::filesystem::path& path) {
  TrajectoryReader reader(path);
  Trajectory out;
  out.method = reader.method(), out.scene = reader.scene(), out.complete = reader.complete();
  out.rod_names = reader.rod_names(), out.rods = reader.rods();
  out.frames.resize(static_cast<std::size_t>(reader.frames()));
  Measures measures;
  for (std::size_t k = 0; k < out.frames.size(); ++k) {
    reader.read(static_cast<std::int64_t>(k), out.frames[k], measures);
    out.energies.push_back(measures.energy);
    out.drift.push_back(measures.drift);
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
    state = {true, reader.complete(), reader.frames(), reader.scene(), reader.method()};
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
