// What every method promises: what it claims works, what it does not claim is refused, and its state is all of its state.
#include <cmath>

#include "record/record_testing.h"
#include "testing/allocation_count.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

Simulation open_or_fail(const Scene& scene) {
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  return std::move(*simulation);
}

SENTENCE("run", "every method runs what it claims to do") {
  for_each_method([](const MethodEntry& method) {
    for (const Request& request : all_requests()) {
      if (!request.claimed(method.info.can)) continue;
      SCOPED_TRACE(request.name);
      Scene scene = tiny_scene(method);
      request.ask(scene);
      Simulation simulation = open_or_fail(scene);
      const RunReport report = simulate(simulation, {});
      EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
      EXPECT_EQ(report.time, scene.time.duration);
      EXPECT_TRUE(std::isfinite(report.last.energy.total()));
      for (const double v : report.last.probes.at(0).value) EXPECT_TRUE(std::isfinite(v));
    }
  });
}

SENTENCE("run", "what a method does not claim is refused by check, naming the method") {
  for_each_method([](const MethodEntry& method) {
    for (const Request& request : all_requests()) {
      if (request.claimed(method.info.can)) continue;
      SCOPED_TRACE(request.name);
      Scene scene = tiny_scene(method);
      request.ask(scene);
      const Problems problems = check(scene);
      EXPECT_TRUE(has_errors(problems));
      EXPECT_NE(to_text(problems).find(method.info.name), std::string::npos) << to_text(problems);
      EXPECT_FALSE(Simulation::open(scene));
    }
  });
}

SENTENCE("run", "of every method a fork goes on with the same bits as a rerun") {
  for_each_method([](const MethodEntry& method) {
    for (const Request& request : all_requests()) {
      if (!request.claimed(method.info.can)) continue;
      SCOPED_TRACE(request.name);
      Scene scene = tiny_scene(method);
      request.ask(scene);
      Simulation a = open_or_fail(scene), b = open_or_fail(scene);
      for (int i = 0; i < 5; ++i) a.advance(), b.advance();
      Simulation c = a.fork();
      while (!a.finished()) a.advance();
      while (!b.finished()) b.advance();
      while (!c.finished()) c.advance();
      EXPECT_TRUE(same_frame(a.frame(), b.frame())) << "rerun";
      EXPECT_TRUE(same_frame(a.frame(), c.frame())) << "fork";
    }
  });
}

SENTENCE("run", "of every method an interrupted run, resumed from its files, equals an uninterrupted one in every bit") {
  for_each_method([](const MethodEntry& method) {
    for (const bool bodies : {false, true}) {
      if (bodies && method.info.can.bodies == Support::none) continue;
      TemporaryFolder folder;
      Scene scene = tiny_scene(method);
      scene.clamps[0].turn.keys = {{0, 0}, {0.1, 1.0 / 8}};
      for (const Request& request : all_requests())
        if (bodies && std::string_view(request.name) == "bodies") request.ask(scene);
      {
        Simulation whole = open_or_fail(scene);
        RunFolder run(folder / "whole");
        Sink* sinks[] = {&run};
        simulate(whole, sinks);
      }
      {
        Simulation cut = open_or_fail(scene);
        RunFolder run(folder / "cut");
        Sink* sinks[] = {&run};
        int asked = 0;
        simulate(cut, sinks, [&asked] { return ++asked == 2; });
      }
      EXPECT_FALSE(look_at_run(folder / "cut").complete);
      Simulation resumed = open_or_fail(scene);
      const auto run = RunFolder::resume(folder / "cut", resumed);
      Sink* sinks[] = {run.get()};
      simulate(resumed, sinks);
      expect_same_runs(folder / "whole", folder / "cut");
    }
  });
}

SENTENCE("run", "of every method a step allocates nothing") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.inertia) return;
    Scene scene = tiny_scene(method);
    scene.time.duration = 100;
    scene.time.frames_per_second = 1;
    Simulation simulation = open_or_fail(scene);
    scene.time.step = simulation.step_size() / 10;
    simulation = open_or_fail(scene);
    for (int i = 0; i < 100; ++i) simulation.advance();
    const AllocationCount allocations;
    for (int i = 0; i < 100; ++i) simulation.advance();
    const long count = allocations.count();
    EXPECT_EQ(count, 0);
  });
}

}  // namespace
}  // namespace tendril
