// A method whose nodes come and go (testing/fake_method.h): everything that takes Frames follows their counts.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "live/stage.h"
#include "measure/measure.h"
#include "model/grips.h"
#include "model/material_point.h"
#include "record/record_testing.h"
#include "run/open.h"
#include "tendril/tendril.h"
#include "tendril/view.h"
#include "testing/fake_method.h"
#include "testing/sentence.h"
#include "view/frame_bytes.h"
#include "view/replay.h"
#include "view/view_testing.h"

namespace tendril {
namespace {

struct VaryingNodes {
  VaryingNodes() {
    FakeMethod::trouble() = {};
    FakeMethod::trouble().varies = true;
  }
  ~VaryingNodes() { FakeMethod::trouble() = {}; }
};

class KeepFrames final : public Sink {
 public:
  void begin(const Simulation&) override {}
  void take(const Frame& frame, const Measures& m) override { frames.push_back(frame), measures.push_back(m); }
  void end(const RunReport&) override {}
  std::vector<Frame> frames;
  std::vector<Measures> measures;
};

// Steps of 1 ms, frames every 5 ms: two frames with five nodes, then two with six.
Scene varying_scene() {
  Scene scene = fake_scene();
  scene.time.duration = 0.3;
  scene.time.step = 1e-3;
  scene.time.frames_per_second = 200;
  scene.probes.push_back({"middle", "rod", 0.3, "", Quantity::position});
  return scene;
}

SENTENCE("run", "frames whose nodes come and go are measured: mass, length and probes do not notice") {
  const VaryingNodes guard;
  Simulation simulation = open_fake(varying_scene());
  KeepFrames kept;
  Sink* sinks[] = {&kept};
  EXPECT_EQ(simulate(simulation, sinks).outcome, Outcome::fine);
  std::vector<int> counted(7, 0);
  for (std::size_t k = 0; k < kept.frames.size(); ++k) {
    const Frame& frame = kept.frames[k];
    ++counted.at(static_cast<std::size_t>(frame.position.size()));
    EXPECT_EQ(frame.rods[0].nodes, frame.position.size());
    // Every node of the fake has the motion of its own spring: p = sum m v over the frame's own nodes.
    const Measures& m = kept.measures[k];
    const Frame& f = frame;
    Vec3 p = Vec3::Zero();
    const double line_mass = model_of(simulation).section[EdgeIndex(0)].line_mass;
    for (int e = 0; e < f.rods[0].edges; ++e) {
      const double mass = line_mass * (f.material[NodeIndex(e + 1)] - f.material[NodeIndex(e)]);
      p += 0.5 * mass * (f.velocity[NodeIndex(e)] + f.velocity[NodeIndex(e + 1)]);
    }
    EXPECT_LT((m.momentum - p).norm(), 1e-12 * (1 + p.norm())) << k;
    EXPECT_NEAR(m.energy.bending, 0, 1e-12) << k;  // the fake never turns its frames, and the rod is straight at rest
    const Vec3 tip = f.position[NodeIndex(f.position.size() - 1)];
    EXPECT_EQ(Vec3(m.probes[0].value[0], m.probes[0].value[1], m.probes[0].value[2]), tip) << k;
    const Vec3 middle(m.probes[2].value[0], m.probes[2].value[1], m.probes[2].value[2]);
    EXPECT_LT((middle - MaterialPoint(model_of(simulation), f, 0, 0.3).at_nodes(f.position)).norm(), 1e-15) << k;
  }
  EXPECT_GT(counted[5], 10);
  EXPECT_GT(counted[6], 10);
}

SENTENCE("run", "a natural curvature and twist are the same rest shape on more nodes: no energy at rest") {
  Scene scene = fake_scene();
  scene.rods[0].rest = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 0.5, 1.2};
  scene.rods[0].natural_twist = 2;
  scene.rods[0].segments = 40;
  const auto coarse = std::make_shared<const Model>(*build_model(scene));
  scene.rods[0].segments = 80;  // every second node is one of the coarse model's
  const Model fine = *build_model(scene);
  Frame frame = fine.initial;
  const double scale = coarse->rods[0].length / fine.rods[0].length;  // polygons differ by O(h^2)
  for (double& s : frame.material) s *= scale;
  const double bent = 0.5 * 1 * std::pow(1.2 / 0.6, 2) * 0.6;  // of the straightened rod
  const Energy energy = Meter(coarse).energy(frame);
  EXPECT_LT(energy.bending, 1e-5 * bent);
  EXPECT_LT(energy.twisting, 1e-5);
}

SENTENCE("run", "a run whose nodes come and go is recorded, read back, interrupted and resumed, bit for bit") {
  const VaryingNodes guard;
  TemporaryFolder folder;
  Simulation simulation = open_fake(varying_scene());
  RunFolder run(folder / "whole");
  KeepFrames kept;
  Sink* sinks[] = {&run, &kept};
  simulate(simulation, sinks);
  const Trajectory t = read_trajectory(folder / "whole" / "run.h5");
  ASSERT_EQ(t.frames.size(), kept.frames.size());
  for (std::size_t k = 0; k < t.frames.size(); ++k) EXPECT_TRUE(same_frame(t.frames[k], kept.frames[k])) << k;
  {
    Simulation cut = open_fake(varying_scene());
    RunFolder half(folder / "cut");
    Sink* into[] = {&half};
    int asked = 0;
    simulate(cut, into, [&asked] { return ++asked == 8; });  // after 112 steps: a node has come eleven times or gone
    EXPECT_EQ(cut.frame().position.size(), 6);
  }
  Simulation resumed = open_fake(varying_scene());
  const auto rest = RunFolder::resume(folder / "cut", resumed);
  Sink* into[] = {rest.get()};
  simulate(resumed, into);
  expect_same_runs(folder / "whole", folder / "cut");
}

SENTENCE("run", "a step is taken back and halved also where a node came in between") {
  const VaryingNodes guard;
  Scene scene = varying_scene();
  scene.time.frames_per_second = 40;  // a state is kept at every 25th step: before the node of step 10 came
  FakeMethod::trouble().largest_step = 0.6e-3, FakeMethod::trouble().from = 0.0125, FakeMethod::trouble().until = 0.0135;
  Simulation simulation = open_fake(scene);
  KeepFrames kept;
  Sink* sinks[] = {&kept};
  const RunReport report = simulate(simulation, sinks);
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_EQ(report.retries, 1);
  for (const Frame& frame : kept.frames) EXPECT_EQ(frame.rods[0].nodes, frame.position.size());
}

SENTENCE(
    "view",
    "a replay's frames have the nodes of each frame, with their own arc lengths where these are not the description's") {
  const VaryingNodes guard;
  TemporaryFolder folder;
  Simulation simulation = open_fake(varying_scene());
  RunFolder run(folder / "varying");
  run.describe = describe_for_views;
  KeepFrames kept;
  Sink* sinks[] = {&run, &kept};
  simulate(simulation, sinks);
  const view::FrameWriter writer(simulation);
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < kept.frames.size(); ++k) {
    writer.write(kept.frames[k], kept.measures[k], {}, bytes);
    const FrameRead f = read_frame_bytes(bytes);
    const bool more = kept.frames[k].position.size() == 6;
    EXPECT_EQ(f.spans, (std::vector<std::uint32_t>{more ? 6u : 5u, more ? 5u : 4u}));
    EXPECT_EQ(f.material.size(), more ? 6u : 0u);
    EXPECT_EQ(f.counts[8], more ? 1u : 0u);
  }
  const std::filesystem::path path = folder / "varying";
  const std::string page = view::replay_page({&path, 1});
  EXPECT_NE(page.find("\"recorded\":61"), std::string::npos);
}

