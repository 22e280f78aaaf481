#include "record/input_log.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "tendril/record.h"

namespace tendril {
namespace {

constexpr const char* group = "inputs";
constexpr std::size_t name_bytes = 160;  // names of clamps have at most 100
constexpr hsize_t width = std::tuple_size_v<InputNumbers>;
constexpr hsize_t input_chunk_rows = 256;

h5::Handle text_type(const std::string& name) {
  h5::Handle type(h5::checked(H5Tcopy(H5T_C_S1), name, "make a type"), H5Tclose);
  h5::checked(H5Tset_size(type.get(), name_bytes), name, "make a type");
  h5::checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), name, "make a type");
  return type;
}

struct Set {
  const char* path;
  const char* about;
  int dimensions;
};
constexpr Set steps{"inputs/step", "calls of advance() before it was taken", 1};
constexpr Set names{"inputs/name", "what was set", 1};
constexpr Set kinds{"inputs/kind", "0: a number, 1: a vector, 2: a hand, 3: a number and its rate, 4: a vector and its rate",
                    1};
constexpr Set values{
    "inputs/value",
    "number; x, y, z; after them their rates; or of a hand: rod, body, material, position, orientation w x y z, "
    "velocity, angular velocity, stiffness, damping, angular stiffness, angular damping, point on the body",
    2};

void create(hid_t file, const Set& set, hid_t type, const std::string& name) {
  const std::array<hsize_t, 2> size{0, width}, most{H5S_UNLIMITED, width}, chunk{input_chunk_rows, width};
  const h5::Handle space(h5::checked(H5Screate_simple(set.dimensions, size.data(), most.data()), name, "make a space"),
                         H5Sclose);
  const h5::Handle how(h5::checked(H5Pcreate(H5P_DATASET_CREATE), name, "describe a dataset"), H5Pclose);
  h5::checked(H5Pset_chunk(how.get(), set.dimensions, chunk.data()), name, "describe a dataset");
  h5::Handle made(h5::checked(H5Dcreate2(file, set.path, type, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), name,
                              fmt::format("make the dataset `{}`", set.path)),
                  H5Dclose);
  h5::write_text_attribute(made.get(), "about", set.about, name);
}

h5::Handle open(hid_t file, const Set& set, const std::string& name) {
  return {h5::checked(H5Dopen2(file, set.path, H5P_DEFAULT), name, fmt::format("find `{}`", set.path)), H5Dclose};
}

hsize_t rows_of(const h5::Handle& set, const std::string& name) {
  const h5::Handle space(h5::checked(H5Dget_space(set.get()), name, "read a size"), H5Sclose);
  std::array<hsize_t, 2> size{};
  h5::checked(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), name, "read a size");
  return size[0];
}

void resize(hid_t file, const Set& set, hsize_t rows, const std::string& name) {
  const std::array<hsize_t, 2> size{rows, width};
  h5::checked(H5Dset_extent(open(file, set, name).get(), size.data()), name, "change the log of inputs");
}

void append(hid_t file, const Set& set, hid_t type, hsize_t at, hsize_t count, const void* data, const std::string& name) {
  resize(file, set, at + count, name);
  const h5::Handle into = open(file, set, name);
  const std::array<hsize_t, 2> start{at, 0}, size{count, width};
  const h5::Handle memory(h5::checked(H5Screate_simple(set.dimensions, size.data(), nullptr), name, "make a space"),
                          H5Sclose);
  const h5::Handle space(h5::checked(H5Dget_space(into.get()), name, "read a size"), H5Sclose);
  h5::checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), name,
              "choose rows");
  h5::checked(H5Dwrite(into.get(), type, memory.get(), space.get(), H5P_DEFAULT, data), name, "write inputs");
}

std::int64_t missing_in(hid_t file, const std::string& name) {
  const h5::Handle at(h5::checked(H5Gopen2(file, group, H5P_DEFAULT), name, "find the inputs"), H5Gclose);
  return h5::read_number_attribute(at.get(), "missing", name);
}

}  // namespace

