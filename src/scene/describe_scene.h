// long: one line for each field of a scene.
// Every struct of tendril/scene.h, described once: names, units, ranges, sentences. A new scene field is one line in its
// struct and one line here; reader, checker, writer, --set, manual and JSON Schema follow.
#pragma once

#include "scene/describe_bodies.h"
#include "tendril/describe.h"
#include "tendril/scene.h"

// One line per field, as in a table.
// clang-format off

namespace tendril {

inline constexpr double max_frames = 1e6;
inline constexpr int max_fibres = 100'000;  // of a guide

// ---- words ---------------------------------------------------------------------------------------------------------------------
template <> struct Words<TimetableShape> { static constexpr Word list[] = {
  {"hold", "each value stays until the next key"}, {"linear", "straight between keys"},
  {"smooth", "smooth between keys, at rest at every key"}}; };
template <> struct Words<SectionFollows> { static constexpr Word list[] = {
  {"parallel", "the section is carried along without twist"}, {"curve", "d1 points to the centre of curvature"}}; };
template <> struct Words<Give> { static constexpr Word list[] = {
  {"none", "does not give way at all"}, {"elastic", "gives way in proportion to the force"}}; };
template <> struct Words<Hold> { static constexpr Word list[] = {
  {"position", "the point stays on its path"}, {"direction", "the rod's direction there is given"},
  {"twist", "the rod cannot turn about itself there"}}; };
template <> struct Words<Axes> { static constexpr Word list[] = {
  {"world", "fixed in space"}, {"material", "turns with the rod (d1, d2, d3): a follower load"}}; };
template <> struct Words<JointKind> { static constexpr Word list[] = {
  {"ball", "transmits force only"}, {"hinge", "free to turn about one axis"}, {"rigid", "transmits everything"},
  {"slider", "free to slide along one axis, does not turn; between bodies, or a body and the world"}}; };
template <> struct Words<RodEnd> { static constexpr Word list[] = {
  {"start", "the rod's first point"}, {"end", "its last"}}; };
template <> struct Words<TressFill> { static constexpr Word list[] = {
  {"follow", "each keeps its place in the sections of one guide"},
  {"between", "each lies between a guide and the two that start nearest to it"}}; };
template <> struct Words<Mode> { static constexpr Word list[] = {
  {"dynamics", "motion with inertia"}, {"statics", "one equilibrium, under the loads and paths of the end time"},
  {"quasistatic", "an equilibrium at every recorded time"}}; };
template <> struct Words<Quantity> { static constexpr Word list[] = {
  {"position", "m"}, {"velocity", "m/s"}, {"direction", "unit tangent"}, {"orientation", "quaternion w, x, y, z"},
  {"curvature", "rad/m about d1, d2"}, {"twist", "rad, from the start of the rod to here"}, {"twist_rate", "rad/m"},
  {"force", "N, internal"}, {"moment", "N m, internal"}, {"tension", "N"}, {"reaction_force", "N, of a clamp or coupling"},
  {"reaction_moment", "N m, of a clamp or coupling"}, {"length", "m"}, {"total_twist", "turns"}, {"writhe", "turns"}, {"link", "turns"},
  {"bending_energy", "J"}, {"twisting_energy", "J"}, {"kinetic_energy", "J"}, {"total_energy", "J"},
  {"angular_velocity", "rad/s, of a body"}}; };

template <> struct Choices<CrossSection> { static constexpr Word list[] = {
  {"circle", "round"}, {"ellipse", "elliptic"}, {"rectangle", "rectangular"}, {"stiffness", "stiffness and mass given directly"}}; };
template <> struct Choices<Curve> { static constexpr Word list[] = {
  {"straight", "a straight line"}, {"arc", "part of a circle"}, {"circle", "a closed ring"}, {"helix", "a helix"},
  {"polyline", "points, or a CSV file"}, {"sine", "a wave"}, {"parabola", "a parabola"}, {"trefoil", "a closed trefoil knot"},
  {"bent", "constant natural curvature and twist"}}; };
template <> struct Choices<Load> { static constexpr Word list[] = {
  {"gravity", "weight"}, {"force", "a force at a point"}, {"moment", "a moment at a point"},
  {"distributed", "a force or moment per length"}, {"drag", "resistance of a still fluid"}, {"wind", "moving air"},
  {"changing_gravity", "weight that changes with time"}}; };

// ---- timetables -------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, Timetable<double>::Key& k) {
  v.about("key", "One row of a timetable, also written as a pair `[time, value]`.");
  v("time", k.time, "when", unit("s"), required);
  v("value", k.value, "the value then, in the unit of the field", required);
}
template <class V> void describe(V& v, Timetable<Vec3>::Key& k) {
  v.about("key of vectors", "One row of a timetable of vectors, also written as a pair `[time, [x, y, z]]`.");
  v("time", k.time, "when", unit("s"), required);
  v("value", k.value, "the value then, in the unit of the field", required);
}
template <class V> void describe(V& v, Timetable<double>& t) {
  v.about("timetable", "A number that changes with time. Before the first and after the last key it stays.");
  v("shape", t.shape, "how it passes from key to key");
  v("keys", t.keys, "in rising time", required);
}
template <class V> void describe(V& v, Timetable<Vec3>& t) {
  v.about("timetable of vectors", "A vector that changes with time. Before the first and after the last key it stays.");
  v("shape", t.shape, "how it passes from key to key");
  v("keys", t.keys, "in rising time", required);
}

