#include "model/wind.h"

#include "math/transport.h"

namespace tendril {

WindNow wind_now(const WindLoad& law, double factor, double time) {
  WindNow now;
  now.mean = to_small(Vec3(factor * law.velocity));
  const double speed = norm(now.mean), turning = law.whirl.norm();
  now.changes = speed > 0 && (law.gust > 0 || law.vortex > 0);
  if (now.changes) {
    // Gusts travel with the wind; vortices turn in the plane across it.
    const Vec3 along = law.velocity.normalized(), n1 = any_perpendicular(along);
    now.phase = law.gust_period > 0 ? time / law.gust_period : 0;
    if (law.gust_length > 0) now.along = to_small(Vec3(along / law.gust_length));
    now.gust = law.gust;
    now.n1 = to_small(Vec3(law.vortex * speed * n1));
    now.n2 = to_small(Vec3(law.vortex * speed * along.cross(n1)));
  }
  now.whirls = turning > 0 && factor != 0;
  if (now.whirls) {
    // A whirl about an axis, with a core.
    now.whirl = to_small(Vec3(factor * law.whirl));
    now.axis = to_small(Vec3(law.whirl / turning));
    now.centre = to_small(law.whirl_at);
    now.inverse_square = 1 / (law.whirl_radius * law.whirl_radius);
  }
  return now;
}

Vec3 wind_velocity(const WindLoad& law, double factor, double time, const Vec3& at) {
  return to_eigen(wind_velocity(wind_now(law, factor, time), to_small(at)));
}

}  // namespace tendril
