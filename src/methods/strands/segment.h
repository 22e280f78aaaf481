// One segment of a strand: the pure kernels of both sweeps. [Pai 2002, sec. 3; ERRATA P1-P14]
//
// Symbols, the paper's: u, v strains (rotation and translation of the frame per length), m, n moment and force (action of s+
// on s-), all in material axes; K stiffness, here its inverse; h length of the segment; E = (r, R) pose of a frame.
//
// A segment carries a frame from its near node (smaller s) to its far node by one screw motion, E_far = E_near exp(w, p'),
// and what the sweeps of order 1, 2 and 4 differ in is only how the screw (w, t) is found from the stress at the far node:
//   order 1:  (w, t) = h (u, v) of the far node                              [eqs. (9)-(15), corrected by P5 and P6, form A]
//   order 2:  (w, t) = h (u, v) of the middle, reached by half a step of (5)  [P6: midpoint]
//   order 4:  (w, t) = Magnus' expansion with the four stages of Runge-Kutta
// Stress goes from far to near through the same screw, so force and moment balance exactly (order 2 and 4).
#pragma once

#include "math/jet.h"
#include "math/rotation.h"
#include "model/constitutive.h"

namespace tendril::strands {

using V = V3<double>;
using Quaternion = Q<double>;

struct Segment {
  double h = 0;            // length at rest [m]
  V u_rest{0, 0, 0};       // [rad/m]
  V v_rest{0, 0, 1};       // unit vector
  V compliance{0, 0, 0};   // 1/EI1, 1/EI2, 1/GJ
  V give{0, 0, 0};         // 1/GA1, 1/GA2, 1/EA; zero: unshearable, inextensible
  V world_force{0, 0, 0};  // applied, per length [N/m]
  V material_force{0, 0, 0};
  bool stretches = false, loaded_world = false, loaded_material = false;
};

template <class T>
struct Strain {
  V3<T> u, v;
};
template <class T>
struct Stress {
  V3<T> m, n;
};

template <class T>
V3<T> scaled(const V& a, const V3<T>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

template <class T>
T strain_component(const Law& law, double compliance, const T& moment) {
  if (law.is_linear()) return compliance * moment;
  const LawValue e = strain_of(law, compliance, value_of(moment));
  return chain(moment, e.value, e.tangent);
}

// Eq. (6), solved for the strain.
template <class T>
Strain<T> strain_at(const Segment& s, const Law& law, const Stress<T>& stress) {
  Strain<T> e;
  e.u = {s.u_rest.x + strain_component(law, s.compliance.x, stress.m.x),
         s.u_rest.y + strain_component(law, s.compliance.y, stress.m.y),
         s.u_rest.z + strain_component(law, s.compliance.z, stress.m.z)};
  e.v = constant<T>(s.v_rest);
  if (s.stretches) e.v += scaled(s.give, stress.n);
  return e;
}

// A screw motion: turned by w while going along t; as a rotation and a displacement, both seen from the near frame.
template <class T>
struct Screw {
  V3<T> w, t;
  T cosine, a, b, c;  // see ExpCoefficients
  Q<T> turn;
  V3<T> shift;
  V3<T> rotated(const V3<T>& x) const { return cosine * x + a * cross(w, x) + (b * dot(w, x)) * w; }
};

namespace detail {
// f(x) and f'(x) of f = sum k[i] x^i, in two interleaved chains.
template <int terms>
struct Series {
  double k[terms];
  constexpr void evaluate(double x, double& value, double& slope) const {
    double f = k[terms - 1], d = 0;
    for (int i = terms - 2; i >= 0; --i) {
      d = d * x + f;
      f = f * x + k[i];
    }
    value = f, slope = d;
  }
  constexpr double at(double x) const {  // even and odd powers apart: half the waiting
    const double y = x * x;
    double even = k[(terms - 1) / 2 * 2], odd = k[(terms - 2) / 2 * 2 + 1];
    for (int i = (terms - 1) / 2 * 2 - 2; i >= 0; i -= 2) even = even * y + k[i];
    for (int i = (terms - 2) / 2 * 2 - 1; i >= 1; i -= 2) odd = odd * y + k[i];
    return even + x * odd;
  }
};
// In s = theta^2: cos(theta/2), sin(theta/2)/theta, (theta - sin theta)/theta^3; good to 1e-17 below s = 0.3.
struct HalfAngleSeries {
  Series<7> cosine{}, sine{}, c{};
  constexpr HalfAngleSeries() {
    double factorial = 1, quarter = 1;  // (2k)!, (-1/4)^k
    for (int k = 0; k < 7; ++k) {
      if (k > 0) factorial *= (2.0 * k - 1) * (2.0 * k), quarter *= -0.25;
      cosine.k[k] = quarter / factorial;
      sine.k[k] = 0.5 * quarter / (factorial * (2 * k + 1));
      c.k[k] = (k % 2 == 0 ? 1.0 : -1.0) / (factorial * (2 * k + 1) * (2 * k + 2) * (2 * k + 3));
    }
  }
};
inline constexpr HalfAngleSeries half_angle_series{};
inline constexpr double series_limit = 0.3;

struct HalfAngle {
  double cosine, sine, c, cosine_slope, sine_slope, c_slope;
};
inline HalfAngle half_angle_exact(double s) {  // closed forms
  const auto e = exp_coefficients(s);
  const auto d = exp_coefficient_slopes(s);
  const double theta = std::sqrt(s);
  const auto [half_sine, half_cosine] = math::sincos(0.5 * theta);
  const double S = half_sine / theta;
  return {half_cosine, S, e.c, -0.25 * S, (0.5 * half_cosine - S) / (2 * s), d.c};
}

inline void half_angle(double s, double& cosine, double& sine, double& c) {
  if (s < series_limit) {
    cosine = half_angle_series.cosine.at(s), sine = half_angle_series.sine.at(s), c = half_angle_series.c.at(s);
    return;
  }
  const HalfAngle e = half_angle_exact(s);
  cosine = e.cosine, sine = e.sine, c = e.c;
}
inline void half_angle(const Jet& s, Jet& cosine, Jet& sine, Jet& c) {
  HalfAngle e;
  if (s.value < series_limit) {
    half_angle_series.cosine.evaluate(s.value, e.cosine, e.cosine_slope);
    half_angle_series.sine.evaluate(s.value, e.sine, e.sine_slope);
    half_angle_series.c.evaluate(s.value, e.c, e.c_slope);
  } else {
    e = half_angle_exact(s.value);
  }
  cosine = chain(s, e.cosine, e.cosine_slope), sine = chain(s, e.sine, e.sine_slope), c = chain(s, e.c, e.c_slope);
}
}  // namespace detail

// Eqs. (12)-(15): turn = exp(w), shift = (1 + b [w] + c [w]^2) t.  [P9]
template <class T>
Screw<T> screw(const V3<T>& w, const V3<T>& t) {
  Screw<T> e;
  e.w = w, e.t = t;
  const T s = squared_norm(w);
  T half_cosine, half_sine;
  detail::half_angle(s, half_cosine, half_sine, e.c);
  e.a = 2.0 * (half_sine * half_cosine);
  e.b = 2.0 * (half_sine * half_sine);
  e.cosine = T(1) - s * e.b;
  e.turn = {half_cosine, half_sine * w.x, half_sine * w.y, half_sine * w.z};
  e.shift = e.a * t + e.b * cross(w, t) + (e.c * dot(w, t)) * w;
  return e;
}

// What stress changes by when going back a unit of length, in material axes: minus (5), corrected by P4.
template <class T>
Stress<T> back_rate(const Strain<T>& e, const Stress<T>& x) {
  return {cross(e.u, x.m) + cross(e.v, x.n), cross(e.u, x.n)};
}

// The two strains at the segment's ends that its screw was made of; needed where loads are spread along it.
template <class T>
struct EndStrains {
  Strain<T> near, far;
};

// The screw of a segment from the stress at its far node. `world`: the distributed dead load, in the far node's axes.
template <int order, class T>
Screw<T> segment_screw(const Segment& s, const Law& law, const Stress<T>& far, const V3<T>& world, EndStrains<T>& ends) {
  const double h = s.h;
  // Order 1: the far strain all along (Euler).
  const Strain<T> e1 = strain_at(s, law, far);
  ends.far = e1;
  if constexpr (order == 1) {
    ends.near = e1;
    return screw<T>(h * e1.u, h * e1.v);
  }
  // Stress after going back by a length, along a rate and with the load of that length.
  const bool loaded = s.loaded_world || s.loaded_material;
  const V3<T> material = constant<T>(s.material_force);
  const auto advanced = [&](const Stress<T>& rate, const V3<T>& load, double by) -> Stress<T> {
    Stress<T> x{far.m + by * rate.m, far.n + by * rate.n};
    if (loaded) x.n += by * (load + material);
    return x;
  };
  const Stress<T> k1 = back_rate(e1, far);
  if constexpr (order == 2) {
    // Order 2: the strain at the middle, after half an Euler step (midpoint rule).
    const Strain<T> e2 = strain_at(s, law, advanced(k1, world, 0.5 * h));
    ends.near = {2.0 * e2.u - e1.u, 2.0 * e2.v - e1.v};
    return screw<T>(h * e2.u, h * e2.v);
  } else {
    // Order 4: the four stages of Runge-Kutta for the stress; a dead load turns against the axes that go back.
    const auto turned = [&](const Strain<T>& e, const V3<T>& load, double by) -> V3<T> {
      return s.loaded_world ? V3<T>(world + by * cross(e.u, load)) : world;
    };
    const Stress<T> x2 = advanced(k1, world, 0.5 * h);
    const V3<T> load2 = turned(e1, world, 0.5 * h);
    const Strain<T> e2 = strain_at(s, law, x2);
    const Stress<T> x3 = advanced(back_rate(e2, x2), load2, 0.5 * h);
    const V3<T> load3 = turned(e2, load2, 0.5 * h);
    const Strain<T> e3 = strain_at(s, law, x3);
    const Stress<T> x4 = advanced(back_rate(e3, x3), load3, h);
    const Strain<T> e4 = strain_at(s, law, x4);
    ends.near = e4;
    // Magnus expansion of fourth order: Simpson's mean of the strains and the commutator of the two ends.
    const double sixth = h / 6, bracket = h * h / 12;
    return screw<T>(sixth * (e1.u + 2.0 * (e2.u + e3.u) + e4.u) + bracket * cross(e4.u, e1.u),
                    sixth * (e1.v + 2.0 * (e2.v + e3.v) + e4.v) + bracket * (cross(e4.u, e1.v) + cross(e4.v, e1.u)));
  }
}

// Force and moment that the loads along the segment add at its near node, in its axes. Euler and Maclaurin's rule: the
// trapezoid for order 2, with the ends' derivatives for order 4.
template <int order, class T>
Stress<T> load_of(const Segment& s, const Screw<T>& e, const V3<T>& world, const EndStrains<T>& ends) {
  const double h = s.h, correction = order == 4 ? h * h / 12 : 0.0;
  Stress<T> sum{zero3<T>(), zero3<T>()};
  if (s.loaded_world) {
    // Dead load: constant in the world, acts at the centre of the arc.
    const V3<T> f = e.rotated(world);
    V3<T> centre = 0.5 * e.shift;
    if constexpr (order == 4) centre -= (h / 12) * (e.rotated(ends.far.v) - ends.near.v);
    sum.n += h * f;
    sum.m += h * cross(centre, f);
  }
  if (s.loaded_material) {
    // Load in material axes: both ends, and for order 4 the correction by the ends' derivatives.
    const V3<T> f = constant<T>(s.material_force), far = e.rotated(f);
    sum.n += (0.5 * h) * (f + far);
    sum.m += (0.5 * h) * cross(e.shift, far);
    if constexpr (order == 4) {
      const V3<T> far_rate = e.rotated(cross(ends.far.u, f));
      sum.n -= correction * (far_rate - cross(ends.near.u, f));
      sum.m -= correction * (e.rotated(cross(ends.far.v, f)) + cross(e.shift, far_rate) - cross(ends.near.v, f));
    }
  }
  return sum;
}

// One segment of the backward sweep: stress from the far node to the near node, and the screw between them.
template <int order, class T>
Screw<T> step_back(const Segment& s, const Law& law, Stress<T>& x, const V3<T>& world) {
  EndStrains<T> ends;
  const Screw<T> e = segment_screw<order>(s, law, x, world, ends);
  if constexpr (order == 1) {
    // (9a), (10a) with the signs of P5, in fixed axes, then turned: form A of P6. differs from the paper: m is carried, not
    // u, because turning u by (10b) is wrong where K is anisotropic or the rest strain is not zero.
    const V3<T> f = world + constant<T>(s.material_force);
    x.m = e.rotated(x.m + s.h * cross(ends.far.v, x.n));
    x.n = e.rotated(x.n + s.h * f);
  } else {
    x.n = e.rotated(x.n);
    x.m = e.rotated(x.m) + cross(e.shift, x.n);
    if (s.loaded_world || s.loaded_material) {
      const Stress<T> load = load_of<order>(s, e, world, ends);
      x.n += load.n;
      x.m += load.m;
    }
  }
  return e;
}

}  // namespace tendril::strands
