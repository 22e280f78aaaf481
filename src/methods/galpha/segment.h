// The kernel of the pose formulation: one segment between two node frames, the gradient of its energy and of its constraint, and the exact
// tangent of both. All in world axes: R_a, R_b turned by exp(theta) from the left.
//
//   w = log(R_a^T R_b)             turn of the segment, in either frame's axes;  W = R_a w in the world
//   R_mid = R_a exp(w/2)           its middle frame, which turns by (1/2 + tau [W]) theta_a + (1/2 - tau [W]) theta_b, exactly, with
//                                  tau = tan(|w|/4) / (2 |w|)
//   m = K (w/h - u_rest)           moment, by the rod's law  [Sobottka 2008, eq. (11)]
//   M = R_a Jr(w)^-1 m             what the energy h W(w/h - u_rest) does to the two frames: -M and M
//   p = R_mid (rho + give R_mid^T n)   from node to node: the constraint r_b - r_a = p, whose multiplier is the force n
//                                  [Sobottka 2008, eqs. (7), (8)]; rho at rest, give = h L^-1 for rods that stretch and shear
// differs from the paper: there strains and velocities are the unknowns of a box scheme, which is unstable or inaccurate in curved rods
// [ERRATA B8]; gradients of an energy are neither.
#pragma once

#include "math/rotation.h"
#include "model/constitutive.h"
#include "tendril/types.h"

namespace tendril::galpha {

struct SegmentRest {
  double h = 0;                   // length of its arc [m]
  Vec3 w_rest = Vec3::Zero();     // turn at rest [rad]
  Vec3 rho = Vec3::Zero();        // from node to node at rest, in the middle frame [m]
  Vec3 stiffness = Vec3::Zero();  // EI1, EI2, GJ [N m^2]
  Vec3 give = Vec3::Zero();       // h/GA1, h/GA2, h/EA [m/N]; 0: does not
  double damping = 0;             // [s] of strain rates
};

struct
    SegmentRate {  // w' = slope (w - w_before) + known: the time scheme's rate of the turn; of use where there is internal damping
  double slope = 0;           // [1/s]
  Vec3 known = Vec3::Zero();  // slope times minus w_before, and what came before
};

struct SegmentNow {
  Vec3 w, m;                                          // in material axes; m with what internal damping adds
  Vec3 W, M, n, p;                                    // in the world
  Mat3 mid;                                           // middle frame
  double tau = 0, tau_slope = 0, d = 0, d_slope = 0;  // of |w|^2
  Vec3 q;                                             // p x n
  Vec3 on_a, on_b;                                    // moments on the two frames: of bending, and of the force at its arms
};

struct SegmentTangent {  // of the rows  -on_a, -on_b  and  r_b - r_a - p
  Mat3 aa, ab, ba, bb, ta, tb, pa, pb, give;
};

// The turn from one frame to another: the shortest one.
inline Vec3 turn_between(const Quat& a, const Quat& b) { return log_rotation(Quat(a.conjugate() * b)); }

// What does not need the tangent.
void evaluate(const SegmentRest& s, const Law& law, const SegmentRate& rate, const Quat& a, const Quat& b, const Vec3& n,
              SegmentNow& now);
void differentiate(const SegmentRest& s, const Law& law, const SegmentRate& rate, const Quat& a, const SegmentNow& now,
                   SegmentTangent& tangent);

// Spin of the middle frame.
inline Vec3 middle_spin(const SegmentNow& now, const Vec3& spin_a, const Vec3& spin_b) {
  return 0.5 * (spin_a + spin_b) + now.tau * now.W.cross(spin_a - spin_b);
}
// How fast r_b - r_a - p changes while n stays: zero for rods that do not stretch.
inline Vec3 link_rate(const SegmentNow& now, const SegmentRest& s, const Vec3& v_a, const Vec3& v_b, const Vec3& spin_a,
                      const Vec3& spin_b) {
  const Vec3 spin = middle_spin(now, spin_a, spin_b);
  Vec3 rate = v_b - v_a - spin.cross(now.p);
  if (!s.give.isZero(0)) rate += now.mid * s.give.cwiseProduct(now.mid.transpose() * spin.cross(now.n));
  return rate;
}

struct SegmentEnergy {
  double bending = 0, twisting = 0, stretching = 0, shearing = 0;
  double sum() const { return bending + twisting + stretching + shearing; }
};
SegmentEnergy energy_of(const SegmentRest& s, const Law& law, const SegmentNow& now);

}  // namespace tendril::galpha
