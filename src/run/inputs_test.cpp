// Live inputs: hands, the log and its replay, equilibria that follow them.
#include <cmath>
#include <random>

#include "model/grips.h"
#include "record/record_testing.h"
#include "run/open.h"
#include "testing/fake_method.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

Simulation opened(const Scene& scene) {
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  return std::move(*simulation);
}
Vec3 tip_of(const Simulation& simulation) {
  const std::vector<double>& v = simulation.measures().probes.at(0).value;
  return Vec3(v[0], v[1], v[2]);
}
std::string misuse_of(Simulation& simulation, const char* name, const InputValue& value) {
  try {
    simulation.set_input(name, value);
  } catch (const Misuse& error) {
    return error.what();
  }
  return "";
}
bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

SENTENCE("run", "hands are put into Live in the order of their ids and let go") {
  Scene scene = tiny_scene(all_methods().front());
  Simulation simulation = opened(scene);
  Hand hand = suggested_hand(model_of(simulation), 0, 0.5);
  simulation.set_input("hand.5", hand);
  simulation.set_input("hand.2", hand);
  hand.pose.position = Vec3(1, 2, 3);
  simulation.set_input("hand.5", hand);
  ASSERT_EQ(simulation.live().hands.count, 2);
  EXPECT_EQ(simulation.live().hands.begin()[0].id, 2);
  EXPECT_EQ(simulation.live().hands.begin()[1].id, 5);
  EXPECT_EQ(simulation.live().hands.begin()[1].pose.position, Vec3(1, 2, 3));
  simulation.set_input("hand.2", Hand{});
  ASSERT_EQ(simulation.live().hands.count, 1);
  EXPECT_EQ(simulation.live().hands.begin()[0].id, 5);
  simulation.set_input("hand.5", Hand{});
  simulation.set_input("hand.5", Hand{});  // letting go twice is letting go
  EXPECT_EQ(simulation.live().hands.count, 0);
}

SENTENCE("run", "joints are switched where the method can, against their times, saved and logged; others refuse by name") {
  Scene scene = fake_scene();
  scene.rods.push_back(scene.rods[0]);
  scene.rods[1].name = "other", scene.rods[1].rest = StraightCurve{Vec3(1, 0, 0), Vec3(2, 0, 0)};
  scene.joints = {{"weld", JointKind::rigid, {"rod", 1}, {"other", 0}, Vec3::UnitZ()}};
  Simulation simulation = open_fake(scene);
  const std::vector<std::string> names = simulation.input_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "joint.weld.on"), 1);
  const auto holds = [&] {
    Drive drive;
    evaluate(model_of(simulation), simulation.live(), 0.1, 1, drive);
    return drive.joints.at(0) != 0;
  };
  EXPECT_TRUE(holds());
  simulation.set_input("joint.weld.on", 0.0);
  EXPECT_FALSE(holds());
  simulation.set_input("joint.weld.on", 1.0);
  simulation.set_input("joint.weld.on", 0.0);
  ASSERT_EQ(simulation.live().joints.count, 1);
  EXPECT_EQ(simulation.advance().outcome, Outcome::fine);
  ASSERT_EQ(simulation.input_log().size(), 1u);
  EXPECT_EQ(simulation.input_log()[0].name, "joint.weld.on");
  Simulation fork = simulation.fork();
  EXPECT_EQ(fork.live().joints.count, 1);
  EXPECT_FALSE(fork.live().joints.begin()->on);
  EXPECT_TRUE(says(misuse_of(simulation, "joint.weld.on", 0.5), "takes 1 (holds) or 0 (lets go)"));
  EXPECT_TRUE(says(misuse_of(simulation, "joint.wled.on", 1.0), "joint.weld.on"));

  for (const MethodEntry& method : all_methods()) {
    if (!method.info.can.motion.has(Feature::joints) || method.info.can.any(Feature::switched_joints)) continue;
    scene.method = method.info.name;
    Simulation real = opened(scene);
    EXPECT_TRUE(says(misuse_of(real, "joint.weld.on", 0.0), "has no joints that come and go")) << method.info.name;
  }
}

