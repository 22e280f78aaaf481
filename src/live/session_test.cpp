#include "live/session.h"

#include <atomic>
#include <filesystem>
#include <fstream>

#include "live/session_testing.h"
#include "tendril/record.h"
#include "testing/free_machine.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

SENTENCE("session", "a live simulation keeps pace with the wall clock, at any speed, and goes on beyond its duration") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  for (const double speed : {1.0, 0.25, 8.0}) {
    double pace = 0, achieved = 0;
    EXPECT_TRUE(holds_undisturbed([&] {
      answered_in(session, OpenScene{"fake", {}, {}});
      answered_in(session, SetSpeed{speed});
      const double t = time_of(session.latest());
      const TestClock::time_point start = TestClock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(800));
      pace = (time_of(session.latest()) - t) / (speed * seconds_since(start));
      achieved = session.latest().status->achieved / speed;
      return std::abs(pace - 1) < 0.1 && std::abs(achieved - 1) < 0.1 && !session.latest().status->slow;
    })) << "at speed "
        << speed << ": " << pace << " and " << achieved << " of it";
    EXPECT_FALSE(session.latest().status->finished);
  }
  EXPECT_GT(time_of(session.latest()), 2 * fake_scene().time.duration);
  answered_in(session, SetSpeed{1e6});
  EXPECT_EQ(session.latest().status->speed, 8);
}

SENTENCE("session", "a scene starts at 0, pauses, takes single steps, plays and starts again") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  EXPECT_EQ(session.latest().frame, nullptr);
  EXPECT_FALSE(session.latest().status->open);
  answered_in(session, OpenScene{"fake", {}, {}});
  EXPECT_TRUE(session.latest().status->open);
  EXPECT_TRUE(wait_until([&] { return step_of(session.latest()) > 10; }));
  answered_in(session, Pause{});
  EXPECT_TRUE(session.latest().status->paused);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double step = step_of(session.latest());
  const std::uint64_t frame = session.latest().frame_number;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(step_of(session.latest()), step);
  EXPECT_EQ(session.latest().frame_number, frame) << "nothing is published while nothing changes";
  answered_in(session, SingleStep{});
  EXPECT_EQ(step_of(session.latest()), step + 1);
  EXPECT_TRUE(session.latest().status->paused);
  answered_in(session, Play{});
  EXPECT_TRUE(wait_until([&] { return step_of(session.latest()) > step + 10; }));
  answered_in(session, Pause{});
  const std::uint32_t generation = session.latest().status->generation;
  answered_in(session, Restart{});
  EXPECT_EQ(step_of(session.latest()), 0);
  EXPECT_EQ(session.latest().status->generation, generation + 1);
  EXPECT_TRUE(session.latest().status->paused);
  answered_in(session, CloseScene{});
  EXPECT_EQ(session.latest().description, nullptr);
  EXPECT_EQ(session.latest().frame, nullptr);
  for (const Order& order : std::vector<Order>{Play{}, SingleStep{}, Restart{}, Record{true}, Record{false}, Grab{1, 0}})
    EXPECT_TRUE(holds_undisturbed([&] { return answered_in(session, order) < 1; })) << "no scene is open: nothing happens";
}

SENTENCE("session", "a step can be chosen with the scene, and auto takes the advised one") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  const auto step_size = [&] {
    answered_in(session, Restart{});
    answered_in(session, SingleStep{});
    return time_of(session.latest());
  };
  answered_in(session, Pause{});
  answered_in(session, OpenScene{"fake", {}, 0.025 / 40});
  answered_in(session, Pause{});
  EXPECT_DOUBLE_EQ(step_size(), 0.025 / 40);
  answered_in(session, OpenScene{"fake", {}, 0.0});
  answered_in(session, Pause{});
  EXPECT_DOUBLE_EQ(step_size(), 0.025 / 7);
}

SENTENCE("session", "a scene with problems leaves the old one running, and who asked is told") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  for (const char* name : {"bad", "nowhere", "../../etc/passwd"}) {
    const double t = time_of(session.latest());
    answered_in(session, OpenScene{name, {}, {}}, 7);
    const std::vector<Refusal> refusals = session.take_refusals();
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_EQ(refusals[0].client, 7u);
    EXPECT_EQ(refusals[0].scene, name);
    ASSERT_FALSE(refusals[0].problems.empty());
    EXPECT_FALSE(refusals[0].problems[0].empty());
    EXPECT_TRUE(wait_until([&] { return time_of(session.latest()) > t + 0.05; }));
  }
  EXPECT_EQ(session.latest().status->generation, 1u);
  for (int i = 0; i < 200; ++i) answered_in(session, OpenScene{"bad", {}, {}});
  EXPECT_EQ(session.take_refusals().size(), 64u);
}

