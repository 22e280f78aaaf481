// The broad phase: which boxes overlap? In nearly linear time, in an order that depends on the boxes alone, without
// allocation after the first calls.
//
// A box belongs to the cell of its centre, in a grid whose cells are at least as wide as the box: cells of 2^level, so boxes
// of any size live together (a short segment, a long one, a house). Two boxes that overlap have centres at most one cell of
// the coarser grid apart: each box meets the 27 cells around its own in its own grid and in every coarser one that is in
// use. Cells are sorted, row by row, so that the neighbours of all boxes are found by nine cursors running down one list: no
// hashing, no empty cells, good for caches. (A tree along the rod would be simpler; a long diagonal stretch makes its boxes
// overlap everything. Sorting along one axis alone costs n^(5/3) for a ball of yarn.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "contact/bounds.h"

namespace tendril {

using BoxPair = std::pair<int, int>;

class OverlapGrid {
 public:
  // Appends to `out` every pair (a, b), a < b, of overlapping boxes with wanted(a, b), sorted. All boxes are finite. false
  // when there would be more than `most` pairs: then `out` is of no use.
  template <class Wanted>
  bool find(std::span<const Bounds> boxes, const Wanted& wanted, std::size_t most, std::vector<BoxPair>& out) {
    out.clear();
    sort_into_levels(boxes);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      if (levels_[l].count == 0) continue;
      list_cells(boxes, l);
      if (!meet_own(wanted, most, out) || !meet_finer(wanted, most, out)) return false;
    }
    std::sort(out.begin(), out.end());
    return true;
  }

 private:
  struct Item {
    std::uint64_t cell;
    int box;
    bool operator<(const Item& b) const { return cell != b.cell ? cell < b.cell : box < b.box; }
  };
  struct Level {
    int exponent = 0, count = 0;
  };
  struct Cells {  // sorted, with their boxes
    std::vector<Item> item;
    std::vector<Bounds> bounds;
    void sort(std::span<const Bounds> boxes) {
      std::sort(item.begin(), item.end());
      bounds.clear();
      for (const Item& i : item) bounds.push_back(boxes[static_cast<std::size_t>(i.box)]);
    }
  };
  static constexpr int bits = 21, max_levels = 24;
  static constexpr std::uint64_t row = std::uint64_t{1} << bits, layer = row << bits;

  void sort_into_levels(std::span<const Bounds> boxes);               // grid.cpp
  void list_cells(std::span<const Bounds> boxes, std::size_t level);  // own_: of this level; finer_: of all finer ones

  template <class Wanted>
  static bool add(const Bounds& a, const Bounds& b, int i, int j, const Wanted& wanted, std::size_t most,
                  std::vector<BoxPair>& out) {
    if (!overlap(a, b)) return true;
    if (i > j) std::swap(i, j);
    if (!wanted(i, j)) return true;
    if (out.size() >= most) return false;
    out.emplace_back(i, j);
    return true;
  }
  // Every box of `from` against the boxes of `to` in the three cells around (its own + offset).
  template <class Wanted>
  static bool meet_row(const Cells& from, const Cells& to, std::int64_t offset, const Wanted& wanted, std::size_t most,
                       std::vector<BoxPair>& out) {
    std::size_t hand = 0;
    for (std::size_t k = 0; k < from.item.size(); ++k) {
      const std::uint64_t centre = from.item[k].cell + static_cast<std::uint64_t>(offset);
      while (hand < to.item.size() && to.item[hand].cell + 1 < centre) ++hand;
      for (std::size_t m = hand; m < to.item.size() && to.item[m].cell <= centre + 1; ++m)
        if (!add(from.bounds[k], to.bounds[m], from.item[k].box, to.item[m].box, wanted, most, out)) return false;
    }
    return true;
  }
  // Half of the neighbours: the others see this box from their side.
  template <class Wanted>
  bool meet_own(const Wanted& wanted, std::size_t most, std::vector<BoxPair>& out) const {
    for (std::size_t k = 0; k < own_.item.size(); ++k)
      for (std::size_t m = k + 1; m < own_.item.size() && own_.item[m].cell <= own_.item[k].cell + 1; ++m)
        if (!add(own_.bounds[k], own_.bounds[m], own_.item[k].box, own_.item[m].box, wanted, most, out)) return false;
    const auto r = static_cast<std::int64_t>(row), l = static_cast<std::int64_t>(layer);
    for (const std::int64_t offset : {r, l - r, l, l + r})
      if (!meet_row(own_, own_, offset, wanted, most, out)) return false;
    return true;
  }
  template <class Wanted>
  bool meet_finer(const Wanted& wanted, std::size_t most, std::vector<BoxPair>& out) const {
    const auto r = static_cast<std::int64_t>(row), l = static_cast<std::int64_t>(layer);
    for (const std::int64_t across : {-l, std::int64_t{0}, l})
      for (const std::int64_t beside : {-r, std::int64_t{0}, r})
        if (!meet_row(finer_, own_, across + beside, wanted, most, out)) return false;
    return true;
  }

  std::vector<Level> levels_;
  std::vector<int> level_of_;
  Vec3 corner_ = Vec3::Zero();
  Cells own_, finer_;
};

}  // namespace tendril