// ---- materials and sections ----------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, Material& m) {
  v.about("material", "What a rod is made of, under its name: `[material.rubber]`.");
  v("density", m.density, "mass per volume", unit("kg/m^3"), above(0), required);
  v("young_modulus", m.young_modulus, "stiffness against stretching", unit("Pa"), above(0), required);
  v("poisson_ratio", m.poisson_ratio, "gives the shear modulus E / (2 (1 + nu)); 0.5 when neither is given", above_up_to(-1, 0.5));
  v("shear_modulus", m.shear_modulus, "instead of poisson_ratio", unit("Pa"), above(0));
}
template <class V> void describe(V& v, CircleSection& s) {
  v.about("circle section", "A round section.");
  v("radius", s.radius, "radius", unit("m"), above(0), required);
}
template <class V> void describe(V& v, EllipseSection& s) {
  v.about("ellipse section", "An elliptic section.");
  v("a", s.a, "half axis along d1", unit("m"), above(0), required);
  v("b", s.b, "half axis along d2", unit("m"), above(0), required);
}
template <class V> void describe(V& v, RectangleSection& s) {
  v.about("rectangle section", "A rectangular section, with its true torsion constant.");
  v("width", s.width, "side along d1", unit("m"), above(0), required);
  v("height", s.height, "side along d2", unit("m"), above(0), required);
}
template <class V> void describe(V& v, StiffnessSection& s) {
  v.about("stiffness section", "Stiffness and mass given directly; needs no material.");
  v("EA", s.EA, "resists stretching", unit("N"), above(0));
  v("EI1", s.EI1, "resists bending about d1; 0: a limp rope", unit("N m^2"), at_least(0), required);
  v("EI2", s.EI2, "resists bending about d2; 0: a limp rope", unit("N m^2"), at_least(0), required);
  v("GJ", s.GJ, "resists twisting; 0: the rod turns freely about itself", unit("N m^2"), at_least(0), required);
  v("mass_per_length", s.mass_per_length, "mass per length", unit("kg/m"), above(0), required);
  v("radius", s.radius, "for drawing, wind and contact", unit("m"), at_least(0));
  v("GA1", s.GA1, "resists shear along d1", unit("N"), above(0));
  v("GA2", s.GA2, "resists shear along d2", unit("N"), above(0));
  v("rotary1", s.rotary1, "rotary inertia per length about d1; of a round section with this mass and radius when not given", unit("kg m"), at_least(0));
  v("rotary2", s.rotary2, "rotary inertia per length about d2", unit("kg m"), at_least(0));
}
template <class V> void describe(V& v, Station& s) {
  v.about("station", "A section at a place of the rod; between stations it is interpolated.");
  v("at", s.at, "fraction of the rod's length", between(0, 1), required);
  v("section", s.section, "the section there", required);
}

