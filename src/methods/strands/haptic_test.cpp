#include "tendril/strand.h"

#include <cmath>

#include "testing/allocation_count.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

const StrandDesign suture{.length = 0.3, .segments = 60, .EI1 = 2e-6, .EI2 = 2e-6, .GJ = 1.5e-6};

Pose end_pose(double t) {
  Pose pose;
  pose.position = Vec3(0.08 * std::sin(2 * t), 0.06 * std::sin(3 * t), 0.15 + 0.06 * std::cos(t));
  pose.orientation =
      Quat(Eigen::AngleAxisd(0.8 * std::sin(t), Vec3::UnitX())) * Quat(Eigen::AngleAxisd(0.7 * t, Vec3::UnitZ()));
  return pose;
}

SENTENCE("strands", "a haptic strand led by its end is there, allocates nothing and keeps to its bound") {
  StrandDesign design = suture;
  HapticStrand strand(design);
  for (int k = 0; k < 30; ++k) strand.lead(end_pose(0));
  const AllocationCount allocations;
  bool all_fine = true, there = true;
  int most = 0;
  for (int k = 0; k < 400; ++k) {
    const Pose end = end_pose(0.01 * k);
    const StrandAnswer answer = strand.lead(end);
    all_fine = all_fine && answer.fine && answer.verdict.minimum();
    there = there && (strand.pose(60).position - end.position).norm() < 1e-8;
    most = std::max(most, answer.iterations);
  }
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(all_fine);
  EXPECT_TRUE(there);
  EXPECT_LE(most, 60);  // once to solve, once to leave a saddle
}

SENTENCE("strands", "a haptic strand asked out of reach holds the nearest place in reach and says so") {
  HapticStrand strand(suture);
  Pose far;
  far.position = Vec3(0.2, 0, 0.4);
  StrandAnswer answer;
  for (int k = 0; k < 40; ++k) answer = strand.lead(far);
  EXPECT_FALSE(answer.in_reach);
  const Vec3 tip = strand.pose(60).position;
  EXPECT_LT(tip.norm(), 0.3);
  EXPECT_GT(tip.norm(), 0.29);
  EXPECT_LT(tip.normalized().cross(far.position.normalized()).norm(), 0.02);
}

SENTENCE("strands", "when the bound is hit the last good shape is kept and said so") {
  StrandDesign design = suture;
  design.max_iterations = 1, design.max_descents = 0, design.tolerance = 1e-14, design.verdict = false;
  HapticStrand strand(design);
  const Vec3 before = strand.pose(60).position;
  Pose end;
  end.position = Vec3(0.05, 0.02, 0.25);
  end.orientation = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()));
  const StrandAnswer answer = strand.lead(end);
  EXPECT_FALSE(answer.fine);
  EXPECT_EQ(strand.pose(60).position, before);
}

SENTENCE("strands", "a haptic strand pulled in its own axes needs no iteration, and in world axes balances the pull") {
  HapticStrand strand(suture);
  const Wrench pull{Vec3(2e-5, 1e-5, 0), Vec3(1e-6, 2e-6, 3e-6)};
  const StrandAnswer own = strand.pull_in_material_axes(pull);
  EXPECT_TRUE(own.fine);
  EXPECT_EQ(own.sweeps, 2);
  const StrandAnswer world = strand.pull_in_world_axes(pull);
  ASSERT_TRUE(world.fine);
  EXPECT_LT((strand.stress(0).force - pull.force).norm(), 1e-12);
  const Vec3 arm = strand.pose(60).position;
  EXPECT_LT((strand.stress(0).moment - pull.moment - arm.cross(pull.force)).norm(), 1e-12);
}

