// Writing and reading back, setting fields, and the generated documents.
#include "testing/sentence.h"

#include <rapidcheck.h>
#include <tendril_paths.h>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "scene/scene_testing.h"

namespace tendril {
namespace {
using namespace scene_testing;

SENTENCE("scene", "a scene that uses every struct reads, writes and reads back equal") {
  const Checked<Scene> scene =
      read_scene_file(std::filesystem::path(TENDRIL_SOURCE_DIR) / "tools/fuzz/seeds/everything.toml");
  ASSERT_TRUE(scene) << to_text(scene.problems());
  EXPECT_FALSE(has_errors(check_references(*scene))) << to_text(check_references(*scene));
  EXPECT_FALSE(has_errors(check_geometry(*scene))) << to_text(check_geometry(*scene));
  EXPECT_FALSE(has_errors(check_drive(*scene))) << to_text(check_drive(*scene));
  EXPECT_EQ(scene->materials[0].name, "zinc") << "the order of the file is kept";
  const std::string text = write_scene(*scene);
  const Checked<Scene> again = read_scene(text, "again.toml");
  ASSERT_TRUE(again) << to_text(again.problems()) << text;
  EXPECT_TRUE(*again == *scene) << text;
  EXPECT_EQ(write_scene(*again), text);
}

SENTENCE("scene", "any number, text and name survives writing and reading") {
  const bool held = rc::check([](double x, double y, const std::string& given, bool flag) {
    Scene scene = *read_scene(plain_scene, "s");
    std::string text;  // TOML is UTF-8 without NUL
    for (const char c : given)
      if (c != '\0' && static_cast<unsigned char>(c) < 0x80) text += c;
    RC_PRE(std::isfinite(x) && std::isfinite(y));
    scene.title = text;
    scene.loads = {GravityLoad{Vec3(x, y, -x)},
                   DistributedLoad{"beam", 0, 1, Vec3(y, 0, x), flag ? Axes::material : Axes::world, {}}};
    scene.clamps[0].turn = {TimetableShape::linear, {{-1.0, x}, {1.0, y}}};
    scene.rods[0].natural_twist = y;
    scene.time.duration = std::abs(x) + 1e-9;
    const Checked<Scene> again = read_scene(write_scene(scene), "s");
    RC_ASSERT(static_cast<bool>(again));
    RC_ASSERT(*again == scene);
  });
  EXPECT_TRUE(held);
}

SENTENCE("scene", "every shared scene reads and writes back equal") {
  const std::filesystem::path folder = std::filesystem::path(TENDRIL_SOURCE_DIR) / "scenes";
  if (!std::filesystem::exists(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    const Checked<Scene> scene = read_scene_file(entry.path());
    ASSERT_TRUE(scene) << to_text(scene.problems());
    const Checked<Scene> again = read_scene(write_scene(*scene), "again.toml");
    ASSERT_TRUE(again) << entry.path() << "\n" << to_text(again.problems());
    EXPECT_TRUE(*again == *scene) << entry.path();
  }
}

std::string set(Scene& scene, const char* path, const char* value) { return to_text(set_field(scene, path, value)); }

SENTENCE("scene", "a field is set by names or indices") {
  Scene s = *read_scene(plain_scene, "scene.toml");
  EXPECT_EQ(set(s, "rod.beam.segments", "100"), "");
  EXPECT_EQ(s.rods[0].segments, 100);
  EXPECT_EQ(set(s, "rod[0].segments", "200"), "");
  EXPECT_EQ(s.rods[0].segments, 200);
  EXPECT_EQ(set(s, "time.duration", "0.5"), "");
  EXPECT_EQ(s.time.duration, 0.5);
  EXPECT_EQ(set(s, "time.mode", "statics"), "");  // a bare word
  EXPECT_EQ(s.time.mode, Mode::statics);
  EXPECT_EQ(set(s, "time.mode", "\"quasistatic\""), "");
  EXPECT_EQ(set(s, "time.step", "1e-3"), "");
  EXPECT_EQ(s.time.step, 1e-3);
  EXPECT_EQ(set(s, "time.step", "auto"), "");
  EXPECT_FALSE(s.time.step);
  EXPECT_EQ(set(s, "title", "2024"), "");
  EXPECT_EQ(s.title, "2024");
  EXPECT_EQ(set(s, "material.rubber.young_modulus", "2e6"), "");
  EXPECT_EQ(s.materials[0].young_modulus, 2e6);
  EXPECT_EQ(set(s, "rod.beam.section.circle.radius", "0.002"), "");
  EXPECT_EQ(std::get<CircleSection>(*s.rods[0].section).radius, 0.002);
  EXPECT_EQ(set(s, "rod.beam.section", "{ rectangle = { width = 0.1, height = 0.2 } }"), "");
  EXPECT_EQ(std::get<RectangleSection>(*s.rods[0].section).height, 0.2);
  EXPECT_EQ(set(s, "load.gravity", "[0, 0, -1.6]"), "");
  EXPECT_EQ(set(s, "load[0].gravity[0]", "3"), "");
  EXPECT_EQ(std::get<GravityLoad>(s.loads[0]).acceleration, Vec3(3, 0, -1.6));
  EXPECT_EQ(set(s, "clamp[0].turn.keys", "[[0, 0], [1, 5]]"), "");
  EXPECT_EQ(set(s, "clamp.clamp1.turn.keys[1].value", "6"), "");
  EXPECT_EQ(s.clamps[0].turn.keys.at(1).value, 6);
  EXPECT_EQ(set(s, "clamp[0].hold", "[\"position\"]"), "");
  EXPECT_EQ(s.clamps[0].hold.size(), 1u);
  EXPECT_EQ(set(s, "rod[0].initial.arc", "{ radius = 1, angle = 1 }"), "");
  EXPECT_EQ(std::get<ArcCurve>(s.rods[0].initial.value()).angle, 1);
}

SENTENCE("scene", "a wrong --set says what is allowed there and changes nothing") {
  Scene s = *read_scene(plain_scene, "scene.toml");
  const Scene before = s;
  EXPECT_EQ(set(s, "rod.baem.segments", "100"), "--set: rod.baem: there is none of that name; did you mean `beam`?\n");
  EXPECT_EQ(set(s, "rod.beam.segmnets", "100"),
            "--set: rod[0].segmnets: there is no such field; did you mean `segments`?\n");
  EXPECT_EQ(set(s, "rod[3].segments", "100"), "--set: rod[3]: there is 1; the first is [0]\n");
  EXPECT_EQ(set(s, "rod[0].segments", "many"), "--set: rod[0].segments: got \"many\", must be a whole number\n");
  EXPECT_CONTAINS(set(s, "time.mode", "static"), "must be one of: dynamics, statics, quasistatic; did you mean `statics`?");
  EXPECT_CONTAINS(set(s, "rod[0].section.ellipse.a", "1"), "rod[0].section.ellipse: the scene has `circle` here");
  EXPECT_CONTAINS(set(s, "rod[0].section.cirle.radius", "1"), "there is no such kind; did you mean `circle`?");
  EXPECT_CONTAINS(set(s, "material.steel.density", "1"), "material.steel: there is none of that name; allowed here: rubber");
  EXPECT_CONTAINS(set(s, "time.duration.x", "1"), "time.duration is a number, nothing is inside it");
  EXPECT_CONTAINS(set(s, "..", "1"), "is not a path");
  EXPECT_CONTAINS(set(s, "", "1"), "is not a path");
  EXPECT_CONTAINS(set(s, "rod[", "1"), "is not a path");
  EXPECT_CONTAINS(set(s, "time.duration", "1\ntitle = 3"), "time.duration: got");
  EXPECT_TRUE(s == before);
}

SENTENCE("scene", "a value that was set is judged by check, like one in the text, and shown at --set") {
  const auto judged = [](const char* path, const char* value) {
    Scene s = *read_scene(plain_scene, "scene.toml");
    EXPECT_EQ(set(s, path, value), "");
    return to_text(check_scene(s, all_method_infos()));
  };
  EXPECT_EQ(judged("rod[0].segments", "1e9"), "--set: rod[0].segments: got 1000000000, must be between 1 and 2000000\n");
  EXPECT_EQ(judged("time.duration", "-1"), "--set: time.duration: got -1 s, must be > 0\n");
  EXPECT_CONTAINS(judged("options.drr.x", "1"), "--set: options.drr: no method is called \"drr\"");
}

SENTENCE("scene", "a curve file can be set, relative to the scene's folder") {
  const TemporaryFolder folder;
  folder.write("a.csv", "0,0,0\n1,0,0\n");
  folder.write("b.csv", "0,0,0\n1,0,0\n2,0,0\n");
  Scene s = *read_scene_file(folder.write(
      "scene.toml", with("straight = { start = [0, 0, 0], end = [1, 0, 0] }", "polyline = { file = \"a.csv\" }")));
  EXPECT_EQ(set(s, "rod[0].rest.polyline.file", "b.csv"), "");
  EXPECT_EQ(std::get<PolylineCurve>(s.rods[0].rest).points.size(), 3u);
  EXPECT_CONTAINS(set(s, "rod[0].rest.polyline.file", "c.csv"),
                  "c.csv: rod[0].rest.polyline.file: there is no such file; did you mean");
}

SENTENCE("scene", "a problem with a field that was set is shown at --set, not at a line of the file") {
  Scene s = *read_scene(plain_scene, "scene.toml");
  EXPECT_EQ(set(s, "clamp[0].rod", "bam"), "");
  EXPECT_CONTAINS(to_text(check_scene(s, all_method_infos())),
                  "--set: clamp[0].rod: no rod is called \"bam\"; did you mean `beam`?");
}

// Compares a generated document with the committed one; TENDRIL_REGENERATE=1 writes it instead.
void compare_document(const char* file, const std::string& text, const char* command) {
  const std::filesystem::path path = std::filesystem::path(TENDRIL_SOURCE_DIR) / "docs" / file;
  if (std::getenv("TENDRIL_REGENERATE")) std::ofstream(path, std::ios::binary) << text;
  std::ifstream stream(path, std::ios::binary);
  const std::string committed((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  EXPECT_TRUE(committed == text) << path << " is out of date; run: " << command;
}

SENTENCE("scene", "docs/scene_format.md is what the descriptions say") {
  compare_document("scene_format.md", scene_format_manual(all_method_infos()),
                   "./tendril list scene-format > docs/scene_format.md");
}

SENTENCE("scene", "docs/methods/README.md is what the methods claim") {
  compare_document("methods/README.md", capability_table(all_method_infos()),
                   "./tendril list features > docs/methods/README.md");
}

SENTENCE("scene", "docs/scene.schema.json is what the descriptions say") {
  compare_document("scene.schema.json", scene_json_schema(all_method_infos()),
                   "./tendril list schema > docs/scene.schema.json");
}

SENTENCE("scene", "the example in the manual runs without a complaint") {
  const std::string manual = scene_format_manual(all_method_infos());
  const std::size_t begin = manual.find("```toml\n") + 8;
  EXPECT_EQ(complaints(manual.substr(begin, manual.find("```", begin) - begin)), "");
}

SENTENCE("scene", "every reference inside the JSON Schema has its definition") {
  const nlohmann::json schema = nlohmann::json::parse(scene_json_schema(all_method_infos()));
  int count = 0;
  const std::function<void(const nlohmann::json&)> visit = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("$ref")) {
      EXPECT_TRUE(schema.contains(nlohmann::json::json_pointer(node["$ref"].get<std::string>().substr(1)))) << node;
      ++count;
    }
    for (const auto& child : node)
      if (child.is_structured()) visit(child);
  };
  visit(schema);
  EXPECT_GT(count, 20);
  EXPECT_EQ(schema["properties"]["rod"]["items"]["$ref"], "#/$defs/rod");
  EXPECT_EQ(schema["$defs"]["circle_section"]["properties"]["radius"]["exclusiveMinimum"], 0);
}

}  // namespace
}  // namespace tendril
