#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "record/h5.h"
#include "record/record_testing.h"
#include "tendril/view.h"
#include "testing/fake_method.h"
#include "testing/sentence.h"
#include "view/base64.h"
#include "view/page.h"
#include "view/replay.h"
#include "view/view_testing.h"

namespace tendril {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<std::byte> decode_base64(const std::string& text) {
  std::vector<std::byte> out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    int v = -1;
    if (c >= 'A' && c <= 'Z') v = c - 'A';
    if (c >= 'a' && c <= 'z') v = c - 'a' + 26;
    if (c >= '0' && c <= '9') v = c - '0' + 52;
    if (c == '+') v = 62;
    if (c == '/') v = 63;
    if (c == '=') break;
    if (v < 0) throw std::runtime_error("not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(v);
    if ((count += 6) >= 8) out.push_back(static_cast<std::byte>(bits >> (count -= 8) & 255));
  }
  return out;
}

// What a browser finds in the element: everything up to the first `</script`.
std::string element(const std::string& html, const std::string& id) {
  const std::size_t at = html.find("id=\"" + id + "\">");
  if (at == std::string::npos) throw std::runtime_error("there is no " + id);
  const std::size_t begin = html.find('>', at) + 1;
  return html.substr(begin, html.find("</script", begin) - begin);
}
json runs_of(const std::string& html) { return json::parse(element(html, "tendril-runs")).at("runs"); }

std::vector<FrameRead> frames_of(const std::string& html, int run) {
  const std::vector<std::byte> bytes = decode_base64(element(html, "frames-" + std::to_string(run)));
  std::vector<FrameRead> frames;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, 4);
    frames.push_back(read_frame_bytes(std::span(bytes).subspan(at + 4, length)));
    at += 4 + length;
  }
  return frames;
}
std::vector<double> rows_of(const std::string& html, int run) {
  const std::vector<std::byte> bytes = decode_base64(element(html, "rows-" + std::to_string(run)));
  std::vector<double> rows(bytes.size() / 8);
  std::memcpy(rows.data(), bytes.data(), 8 * rows.size());
  return rows;
}

void run_into(const Scene& scene, const fs::path& folder, const std::function<bool()>& stop = {}) {
  FakeMethod::trouble() = {};
  Simulation simulation = open_fake(scene);
  RunFolder run(folder);
  run.describe = describe_for_views;
  Sink* sinks[] = {&run};
  simulate(simulation, sinks, stop);
}
std::string page_of(const std::vector<fs::path>& runs, std::size_t budget = view::replay_budget) {
  return view::replay_page(runs, budget);
}
Scene many_frames() {
  Scene scene = fake_scene();
  scene.time.duration = 1;
  scene.time.frames_per_second = 1000;
  for (Rod& rod : scene.rods) rod.segments = 60;  // frames are most of the page, rows of plots little
  return scene;
}

SENTENCE("view", "base64 is what everybody means by it") {
  for (const auto& [plain, coded] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}}) {
    std::string out;
    view::Base64 text(out);
    for (const char& c : plain) text.add(std::as_bytes(std::span(&c, 1)));  // piece by piece
    text.finish();
    EXPECT_EQ(out, coded);
    EXPECT_EQ(view::Base64::length(plain.size()), coded.size());
  }
}

