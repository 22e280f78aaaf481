#include "tendril/state.h"

#include <malloc.h>

#include <algorithm>
#include <new>

#include "run/input_state.h"
#include "testing/allocation_count.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

struct Box {
  std::vector<double> numbers;
  std::string name;
  void visit_state(StateArchive& archive) { archive(numbers, name); }
};

std::vector<std::byte> bytes_of(auto& value) {
  StateWriter writer;
  writer(value);
  return {writer.buffer().begin(), writer.buffer().end()};
}

SENTENCE("state",
         "what is written is read back: numbers, bools, enumerators, texts, structs, lists that change their length") {
  int n = -7;
  bool yes = true;
  Cause cause = Cause::no_equilibrium;
  StepReport report{
      Outcome::not_converged, Cause::contact, 3, 1e-3, 0.5, 0.25, {Verdict::Kind::counted, 2, {1, 2, 3, 4}, 0.5}, 9};
  std::vector<Box> boxes{{{1, 2, 3}, "a"}, {{}, "a longer name than fits into a short string"}};
  OnNodes<Vec3> places(2, Vec3(1, 2, 3));
  std::array<Quat, 2> turns{Quat(1, 2, 3, 4), Quat(5, 6, 7, 8)};
  BodyState body{{Vec3(1, 2, 3), Quat(0, 1, 0, 0)}, {Vec3(4, 5, 6), Vec3(7, 8, 9)}};
  Live live;
  live.gravity_scale = 0.5;
  Hand hand;
  hand.id = 3, hand.rod = 1, hand.material = 0.25, hand.stiffness = 10;
  live.hands.add(hand);
  StateWriter writer;
  writer(n, yes, cause, report, boxes, places, turns, body, live);

  int n2 = 0;
  bool yes2 = false;
  Cause cause2 = Cause::none;
  StepReport report2;
  std::vector<Box> boxes2(5);
  OnNodes<Vec3> places2(7);
  std::array<Quat, 2> turns2;
  BodyState body2;
  Live live2;
  StateReader reader(writer.buffer());
  reader(n2, yes2, cause2, report2, boxes2, places2, turns2, body2, live2);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(n2, -7);
  EXPECT_TRUE(yes2);
  EXPECT_EQ(cause2, Cause::no_equilibrium);
  ASSERT_EQ(boxes2.size(), 2u);
  EXPECT_EQ(boxes2[0].numbers, (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(boxes2[1].numbers.empty());
  EXPECT_EQ(boxes2[1].name, "a longer name than fits into a short string");
  EXPECT_EQ(places2, places);
  EXPECT_EQ(turns2[1].coeffs(), Quat(5, 6, 7, 8).coeffs());
  StateWriter again;  // and all else by writing it once more
  again(n2, yes2, cause2, report2, boxes2, places2, turns2, body2, live2);
  EXPECT_TRUE(std::ranges::equal(again.buffer(), writer.buffer()));
}

SENTENCE("state", "the bytes of a struct do not depend on what its padding held") {
  const auto made_in_memory_of = [](int filling) {
    alignas(StepReport) std::array<unsigned char, sizeof(StepReport)> memory;
    memory.fill(static_cast<unsigned char>(filling));
    return bytes_of(*new (memory.data()) StepReport);
  };
  EXPECT_EQ(made_in_memory_of(0), made_in_memory_of(0xff));
  EXPECT_LT(made_in_memory_of(0).size(), sizeof(StepReport));  // which has some
}

SENTENCE("state", "a forged length is refused before anything is allocated for it") {
  const auto refuses = [](auto& list, std::uint64_t length) {
    StateWriter writer;
    double some = 1;
    writer(length, some, some, some);
    StateReader reader(writer.buffer());
    try {
      reader(list);
      ADD_FAILURE() << "took a list of " << length;
    } catch (const Misuse& error) {
      EXPECT_NE(std::string(error.what()).find("ends too early"), std::string::npos);
    }
    EXPECT_EQ(list.size(), std::size_t{0});
  };
  for (const std::uint64_t length : {std::uint64_t{4}, std::uint64_t{1} << 33, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    std::vector<double> numbers;
    std::vector<BodyState> bodies;  // 13 numbers each: not even one fits
    refuses(numbers, length), refuses(bodies, length);
  }
  std::string text;
  refuses(text, 25);
}

SENTENCE("state", "a state of another model, one that is cut, and values that cannot be are refused") {
  std::vector<double> three(3), two(2);
  StateWriter writer;
  writer.fixed(three);
  StateReader other(writer.buffer());
  EXPECT_THROW(other.fixed(two), Misuse);
  StateReader cut(writer.buffer().first(writer.buffer().size() - 1));
  EXPECT_THROW(cut.fixed(three), Misuse);

  StateWriter wild;
  int nine = 9;
  double one = 1;
  std::uint8_t byte = 2;
  wild(byte, one, nine);
  bool flag = false;
  StateReader as_bool(wild.buffer());
  EXPECT_THROW(as_bool(flag), Misuse);
  StateWriter many;
  many(one, nine);  // nine hands
  Live live;
  StateReader as_live(many.buffer());
  EXPECT_THROW(as_live(live), Misuse);
}

// A simulation after some steps, with all memory filled in one way before it is used.
std::vector<std::byte> state_after_steps(const Scene& scene, int filling) {
  mallopt(M_PERTURB, filling);
  std::vector<std::byte> bytes;
  {
    Checked<Simulation> simulation = Simulation::open(scene);
    EXPECT_TRUE(simulation) << to_text(simulation.problems());
    if (simulation) {
      for (int i = 0; i < 10 && !simulation->finished(); ++i) simulation->advance();
      StateWriter writer;
      simulation->save(writer);
      bytes.assign(writer.buffer().begin(), writer.buffer().end());
    }
  }
  mallopt(M_PERTURB, 0);
  return bytes;
}

SENTENCE("state", "of every method no unset byte gets into a state: it is the same however memory was filled before") {
  for_each_method([](const MethodEntry& method) {
    for_each_request(method, [](const Request&, const Scene& scene, bool claimed) {
      if (!claimed) return;
      const std::vector<std::byte> a = state_after_steps(scene, 0x55), b = state_after_steps(scene, 0xaa);
      ASSERT_EQ(a.size(), b.size());
      // Only the wall clock may differ: eight bytes.
      const auto first = std::ranges::mismatch(a, b).in1 - a.begin();
      const auto last = a.rend() - std::mismatch(a.rbegin(), a.rend(), b.rbegin()).first;
      EXPECT_LE(last - first, 8) << "from byte " << first << " to " << last << " of " << a.size();
    });
  });
}

SENTENCE("state", "of every method saving allocates nothing once it has been done") {
  for_each_method([](const MethodEntry& method) {
    Scene scene = tiny_scene(method);
    Checked<Simulation> simulation = Simulation::open(scene);
    ASSERT_TRUE(simulation);
    for (int i = 0; i < 3; ++i) simulation->advance();
    StateWriter writer;
    simulation->save(writer);
    writer.clear();
    const AllocationCount allocations;
    simulation->save(writer);
    const long count = allocations.count();
    EXPECT_EQ(count, 0);
  });
}

}  // namespace
}  // namespace tendril