// ---- curves ---------------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, StraightCurve& c) {
  v.about("straight curve", "A straight line.");
  v("start", c.start, "first point", unit("m"));
  v("end", c.end, "last point", unit("m"), required);
}
template <class V> void describe(V& v, ArcCurve& c) {
  v.about("arc curve", "Part of a circle: starts at `start` along `direction` and bends towards `towards`.");
  v("start", c.start, "first point", unit("m"));
  v("direction", c.direction, "direction at the start", non_zero);
  v("towards", c.towards, "direction in which it bends; need not be perpendicular to `direction`", non_zero);
  v("radius", c.radius, "radius of the circle", unit("m"), above(0), required);
  v("angle", c.angle, "how far it goes round", unit("rad"), above(0), required);
}
template <class V> void describe(V& v, CircleCurve& c) {
  v.about("circle curve", "A closed ring.");
  v("center", c.center, "centre", unit("m"));
  v("normal", c.normal, "axis of the circle; the ring runs about it in the right-handed sense", non_zero);
  v("radius", c.radius, "radius of the circle", unit("m"), above(0), required);
}
template <class V> void describe(V& v, HelixCurve& c) {
  v.about("helix curve", "A helix about an axis through `center`, starting at `center` + radius times `radial`.");
  v("center", c.center, "point of the axis level with the start", unit("m"));
  v("axis", c.axis, "direction in which it climbs", non_zero);
  v("radial", c.radial, "from the axis to the start; need not be perpendicular to `axis`", non_zero);
  v("radius", c.radius, "distance from the axis", unit("m"), above(0), required);
  v("pitch", c.pitch, "climb per turn", unit("m"), at_least(0), required);
  v("turns", c.turns, "number of turns", above(0), required);
  v("left_handed", c.left_handed, "turns the other way round");
}
template <class V> void describe(V& v, PolylineCurve& c) {
  v.about("polyline curve", "A curve through points, given here or in a CSV file with rows x,y,z (a header line is allowed).");
  v("points", c.points, "the points", unit("m"));
  v("file", c.file, "CSV file, relative to the scene's folder; its rows become the points");
  v("closed", c.closed, "the last point is joined to the first");
}
template <class V> void describe(V& v, SineCurve& c) {
  v.about("sine curve", "A wave: start + x direction + amplitude sin(2 pi waves x / span) normal.");
  v("start", c.start, "first point", unit("m"));
  v("direction", c.direction, "along the wave", non_zero);
  v("normal", c.normal, "direction in which it oscillates; need not be perpendicular to `direction`", non_zero);
  v("span", c.span, "distance from first to last point", unit("m"), above(0), required);
  v("amplitude", c.amplitude, "height of the wave", unit("m"), required);
  v("waves", c.waves, "number of waves", above(0));
}
template <class V> void describe(V& v, ParabolaCurve& c) {
  v.about("parabola curve", "A parabola from `start` to `end`.");
  v("start", c.start, "first point", unit("m"));
  v("end", c.end, "last point", unit("m"), required);
  v("normal", c.normal, "direction in which it bulges; need not be perpendicular to the line from start to end", non_zero);
  v("height", c.height, "bulge in the middle", unit("m"), required);
}
template <class V> void describe(V& v, TrefoilCurve& c) {
  v.about("trefoil curve", "A closed knot: center + size ((2 + cos 3t) cos 2t, (2 + cos 3t) sin 2t, sin 3t).");
  v("center", c.center, "centre", unit("m"));
  v("size", c.size, "scale; the knot is about six times as wide", unit("m"), above(0), required);
}
template <class V> void describe(V& v, BentCurve& c) {
  v.about("bent curve", "A rod with the same natural curvature and twist everywhere.");
  v("start", c.start, "first point", unit("m"));
  v("direction", c.direction, "direction at the start", non_zero);
  v("d1", c.d1, "first axis of the section at the start", non_zero);
  v("length", c.length, "length", unit("m"), above(0), required);
  v("curvature", c.curvature, "about d1 and d2", unit("rad/m"));
  v("twist", c.twist, "about the rod", unit("rad/m"));
}