SENTENCE("strands", "a virtual coupling is passive for a hand that jerks, turns and jumps") {
  HapticStrand strand(suture);
  Random random(11);
  Hand hand;
  hand.pose = strand.pose(60);
  hand.stiffness = 0.02, hand.damping = 1e-4, hand.angular_stiffness = 2e-5, hand.angular_damping = 1e-7;
  strand.couple(hand, 1e-3);
  const double start = strand.stored_energy();
  double peak = 0, worst = 0, work = 0;
  Pose last = hand.pose;
  long count = -1;
  {
    const AllocationCount allocations;
    for (int k = 0; k < 1500; ++k) {
      if (k % 100 == 0) hand.pose.position = random.vector(0.2);  // also out of reach
      hand.pose.position += random.vector(0.002);
      hand.pose.orientation = Quat(Eigen::AngleAxisd(random.uniform(-0.1, 0.1), Vec3::UnitX())) * hand.pose.orientation;
      const StrandAnswer answer = strand.couple(hand, 1e-3);
      const Eigen::AngleAxisd turn(hand.pose.orientation * last.orientation.conjugate());
      const double angle = std::remainder(turn.angle(), 2 * math::pi);
      work -= answer.on_hand.force.dot(hand.pose.position - last.position) + answer.on_hand.moment.dot(angle * turn.axis());
      last = hand.pose;
      peak = std::max(peak, strand.stored_energy() - start);
      worst = std::min(worst, work - (strand.stored_energy() - start));
      EXPECT_LT(strand.pose(60).position.norm(), 0.3);
    }
    count = allocations.count();
  }
  EXPECT_EQ(count, 0);
  EXPECT_GT(peak, 0);
  EXPECT_GE(worst, -1e-9 * peak);
  EXPECT_LT(strand.corrected(), 0.2 * strand.work());
}

SENTENCE("strands", "a snap that takes more than one call may do goes on in the next, and arrives") {
  const auto calls_to_arrive = [](int max_descents) {
    StrandDesign design = suture;
    design.max_descents = max_descents;
    HapticStrand strand(design);
    StrandAnswer answer;
    for (int k = 0; k < 60; ++k) answer = strand.lead(end_pose(0));  // both ends on one axis: bent into some plane
    EXPECT_TRUE(answer.fine && answer.arrived);
    const Vec3 before = strand.pose(30).position;
    int calls = 0;
    do {
      answer = strand.lead(end_pose(0.01));
      EXPECT_LE(answer.iterations, 2 * (8 + max_descents + 8));
      if (!answer.fine) {
        EXPECT_EQ(strand.pose(30).position, before);  // nothing half done is shown
      }
    } while (!(answer.fine && answer.verdict.minimum()) && ++calls < 50);
    EXPECT_LT((strand.pose(60).position - end_pose(0.01).position).norm(), 1e-8);
    EXPECT_GT((strand.pose(30).position - before).norm(), 0.1);  // it swung into the plane that the new pose prefers
    return calls + 1;
  };
  EXPECT_EQ(calls_to_arrive(100), 1);
  const int slow = calls_to_arrive(2);
  EXPECT_GT(slow, 2);
  EXPECT_LT(slow, 10);
}

SENTENCE("strands", "the force on a hand stays bounded however little the hand moves") {
  HapticStrand strand(suture);
  Random random(7);
  Hand hand;
  hand.pose = strand.pose(60);
  hand.stiffness = 0.02, hand.damping = 1e-4, hand.angular_stiffness = 2e-5, hand.angular_damping = 1e-7;
  strand.couple(hand, 1e-3);
  const double start = strand.stored_energy(), bound = (hand.stiffness + 2 * hand.damping / 1e-3) * 4 * 0.3;
  double peak = 0, worst = 0;
  for (int k = 0; k < 1000; ++k) {
    if (k % 50 == 0) hand.pose.position = random.vector(0.2), hand.pose.orientation = random.rotation();
    if (k % 3 == 1) hand.pose.position += random.vector(1e-12);  // and stands quite still otherwise
    EXPECT_LT(strand.couple(hand, 1e-3).on_hand.force.norm(), bound) << k;
    peak = std::max(peak, strand.stored_energy() - start);
    worst = std::min(worst, strand.work() - (strand.stored_energy() - start));
  }
  EXPECT_GE(worst, -1e-9 * peak);
}

SENTENCE("strands", "the verdict of a strand pulled in its own axes is that there is no energy") {
  HapticStrand strand(suture);
  EXPECT_EQ(strand.pull_in_material_axes({Vec3(2e-5, 1e-5, 0), Vec3::Zero()}).verdict.kind, Verdict::Kind::no_energy);
  EXPECT_TRUE(strand.pull_in_world_axes({Vec3(2e-5, 1e-5, 0), Vec3::Zero()}).verdict.minimum());
  EXPECT_EQ(strand.pull_in_world_axes({Vec3(2e-5, 1e-5, 0), Vec3(1e-7, 0, 0)}).verdict.kind, Verdict::Kind::no_energy);
}

}  // namespace
}  // namespace tendril
