#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "record/files.h"
#include "record/h5.h"
#include "record/record_testing.h"
#include "testing/fake_method.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;

RunReport run_fake(const Scene& scene, const fs::path& folder, const std::function<bool()>& stop = {}) {
  Simulation simulation = open_fake(scene);
  RunFolder run(folder);
  Sink* sinks[] = {&run};
  return simulate(simulation, sinks, stop);
}
RunReport resume_fake(const Scene& scene, const fs::path& folder, const std::function<bool()>& stop = {}) {
  Simulation simulation = open_fake(scene);
  const auto run = RunFolder::resume(folder, simulation);
  Sink* sinks[] = {run.get()};
  return simulate(simulation, sinks, stop);
}
Scene long_scene() {
  Scene scene = fake_scene();
  scene.time.step = 1e-4;
  scene.time.duration = 2;
  return scene;
}

SENTENCE("record", "a run's frames, energies, scene and names read back as they were") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  const Scene scene = fake_scene();
  Simulation simulation = open_fake(scene);
  RunFolder run(folder / "a");
  Sink* sinks[] = {&run};
  simulate(simulation, sinks);
  const Trajectory t = read_trajectory(folder / "a" / "run.h5");
  EXPECT_EQ(t.method, "fake");
  EXPECT_TRUE(t.complete);
  EXPECT_EQ(t.scene, write_scene(scene));
  EXPECT_EQ(t.rod_names, std::vector<std::string>{"rod"});
  ASSERT_EQ(t.frames.size(), 21u);
  EXPECT_TRUE(same_frame(t.frames.back(), simulation.frame()));
  EXPECT_EQ(t.energies.back().total(), simulation.measures().energy.total());
  EXPECT_EQ(t.frames.back().rods.at(0).edges, 4);
}

SENTENCE("record", "the reader gives each frame, its measures and its probes, in any order") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  struct Keeper final : Sink {
    void begin(const Simulation&) override {}
    void take(const Frame& f, const Measures& m) override { frames.push_back(f), measures.push_back(m); }
    void end(const RunReport&) override {}
    std::vector<Frame> frames;
    std::vector<Measures> measures;
  } keeper;
  Scene scene = long_scene();
  scene.time.frames_per_second = 2000;  // several blocks of rows
  Simulation simulation = open_fake(scene);
  RunFolder run(folder / "a");
  Sink* sinks[] = {&run, &keeper};
  simulate(simulation, sinks);
  TrajectoryReader reader(folder / "a" / "run.h5");
  ASSERT_EQ(reader.frames(), static_cast<std::int64_t>(keeper.frames.size()));
  EXPECT_EQ(reader.outcome(), "fine");
  EXPECT_EQ(reader.message(), "");
  Frame frame, numbers;
  Measures measures, plotted;
  const auto compare = [&](std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    reader.read(k, frame, measures);
    reader.read_numbers(k, numbers, plotted);
    const Measures& wanted = keeper.measures[i];
    bool same = same_frame(frame, keeper.frames[i]) && measures.energy.total() == wanted.energy.total() &&
                same_or_none(measures.energy_error, wanted.energy_error) && measures.length_error == wanted.length_error &&
                measures.momentum == wanted.momentum && measures.angular_momentum == wanted.angular_momentum &&
                measures.probes.size() == wanted.probes.size();
    for (std::size_t p = 0; same && p < wanted.probes.size(); ++p)
      same = measures.probes[p].name == wanted.probes[p].name && measures.probes[p].value == wanted.probes[p].value &&
             plotted.probes[p].value == wanted.probes[p].value;
    return same && numbers.time == frame.time && numbers.twist == frame.twist &&
           same_or_none(plotted.energy_error, wanted.energy_error);
  };
  for (std::int64_t k = 0; k < reader.frames(); ++k) ASSERT_TRUE(compare(k)) << k;
  for (const std::int64_t k :
       {reader.frames() - 1, std::int64_t{0}, std::int64_t{1500}, std::int64_t{1023}, std::int64_t{1024}})
    EXPECT_TRUE(compare(k)) << k;
  EXPECT_THROW(reader.read(reader.frames(), frame, measures), Misuse);
  EXPECT_THROW(reader.read(-1, frame, measures), Misuse);
}

SENTENCE("record", "run.h5 says how the run ended: fine, interrupted, diverged") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  const auto outcome = [&] { return TrajectoryReader(folder / "a" / "run.h5").outcome(); };
  int asked = 0;
  run_fake(long_scene(), folder / "a", [&] { return ++asked == 200; });
  EXPECT_EQ(outcome(), "interrupted");
  resume_fake(long_scene(), folder / "a");
  EXPECT_EQ(outcome(), "fine");
  FakeMethod::trouble().largest_step = 1e-9, FakeMethod::trouble().from = 0.2;
  run_fake(fake_scene(), folder / "a");
  FakeMethod::trouble() = {};
  EXPECT_EQ(outcome(), "diverged");
  EXPECT_FALSE(TrajectoryReader(folder / "a" / "run.h5").message().empty());
}

