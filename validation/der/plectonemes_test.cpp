#include "validation/der/plectonemes.h"

#include <utility>
#include <vector>

#include "testing/sentence.h"

namespace tendril {
namespace {

Frame touching(const std::vector<std::pair<int, int>>& pairs) {
  Frame frame;
  for (const auto& [a, b] : pairs) {
    ContactPoint point;
    point.edge_a = a, point.edge_b = b;
    frame.contacts.push_back(point);
  }
  return frame;
}

SENTENCE("validation", "nested contacts are one plectoneme, contacts side by side are two, also inside one more loop") {
  EXPECT_EQ(find_plectonemes(touching({})).count, 0);
  const std::vector<std::pair<int, int>> one = {{10, 30}, {12, 28}, {13, 27}, {14, 25}, {15, 24}};
  EXPECT_EQ(find_plectonemes(touching(one)).count, 1);
  EXPECT_EQ(find_plectonemes(touching(one)).largest, 5);
  std::vector<std::pair<int, int>> two = one;
  for (const auto& [a, b] : one) two.emplace_back(b + 40, a + 40);  // in any order
  EXPECT_EQ(find_plectonemes(touching(two)).count, 2);
  two.emplace_back(5, 80);
  EXPECT_EQ(find_plectonemes(touching(two)).count, 2);
  EXPECT_EQ(find_plectonemes(touching(two)).largest, 5);
}

SENTENCE("validation", "a plectoneme that forks at its end into two loops is still one") {
  EXPECT_EQ(find_plectonemes(touching({{10, 40}, {11, 39}, {12, 38}, {13, 37}, {15, 20}, {30, 35}})).count, 1);
}

SENTENCE("validation", "a rod that crosses itself once, or touches an obstacle, has no plectoneme") {
  EXPECT_EQ(find_plectonemes(touching({{10, 30}})).count, 0);
  EXPECT_EQ(find_plectonemes(touching({{10, -1}, {11, -1}, {12, -1}, {13, -1}, {14, -1}})).count, 0);
}

}  // namespace
}  // namespace tendril
