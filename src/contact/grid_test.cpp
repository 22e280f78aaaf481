#include "contact/grid.h"

#include "testing/allocation_count.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

std::vector<Bounds> random_boxes(Random& random, int count, double spread, double smallest, double largest) {
  std::vector<Bounds> boxes;
  for (int i = 0; i < count; ++i) {
    const Vec3 centre = random.vector(spread);
    const double size = smallest * std::pow(largest / smallest, random.uniform());
    Bounds b;
    b.include(Vec3(centre - size * random.vector().cwiseAbs()));
    b.include(Vec3(centre + size * random.vector().cwiseAbs()));
    boxes.push_back(b);
  }
  return boxes;
}
constexpr auto all = [](int, int) { return true; };

SENTENCE("contact", "the grid finds exactly the boxes that overlap, in order, whatever their sizes") {
  Random random(1);
  struct Case {
    int count;
    double spread, smallest, largest;
  };
  OverlapGrid grid;
  std::size_t found = 0;
  for (const Case& c :
       {Case{0, 1, 1, 1}, Case{1, 1, 1, 1}, Case{2, 0.1, 1, 1}, Case{300, 1, 0.1, 0.1}, Case{300, 1, 1e-6, 1},
        Case{300, 1, 0.09, 0.13}, Case{300, 1e-3, 1e-12, 1e-2}, Case{500, 1e9, 1, 1e8}, Case{300, 1e-200, 1e-205, 1e-200}}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const auto boxes = random_boxes(random, c.count, c.spread, c.smallest, c.largest);
      std::vector<BoxPair> expected, got;
      for (int a = 0; a < c.count; ++a)
        for (int b = a + 1; b < c.count; ++b)
          if (overlap(boxes[static_cast<std::size_t>(a)], boxes[static_cast<std::size_t>(b)])) expected.emplace_back(a, b);
      ASSERT_TRUE(grid.find(boxes, all, 1000000, got));
      ASSERT_EQ(got, expected) << c.count << " " << c.spread << " " << c.smallest;
      found += expected.size();
    }
  }
  EXPECT_GT(found, 10000u);
}

SENTENCE("contact",
         "the grid leaves out what is not wanted, gives up when there is too much, and takes boxes without size") {
  OverlapGrid grid;
  std::vector<Bounds> boxes(100);
  for (Bounds& b : boxes) b.include(Vec3(1, 2, 3));
  std::vector<BoxPair> pairs;
  EXPECT_TRUE(grid.find(boxes, all, 4950, pairs));
  EXPECT_EQ(pairs.size(), 4950u);
  EXPECT_FALSE(grid.find(boxes, all, 4949, pairs));
  EXPECT_TRUE(grid.find(
      boxes, [](int a, int b) { return a == 3 && b > 90; }, 9, pairs));
  EXPECT_EQ(pairs.size(), 9u);
}

SENTENCE("contact", "the grid allocates nothing once warm") {
  Random random(2);
  OverlapGrid grid;
  const auto boxes = random_boxes(random, 1000, 1, 1e-3, 0.1);
  std::vector<BoxPair> pairs;
  grid.find(boxes, all, 1000000, pairs);
  const AllocationCount allocations;
  for (int i = 0; i < 5; ++i) grid.find(boxes, all, 1000000, pairs);
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace tendril
