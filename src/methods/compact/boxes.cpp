// The boxes in which contacts are looked for, while a step is under way.
#include <algorithm>

#include "methods/compact/meeting.h"

namespace tendril::compact {

// What has left its boxes goes on in others, around where it is and wanted to go: the way there is known to be free.
void Meeting::grow_box(Island& island) {
  double longest = 0;
  for (const int r : island.rods) {
    const Part& part = *parts_[z(r)];
    longest = std::max(longest, part.chain.length);
    field_.begin_boxes(part);
    field_.include(part, field_.base_of(part, places_), stage_.still() ? field_.reach() : 0);
    is_moved_[z(r)] = 1;
  }
  island.touching.grow_boxes(std::min(pad_, stage_.still() ? 0.1 * longest : most_pad_));
}

void Meeting::include_start(int rod) {
  const Part& part = *parts_[z(rod)];
  field_.include(part, {part.state.points.y.data(), z(part.chain.nodes())});
  is_moved_[z(rod)] = 0;
}

// Where a rod joins others that are under way, all begin at the last level again: boxes must reach back to it.
bool Meeting::reach_back() {
  bool any = false;
  for (int k = 0; k < islands_; ++k) {
    const Island& island = *island_[z(k)];
    if (is_under_way(island)) continue;
    for (const int r : island.rods)
      if (is_moved_[z(r)] != 0) include_start(r), any = true;
  }
  return any;
}

// Alone it may go anywhere in its box; from further away it starts again.
bool Meeting::check_alone(int rod) {
  Part& part = *parts_[z(rod)];
  const auto places = part.problem.places();
  bool inside = true;
  for (int i = 0; i < part.chain.real() && inside; ++i)
    inside = field_.is_inside(part.chain.links[z(i)].edge, places[z(i)], places[z(i + 1)]);
  if (inside || !part.solved.fine) return true;
  field_.include(part, places, pad_);
  part.problem.take_back();
  begin_rod(rod);
  return false;
}

}  // namespace tendril::compact