SENTENCE("session", "a solver that is too slow does not pile up lag, says so, and answers within 0.2 s") {
  FakeTrouble guard;
  FakeMethod::trouble().seconds = 0.03;  // for steps of 3.6 ms
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  EXPECT_TRUE(wait_until([&] { return session.latest().status->slow; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_TRUE(session.latest().status->slow);
  EXPECT_LT(session.latest().status->achieved, 0.2);
  EXPECT_TRUE(holds_undisturbed([&] { return session.latest().status->achieved > 0.01; }));
  for (const Order& order : std::vector<Order>{SetSpeed{0.5}, SetInput{"gravity", 0.5}, Pause{}, Play{}, Restart{}, Pause{}})
    EXPECT_TRUE(holds_undisturbed([&] { return answered_in(session, order) < 0.2; }));
  FakeMethod::trouble().seconds = 0;  // paused: nobody steps
  answered_in(session, SetSpeed{1});
  const double t = time_of(session.latest());
  const TestClock::time_point start = TestClock::now();
  answered_in(session, Play{});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const double gone_on = time_of(session.latest()) - t;  // before the clock is read: a late reading only helps
  EXPECT_LT(gone_on, seconds_since(start) + 0.1) << "the lag was given up";
  EXPECT_TRUE(wait_until([&] { return !session.latest().status->slow; }));
}

SENTENCE("session", "the queue of orders is bounded, nobody waits for it, and moves replace moves") {
  FakeTrouble guard;
  FakeMethod::trouble().seconds = 0.2;
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // within a step
  const MachineWatch watch;
  int taken = 0, moved = 0;
  for (int i = 0; i < 5000; ++i) moved += session.submit({1, MoveHand{1, Vec3(i, 0, 0)}});
  for (int i = 0; i < 5000; ++i) moved += session.submit({1, SetInput{"gravity", 0.001 * i}});
  for (int i = 0; i < 5000; ++i) taken += session.submit({1, Play{}});
  EXPECT_EQ(moved, 10000);
  EXPECT_GE(taken, 200);
  EXPECT_LE(taken, 600);
  EXPECT_TRUE(watch.in_time(1)) << watch.seconds();
}

SENTENCE("session", "a step above the stable one is refused, and steps that fail show as suspect") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, 0.02});  // stable up to 0.01 s
  EXPECT_FALSE(session.latest().status->open);
  const std::vector<Refusal> refusals = session.take_refusals();
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_NE(refusals[0].problems.at(0).find("stable up to 0.01 s"), std::string::npos);
  FakeMethod::trouble().largest_step = 0.001;  // the advised one is 0.004 s: halved twice, again and again
  answered_in(session, OpenScene{"fake", {}, {}});
  EXPECT_TRUE(wait_until([&] { return !session.latest().status->suspect.empty(); }));
  EXPECT_GT(session.latest().status->retries, 3);
  EXPECT_FALSE(session.latest().status->failed);
}

SENTENCE("session", "a diverged simulation stays shown with its reason, and can start again") {
  FakeTrouble guard;
  FakeMethod::trouble().largest_step = 1e-9;
  FakeMethod::trouble().from = 0.1;
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  EXPECT_TRUE(wait_until([&] { return session.latest().status->failed; }));
  EXPECT_NE(session.latest().status->message.find("smaller time.step"), std::string::npos);
  EXPECT_NE(session.latest().frame, nullptr);
  EXPECT_GT(time_of(session.latest()), 0.05);
  answered_in(session, Play{});
  EXPECT_TRUE(session.latest().status->failed);
  EXPECT_FALSE(session.latest().status->message.empty());
  answered_in(session, Pause{});
  FakeMethod::trouble() = {};
  answered_in(session, Restart{});
  answered_in(session, Play{});
  EXPECT_TRUE(wait_until([&] { return time_of(session.latest()) > 0.3; }));
  EXPECT_FALSE(session.latest().status->failed);
  EXPECT_TRUE(session.latest().status->message.empty());
}

void record_a_little(Session& session) {
  const double from = time_of(session.latest());
  EXPECT_TRUE(wait_until([&] { return time_of(session.latest()) > from + 0.1; }));
}

