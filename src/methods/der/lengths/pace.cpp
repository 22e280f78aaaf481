#include "methods/der/lengths/pace.h"

#include <algorithm>
#include <cmath>

namespace tendril::der {
namespace {
// Measured on a beam let go (docs/decisions.md): beyond 0.2 rad a turn costs energy, beyond 0.4 lengths are lost.
constexpr double largest_turn = 0.2;  // [rad] of an edge in a part
constexpr double largest_phase = 1;   // [rad] of the fastest wave in a part; 2 is the limit of stability
constexpr int max_parts = 64;         // beyond that the run halves its step, and says so
constexpr double slow_fading = 0.9998, fast_fading = 0.9;  // [1] per step, of what is remembered

double largest_lane(const Pack& pack) {
  double worst = 0;
  for (int lane = 0; lane < pack_size; ++lane) worst = pack[lane] > worst ? static_cast<double>(pack[lane]) : worst;
  return worst;
}
}  // namespace

Pace pace_of(const Chain& c, const Chunk& chunk) {
  Pack turning(0), tension(0);
  for (int s = chunk.begin; s < chunk.end; s += pack_size) {
    // Only kept edges count: pads and walls have no length.
    const Pack kept = load(c.constrained, s);
    const V3<Pack> turn = cross(load(c.t, s), load(c.v, s + 1) - load(c.v, s));
    turning = math::max(turning, squared_norm((kept * load(c.inverse_length, s)) * turn));
    tension =
        math::max(tension, kept * load(c.tension, s) * math::max(load(c.inverse_mass, s), load(c.inverse_mass, s + 1)));
  }
  return {largest_lane(turning), 4 * largest_lane(tension)};
}

void Parts::note(const Pace& pace, bool lasting) {
  turning_ = std::max(std::sqrt(pace.turning2), (lasting ? slow_fading : fast_fading) * turning_);
  waves_ = std::max(std::sqrt(pace.tension2), fast_fading * waves_);
}

int Parts::count(double dt) const {
  const double wanted = dt * std::max(turning_ / largest_turn, waves_ / largest_phase);
  int count = 1;
  while (count < max_parts && count < wanted) count *= 2;
  return count;
}

}  // namespace tendril::der