// ---- rods ---------------------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, Refinement& r) {
  v.about("refinement", "A stretch of the rod with shorter segments.");
  v("from", r.from, "fraction of the rod's length where it begins", between(0, 1));
  v("to", r.to, "fraction where it ends", between(0, 1));
  v("factor", r.factor, "how many times shorter the segments are", between(1e-3, 1e3), required);
}
template <class V> void describe(V& v, Damping& d) {
  v.about("damping", "How a rod loses energy.");
  v("mass", d.mass, "force per mass and velocity", unit("1/s"), at_least(0));
  v("internal", d.internal, "moment = stiffness (strain + internal * strain rate)", unit("s"), at_least(0));
}
template <class V> void describe(V& v, Rod& r) {
  v.about("rod", "One elastic rod.");
  v("name", r.name, "how others refer to it; rod1, rod2, ... when not given");
  v("material", r.material, "name of its material; not needed with a stiffness section", refers_to("material"));
  v("section", r.section, "its section, when it is the same everywhere");
  v("sections", r.sections, "instead: sections at stations along the rod");
  v("stretch", r.stretch, "whether it stretches, by its EA, or keeps its length");
  v("shear", r.shear, "whether it shears, by its GA1 and GA2, or its sections stay perpendicular to it");
  v("stiffening_strain", r.stiffening_strain, "k of the law moment = stiffness e sqrt(1 + (e/k)^2), e: strain beyond rest; in proportion when not given", unit("rad/m"), above(0));
  v("rest", r.rest, "the shape it takes when nothing acts on it", required);
  v("initial", r.initial, "the shape at the start, when it is not the rest shape");
  v("follows", r.follows, "how the section turns along the rest curve");
  v("d1", r.d1, "direction of the section's first axis at the start of the rest curve", non_zero);
  v("initial_d1", r.initial_d1, "the same for the initial curve", non_zero);
  v("natural_twist", r.natural_twist, "twist of the rest shape", unit("rad/m"));
  v("initial_twist", r.initial_twist, "twist over the whole rod at the start, on top of the rest shape", unit("turns"));
  v("initial_noise", r.initial_noise, "size of a small random sideways displacement at the start, breaks symmetry", unit("m"), at_least(0));
  v("velocity", r.velocity, "at the start", unit("m/s"));
  v("angular_velocity", r.angular_velocity, "at the start, about the rod's centre", unit("rad/s"));
  v("velocities", r.velocities, "at the start, one of each node, added to these", unit("m/s"));
  v("segments", r.segments, "number of segments; 50 when not given, for a polyline its own", between(1, max_segments));
  v("refine", r.refine, "stretches with shorter segments");
  v("damping", r.damping, "how it loses energy");
}

