// What rods touch and are joined to: rigid bodies, obstacles, contact. A part of describe_scene.h.
#pragma once

#include "tendril/describe.h"
#include "tendril/scene.h"

// One line per field, as in a table.
// clang-format off

namespace tendril {

inline constexpr double max_triangles = 100000;

template <> struct Words<BodyKind> { static constexpr Word list[] = {
  {"dynamic", "moves freely"}, {"guided", "slides along and turns about `axis` only"},
  {"driven", "moves on a path"}, {"fixed", "stands still"}}; };
template <> struct Choices<BodyShape> { static constexpr Word list[] = {
  {"box", "a box"}, {"sphere", "a ball"}, {"cylinder", "a cylinder along the body's z"}, {"capsule", "a cylinder with round ends"}}; };
template <> struct Choices<ObstacleShape> { static constexpr Word list[] = {
  {"half_space", "everything below a plane"}, {"sphere", "a ball"}, {"capsule", "a rounded cylinder"},
  {"cylinder", "a cylinder with flat ends"}, {"box", "a box"}, {"mesh", "closed, of triangles, or an OBJ file"}}; };

// ---- bodies -----------------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, BoxBody& s) {
  v.about("box body", "A box about the centre of mass.");
  v("size", s.size, "its three sides, each > 0", unit("m"), required);
}
template <class V> void describe(V& v, SphereBody& s) {
  v.about("sphere body", "A ball about the centre of mass.");
  v("radius", s.radius, "radius", unit("m"), above(0), required);
}
template <class V> void describe(V& v, CylinderBody& s) {
  v.about("cylinder body", "A cylinder along the body's z.");
  v("radius", s.radius, "radius", unit("m"), above(0), required);
  v("length", s.length, "length", unit("m"), above(0), required);
}
template <class V> void describe(V& v, CapsuleBody& s) {
  v.about("capsule body", "A cylinder with round ends, along the body's z.");
  v("radius", s.radius, "radius", unit("m"), above(0), required);
  v("length", s.length, "length without the round ends", unit("m"), above(0), required);
}
template <class V> void describe(V& v, RigidBody& b) {
  v.about("body", "A rigid body. Joints fasten rods to it.");
  v("name", b.name, "how joints and probes refer to it; body1, body2, ... when not given");
  v("kind", b.kind, "how it moves");
  v("shape", b.shape, "its shape, for inertia, drawing and contact; without one it has no extent");
  v("mass", b.mass, "its mass", unit("kg"), above(0));
  v("density", b.density, "instead of mass: mass per volume of the shape", unit("kg/m^3"), above(0));
  v("inertia", b.inertia, "moments of inertia about its own x, y and z; from shape and mass when not given", unit("kg m^2"));
  v("position", b.position, "centre of mass at the start", unit("m"));
  v("orientation", b.orientation, "at the start: axis times angle", unit("rad"));
  v("velocity", b.velocity, "at the start", unit("m/s"));
  v("angular_velocity", b.angular_velocity, "at the start", unit("rad/s"));
  v("axis", b.axis, "guided: slides along and turns about it, through its centre; driven: axis of `turn`", non_zero);
  v("move", b.move, "driven: displacement from where it starts", unit("m"));
  v("turn", b.turn, "driven: turn about `axis`, any number of turns", unit("turns"));
  v("low", b.low, "driven: how far it can be moved while it runs, added to its path, along each axis: at least this, none of them above 0; where `low` and `high` are both 0 it stays", unit("m"));
  v("high", b.high, "driven: at most this, none of them below 0; both when not given: as far as the scene is large", unit("m"));
  v("top_speed", b.top_speed, "driven: when it is moved while it runs it goes no faster; at once when not given", unit("m/s"), above(0));
  v("acceleration", b.acceleration, "driven: and changes its speed no faster; needs `top_speed`", unit("m/s^2"), above(0));
  v("damping", b.damping, "force per mass and velocity, and moment per inertia and spin", unit("1/s"), at_least(0));
  v("collides", b.collides, "touches other bodies and the ground; needs a shape");
  v("friction", b.friction, "coefficient of friction, of rods on it too; of two bodies the smaller one counts", at_least(0));
  v("restitution", b.restitution, "part of the speed that is left after a bounce; of two bodies the smaller one counts", between(0, 1));
}

