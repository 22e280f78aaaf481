#include "methods/compact/riding.h"

#include <cmath>

#include "contact/contact_testing.h"
#include "math/rotation.h"
#include "methods/compact/chain.h"
#include "testing/finite_difference.h"

namespace tendril::compact {
namespace {
namespace ct = contact_testing;

SENTENCE("compact",
         "gradient and matrix of contacts on a body whose pose is unknown are those of differences, for every shape") {
  const double r = 0.1;
  const Barrier barrier{0.5, 1};  // wide, so that differences see it
  bool kinds[6] = {};
  int faded = 0;
  for (int k = 0; k < 12; ++k) {
    Random random(300 + static_cast<unsigned>(k));
    Model model = ct::model_of({{{Vec3(-0.5, 0, 0), Vec3(0.5, 0.1, 0.05)}, r}});
    Pose start;
    start.position = Vec3(0.05, 0.02, -0.4);
    start.orientation = random.rotation();
    if (k >= 8) start.orientation = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3(1, 0.1 + 0.004 * (k - 9), 0.05));  // alongside
    if (k % 4 == 0) ct::add_obstacle(model, shape::Sphere{0.2}, start);
    if (k % 4 == 1) ct::add_obstacle(model, shape::Capsule{0.3, 0.1}, start);
    if (k % 4 == 2) ct::add_obstacle(model, shape::Cylinder{0.3, 0.1}, start);
    if (k % 4 == 3) ct::add_obstacle(model, shape::Box{Vec3(0.1, 0.15, 0.1)}, start);
    const ct::World world(model);
    NearPairs near(world.model, world.geometry);
    Bounds box;
    for (const Vec3& x : world.nodes) box.include(x);
    ASSERT_EQ(near.list(std::vector<Bounds>{box}, world.poses, world.poses, barrier.reach), Found::fine);
    for (const NearPair& pair : near.pairs()) {
      std::vector<Vec3> x = world.nodes;
      std::vector<Pose> poses = world.poses;
      PairGap gap;
      PairBend bend;
      // Moves of the nodes, of the body's place, and its turn.
      const auto at = [&](const Vector12& u) {
        for (std::size_t i = 0; i < 2; ++i)
          if (pair.node[i] >= 0)
            x[static_cast<std::size_t>(pair.node[i])] =
                world.nodes[static_cast<std::size_t>(pair.node[i])] + u.segment<3>(3 * static_cast<Eigen::Index>(i));
        poses[0].position = world.poses[0].position + u.segment<3>(6);
        poses[0].orientation = turned_by(Vec3(u.tail<3>()), world.poses[0].orientation);
        near.evaluate(pair, x, poses, gap, &bend);
        return barrier_at(barrier, gap.at.gap);
      };
      const auto energy = [&](const Vector12& u) {
        const double e = at(u).energy;
        return gap.weight * e;
      };
      const auto slope = [&](const Vector12& u) {
        const BarrierValue push = at(u);
        Vector12 g = gradient_on_body(near, pair, gap, push, x, poses[0]);
        EXPECT_EQ(g, energy_on_body(near, pair, gap, bend, push, x, poses[0], true).gradient);
        const Vec3 turn = u.tail<3>();  // by the turn that `turned_by` takes
        g.tail<3>() =
            ((Mat3::Identity() + 0.5 * skew(turn)).transpose() * g.tail<3>()).eval() / (1 + 0.25 * turn.squaredNorm());
        if (pair.node[1] < 0) g.segment<3>(3).setZero();
        return Eigen::VectorXd(g);
      };
      const Vector12 zero = Vector12::Zero();
      if (!(energy(zero) > 1e-6)) continue;
      kinds[static_cast<int>(pair.kind)] = true;
      faded += gap.is_faded;
      const auto first = compare_with_differences(energy, Vector12(slope(zero)), zero, {.step = 1e-5, .rounding = 1e-6});
      EXPECT_TRUE(first.ok) << k << " kind " << int(pair.kind) << ": " << first.message;
      const BarrierValue push = at(zero);
      const Matrix12 h = energy_on_body(near, pair, gap, bend, push, x, poses[0], true).hessian;
      const auto second = compare_with_differences(slope, h, zero, {.step = 1e-6, .rounding = 1e-4});
      EXPECT_TRUE(second.ok) << k << " kind " << int(pair.kind) << ": " << second.message;
    }
  }
  for (const auto kind : {NearPair::Kind::node_surface, NearPair::Kind::segment_edge, NearPair::Kind::segment_point})
    EXPECT_TRUE(kinds[static_cast<int>(kind)]) << int(kind);
  EXPECT_GT(faded, 0);
}

}  // namespace
}  // namespace tendril::compact
