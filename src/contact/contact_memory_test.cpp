#include "contact/contact_memory.h"

#include "contact/contact_testing.h"
#include "testing/allocation_count.h"

namespace tendril {
namespace {
using namespace contact_testing;

SENTENCE("contact", "what is remembered in a tangent plane turns with it") {
  Random random(54);
  for (int k = 0; k < 200; ++k) {
    const Vec3 from = random.unit_vector(), to = (from + random.vector(0.3)).normalized();
    const Vec3 v = random.vector().cross(from);
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
  memory.now(0).friction = Vec3(1e-5, 2e-5, 0);
  memory.now(0).normal_force = 7;
  memory.commit();
  // Another contact, of a lower key, comes in front of it.
  Model more = world.model;
  World two(more);
  std::vector<Touch> touches = world.touches;
  Touch front = touches[0];
  front.key = ContactKey::between_edges(0, 10), front.edge_a = 0;
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
  EXPECT_LT((memory.now(0).friction - Vec3(1e-5, 2e-5, 0)).norm(), 1e-15);
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
  memory.now(0).gap = -1e-5, memory.now(0).normal_force = 0.1, memory.now(0).friction = Vec3(1, 2, 3);
  memory.commit();
  StateWriter first, second;
  first(memory);
  StateReader reader(first.buffer());
  reader(other);
  EXPECT_TRUE(reader.at_end());
  second(other);
  EXPECT_TRUE(std::equal(first.buffer().begin(), first.buffer().end(), second.buffer().begin(), second.buffer().end()));
  StateReader cut(first.buffer().first(first.buffer().size() - 1));
  EXPECT_THROW(cut(other), Misuse);
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
