// run.h5 itself: everything a frame holds reads back, and a crafted file is refused.
#include <bit>
#include <cmath>

#include "record/columns.h"
#include "record/crafted_testing.h"
#include "record/h5.h"
#include "record/record_testing.h"
#include "run/open.h"
#include "tendril/view.h"
#include "testing/fake_method.h"
#include "testing/sentence.h"
#include "view/replay.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// A fake run with everything a frame can hold.
Scene full_scene() {
  Scene scene = fake_scene();
  scene.time.duration = 0.25;
  RigidBody ball;
  ball.name = "ball", ball.mass = 1, ball.shape = SphereBody{0.1}, ball.position = Vec3(0, 0, 3);
  scene.bodies = {ball};
  Obstacle box;
  box.name = "box", box.shape = BoxShape{Vec3(0, 0, -1), Vec3(1, 1, 1)};
  box.move.keys = {{0, Vec3::Zero()}, {0.25, Vec3(0, 0, 0.5)}};
  scene.obstacles = {box};
  Coupling spring;
  spring.name = "spring", spring.rod = "rod", spring.at = 0.6, spring.stiffness = 3, spring.damping = 0.2;
  spring.move.keys = {{0, Vec3::Zero()}, {0.25, Vec3(0, 0.1, 0)}};
  spring.until = 0.2;  // their number changes
  scene.couplings = {spring};
  return scene;
}

SENTENCE("record",
         "what acted reads back: reactions, gravity, load factor, obstacles, and what hands and couplings pull with") {
  FakeMethod::trouble() = {};
  for (const Mode mode : {Mode::dynamics, Mode::statics}) {
    TemporaryFolder folder;
    struct Keeper final : Sink {
      std::vector<Frame> frames;
      void begin(const Simulation&) override {}
      void take(const Frame& frame, const Measures&) override { frames.push_back(frame); }
      void end(const RunReport&) override {}
    } kept;
    Scene scene = full_scene();
    scene.time.mode = mode;
    Simulation simulation = open_fake(scene);
    simulation.set_input("gravity", 0.5);
    Hand hand;
    hand.rod = 0, hand.material = 0.3, hand.stiffness = 2, hand.pose.position = Vec3(0, 0, 1);
    simulation.set_input("hand.3", hand);
    RunFolder run(folder / "a");
    Sink* sinks[] = {&run, &kept};
    simulate(simulation, sinks);
    const Trajectory t = read_trajectory(folder / "a" / "run.h5");
    ASSERT_EQ(t.frames.size(), kept.frames.size());
    for (std::size_t k = 0; k < t.frames.size(); ++k) EXPECT_TRUE(same_frame(t.frames[k], kept.frames[k])) << k;
    const Frame& first = t.frames[0];
    const Frame& last = t.frames.back();
    EXPECT_EQ(last.reactions.at(0).moment, Vec3(4, 5, 6));
    EXPECT_EQ(first.load_factor, mode == Mode::statics ? 0 : 1);
    EXPECT_EQ(last.load_factor, 1);
    EXPECT_EQ(last.gravity, 0.5 * model_of(simulation).gravity);
    EXPECT_NEAR(last.obstacles.at(0).position.z(), -0.5, 1e-12);
    EXPECT_EQ(last.pulls.back().hand, 3);
    EXPECT_EQ(last.pulls.back().from, Vec3(0, 0, 1));
    if (mode == Mode::dynamics) {
      EXPECT_EQ(first.pulls.size(), 1u);
      EXPECT_EQ(t.frames[1].pulls.size(), 2u);
      EXPECT_EQ(last.pulls.size(), 1u);
      EXPECT_EQ(t.frames[1].pulls[0].coupling, 0);
      EXPECT_NEAR(t.frames[1].pulls[0].material, 0.6, 1e-12);
    }
  }
}

// Reads all there is; true: something was refused, or frames are missing.
bool refuses(const std::string& file, std::int64_t frames) {
  try {
    TrajectoryReader reader(file);
    Frame frame;
    Measures measures;
    for (std::int64_t k = 0; k < reader.frames(); ++k) reader.read(k, frame, measures);
    return reader.frames() < frames;
  } catch (const RecordError&) {
    return true;
  }
}

// The whole way of `view`: the reader, then the page. Refused, or a page; memory beyond the arrays is seen by valgrind, sanitizers
// and MALLOC_PERTURB_.
bool refuses_to_show(const std::string& file) {
  try {
    const fs::path path = file;
    return view::replay_page({&path, 1}).empty();
  } catch (const RecordError&) {
    return true;
  }
}

// A run of a fake method with everything in it, and a copy of its run.h5 to be changed.
struct Crafted {
  Crafted() {
    FakeMethod::trouble() = {};
    FakeMethod::trouble().contacts = true;
    Simulation simulation = open_fake(full_scene());
    RunFolder run(folder / "a");
    run.describe = describe_for_views;
    Sink* sinks[] = {&run};
    simulate(simulation, sinks);
    FakeMethod::trouble() = {};
    fresh();
    frames = TrajectoryReader(file).frames();
  }
  void fresh() const { fs::copy_file(whole, file, fs::copy_options::overwrite_existing); }
  TemporaryFolder folder;
  const std::string whole = (folder / "a" / "run.h5").string(), file = (folder / "crafted.h5").string();
  std::int64_t frames = 0;
};