// ---- clamps, joints -------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, Clamp& c) {
  v.about("clamp", "Holds a point of a rod, or moves it on a path.");
  v("name", c.name, "how probes refer to it; clamp1, clamp2, ... when not given");
  v("rod", c.rod, "name of the rod", refers_to("rod"), required);
  v("at", c.at, "fraction of the rod's length", between(0, 1));
  v("hold", c.hold, "what is held");
  v("move", c.move, "displacement from where it starts", unit("m"));
  v("turn", c.turn, "turn about `axis`, any number of turns", unit("turns"));
  v("axis", c.axis, "axis of the turn; the rod's direction there when not given", non_zero);
  v("direction", c.direction, "held direction; the rod's direction there at the start when not given", non_zero);
  v("from", c.from, "holds from this time, from where the rod is then", unit("s"), at_least(0));
  v("until", c.until, "lets go at this time", unit("s"), above(0), or_forever);
  v("slide", c.slide, "the held position may slide along this direction: a chute", non_zero);
}
template <class V> void describe(V& v, Coupling& c) {
  v.about("coupling", "A spring and a damper between a point of a rod and a place that may move: a hand that leads the rod and feels it.");
  v("name", c.name, "how probes and inputs refer to it; coupling1, coupling2, ... when not given");
  v("rod", c.rod, "name of the rod", refers_to("rod"), required);
  v("at", c.at, "fraction of the rod's length", between(0, 1));
  v("position", c.position, "the place at the start; where the point is then when not given", unit("m"));
  v("move", c.move, "displacement of the place", unit("m"));
  v("turn", c.turn, "turn of the place about `axis`, any number of turns; felt through angular_stiffness", unit("turns"));
  v("axis", c.axis, "axis of the turn; the rod's direction there when not given", non_zero);
  v("stiffness", c.stiffness, "force per distance between point and place", unit("N/m"), at_least(0));
  v("damping", c.damping, "force per difference of their velocities", unit("N s/m"), at_least(0));
  v("angular_stiffness", c.angular_stiffness, "moment per angle between the rod's frame and the place's", unit("N m/rad"), at_least(0));
  v("angular_damping", c.angular_damping, "moment per difference of their angular velocities", unit("N m s/rad"), at_least(0));
  v("from", c.from, "pulls from this time", unit("s"), at_least(0));
  v("until", c.until, "lets go at this time", unit("s"), above(0), or_forever);
}
template <class V> void describe(V& v, JointPlace& p) {
  v.about("joint place", "A point of a rod, a body, or the world: one of the three.");
  v("rod", p.rod, "name of the rod", refers_to("rod"));
  v("at", p.at, "fraction of the rod's length", between(0, 1));
  v("body", p.body, "name of the body", refers_to("body"));
  v("world", p.world, "joined to the world");
  v("point", p.point, "point of the body, in its own axes, of a joint with `reach`; where the joint is at the start when not given", unit("m"));
}
template <class V> void describe(V& v, Joint& j) {
  v.about("joint", "Joins two rods, a rod and a body, two bodies, or one of them and the world, at a point.");
  v("name", j.name, "joint1, joint2, ... when not given");
  v("kind", j.kind, "what is transmitted");
  v("a", j.a, "what is joined", required);
  v("b", j.b, "to what it is joined", required);
  v("axis", j.axis, "axis of a hinge or a slider, at the start", non_zero);
  v("point", j.point, "where it is at the start, when no rod is joined; with a rod it is at the rod's point", unit("m"));
  v("from", j.from, "joins from this time on, as things stand and are turned then; inf: only when it is switched on by hand", unit("s"), at_least(0), or_forever);
  v("until", j.until, "lets go at this time", unit("s"), above(0), or_forever);
  v("reach", j.reach, "a hook: when its two points are no farther apart than this it draws them together softly, and takes hold where they meet; when not given it joins at any distance and keeps it", unit("m"), above(0));
}

// ---- ropes that run -----------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, Winch& w) {
  v.about("winch", "A drum that pays out rope at an end of a rod, or reels it in. The rope leaves the drum where a clamp or a joint holds this end.");
  v("name", w.name, "winch1, winch2, ... when not given");
  v("rod", w.rod, "name of the rod", refers_to("rod"));
  v("end", w.end, "which end of the rod runs onto the drum");
  v("speed", w.speed, "of the rope: > 0 pays out, < 0 reels in; 0 when not given", unit("m/s"));
  v("top_speed", w.top_speed, "no speed beyond it can be asked for, here or while it runs", unit("m/s"), above(0));
  v("acceleration", w.acceleration, "changes of speed are no faster; at once when not given", unit("m/s^2"), above(0));
  v("max_force", w.max_force, "the drum slips under a larger tension; never when not given", unit("N"), above(0));
  v("force", w.force, "instead of speed: the drum pulls with this force, no faster than top_speed", unit("N"));
  v("stored", w.stored, "rope on the drum at the start, straight and like that at this end", unit("m"), at_least(0));
  v("shortest", w.shortest, "reeling in stops when only this much is out; when not given three segments, of a reeved rope four radii of its largest sheave a fall", unit("m"), at_least(0));
  v("follows", w.follows, "another winch, whose speed is added to its own: two drums that turn together, and one of them apart", refers_to("winch"));
}
template <class V> void describe(V& v, Sheave& s) {
  v.about("sheave", "A point through which a rope runs; at both ends of the rope: where it is fastened.");
  v("body", s.body, "to which it is fixed; the world when not given", refers_to("body"));
  v("radius", s.radius, "radius of the groove", unit("m"), above(0));
  v("inertia", s.inertia, "moment of inertia about its axle", unit("kg m^2"), at_least(0));
  v("bearing", s.bearing, "friction of its bearing over the sum of both tensions", at_least(0));
  v("friction", s.friction, "coefficient of friction of the rope on it, which counts when it is locked", at_least(0));
  v("locked", s.locked, "it does not turn: the rope slides over it");
}
template <class V> void describe(V& v, Reeving& r) {
  v.about("reeving", "A rope that runs freely through points, each fixed to a body or the world: tackle, hoists, cranes. Its rod is a polyline with a node at each point; between them the rope is straight.");
  v("name", r.name, "reeving1, reeving2, ... when not given");
  v("rod", r.rod, "name of the rod", refers_to("rod"));
  v("points", r.points, "one for each node of the rod, in its order", required);
  v("slack", r.slack, "by how much the rope is longer than its falls at the start; < 0: it starts stretched", unit("m"));
}