SENTENCE("session", "a recording is a whole run folder, when stopped, at another scene and at the end") {
  FakeTrouble guard;
  const TemporaryFolder folder;
  {
    Session session({fake_source(), folder / "runs"});
    answered_in(session, OpenScene{"fake", {}, {}});
    answered_in(session, Record{true});
    const std::string first = session.latest().status->recording;
    EXPECT_EQ(first, (folder / "runs/live-fake-1").string());
    for (int i = 0; i < 3; ++i) record_a_little(session);
    answered_in(session, Record{false});
    EXPECT_TRUE(session.latest().status->recording.empty());
    EXPECT_EQ(session.latest().status->recorded, first);
    answered_in(session, Record{true});
    record_a_little(session);
    answered_in(session, OpenScene{"other", {}, {}});
    EXPECT_EQ(session.latest().status->recorded, (folder / "runs/live-fake-2").string());
    answered_in(session, Record{true});
    record_a_little(session);
  }
  for (const char* name : {"live-fake-1", "live-fake-2", "live-other-1"}) {
    const RunState state = look_at_run(folder / "runs" / name);
    EXPECT_TRUE(state.exists && state.complete) << name;
    EXPECT_GE(state.frames, 2) << name;
    EXPECT_TRUE(std::filesystem::exists(folder / "runs" / name / "summary.json")) << name;
    EXPECT_TRUE(std::filesystem::exists(folder / "runs" / name / "index.html")) << name;
  }
  const Trajectory run = read_trajectory(folder / "runs/live-fake-1/run.h5");
  for (std::size_t k = 2; k + 1 < run.frames.size(); ++k)  // the first and the last lie where the user began and ended
    EXPECT_NEAR(run.frames[k].time - run.frames[k - 1].time, 1.0 / 40, 1e-12) << "every recording time, once";
}

SENTENCE("session", "a recording made while paused holds the picture that was seen") {
  FakeTrouble guard;
  const TemporaryFolder folder;
  Session session({fake_source(), folder / "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  answered_in(session, Pause{});
  answered_in(session, SingleStep{});
  answered_in(session, Record{true});
  answered_in(session, Record{false});
  const Trajectory run = read_trajectory(folder / "runs/live-fake-1/run.h5");
  ASSERT_EQ(run.frames.size(), 1u);
  EXPECT_EQ(run.frames[0].time, time_of(session.latest()));
}

SENTENCE("session", "an exception inside a step stops the scene and is told; restarting goes on") {
  FakeTrouble guard;
  FakeMethod::trouble().throws_from = 0.2;
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  EXPECT_TRUE(wait_until([&] { return session.latest().status->paused; }));
  EXPECT_EQ(session.latest().status->message, "the fake method throws");
  FakeMethod::trouble().throws_from = forever;
  answered_in(session, Restart{});
  answered_in(session, Play{});
  EXPECT_TRUE(wait_until([&] { return time_of(session.latest()) > 0.3; }));
  EXPECT_TRUE(session.latest().status->message.empty());
}

SENTENCE("session", "time stands still while nobody looks, and goes on from there") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  EXPECT_TRUE(wait_until([&] { return time_of(session.latest()) > 0.05; }));
  session.watch(false);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const int steps = FakeMethod::trouble().steps;
  const double left = time_of(session.latest());
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(FakeMethod::trouble().steps, steps);
  session.watch(true);
  const MachineWatch watch;
  EXPECT_TRUE(wait_until([&] { return time_of(session.latest()) > left; }));
  const double gone_on = time_of(session.latest());
  EXPECT_TRUE(gone_on < left + 0.2 || watch.disturbed()) << "the time away is not made up for";
}

SENTENCE("session", "orders without end do not flood those who look") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  double rate = 0;
  EXPECT_TRUE(holds_undisturbed([&] {
    const std::uint64_t before = session.latest().frame_number;
    const TestClock::time_point start = TestClock::now();
    while (seconds_since(start) < 0.5) session.submit({1, Play{}});
    rate = static_cast<double>(session.latest().frame_number - before) / seconds_since(start);
    return rate > 20 && rate < 400;
  })) << rate
      << " in a second";
}

SENTENCE("session", "a recording that cannot be written is told, and the simulation goes on") {
  FakeTrouble guard;
  const TemporaryFolder folder;
  std::ofstream(folder / "runs") << "a file";
  Session session({fake_source(), folder / "runs"});
  answered_in(session, OpenScene{"fake", {}, {}});
  answered_in(session, Record{true});
  EXPECT_TRUE(session.latest().status->recording.empty());
  EXPECT_NE(session.latest().status->message.find("the recording has ended"), std::string::npos);
  const double t = time_of(session.latest());
  EXPECT_TRUE(wait_until([&] { return time_of(session.latest()) > t + 0.1; }));
}

SENTENCE("session", "listeners hear of every frame, about 60 in a second, and none after they are gone") {
  FakeTrouble guard;
  Session session({fake_source(), "runs"});
  std::atomic<int> heard = 0;
  session.listen([&heard] { ++heard; });
  answered_in(session, OpenScene{"fake", {}, {}});
  double rate = 0;
  EXPECT_TRUE(holds_undisturbed([&] {
    heard = 0;
    const TestClock::time_point start = TestClock::now();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    rate = heard / seconds_since(start);
    return rate > 50 && rate < 62;
  })) << rate
      << " in a second";
  session.listen({});
  heard = 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(heard, 0);
}

}  // namespace
}  // namespace tendril
