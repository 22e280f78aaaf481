// Checks across fields: references, geometry, time, capability, options.
#include "testing/sentence.h"

#include <fmt/format.h>

#include "scene/scene_testing.h"

namespace tendril {
namespace {
using namespace scene_testing;

const std::string straight = "straight = { start = [0, 0, 0], end = [1, 0, 0] }";
std::string with_rest(const std::string& rest) { return complaints(with(straight, rest)); }

SENTENCE("scene", "names must exist and be different") {
  EXPECT_EQ(complaints(with("rod = \"beam\"", "rod = \"baem\"")),
            "scene.toml:21:7: clamp[0].rod: no rod is called \"baem\"; did you mean `beam`?\n");
  EXPECT_CONTAINS(complaints(with("\"rubber\"", "\"ruber\"")),
                  "rod[0].material: no material is called \"ruber\"; did you mean `rubber`?");
  EXPECT_CONTAINS(complaints(with("quantity = \"position\"", "quantity = \"reaction_force\"\nclamp = \"clamp2\"")),
                  "probe[0].clamp: no clamp is called \"clamp2\"; did you mean `clamp1`?");
  EXPECT_CONTAINS(complaints(plain_scene + "[[load]]\nforce = { rod = \"x\", value = [1, 0, 0] }\n"),
                  "load[1].force.rod: no rod is called \"x\"; allowed here: beam");
  EXPECT_CONTAINS(complaints(plain_scene + "[[probe]]\nname = \"tip\"\nrod = \"beam\"\nquantity = \"length\"\n"),
                  "probe[1].name: a probe is called \"tip\" already");
  EXPECT_CONTAINS(complaints(with("name = \"tip\"", "name = \"a/b\"")),
                  "probe[0].name: got \"a/b\", must be 1 to 100 letters, digits, _ or -");
  EXPECT_CONTAINS(complaints(with("method = \"der\"", "method = \"dre\"")),
                  "scene.toml:2:10: method: no method is called \"dre\"; did you mean `der`?");
}

SENTENCE("scene", "a rod has one section, or stations that cover it in order") {
  const std::string section = "section  = { circle = { radius = 0.005 } }";
  const auto station = [](const char* at) {
    return std::string("{ at = ") + at + ", section = { circle = { radius = 0.1 } } }";
  };
  EXPECT_CONTAINS(complaints(with(section + "\n", "")), "rod[0].section: is missing; give one");
  EXPECT_CONTAINS(complaints(with(section, section + "\nsections = [" + station("0") + ", " + station("1") + "]")),
                  "section and sections are both given");
  EXPECT_CONTAINS(complaints(with(section, "sections = [" + station("0") + ", " + station("0.5") + "]")),
                  "rod[0].sections[1].at: got 0.5, the last station must stand at 1");
  EXPECT_CONTAINS(complaints(with(section, "sections = [" + station("0.2") + ", " + station("1") + "]")),
                  "the first station must stand at 0");
  EXPECT_CONTAINS(complaints(with(section, "sections = [" + station("0") + ", " + station("0.7") + ", " + station("0.6") +
                                               ", " + station("1") + "]")),
                  "rod[0].sections[2].at: got 0.6 after 0.7, stations must stand in rising order");
  EXPECT_CONTAINS(complaints(with(section, "sections = [" + station("0") + "]")), "has one station, must have at least two");
  EXPECT_CONTAINS(
      complaints(with(section, "sections = [" + station("0") + ", { at = 1, section = { ellipse = { a = 1, b = 1 } } }]")),
      "is of another kind than the first station");
}

SENTENCE("scene", "a material is needed unless stiffness is given, and gives one shear modulus") {
  EXPECT_CONTAINS(complaints(with("material = \"rubber\"\n", "")), "rod[0].material: is missing; name a [material.NAME]");
  EXPECT_CONTAINS(
      complaints(with("circle = { radius = 0.005 }", "stiffness = { EI1 = 1, EI2 = 1, GJ = 1, mass_per_length = 1 }")),
      "warning: rod[0].material: is not used");
  EXPECT_CONTAINS(complaints(with("poisson_ratio = 0.49", "poisson_ratio = 0.49\nshear_modulus = 1e5")),
                  "poisson_ratio and shear_modulus are both given");
}

SENTENCE("scene", "a warning hides no error about the same thing, and an error hides what follows from it") {
  const auto told = [](Severity severity, const char* field, const char* what) {
    return Problem{severity, "", field, what, "", ""};
  };
  Problems problems = {told(Severity::warning, "rod[0]", "is thin"), told(Severity::error, "rod[1].radius", "is negative")};
  add_independent(problems,
                  {told(Severity::error, "rod[0]", "has no EA"), told(Severity::error, "rod[0].section", "is unknown"),
                   told(Severity::warning, "rod[0]", "is long"), told(Severity::error, "rod[1].radius", "is too small"),
                   told(Severity::error, "rod[1]", "is odd")});
  EXPECT_EQ(to_text(problems),
            "warning: rod[0]: is thin\nrod[1].radius: is negative\n"
            "rod[0]: has no EA\nrod[0].section: is unknown\nwarning: rod[0]: is long\nrod[1]: is odd\n");
}

SENTENCE("scene", "curves without length or direction are refused") {
  EXPECT_CONTAINS(with_rest("straight = { start = [1, 0, 0], end = [1, 0, 0] }"),
                  "rod[0].rest.straight.end: is the same point as `start`");
  EXPECT_CONTAINS(with_rest("arc = { radius = 1, angle = 1, direction = [0, 1, 0], towards = [0, -2, 0] }"),
                  "rod[0].rest.arc.towards: is parallel to `direction`");
  EXPECT_CONTAINS(with_rest("circle = { radius = 1, normal = [0, 0, 0] }"),
                  "rod[0].rest.circle.normal: got [0, 0, 0], must not be zero");
  EXPECT_CONTAINS(with_rest("helix = { radius = 1, pitch = 1, turns = 1, axis = [1, 0, 0] }"),
                  "rod[0].rest.helix.radial: is parallel to `axis`");
  EXPECT_CONTAINS(with_rest("sine = { span = 1, amplitude = 0.1, normal = [1, 0, 0] }"), "is parallel to `direction`");
  EXPECT_CONTAINS(with_rest("parabola = { end = [0, 0, 0], height = 1 }"), "is the same point as `start`");
  EXPECT_CONTAINS(with_rest("bent = { length = 1, d1 = [1, 0, 0] }"), "rod[0].rest.bent.d1: is parallel to `direction`");
}

SENTENCE("scene", "coincident points make a segment without length") {
  EXPECT_EQ(
      with_rest("polyline = { points = [[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]] }"),
      "scene.toml:17:59: rod[0].rest.polyline.points[2]: is the same point as the one before, segments must have a length; "
      "remove one of the two\n");
  EXPECT_CONTAINS(with_rest("polyline = { points = [[0, 0, 0]] }"), "has 1 points, must be at least 2");
  EXPECT_CONTAINS(with_rest("polyline = { }"), "has 0 points");
  EXPECT_CONTAINS(with_rest("polyline = { closed = true, points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]] }"),
                  "is the same point as the first");
  EXPECT_CONTAINS(with_rest("polyline = { points = [[0, 0, 0], [1, 0, 0], [0.5, 0, 0]] }"), "turns straight back");
}

SENTENCE("scene", "a section thicker than the bend is refused, a flat ribbon may bend tightly") {
  EXPECT_CONTAINS(with_rest("circle = { radius = 0.004 }"),
                  "rod[0].rest: the curve bends with radius 0.004 m, the section's half thickness is 0.005 m");
  EXPECT_CONTAINS(with_rest("trefoil = { size = 0.003 }"), "the section must be thinner than the bend");
  std::string ribbon = with("circle = { radius = 0.005 }", "rectangle = { width = 0.02, height = 0.001 }");
  ribbon.replace(ribbon.find(straight), straight.size(), "circle = { radius = 0.004 }");
  EXPECT_LACKS(complaints(ribbon), "bends");
}

SENTENCE("scene", "all rods together have at most two million segments") {
  std::string text = with("segments = 50", "segments = 1500000");
  text +=
      "[[rod]]\nname = \"two\"\nmaterial = \"rubber\"\nsegments = 600000\nsection = { circle = { radius = 0.1 } }\nrest = "
      "{ " +
      straight + " }\n";
  EXPECT_CONTAINS(complaints(text), "rod: the rods have 2100000 segments together, must be at most 2000000");
}

SENTENCE("scene", "clamps hold something, once, in rising time") {
  const std::string hold = "hold = [\"position\", \"direction\", \"twist\"]";
  EXPECT_CONTAINS(complaints(with(hold, "hold = []")), "clamp[0].hold: is empty, must name at least one of");
  EXPECT_CONTAINS(complaints(with(hold, "hold = [\"twist\", \"twist\"]")), "clamp[0].hold[1]: got \"twist\" twice");
  EXPECT_CONTAINS(complaints(with(hold, "hold = [\"twist\"]\nmove = { keys = [[0, [0, 0, 0]]] }")),
                  "moves a point that is not held");
  EXPECT_CONTAINS(complaints(with(hold, "hold = [\"position\"]\nturn = { keys = [[0, 0]] }")),
                  "turns a point whose direction and twist are free");
  EXPECT_CONTAINS(complaints(with(hold, "turn = { keys = [[0, 0], [2, 1], [1, 1]] }")),
                  "clamp[0].turn.keys[2]: got 1 s after 2 s, times must rise");
  EXPECT_CONTAINS(complaints(with(hold, "turn = { keys = [] }")), "clamp[0].turn.keys: is empty");
  EXPECT_CONTAINS(complaints(with(hold, "from = 2\nuntil = 1")),
                  "clamp[0].until: got 1 s, from is 2 s, must be later than `from`");
  EXPECT_EQ(complaints(with(hold, "from = 2\nuntil = inf")), "");
}

SENTENCE("scene", "a coupling pulls with something, in rising time, and its probe asks for what it has") {
  const auto coupled = [](const std::string& fields, const std::string& probe = "") {
    return complaints(plain_scene + "[[coupling]]\nname = \"hand\"\nrod = \"beam\"\n" + fields + "\n" +
                      (probe.empty() ? "" : "[[probe]]\n" + probe + "\n"));
  };
  EXPECT_EQ(coupled("stiffness = 2\ndamping = 0.1\nposition = [1, 0, 1]"), "");
  EXPECT_CONTAINS(coupled(""), "coupling[0]: has no stiffness and no damping, at least one must be > 0");
  EXPECT_CONTAINS(coupled("stiffness = -2"), "coupling[0].stiffness: got -2 N/m, must be at least 0");
  EXPECT_CONTAINS(coupled("stiffness = 2\nturn = { keys = [[0, 0]] }"), "turns, but nothing passes the turn on");
  EXPECT_CONTAINS(coupled("stiffness = 2\nfrom = 2\nuntil = 1"), "must be later than `from`");
  EXPECT_CONTAINS(coupled("stiffness = 2\nmove = { keys = [[1, [0, 0, 0]], [0, [1, 0, 0]]] }"),
                  "coupling[0].move.keys[1]: got 0 s after 1 s");
  EXPECT_CONTAINS(coupled("stiffness = 2\nat = 1.5"), "coupling[0].at: got 1.5, must be between 0 and 1");
  const std::string fine = "stiffness = 2", force = "quantity = \"reaction_force\"";
  EXPECT_EQ(coupled(fine, "coupling = \"hand\"\n" + force), "");
  EXPECT_CONTAINS(coupled(fine, "coupling = \"hnd\"\n" + force), "no coupling is called \"hnd\"; did you mean `hand`?");
  EXPECT_CONTAINS(coupled(fine, "coupling = \"hand\"\nclamp = \"clamp1\"\n" + force), "is given together with a clamp");
  EXPECT_CONTAINS(coupled(fine, "coupling = \"hand\"\nrod = \"beam\"\nquantity = \"tension\""),
                  "\"tension\" belongs to a rod");
  EXPECT_CONTAINS(coupled(fine, "coupling = \"hand\"\nquantity = \"reaction_moment\""), "coupling \"hand\" has no moment");
  EXPECT_CONTAINS(coupled("stiffness = 2\nangular_stiffness = 1"),
                  "coupling[0].angular_stiffness: method `der` has couplings that pull, none that turn");
}

SENTENCE("scene", "loads, probes, joints and frames are checked") {
  EXPECT_CONTAINS(
      complaints(plain_scene + "[[load]]\ndistributed = { rod = \"beam\", from = 0.5, to = 0.5, force = [1, 0, 0] }\n"),
      "load[1].distributed: runs from 0.5 to 0.5, `from` must be smaller than `to`");
  EXPECT_CONTAINS(complaints(plain_scene + "[[load]]\ndrag = { }\n"), "load[1].drag: has no resistance");
  EXPECT_CONTAINS(complaints(with("rod = \"beam\"\nat = 1.0", "at = 1.0")),
                  "probe[0].rod: is missing; name the rod whose \"position\" is meant");
  EXPECT_CONTAINS(complaints(with("quantity = \"position\"", "quantity = \"reaction_moment\"")),
                  "probe[0].clamp: is missing");
  EXPECT_CONTAINS(complaints(plain_scene + "[[joint]]\na = { rod = \"beam\", at = 0 }\nb = { rod = \"beam\", at = 0 }\n"),
                  "joint[0].b: is the same place as a");
  EXPECT_CONTAINS(complaints(with("duration = 2.0", "duration = 1e9")),
                  "must be at most 1000000; record fewer frames per second");
  EXPECT_CONTAINS(complaints(with("duration = 2.0", "mode = \"statics\"") + "[[load]]\ndrag = { normal = 1 }\n"),
                  "warning: load[1].drag: has no effect on an equilibrium");
}

SENTENCE("scene", "a tress names guides that exist, each once, has fibres, and a spread in which they can lie") {
  const auto tress = [](const std::string& fields) { return complaints(plain_scene + "[[tress]]\n" + fields); };
  EXPECT_EQ(tress("guides = [\"beam\"]\nfibres = 10\nspread = \"5 mm\"\n"), "");
  EXPECT_CONTAINS(tress("fibres = 10\nspread = 0.01\n"), "tress[0].guides: is missing");
  EXPECT_CONTAINS(tress("guides = []\nfibres = 10\nspread = 0.01\n"),
                  "tress[0].guides: is empty: fibres have nothing to follow, must name at least one rod; "
                  "write guides = [\"beam\"]");
  EXPECT_CONTAINS(tress("guides = [\"bean\"]\nfibres = 10\nspread = 0.01\n"),
                  "tress[0].guides[0]: no rod is called \"bean\"; did you mean `beam`?");
  EXPECT_CONTAINS(tress("guides = [\"beam\"]\nspread = 0.01\n"), "tress[0].fibres: is missing");
  EXPECT_CONTAINS(tress("guides = [\"beam\"]\nfibres = 0\nspread = 0.01\n"),
                  "tress[0].fibres: got 0, must be between 1 and 100000");
  EXPECT_CONTAINS(tress("guides = [\"beam\"]\nfibres = 10\n"),
                  "tress[0].spread: is 0, so that all fibres of a guide lie on it, must be > 0");
  EXPECT_CONTAINS(tress("guides = [\"beam\"]\nfibres = 10\nspread = -1\n"), "tress[0].spread: got -1 m, must be at least 0");
  EXPECT_CONTAINS(tress("guides = [\"beam\"]\nfibres = 10\nspread = 0.01\nfill = \"between\"\n"),
                  "tress[0].fill: \"between\", but there is one guide, needs at least two guides");
  EXPECT_CONTAINS(tress("guides = [\"beam\", \"beam\"]\nfibres = 10\nspread = 0.01\n"),
                  "tress[0].guides[1]: rod \"beam\" guides tress \"tress1\" already");
  EXPECT_CONTAINS(tress("guides = [\"beam\"]\nfibres = 100000\npoints = 1000\nspread = 0.01\n"),
                  "tress[0].fibres: all fibres together have 1e+08 points, must be at most 8000000");
}

SENTENCE("scene", "winches stand at an end that is held, with rope enough, and reevings have a point for each node") {
  const auto winch = [](const std::string& fields) {
    return complaints(plain_scene + "[[winch]]\nrod = \"beam\"\n" + fields);
  };
  const std::string none = winch("");
  EXPECT_CONTAINS(none, "winch[0]: method `der` has no winches");
  EXPECT_EQ(none.find("nothing holds"), std::string::npos) << none;
  EXPECT_CONTAINS(winch("end = \"end\"\n"), "winch[0]: nothing holds the end of rod \"beam\"");
  EXPECT_CONTAINS(winch("speed = { keys = [[0, 3]] }\n"),
                  "winch[0].speed.keys[0]: got 3 m/s, must be at most top_speed, 2 m/s");
  EXPECT_CONTAINS(winch("speed = { shape = \"hold\", keys = [[0, 0], [1, 1.5], [1.5, -1]] }\nstored = 0.7\n"),
                  "winch[0].stored: 0.7 m of rope, but speed pays out 0.75; store more rope, or pay out less");
  EXPECT_EQ(winch("speed = { shape = \"hold\", keys = [[0, 0], [1, 1.5], [1.5, -1]] }\nstored = 0.75\n").find("stored"),
            std::string::npos);
  EXPECT_CONTAINS(winch("speed = { keys = [[0, 0]] }\nforce = { keys = [[0, 1]] }\n"), "speed and force are both given");
  EXPECT_CONTAINS(winch("[[winch]]\nrod = \"beam\"\n"), "winch[1]: stands where winch \"winch1\" stands");
  EXPECT_CONTAINS(winch("name = \"drum\"\nfollows = \"drun\"\n"),
                  "winch[0].follows: no winch is called \"drun\"; the scene has no other winch");
  const auto reeving = [](const std::string& fields) {
    return complaints(plain_scene +
                      "[[rod]]\nname = \"rope\"\nmaterial = \"rubber\"\nsection = { circle = { radius = 0.01 } }\n"
                      "rest = { polyline = { points = [[0, 0, 0], [0, 0, 1], [1, 0, 1]] } }\n[[reeving]]\n" +
                      fields);
  };
  EXPECT_CONTAINS(reeving("rod = \"beam\"\npoints = [{ }, { }]\n"),
                  "reeving[0].rod: does not name a rod whose rest curve is an open");
  EXPECT_CONTAINS(reeving("rod = \"rope\"\npoints = [{ }, { }]\n"), "reeving[0].points: 2 points, but the rod has 3");
  EXPECT_CONTAINS(reeving("rod = \"rope\"\npoints = [{ }, { body = \"hook\" }, { }]\n"), "no body is called \"hook\"");
  EXPECT_CONTAINS(reeving("rod = \"rope\"\npoints = [{ }, { radius = 0 }, { }]\n"),
                  "reeving[0].points[1].radius: got 0 m, must be > 0");
}

SENTENCE("scene", "bodies have mass and a possible inertia, and joints join two things that exist") {
  const auto body = [](const std::string& fields) { return plain_scene + "[[body]]\nname = \"bob\"\n" + fields; };
  EXPECT_EQ(complaints(body("mass = 1\ninertia = [1, 1, 2]\n")), "");
  EXPECT_EQ(complaints(body("density = 1000\nshape = { box = { size = [0.1, 0.2, 0.3] } }\n")), "");
  EXPECT_CONTAINS(complaints(body("mass = 0\ninertia = [1, 1, 1]\n")), "body[0].mass: got 0 kg, must be > 0");
  EXPECT_CONTAINS(complaints(body("inertia = [1, 1, 1]\n")), "body[0].mass: is missing, a body that moves needs a mass");
  EXPECT_CONTAINS(complaints(body("mass = 1\n")), "body[0].inertia: is missing, a body without a shape needs");
  EXPECT_CONTAINS(complaints(body("mass = 1\ninertia = [1, 1, 2.1]\n")),
                  "no moment of inertia can be larger than the sum of the other two, but 2.1 > 2");
  EXPECT_CONTAINS(complaints(body("mass = 1\ninertia = [1, 0, 1]\n")), "each moment of inertia must be > 0");
  EXPECT_CONTAINS(complaints(body("mass = 1\ndensity = 1\nshape = { sphere = { radius = 1 } }\n")),
                  "mass and density are both given");
  EXPECT_CONTAINS(complaints(body("density = 1\ninertia = [1, 1, 1]\n")), "body[0].density: is given without a shape");
  EXPECT_CONTAINS(complaints(body("mass = 1\nshape = { box = { size = [1, 1, 0] } }\n")), "each side must be > 0");
  EXPECT_CONTAINS(complaints(body("mass = 1\ninertia = [1, 1, 1]\nturn = { keys = [[0, 0]] }\n")),
                  "body[0].turn: is given, but the body is dynamic; set kind = \"driven\"");
  EXPECT_CONTAINS(complaints(body("kind = \"fixed\"\nvelocity = [1, 0, 0]\n")),
                  "body[0].velocity: is given, but the body is fixed");
  EXPECT_CONTAINS(complaints(body("mass = 1\ninertia = [1, 1, 1]\nkind = \"guided\"\nvelocity = [1, 0, 1]\n")),
                  "a guided body slides along `axis` only");
  EXPECT_CONTAINS(complaints(body("mass = 1\ninertia = [1, 1, 1]\nfriction = -1\n")),
                  "body[0].friction: got -1, must be at least 0");

  const auto joint = [&](const std::string& a, const std::string& b) {
    return complaints(body("mass = 1\ninertia = [1, 1, 1]\n[[joint]]\na = " + a + "\nb = " + b + "\n"));
  };
  EXPECT_EQ(joint("{ rod = \"beam\", at = 1 }", "{ body = \"bob\" }"), "");
  EXPECT_EQ(joint("{ body = \"bob\" }", "{ world = true }"), "");
  EXPECT_CONTAINS(joint("{ rod = \"bean\", at = 1 }", "{ body = \"bob\" }"), "no rod is called \"bean\"; did you mean");
  EXPECT_CONTAINS(joint("{ rod = \"beam\", at = 1 }", "{ body = \"bop\" }"), "no body is called \"bop\"; did you mean");
  EXPECT_CONTAINS(joint("{ rod = \"beam\", body = \"bob\" }", "{ world = true }"),
                  "joint[0].a: says more than one of rod, body and world");
  EXPECT_CONTAINS(joint("{ at = 1 }", "{ body = \"bob\" }"), "joint[0].a: says neither rod, body nor world");
  EXPECT_CONTAINS(joint("{ body = \"bob\" }", "{ body = \"bob\" }"), "a joint must join two");
  EXPECT_CONTAINS(joint("{ world = true }", "{ world = true }"), "joins");
  EXPECT_CONTAINS(
      complaints(body("mass = 1\ninertia = [1, 1, 1]\n[[probe]]\nname = \"p\"\nbody = \"bob\"\nquantity = \"twist\"\n")),
      "a body has no twist");
}

// Three methods that differ in what they can do.
std::vector<MethodInfo> three_methods() {
  MethodInfo full{}, still{}, loose{};
  full.name = "full";
  const FeatureSet both{Feature::anisotropic,    Feature::rest_curvature, Feature::ring,       Feature::joints,
                        Feature::follower_loads, Feature::drag,           Feature::damping,    Feature::hold_position,
                        Feature::hold_direction, Feature::hold_twist,     Feature::hold_inside};
  full.can.motion = both.with({Feature::inertia});
  full.can.equilibrium = both.with({Feature::equilibria});
  still.name = "still";
  still.can.equilibrium = full.can.equilibrium.without({Feature::joints, Feature::drag});
  loose.name = "loose";
  loose.can.motion = {Feature::inertia, Feature::hold_position};
  loose.can.fewest_edges = 4;
  loose.options = {{"stretchy", "", false, -forever, forever, {}, "stretches"},
                   {"tolerance", "m", 1e-8, 1e-12, 1e-2, {}, "when to stop"},
                   {"solver", "", std::string("direct"), -forever, forever, {"direct", "iterative"}, "which"}};
  return {full, still, loose};
}

SENTENCE("scene",
         "a rod in an equilibrium is held by what it is joined to, through any number of joints; one that is not is told") {
  const auto rod = [](const std::string& name, int at) {
    return fmt::format(
        "[[rod]]\nname = \"{}\"\nmaterial = \"rubber\"\nsection = {{ circle = {{ radius = 0.005 }} }}\nrest = {{ straight = "
        "{{ start = [{}, 0, 0], end = [{}, 0, 0] }} }}\nsegments = 10\n",
        name, at, at + 1);
  };
  const auto joint = [](const std::string& a, const std::string& b) {
    return fmt::format("[[joint]]\nname = \"{0}{1}\"\na = {{ rod = \"{0}\", at = 1 }}\nb = {{ rod = \"{1}\", at = 0 }}\n", a,
                       b);
  };
  const std::string three = with("duration = 2.0", "mode = \"statics\"") + rod("second", 1) + rod("third", 2);
  const std::string loose = complaints(three + joint("second", "third"));
  EXPECT_CONTAINS(loose, "rod[1]: nothing holds this rod in place");
  EXPECT_CONTAINS(loose, "rod[2]: nothing holds this rod in place");
  EXPECT_LACKS(complaints(three + joint("second", "third") + joint("beam", "second")), "nothing holds this rod");
}

SENTENCE("scene", "what a method cannot do is refused, naming the methods that can") {
  const auto methods = three_methods();
  const auto ask = [&](std::string text, const std::string& method) {
    text.replace(text.find("\"der\""), 5, "\"" + method + "\"");
    return complaints(text, methods);
  };
  EXPECT_EQ(ask(plain_scene, "full"), "");
  EXPECT_EQ(ask(plain_scene, "still"),
            "scene.toml:4:1: time.mode: method `still` computes equilibria only, but the mode is \"dynamics\"; methods that "
            "can: full\n");
  const std::string loose = ask(with("segments = 50", "segments = 3"), "loose");
  EXPECT_CONTAINS(loose,
                  "rod[0].segments: method `loose` needs at least 4 segments, but rod `beam` has 3; methods that can: full");
  EXPECT_CONTAINS(
      loose, "clamp[0].hold: method `loose` cannot hold the twist, but clamp `clamp1` asks for it; methods that can: full");
  EXPECT_CONTAINS(loose, "cannot hold the direction");
  EXPECT_LACKS(loose, "cannot hold the position");
  EXPECT_CONTAINS(ask(with("at  = 0.0", "at = 0.5"), "loose"), "clamp[0].at: method `loose` holds rods at their ends only");
  EXPECT_CONTAINS(
      ask(with("duration = 2.0", "mode = \"statics\""), "loose"),
      "time.mode: method `loose` computes motion only, but the mode is \"statics\"; methods that can: full, still");
  EXPECT_CONTAINS(ask(with(straight, "circle = { radius = 1 }"), "loose"), "rod[0].rest: method `loose` knows no rings");
  EXPECT_CONTAINS(ask(with(straight, "arc = { radius = 1, angle = 1 }"), "loose"), "knows straight rest shapes only");
  EXPECT_LACKS(ask(with(straight, "polyline = { points = [[0, 0, 0], [1, 0, 0], [3, 0, 0]] }"), "loose"),
               "straight rest shapes");
  EXPECT_CONTAINS(ask(with("circle = { radius = 0.005 }", "ellipse = { a = 0.1, b = 0.2 }"), "loose"),
                  "rod[0].section: method `loose` needs equal bending stiffness");
  EXPECT_CONTAINS(ask(with("segments = 50", "damping = { mass = 1 }"), "loose"),
                  "rod[0].damping: method `loose` has no damping");
  EXPECT_CONTAINS(
      ask(plain_scene + "[[load]]\nforce = { rod = \"beam\", value = [1, 0, 0], axes = \"material\" }\n", "loose"),
      "load[1].force.axes: method `loose` has no loads that turn with the rod");
  EXPECT_CONTAINS(ask(plain_scene + "[[load]]\nwind = { velocity = [1, 0, 0] }\n", "loose"),
                  "load[1]: method `loose` has no drag and no wind");
  EXPECT_CONTAINS(ask(plain_scene + "[[load]]\ndrag = { normal = 1 }\n", "loose"), "load[1]: method `loose` has no drag");
  EXPECT_CONTAINS(ask(plain_scene + "[[joint]]\na = { rod = \"beam\", at = 0 }\nb = { rod = \"beam\", at = 1 }\n", "loose"),
                  "joint[0]: method `loose` has no joints, but the scene has joint `joint1`; methods that can: full");
}

SENTENCE("scene", "when no method can do all of a scene, those that can do the part are named") {
  auto methods = three_methods();
  methods[0].can.motion = {};
  Scene scene = *read_scene(plain_scene, "scene.toml");
  scene.method = "still";
  EXPECT_CONTAINS(to_text(check_scene(scene, methods)), "methods that can do this, but not all of the scene: loose");
  methods.pop_back();
  EXPECT_CONTAINS(to_text(check_scene(scene, methods)), "no method can");
}

SENTENCE("scene", "options of a method are checked against its list") {
  const auto methods = three_methods();
  const auto options = [&](const std::string& name, const OptionValue& value) {
    Scene scene = *read_scene(plain_scene, "scene.toml");
    scene.options["loose"][name] = value;
    return to_text(check_options(scene, methods));
  };
  EXPECT_EQ(options("stretchy", true), "");
  EXPECT_EQ(options("tolerance", 1e-6), "");
  EXPECT_EQ(options("solver", std::string("iterative")), "");
  EXPECT_CONTAINS(options("strechy", true), "options.loose.strechy: unknown option; did you mean `stretchy`?");
  EXPECT_CONTAINS(options("stretchy", 1.0), "options.loose.stretchy: got 1, must be true or false");
  EXPECT_CONTAINS(options("tolerance", 1.0), "options.loose.tolerance: got 1 m, must be between 1e-12 and 0.01");
  EXPECT_CONTAINS(options("tolerance", true), "must be a number in m");
  EXPECT_CONTAINS(options("solver", std::string("direkt")), "must be one of: direct, iterative; did you mean `direct`?");
  EXPECT_CONTAINS(complaints(plain_scene + "[options.dre]\nx = 1\n"),
                  "scene.toml:33:10: options.dre: no method is called \"dre\"; did you mean `der`?");
}

SENTENCE("scene", "options that are properties of the rod now are refused, naming the new place") {
  const auto told = [](const char* method, const char* option) {
    return complaints(with("[time]", std::string("[options.") + method + "]\n" + option + "\n[time]"));
  };
  EXPECT_CONTAINS(told("der", "extensible = true"),
                  "options.der.extensible: is no option any more; write stretch = \"elastic\" in the [[rod]] instead");
  EXPECT_CONTAINS(told("strands", "shear_ratio = 0.5"), "write shear = \"elastic\" in the [[rod]] instead");
  EXPECT_CONTAINS(told("strands", "law = \"stiffening\""), "write stiffening_strain = ... in the [[rod]] instead");
  EXPECT_CONTAINS(told("strands", "stiffening_strain = 2"), "write stiffening_strain = ... in the [[rod]] instead");
}

SENTENCE("scene", "how a rod gives way, sliding clamps, switched joints and moments per length are refused by name") {
  const auto told = [](const char* from, const char* to) { return complaints(with(from, to)); };
  EXPECT_CONTAINS(told("segments = 50", "segments = 50\nshear = \"elastic\""),
                  "rod[0].shear: method `der` has no rods that shear, but rod `beam` shears");
  EXPECT_CONTAINS(told("segments = 50", "segments = 50\nstiffening_strain = 2"),
                  "rod[0].stiffening_strain: method `der` knows linear moments only");
  EXPECT_EQ(told("segments = 50", "segments = 50\nstretch = \"elastic\""), "");
  EXPECT_CONTAINS(
      told("at  = 0.0", "at  = 0.0\nslide = [1, 0, 0]"),
      "clamp[0].slide: method `der` has no clamps that slide, but clamp `clamp1` slides; methods that can: compact");
  EXPECT_EQ(told("gravity = [0, 0, -9.81]", "distributed = { rod = \"beam\", moment = [0, 0, 1] }"), "");
  EXPECT_EQ(told("gravity = [0, 0, -9.81]", "changing_gravity = { factor = { keys = [[0, 0], [1, 1]] } }"), "");
  EXPECT_CONTAINS(
      told("[[load]]",
           "[[joint]]\nkind = \"ball\"\na = { rod = \"beam\", at = 1 }\nb = { world = true }\n"
           "from = 0.5\n[[load]]"),
      "joint[0].from: method `der` has no joints that come and go, but joint `joint1` does; methods that can: cable");
}

SENTENCE("scene", "options fill in what is not given, and asking for a wrong one is misuse") {
  const auto methods = three_methods();
  const Options options(methods[2].options, {{"stretchy", true}});
  EXPECT_TRUE(options.flag("stretchy"));
  EXPECT_EQ(options.number("tolerance"), 1e-8);
  EXPECT_EQ(options.word("solver"), "direct");
  EXPECT_THROW(options.flag("solver"), Misuse);
  EXPECT_THROW(options.number("nonsense"), Misuse);
  EXPECT_THROW(Options(methods[2].options, {{"nonsense", true}}), Misuse);
  EXPECT_THROW(Options(methods[2].options, {{"tolerance", true}}), Misuse);
}

}  // namespace
}  // namespace tendril
