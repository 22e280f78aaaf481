#include "contact/near_pairs.h"

#include <cmath>

#include "contact/barrier.h"
#include "contact/contact_testing.h"
#include "testing/finite_difference.h"

namespace tendril {
namespace {
using namespace contact_testing;

SENTENCE("contact",
         "a barrier begins at its reach with value, slope and bend zero, and its derivatives are those of differences") {
  const Barrier b{0.02, 3};
  for (const double gap : {0.019, 0.01, 0.003, 0.0004}) {
    const BarrierValue at = barrier_at(b, gap);
    const double h = 1e-3 * gap;
    const auto first =
        compare_with_differences([&](double g) { return barrier_at(b, g).energy; }, at.slope, gap, {.step = h});
    const auto second =
        compare_with_differences([&](double g) { return barrier_at(b, g).slope; }, at.bend, gap, {.step = h});
    EXPECT_TRUE(first.ok) << first.message;
    EXPECT_TRUE(second.ok) << second.message;
    EXPECT_GT(at.energy, 0);
    EXPECT_LT(at.slope, 0);
    EXPECT_GT(at.bend, 0);
  }
  EXPECT_EQ(barrier_at(b, 0.02).energy, 0);
  EXPECT_EQ(barrier_at(b, 1).slope, 0);
  EXPECT_NEAR(barrier_at(b, 0.02 * (1 - 1e-6)).bend * 0.02 / 3, 0, 1e-5);
  EXPECT_TRUE(std::isinf(barrier_at(b, 0).energy));
  EXPECT_TRUE(std::isinf(barrier_at(b, -1).energy));
  for (const double x : {1e-300, 1e-9, 0.3, 0.70710678, 0.99999, 1.0, 7.0, 1e200})
    EXPECT_NEAR(math::log(x), std::log(x), 4e-16 * (1 + std::abs(std::log(x))));
}

// Value and derivatives of weight times barrier, as a method uses them.
double energy_of(const NearPairs& near, const NearPair& pair, std::span<const Vec3> x, std::span<const Pose> poses,
                 const Barrier& barrier, Vector12* gradient, Matrix12* hessian) {
  PairGap at;
  PairBend bend;
  near.evaluate(pair, x, poses, at, hessian ? &bend : nullptr);
  const BarrierValue b = barrier_at(barrier, at.at.gap);
  const Vector12& g = at.at.gradient;
  if (gradient) {
    *gradient = at.weight * b.slope * g;
    if (at.is_faded) *gradient += b.energy * at.weight_gradient;
  }
  if (hessian) {
    *hessian = at.weight * (b.bend * g * g.transpose() + b.slope * bend.gap);
    if (at.is_faded) {
      const Matrix12 mixed = g * at.weight_gradient.transpose();
      *hessian += b.slope * (mixed + mixed.transpose()) + b.energy * bend.weight;
    }
  }
  return at.weight * b.energy;
}

struct Listed {
  World world;
  NearPairs near;
  explicit Listed(const Model& model, double reach) : world(model), near(world.model, world.geometry) {
    std::vector<Bounds> boxes;
    for (int e = 0; e < world.geometry.edges(); ++e) {
      Bounds b;
      for (const int n : world.geometry.ends(e)) b.include(world.nodes[static_cast<std::size_t>(n)]);
      boxes.push_back(b);
    }
    EXPECT_EQ(near.list(boxes, world.poses, world.poses, reach), Found::fine);
  }
};

SENTENCE(
    "contact",
    "pairs near each other: gradient and matrix of their barriers are those of differences, crossing and nearly parallel, "
    "rods and every shape") {
  const double r = 0.1, reach = 0.5;  // wide, so that differences see it
  int faded = 0;
  bool kinds[6] = {};
  for (int k = 0; k < 14; ++k) {
    Random random(100 + static_cast<unsigned>(k));
    Model model = model_of({{{Vec3(-0.5, 0, 0), Vec3(0.5, 0.1, 0.05)}, r},
                            {{Vec3(-0.45, k < 2 ? -0.4 : 0.1 + 0.002 * k, 0.35), Vec3(0.55, k < 2 ? 0.5 : 0.2, 0.40)}, r}});
    Pose pose;
    pose.position = Vec3(0.05, 0.02, -0.4);
    pose.orientation = random.rotation();
    if (k % 7 == 1) add_obstacle(model, shape::Sphere{0.2}, pose);
    if (k % 7 == 2) add_obstacle(model, shape::Capsule{0.3, 0.1}, pose);
    if (k % 7 == 3) add_obstacle(model, shape::Cylinder{0.3, 0.1}, pose);
    if (k % 7 == 4) add_obstacle(model, shape::Box{Vec3(0.1, 0.15, 0.1)}, pose);
    if (k % 7 == 5) add_obstacle(model, box_mesh(Vec3(0.1, 0.15, 0.1)), pose);
    if (k % 7 == 6) add_obstacle(model, shape::HalfSpace{}, {Vec3(0, 0, -0.3), Quat::Identity()});
    Listed listed(model, reach);
    for (const NearPair& pair : listed.near.pairs()) {
      kinds[static_cast<int>(pair.kind)] = true;
      // As a function of its own nodes.
      std::vector<Vec3> x = listed.world.nodes;
      Vector12 start = Vector12::Zero();
      for (std::size_t i = 0; i < 4; ++i)
        if (pair.node[i] >= 0)
          start.segment<3>(3 * static_cast<Eigen::Index>(i)) = x[static_cast<std::size_t>(pair.node[i])];
      const auto at = [&](const Vector12& y, Vector12* g, Matrix12* h) {
        for (std::size_t i = 0; i < 4; ++i)
          if (pair.node[i] >= 0) x[static_cast<std::size_t>(pair.node[i])] = y.segment<3>(3 * static_cast<Eigen::Index>(i));
        const double e = energy_of(listed.near, pair, x, listed.world.poses, {reach, 1}, g, h);
        for (std::size_t i = 0; i < 4 && (g || h); ++i) {
          if (pair.node[i] >= 0) continue;
          const auto block = 3 * static_cast<Eigen::Index>(i);
          if (g) g->segment<3>(block).setZero();
          if (h) h->middleRows<3>(block).setZero(), h->middleCols<3>(block).setZero();
        }
        return e;
      };
      Vector12 g;
      Matrix12 h;
      if (!(at(start, &g, &h) > 1e-9)) continue;
      PairGap here;
      listed.near.evaluate(pair, x, listed.world.poses, here);
      faded += here.is_faded;
      const auto first = compare_with_differences([&](const Vector12& y) { return at(y, nullptr, nullptr); }, g, start,
                                                  {.step = 1e-5, .rounding = 1e-6});
      EXPECT_TRUE(first.ok) << k << " kind " << int(pair.kind) << ": " << first.message;
      const auto slope = [&](const Vector12& y) {
        Vector12 there;
        at(y, &there, nullptr);
        return Eigen::VectorXd(there);
      };
      const auto second = compare_with_differences(slope, h, start, {.step = 1e-6, .rounding = 1e-4});
      EXPECT_TRUE(second.ok) << k << " kind " << int(pair.kind) << ": " << second.message;
    }
  }
  EXPECT_GT(faded, 3);
  for (const bool seen : kinds) EXPECT_TRUE(seen);
}

SENTENCE("contact", "what is free by the pairs passes nothing by find_contacts, and gaps stay open on the way") {
  Random random(5);
  int stopped = 0;
  for (int k = 0; k < 200; ++k) {
    Model model = model_of({{random.polyline(6, 0.5), 0.02}, {random.polyline(6, 0.5), 0.02}});
    for (Vec3& p : model.initial.position) p += Vec3::Zero();
    add_obstacle(model, shape::Box{Vec3(0.1, 0.1, 0.1)}, {random.vector(0.3), random.rotation()});
    World world(model);
    NearPairs near(world.model, world.geometry);
    std::vector<Vec3> to = world.nodes;
    const Vec3 pull = random.vector(0.3);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += (i < 6 ? pull : Vec3(-pull)) + random.vector(0.02);
    std::vector<Bounds> boxes;
    for (int e = 0; e < world.geometry.edges(); ++e) {
      Bounds b;
      for (const int n : world.geometry.ends(e))
        b.include(world.nodes[static_cast<std::size_t>(n)]), b.include(to[static_cast<std::size_t>(n)]);
      boxes.push_back(b);
    }
    ASSERT_EQ(near.list(boxes, world.poses, world.poses, 1e-3), Found::fine);
    double least = 1, fraction = 1;
    for (const NearPair& pair : near.pairs()) least = std::min(least, near.gap(pair, world.nodes, world.poses));
    if (least < 1e-3) continue;  // overlaps from the start
    for (const NearPair& pair : near.pairs())
      fraction = std::min(fraction, near.free_fraction(pair, world.now(), {to, world.poses}, 0.1));
    std::vector<Vec3> reached = world.nodes;
    for (std::size_t i = 0; i < to.size(); ++i) reached[i] += fraction * (to[i] - world.nodes[i]);
    stopped += fraction < 1;
    EXPECT_EQ(safe_fraction(world.find(reached)), 1) << k;
    for (const NearPair& pair : near.pairs()) EXPECT_GT(near.gap(pair, reached, world.poses), 0) << k;
    for (const Touch& t : world.touches) EXPECT_GT(t.gap, -1e-12) << k;  // nothing that is found was left out
  }
  EXPECT_GT(stopped, 10);
}

}  // namespace
}  // namespace tendril
