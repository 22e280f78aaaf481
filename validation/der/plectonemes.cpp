#include "validation/der/plectonemes.h"

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
  // The tip with fewest contacts of its own goes, if they are too few; those it shared are then its neighbours'.
  std::vector<int> about;
  for (;;) {
    about.assign(tips.size(), 0);
    for (const Stretch& s : stretches) {
      int tip = -1, inside = 0;
      for (std::size_t t = 0; t < tips.size(); ++t) {
        if (s.first > tips[t].last || s.last < tips[t].first) continue;
        ++inside;
        tip = static_cast<int>(t);
      }
      if (inside == 1) ++about[static_cast<std::size_t>(tip)];
    }
    const auto weakest = std::min_element(about.begin(), about.end());
    if (weakest == about.end() || *weakest >= fewest) break;
    tips.erase(tips.begin() + (weakest - about.begin()));
  }
  Plectonemes found;
  found.count = static_cast<int>(about.size());
  for (const int contacts : about) found.largest = std::max(found.largest, contacts);
  return found;
}

}  // namespace tendril
