#include "contact/grid.h"

namespace tendril {

void OverlapGrid::sort_into_levels(std::span<const Bounds> boxes) {
  Bounds all;
  double largest = 0;
  for (const Bounds& b : boxes) {
    all.include(b);
    largest = std::max(largest, b.extent());
  }
  corner_ = all.low;
  // extent < 2^exponent. Boxes much smaller than the largest share the finest grid: their cells are too wide, no more.
  const int coarsest = std::ilogb(std::max(largest, 1e-300)) + 1;
  levels_.assign(max_levels, {});
  for (int l = 0; l < max_levels; ++l) levels_[static_cast<std::size_t>(l)].exponent = coarsest - (max_levels - 1) + l;
  level_of_.clear();
  for (const Bounds& b : boxes) {
    const double extent = b.extent();
    const int exponent = extent > 0 ? std::ilogb(extent) + 1 : levels_[0].exponent;
    const int level = std::clamp(exponent - levels_[0].exponent, 0, max_levels - 1);
    level_of_.push_back(level);
    ++levels_[static_cast<std::size_t>(level)].count;
  }
}

void OverlapGrid::list_cells(std::span<const Bounds> boxes, std::size_t level) {
  const double per_cell = std::ldexp(1.0, -levels_[level].exponent);
  // Cells count from 1 and end before the last one, so that a neighbour never leaves its row. Far away cells are put
  // together: neighbours stay neighbours.
  const auto cell_of = [&](const Vec3& p) {
    std::uint64_t cell = 0;
    for (const int axis : {2, 1, 0}) {
      const double place = std::min((p[axis] - corner_[axis]) * per_cell, static_cast<double>(row) - 4);
      cell = (cell << bits) | (static_cast<std::uint64_t>(place) + 1);
    }
    return cell;
  };
  own_.item.clear(), finer_.item.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (level_of_[i] > static_cast<int>(level)) continue;
    auto& list = level_of_[i] == static_cast<int>(level) ? own_ : finer_;
    list.item.push_back({cell_of(boxes[i].centre()), static_cast<int>(i)});
  }
  own_.sort(boxes), finer_.sort(boxes);
}

}  // namespace tendril
