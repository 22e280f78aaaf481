// Changes inside a run.h5, as an attacker makes them: the shape of a dataset, single values, texts; and checksums made right again.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "record/columns.h"
#include "record/h5.h"

namespace tendril {

struct RawDataset {
  std::vector<hsize_t> size;
  std::vector<double> values;
  std::size_t per_row() const {
    std::size_t n = 1;
    for (std::size_t i = 1; i < size.size(); ++i) n *= size[i];
    return n;
  }
};

inline h5::Handle open_to_craft(const std::string& file) {
  h5::set_up();
  return {H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose};
}
inline RawDataset read_raw(hid_t file, const char* dataset) {
  RawDataset raw;
  const h5::Handle set(H5Dopen2(file, dataset, H5P_DEFAULT), H5Dclose);
  const h5::Handle space(H5Dget_space(set.get()), H5Sclose);
  const int dimensions = H5Sget_simple_extent_ndims(space.get());
  if (dimensions < 1) return raw;
  raw.size.resize(static_cast<std::size_t>(dimensions));
  H5Sget_simple_extent_dims(space.get(), raw.size.data(), nullptr);
  if (static_cast<double>(raw.size[0]) * static_cast<double>(raw.per_row()) > 1e6) return raw;  // only says so
  raw.values.resize(raw.size[0] * raw.per_row());
  if (!raw.values.empty()) H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.values.data());
  return raw;
}
inline void write_raw(hid_t file, const char* dataset, const RawDataset& raw) {
  const h5::Handle set(H5Dopen2(file, dataset, H5P_DEFAULT), H5Dclose);
  if (!raw.values.empty()) H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.values.data());
}

// The dataset with other sizes: what was there as far as it fits, row by row, and zeros.
inline void reshape(const std::string& file, const char* dataset, const std::vector<hsize_t>& size) {
  const h5::Handle open = open_to_craft(file);
  RawDataset old = read_raw(open.get(), dataset), next;
  if (H5Ldelete(open.get(), dataset, H5P_DEFAULT) < 0) throw std::logic_error(dataset);
  const h5::Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
  const h5::Handle set(H5Dcreate2(open.get(), dataset, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  next.size = size;
  if (next.size[0] * next.per_row() > 1'000'000) return;  // only says so: never allocated
  next.values.assign(next.size[0] * next.per_row(), 0);
  for (std::size_t i = 0; i < std::min(next.values.size(), old.values.size()); ++i) next.values[i] = old.values[i];
  write_raw(open.get(), dataset, next);
}
inline void overwrite(const std::string& file, const char* dataset, std::size_t place, double value) {
  const h5::Handle open = open_to_craft(file);
  RawDataset raw = read_raw(open.get(), dataset);
  raw.values.at(place) = value;
  write_raw(open.get(), dataset, raw);
}

// Checksums for whatever the datasets hold now; frames whose rows are not there keep theirs.
inline void forge_checksums(const std::string& file) {
  const h5::Handle open = open_to_craft(file);
  const std::span<const Column> columns = all_columns();
  std::vector<RawDataset> raw;
  std::size_t sums_at = 0, counts_at = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    raw.push_back(read_raw(open.get(), columns[i].name));
    if (is_checksums(columns[i])) sums_at = i;
    if (columns[i].name == std::string_view(counts_column)) counts_at = i;
  }
  std::vector<double> first(lists, 0);
  RawDataset& sums = raw[sums_at];
  const RawDataset& counts = raw[counts_at];
  if (sums.size.size() != 2 || sums.size[1] != 2 || counts.size.size() != 2 || counts.size[1] != lists) return;
  for (std::size_t k = 0; k < std::min(sums.size[0], counts.size[0]); ++k) {
    FrameChecksum plotted, others;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i == sums_at) continue;
      double from = static_cast<double>(k), rows = 1;
      if (columns[i].row != RowIs::frame)
        from = first[list_of(columns[i].row)], rows = counts.values[k * lists + list_of(columns[i].row)];
      const auto per_row = static_cast<double>(raw[i].per_row());
      if (!(from >= 0 && rows >= 0 && (from + rows) * per_row <= static_cast<double>(raw[i].values.size())))
        return write_raw(open.get(), checksums_column, sums);
      (columns[i].plotted ? plotted : others)
          .add(std::span(raw[i].values)
                   .subspan(static_cast<std::size_t>(from * per_row), static_cast<std::size_t>(rows * per_row)));
    }
    sums.values[2 * k] = plotted.number(), sums.values[2 * k + 1] = others.number();
    for (std::size_t l = 0; l < lists; ++l) first[l] += counts.values[k * lists + l];
  }
  write_raw(open.get(), checksums_column, sums);
}

}  // namespace tendril
