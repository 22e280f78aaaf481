// The datasets of run.h5: which there are, what a row stands for, how a Frame fills it and is filled from it.
//
// Most have one row per frame. Of what comes in numbers that change from frame to frame (nodes, edges, contacts, ...) all frames'
// rows stand one after another; `counts` has how many belong to each frame.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tendril/record.h"

namespace tendril {

// 1: without probes and outcome, 2: without contacts, 3: one fixed number of nodes, without reactions read back, pulls, obstacles,
// verdicts and the description that replays need, 4: a drift of energy instead of its balance, without checksums. Older files
// than this one cannot be read.
inline constexpr std::int64_t run_format_version = 5;

enum class RowIs : std::uint8_t { frame, node, edge, inner_node, contact, pull };
inline constexpr std::size_t lists = 5;  // all but `frame`
using ListCounts = std::array<std::int64_t, lists>;
constexpr std::size_t list_of(RowIs row) { return static_cast<std::size_t>(row) - 1; }
ListCounts counts_of(const Frame& frame);

struct FileSizes {                                                          // the same in every frame of a file
  std::size_t rods = 0, clamps = 0, bodies = 0, obstacles = 0, probes = 0;  // probes: numbers of all of them
  bool operator==(const FileSizes&) const = default;
};
FileSizes sizes_of(const Frame& frame, std::size_t probes);

struct RowSource {
  const Frame& frame;
  const Measures& measures;
};
struct RowTarget {
  const double* values;  // of this frame
  std::size_t rows;      // of this frame
  const FileSizes& sizes;
  Frame& frame;
  Measures& measures;  // its probes have their names and lengths already
};

struct Column {
  const char* name;
  const char* about;  // meaning and unit, written as an attribute
  RowIs row;
  std::size_t (*things)(const FileSizes&);  // a row has this many things; nullptr: no such dimension
  std::size_t width;                        // numbers each; 0: no such dimension
  bool whole_numbers;
  bool plotted;                                         // read_numbers reads it
  void (*put)(const RowSource&, std::vector<double>&);  // appends one frame's values; whole numbers below 2^53 are exact
  void (*take)(const RowTarget&);                       // the opposite; throws RecordError for numbers that cannot be

  std::size_t values_per_row(const FileSizes& sizes) const {
    return (things != nullptr ? things(sizes) : 1) * (width > 0 ? width : 1);
  }
};
std::span<const Column> all_columns();
inline constexpr const char* counts_column = "counts";

// Of a frame's values, column by column: damage on the disk is noticed when the frame is read. The filter that HDF5 has for this
// (Fletcher-32) was not taken: it sums up chunks, and a chunk that a kill leaves half written takes a thousand whole frames with it.
inline constexpr const char* checksums_column = "checksums";
class FrameChecksum {
 public:
  void add(std::span<const double> values);
  double number() const { return static_cast<double>(hash_ >> 11); }  // below 2^53: exact

 private:
  std::uint64_t hash_ = 14695981039346656037ull;
};
// What a checksum does not enter: itself.
inline bool is_checksums(const Column& column) { return column.name == std::string_view(checksums_column); }
inline constexpr const char* groups[] = {"solver", "probes", "rods", "contacts"};

// Every array has the length that the spans of the rods give it, and numbers of edges, bodies, ... are such of this frame; else
// throws RecordError. `plotted`: of what read_numbers reads.
void check_frame(const Frame& frame, bool plotted);

}  // namespace tendril
