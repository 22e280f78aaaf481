// The datasets of run.h5: which there are, how wide a row is, how a Frame fills it and is filled from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/record.h"

namespace tendril {

inline constexpr std::int64_t run_format_version =
    4;  // 1: without probes and outcome, 2: without contacts, 3: without verdict
inline constexpr std::int64_t oldest_run_format_version = 2;  // that can be read

struct FrameSizes {
  std::size_t nodes = 0, edges = 0, inner = 0, clamps = 0, probes = 0, bodies = 0;  // probes: numbers of all of them
  bool operator==(const FrameSizes&) const = default;
};
FrameSizes sizes_of(const Frame& frame, std::size_t clamps, std::size_t probes);

struct RowSource {
  const Frame& frame;
  const Measures& measures;
  std::span<const Wrench> reactions;
};

struct Column {
  const char* name;
  const char* about;                       // meaning and unit, written as an attribute
  std::size_t (*rows)(const FrameSizes&);  // values per frame = rows * width; 0 for none: one number per frame
  std::size_t width;                       // 0: no second dimension
  bool whole_numbers;
  void (*put)(const RowSource&, std::vector<double>&);  // appends one frame's values; whole numbers below 2^53 are exact
  std::int64_t since = oldest_run_format_version;       // files before this version do not have it
};
std::span<const Column> all_columns();
inline constexpr const char* solver_group = "solver";
inline constexpr const char* probes_group = "probes";

}  // namespace tendril
