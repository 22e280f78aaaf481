// What can be wrong with a model's drive: asked by the caller, because not every method minds.
#pragma once

#include "model/model.h"

namespace tendril {

// Two points held further apart, at some instant up to end_time, than the rod between them is long: for methods that cannot
// stretch. Where one takes hold later, of which it is not known where the rod will be: only what no place of it allows. Targets stand in the
// order of the scene's clamps, so field paths are clamp[i].
Problems check_reach(const Model& model);

// A rod that cannot stretch, pulled straight at the end: its equilibrium under loads across it has no finite tension. In motion:
// straight at the start as well, and loaded.
Problems check_slack(const Model& model, bool in_motion);

// A rod that cannot stretch and is straight between two held points cannot be disturbed: initial_noise has no room.
Problems check_noise(const Model& model);

// Two clamps at both ends of one segment that do not stay as far apart as it is long: for methods with rigid segments.
Problems check_rigid_segments(const Model& model);

// A clamp that starts away from the rod it holds: in motion the rod would have to jump; an equilibrium can be led there.
Problems check_start(const Model& model);

// A clamp whose direction turns from the segment beside it by an angle within (from, to] degrees. Folded flat, no method can tell to which
// side a rod bends; methods with a limit of their own ask for what is below that.
inline constexpr double folded_flat = 179;
Problems check_fold(const Model& model, double from = folded_flat, double to = 180);

// A clamp that moves further than its rod is long within one step.
Problems check_speed(const Model& model, double step);

}  // namespace tendril