// The browser test of such runs (web/tests/replay_test.mjs) runs this sentence with TENDRIL_VARYING_RUN, the folder it opens then.
SENTENCE("view",
         "a run whose nodes come and go is recorded, interrupted, resumed and has a page that says how many there are") {
  const VaryingNodes guard;
  TemporaryFolder temporary;
  const char* wanted = std::getenv("TENDRIL_VARYING_RUN");
  const std::filesystem::path folder = wanted ? std::filesystem::path(wanted) : temporary / "varying";
  {
    Simulation cut = open_fake(varying_scene());
    RunFolder half(folder);
    half.describe = describe_for_views;
    Sink* into[] = {&half};
    int asked = 0;
    simulate(cut, into, [&asked] { return ++asked == 8; });  // after 112 steps
    EXPECT_EQ(cut.frame().position.size(), 6);
  }
  Simulation resumed = open_fake(varying_scene());
  const auto rest = RunFolder::resume(folder, resumed);
  rest->describe = describe_for_views;
  Sink* into[] = {rest.get()};
  EXPECT_EQ(simulate(resumed, into).outcome, Outcome::fine);
  view::write_replay_page({&folder, 1}, folder / "index.html");
  const std::string page = read_text_file(folder / "index.html");
  EXPECT_NE(page.find("\"recorded\":61"), std::string::npos);
  EXPECT_NE(page.find("\"nodes\":5"), std::string::npos);  // of the description: those of the model
}

// A rope that a winch of `cable` pays out and reels in: cuts, then merges.
Scene winch_scene() {
  Scene scene = fake_scene();
  scene.method = "cable";
  scene.time.duration = 1, scene.time.step = 1.0 / 240, scene.time.frames_per_second = 60;
  scene.clamps[0].hold = {Hold::position};
  Winch winch;
  winch.name = "drum", winch.rod = "rod", winch.stored = 2, winch.shortest = 0.2;
  winch.speed.keys = {{0, 0}, {0.1, 1.5}, {0.5, 1.5}, {0.6, -1.5}, {1, -1.5}};
  scene.winches.push_back(winch);
  return scene;
}

