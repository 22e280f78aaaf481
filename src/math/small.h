// Vectors, matrices and quaternions of three dimensions over any number type: plain aggregates, no branches.
// M3 is stored by rows. Q is w + x i + y j + z k.
#pragma once

#include "math/number.h"
#include "tendril/types.h"

namespace tendril {

template <class T>
struct V3 {
  T x, y, z;

  constexpr T& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  constexpr const T& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  friend constexpr V3 operator+(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr V3 operator-(const V3& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr V3 operator*(const V3& a, const T& s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr V3 operator*(const T& s, const V3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend constexpr V3 operator/(const V3& a, const T& s) { return {a.x / s, a.y / s, a.z / s}; }
  constexpr V3& operator+=(const V3& b) { return *this = *this + b; }
  constexpr V3& operator-=(const V3& b) { return *this = *this - b; }
  constexpr V3& operator*=(const T& s) { return *this = *this * s; }
};

template <class T>
constexpr T dot(const V3<T>& a, const V3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr V3<T> cross(const V3<T>& a, const V3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
constexpr T squared_norm(const V3<T>& a) {
  return dot(a, a);
}
template <class T>
constexpr T norm(const V3<T>& a) {
  return math::sqrt(squared_norm(a));
}
template <class T>
constexpr V3<T> normalized(const V3<T>& a) {
  return a / norm(a);
}
// a . (b x c)
template <class T>
constexpr T triple(const V3<T>& a, const V3<T>& b, const V3<T>& c) {
  return dot(a, cross(b, c));
}
template <class Mask, class T>
constexpr V3<T> select(const Mask& mask, const V3<T>& a, const V3<T>& b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

// Saved and loaded number by number (tendril/state.h).
template <class Archive, class T>
void visit_state(Archive& archive, V3<T>& v) {
  archive(v.x, v.y, v.z);
}

template <class T>
struct M3 {
  V3<T> r0, r1, r2;  // rows

  constexpr V3<T>& row(int i) { return i == 0 ? r0 : (i == 1 ? r1 : r2); }
  constexpr const V3<T>& row(int i) const { return i == 0 ? r0 : (i == 1 ? r1 : r2); }
  constexpr V3<T> column(int j) const { return {r0[j], r1[j], r2[j]}; }
  constexpr T& operator()(int i, int j) { return row(i)[j]; }
  constexpr const T& operator()(int i, int j) const { return row(i)[j]; }
  friend constexpr M3 operator+(const M3& a, const M3& b) { return {a.r0 + b.r0, a.r1 + b.r1, a.r2 + b.r2}; }
  friend constexpr M3 operator-(const M3& a, const M3& b) { return {a.r0 - b.r0, a.r1 - b.r1, a.r2 - b.r2}; }
  friend constexpr M3 operator-(const M3& a) { return {-a.r0, -a.r1, -a.r2}; }
  friend constexpr M3 operator*(const T& s, const M3& a) { return {s * a.r0, s * a.r1, s * a.r2}; }
  friend constexpr M3 operator*(const M3& a, const T& s) { return s * a; }
  friend constexpr V3<T> operator*(const M3& a, const V3<T>& v) { return {dot(a.r0, v), dot(a.r1, v), dot(a.r2, v)}; }
  friend constexpr M3 operator*(const M3& a, const M3& b) {
    const auto row_times = [&b](const V3<T>& r) { return r.x * b.r0 + r.y * b.r1 + r.z * b.r2; };
    return {row_times(a.r0), row_times(a.r1), row_times(a.r2)};
  }
  constexpr M3& operator+=(const M3& b) { return *this = *this + b; }
  constexpr M3& operator-=(const M3& b) { return *this = *this - b; }
};

template <class T>
constexpr M3<T> transpose(const M3<T>& a) {
  return {a.column(0), a.column(1), a.column(2)};
}
// a b^T
template <class T>
constexpr M3<T> outer(const V3<T>& a, const V3<T>& b) {
  return {a.x * b, a.y * b, a.z * b};
}
template <class T>
constexpr M3<T> identity3() {
  return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
}
template <class T>
constexpr M3<T> from_columns(const V3<T>& a, const V3<T>& b, const V3<T>& c) {
  return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
}
// skew(a) v = a x v
template <class T>
constexpr M3<T> skew(const V3<T>& a) {
  return {{T(0), -a.z, a.y}, {a.z, T(0), -a.x}, {-a.y, a.x, T(0)}};
}

template <class T>
struct Q {
  T w, x, y, z;

  friend constexpr Q operator*(const Q& a, const Q& b) {  // Hamilton's product: rotate by b, then by a
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
  friend constexpr Q operator+(const Q& a, const Q& b) { return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Q operator-(const Q& a, const Q& b) { return {a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Q operator-(const Q& a) { return {-a.w, -a.x, -a.y, -a.z}; }
  friend constexpr Q operator*(const T& s, const Q& a) { return {s * a.w, s * a.x, s * a.y, s * a.z}; }
};
template <class Archive, class T>
void visit_state(Archive& archive, Q<T>& q) {
  archive(q.w, q.x, q.y, q.z);
}
template <class T>
constexpr V3<T> vector_part(const Q<T>& q) {
  return {q.x, q.y, q.z};
}
template <class T>
constexpr Q<T> conjugate(const Q<T>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class T>
constexpr T dot(const Q<T>& a, const Q<T>& b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Q<T> normalized(const Q<T>& q) {
  return (T(1) / math::sqrt(dot(q, q))) * q;
}
// q v q^-1 for a unit quaternion: v + 2 w (u x v) + 2 u x (u x v)
template <class T>
constexpr V3<T> rotate(const Q<T>& q, const V3<T>& v) {
  const V3<T> u = vector_part(q);
  const V3<T> twice = T(2) * cross(u, v);
  return v + q.w * twice + cross(u, twice);
}
template <class T>
constexpr M3<T> matrix_of(const Q<T>& q) {  // unit quaternion
  const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return {{T(1) - (yy + zz), xy - wz, xz + wy}, {xy + wz, T(1) - (xx + zz), yz - wx}, {xz - wy, yz + wx, T(1) - (xx + yy)}};
}

// The same numbers as constants of a kernel over T.
template <class T>
V3<T> constant(const V3<double>& v) {
  return {T(v.x), T(v.y), T(v.z)};
}
template <class T>
V3<T> zero3() {
  return {T(0), T(0), T(0)};
}
template <class T>
Q<T> constant(const Q<double>& q) {
  return {T(q.w), T(q.x), T(q.y), T(q.z)};
}

// To and from Eigen.
inline V3<double> to_small(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Q<double> to_small(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }
inline M3<double> to_small(const Mat3& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}
inline Vec3 to_eigen(const V3<double>& v) { return Vec3(v.x, v.y, v.z); }
inline Quat to_eigen(const Q<double>& q) { return Quat(q.w, q.x, q.y, q.z); }
inline Mat3 to_eigen(const M3<double>& m) {
  Mat3 result;
  result << m.r0.x, m.r0.y, m.r0.z, m.r1.x, m.r1.y, m.r1.z, m.r2.x, m.r2.y, m.r2.z;
  return result;
}

}  // namespace tendril
