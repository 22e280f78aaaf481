// What the conserving projection needs beside the step itself: parts of a step, and velocities at the time of the positions.
//
// Leapfrog: the state holds the positions of the time t and the velocities of half a step earlier,
//   v(t + h/2) = v(t - h'/2) + (h' + h)/2 a(t),   x(t + h) = x(t) + h v(t + h/2),   h' the step before
// with tensions along the edges at t, as SHAKE has them [Ryckaert 1977]. It keeps energy and angular momentum over long times
// and is of second order [Hairer 2006, sec. I.1.4 and VII.1.4], but x and v do not belong to one moment: taken
// together they would show an energy that swings with the first power of the step. Frames therefore get
//   v(t) = v(t - h/2) + h/2 a(t),   with tensions such that no length changes
// which is RATTLE's velocity [Andersen 1983], at no cost in the steps themselves.
#include <algorithm>
#include <cmath>

#include "methods/der/der.h"
#include "methods/der/failures.h"

namespace tendril::der {

int Der::parts_of(double dt) const { return is_leapfrog() ? parts_.count(dt) : parts_for_contact(dt); }

Cause Der::keep_lengths(double dt, bool again) {
  if (all_stretch_ && !joins_) return Cause::none;
  // A user may pull and move things in any way: live that gets the push that takes energy away.
  push_ = by_hand_ ? Push::fast : settings_.push;
  const ProjectionReport p = project_all(dt, push_, true, again);
  report_.iterations += p.iterations;
  report_.residual = p.residual;
  return p.fine ? Cause::none : lengths_lost;
}

void Der::note_pace() {
  if (!is_leapfrog()) return;
  Pace worst;
  for (const ChunkReport& report : chunk_reports_) {
    worst.turning2 = std::max(worst.turning2, report.pace.turning2);
    worst.tension2 = std::max(worst.tension2, report.pace.tension2);
  }
  parts_.note(worst, !contacts_);
}

namespace {
// [1] A straight rod between two clamps that move has no velocity that changes no length; close to that, the one there is can be
// anything. Where it holds more than this times the energies it came from, velocities stay as they are.
constexpr double believable = 16;

// Sum of m a^2 over the vertices that may move.
double energy_like(const Chain& c, const Array3& a) {
  double sum = 0;
  for (const ChainRod& rod : c.rods) {
    for (int v = rod.first; v <= rod.first + rod.slots; ++v)
      if (c.inverse_mass[z(v)] > 0) sum += c.mass[z(v)] * squared_norm(a.get(v));
  }
  return sum;
}
}  // namespace

// `c` is a copy of the chain with the elastic forces of the present positions. Nodes that something touches or pulls keep
// their velocity, which contact and hand have just decided; so does everything in scenes with bodies and joints.
void Der::synchronise(Chain& c) const {
  if (before_ == 0 || joins_) return;
  const double half = 0.5 * before_;
  const auto inner = [&](int s) { return inner_force(c, s); };
  const auto kicked = [&](int v) {  // whose force is known
    const int node = c.node[z(v)];
    if (contacts_ && !contacts_->force_at(node).isZero(0)) return false;
    return std::none_of(drive_.grips.begin(), drive_.grips.end(),
                        [&](const Grip& grip) { return grip.rod >= 0 && (grip.a.value == node || grip.b.value == node); });
  };
  // The force on a node is the sum over its twins; each adds its part to the velocity of both.
  Array3& force = projection_->along;  // not in use until lengths are projected
  for (const ChainRod& rod : c.rods) {
    for (int v = rod.first; v <= rod.first + rod.slots; ++v) {
      const bool counts = c.inverse_mass[z(v)] > 0 && kicked(v);
      force.set(v, counts ? loads_->force().get(v) + inner(v) - inner(v - 1) : V3<double>{0, 0, 0});
    }
  }
  for (const Twin& twin : c.twins) force.add(twin.first, force.get(twin.second));
  for (const Twin& twin : c.twins) force.set(twin.second, force.get(twin.first));
  ProjectionWork& work = *projection_;
  work.free_v = c.v, work.tension_before = c.tension;
  double from = energy_like(c, c.v);
  for (const ChainRod& rod : c.rods) {
    for (int v = rod.first; v <= rod.first + rod.slots; ++v) {
      from += squared_norm(half * force.get(v)) * c.inverse_mass[z(v)];
      const double slowed = 1 / (1 + half * c.mass_damping[z(v)]);
      c.v.set(v, slowed * (c.v.get(v) + (half * c.inverse_mass[z(v)]) * force.get(v)));
    }
  }
  if (drag_->any()) drag_->apply(drive_, c, half);
  if (all_stretch_) return;
  project_velocities(c, c.all(), work, half);
  if (!(energy_like(c, c.v) <= believable * from)) c.v = work.free_v, c.tension = work.tension_before;
}

}  // namespace tendril::der
