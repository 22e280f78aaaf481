#include "validation/plectonemes.h"

#include <algorithm>
#include <vector>

namespace tendril {

Plectonemes find_plectonemes(const Frame& frame, int fewest) {
  struct Stretch {
    int first, last;  // edges
  };
  std::vector<Stretch> stretches, tips;
  for (const ContactPoint& c : frame.contacts) {
    if (c.edge_a < 0 || c.edge_b < 0) continue;
    stretches.push_back({std::min(c.edge_a, c.edge_b), std::max(c.edge_a, c.edge_b)});
  }
  // The one that ends first, then the one of those behind it that ends first, and so on: the most that do not overlap.
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.last < b.last; });
  for (const Stretch& s : stretches)
    if (tips.empty() || s.first > tips.back().last) tips.push_back(s);
  std::vector<int> about(tips.size(), 0);
  for (const Stretch& s : stretches) {
    int tip = -1, inside = 0;
    for (std::size_t t = 0; t < tips.size(); ++t) {
      if (s.first > tips[t].last || s.last < tips[t].first) continue;
      ++inside;
      tip = static_cast<int>(t);
    }
    if (inside == 1) ++about[static_cast<std::size_t>(tip)];
  }
  Plectonemes found;
  for (const int contacts : about) {
    if (contacts < fewest) continue;
    ++found.count;
    found.largest = std::max(found.largest, contacts);
  }
  return found;
}

}  // namespace tendril
