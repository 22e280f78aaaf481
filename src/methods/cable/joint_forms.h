// How a joint measures bend and twist. `smooth` is used unless a scene says otherwise; the others are there to compare with.
//
//   smooth       two components of bend and the twist: math/joint_strain.h                         [ERRATA S15, S16]
//   paper        the bend angle theta >= 0 between the tangents u, one row, singular where a joint is straight; the twist signed and
//                unwrapped, by the vectors v (first side) and w (second side)                      [Servin 2008, eqs. (20)-(28); S14, S16]
//   paper_aligned  the same with the alternative twist: the angle between v and v, without sign. Bending about w enters it. [S17]
//   cosine_lock  direction cosines: -d2.u', d1.u', and d2.d1' (primes: of the second side). What they measure is the sine of the angle:
//                the moment falls beyond a quarter turn, and beyond half a turn it pushes on.       [Servin 2008, sec. V]
#pragma once

#include "methods/cable/system.h"

namespace tendril::cable {

// Strain and its rows; `twist`: of the joint, unwrapped next to `near`.
void place_form(JointForm form, const Quat& qa, const Quat& qb, double near, JointRows& rows, double& twist);

}  // namespace tendril::cable
