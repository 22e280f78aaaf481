#include "model/build/mesh.h"

#include <algorithm>

#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

bool contains(const std::vector<double>& places, double wanted) {
  return std::find(places.begin(), places.end(), wanted) != places.end();
}

SENTENCE("model", "every mark is a node exactly, the number of segments is exactly the one asked for") {
  for (const int segments : {4, 5, 7, 50, 51, 1000}) {
    MeshRequest request;
    request.segments = segments;
    request.marks = {1.0 / 3, 0.9, 0.123456789, 0, 1, 0.9};
    const auto borders = place_nodes(request, "rod[0]");
    ASSERT_TRUE(borders);
    EXPECT_EQ(borders->size(), static_cast<std::size_t>(segments) + 1);
    for (const double mark : request.marks) EXPECT_TRUE(contains(*borders, mark)) << mark;
    EXPECT_TRUE(std::is_sorted(borders->begin(), borders->end()));
    EXPECT_EQ((*borders)[static_cast<std::size_t>(nearest_node(*borders, 0.9, false))], 0.9);
  }
}

SENTENCE("model", "segments between marks differ in length as little as whole numbers allow") {
  MeshRequest request;
  request.segments = 100;
  request.marks = {0.25, 0.5};
  const auto even = place_nodes(request, "rod[0]");
  for (std::size_t k = 0; k + 1 < even->size(); ++k) EXPECT_NEAR((*even)[k + 1] - (*even)[k], 0.01, 1e-15);
  request.marks = {0.301};
  const auto borders = place_nodes(request, "rod[0]");
  for (std::size_t k = 0; k + 1 < borders->size(); ++k) EXPECT_NEAR((*borders)[k + 1] - (*borders)[k], 0.01, 4e-4);
}

SENTENCE("model", "one half twice as fine has two thirds of the segments") {
  MeshRequest request;
  request.segments = 150;
  request.refine = {{0.5, 1.0, 2.0}};
  const auto borders = place_nodes(request, "rod[0]");
  EXPECT_NEAR((*borders)[1], 0.01, 1e-15);
  EXPECT_NEAR((*borders)[50], 0.5, 0);
  EXPECT_NEAR(1 - (*borders)[149], 0.005, 1e-15);
}

SENTENCE("model", "too few segments for the marks are refused with the number that is needed") {
  MeshRequest request;
  request.segments = 2;
  request.marks = {0.2, 0.4, 0.6};
  const auto borders = place_nodes(request, "rod[3]");
  ASSERT_FALSE(borders);
  EXPECT_EQ(borders.problems()[0].field, "rod[3].segments");
  EXPECT_EQ(borders.problems()[0].allowed, "must be at least 4");
  request.segments = 1'000'000'000;
  EXPECT_FALSE(place_nodes(request, "rod[3]"));
  request = {};
  request.ring = true;
  request.segments = 2;
  EXPECT_FALSE(place_nodes(request, "rod[0]"));
}

SENTENCE("model", "a V of three points has a node exactly at its corner, for any number of segments but one") {
  const ArcLengthCurve v(PolylineCurve{{Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(2.3, 0, 0)}, "", false});
  MeshRequest request;
  request.vertices = v.vertices();
  for (const int segments : {2, 3, 40, 41}) {
    request.segments = segments;
    const auto borders = place_nodes(request, "rod[0]");
    EXPECT_EQ(borders->size(), static_cast<std::size_t>(segments) + 1);
    EXPECT_TRUE(contains(*borders, v.vertices()[1].fraction));
  }
  request.segments = 1;
  EXPECT_EQ(place_nodes(request, "rod[0]")->size(), 2u);
}

SENTENCE("model", "the points of a polyline are its nodes when no number of segments is given, marks come between") {
  const ArcLengthCurve line(PolylineCurve{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(4, 0, 0)}, "", false});
  MeshRequest request;
  request.vertices = line.vertices();
  EXPECT_EQ(*place_nodes(request, "rod[0]"), (std::vector<double>{0, 0.25, 1}));
  request.marks = {0.5, 0.25 + 1e-12};
  EXPECT_EQ(*place_nodes(request, "rod[0]"), (std::vector<double>{0, 0.25, 0.5, 1}));
  request.segments = 2;  // a point on a straight stretch is no corner: it need not be a node
  request.marks = {};
  EXPECT_EQ(*place_nodes(request, "rod[0]"), (std::vector<double>{0, 0.5, 1}));
}

SENTENCE("model", "the end of a ring is its node 0") {
  MeshRequest request;
  request.ring = true;
  request.segments = 12;
  request.marks = {0.0, 1.0, 0.25};
  const auto borders = place_nodes(request, "rod[0]");
  EXPECT_EQ(borders->size(), 13u);
  EXPECT_EQ(nearest_node(*borders, 1.0, true), 0);
  EXPECT_EQ(nearest_node(*borders, 0.25, true), 3);
  EXPECT_EQ(nearest_node(*borders, 1.0, false), 12);
}

SENTENCE("model", "a mesh and a scene state the same largest number of segments") {
  MeshRequest request;
  request.segments = max_segments + 1;
  const auto borders = place_nodes(request, "rod[0]");
  ASSERT_FALSE(borders);
  const std::string limit = std::to_string(max_segments);
  EXPECT_NE(to_text(borders.problems()).find("must be at most " + limit), std::string::npos) << to_text(borders.problems());
  const std::string text = "[[rod]]\nsegments = " + std::to_string(max_segments + 1) + "\n";
  EXPECT_NE(to_text(read_scene(text, "scene.toml").problems()).find("must be between 1 and " + limit), std::string::npos);
}

}  // namespace
}  // namespace tendril