SENTENCE("run", "a value on its way brings its rate, a plain one stands still; both come back from plain numbers") {
  Simulation simulation = opened(tiny_scene(all_methods().front()));
  simulation.set_input("clamp.wall.move", WithRate<Vec3>{Vec3(0.1, 0, 0), Vec3(0, 2, 0)});
  simulation.set_input("clamp.wall.turn", WithRate<double>{0.25, -1});
  ASSERT_EQ(simulation.live().paths.count, 1);
  const PathInput path = *simulation.live().paths.begin();
  EXPECT_EQ(path.move, Vec3(0.1, 0, 0));
  EXPECT_EQ(path.move_rate, Vec3(0, 2, 0));
  EXPECT_NEAR(path.turn_rate, -2 * 3.14159265358979323846, 1e-15);
  simulation.set_input("clamp.wall.move", Vec3(0.2, 0, 0));
  simulation.set_input("clamp.wall.turn", 0.5);
  EXPECT_EQ(simulation.live().paths.begin()->move_rate, Vec3::Zero());
  EXPECT_EQ(simulation.live().paths.begin()->turn_rate, 0);
  EXPECT_TRUE(says(misuse_of(simulation, "clamp.wall.turn", WithRate<double>{0, std::nan("")}), "finite"));
  EXPECT_TRUE(says(misuse_of(simulation, "clamp.wall.turn", WithRate<Vec3>{Vec3::Zero(), Vec3::Zero()}), "a number"));
  const InputValue both[] = {WithRate<double>{3, -4}, WithRate<Vec3>{Vec3(1, 2, 3), Vec3(4, 5, 6)}};
  for (const InputValue& value : both) {
    const InputValue back = input_from(value.index(), numbers_of(value));
    EXPECT_EQ(back.index(), value.index());
    EXPECT_EQ(numbers_of(back), numbers_of(value));
  }
}

SENTENCE("run", "a hand that cannot be is refused with a sentence") {
  Simulation simulation = opened(tiny_scene(all_methods().front()));
  Hand hand = suggested_hand(model_of(simulation), 0, 0.25);
  EXPECT_TRUE(says(misuse_of(simulation, "hand.9", hand), "hand.1 to hand.8"));
  EXPECT_TRUE(says(misuse_of(simulation, "hand.1", 3.0), "takes a Hand"));
  Hand wrong = hand;
  wrong.rod = 7;
  EXPECT_TRUE(says(misuse_of(simulation, "hand.1", wrong), "the scene has 1"));
  wrong = hand, wrong.material = 0.6;
  EXPECT_TRUE(says(misuse_of(simulation, "hand.1", wrong), "it is 0.5 m long"));
  wrong = hand, wrong.stiffness = -1;
  EXPECT_TRUE(says(misuse_of(simulation, "hand.1", wrong), "at least 0"));
  wrong = hand, wrong.pose.position.x() = std::nan("");
  EXPECT_TRUE(says(misuse_of(simulation, "hand.1", wrong), "finite place"));
  wrong = hand, wrong.body = 0;
  EXPECT_TRUE(says(misuse_of(simulation, "hand.1", wrong), "not both"));
  wrong.rod = -1;
  EXPECT_TRUE(says(misuse_of(simulation, "hand.1", wrong), "the scene has 0"));
  EXPECT_TRUE(says(misuse_of(simulation, "clamp.wall.move", Vec3(0, std::nan(""), 0)), "finite"));
  EXPECT_TRUE(says(misuse_of(simulation, "clamp.wal.move", Vec3(0, 0, 0)), "clamp.wall.move"));
  EXPECT_EQ(simulation.live().hands.count, 0);
  for_each_method([](const MethodEntry& method) {
    Simulation one = opened(tiny_scene(method));
    Hand held = suggested_hand(model_of(one), 0, 0.25);
    EXPECT_EQ(says(misuse_of(one, "hand.1", held), "has no couplings"), !method.info.can.any(Feature::couplings));
    held.angular_stiffness = 1;
    EXPECT_EQ(misuse_of(one, "hand.1", held).empty(), method.info.can.any(Feature::turning_couplings));
  });
}

// ---- the log -----------------------------------------------------------------------------------------------------------

// Turns a clamp, moves and lets go hands, changes gravity, every few steps. Under a hand der takes the fast projection, whose energy
// is only of first order: small jerks and a small step keep the run fine.
class Fumbler {
 public:
  explicit Fumbler(unsigned seed) : random_(seed) {}
  void maybe(Simulation& simulation) {
    std::uniform_real_distribution<double> number(-1, 1);
    const double what = number(random_);
    if (what < 0.3) return;
    if (what < 0.5) return simulation.set_input("gravity", 0.5 + 0.5 * number(random_));
    if (what < 0.6)
      return simulation.set_input("clamp.wall.turn", WithRate<double>{0.02 * number(random_), number(random_)});
    if (!model_of(simulation).rods.empty() && can_hold(simulation)) {
      if (what < 0.7) return simulation.set_input("hand.3", Hand{});
      Hand hand = suggested_hand(model_of(simulation), 0, what < 0.9 ? 0.5 : 0.31);
      hand.pose.position += 0.02 * Vec3(number(random_), number(random_), number(random_));
      simulation.set_input(what < 0.8 ? "hand.3" : "hand.1", hand);
    }
  }