SENTENCE("view", "a saved run's page holds every frame and every plotted number") {
  TemporaryFolder folder;
  run_into(fake_scene(), folder / "swing");
  const std::string html = page_of({folder / "swing"});
  const Trajectory t = read_trajectory(folder / "swing" / "run.h5");
  const json run = runs_of(html).at(0);
  EXPECT_EQ(run.at("label"), "swing");
  EXPECT_EQ(run.at("recorded"), 21);
  EXPECT_EQ(run.at("frames"), 21);
  EXPECT_EQ(run.at("every"), 1);
  EXPECT_EQ(run.at("rows"), 21);
  EXPECT_EQ(run.at("outcome"), "fine");
  const std::vector<FrameRead> frames = frames_of(html, 0);
  ASSERT_EQ(frames.size(), t.frames.size());
  const json& origin = run.at("description").at("origin");
  for (std::size_t k = 0; k < frames.size(); ++k) {
    EXPECT_EQ(frames[k].time, t.frames[k].time);
    EXPECT_EQ(frames[k].values.size(), 0u);
    for (std::size_t i = 0; i < 15; ++i)
      EXPECT_NEAR(frames[k].positions[i] + origin[i % 3].get<double>(),
                  t.frames[k].position[NodeIndex(static_cast<int>(i / 3))][static_cast<int>(i % 3)], 1e-6);
  }
  const std::size_t width = 1 + run.at("description").at("values").size();
  const std::vector<double> rows = rows_of(html, 0);
  ASSERT_EQ(rows.size(), width * 21);
  for (std::size_t k = 0; k < 21; ++k) {
    EXPECT_EQ(rows[k * width], t.frames[k].time);
    EXPECT_EQ(rows[k * width + 8], t.energies[k].total());
    EXPECT_EQ(rows[k * width + 1 + 19 + 1 + 2], 100 * t.energy_error[k]);
    EXPECT_EQ(rows[k * width + 1 + 19 + 1 + 5], t.frames[k].position[NodeIndex(4)].x());  // the tip
    EXPECT_EQ(rows[(k + 1) * width - 1], 3);                                              // the clamp's pull
  }
  EXPECT_EQ(html.substr(0, 15), std::string(view::page().substr(0, 15)));
  EXPECT_EQ(html.find("<!-- tendril data -->"), std::string::npos);
}

SENTENCE("view", "a page stays within its budget: frames are thinned evenly, the last one stays, and the data say so") {
  TemporaryFolder folder;
  run_into(many_frames(), folder / "long");
  const std::size_t all = page_of({folder / "long"}).size(), empty = view::page().size();
  for (const double part : {0.9, 0.5, 0.2, 0.05}) {
    const std::size_t budget = empty + static_cast<std::size_t>(part * static_cast<double>(all - empty)) + 4000;
    const std::string html = page_of({folder / "long"}, budget);
    EXPECT_LE(html.size(), budget);
    const json run = runs_of(html).at(0);
    EXPECT_EQ(run.at("recorded"), 1001);
    const auto every = run.at("every").get<std::size_t>();
    EXPECT_GT(every, 1u);
    const std::vector<FrameRead> frames = frames_of(html, 0);
    EXPECT_EQ(frames.size(), run.at("frames").get<std::size_t>());
    EXPECT_LT(frames.size(), 1001u);
    EXPECT_GT(html.size(), budget * 4 / 10) << "much is left over at " << part;
    for (std::size_t k = 0; k + 1 < frames.size(); ++k)
      EXPECT_NEAR(frames[k].time, static_cast<double>(k * every) / 1000, 1e-9);
    EXPECT_NEAR(frames.back().time, 1, 1e-12);
    const std::size_t width = 1 + run.at("description").at("values").size();
    EXPECT_EQ(rows_of(html, 0).size(), width * run.at("rows").get<std::size_t>());
    EXPECT_GE(run.at("rows").get<std::size_t>(), part > 0.6 ? 1001u : 2u);
  }
  EXPECT_EQ(frames_of(page_of({folder / "long"}, 1), 0).size(), 2u);  // what cannot fit keeps its ends
}

SENTENCE("view", "frames that are larger than the last one do not thin a small run") {
  TemporaryFolder folder;
  // A hand holds on for most of the run: those frames are larger than the last one.
  const Scene scene = fake_scene();
  FakeMethod::trouble() = {};
  Simulation simulation = open_fake(scene);
  const double steps_per_frame = std::ceil(1 / (scene.time.frames_per_second * simulation.step_size()) - 1e-6);
  Hand hand;
  hand.rod = 0, hand.material = 0.5, hand.stiffness = 1e-6;
  simulation.replay({{0, "hand.1", hand}, {static_cast<std::int64_t>(15 * steps_per_frame), "hand.1", Hand{}}});
  {
    RunFolder run(folder / "held");
    run.describe = describe_for_views;
    Sink* sinks[] = {&run};
    simulate(simulation, sinks);
  }
  const std::string html = page_of({folder / "held"});
  const std::vector<FrameRead> frames = frames_of(html, 0);
  ASSERT_GT(frames[12].hands.size(), frames.back().hands.size());
  EXPECT_EQ(runs_of(html).at(0).at("every"), 1);
  EXPECT_EQ(frames.size(), runs_of(html).at(0).at("recorded").get<std::size_t>());
}