// ---- loads ---------------------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, GravityLoad& l) {
  v.about("gravity load", "Weight of everything, written as a plain vector.");
  v.itself(l.acceleration, "acceleration of gravity", unit("m/s^2"), required);
}
template <class V> void describe(V& v, ChangingGravityLoad& l) {
  v.about("changing gravity load", "Weight of everything, that changes with time.");
  v("acceleration", l.acceleration, "acceleration of gravity", unit("m/s^2"));
  v("factor", l.factor, "multiplies it", required);
}
template <class V> void describe_point_load(V& v, PointLoad& l, Unit of_value) {
  v("rod", l.rod, "name of the rod", refers_to("rod"), required);
  v("at", l.at, "fraction of the rod's length", between(0, 1));
  v("value", l.value, "the vector", of_value, required);
  v("axes", l.axes, "in which axes `value` is given");
  v("factor", l.factor, "multiplies `value`; 1 when not given");
}
template <class V> void describe(V& v, ForceLoad& l) {
  v.about("force load", "A force on a point of a rod.");
  describe_point_load(v, l, unit("N"));
}
template <class V> void describe(V& v, MomentLoad& l) {
  v.about("moment load", "A moment on a point of a rod.");
  describe_point_load(v, l, unit("N m"));
}
template <class V> void describe(V& v, DistributedLoad& l) {
  v.about("distributed load", "A force or a moment per length of the rest rod.");
  v("rod", l.rod, "name of the rod", refers_to("rod"), required);
  v("from", l.from, "fraction of the rod's length where it begins", between(0, 1));
  v("to", l.to, "fraction where it ends", between(0, 1));
  v("force", l.force, "force per length", unit("N/m"));
  v("moment", l.moment, "moment per length", unit("N m/m"));
  v("axes", l.axes, "in which axes `force` and `moment` are given");
  v("factor", l.factor, "multiplies them; 1 when not given");
}
template <class V> void describe(V& v, DragLoad& l) {
  v.about("drag load", "Resistance of a still viscous fluid: force per length = -normal v across the rod - tangential v along it.");
  v("rod", l.rod, "name of the rod; every rod when not given", refers_to("rod"));
  v("normal", l.normal, "across the rod", unit("N s/m^2"), at_least(0));
  v("tangential", l.tangential, "along the rod", unit("N s/m^2"), at_least(0));
}
template <class V> void describe(V& v, WindLoad& l) {
  v.about("wind load", "Moving air: force per length = 1/2 density coefficient width |w| w, w across the rod and relative to it.");
  v("rod", l.rod, "name of the rod; every rod when not given", refers_to("rod"));
  v("velocity", l.velocity, "mean velocity of the air", unit("m/s"), required);
  v("density", l.density, "density of the air", unit("kg/m^3"), above(0));
  v("coefficient", l.coefficient, "drag coefficient of the section", at_least(0));
  v("gust", l.gust, "fraction of the speed that comes and goes", at_least(0));
  v("gust_period", l.gust_period, "time from gust to gust", unit("s"), above(0));
  v("gust_length", l.gust_length, "distance between gusts along the wind", unit("m"), above(0));
  v("vortex", l.vortex, "fraction of the speed that swirls sideways", at_least(0));
  v("whirl", l.whirl, "a vortex: axis times rate at which the air turns there, besides its other motion", unit("rad/s"));
  v("whirl_at", l.whirl_at, "a point of the vortex's axis", unit("m"));
  v("whirl_radius", l.whirl_radius, "the air turns like a solid body well within it, ever slower outside", unit("m"), above(0));
  v("factor", l.factor, "multiplies velocity and whirl; 1 when not given");
}

