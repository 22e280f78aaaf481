#include <algorithm>
#include <cmath>

#include "run/open.h"
#include "testing/allocation_count.h"
#include "testing/fake_method.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

class Collect final : public Sink {
 public:
  void begin(const Simulation&) override { ++begins; }
  void take(const Frame& frame, const Measures& m) override { frames.push_back(frame), measures.push_back(m); }
  void tick(const Simulation&) override { ++ticks; }
  void end(const RunReport&) override { ++ends; }
  int begins = 0, ticks = 0, ends = 0;
  std::vector<Frame> frames;
  std::vector<Measures> measures;
};

std::vector<std::byte> state_of(const Simulation& simulation) {
  // Wall-clock time is the one thing that two equal runs do not share; it is cut out by comparing frames instead.
  std::vector<std::byte> bytes;
  StateWriter writer;
  Frame f = simulation.frame();
  writer(f.time, f.step, f.position, f.velocity);
  bytes.assign(writer.buffer().begin(), writer.buffer().end());
  return bytes;
}
struct NoTrouble {
  NoTrouble() { FakeMethod::trouble() = {}; }
  ~NoTrouble() { FakeMethod::trouble() = {}; }
};

SENTENCE("run", "frames stand exactly at k over frames per second and at the end, in equal steps") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.time.duration = 0.51;
  scene.time.step = 0.004;
  FakeMethod::trouble().sizes.reserve(100000);
  Simulation simulation = open_fake(scene);
  Collect collect;
  Sink* sinks[] = {&collect};
  const RunReport report = simulate(simulation, sinks);
  EXPECT_EQ(report.outcome, Outcome::fine);
  ASSERT_EQ(collect.frames.size(), 22u);
  for (std::size_t k = 0; k + 1 < collect.frames.size(); ++k)
    EXPECT_EQ(collect.frames[k].time, static_cast<double>(k) / 40.0);
  EXPECT_EQ(collect.frames.back().time, 0.51);
  EXPECT_EQ(report.steps, 20 * 7 + 3);
  const auto& sizes = FakeMethod::trouble().sizes;
  for (std::size_t i = 0; i < 140; ++i) EXPECT_EQ(sizes[i], 0.025 / 7);
  EXPECT_EQ(collect.begins, 1);
  EXPECT_EQ(collect.ends, 1);
  EXPECT_EQ(collect.frames.back().step, report.steps);
}

SENTENCE("run", "step = auto takes the advised step, a step above the stable one is refused unless the scene allows it") {
  NoTrouble guard;
  Scene scene = fake_scene();
  EXPECT_EQ(open_fake(scene).step_size(), 0.004);
  scene.time.step = 0.02;
  const Checked<Simulation> refused = open_with(scene, fake_method());
  EXPECT_FALSE(refused);
  EXPECT_NE(to_text(refused.problems())
                .find("time.step: got 0.02 s, stable up to 0.01 s (the springs); take 0.004 or \"auto\"; "
                      "allow_unstable = true"),
            std::string::npos)
      << to_text(refused.problems());
  scene.time.allow_unstable = true;
  const Checked<Simulation> warned = open_with(scene, fake_method());
  ASSERT_TRUE(warned);
  ASSERT_EQ(warned.problems().size(), 1u);
  EXPECT_EQ(warned.problems()[0].severity, Severity::warning);
  EXPECT_EQ(warned.problems()[0].field, "time.step");
}

SENTENCE("run", "a step that fails is taken again with half the step, later steps grow back") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.time.step = 0.025 / 4;
  FakeMethod::trouble().largest_step = 0.025 / 16;
  FakeMethod::trouble().from = 0.1, FakeMethod::trouble().until = 0.15;
  Simulation simulation = open_fake(scene);
  const RunReport report = simulate(simulation, {});
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_EQ(report.time, 0.5);
  EXPECT_GE(report.retries, 2);
  // 18 intervals of 4, 2 of 16, and the intervals in which the step grows back.
  EXPECT_GE(report.steps, 18 * 4 + 2 * 16);
  EXPECT_LE(report.steps, 16 * 4 + 4 * 16);
}

