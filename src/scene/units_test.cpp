// Numbers with units: the table, the reader, --set, vectors, timetables, messages.
#include "scene/units.h"

#include <set>

#include "scene/scene_testing.h"
#include "scene/walker.h"
#include "testing/sentence.h"

namespace tendril {
namespace {
using namespace scene_detail;
using namespace scene_testing;

SENTENCE("scene", "numbers with units are read exactly: the decimal point is moved in the text") {
  EXPECT_EQ(number_in("5 mm", "m"), 0.005);
  EXPECT_EQ(number_in("1.1 g/cm^3", "kg/m^3"), 1100.0);
  EXPECT_EQ(number_in("4.9mm", "m"), 0.0049);  // 4.9 * 0.001 is another number, and 4.9 / 1000 too
  EXPECT_NE(4.9 * 0.001, 0.0049);
  EXPECT_EQ(number_in("-2.5e3 um", "m"), -0.0025);
  EXPECT_EQ(number_in("+3 µm", "m"), 3e-6);
  EXPECT_EQ(number_in("1 MPa", "Pa"), 1e6);
  EXPECT_EQ(number_in("0.2 N/mm^2", "Pa"), 0.2e6);
  EXPECT_EQ(number_in("210 kN/mm²", "Pa"), 210e9);
  EXPECT_EQ(number_in("2 kN", "N"), 2000.0);
  EXPECT_EQ(number_in("30 N cm", "N m"), 0.3);
  EXPECT_EQ(number_in("7 kg mm^2", "kg m^2"), 7e-6);
  EXPECT_EQ(number_in("250 Hz", "1/s"), 250.0);
  EXPECT_EQ(number_in("1 1/ms", "1/s"), 1000.0);
  EXPECT_EQ(number_in("90 deg", "turns"), 0.25);
  EXPECT_EQ(number_in("2 turns", "turns"), 2.0);
  EXPECT_NEAR(*number_in("180 deg", "rad"), 3.141592653589793, 1e-15);
  EXPECT_NEAR(*number_in("3000 rpm", "rad/s"), 314.1592653589793, 1e-12);
  EXPECT_NEAR(*number_in("1 deg/mm", "rad/m"), 17.45329251994330, 1e-13);
  EXPECT_NEAR(*number_in("2 in", "m"), 0.0508, 1e-17);
  EXPECT_EQ(number_in("2 min", "s"), 120.0);
}

SENTENCE("scene", "a text of another kind, without unit or with an unknown one is no number") {
  for (const char* text :
       {"5",        "5 ",      "mm",    "",        "thick", "5 mm",   "1 MPa/", "1 Pa s", "inf Pa", "nan Pa", "1e9999 Pa",
        "1e400 Pa", "0x10 Pa", "1 Pa^", "1 Pa^99", "1 ^2",  "--1 Pa", "+-1 Pa", "1 1",    "1 /Pa",  "1 Pa Pa"})
    EXPECT_FALSE(number_in(text, "Pa")) << text;
  EXPECT_FALSE(number_in("50 Hz", "rad/s"));  // turns or radians?
  EXPECT_FALSE(number_in("5 mm", ""));
  EXPECT_FALSE(number_in("5 circumferences", "circumferences"));
  EXPECT_EQ(unit_complaint("5 mmm"), "there is no unit `mmm`");
  EXPECT_EQ(unit_complaint("5 mm"), "");
}

class UnitCollector : public Describer {
 public:
  std::set<std::string> units;

 protected:
  void field(const Field& f, Value value) override {
    units.insert(f.unit);
    enter(value.type());
  }
  void plain(const Field& f, Value value) override { field(f, value); }
  void named(const Field&, Value items) override { enter(*items.type().item); }