 private:
  static bool can_hold(const Simulation& simulation) {
    const MethodEntry* method = find_method(simulation.scene().method);
    return method != nullptr && method->info.can.any(Feature::couplings);
  }
  std::mt19937 random_;
};

// Lets a hand fumble before every few steps, as a live view does, and records.
class Fumbled final : public Sink {
 public:
  Fumbled(Simulation& simulation, unsigned seed) : simulation_(simulation), fumbler_(seed) {}
  void begin(const Simulation&) override {}
  void take(const Frame&, const Measures&) override {}
  void tick(const Simulation&) override { fumbler_.maybe(simulation_); }
  void end(const RunReport&) override {}

 private:
  Simulation& simulation_;
  Fumbler fumbler_;
};

void expect_rerun_and_resume(const Scene& scene) {
  TemporaryFolder folder;
  {
    Simulation live = opened(scene);
    live.set_input("gravity", 0.9);  // before the first frame
    RunFolder run(folder / "live");
    Fumbled fumbled(live, 5);
    Sink* sinks[] = {&run, &fumbled};
    EXPECT_EQ(simulate(live, sinks).outcome, Outcome::fine);
    EXPECT_GT(live.inputs_taken(), 5);
  }
  const RecordedInputs recorded = read_inputs(folder / "live");
  EXPECT_EQ(recorded.end, scene.time.duration);
  const auto replayed = [&] {
    Simulation again = opened(scene);
    again.replay(recorded.inputs);
    again.go_on_until(recorded.end);
    return again;
  };
  {
    Simulation again = replayed();
    RunFolder run(folder / "again");
    Sink* sinks[] = {&run};
    simulate(again, sinks);
  }
  expect_same_runs(folder / "live", folder / "again");
  {
    Simulation cut = replayed();
    RunFolder run(folder / "cut");
    Sink* sinks[] = {&run};
    int asked = 0;
    simulate(cut, sinks, [&asked] { return ++asked == 4; });
  }
  Simulation resumed = replayed();
  const auto run = RunFolder::resume(folder / "cut", resumed);
  Sink* sinks[] = {run.get()};
  simulate(resumed, sinks);
  expect_same_runs(folder / "live", folder / "cut");
  const RecordedInputs a = read_inputs(folder / "live"), b = read_inputs(folder / "cut"), c = read_inputs(folder / "again");
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  ASSERT_EQ(a.inputs.size(), c.inputs.size());
  for (std::size_t i = 0; i < a.inputs.size(); ++i)
    for (const RecordedInputs* other : {&b, &c}) {
      EXPECT_EQ(a.inputs[i].step, other->inputs[i].step);
      EXPECT_EQ(a.inputs[i].name, other->inputs[i].name);
      EXPECT_EQ(numbers_of(a.inputs[i].value), numbers_of(other->inputs[i].value));
    }
}

SENTENCE("run",
         "of every method a run with inputs at random steps, rerun from its log, is the same in every bit, resumed too") {
  for_each_method([](const MethodEntry& method) {
    Scene scene = tiny_scene(method);
    scene.time.duration = 0.3;
    if (method.info.can.moves()) scene.time.step = 5e-5;
    expect_rerun_and_resume(scene);
    if (!method.info.can.relaxes()) return;
    scene.time.mode = Mode::quasistatic;
    expect_rerun_and_resume(scene);
  });
}

SENTENCE("run", "inputs after a failed step are replayed after it, not where the step number stood before") {
  FakeMethod::trouble() = {};
  Scene scene = fake_scene();
  FakeMethod::trouble().largest_step = 0.003, FakeMethod::trouble().from = 0.1, FakeMethod::trouble().until = 0.3;
  Simulation live = open_fake(scene);
  int steps = 0;
  while (!live.finished()) {
    if (++steps % 7 == 0) live.set_input("gravity", 1 + 0.01 * steps);
    std::ignore = live.advance();
  }
  EXPECT_GT(live.report().retries, 0);
  Simulation again = open_fake(scene);
  again.replay({live.input_log().begin(), live.input_log().end()});
  while (!again.finished()) again.advance();
  EXPECT_TRUE(same_frame(live.frame(), again.frame()));
  EXPECT_EQ(again.report().retries, live.report().retries);
  FakeMethod::trouble() = {};
}

SENTENCE("run", "a log that does not fit the scene is refused before anything moves") {
  Simulation simulation = opened(tiny_scene(all_methods().front()));
  EXPECT_THROW(simulation.replay({{3, "clamp.nobody.turn", 1.0}}), Misuse);
  EXPECT_THROW(simulation.replay({{3, "gravity", Vec3(0, 0, 1)}}), Misuse);
}