SENTENCE("run", "a run that needed more than a few retries ends as suspect and says why") {
  NoTrouble guard;
  // Fails below 6 ms in four of its twenty intervals, each time after the step has grown back.
  Scene scene = fake_scene();
  scene.time.step = 0.025 / 4;
  FakeMethod::trouble().largest_step = 0.025 / 8;
  FakeMethod::trouble().from = 0.1, FakeMethod::trouble().until = 0.3;
  Simulation simulation = open_fake(scene);
  const RunReport report = simulate(simulation, {});
  EXPECT_GT(report.retries, 3);
  EXPECT_EQ(report.time, 0.5);
  EXPECT_TRUE(simulation.finished());
  EXPECT_EQ(report.outcome, Outcome::suspect);
  EXPECT_EQ(std::string(to_text(report.outcome)), "suspect");
  EXPECT_NE(report.message.find("steps failed and were taken again"), std::string::npos) << report.message;
}

SENTENCE("run", "after eight halvings a run stops, keeps the last good frame and says what to change") {
  for (const bool silent : {false, true}) {
    NoTrouble guard;
    Scene scene = fake_scene();
    FakeMethod::trouble().largest_step = 1e-9;
    FakeMethod::trouble().from = 0.2;
    FakeMethod::trouble().silent = silent;
    Simulation simulation = open_fake(scene);
    Collect collect;
    Sink* sinks[] = {&collect};
    const RunReport report = simulate(simulation, sinks);
    EXPECT_EQ(report.outcome, Outcome::diverged);
    EXPECT_EQ(report.retries, 8);
    EXPECT_LE(report.time, 0.2);
    EXPECT_GT(report.time, 0.17);
    EXPECT_TRUE(simulation.finished());
    for (const Vec3& p : simulation.frame().position) EXPECT_TRUE(p.allFinite());
    for (const Frame& f : collect.frames)
      for (const Vec3& p : f.position) EXPECT_TRUE(p.allFinite());
    EXPECT_NE(report.message.find("halved 8 times"), std::string::npos) << report.message;
    EXPECT_NE(report.message.find("smaller time.step"), std::string::npos) << report.message;
    EXPECT_EQ(collect.ends, 1);
  }
}

SENTENCE("run", "energies beyond any number are a failure, not a result") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.loads = {GravityLoad{Vec3(0, 0, -1e200)}};
  Simulation simulation = open_fake(scene);
  const RunReport report = simulate(simulation, {});
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_TRUE(std::isfinite(report.last.energy.total()));
  EXPECT_NE(report.message.find("look at the size of loads"), std::string::npos) << report.message;
}

SENTENCE("run", "a fork goes on with the same bits as the original") {
  NoTrouble guard;
  Simulation a = open_fake(fake_scene());
  for (int i = 0; i < 33; ++i) a.advance();
  Simulation b = a.fork();
  for (int i = 0; i < 50; ++i) a.advance(), b.advance();
  EXPECT_EQ(state_of(a), state_of(b));
  Simulation c = open_fake(fake_scene());
  for (int i = 0; i < 83; ++i) c.advance();
  EXPECT_EQ(state_of(a), state_of(c));
}

SENTENCE("run", "a saved run that fails later falls back to the same place as one that was never saved") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.time.frames_per_second = 2;
  scene.time.step = 0.001;
  FakeMethod::trouble().largest_step = 0.0004;
  FakeMethod::trouble().from = 0.123;
  Simulation a = open_fake(scene);
  for (int i = 0; i < 100; ++i) a.advance();
  Simulation b = a.fork();  // in the middle of the steps that a retry takes back
  const RunReport ra = simulate(a, {}), rb = simulate(b, {});
  EXPECT_EQ(state_of(a), state_of(b));
  EXPECT_EQ(ra.steps, rb.steps);
  EXPECT_GT(ra.retries, 0);
  EXPECT_EQ(ra.retries, rb.retries);
}