SENTENCE("view", "several runs share the budget: a short one stays whole") {
  TemporaryFolder folder;
  run_into(many_frames(), folder / "long");
  run_into(fake_scene(), folder / "short");
  const std::string html = page_of({folder / "long", folder / "short" / "run.h5"}, view::page().size() + 200'000);
  EXPECT_LE(html.size(), view::page().size() + 200'000);
  const json runs = runs_of(html);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_GT(runs[0].at("every"), 1);
  EXPECT_EQ(runs[1].at("every"), 1);
  EXPECT_EQ(runs[1].at("label"), "short");
  EXPECT_EQ(frames_of(html, 1).size(), 21u);
  EXPECT_EQ(frames_of(html, 1)[0].generation, 1u);
  run_into(fake_scene(), folder / "other" / "short");
  const json same = runs_of(page_of({folder / "short", folder / "other" / "short"}));
  EXPECT_NE(same[0].at("label"), same[1].at("label"));
}

SENTENCE("view", "no title or remark can break out of the page") {
  TemporaryFolder folder;
  Scene scene = fake_scene();
  scene.title = "</script><script>alert(1)</script><!-- <script> \" \\ \xe2\x80\xa8 end";
  scene.about = "<img src=x onerror=alert(2)>";
  run_into(scene, folder / "a");
  const std::string html = page_of({folder / "a"});
  const json run = runs_of(html).at(0);  // up to the first </script: all of it is there
  EXPECT_EQ(run.at("description").at("title"), scene.title);
  EXPECT_EQ(run.at("description").at("about"), scene.about);
  EXPECT_EQ(html.find("alert(1)</"), std::string::npos);
  EXPECT_EQ(html.find("<img"), view::page().find("<img"));
  EXPECT_EQ(element(html, "tendril-runs").find('<'), std::string::npos);
}

SENTENCE("view", "a saved run is shown by what it says itself: its scene may be unreadable today") {
  TemporaryFolder folder;
  run_into(fake_scene(), folder / "old");
  const std::string before = page_of({folder / "old"}), file = (folder / "old" / "run.h5").string();
  {
    const h5::Handle open(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    h5::write_text(open.get(), "scene", "[[rod]]\nnot = a scene of today", file);
  }
  EXPECT_TRUE(page_of({folder / "old"}) == before);
  for (const char* description : {"", "{", "[]", "{\"rods\":3}"}) {
    const h5::Handle open(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    h5::write_text(open.get(), "description", description, file);
    H5Fflush(open.get(), H5F_SCOPE_GLOBAL);
    EXPECT_THROW(page_of({folder / "old"}), RecordError) << description;
  }
}

SENTENCE("view", "a description of another run is refused") {
  TemporaryFolder folder;
  Scene two = fake_scene();
  two.rods.push_back(two.rods[0]);
  two.rods[1].name = "second";
  run_into(two, folder / "two");
  run_into(fake_scene(), folder / "one");
  const std::string file = (folder / "one" / "run.h5").string();
  {
    const std::string other = TrajectoryReader(folder / "two" / "run.h5").description();
    const h5::Handle open(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    h5::write_text(open.get(), "description", other, file);
  }
  EXPECT_THROW(page_of({folder / "one"}), RecordError);
}

SENTENCE("view", "an interrupted run has a page that says so; what is no run is refused") {
  TemporaryFolder folder;
  int asked = 0;
  Scene scene = many_frames();
  scene.time.step = 1e-4;
  run_into(scene, folder / "cut", [&] { return ++asked == 100; });
  const json run = runs_of(page_of({folder / "cut"})).at(0);
  EXPECT_EQ(run.at("outcome"), "interrupted");
  EXPECT_GT(run.at("frames"), 10);
  EXPECT_THROW(page_of({folder / "nowhere"}), RecordError);
  folder.write("text.h5", "no");
  EXPECT_THROW(page_of({folder / "text.h5"}), RecordError);
}

}  // namespace
}  // namespace tendril
