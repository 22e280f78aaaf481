// Lengths and contacts in a step.
#include <algorithm>
#include <cmath>

#include "methods/der/der.h"

namespace tendril::der {
namespace {
// [1] of the radius: left over after all rounds, it may be repaired in the steps to come
constexpr double accepted_leftover = 0.01;
// [1] of what contacts push in this step: left over, it is an error of their forces
constexpr double accepted_force_error = 0.01;
// Rounds in which the response of the material frames is solved for all contacts at once; afterwards per contact.
constexpr int rounds_with_frames = 3;
// A warm start with impulses that had not settled is scaled down: contacts and tensions that balance each other could grow
// from step to step, where a heavy body hangs on a light rope.
constexpr double settled_change = 1e-4;            // [1] of the radius, in the last sweep
constexpr double warm_start_when_unsettled = 0.8;  // [1] of the impulses
constexpr double smallest_tolerance = 1e-9;        // [1] of the radius
constexpr double largest_phase_per_step = 1;       // [rad] that the fastest wave of a taut rod turns
constexpr double largest_part_count = 8;
}  // namespace

// A wave as short as a segment swings in a taut rod with omega^2 = 4 T/(m l), which the advice for a step cannot know. Rods
// that touch something bounce off it for ever, and slip, where dt omega is much more than 1.
int Der::parts_for_contact(double dt) const {
  // Only what touches something needs substeps.
  if (!contacts_ || contacts_->points().empty()) return 1;
  const Chain& c = *chain_;
  // The highest T/(m l) of all edges, from the tensions of the last step.
  double stiffest = 0;
  for (int s = c.begin; s < c.end; ++s)
    stiffest = std::max(stiffest, c.tension[z(s)] * std::max(c.inverse_mass[z(s)], c.inverse_mass[z(s + 1)]));
  const double wanted = std::ceil(2 * dt * std::sqrt(stiffest) / largest_phase_per_step);
  return static_cast<int>(std::clamp(wanted, 1.0, largest_part_count));
}

// Lengths and joints first, then what touches, in turn until both hold. Each keeps what the other did as a start, so that
// in steady motion one round is enough.
Cause Der::keep_apart(double dt) {
  Chain& c = *chain_;
  BodiesAndJoints* joins = joins_.get();
  const auto seen = [](Found found) {
    return found == Found::fine ? Cause::none : found == Found::too_many ? Cause::contact : Cause::not_finite;
  };
  if (contacts_->has_friction()) {  // which feels how walls turn the frames
    if (move_walls_) set_walls(c, drive_);
    if (joins) joins->set_walls(c);
  }
  // What touches after the free motion, with last step's impulses pushed already.
  if (const Cause cause = seen(contacts_->find(c, drive_, joins, *angles_, dt)); cause != Cause::none) return cause;
  if (contacts_->turns_too_far()) return Cause::contact;
  lap(Part::contact);
  // Rounds: lengths, then one sweep over the contacts, until a sweep changes little.
  double change = 0;
  bool first = true;
  for (int round = 0; round <= settings_.contact_rounds; ++round) {
    if (const Cause cause = keep_lengths(dt, round > 0); cause != Cause::none) return cause;
    lap(Part::projection);
    // Lengths have moved things so far that more may touch.
    if (contacts_->is_outdated(c, joins)) {
      if (const Cause cause = seen(contacts_->find_again(c, joins, *angles_, dt)); cause != Cause::none) return cause;
      if (contacts_->turns_too_far()) return Cause::contact;
      first = true;
    }
    change = contacts_->sweep(c, joins, dt);
    lap(Part::contact);
    // Settled, to a part of the radius and to a part of the forces.
    if (change <=
        std::min(settings_.contact_tolerance, std::max(smallest_tolerance, accepted_force_error * contacts_->mean_push())))
      break;
    // Not yet: go on along conjugate directions, and let the frames answer.
    if (round < settings_.contact_rounds) {
      contacts_->accelerate(c, joins, dt, first);
      if (round < rounds_with_frames) contacts_->turn_frames(c, *angles_, dt);
    }
    first = false;
  }
  // What is left over: little of it is repaired later, much of it is a failure.
  contacts_->set_warm_start_factor(change <= settled_change ? 1 : warm_start_when_unsettled);
  if (!(change <= accepted_leftover)) {
    report_.residual = change;
    return Cause::contact;
  }
  // The last sweep may have changed lengths.
  return change == 0 ? Cause::none : keep_lengths(dt, true);
}

}  // namespace tendril::der