SENTENCE("record",
         "attack heap_overflow_view: a crafted run.h5 whose datasets do not fit together is refused, also when its "
         "checksums are right") {
  const Crafted c;
  ASSERT_FALSE(refuses(c.file, c.frames));
  ASSERT_FALSE(refuses_to_show(c.file));
  forge_checksums(c.file);  // of values that were not changed: the same
  ASSERT_FALSE(refuses(c.file, c.frames));
  for (const Column& column : all_columns()) {
    // Every dataset cut and grown in every direction, and with shapes that have nothing to do with it.
    const std::vector<hsize_t> size = read_raw(open_to_craft(c.file).get(), column.name).size;
    std::vector<std::vector<hsize_t>> shapes{{2},       {2, 2}, {55, 2}, {11, 2, 2}, {11, 1000000, 1000000},
                                             {1, 1, 1}, {0},    {11, 0}};
    for (std::size_t i = 0; i < size.size(); ++i)
      for (const int by : {-1, 1}) {
        shapes.push_back(size);
        shapes.back()[i] += static_cast<hsize_t>(by);
      }
    for (const std::vector<hsize_t>& shape : shapes) {
      if (shape == size || shape.back() > 1000000000) continue;
      c.fresh();
      reshape(c.file, column.name, shape);
      forge_checksums(c.file);
      const bool more_rows = shape.size() == size.size() && std::equal(shape.begin() + 1, shape.end(), size.begin() + 1) &&
                             shape[0] > size[0];  // left over from a kill: they do not count
      // How many bodies and obstacles there are is said by their own datasets alone; pages compare obstacles with the description.
      const bool own_number = (column.name == std::string_view("bodies") || column.name == std::string_view("obstacles")) &&
                              shape.size() == size.size() && shape[0] == size[0] && shape[2] == size[2];
      const bool refused = refuses(c.file, c.frames);
      EXPECT_TRUE(more_rows || own_number || refused)
          << column.name << " with " << shape.size() << " dimensions of " << shape[0];
      refuses_to_show(c.file);
    }
    c.fresh();
  }
}

SENTENCE("record",
         "wild numbers of nodes, edges, bodies in a crafted run.h5 are refused, also when its checksums are right") {
  const Crafted c;
  for (const double wild : {-1.0, 1e9, 2.0, 6.0, 1e300, std::nan("")})
    for (const std::size_t place : {0, 1, 2, 3, 4, 5})
      for (const char* dataset : {"rods/spans", "counts"}) {
        if (dataset == std::string_view("rods/spans") && place == 3) continue;  // a ring or not: any number but zero is one
        c.fresh();
        overwrite(c.file, dataset, place, wild);
        forge_checksums(c.file);
        const bool refused = refuses(c.file, c.frames);
        const bool kept =
            dataset == std::string_view("counts") && (place == 3 || place == 4);  // other contacts: other frames
        EXPECT_TRUE(refused || kept) << dataset << " " << place << " " << wild;
        refuses_to_show(c.file);
      }
  for (const std::size_t place : {10, 11, 12, 13}) {  // edges, obstacles, bodies that are not there
    c.fresh();
    overwrite(c.file, "contacts/points", place, 7);
    forge_checksums(c.file);
    EXPECT_TRUE(refuses(c.file, c.frames)) << place;
  }
  c.fresh();
  overwrite(c.file, "pulls", 2, 3);
  forge_checksums(c.file);
  EXPECT_TRUE(refuses(c.file, c.frames));
  c.fresh();
  overwrite(c.file, "solver/verdict", 1, 99);
  forge_checksums(c.file);
  EXPECT_TRUE(refuses(c.file, c.frames));
}

SENTENCE("record", "every changed bit of a recorded value or text is noticed") {
  const Crafted c;
  int tried = 0;
  for (const Column& column : all_columns()) {
    c.fresh();
    RawDataset raw = read_raw(open_to_craft(c.file).get(), column.name);
    if (raw.values.empty()) continue;
    // The last bit of a value in the middle, and its sign.
    for (const std::uint64_t flip : {std::uint64_t{1}, std::uint64_t{1} << 63}) {
      c.fresh();
      double& value = raw.values[raw.values.size() / 2];
      const double before = value;
      value = column.whole_numbers ? value + 1 : std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ flip);
      write_raw(open_to_craft(c.file).get(), column.name, raw);
      value = before;
      ++tried;
      EXPECT_TRUE(refuses(c.file, c.frames)) << column.name;
      EXPECT_TRUE(refuses_to_show(c.file)) << column.name;
    }
  }
  EXPECT_GT(tried, 40);
  for (const char* text : {"scene", "description", "outcome", "rods/names", "clamp_names", "probes/names"}) {
    c.fresh();
    {
      const h5::Handle open = open_to_craft(c.file);
      const h5::Handle set(H5Dopen2(open.get(), text, H5P_DEFAULT), H5Dclose);
      const h5::Handle type(H5Dget_type(set.get()), H5Tclose);
      std::string bytes(H5Tget_size(type.get()) * h5::points_of(set.get(), c.file), '\0');
      ASSERT_GE(H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
      bytes.front() = static_cast<char>(bytes.front() ^ 1);
      ASSERT_GE(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
    }
    EXPECT_TRUE(refuses(c.file, c.frames)) << text;
  }
}

}  // namespace
}  // namespace tendril
