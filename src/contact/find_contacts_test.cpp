#include "contact/find_contacts.h"

#include <map>
#include <set>

#include "contact/contact_testing.h"
#include "testing/allocation_count.h"

namespace tendril {
namespace {
using namespace contact_testing;

std::vector<Line> tangle(Random& random, int rods, int nodes, double size, double radius) {
  std::vector<Line> lines;
  for (int r = 0; r < rods; ++r) {
    Line line;
    line.points = random.polyline(nodes, size, 4);
    const Vec3 middle = line.points[static_cast<std::size_t>(nodes / 2)];
    for (Vec3& p : line.points) p += random.vector(0.1 * size) - middle;
    line.radius = radius * random.uniform(0.5, 2);
    line.ring = r % 3 == 2;
    lines.push_back(line);
  }
  return lines;
}

// The same question without broad phase, memory or bounds, in the words of the promise: reported is who is near after the
// motion or comes nearer than the limit during it, sampled finely.
struct Brute {
  std::set<std::pair<int, int>> must, may;  // pairs that must be reported; that may be
};
Brute brute_force(const World& w, const std::vector<Vec3>& to) {
  Brute brute;
  const ContactGeometry& g = w.geometry;
  for (int a = 0; a < g.edges(); ++a)
    for (int b = a + 1; b < g.edges(); ++b) {
      if (!g.may_touch(a, b)) continue;
      const auto at = [&](double time) {
        const auto p = [&](int n) {
          const auto i = static_cast<std::size_t>(n);
          return Vec3(w.nodes[i] + time * (to[i] - w.nodes[i]));
        };
        return std::sqrt(closest(p(g.ends(a)[0]), p(g.ends(a)[1]), p(g.ends(b)[0]), p(g.ends(b)[1])).squared);
      };
      const double radii = g.radius(a) + g.radius(b), limit = std::min(passing_core * radii, 0.5 * at(0));
      double least = forever;
      for (int k = 0; k <= 100; ++k) least = std::min(least, at(k / 100.0));
      if (least < limit || at(1) - radii <= g.margin()) brute.must.insert({a, b});
      if (least < 1.2 * limit + 0.05 * radii || at(1) - radii <= g.margin()) brute.may.insert({a, b});
    }
  return brute;
}
// A pair that meets at a node may be reported by another pair that meets at the same node.
std::set<std::pair<int, int>> with_twins(const World& w, const std::vector<Touch>& touches) {
  std::set<std::pair<int, int>> all;
  const auto edges_at = [&](int edge, double place) {
    std::vector<int> list{edge};
    if (place <= 0) list.push_back(w.geometry.beside(w.geometry.ends(edge)[0])[0]);
    if (place >= 1) list.push_back(w.geometry.beside(w.geometry.ends(edge)[1])[1]);
    return list;
  };
  for (const Touch& c : touches)
    for (const int a : edges_at(c.edge_a, c.s))
      for (const int b : edges_at(c.edge_b, c.t)) all.insert({std::min(a, b), std::max(a, b)});
  return all;
}

SENTENCE("contact", "what is told is what brute force finds, at rest and in motion slow and fast") {
  Random random(21);
  std::size_t told = 0, passing = 0;
  for (int trial = 0; trial < 12; ++trial) {
    World world(model_of(tangle(random, 4, 25, 1, 0.02), 0.01));
    for (const double speed : {0.0, 0.005, 0.05, 0.5}) {
      std::vector<Vec3> to = world.nodes;
      for (Vec3& p : to) p += random.vector(speed);
      const auto& touches = world.find(to);
      const Brute brute = brute_force(world, to);
      const auto all = with_twins(world, touches);
      for (const auto& pair : brute.must)
        ASSERT_TRUE(all.count(pair)) << trial << " " << speed << ": " << pair.first << "," << pair.second;
      for (const Touch& c : touches) {
        ASSERT_TRUE(brute.may.count({c.edge_a, c.edge_b})) << c.edge_a << "," << c.edge_b << " " << c.time;
        ASSERT_NEAR(c.normal.norm(), 1, 1e-12);
        passing += c.is_passing();
      }
      told += touches.size();
      for (std::size_t k = 1; k < touches.size(); ++k) ASSERT_LT(touches[k - 1].key, touches[k].key);
    }
  }
  EXPECT_GT(told, 1000u);
  EXPECT_GT(passing, 200u);
}

SENTENCE("contact", "the workspace changes the cost and never the answer") {
  Random random(22);
  World world(model_of(tangle(random, 5, 40, 1, 0.02), 0.01));
  std::vector<Vec3> velocity;
  for (std::size_t i = 0; i < world.nodes.size(); ++i) velocity.push_back(random.vector(1));
  for (int step = 0; step < 200; ++step) {
    std::vector<Vec3> to = world.nodes;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += 2e-4 * velocity[i];
    const auto warm = world.find(to);
    World fresh(world.model);
    fresh.nodes = world.nodes;
    const auto& cold = fresh.find(to);
    ASSERT_EQ(warm.size(), cold.size());
    for (std::size_t k = 0; k < warm.size(); ++k) {
      ASSERT_EQ(warm[k].key, cold[k].key);
      ASSERT_EQ(warm[k].gap, cold[k].gap);
      ASSERT_EQ(warm[k].normal, cold[k].normal);
    }
    world.nodes = to;
  }
  EXPECT_LT(world.workspace.searches(), 30);
  EXPECT_GT(world.workspace.searches(), 1);
}

SENTENCE("contact", "nothing is allocated once warm, neither in a search nor between") {
  Random random(23);
  Model model = model_of(tangle(random, 5, 40, 1, 0.02), 0.01);
  add_obstacle(model, shape::Sphere{0.3});
  add_obstacle(model, box_mesh(Vec3(0.4, 0.3, 0.2)));
  World world(model);
  std::vector<std::vector<Vec3>> paths;
  for (int k = 0; k < 6; ++k) {
    paths.push_back(world.nodes);
    for (Vec3& p : paths.back()) p += random.vector(k % 2 ? 0.3 : 1e-3);
  }
  for (const auto& to : paths) world.find(to);
  const long searches = world.workspace.searches();
  for (const auto& to : paths) world.find(to);
  const AllocationCount allocations;
  for (const auto& to : paths) find_contacts(world.geometry, world.now(), {to, world.poses}, world.workspace, world.touches);
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
  EXPECT_GT(world.workspace.searches(), searches);
}

SENTENCE("contact", "positions that are not finite and heaps of everything are refused, and the next search is fine") {
  Random random(24);
  World world(model_of(tangle(random, 2, 20, 1, 0.02)));
  std::vector<Vec3> to = world.nodes;
  to[7].y() = std::nan("");
  EXPECT_EQ(find_contacts(world.geometry, world.now(), {to, {}}, world.workspace, world.touches), Found::not_finite);
  to[7].y() = forever;
  EXPECT_EQ(find_contacts(world.geometry, world.now(), {to, {}}, world.workspace, world.touches), Found::not_finite);
  world.find();
  // 3000 rods of one segment at one place.
  std::vector<Line> lines;
  for (int k = 0; k < 3000; ++k) lines.push_back({straight(Vec3::Zero(), Vec3::UnitX(), 1), 0.01, false});
  World heap(model_of(lines));
  EXPECT_EQ(find_contacts(heap.geometry, heap.now(), heap.now(), heap.workspace, heap.touches), Found::too_many);
}

SENTENCE("contact", "neighbours along a rod, around a ring and through a joint do not touch; others do") {
  const double radius = 0.01, length = 1.0 / 40;
  std::vector<Vec3> circle;
  for (int k = 0; k < 40; ++k) {
    const double angle = math::two_pi * k / 40;
    circle.emplace_back(std::cos(angle) / math::two_pi, std::sin(angle) / math::two_pi, 0);
  }
  Model model = model_of({{straight(Vec3::Zero(), Vec3(1, 0, 0), 40), radius, false},
                          {circle, radius, true},
                          {straight(Vec3(1, 0, 0), Vec3(1, 1, 0), 40), radius, false},
                          {straight(Vec3(1, 0, 0), Vec3(1, 0, 1), 40), radius, false}});
  model.joints.push_back({"knee", JointKind::rigid, 0, 2, NodeIndex(40), NodeIndex(81), Vec3::UnitZ()});
  model.joints.push_back({"fork", JointKind::rigid, 2, 3, NodeIndex(81), NodeIndex(122), Vec3::UnitZ()});
  struct Touching {  // of segments, as far as their places along the rods say
    ContactGeometry geometry;
    bool are_neighbours(int a, int b) const { return !geometry.may_touch(a, b); }
  };
  const auto touching_at = [&](double circumferences) {
    Model m = model;
    m.contact.neighbour_length = circumferences;
    return Touching{ContactGeometry(m)};
  };
  const Touching one = touching_at(1);
  const int within = static_cast<int>(std::ceil(math::two_pi * radius / length));  // segments between that are too few
  EXPECT_TRUE(one.are_neighbours(10, 10 + within));
  EXPECT_FALSE(one.are_neighbours(10, 11 + within));
  EXPECT_TRUE(one.are_neighbours(40, 79));  // first and last of the ring
  EXPECT_TRUE(one.are_neighbours(41, 79 - within + 2));
  EXPECT_FALSE(one.are_neighbours(40, 60));
  EXPECT_FALSE(one.are_neighbours(5, 45));   // rod and ring
  EXPECT_TRUE(one.are_neighbours(39, 80));   // through the knee
  EXPECT_TRUE(one.are_neighbours(39, 120));  // through both joints, which are one place
  EXPECT_TRUE(one.are_neighbours(81, 121));
  EXPECT_FALSE(one.are_neighbours(30, 80));
  const Touching none = touching_at(0);
  EXPECT_TRUE(none.are_neighbours(10, 11)) << "they share a node";
  EXPECT_TRUE(none.are_neighbours(40, 79));
  EXPECT_TRUE(none.are_neighbours(39, 80));
  EXPECT_FALSE(none.are_neighbours(10, 12));
}

SENTENCE("contact", "self contact and contact between rods can be left out") {
  std::vector<Vec3> hairpin = straight(Vec3::Zero(), Vec3(1, 0, 0), 20);
  for (const Vec3& p : straight(Vec3(1, 0.019, 0), Vec3(0, 0.019, 0), 20)) hairpin.push_back(p);
  Model model = model_of({{hairpin, 0.01, false}, {straight(Vec3(0, -0.019, 0), Vec3(1, -0.019, 0), 20), 0.01, false}});
  const auto counts = [](const Model& m) {
    std::pair<int, int> own_and_other;
    World world(m);
    for (const Touch& c : world.find()) ++(c.edge_b < 41 ? own_and_other.first : own_and_other.second);
    return own_and_other;
  };
  const auto both = counts(model);
  EXPECT_GT(both.first, 15);
  EXPECT_GT(both.second, 15);
  model.contact.self = false;
  EXPECT_EQ(counts(model), std::pair(0, both.second));
  model.contact.self = true, model.contact.between_rods = false;
  EXPECT_EQ(counts(model), std::pair(both.first, 0));
}

SENTENCE("contact", "two crossing rods: gap, normal and places are those of geometry; the same node is told once") {
  World world(model_of({{straight(Vec3(-1, 0, 0), Vec3(1, 0, 0), 5), 0.1, false},
                        {straight(Vec3(0, -1, 0.19), Vec3(0, 1, 0.19), 5), 0.1, false}}));
  const auto touches = world.find();
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_NEAR(touches[0].gap, -0.01, 1e-15);
  EXPECT_LT((touches[0].normal - Vec3(0, 0, -1)).norm(), 1e-15);
  EXPECT_EQ(touches[0].edge_a, 2);
  EXPECT_EQ(touches[0].edge_b, 7);
  EXPECT_NEAR(touches[0].s, 0.5, 1e-15);
  EXPECT_EQ(touches[0].time, 1);
  const ContactPoint shown = contact_point(touches[0], Vec3::Zero(), Vec3(0, 0, -2));
  EXPECT_LT((shown.position - Vec3(0, 0, 0.1)).norm(), 1e-15);  // on the first rod's surface, towards the second
  EXPECT_EQ(shown.edge_b, 7);
  World nodes(model_of({{straight(Vec3(-1, 0, 0), Vec3(1, 0, 0), 4), 0.1, false},
                        {straight(Vec3(0, -1, 0.19), Vec3(0, 1, 0.19), 4), 0.1, false}}));
  EXPECT_EQ(nodes.find().size(), 1u) << "four pairs of segments meet at two nodes";
}

}  // namespace
}  // namespace tendril