// ---- fibres that are drawn ---------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, Tress& t) {
  v.about("tress", "Many fibres drawn about a few rods, their guides: hair, yarn, grass. Only the guides are simulated, recorded and felt.");
  v("name", t.name, "tress1, tress2, ... when not given");
  v("guides", t.guides, "names of the rods", refers_to("rod"), required);
  v("fibres", t.fibres, "fibres of each guide, itself included", between(1, max_fibres), required);
  v("spread", t.spread, "radius about the guide in which its fibres lie, at its start", unit("m"), at_least(0));
  v("tip_spread", t.tip_spread, "the same at its end; `spread` when not given", unit("m"), at_least(0));
  v("fill", t.fill, "where fibres lie");
  v("points", t.points, "points of a fibre that is drawn", between(2, 1000));
  v("radius", t.radius, "radius of a fibre; its guide's when not given", unit("m"), above(0));
  v("seed", t.seed, "another whole number: other places", at_least(0));
}

// ---- probes, time, the whole -----------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, Probe& p) {
  v.about("probe", "A quantity that is recorded with every frame.");
  v("name", p.name, "its name in summary.json and probes.csv; probe1, probe2, ... when not given");
  v("rod", p.rod, "name of the rod; not for reactions", refers_to("rod"));
  v("at", p.at, "fraction of the rod's length, for quantities at a point", between(0, 1));
  v("clamp", p.clamp, "name of the clamp, for reactions", refers_to("clamp"));
  v("body", p.body, "name of the body, for position, velocity, orientation, angular_velocity, kinetic_energy", refers_to("body"));
  v("coupling", p.coupling, "name of the coupling, for reactions: what it pulls with", refers_to("coupling"));
  v("quantity", p.quantity, "what is recorded", required);
}
template <class V> void describe(V& v, Time& t) {
  v.about("time", "How long, in which mode, with which step.");
  v("duration", t.duration, "time to simulate", unit("s"), above(0));
  v("mode", t.mode, "motion or equilibrium");
  v("step", t.step, "time step; auto: as the method advises", unit("s"), above(0), or_word("auto"));
  v("frames_per_second", t.frames_per_second, "how often a frame is recorded, per simulated second", unit("1/s"), above(0));
  v("allow_unstable", t.allow_unstable, "a step above the stable one is not refused, only warned of");
}
template <class V> void describe(V& v, Scene& s) {
  v.about("scene", "The whole file.");
  v("title", s.title, "one line");
  v("about", s.about, "what to watch for");
  v("method", s.method, "the simulation method, see `tendril list methods`", refers_to("method"));
  v("start_from", s.start_from, "folder of a run, from the scene's own folder; its last state is the start: the same rods and segments");
  v("time", s.time, "how long, in which mode, with which step");
  v.named_tables("material", s.materials, "materials by name");
  v("rod", s.rods, "the rods");
  v("clamp", s.clamps, "holds and moves points of rods");
  v("body", s.bodies, "rigid bodies");
  v("coupling", s.couplings, "pulls points of rods to moving places by springs");
  v("joint", s.joints, "joins rods and bodies at points");
  v("winch", s.winches, "pays out rope at an end of a rod, or reels it in");
  v("reeving", s.reevings, "ropes that run through sheaves");
  v("tress", s.tresses, "fibres that are drawn about rods");
  v("load", s.loads, "forces on rods");
  v("contact", s.contact, "whether and how rods touch");
  v("obstacle", s.obstacles, "what rods and bodies touch besides each other");
  v("probe", s.probes, "what is recorded");
  v("options", s.options, "options of the methods, one table per method");
}

}  // namespace tendril
// clang-format on