SENTENCE("record", "contacts read back, however many a frame has, also after a run was interrupted and resumed") {
  FakeMethod::trouble() = {};
  FakeMethod::trouble().contacts = true;
  TemporaryFolder folder;
  struct Keeper final : Sink {
    std::vector<Frame> frames;
    void begin(const Simulation&) override {}
    void take(const Frame& frame, const Measures&) override { frames.push_back(frame); }
    void end(const RunReport&) override {}
  } kept;
  Simulation simulation = open_fake(long_scene());
  RunFolder run(folder / "a");
  Sink* sinks[] = {&run, &kept};
  simulate(simulation, sinks);
  TrajectoryReader reader(folder / "a" / "run.h5");
  ASSERT_EQ(reader.frames(), static_cast<std::int64_t>(kept.frames.size()));
  Frame frame;
  Measures measures;
  std::vector<int> seen(4, 0);
  for (std::size_t k = kept.frames.size(); k-- > 0;) {
    reader.read(static_cast<std::int64_t>(k), frame, measures);
    EXPECT_TRUE(same_frame(frame, kept.frames[k])) << k;
    ++seen[frame.contacts.size()];
  }
  for (const int count : seen) EXPECT_GT(count, 0);
  int asked = 0;
  run_fake(long_scene(), folder / "b", [&] { return ++asked == 9000; });
  resume_fake(long_scene(), folder / "b");
  expect_same_runs(folder / "a", folder / "b");
  FakeMethod::trouble() = {};
}

SENTENCE("record", "a run.h5 of another format is refused with a sentence") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  run_fake(fake_scene(), folder / "a");
  const std::string file = (folder / "a" / "run.h5").string();
  {
    const h5::Handle open(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    h5::write_number_attribute(open.get(), "format_version", 1, file);
  }
  try {
    TrajectoryReader reader(file);
    FAIL();
  } catch (const RecordError& error) {
    EXPECT_NE(std::string(error.what()).find("another version of tendril (format 1, this one reads 5)"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(look_at_run(folder / "a").exists);
}

SENTENCE("record", "probes.csv names its columns with units and has one row per frame") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  run_fake(fake_scene(), folder / "a");
  const std::string text = read_text_file(folder / "a" / "probes.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')), "time [s],tip.x [m],tip.y [m],tip.z [m],pull.x [N],pull.y [N],pull.z [N]");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 22);
}

SENTENCE("record", "summary.json has the promised keys and shapes") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  run_fake(fake_scene(), folder / "a");
  const auto json = nlohmann::json::parse(read_text_file(folder / "a" / "summary.json"));
  EXPECT_EQ(json.at("method"), "fake");
  EXPECT_EQ(json.at("time"), 0.5);
  EXPECT_GT(json.at("steps").get<int>(), 0);
  EXPECT_GT(json.at("wall_seconds").get<double>(), 0);
  const auto& rod = json.at("rods").at("rod");
  EXPECT_EQ(rod.at("positions").size(), 5u);
  EXPECT_EQ(rod.at("frames").size(), 4u);
  EXPECT_EQ(rod.at("frames")[0].size(), 4u);
  EXPECT_EQ(rod.at("internal_force").size(), 4u);
  EXPECT_EQ(rod.at("internal_moment").size(), 5u);
  EXPECT_TRUE(json.at("bodies").empty());
  EXPECT_EQ(json.at("probes").at("tip").at("last").size(), 3u);
  for (const char* key : {"kinetic", "bending", "twisting", "stretching", "gravity", "contact", "total", "work",
                          "dissipated", "error", "worst_error", "scale"})
    EXPECT_TRUE(json.at("energy").contains(key)) << key;
  for (const char* key : {"length_error", "penetration", "residual", "iterations"})
    EXPECT_TRUE(json.at("worst").contains(key)) << key;
}

SENTENCE("record", "an interrupted run has no summary and goes on with the same bits") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  run_fake(long_scene(), folder / "whole");
  int asked = 0;
  run_fake(long_scene(), folder / "cut", [&] { return ++asked == 200; });
  EXPECT_FALSE(look_at_run(folder / "cut").complete);
  EXPECT_FALSE(fs::exists(folder / "cut" / "summary.json"));
  asked = 0;
  resume_fake(long_scene(), folder / "cut", [&] { return ++asked == 300; });
  resume_fake(long_scene(), folder / "cut");
  EXPECT_TRUE(look_at_run(folder / "cut").complete);
  expect_same_runs(folder / "whole", folder / "cut");
}

SENTENCE("record", "a finished run can be made longer, with the bits of a run that was long from the start") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  run_fake(long_scene(), folder / "whole");
  Scene shorter = long_scene();
  shorter.time.duration = 1;
  run_fake(shorter, folder / "short");
  resume_fake(long_scene(), folder / "short");
  expect_same_runs(folder / "whole", folder / "short");
}

SENTENCE("record", "a run resumes only the scene it came from") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  run_fake(fake_scene(), folder / "a");
  Scene other = fake_scene();
  other.rods[0].segments = 5;
  EXPECT_THROW(resume_fake(other, folder / "a"), RecordError);
}

