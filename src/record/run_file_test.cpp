// run.h5 itself: everything a frame holds reads back, and a crafted file is refused.
#include <cmath>

#include "record/columns.h"
#include "record/h5.h"
#include "record/record_testing.h"
#include "run/open.h"
#include "testing/fake_method.h"
#include "testing/sentence.h"

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

// The dataset as it was, with other sizes; what does not fit is zero.
void reshape(const std::string& file, const char* dataset, const std::vector<hsize_t>& size) {
  const h5::Handle open(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  ASSERT_GE(H5Ldelete(open.get(), dataset, H5P_DEFAULT), 0) << dataset;
  const h5::Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
  const h5::Handle set(H5Dcreate2(open.get(), dataset, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  ASSERT_GE(set.get(), 0);
}
void overwrite(const std::string& file, const char* dataset, std::size_t place, double value) {
  const h5::Handle open(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  const h5::Handle set(H5Dopen2(open.get(), dataset, H5P_DEFAULT), H5Dclose);
  std::vector<double> all(h5::points_of(set.get(), file));
  ASSERT_GE(H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), 0);
  all.at(place) = value;
  ASSERT_GE(H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), 0);
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

SENTENCE("record", "a crafted run.h5 whose datasets do not fit together is refused") {
  FakeMethod::trouble() = {};
  FakeMethod::trouble().contacts = true;
  TemporaryFolder folder;
  {
    Simulation simulation = open_fake(full_scene());
    RunFolder run(folder / "a");
    Sink* sinks[] = {&run};
    simulate(simulation, sinks);
  }
  FakeMethod::trouble() = {};
  const std::string whole = (folder / "a" / "run.h5").string(), file = (folder / "crafted.h5").string();
  const auto fresh = [&] { fs::copy_file(whole, file, fs::copy_options::overwrite_existing); };
  fresh();
  const std::int64_t frames = TrajectoryReader(file).frames();
  ASSERT_FALSE(refuses(file, frames));
  for (const Column& column : all_columns()) {
    for (const std::vector<hsize_t>& size : std::vector<std::vector<hsize_t>>{
             {2}, {2, 2}, {55, 2}, {11, 2, 2}, {11, 1000000, 1000000}, {1, 1, 1}, {0}, {11, 0}}) {
      fresh();
      reshape(file, column.name, size);
      EXPECT_TRUE(refuses(file, frames)) << column.name << " with " << size.size() << " dimensions of " << size[0];
    }
  }
  for (const double wild : {-1.0, 1e9, 2.0, 6.0, 1e300, std::nan("")})
    for (const std::size_t place : {0, 1, 2, 3, 4, 5})
      for (const char* dataset : {"rods/spans", "counts"}) {
        if (dataset == std::string_view("rods/spans") && place == 3) continue;  // a ring or not: any number but zero is one
        fresh();
        overwrite(file, dataset, place, wild);
        const bool refused = refuses(file, frames);
        const bool kept =
            dataset == std::string_view("counts") && (place == 3 || place == 4);  // other contacts: other frames
        EXPECT_TRUE(refused || kept) << dataset << " " << place << " " << wild;
      }
  for (const std::size_t place : {10, 11, 12, 13}) {  // edges, obstacles, bodies that are not there
    fresh();
    overwrite(file, "contacts/points", place, 7);
    EXPECT_TRUE(refuses(file, frames)) << place;
  }
  fresh();
  overwrite(file, "pulls", 2, 3);
  EXPECT_TRUE(refuses(file, frames));
}

}  // namespace
}  // namespace tendril