 private:
  void enter(const Type& type) {
    if (type.kind == Kind::optional || type.kind == Kind::list) enter(*type.item);
    for (const Type* alternative : type.alternatives) enter(*alternative);
    if (type.describe) type.describe(*this, type.fresh());
  }
};

SENTENCE("scene", "every unit that the description of scenes uses can be read, and its example too") {
  UnitCollector collector;
  Scene scene;
  described_scene(scene).describe(collector);
  EXPECT_GE(collector.units.size(), 20u);
  for (const std::string& unit : collector.units) {
    if (unit.empty() || unit == "circumferences") continue;
    EXPECT_TRUE(is_readable_unit(unit)) << unit;
    EXPECT_EQ(number_in("1 " + unit, unit), 1.0) << unit;
    EXPECT_TRUE(number_in(unit_example(unit), unit)) << unit;
  }
}

SENTENCE("scene", "a scene with units is the scene in plain SI, and is written as that") {
  std::string text = plain_scene;
  const auto change = [&text](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  change("duration = 2.0", "duration = \"2000 ms\"");
  change("density = 1100.0", "density = \"1.1 g/cm^3\"");
  change("young_modulus = 1.0e6", "young_modulus = \"1 MPa\"");
  change("radius = 0.005", "radius = \"5 mm\"");
  change("end = [1, 0, 0]", "end = [\"100 cm\", 0, \"0 m\"]");
  change("gravity = [0, 0, -9.81]", "gravity = [0, 0, \"-981 cm/s^2\"]");
  const Checked<Scene> plain = read_scene(plain_scene, "a.toml"), with_units = read_scene(text, "a.toml");
  ASSERT_TRUE(with_units) << to_text(with_units.problems());
  EXPECT_EQ(*with_units, *plain);
  EXPECT_EQ(write_scene(*with_units), write_scene(*plain));
}

SENTENCE("scene", "timetables take units for times and for values, as pairs and as tables") {
  const Checked<Scene> scene = read_scene(
      with("at  = 0.0",
           "at = 0.0\nturn = { keys = [[0, 0], [\"500 ms\", \"90 deg\"], { time = \"1 s\", value = \"2 turns\" }] }\n"
           "move = { keys = [[0, [0, 0, 0]], [1, [\"1 cm\", 0, \"2 mm\"]]] }"),
      "scene.toml");
  ASSERT_TRUE(scene) << to_text(scene.problems());
  const Timetable<double>& turn = scene->clamps[0].turn;
  EXPECT_EQ(turn.keys[1].time, 0.5);
  EXPECT_EQ(turn.keys[1].value, 0.25);
  EXPECT_EQ(turn.keys[2].value, 2);
  EXPECT_EQ(scene->clamps[0].move.keys[1].value, Vec3(0.01, 0, 0.002));
  // A factor has no unit.
  EXPECT_CONTAINS(complaints(with("gravity = [0, 0, -9.81]", "changing_gravity = { factor = { keys = [[0, \"5 mm\"]] } }")),
                  "got \"5 mm\", must be a number\n");
}

SENTENCE("scene", "--set takes units, bare and in vectors and timetables") {
  Checked<Scene> scene = read_scene(with("at  = 0.0", "at = 0.0\nturn = { keys = [[0, 0], [1, 1]] }"), "scene.toml");
  ASSERT_TRUE(scene);
  EXPECT_EQ(to_text(set_field(*scene, "rod.beam.section.circle.radius", "7 mm")), "");
  EXPECT_EQ(std::get<CircleSection>(*scene->rods[0].section).radius, 0.007);
  EXPECT_EQ(to_text(set_field(*scene, "time.step", "0.1 ms")), "");
  EXPECT_EQ(scene->time.step, 1e-4);
  EXPECT_EQ(to_text(set_field(*scene, "rod[0].rest.straight.end", "[\"50 cm\", 0, 0]")), "");
  EXPECT_EQ(std::get<StraightCurve>(scene->rods[0].rest).end, Vec3(0.5, 0, 0));
  EXPECT_EQ(to_text(set_field(*scene, "rod[0].rest.straight.end[1]", "2 cm")), "");
  EXPECT_EQ(std::get<StraightCurve>(scene->rods[0].rest).end, Vec3(0.5, 0.02, 0));
  EXPECT_EQ(to_text(set_field(*scene, "clamp[0].turn.keys[1].value", "180 deg")), "");
  EXPECT_EQ(scene->clamps[0].turn.keys[1].value, 0.5);
  EXPECT_CONTAINS(to_text(set_field(*scene, "time.step", "5 mm")), "must be a number in s");
}

SENTENCE("scene", "a wrong kind of unit is named with the right one") {
  EXPECT_EQ(
      complaints(with("young_modulus = 1.0e6", "young_modulus = \"5 mm\"")),
      "scene.toml:10:17: material.rubber.young_modulus: got \"5 mm\", must be a number in Pa, or a text with a unit of that "
      "kind such as \"1 MPa\"\n");
  EXPECT_CONTAINS(
      complaints(with("radius = 0.005", "radius = \"5 mmm\"")),
      "got \"5 mmm\", must be a number in m, or a text with a unit of that kind such as \"5 mm\"; there is no unit `mmm`");
}

}  // namespace
}  // namespace tendril
