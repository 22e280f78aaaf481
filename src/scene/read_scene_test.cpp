// Each kind of message about scene text, with its place.
#include "testing/sentence.h"

#include "scene/scene_testing.h"
#include "scene/suggest.h"

namespace tendril {
namespace {
using namespace scene_testing;

SENTENCE("scene", "a cantilever reads without a word") {
  const Checked<Scene> scene = read_scene(plain_scene, "scene.toml");
  ASSERT_TRUE(scene) << to_text(scene.problems());
  EXPECT_EQ(complaints(plain_scene), "");
  EXPECT_EQ(scene->rods.at(0).name, "beam");
  EXPECT_EQ(std::get<CircleSection>(*scene->rods[0].section).radius, 0.005);
  EXPECT_EQ(std::get<StraightCurve>(scene->rods[0].rest).end, Vec3(1, 0, 0));
  EXPECT_EQ(std::get<GravityLoad>(scene->loads.at(0)).acceleration, Vec3(0, 0, -9.81));
  EXPECT_FALSE(scene->time.step);
  EXPECT_EQ(scene->materials.at(0).poisson_ratio, 0.49);
}

SENTENCE("scene", "an unknown key gets a place and a suggestion") {
  EXPECT_EQ(complaints(with("segments = 50", "segmets = 50")),
            "scene.toml:18:1: rod[0].segmets: unknown key; did you mean `segments`?\n");
  EXPECT_CONTAINS(complaints("titel = \"x\"\n" + plain_scene), "scene.toml:1:1: titel: unknown key; did you mean `title`?");
  EXPECT_CONTAINS(complaints(with("circle = { radius", "circle = { diameter = 2, radius")),
                  "scene.toml:16:25: rod[0].section.circle.diameter: unknown key; allowed here: radius");
  EXPECT_CONTAINS(complaints(with("{ circle =", "{ cirlce =")),
                  "rod[0].section.cirlce: unknown key; did you mean `circle`?");
  EXPECT_CONTAINS(complaints(with("gravity = ", "gravitiy = ")), "load[0].gravitiy: unknown key; did you mean `gravity`?");
}

SENTENCE("scene", "a wrong type says what was got and what is meant") {
  EXPECT_EQ(
      complaints(with("radius = 0.005", "radius = \"thick\"")),
      "scene.toml:16:34: rod[0].section.circle.radius: got \"thick\", must be a number in m, or a text with a unit of that "
      "kind such as \"5 mm\"\n");
  EXPECT_CONTAINS(complaints(with("end = [1, 0, 0]", "end = [1, 0]")),
                  "rod[0].rest.straight.end: got a list of 2, must be three numbers [x, y, z] in m");
  EXPECT_CONTAINS(complaints(with("segments = 50", "segments = 50.5")), "rod[0].segments: got 50.5, must be a whole number");
  EXPECT_CONTAINS(complaints(with("\"auto\"", "\"automatic\"")),
                  "time.step: got \"automatic\", must be a number in s, or a text with a unit of that kind such as \"1 ms\" "
                  "or \"auto\"");
  EXPECT_CONTAINS(complaints(with("[time]", "[options.der]\ngeneral = [1]\n[time]")),
                  "options.der.general: got a list of 1, must be a number, true or false, or a word in quotes");
  EXPECT_CONTAINS(complaints(with("\"twist\"]", "\"twits\"]")),
                  "clamp[0].hold[2]: got \"twits\", must be one of: position, direction, twist; did you mean `twist`?");
  EXPECT_CONTAINS(complaints(with("[[rod]]", "[rod]")), "write the header with two brackets: [[rod]]");
  EXPECT_CONTAINS(complaints(with("[material.rubber]", "[[material]]")), "write [material.NAME]");
  EXPECT_CONTAINS(complaints(with("{ circle = { radius = 0.005 } }", "\"circle\"")), "write { circle = { ... } }");
  EXPECT_CONTAINS(complaints(with("[[load]]", "[[load]]\nwind = { velocity = [1, 0, 0] }")),
                  "got both gravity and wind, must be exactly one");
  EXPECT_CONTAINS(complaints(plain_scene + "[[load]]\n"), "load[1]: is empty, must be exactly one of: gravity, force");
}

SENTENCE("scene", "what is allowed is said once") {
  EXPECT_CONTAINS(complaints(with("\"twist\"]", "\"rotation\"]")),
                  "clamp[0].hold[2]: got \"rotation\", must be one of: position, direction, twist\n");
  const std::string option = complaints(with("[time]", "[options.der]\nprojection = \"zzz\"\n[time]"));
  EXPECT_CONTAINS(option, "got \"zzz\", must be one of: ");
  EXPECT_LACKS(option, "allowed here");
}

SENTENCE("scene", "keys of more than twenty parts are refused, dots in texts and comments are not counted") {
  std::string deep = "a";
  for (int i = 0; i < 20; ++i) deep += " .a";
  for (const std::string& text :
       {deep + " = 1", "[" + deep + "]", "x = { " + deep + " = 1 }", "\n\"x\"" + deep.substr(1) + " = 1"})
    EXPECT_CONTAINS(complaints(plain_scene + text + "\n"), "a key has too many parts, must be at most 20");
  EXPECT_CONTAINS(complaints("title = \"\"\"\n...\\\"\" ...\n\"\"\"\n" + deep + " = 1"), "scene.toml:4: a key has");
  const std::string dots(60, '.'), single(3, '\''), triple(3, '"');
  for (const std::string& text : {"# " + dots, "about = \"" + dots + "\\\"" + dots + "\"", "about = '" + dots + "\\'",
                                  "about = " + single + "\n" + dots + "\n''" + dots + single,
                                  "about = " + triple + dots + "\\\"" + dots + "\n\"\"" + dots + triple})
    EXPECT_EQ(complaints(text + "\n" + plain_scene), "") << text;
}

SENTENCE("scene", "problems are printable: no control characters, no bytes that are not UTF-8, one line") {
  EXPECT_EQ(printable("plain, \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "plain, \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[31m\x07\n\t\x7f"), "\\x1b[31m\\x07\\n\\t\\x7f");
  EXPECT_EQ(printable("\xff \xc2\x9b \xe2\x80\xae \xc0\xaf \xed\xa0\x80"),
            "\\xff \\xc2\\x9b \\xe2\\x80\\xae \\xc0\\xaf \\xed\\xa0\\x80");
  EXPECT_TRUE(is_utf8("\xe2\x82\xac"));
  EXPECT_FALSE(is_utf8("\xe2\x82"));
  Checked<Scene> scene = read_scene(plain_scene, "scene.toml");
  EXPECT_CONTAINS(to_text(set_field(*scene, "title", "\xff")), "--set: title: got bytes that are not UTF-8");
  EXPECT_CONTAINS(complaints(with("name     = \"beam\"", "name = \"be\\u009bam\"")), "must be 1 to 100 letters");
}

SENTENCE("scene", "a missing field is asked for with its unit") {
  EXPECT_EQ(complaints(with("density = 1100.0\n", "")),
            "scene.toml:8:1: material.rubber.density: is missing; give a number in kg/m^3: mass per volume\n");
}

SENTENCE("scene", "numbers out of range are refused with value, unit and range") {
  EXPECT_EQ(complaints(with("radius = 0.005", "radius = -0.005")),
            "scene.toml:16:34: rod[0].section.circle.radius: got -0.005 m, must be > 0\n");
  EXPECT_EQ(complaints(with("0.49", "10")),
            "scene.toml:11:17: material.rubber.poisson_ratio: got 10, must be > -1 and at most 0.5\n");
  EXPECT_CONTAINS(complaints(with("segments = 50", "segments = 1e9")),
                  "rod[0].segments: got 1000000000, must be between 1 and 2000000");
  EXPECT_CONTAINS(complaints(with("segments = 50", "segments = 1000000000")), "must be between 1 and 2000000");
  EXPECT_CONTAINS(complaints(with("segments = 50", "segments = 100000000000")), "must be between 1 and 2000000");
  EXPECT_CONTAINS(complaints(with("segments = 50", "segments = 0")), "got 0, must be between 1 and 2000000");
  EXPECT_CONTAINS(complaints(with("at  = 0.0", "at  = 1.5")), "clamp[0].at: got 1.5, must be between 0 and 1");
  EXPECT_CONTAINS(complaints(with("1.0e6", "nan")), "material.rubber.young_modulus: got nan Pa, must be a finite number");
  EXPECT_CONTAINS(complaints(with("-9.81", "-inf")), "load[0].gravity: got [0, 0, -inf] m/s^2, must be finite numbers");
}

SENTENCE("scene", "every problem is shown at once, in the order of the file") {
  std::string text = with("radius = 0.005", "radius = -1");
  text.replace(text.find("1.0e6"), 5, "true");
  text.replace(text.find("rod = \"beam\""), 12, "rod = \"baem\"");
  text.replace(text.find("quantity"), 8, "quantiti");
  EXPECT_EQ(complaints(text),
            "scene.toml:10:17: material.rubber.young_modulus: got true, must be a number in Pa\n"
            "scene.toml:16:34: rod[0].section.circle.radius: got -1 m, must be > 0\n"
            "scene.toml:21:7: clamp[0].rod: no rod is called \"baem\"; did you mean `beam`?\n"
            "scene.toml:28:1: probe[0].quantity: is missing; give a word in quotes: what is recorded\n"
            "scene.toml:32:1: probe[0].quantiti: unknown key; did you mean `quantity`?\n");
}

SENTENCE("scene", "thousands of problems are cut to a hundred, quickly") {
  std::string points = "[0, 0, nan]";
  for (int i = 0; i < 20000; ++i) points += ", [0, \"x\", 0], [0, inf, 0]";
  const Checked<Scene> scene =
      read_scene(with("straight = { start = [0, 0, 0], end = [1, 0, 0] }", "polyline = { points = [" + points + "] }"), "s");
  ASSERT_EQ(scene.problems().size(), 101u);
  EXPECT_EQ(to_text(scene.problems().back()), "and 39901 more");
}

SENTENCE("scene", "a syntax error is shown with its line") {
  const std::string text = complaints(with("radius = 0.005", "radius = 0.0.5"));
  EXPECT_EQ(text.rfind("scene.toml:16:", 0), 0u) << text;
  EXPECT_CONTAINS(text, "not valid TOML");
  EXPECT_CONTAINS(text, "`section  = { circle = { radius = 0.0.5 } }`");
}

SENTENCE("scene", "empty, binary and broken text is refused") {
  EXPECT_CONTAINS(complaints(""), "scene.toml: is empty, must hold at least one [[rod]]");
  EXPECT_CONTAINS(complaints(" \n\t\n"), "is empty");
  EXPECT_CONTAINS(complaints("# only a comment\n"), "rod: the scene has no rod; add a [[rod]]");
  EXPECT_CONTAINS(complaints(std::string("\x7f"
                                         "ELF\0\0",
                                         6)),
                  "is a binary file");
  EXPECT_CONTAINS(complaints("title = \"\xff\xfe\"\n"), "not valid TOML");
}

SENTENCE("scene", "files that are no scenes are refused before reading") {
  const TemporaryFolder folder;
  const auto message = [](const std::filesystem::path& file) { return to_text(read_scene_file(file).problems()); };
  EXPECT_CONTAINS(message(folder.path()), "is a folder, must be a file");
  folder.write("cantilever.toml", plain_scene);
  EXPECT_CONTAINS(message(folder.path() / "cantilevr.toml"), "there is no such file; did you mean `cantilever.toml`?");
  EXPECT_CONTAINS(message(folder.write("empty.toml", "")), "empty.toml: is empty");
  EXPECT_CONTAINS(message(folder.write("binary.toml", std::string(1000, '\0'))), "is a binary file");
  const auto huge = folder.write("huge.toml", "");
  std::filesystem::resize_file(huge, 100 << 20);  // sparse: takes no room on the disk
  EXPECT_CONTAINS(message(huge), "huge.toml: is 100.0 MB long, must be at most 16 MB; long curves belong in a CSV file");
  EXPECT_CONTAINS(message("/dev/zero"), "is not an ordinary file");
  EXPECT_TRUE(read_scene_file(folder.path() / "cantilever.toml"));
}

SENTENCE("scene", "a polyline comes from a CSV file beside the scene") {
  const TemporaryFolder folder;
  folder.write("curve.csv", "x,y,z\n0,0,0\n 0.5, 0, 0\n\n1.0;0.1;+0\n");
  const std::string text = with("straight = { start = [0, 0, 0], end = [1, 0, 0] }", "polyline = { file = \"curve.csv\" }");
  const Checked<Scene> scene = read_scene_file(folder.write("scene.toml", text));
  ASSERT_TRUE(scene) << to_text(scene.problems());
  const auto& curve = std::get<PolylineCurve>(scene->rods[0].rest);
  ASSERT_EQ(curve.points.size(), 3u);
  EXPECT_EQ(curve.points[2], Vec3(1, 0.1, 0));
  EXPECT_EQ(curve.file, "");  // the scene carries the points itself

  folder.write("curve.csv", "0,0,0\n1,0,0\n1,0,0\n1,two,0\n1,2,3,4\n1,nan,0\n");
  const std::string bad = to_text(read_scene_file(folder.path() / "scene.toml").problems());
  EXPECT_CONTAINS(bad, "curve.csv:3: rod[0].rest.polyline.file: the point is the same as the one before");
  EXPECT_CONTAINS(bad, "curve.csv:4: rod[0].rest.polyline.file: got \"1,two,0\", must be three finite numbers x,y,z");
  EXPECT_CONTAINS(bad, "curve.csv:5:");
  EXPECT_CONTAINS(bad, "curve.csv:6:");

  std::filesystem::remove(folder.path() / "curve.csv");
  EXPECT_CONTAINS(to_text(read_scene_file(folder.path() / "scene.toml").problems()),
                  "curve.csv: rod[0].rest.polyline.file: there is no such file");
}

SENTENCE("scene", "timetables are read from tables and from pairs") {
  const Checked<Scene> scene = read_scene(
      with("at  = 0.0",
           "move = { shape = \"linear\", keys = [ { time = 0, value = [0,0,0] }, { time = 2, value = [0.3,0,0] } ] }\n"
           "turn = { keys = [[0, 0.0], [2, 27]] }"),
      "scene.toml");
  ASSERT_TRUE(scene) << to_text(scene.problems());
  const Clamp& clamp = scene->clamps.at(0);
  EXPECT_EQ(clamp.move.shape, TimetableShape::linear);
  EXPECT_EQ(clamp.move.keys.at(1).value, Vec3(0.3, 0, 0));
  EXPECT_EQ(clamp.turn.shape, TimetableShape::smooth);
  EXPECT_EQ(clamp.turn.keys.at(1).time, 2);
  EXPECT_EQ(clamp.turn.keys.at(1).value, 27);
  EXPECT_CONTAINS(complaints(with("at  = 0.0", "turn = 3")),
                  "clamp[0].turn: got 3, must be a timetable in turns; write { keys =");
  EXPECT_CONTAINS(complaints(with("at  = 0.0", "turn = { keys = [[0, 1], [\"a\", 2]] }")),
                  "clamp[0].turn.keys[1][0]: got \"a\", must be a number in s");
}

SENTENCE("scene", "what has no name is numbered") {
  std::string text = with("name     = \"beam\"\n", "");
  for (std::size_t at; (at = text.find("\"beam\"")) != std::string::npos;) text.replace(at, 6, "\"rod1\"");
  const Checked<Scene> scene = read_scene(text, "scene.toml");
  ASSERT_TRUE(scene) << to_text(scene.problems());
  EXPECT_EQ(complaints(text), "");
  EXPECT_EQ(scene->rods[0].name, "rod1");
  EXPECT_EQ(scene->clamps[0].name, "clamp1");
  EXPECT_EQ(scene->probes[0].name, "tip");
}

SENTENCE("scene", "problems read where, field, what, allowed, remedy") {
  EXPECT_EQ(to_text(Problem{Severity::error, "s.toml:12:9", "rod[2].x", "got -5 Pa", "must be > 0", "turn it round"}),
            "s.toml:12:9: rod[2].x: got -5 Pa, must be > 0; turn it round");
  EXPECT_EQ(to_text(Problem{Severity::warning, "", "", "nothing moves", "", ""}), "warning: nothing moves");
  EXPECT_FALSE(has_errors({{Severity::warning, "", "", "x", "", ""}}));
  EXPECT_TRUE(has_errors({{Severity::warning, "", "", "x", "", ""}, {}}));
}

SENTENCE("scene", "suggestions forgive case, dashes, swaps and beginnings, but do not guess wildly") {
  EXPECT_EQ(edit_distance("radius", "raduis"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(suggest("Young-Modulus", {"young_modulus", "density"}), "did you mean `young_modulus`?");
  EXPECT_EQ(suggest("young", {"young_modulus", "density"}), "did you mean `young_modulus`?");
  EXPECT_EQ(suggest("colour", {"young_modulus", "density"}), "allowed here: young_modulus, density");
  EXPECT_EQ(suggest("x", {}), "");
}

}  // namespace
}  // namespace tendril