SENTENCE("run", "inputs reach the method, are saved, and end what a retry takes back") {
  NoTrouble guard;
  Simulation a = open_fake(fake_scene());
  std::ignore = a.advance();
  a.set_input("gravity", 0.5);
  a.set_input("clamp.wall.turn", 2.0);
  a.set_input("clamp.wall.move", Vec3(0, 0, 0.1));
  Simulation b = a.fork();
  simulate(a, {}), simulate(b, {});
  EXPECT_EQ(state_of(a), state_of(b));
  Simulation plain = open_fake(fake_scene());
  simulate(plain, {});
  EXPECT_NE(state_of(a), state_of(plain));
  EXPECT_EQ(a.input_names(), (std::vector<std::string>{"gravity", "clamp.wall.turn", "clamp.wall.move"}));
  EXPECT_THROW(a.set_input("gravty", 1.0), Misuse);
  EXPECT_THROW(a.set_input("gravity", Vec3::Zero().eval()), Misuse);
}

SENTENCE("run", "advance_to ends exactly where it was told and leaves the recording times where they are") {
  NoTrouble guard;
  Simulation simulation = open_fake(fake_scene());
  std::ignore = simulation.advance_to(0.0333);
  EXPECT_EQ(simulation.time(), 0.0333);
  EXPECT_FALSE(simulation.at_recording_time());
  std::ignore = simulation.advance_to(0.05);
  EXPECT_EQ(simulation.time(), 0.05);
  EXPECT_TRUE(simulation.at_recording_time());
  EXPECT_EQ(simulation.recorded(), 3);
  std::ignore = simulation.advance_to(10);
  EXPECT_EQ(simulation.time(), 0.5);
  EXPECT_TRUE(simulation.finished());
  EXPECT_EQ(simulation.recorded(), 21);
}

SENTENCE("run", "a stopped run goes on where it stopped, and no frame comes twice") {
  NoTrouble guard;
  Simulation simulation = open_fake(fake_scene());
  Collect collect;
  Sink* sinks[] = {&collect};
  int asked = 0;
  simulate(simulation, sinks, [&] { return ++asked == 3; });
  EXPECT_FALSE(simulation.finished());
  const RunReport report = simulate(simulation, sinks);
  ASSERT_EQ(collect.frames.size(), 21u);
  EXPECT_EQ(report.frames, 21);
  for (std::size_t k = 1; k < 21; ++k) EXPECT_GT(collect.frames[k].time, collect.frames[k - 1].time);
}

SENTENCE("run", "a step allocates nothing") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.time.step = 1e-4;
  Simulation simulation = open_fake(scene);
  for (int i = 0; i < 300; ++i) simulation.advance();
  AllocationCount allocations;
  for (int i = 0; i < 200; ++i) simulation.advance();
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
}

SENTENCE("run", "statics ramps loads and paths from 0 to 1, clamps by at most a sixteenth of a turn") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.time.mode = Mode::statics;
  scene.clamps[0].turn.keys = {{0, 0}, {0.5, 2}};  // two turns
  Simulation simulation = open_fake(scene);
  Collect collect;
  Sink* sinks[] = {&collect};
  const RunReport report = simulate(simulation, sinks);
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_EQ(report.time, 0.5);
  EXPECT_GE(report.steps, 32);
  EXPECT_LE(report.steps, 40);
  EXPECT_EQ(collect.frames.size(), static_cast<std::size_t>(report.steps) + 1);
  EXPECT_NEAR(simulation.frame().position[NodeIndex(4)].z(), -0.0981, 1e-12);
}

SENTENCE("run", "statics halves an increment that fails, and gives up after eight halvings") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.time.mode = Mode::statics;
  FakeMethod::trouble().largest_increment = 0.1;
  {
    Simulation simulation = open_fake(scene);
    const RunReport report = simulate(simulation, {});
    EXPECT_EQ(report.outcome, Outcome::fine);
    EXPECT_GE(report.steps, 10);
    EXPECT_GT(report.retries, 0);
  }
  FakeMethod::trouble().largest_increment = 1e-9;
  Simulation simulation = open_fake(scene);
  const RunReport report = simulate(simulation, {});
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_NE(report.message.find("Newton"), std::string::npos) << report.message;
}

