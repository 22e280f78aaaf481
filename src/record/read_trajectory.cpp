#include <fmt/format.h>

#include <array>
#include <limits>

#include "record/columns.h"
#include "record/h5.h"
#include "tendril/record.h"

namespace tendril {
namespace {

struct Table {
  std::vector<double> values;
  std::size_t frames = 0, per_frame = 0;
  const double* row(std::size_t frame) const { return values.data() + frame * per_frame; }
};

Table read_table(hid_t file, const char* dataset, const std::string& name) {
  const h5::Handle set(h5::checked(H5Dopen2(file, dataset, H5P_DEFAULT), name, fmt::format("find `{}`", dataset)), H5Dclose);
  const h5::Handle space(h5::checked(H5Dget_space(set.get()), name, "read a size"), H5Sclose);
  std::array<hsize_t, 3> size{};
  const int count = h5::checked(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), name, "read a size");
  Table table;
  table.frames = size[0];
  table.per_frame = 1;
  for (int i = 1; i < count; ++i) table.per_frame *= size[static_cast<std::size_t>(i)];
  table.values.resize(table.frames * table.per_frame);
  if (!table.values.empty())
    h5::checked(H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.values.data()), name,
                fmt::format("read `{}`", dataset));
  return table;
}

template <class Array>
void fill(Array& array, const Table& table, std::size_t frame) {
  const auto count = static_cast<int>(table.per_frame / 3);
  array.resize(count);
  const double* v = table.row(frame);
  for (auto& value : array) value = Vec3(v[0], v[1], v[2]), v += 3;
}
template <class Array>
void fill_numbers(Array& array, const Table& table, std::size_t frame) {
  array.resize(static_cast<int>(table.per_frame));
  const double* v = table.row(frame);
  for (auto& value : array) value = *v++;
}
Energy energy_from(const double* v) { return {v[0], v[1], v[2], v[3], v[4], v[5]}; }

std::vector<RodSpan> read_spans(hid_t file, const std::string& name) {
  const Table table = read_table(file, "rods/spans", name);
  std::vector<RodSpan> rods;
  for (std::size_t i = 0; i < table.frames; ++i) {
    const double* v = table.row(i);
    const auto at = [v](int k) { return static_cast<int>(v[k]); };
    rods.push_back({at(0), at(1), at(2), at(3), at(4), at(5), at(6) != 0});
  }
  return rods;
}

h5::Handle open_to_read(const std::string& name) {
  h5::set_up();
  return {h5::checked(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), name, "open the file"), H5Fclose};
}

// A kill may leave datasets that differ by the frames of one flush.
std::size_t common_frames(hid_t file, const std::string& name) {
  std::size_t frames = std::numeric_limits<std::size_t>::max();
  for (const Column& column : all_columns()) {
    const h5::Handle set(h5::checked(H5Dopen2(file, column.name, H5P_DEFAULT), name, fmt::format("find `{}`", column.name)),
                         H5Dclose);
    const h5::Handle space(h5::checked(H5Dget_space(set.get()), name, "read a size"), H5Sclose);
    std::array<hsize_t, 3> size{};
    h5::checked(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), name, "read a size");
    frames = std::min<std::size_t>(frames, size[0]);
  }
  return frames;
}

}  // namespace

Trajectory read_trajectory(const std::filesystem::path& path) {
  const std::string name = path.string();
  const h5::Handle file = open_to_read(name);
  const hid_t root = file.get();
  Trajectory out;
  out.method = h5::read_text_attribute(root, "method", name);
  out.scene = h5::read_text(root, "scene", name);
  out.complete = h5::read_number_attribute(root, "complete", name) == 1;
  out.rod_names = h5::read_texts(root, "rods/names", name);
  out.rods = read_spans(root, name);
  const auto table = [&](const char* dataset) { return read_table(root, dataset, name); };
  const Table time = table("time"), step = table("step"), material = table("material"), position = table("positions"),
              velocity = table("velocities"), moment = table("moments"), orientation = table("orientations"),
              spin = table("spin"), force = table("forces"), twist = table("twist"), energy = table("energies"),
              own = table("own_energies"), drift = table("solver/drift"), iterations = table("solver/iterations"),
              bodies = table("bodies"), residual = table("solver/residual"), pivots = table("solver/negative_pivots");
  const std::size_t frames = common_frames(root, name);
  for (std::size_t k = 0; k < frames; ++k) {
    Frame f;
    f.time = *time.row(k);
    f.step = static_cast<std::int64_t>(*step.row(k));
    f.rods = out.rods;
    fill_numbers(f.material, material, k), fill_numbers(f.twist, twist, k);
    fill(f.position, position, k), fill(f.velocity, velocity, k), fill(f.moment, moment, k);
    fill(f.spin, spin, k), fill(f.force, force, k);
    f.orientation.resize(static_cast<int>(orientation.per_frame / 4));
    const double* q = orientation.row(k);
    for (Quat& value : f.orientation) value = Quat(q[0], q[1], q[2], q[3]), q += 4;
    f.bodies.resize(bodies.per_frame / 13);
    const double* b = bodies.row(k);
    for (BodyState& body : f.bodies) {
      body.pose = {Vec3(b[0], b[1], b[2]), Quat(b[3], b[4], b[5], b[6])};
      body.motion = {Vec3(b[7], b[8], b[9]), Vec3(b[10], b[11], b[12])};
      b += 13;
    }
    f.own_energy = energy_from(own.row(k));
    f.report.iterations = static_cast<int>(*iterations.row(k));
    f.report.residual = *residual.row(k);
    f.report.negative_pivots = static_cast<int>(*pivots.row(k));
    out.frames.push_back(std::move(f));
    out.energies.push_back(energy_from(energy.row(k)));
    out.drift.push_back(*drift.row(k));
  }
  return out;
}

RunState look_at_run(const std::filesystem::path& folder) {
  RunState state;
  std::error_code ignored;
  const std::filesystem::path path = folder / "run.h5";
  if (!std::filesystem::is_regular_file(path, ignored)) return state;
  try {
    const std::string name = path.string();
    const h5::Handle file = open_to_read(name);
    state.complete = h5::read_number_attribute(file.get(), "complete", name) == 1;
    state.method = h5::read_text_attribute(file.get(), "method", name);
    state.scene = h5::read_text(file.get(), "scene", name);
    state.frames = static_cast<std::int64_t>(common_frames(file.get(), name));
    state.exists = true;
  } catch (const RecordError&) {
    state = {};
  }
  return state;
}

}  // namespace tendril
