#include "contact/contact_law.h"

#include "contact/contact_memory.h"
#include "contact/contact_testing.h"
#include "testing/allocation_count.h"
#include "testing/finite_difference.h"

namespace tendril {
namespace {
using namespace contact_testing;

SENTENCE("contact", "friction sticks inside the cone and slides on it, against the sliding, and never without pressure") {
  Random random(51);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 n = random.unit_vector(), trial = tangential(random.vector(), n);
    const double force = random.uniform(-0.5, 2), mu = random.uniform(0, 1.5);
    const Friction f = coulomb(trial, force, mu);
    const double limit = mu * std::max(force, 0.0);
    ASSERT_LE(f.force.norm(), limit * (1 + 1e-15) + 1e-300);
    ASSERT_EQ(f.sliding, trial.norm() > limit);
    ASSERT_NEAR(f.force.dot(n), 0, 1e-14);
    ASSERT_GE(f.force.dot(trial), 0);
    if (f.sliding) {
      ASSERT_NEAR(f.force.norm(), limit, 1e-14);
    } else {
      ASSERT_EQ(f.force, trial);
    }
    if (force <= 0) {
      ASSERT_EQ(f.force.norm(), 0);
    }
  }
  EXPECT_EQ(coulomb(Vec3::UnitX(), 1, 0).force.norm(), 0);
  EXPECT_FALSE(coulomb(Vec3::Zero(), 0, 0.3).sliding);
}

SENTENCE("contact", "friction: derivatives by trial and by pressure agree with differences, sticking and sliding") {
  Random random(52);
  for (int k = 0; k < 100; ++k) {
    const Vec3 trial = random.vector();
    const double mu = 0.5, force = trial.norm() / mu * (k % 2 ? random.uniform(1.2, 2) : random.uniform(0.3, 0.8));
    const Friction f = coulomb(trial, force, mu);
    ASSERT_EQ(f.sliding, k % 2 == 0);
    const auto by_trial = compare_with_differences([&](const Vec3& x) { return coulomb(x, force, mu).force; }, f.d_trial,
                                                   trial, {.step = 1e-3 * trial.norm()});
    EXPECT_TRUE(by_trial.ok) << by_trial.message;
    if (!f.sliding) continue;
    const auto by_force = compare_with_differences([&](double x) { return coulomb(trial, x, mu).force; }, f.d_normal_force,
                                                   force, {.step = 1e-3});
    EXPECT_TRUE(by_force.ok) << by_force.message;
  }
}

SENTENCE("contact", "elastic friction: holds for ever below the cone, slides at it, and what is put in is stored or lost") {
  const double stiffness = 1e4, pressure = 3, mu = 0.4;
  Random random(53);
  Vec3 slip = Vec3::Zero();
  double work = 0, lost = 0;
  for (int k = 0; k < 5000; ++k) {
    const Vec3 sliding = tangential(random.vector(2e-5), Vec3::UnitZ());
    const double before = 0.5 * stiffness * slip.squaredNorm();
    const ElasticFriction f = elastic_friction(slip, sliding, stiffness, pressure, mu);
    ASSERT_GE(f.dissipated, 0);
    ASSERT_LE(f.friction.force.norm(), mu * pressure * (1 + 1e-12));
    work -= f.friction.force.dot(sliding);
    lost += f.dissipated;
    slip = f.slip;
    // Stored, lost, and the quadratic error of a step that is not small: never more comes out than was put in.
    ASSERT_LE(0.5 * stiffness * slip.squaredNorm() - before + f.dissipated, -f.friction.force.dot(sliding) + 1e-12);
  }
  EXPECT_GT(lost, 0.5 * work);
  // A force below the cone is carried at rest without creep.
  slip = Vec3(0.5 * mu * pressure / stiffness, 0, 0);
  for (int k = 0; k < 1000; ++k) slip = elastic_friction(slip, Vec3::Zero(), stiffness, pressure, mu).slip;
  EXPECT_EQ(slip.x(), 0.5 * mu * pressure / stiffness);
}

SENTENCE("contact", "what is remembered in a tangent plane turns with it") {
  Random random(54);
  for (int k = 0; k < 200; ++k) {
    const Vec3 from = random.unit_vector(), to = (from + random.vector(0.3)).normalized();
    const Vec3 v = tangential(random.vector(), from);
    const Vec3 w = turned_with_normal(v, from, to);
    ASSERT_NEAR(w.dot(to), 0, 1e-13);
    ASSERT_NEAR(w.norm(), v.norm(), 1e-13);
  }
}

// A rod of 10 segments slides over a crossing one.
World crossing(double shift) {
  return World(model_of({{straight(Vec3(shift, 0, 0.019), Vec3(1 + shift, 0, 0.019), 10), 0.01, false},
                         {straight(Vec3(0.5, -1, 0), Vec3(0.5, 1, 0), 1), 0.01, false}}));
}

SENTENCE("contact",
         "memory follows the pair, not its place in the list, and goes along when a rod slides to its next segment") {
  World world = crossing(0.03);
  ContactMemory memory;
  memory.begin(world.geometry, world.find());
  ASSERT_EQ(world.touches.size(), 1u);
  EXPECT_EQ(memory.now(0).age, 0);
  memory.now(0).slip = Vec3(1e-5, 2e-5, 0);
  memory.now(0).normal_force = 7;
  memory.commit();
  // Another contact, of a lower key, comes in front of it.
  Model more = world.model;
  World two(more);
  std::vector<Touch> touches = world.touches;
  Touch front = touches[0];
  front.key.a = 0, front.edge_a = 0;
  touches.insert(touches.begin(), front);
  memory.begin(world.geometry, touches);
  EXPECT_EQ(memory.now(0).age, 0);
  EXPECT_EQ(memory.now(1).age, 1);
  EXPECT_EQ(memory.now(1).normal_force, 7);
  // Sliding on to the neighbouring segment.
  World next = crossing(0.07 - 0.1);
  memory.begin(next.geometry, next.find());
  ASSERT_NE(next.touches[0].key, world.touches[0].key);
  EXPECT_EQ(memory.now(0).normal_force, 7);
  EXPECT_LT((memory.now(0).slip - Vec3(1e-5, 2e-5, 0)).norm(), 1e-15);
  // Far away it is another contact.
  World far = crossing(-0.38);
  memory.begin(far.geometry, far.find());
  EXPECT_EQ(memory.now(0).age, 0);
  // Letting go forgets.
  memory.begin(world.geometry, {});
  memory.commit();
  memory.begin(world.geometry, world.touches);
  EXPECT_EQ(memory.now(0).age, 0);
}

SENTENCE("contact", "memory is saved and loaded bit for bit, and damaged states are refused") {
  World world = crossing(0.03);
  ContactMemory memory, other;
  memory.begin(world.geometry, world.find());
  memory.now(0).slip = Vec3(1e-5, 2e-5, 0), memory.now(0).normal_force = 0.1, memory.now(0).friction = Vec3(1, 2, 3);
  memory.commit();
  StateWriter first, second;
  memory.visit_state(first);
  StateReader reader(first.buffer());
  other.visit_state(reader);
  EXPECT_TRUE(reader.at_end());
  other.visit_state(second);
  EXPECT_TRUE(std::equal(first.buffer().begin(), first.buffer().end(), second.buffer().begin(), second.buffer().end()));
  StateReader cut(first.buffer().first(first.buffer().size() - 1));
  EXPECT_THROW(other.visit_state(cut), Misuse);
}

SENTENCE("contact", "memory allocates nothing once warm") {
  World world = crossing(0.03);
  ContactMemory memory;
  world.find();
  for (int k = 0; k < 3; ++k) memory.begin(world.geometry, world.touches), memory.commit();
  const AllocationCount allocations;
  for (int k = 0; k < 10; ++k) memory.begin(world.geometry, world.touches), memory.commit();
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace tendril