SENTENCE("run", "a winch's run is recorded, interrupted and resumed, bit for bit") {
  TemporaryFolder folder;
  KeepFrames kept;
  {
    Checked<Simulation> whole = Simulation::open(winch_scene());
    ASSERT_TRUE(whole) << to_text(whole.problems());
    RunFolder run(folder / "whole");
    Sink* sinks[] = {&run, &kept};
    EXPECT_EQ(simulate(*whole, sinks).outcome, Outcome::fine);
  }
  int most = 0, least = 100;
  for (const Frame& frame : kept.frames)
    most = std::max(most, frame.rods[0].edges), least = std::min(least, frame.rods[0].edges);
  EXPECT_GE(most, 6);
  EXPECT_LE(least, 4);
  const Trajectory t = read_trajectory(folder / "whole" / "run.h5");
  ASSERT_EQ(t.frames.size(), kept.frames.size());
  for (std::size_t k = 0; k < t.frames.size(); ++k) EXPECT_TRUE(same_frame(t.frames[k], kept.frames[k])) << k;
  {
    Checked<Simulation> cut = Simulation::open(winch_scene());
    RunFolder half(folder / "cut");
    Sink* into[] = {&half};
    int asked = 0;
    simulate(*cut, into, [&asked] { return ++asked == 2; });
    EXPECT_LT(cut->time(), 1);
  }
  Checked<Simulation> resumed = Simulation::open(winch_scene());
  const auto rest = RunFolder::resume(folder / "cut", *resumed);
  Sink* into[] = {rest.get()};
  simulate(*resumed, into);
  expect_same_runs(folder / "whole", folder / "cut");
}

SENTENCE("run", "a winch that would reel in what a clamp holds inside its rod is refused, and so is one with contact") {
  Scene scene = winch_scene();
  Clamp inside = scene.clamps[0];
  inside.name = "inside", inside.at = 0.5;
  scene.clamps.push_back(inside);
  const std::string refused = to_text(check(scene));
  EXPECT_NE(refused.find("winch[0].shortest"), std::string::npos) << refused;
  EXPECT_NE(refused.find("clamp inside"), std::string::npos) << refused;
  scene.winches[0].shortest = 0.8;
  EXPECT_FALSE(has_errors(check(scene))) << to_text(check(scene));
  scene.contact.enabled = true;
  EXPECT_TRUE(has_errors(check(scene)));
}

SENTENCE("run", "a winch follows its input, and a hand may hold rope that came from the drum") {
  Scene scene = winch_scene();
  scene.winches[0].speed.keys.clear();
  scene.time.duration = 3;
  Checked<Simulation> opened = Simulation::open(scene);
  ASSERT_TRUE(opened) << to_text(opened.problems());
  Simulation& simulation = *opened;
  const std::vector<std::string> names = simulation.input_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "winch.drum.speed"), 1);
  simulation.set_input("winch.drum.speed", 1.0);
  while (simulation.time() < 1) simulation.advance();
  const Frame& frame = simulation.frame();
  EXPECT_NEAR(frame.material[NodeIndex(0)], -1, 0.05);
  EXPECT_GT(frame.rods[0].nodes, 6);
  simulation.set_input("winch.drum.speed", 0.0);
  Hand hand = suggested_hand(model_of(simulation), 0, -0.5);
  EXPECT_EQ(hand.material, -0.5);
  hand.pose.position = MaterialPoint(model_of(simulation), frame, 0, -0.5).at_nodes(frame.position) + Vec3(0, 0.2, 0);
  simulation.set_input("hand.1", hand);
  while (simulation.time() < 2) simulation.advance();
  EXPECT_GT(MaterialPoint(model_of(simulation), simulation.frame(), 0, -0.5).at_nodes(simulation.frame().position).y(),
            0.05);
  hand.material = -2.5;
  EXPECT_THROW(simulation.set_input("hand.1", hand), Misuse);
}

SENTENCE("live", "a hand takes hold of the material point it asked for, whatever nodes there are") {
  const VaryingNodes guard;
  Scene scene = varying_scene();
  scene.time.step = 1e-3;
  Stage stage(open_fake(scene));
  for (int i = 0; i < 15; ++i) stage.advance(1);
  const Simulation& simulation = stage.simulation();
  ASSERT_EQ(simulation.frame().position.size(), 6);
  for (const double s : {0.05, 0.3, 0.45, 0.8, 1.0}) {
    const Vec3 there = MaterialPoint(model_of(simulation), simulation.frame(), 0, s).at_nodes(simulation.frame().position);
    Grab grab;
    grab.hand = 1, grab.rod = 0, grab.material = s, grab.position = there;
    EXPECT_EQ(stage.grab(1, grab), "");
    EXPECT_LT((simulation.live().hands.begin()->pose.position - there).norm(), 1e-12) << s;
    stage.release(1, 1);
  }
}

}  // namespace
}  // namespace tendril
