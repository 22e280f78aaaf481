// The boxes in which contacts are looked for, while a step is under way.
#include <algorithm>

#include "methods/compact/meeting.h"

namespace tendril::compact {

// What has left its boxes goes on in others, around where it is and wanted to go: the way there is known to be free.
void Meeting::grow(Island& island) {
  for (const int r : island.rods) {
    field_.begin_boxes(*parts_[z(r)]);
    field_.include(*parts_[z(r)], field_.base_of(*parts_[z(r)], places_));
    is_moved_[z(r)] = 1;
  }
  island.touching.grow_boxes(std::min(pad_, most_pad_));
}

// Where a rod joins others that are under way, all begin at the last level again: boxes must reach back to it.
bool Meeting::reach_back() {
  bool any = false;
  for (int k = 0; k < islands_; ++k) {
    const Island& island = *island_[z(k)];
    const auto differs = [&](int r) {
      return is_started_[z(r)] == 0 || progress_[z(r)] != progress_[z(island.rods.front())];
    };
    if (std::none_of(island.rods.begin(), island.rods.end(), differs)) continue;
    for (const int r : island.rods) {
      if (is_moved_[z(r)] == 0) continue;
      const Part& part = *parts_[z(r)];
      field_.include(part, {part.state.points.y.data(), z(part.chain.nodes())});
      is_moved_[z(r)] = 0, any = true;
    }
  }
  return any;
}

}  // namespace tendril::compact