SENTENCE("run", "quasistatics finds an equilibrium at every recording time, the first at time 0") {
  NoTrouble guard;
  Scene scene = fake_scene();
  scene.time.mode = Mode::quasistatic;
  scene.time.frames_per_second = 4;
  scene.clamps[0].move.shape = TimetableShape::linear;
  scene.clamps[0].move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(0, 0, 0.3)}};
  Simulation simulation = open_fake(scene);
  Collect collect;
  Sink* sinks[] = {&collect};
  const RunReport report = simulate(simulation, sinks);
  EXPECT_EQ(report.outcome, Outcome::fine);
  ASSERT_EQ(collect.frames.size(), 3u);
  EXPECT_EQ(collect.frames[0].time, 0);
  EXPECT_EQ(collect.frames[1].time, 0.25);
  EXPECT_EQ(collect.frames[2].time, 0.5);
  EXPECT_NEAR(collect.frames[0].position[NodeIndex(4)].z(), -0.0981, 1e-12);
  EXPECT_GE(report.steps, 6);  // 0.3 m in pieces of 5 % of 1 m
}

// The fake method with everything that may drive an equilibrium.
const MethodEntry& fake_with_bodies() {
  static const MethodEntry entry = [] {
    MethodEntry e = fake_method();
    e.info.can.equilibrium =
        e.info.can.equilibrium.with({Feature::bodies, Feature::joints, Feature::contact, Feature::couplings});
    return e;
  }();
  return entry;
}
Scene statics_with_body(BodyKind kind) {
  Scene scene = fake_scene();
  scene.time.mode = Mode::statics;
  RigidBody body;
  body.name = "body", body.kind = kind, body.mass = 1, body.shape = SphereBody{0.1}, body.position = Vec3(0, 0, 5);
  scene.bodies.push_back(body);
  return scene;
}
int increments_of(const Scene& scene) {
  NoTrouble guard;
  Checked<Simulation> simulation = open_with(scene, fake_with_bodies());
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  EXPECT_EQ(simulate(*simulation, {}).outcome, Outcome::fine);
  return FakeMethod::trouble().relaxes;
}

SENTENCE("run", "the increments of an equilibrium are shortened by driven bodies and by moving obstacles that may touch") {
  Scene body = statics_with_body(BodyKind::driven);
  const int still = increments_of(body);
  body.bodies[0].move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(2, 0, 0)}};  // two lengths of the rod
  EXPECT_GE(increments_of(body), 40);
  EXPECT_LT(still, 10);
  Scene touching = fake_scene();
  touching.time.mode = Mode::statics;
  Obstacle wall;
  wall.name = "block", wall.shape = SphereShape{Vec3(0, 0, -5), 0.1};
  wall.move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(0, 0, 1)}};
  touching.obstacles.push_back(wall);
  EXPECT_EQ(increments_of(touching), still);  // nothing touches: contact is off
  touching.contact.enabled = true;
  EXPECT_GE(increments_of(touching), 20);
}

SENTENCE("run", "a hand on a body is followed in equilibrium, in increments of the shortest rod") {
  NoTrouble guard;
  Scene scene = statics_with_body(BodyKind::dynamic);
  Checked<Simulation> simulation = open_with(scene, fake_with_bodies());
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  Hand hand;
  hand.body = 0, hand.stiffness = 10, hand.pose.position = Vec3(1, 0, 5);
  simulation->set_input("hand.1", hand);
  EXPECT_EQ(simulate(*simulation, {}).outcome, Outcome::fine);
  EXPECT_EQ(simulation->live().hands.count, 1);
  EXPECT_GE(FakeMethod::trouble().relaxes, 20);  // one length of the rod, from where the body is
  hand.angular_stiffness = 1;
  EXPECT_THROW(simulation->set_input("hand.1", hand), Misuse);  // it claims no hands that turn bodies
}

}  // namespace
}  // namespace tendril
