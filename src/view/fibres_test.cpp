#include "view/fibres.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "math/rotation.h"
#include "model/test_scenes.h"
#include "tendril/record.h"
#include "tendril/simulate.h"
#include "tendril/view.h"
#include "testing/sentence.h"
#include "testing/temporary_folder.h"
#include "view/replay.h"

namespace tendril::view {
namespace {

// A frame whose one rod lies on a circle of radius R in the plane z = 0, d1 outwards; turned along itself by `turns` at its end.
Frame on_circle(int edges, double R, double angle, double turns = 0) {
  Frame frame;
  frame.rods.push_back(RodSpan{.first_node = 0, .nodes = edges + 1, .first_edge = 0, .edges = edges});
  const auto along = [&](double s) { return s * angle / edges; };
  for (int k = 0; k <= edges; ++k) frame.position.push_back(R * Vec3(std::cos(along(k)), std::sin(along(k)), 0));
  for (int k = 0; k < edges; ++k) {
    const double a = along(k + 0.5);
    Mat3 d;
    d.col(0) = Vec3(std::cos(a), std::sin(a), 0), d.col(2) = Vec3(-std::sin(a), std::cos(a), 0);
    d.col(1) = d.col(2).cross(d.col(0));
    frame.orientation.push_back(
        Quat(Mat3(exp_matrix(Vec3(turns * 2 * math::pi * (k + 0.5) / edges * d.col(2))) * d)).normalized());
  }
  return frame;
}

SENTENCE("view", "a guide's curve is a circle through nodes on a circle, with error of fourth order") {
  double last = 0;
  for (const int edges : {8, 16, 32}) {
    const Frame frame = on_circle(edges, 2, 3);
    double worst = 0;
    for (int k = 0; k <= 700; ++k) {
      const GuidePoint at = guide_point(frame, 0, k / 700.0);
      worst = std::max(worst, std::abs(at.centre.norm() - 2));
      EXPECT_NEAR(at.d1.dot(at.tangent), 0, 1e-12);
      EXPECT_NEAR((at.d1.cross(at.d2) - at.tangent).norm(), 0, 1e-12);
      EXPECT_NEAR(at.d1.dot(at.centre.normalized()), 1, 1e-6);
    }
    if (last > 0) {
      EXPECT_GT(last / worst, 12);
    }
    EXPECT_LT(worst, 1e-3);
    last = worst;
  }
}

SENTENCE("view", "a fibre keeps its place in its guide's sections, and narrows towards the tip as asked") {
  const double R = 2, turns = 0.25;
  const Frame frame = on_circle(100, R, 3, turns);
  Fibre fibre;
  fibre.start = Vec2(0.3, 0.1), fibre.end = Vec2(0.15, 0.05);
  for (int k = 0; k <= 300; ++k) {
    const double s = k / 300.0, a = 3 * s, turn = turns * 2 * math::pi * s;
    const Vec3 out(std::cos(a), std::sin(a), 0), up = Vec3(-std::sin(a), std::cos(a), 0).cross(out);
    const Vec2 place = (1 - 0.5 * s) * Vec2(0.3, 0.1);
    const Vec3 d1 = std::cos(turn) * out + std::sin(turn) * up, d2 = -std::sin(turn) * out + std::cos(turn) * up;
    EXPECT_NEAR((fibre_point(frame, fibre, s) - (R * out + place.x() * d1 + place.y() * d2)).norm(), 0, 2e-4) << s;
  }
}

TressModel tress_of(int guides, bool between) {
  TressModel tress;
  tress.fibres = 4000, tress.spread = 0.02, tress.tip_spread = 0.01, tress.points = 10, tress.seed = 7;
  for (int g = 0; g < guides; ++g) tress.guides.push_back(g + 1);
  if (between)
    for (int g = 0; g < guides; ++g) tress.near.push_back({(g + 1) % guides, (g + 2) % guides});
  return tress;
}

SENTENCE("view", "fibres lie evenly in the disc of their spread, the first on its guide, each seed otherwise") {
  const TressModel tress = tress_of(2, false);
  EXPECT_EQ(fibres_of(tress), 8000);
  double square = 0;
  Vec2 mean = Vec2::Zero();
  for (int f = 1; f < 4000; ++f) {
    const Fibre fibre = fibre_at(tress, f);
    EXPECT_LE(fibre.start.norm(), 0.02);
    EXPECT_EQ(fibre.end, Vec2(0.5 * fibre.start));
    EXPECT_EQ(fibre.rod[0], 1);
    EXPECT_EQ(fibre.weight, (std::array<double, 3>{1, 0, 0}));
    square += fibre.start.squaredNorm() / 3999, mean += fibre.start / 3999;
  }
  EXPECT_NEAR(square, 0.5 * 0.02 * 0.02, 0.03 * 0.02 * 0.02);  // of a disc: r^2/2
  EXPECT_LT(mean.norm(), 0.001);
  EXPECT_EQ(fibre_at(tress, 4000).rod[0], 2);
  EXPECT_EQ(fibre_at(tress, 4000).start, Vec2(0, 0));
  TressModel other = tress;
  other.seed = 8;
  EXPECT_NE(fibre_at(other, 17).start, fibre_at(tress, 17).start);
}

SENTENCE("view", "fibres between guides have weights that sum to one, evenly over the triangle") {
  const TressModel tress = tress_of(3, true);
  std::array<double, 3> mean = {0, 0, 0};
  for (int f = 1; f < 4000; ++f) {
    const Fibre fibre = fibre_at(tress, f);
    EXPECT_EQ(fibre.rod, (std::array<int, 3>{1, 2, 3}));
    for (std::size_t g = 0; g < 3; ++g) {
      EXPECT_GE(fibre.weight[g], 0);
      mean[g] += fibre.weight[g] / 3999;
    }
    EXPECT_NEAR(fibre.weight[0] + fibre.weight[1] + fibre.weight[2], 1, 1e-15);
  }
  for (const double m : mean) EXPECT_NEAR(m, 1.0 / 3, 0.02);
}

// Two curls and a straight rod: one tress between the three, and one about a fourth, a ring.
Scene tress_scene() {
  Scene scene = one_rod(HelixCurve{}, 30);
  scene.method = "compact", scene.time.step = 0.01;
  scene.time.duration = 0.1, scene.time.frames_per_second = 20;
  const Curve curves[] = {scene.rods[0].rest, scene.rods[0].rest, StraightCurve{Vec3(0.3, 0, 0), Vec3(0, 0, -0.8)},
                          CircleCurve{}};
  const Rod rod = scene.rods[0];
  scene.rods.clear();
  for (int k = 0; k < 4; ++k) {
    scene.rods.push_back(rod);
    scene.rods.back().name = fmt::format("guide{}", k + 1), scene.rods.back().rest = curves[k];
    scene.rods.back().segments = 20 + 5 * k;
    if (k == 1) std::get<HelixCurve>(scene.rods.back().rest).center += Vec3(0.1, 0.2, 0);
    if (k == 3) continue;
    scene.clamps.push_back({});
    scene.clamps.back().name = fmt::format("clamp{}", k), scene.clamps.back().rod = scene.rods.back().name;
  }
  Tress between, about;
  between.name = "lock", between.guides = {"guide1", "guide2", "guide3"}, between.fibres = 30, between.spread = 0.03;
  between.tip_spread = 0.01, between.fill = TressFill::between, between.points = 40;
  about.name = "ring", about.guides = {"guide4"}, about.fibres = 20, about.spread = 0.05, about.points = 40, about.seed = 5;
  scene.tresses = {between, about};
  return scene;
}

SENTENCE("model", "of each guide the two that start nearest are known; a spread wider than a guide is long is warned of") {
  Scene scene = tress_scene();
  Checked<Model> model = build_model(scene);
  ASSERT_TRUE(model) << to_text(model.problems());
  EXPECT_EQ(model->tresses[0].near, (std::vector<std::array<int, 2>>{{1, 2}, {0, 2}, {0, 1}}));
  EXPECT_TRUE(model->tresses[1].near.empty());
  EXPECT_EQ(model->tresses[1].tip_spread, 0.05);
  scene.tresses[0].spread = 50;
  model = build_model(scene);
  EXPECT_NE(to_text(model.problems()).find("tress[0].spread: got 50 m, but rod guide1 is only"), std::string::npos)
      << to_text(model.problems());
}

// The browser test of tresses (web/tests/tress_test.mjs) runs this sentence with TENDRIL_TRESS_RUN, the folder it opens then; fibres.json
// holds where the fibres are in the last frame by fibre_point.
SENTENCE("view", "a run with a tress records its guides alone, and its description says what the tress is") {
  TemporaryFolder temporary;
  const char* wanted = std::getenv("TENDRIL_TRESS_RUN");
  const std::filesystem::path folder = wanted ? std::filesystem::path(wanted) : temporary / "tress";
  const auto run = [](const Scene& scene, const std::filesystem::path& into) {
    Checked<Simulation> simulation = Simulation::open(scene);
    if (!simulation) throw Misuse(to_text(simulation.problems()));
    RunFolder record(into);
    record.describe = describe_for_views;
    Sink* sinks[] = {&record};
    EXPECT_EQ(simulate(*simulation, sinks).outcome, Outcome::fine);
    return simulation->frame();
  };
  const Frame last = run(tress_scene(), folder);
  Scene bald = tress_scene();
  bald.tresses.clear();
  run(bald, temporary / "bald");
  // A page as large as without, but for the description of the tresses.
  view::write_replay_page({&folder, 1}, folder / "index.html");
  const std::filesystem::path other = temporary / "bald";
  const std::string page = view::replay_page({&folder, 1}), plain = view::replay_page({&other, 1});
  EXPECT_NE(page.find("\"tresses\":[{\"name\":\"lock\",\"guides\":[0,1,2],\"fibres\":30"), std::string::npos);
  EXPECT_EQ(plain.find("\"tresses\""), std::string::npos);
  EXPECT_LT(page.size(), plain.size() + 600);
  if (!wanted) return;
  const Model model = *build_model(tress_scene());
  std::ofstream file(folder / "fibres.json");
  file << "[";
  const char* comma = "";
  for (const TressModel& tress : model.tresses)
    for (int f = 0; f < fibres_of(tress); ++f)
      for (int p = 0; p < tress.points; ++p, comma = ",") {
        const Vec3 at = fibre_point(last, fibre_at(tress, f), p / (tress.points - 1.0));
        file << comma << fmt::format("{:.9g},{:.9g},{:.9g}", at.x(), at.y(), at.z());
      }
  file << "]";
}

}  // namespace
}  // namespace tendril::view