// ---- contact ---------------------------------------------------------------------------------------------------------------------------------
template <class V> void describe(V& v, HalfSpaceShape& s) {
  v.about("half space shape", "Everything below a plane: a floor, a wall.");
  v("point", s.point, "a point of the plane", unit("m"));
  v("normal", s.normal, "out of the ground, towards the rods", non_zero);
}
template <class V> void describe(V& v, SphereShape& s) {
  v.about("sphere shape", "A ball.");
  v("center", s.center, "centre", unit("m"));
  v("radius", s.radius, "radius", unit("m"), above(0), required);
}
template <class V> void describe(V& v, CapsuleShape& s) {
  v.about("capsule shape", "A cylinder with round ends: everything nearer than `radius` to the line from `start` to `end`.");
  v("start", s.start, "first end of its axis", unit("m"));
  v("end", s.end, "other end of its axis", unit("m"), required);
  v("radius", s.radius, "radius", unit("m"), above(0), required);
}
template <class V> void describe(V& v, CylinderShape& s) {
  v.about("cylinder shape", "A cylinder with flat ends.");
  v("start", s.start, "centre of one end", unit("m"));
  v("end", s.end, "centre of the other end", unit("m"), required);
  v("radius", s.radius, "radius", unit("m"), above(0), required);
}
template <class V> void describe(V& v, BoxShape& s) {
  v.about("box shape", "A box.");
  v("center", s.center, "centre", unit("m"));
  v("size", s.size, "its three sides, each > 0", unit("m"), required);
  v("x_axis", s.x_axis, "direction of the first side", non_zero);
  v("y_towards", s.y_towards, "direction of the second side; need not be perpendicular to `x_axis`", non_zero);
}
template <class V> void describe(V& v, MeshShape& s) {
  v.about("mesh shape", "A closed surface of triangles, given here or in an OBJ file. Turned inside out it is a container.");
  v("file", s.file, "OBJ file, relative to the scene's folder; its faces become the triangles");
  v("vertices", s.vertices, "the corners, before `scale` and `position`", unit("m"));
  v("triangles", s.triangles, "three vertices each, counted from 0, counter-clockwise as seen from outside", at_least(0));
  v("scale", s.scale, "multiplies the vertices", above(0));
  v("position", s.position, "where the mesh's origin stands", unit("m"));
}
template <class V> void describe(V& v, Obstacle& o) {
  v.about("obstacle", "Something rigid that rods and bodies touch, standing still or moving on a path.");
  v("name", o.name, "obstacle1, obstacle2, ... when not given");
  v("shape", o.shape, "what it is and where it starts", required);
  v("move", o.move, "displacement from its place", unit("m"));
  v("turn", o.turn, "turn about `axis` through `pivot`, any number of turns", unit("turns"));
  v("axis", o.axis, "axis of the turn", non_zero);
  v("pivot", o.pivot, "point about which it turns, moved along; the shape's centre when not given", unit("m"));
  v("friction", o.friction, "coefficient of friction of rods and bodies on it; contact.friction when not given", at_least(0));
}
template <class V> void describe(V& v, Contact& c) {
  v.about("contact", "Whether and how rods touch themselves, each other, obstacles and bodies. A rod counts as round, with the larger half side of its section as radius.");
  v("enabled", c.enabled, "rods touch");
  v("friction", c.friction, "coefficient of friction", at_least(0));
  v("self", c.self, "a rod touches itself");
  v("between_rods", c.between_rods, "different rods touch each other");
  v("neighbour_length", c.neighbour_length, "parts of one rod closer than this along it do not touch each other", unit("circumferences"), at_least(0));
  v("margin", c.margin, "pairs closer than this are treated as potential contacts; auto: a tenth of the smallest radius", unit("m"), above(0), or_word("auto"));
}

}  // namespace tendril
// clang-format on
