// The air's velocity, gusts, swirls and a whirl included.
//
// Gusts travel with the wind: everything depends on the phase p = t / period - (distance along the wind) / gust length.
// Three sines whose frequencies have no common period never repeat; two more, 90 degrees apart in space, swirl sideways.
// The whirl is a vortex that stays where it is: about its axis the air turns like a solid body, outside ever slower.
//   v = V (1 + gust g(p)) + |V| vortex (h1(p) n1 + h2(p) n2) + W x d / (1 + |d|^2/R^2),     |g|, |h1|, |h2| <= 1
// d from the axis of the whirl to the place.
#pragma once

#include "math/elementary.h"
#include "math/small.h"
#include "tendril/scene.h"

namespace tendril {

struct WindNow {                             // what does not depend on the place
  V3<double> mean{0, 0, 0}, along{0, 0, 0};  // along: the wind's direction over the gust length
  V3<double> n1{0, 0, 0}, n2{0, 0, 0};       // perpendicular to it, as long as the swirls are fast
  double gust = 0, phase = 0;
  bool changes = false, whirls = false;
  V3<double> whirl{0, 0, 0}, axis{0, 0, 0}, centre{0, 0, 0};
  double inverse_square = 0;  // 1/R^2
};
WindNow wind_now(const WindLoad& law, double factor, double time);

template <class T>
V3<T> wind_velocity(const WindNow& now, const V3<T>& at) {
  V3<T> v = constant<T>(now.mean);
  if (now.changes) {
    constexpr double golden = 1.6180339887498949, root3 = 1.7320508075688772, root7 = 2.6457513110645906;
    const T p = T(math::two_pi) * (T(now.phase) - dot(at, constant<T>(now.along)));
    const auto wave = [&p](double rate, double shift) { return math::sin(T(T(rate) * p + T(shift))); };
    const T g = T(0.5) * (wave(1, 0) + T(0.6) * wave(golden, 1.3) + T(0.4) * wave(root7, 4.1));
    const T h1 = (wave(root3, 0.7) + T(0.5) * wave(golden * root3, 2.9)) / T(1.5);
    const T h2 = (math::cos(T(T(1.2 * root3) * p + T(0.2))) + T(0.5) * wave(root7 * root3, 5.3)) / T(1.5);
    v = v + (T(now.gust) * g) * constant<T>(now.mean) + h1 * constant<T>(now.n1) + h2 * constant<T>(now.n2);
  }
  if (now.whirls) {
    const V3<T> d = at - constant<T>(now.centre), axis = constant<T>(now.axis), out = d - dot(d, axis) * axis;
    v = v + (T(1) / (T(1) + T(now.inverse_square) * squared_norm(out))) * cross(constant<T>(now.whirl), out);
  }
  return v;
}
Vec3 wind_velocity(const WindLoad& law, double factor, double time, const Vec3& at);

}  // namespace tendril
