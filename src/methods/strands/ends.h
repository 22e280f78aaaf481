// The boundary rows of shooting, as templates over numbers and jets: which six numbers are free at a node, and what is left
// over there.
#pragma once

#include "methods/strands/shooting.h"

namespace tendril::strands {

// What may move at a node. Rotations in material axes: x and y are the direction's, z is the twist's.
struct Freedom {
  bool position = true;
  std::array<bool, 3> rotation{true, true, true};
};
inline Freedom freedom_at(const Strand& strand, int node) {
  const HeldNode* hold = strand.hold_at(node);
  if (!hold) return {};
  return {!hold->position, {!hold->direction, !hold->direction, !(hold->direction && hold->twist)}};
}

// The held orientation; where twist is free, turned about its d3 to the twist that `q` has.
inline Quaternion held_orientation(const HeldNode& hold, const Quaternion& q) {
  if (hold.twist) return hold.q;
  const Quaternion relative = conjugate(hold.q) * q;
  const double size = std::sqrt(relative.w * relative.w + relative.z * relative.z);
  if (!(size > 1e-12)) return hold.q;
  return hold.q * Quaternion{relative.w / size, 0, 0, relative.z / size};
}

// How far q is turned from what is held: for direction and twist the rotation vector; for direction alone twice the tangent
// of half the angle between the two directions, as a rotation about the held d1 and d2 (z is not used).
template <class T>
V3<T> turned_from(const HeldNode& hold, const Q<T>& q) {
  const Q<T> relative = constant<T>(conjugate(hold.q)) * q;
  if (hold.twist) return log_of(relative);
  const V3<T> t = rotate(relative, V3<T>{T(0), T(0), T(1)});
  const T f = T(2) / (T(1) + t.z);
  return {-(f * t.y), f * t.x, T(0)};
}

// Puts the held parts of the far end where they are held, and the stress of free parts to zero.
inline void settle_far_end(const Strand& strand, FarEnd& end) {
  const HeldNode* hold = strand.hold_at(strand.last());
  const Freedom free = freedom_at(strand, strand.last());
  if (hold && hold->position) end.r = hold->r;
  if (hold && hold->direction) end.q = held_orientation(*hold, end.q);
  if (free.position) end.x.n = {0, 0, 0};
  for (int i = 0; i < 3; ++i)
    if (free.rotation[z(i)]) end.x.m[i] = 0;
}

template <class T>
T unknown(double value, double scale, int direction) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return value + scale * Jet::variable(0, direction);
  }
}
template <class T>
V3<T> unknown(const V& value, double scale, int first) {
  return {unknown<T>(value.x, scale, first), unknown<T>(value.y, scale, first + 1), unknown<T>(value.z, scale, first + 2)};
}
// q turned by unknowns in material axes, to first order.
template <class T>
Q<T> turned_by(const Quaternion& q, const V3<T>& turn) {
  if constexpr (std::is_same_v<T, double>) {
    return q;
  } else {
    return constant<T>(q) * Q<T>{T(1), 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z};
  }
}

// The slice just before the last node, with the six unknowns as directions 0..5.
template <class T>
Slice<T> started(const Strand& strand, const Scales& scales, const FarEnd& end) {
  const Freedom free = freedom_at(strand, strand.last());
  Slice<T> at{constant<T>(end.r), constant<T>(end.q), {constant<T>(end.x.m), constant<T>(end.x.n)}};
  if (free.position)
    at.r = unknown<T>(end.r, scales.length, 0);
  else
    at.x.n = unknown<T>(end.x.n, scales.force, 0);
  V3<T> turn = zero3<T>();
  for (int i = 0; i < 3; ++i) {
    if (free.rotation[z(i)])
      turn[i] = unknown<T>(0.0, 1.0, 3 + i);
    else
      at.x.m[i] = unknown<T>(end.x.m[i], scales.moment, 3 + i);
  }
  at.q = turned_by(end.q, turn);
  cross_node(strand, strand.last(), at);
  return at;
}

// What is left at the near end, from the slice just behind node 0: six rows, zero at an answer.
template <class T>
std::array<T, 6> near_residual(const Strand& strand, const Scales& scales, Slice<T> at) {
  cross_node(strand, 0, at);
  std::array<T, 6> rows;
  const HeldNode* hold = strand.hold_at(0);
  const bool position = hold && hold->position, direction = hold && hold->direction, twist = direction && hold->twist;
  // Three rows of position or force, three of orientation or moment, without dimension.
  const V3<T> a = position ? (1 / scales.length) * (at.r - constant<T>(hold->r)) : (1 / scales.force) * at.x.n;
  V3<T> b = (1 / scales.moment) * at.x.m;
  if (direction) {
    const V3<T> turn = turned_from(*hold, at.q);
    b.x = turn.x, b.y = turn.y;
    if (twist) b.z = turn.z;
  }
  for (int i = 0; i < 3; ++i) rows[z(i)] = a[i], rows[z(i + 3)] = b[i];
  return rows;
}

}  // namespace tendril::strands