// ---- equilibria
// -------------------------------------------------------------------------------------------------------------
Scene equilibrium_of(const MethodEntry& method, Mode mode) {
  Scene scene = tiny_scene(method);
  scene.time.mode = mode;
  return scene;
}

SENTENCE("run", "equilibria follow a clamp turned by hand in increments and so keep count of the turns") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.equilibrium.has(Feature::hold_twist)) return;
    for (const Mode mode : {Mode::statics, Mode::quasistatic}) {
      Scene scene = equilibrium_of(method, mode);
      scene.loads.clear();
      Clamp other = scene.clamps[0];
      other.name = "other", other.at = 1;
      scene.clamps.push_back(other);
      scene.probes[0] = {"twist", "rod", 1, "", Quantity::total_twist};
      Simulation simulation = opened(scene);
      simulation.go_on_forever();
      for (int i = 0; i < 12; ++i) simulation.advance();
      simulation.set_input("clamp.other.turn", 0.75);  // in one jump this would be a quarter turn the other way
      for (int i = 0; i < 3; ++i) EXPECT_EQ(simulation.advance().outcome, Outcome::fine);
      const double half_edges = 7.0 / 8;  // twist counts from the middle of the first edge to that of the last
      EXPECT_NEAR(simulation.measures().probes[0].value[0], 0.75 * half_edges, 1e-6);
      EXPECT_FALSE(simulation.finished());
    }
  });
}

SENTENCE("run", "in live statics a hand drags the rod and lets it go, and time goes on in frames") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.equilibrium.has(Feature::couplings)) return;
    Simulation simulation = opened(equilibrium_of(method, Mode::statics));
    simulation.go_on_forever();
    while (simulation.time() < 0.1) simulation.advance();
    const Vec3 hanging = tip_of(simulation);
    Hand hand = suggested_hand(model_of(simulation), 0, 0.5);
    hand.pose.position = hanging + Vec3(0, 0.2, 0);
    simulation.set_input("hand.1", hand);
    const double before = simulation.time();
    std::ignore = simulation.advance();
    EXPECT_NEAR(simulation.time() - before, 0.01, 1e-12);
    EXPECT_TRUE(simulation.at_recording_time());
    EXPECT_GT(tip_of(simulation).y() - hanging.y(), 0.1);
    const Frame dragged = simulation.frame();
    const std::int64_t steps = simulation.report().steps;
    std::ignore = simulation.advance();  // nothing changed
    EXPECT_EQ(simulation.report().steps, steps + 1);
    EXPECT_EQ(simulation.frame().position.data()[8], dragged.position.data()[8]);
    simulation.set_input("hand.1", Hand{});
    std::ignore = simulation.advance();
    EXPECT_LT((tip_of(simulation) - hanging).norm(), 1e-7);
  });
}

SENTENCE("run",
         "an input that no equilibrium can follow leaves the rod where it was, and the next one is tried from there") {
  FakeMethod::trouble() = {};
  Scene scene = fake_scene();
  scene.time.mode = Mode::statics;
  Simulation simulation = open_fake(scene);
  simulation.go_on_forever();
  while (simulation.time() < scene.time.duration) simulation.advance();
  FakeMethod::trouble().largest_increment = -1;  // every increment fails
  simulation.set_input("gravity", 0.5);
  const Frame before = simulation.frame();
  const StepReport report = simulation.advance();
  EXPECT_EQ(report.outcome, Outcome::not_converged);
  EXPECT_FALSE(simulation.finished());
  EXPECT_EQ(simulation.frame().position.data()[4], before.position.data()[4]);
  EXPECT_EQ(simulation.report().outcome, Outcome::not_converged);
  EXPECT_TRUE(says(simulation.report().message, "stays where it was"));
  const int asked = FakeMethod::trouble().relaxes;
  std::ignore = simulation.advance();
  EXPECT_EQ(FakeMethod::trouble().relaxes, asked);  // not tried again until something changes
  FakeMethod::trouble().largest_increment = forever;
  simulation.set_input("gravity", 0.4);
  EXPECT_EQ(simulation.advance().outcome, Outcome::fine);
  EXPECT_NEAR(simulation.frame().position.data()[4].z(), -0.01 * 0.4 * 9.81, 1e-12);
  EXPECT_EQ(simulation.report().outcome, Outcome::fine);
  EXPECT_EQ(simulation.report().message, "");
  FakeMethod::trouble() = {};
}

}  // namespace
}  // namespace tendril