SENTENCE("record", "a torn checkpoint is found out") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  run_fake(fake_scene(), folder / "a");
  fs::resize_file(folder / "a" / "checkpoint.bin", 100);
  EXPECT_THROW(resume_fake(fake_scene(), folder / "a"), RecordError);
}

// Forks, lets `work` run in the child, and waits; the child must not return into the test program.
template <class Work>
int in_child(const Work& work, int kill_after_milliseconds = 0, const fs::path& wait_for = {}) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
    } catch (const RecordError&) {
      _exit(42);
    } catch (...) {
      _exit(43);
    }
    _exit(0);
  }
  if (kill_after_milliseconds > 0) {
    if (!wait_for.empty()) wait_for_rows(wait_for, 2);
    usleep(static_cast<useconds_t>(1000 * kill_after_milliseconds));
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

SENTENCE("record", "a killed process leaves a readable run, which goes on with the same bits") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  Scene scene = long_scene();
  scene.time.step = 1e-6;
  scene.time.duration = 40;
  const auto start = [&] {
    Simulation simulation = open_fake(scene);
    RunFolder run(folder / "cut");
    run.seconds_between_flushes = 0.02;
    Sink* sinks[] = {&run};
    simulate(simulation, sinks);
  };
  const auto go_on = [&] {
    Simulation simulation = open_fake(scene);
    const auto run = RunFolder::resume(folder / "cut", simulation);
    run->seconds_between_flushes = 0.02;
    Sink* sinks[] = {run.get()};
    simulate(simulation, sinks);
  };
  ASSERT_TRUE(WIFSIGNALED(in_child(start, 7, folder / "cut")));
  std::size_t frames = read_trajectory(folder / "cut" / "run.h5").frames.size();
  EXPECT_GT(frames, 1u);
  for (const int milliseconds : {61, 77, 93}) {
    ASSERT_TRUE(WIFSIGNALED(in_child(go_on, milliseconds)));
    const Trajectory t = read_trajectory(folder / "cut" / "run.h5");
    EXPECT_FALSE(t.complete);
    frames = t.frames.size();
  }
  EXPECT_FALSE(fs::exists(folder / "cut" / "summary.json"));
  scene.time.duration =
      std::ceil(static_cast<double>(frames) / 40 * 4 + 1) / 4;  // a little more, so that the test stays short
  in_child(go_on);
  run_fake(scene, folder / "whole");
  expect_same_runs(folder / "whole", folder / "cut");
}

SENTENCE("record", "a full disk is an error at once and leaves nothing that looks whole") {
  FakeMethod::trouble() = {};
  for (const rlim_t bytes : {2000, 40000, 100000}) {  // at the first write, or later
    TemporaryFolder folder;
    const int status = in_child([&] {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      Scene scene = long_scene();
      scene.time.frames_per_second = 1000;
      run_fake(scene, folder / "a");
    });
    ASSERT_TRUE(WIFEXITED(status)) << bytes;
    EXPECT_EQ(WEXITSTATUS(status), 42) << bytes;
    EXPECT_FALSE(fs::exists(folder / "a" / "summary.json")) << bytes;
    EXPECT_FALSE(look_at_run(folder / "a").complete) << bytes;
  }
}

SENTENCE("record", "a folder that cannot be made, is a file, or holds other things is refused") {
  FakeMethod::trouble() = {};
  TemporaryFolder folder;
  std::ofstream(folder / "file") << "text";
  fs::create_directory(folder / "mine");
  std::ofstream(folder / "mine" / "thesis.txt") << "text";
  EXPECT_THROW(run_fake(fake_scene(), "/proc/tendril/a"), RecordError);
  EXPECT_THROW(run_fake(fake_scene(), folder / "file"), RecordError);
  EXPECT_THROW(run_fake(fake_scene(), folder / "file" / "a"), RecordError);
  EXPECT_THROW(run_fake(fake_scene(), folder / "mine"), RecordError);
  EXPECT_TRUE(fs::exists(folder / "mine" / "thesis.txt"));
  run_fake(fake_scene(), folder / "new" / "and" / "deep");
  run_fake(fake_scene(), folder / "new" / "and" / "deep");  // an older run may be replaced
  EXPECT_TRUE(look_at_run(folder / "new" / "and" / "deep").complete);
}

SENTENCE("record", "a diverged run keeps its frames and says in its summary what happened") {
  FakeMethod::trouble() = {};
  FakeMethod::trouble().largest_step = 1e-9, FakeMethod::trouble().from = 0.2;
  TemporaryFolder folder;
  EXPECT_EQ(run_fake(fake_scene(), folder / "a").outcome, Outcome::diverged);
  FakeMethod::trouble() = {};
  const Trajectory t = read_trajectory(folder / "a" / "run.h5");
  EXPECT_FALSE(t.complete);
  EXPECT_EQ(t.frames.size(), 9u);
  const auto json = nlohmann::json::parse(read_text_file(folder / "a" / "summary.json"));
  EXPECT_EQ(json.at("run").at("outcome"), "diverged");
}

}  // namespace
}  // namespace tendril
