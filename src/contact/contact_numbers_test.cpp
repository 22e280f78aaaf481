// Contacts of a rod whose nodes come and go.
#include "contact/contact_memory.h"
#include "contact/contact_testing.h"
#include "contact/contact_watch.h"

namespace tendril {
namespace {
using namespace contact_testing;

// A rod along x on three others that cross it, all of them on the mesh of the model.
Model crossed() {
  std::vector<Line> lines{{straight(Vec3(0, 0, 0.0195), Vec3(1, 0, 0.0195), 10), 0.01, false}};
  for (const double x : {0.13, 0.46, 0.87}) lines.push_back({straight(Vec3(x, -0.2, 0), Vec3(x, 0.25, 0), 2), 0.01, false});
  Model model = model_of(lines, 0.001);
  for (RodModel& rod : model.rods) rod.max_edges = rod.span.edges + 3;
  return model;
}
// A node is added within an edge of the first rod, at a part of it, or a node of it taken out.
Frame split(const Frame& from, int edge, double part) {
  Frame to = from;
  to.material.clear(), to.position.clear();
  for (int i = 0; i < from.position.size(); ++i) {
    to.material.push_back(from.material[NodeIndex(i)]), to.position.push_back(from.position[NodeIndex(i)]);
    if (i != edge) continue;
    const NodeIndex a(i), b(i + 1);
    to.material.push_back((1 - part) * from.material[a] + part * from.material[b]);
    to.position.push_back((1 - part) * from.position[a] + part * from.position[b]);
  }
  for (std::size_t r = 0; r < to.rods.size(); ++r) {
    if (r == 0)
      ++to.rods[r].nodes, ++to.rods[r].edges;
    else
      ++to.rods[r].first_node, ++to.rods[r].first_edge;
  }
  return to;
}
Frame without_node(const Frame& from, int node) {
  Frame to = from;
  to.material.clear(), to.position.clear();
  for (int i = 0; i < from.position.size(); ++i)
    if (i != node) to.material.push_back(from.material[NodeIndex(i)]), to.position.push_back(from.position[NodeIndex(i)]);
  for (std::size_t r = 0; r < to.rods.size(); ++r) {
    if (r == 0)
      --to.rods[r].nodes, --to.rods[r].edges;
    else
      --to.rods[r].first_node, --to.rods[r].first_edge;
  }
  return to;
}
std::span<const Touch> find(ContactWatch& watch, const Frame& frame) {
  const auto at = [&](int i) { return to_small(frame.position[NodeIndex(i)]); };
  watch.begin_step(at, {});
  watch.set_after(at, {});
  EXPECT_EQ(watch.find(), Found::fine);
  return watch.touches();
}

SENTENCE("contact",
         "an edge is split: all other contacts keep their key and their impulses, and that of the edge finds its half") {
  Model model = crossed();
  model.initial.material = model.material;
  ContactWatch watch(model);
  ContactMemory memory;
  const auto first = find(watch, model.initial);
  ASSERT_EQ(first.size(), 3u);
  std::vector<ContactKey> keys;
  memory.begin(watch.geometry(), first);
  for (std::size_t k = 0; k < 3; ++k) memory.now(k).normal_force = 1.0 + double(k), keys.push_back(first[k].key);
  memory.commit();
  // The contact of edge 4 (0.4 .. 0.5, at 0.46) lies in the second half when the edge is cut at a quarter, else in the first.
  for (const double part : {0.25, 0.75}) {
    Frame frame = split(model.initial, 4, part);
    watch.rebuild(model, frame);
    std::vector<Touch> touches;
    for (const Touch& t : find(watch, frame)) touches.push_back(t);
    ASSERT_EQ(touches.size(), 3u);
    memory.begin(watch.geometry(), touches);
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = (1 - touches[k].s) * frame.position[NodeIndex(watch.geometry().ends(touches[k].edge_a)[0])].x() +
                       touches[k].s * frame.position[NodeIndex(watch.geometry().ends(touches[k].edge_a)[1])].x();
      const std::size_t which = x < 0.3 ? 0 : x < 0.7 ? 1 : 2;
      EXPECT_EQ(memory.now(k).normal_force, 1.0 + double(which));
      EXPECT_EQ(memory.now(k).age, 1);
      if (which == 1) {
        EXPECT_EQ(touches[k].key == keys[1], part == 0.75);
      } else {
        EXPECT_EQ(touches[k].key, keys[which]);
      }
      sum += memory.now(k).normal_force;
    }
    EXPECT_EQ(sum, 6);
    // Taken out again, everything has its old name.
    frame = without_node(frame, 5);
    watch.rebuild(model, frame);
    const auto again = find(watch, frame);
    ASSERT_EQ(again.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(again[k].key, keys[k]);
  }
}

SENTENCE("contact", "a rebuilt geometry finds what one of the finer mesh finds; more edges than allowed are refused") {
  Model model = crossed();
  model.initial.material = model.material;
  model.section[EdgeIndex(4)].extent1 = model.section[EdgeIndex(4)].extent2 = 0.012;
  const Frame frame = split(split(model.initial, 4, 0.5), 2, 0.3);
  ContactGeometry rebuilt(model);
  rebuilt.exclude(8, 0);
  rebuilt.rebuild(model, frame);
  EXPECT_EQ(rebuilt.edges(), 18);
  EXPECT_EQ(rebuilt.nodes(), 22);
  EXPECT_EQ(rebuilt.radius(5), 0.012);
  EXPECT_EQ(rebuilt.radius(6), 0.012);
  EXPECT_EQ(rebuilt.radius(7), 0.01);
  EXPECT_TRUE(rebuilt.is_excluded(10, 0));
  EXPECT_FALSE(rebuilt.is_excluded(8, 0));
  // The same, from lines with these nodes.
  std::vector<Line> lines;
  for (const RodSpan& span : frame.rods) {
    Line line{{}, 0.01, false};
    for (int k = 0; k < span.nodes; ++k) line.points.push_back(frame.position[NodeIndex(span.first_node + k)]);
    lines.push_back(line);
  }
  const Model fine_model = model_of(lines, 0.001);
  const ContactGeometry fine(fine_model);
  for (int a = 0; a < 18; ++a)
    for (int b = a + 1; b < 18; ++b) EXPECT_EQ(rebuilt.may_touch(a, b), fine.may_touch(a, b)) << a << " " << b;
  // Numbers are all different, and within the range of the rod.
  std::vector<int> edges, nodes;
  for (int e = 0; e < 18; ++e) edges.push_back(rebuilt.edge_number(e));
  for (int n = 0; n < 22; ++n) nodes.push_back(rebuilt.node_number(n));
  for (auto* list : {&edges, &nodes}) {
    std::sort(list->begin(), list->end());
    EXPECT_EQ(std::adjacent_find(list->begin(), list->end()), list->end());
  }
  EXPECT_EQ(rebuilt.edge_number(12), 10) << "the second rod's first edge is still what it was in the model";
  EXPECT_EQ(rebuilt.edge_number(3), 16) << "the second part of edge 2: the first number that no edge of the model has";
  EXPECT_EQ(rebuilt.edge_number(6), 17);
  Frame many = model.initial;
  for (int k = 0; k < 4; ++k) many = split(many, 0, 0.5);
  EXPECT_THROW(rebuilt.rebuild(model, many), Misuse);
}

}  // namespace
}  // namespace tendril
