// Writhe, twist and link of polygons, in turns. Right-handed crossings count positive.
// A closed polygon is given by its corners once; the last edge leads back to the first corner.
#pragma once

#include <span>

#include "tendril/types.h"

namespace tendril {

// Gauss's double integral over two straight segments, exactly: the signed solid angle, over 4 pi, of the directions from
// points of a to points of b. Segments that share a corner or lie in one plane give 0; touching segments have no value.
double gauss_integral(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

// [Klenin & Langowski 2000, method 1a] The sum over all pairs of segments, O(n^2).
double writhe_closed(std::span<const Vec3> corners);
// The same double sum over an open polygon. It is no invariant of anything: it changes smoothly as the curve moves, and
// jumps by 2 when the curve crosses itself, like that of a closed curve.
double writhe_open(std::span<const Vec3> corners);

// Gauss linking number of two closed polygons: an integer up to rounding when they do not touch.
double linking_number(std::span<const Vec3> a, std::span<const Vec3> b);

// The twist of a framed polygon: directors[i] is a unit vector perpendicular to edge i. Each joint counts with its
// principal value, so neighbouring directors must be less than half a turn apart.
double total_twist_open(std::span<const Vec3> corners, std::span<const Vec3> directors);
double total_twist_closed(std::span<const Vec3> corners, std::span<const Vec3> directors);
// From unwrapped twists [rad] at the joints: any number of turns.
double total_twist(std::span<const double> joint_twists);

// Link = twist + writhe. For a closed ribbon it is an integer and changes only when the curve crosses itself
// [Calugareanu, White, Fuller]. For an open one it is defined by this sum: with held ends it follows the turns put in at
// the ends up to the writhe of the curve that would close it, which stays the same while the ends do not move.
double link_closed(std::span<const Vec3> corners, std::span<const double> joint_twists);
double link_open(std::span<const Vec3> corners, std::span<const double> joint_twists);
double link_closed(std::span<const Vec3> corners, std::span<const Vec3> directors);
double link_open(std::span<const Vec3> corners, std::span<const Vec3> directors);

}  // namespace tendril