void create_input_log(hid_t file, std::int64_t missing, const std::string& name) {
  const h5::Handle at(h5::checked(H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name, "make a group"),
                      H5Gclose);
  h5::write_number_attribute(at.get(), "missing", missing, name);
  create(file, steps, H5T_STD_I64LE, name);
  create(file, names, text_type(name).get(), name);
  create(file, kinds, H5T_STD_I64LE, name);
  create(file, values, H5T_IEEE_F64LE, name);
}

std::int64_t inputs_in_log(hid_t file, const std::string& name) {
  return missing_in(file, name) + static_cast<std::int64_t>(rows_of(open(file, steps, name), name));
}

void cut_input_log(hid_t file, std::int64_t taken, const std::string& name) {
  // Inputs after the checkpoint are cut off; `missing`: those that were taken before recording began.
  const std::int64_t rows = taken - missing_in(file, name);
  if (rows < 0 || taken > inputs_in_log(file, name))
    throw RecordError(fmt::format("{}: holds {} inputs, the checkpoint {}: start again without --resume", name,
                                  inputs_in_log(file, name), taken));
  for (const Set* set : {&steps, &names, &kinds, &values}) resize(file, *set, static_cast<hsize_t>(rows), name);
}

void append_to_input_log(hid_t file, std::span<const LoggedInput> inputs, const std::string& name) {
  if (inputs.empty()) return;
  // Column by column, all rows at once.
  std::vector<std::int64_t> step, kind;
  std::vector<double> value;
  std::vector<char> text(inputs.size() * name_bytes, '\0');
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    step.push_back(inputs[i].step);
    kind.push_back(static_cast<std::int64_t>(inputs[i].value.index()));
    const InputNumbers numbers = numbers_of(inputs[i].value);
    value.insert(value.end(), numbers.begin(), numbers.end());
    std::memcpy(text.data() + i * name_bytes, inputs[i].name.data(), std::min(inputs[i].name.size(), name_bytes - 1));
  }
  const hsize_t at = rows_of(open(file, steps, name), name), count = inputs.size();
  append(file, steps, H5T_NATIVE_INT64, at, count, step.data(), name);
  append(file, names, text_type(name).get(), at, count, text.data(), name);
  append(file, kinds, H5T_NATIVE_INT64, at, count, kind.data(), name);
  append(file, values, H5T_NATIVE_DOUBLE, at, count, value.data(), name);
}

std::vector<LoggedInput> read_input_log(hid_t file, const std::string& name) {
  if (H5Lexists(file, group, H5P_DEFAULT) <= 0) return {};  // older than live inputs
  if (const std::int64_t missing = missing_in(file, name); missing > 0)
    throw RecordError(fmt::format("{}: its first {} inputs were not recorded, so it cannot be rerun", name, missing));
  const auto count = static_cast<std::size_t>(rows_of(open(file, steps, name), name));
  std::vector<LoggedInput> inputs(count);
  if (count == 0) return inputs;
  std::vector<std::int64_t> step(count), kind(count);
  std::vector<double> value(count * width);
  std::vector<char> text(count * name_bytes);
  // Columns must have equally many rows.
  const auto read = [&](const Set& set, hid_t type, std::size_t numbers, void* to) {
    const h5::Handle from = open(file, set, name);
    if (h5::points_of(from.get(), name) != numbers) throw RecordError(name + ": its inputs are not what they should be");
    h5::checked(H5Dread(from.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), name, "read inputs");
  };
  read(steps, H5T_NATIVE_INT64, count, step.data());
  read(names, text_type(name).get(), count, text.data());
  read(kinds, H5T_NATIVE_INT64, count, kind.data());
  read(values, H5T_NATIVE_DOUBLE, value.size(), value.data());
  for (std::size_t i = 0; i < count; ++i) {
    InputNumbers numbers{};
    std::copy_n(value.begin() + static_cast<std::ptrdiff_t>(i * width), width, numbers.begin());
    const char* const called = text.data() + i * name_bytes;
    if (kind[i] < 0 || kind[i] >= static_cast<std::int64_t>(std::variant_size_v<InputValue>))
      throw RecordError(name + ": its inputs are not what they should be");
    inputs[i] = {step[i], std::string(called, strnlen(called, name_bytes)),
                 input_from(static_cast<std::size_t>(kind[i]), numbers)};
  }
  return inputs;
}

}  // namespace tendril
