// Coulomb's law of friction, as values and derivatives, for any method: |T| <= mu N; T = mu N against the sliding where it
// slides.
//
//   trial   the tangential force that would stop all sliding (a multiplier, or stiffness times elastic slip)
//   return  the trial where it lies inside the cone (sticking), else its projection on the cone along the tangent plane
//           (sliding); in plasticity this is called return mapping
//
// The projection keeps N: friction never changes the normal force (the nearest point of the cone would).
#pragma once

#include "tendril/types.h"

namespace tendril {

struct Friction {
  Vec3 force = Vec3::Zero();  // tangential [N]
  bool sliding = false;
  Mat3 d_trial = Mat3::Identity();     // d force / d trial, on tangential trials
  Vec3 d_normal_force = Vec3::Zero();  // d force / d N
};

// N <= 0: no contact, no friction.
inline Friction coulomb(const Vec3& trial, double normal_force, double mu) {
  Friction out;
  const double limit = mu * (normal_force > 0 ? normal_force : 0), size = trial.norm();
  if (size <= limit) {
    out.force = trial;
    return out;
  }
  const Vec3 along = trial / size;
  out.sliding = true;
  out.force = limit * along;
  out.d_trial = (limit / size) * (Mat3::Identity() - along * along.transpose());
  out.d_normal_force = normal_force > 0 ? Vec3(mu * along) : Vec3::Zero();
  return out;
}

inline Vec3 tangential(const Vec3& v, const Vec3& normal) { return v - normal.dot(v) * normal; }

// Vectors remembered in the tangent plane of an older normal, turned into that of the present one by the smallest rotation
// (parallel transport).
inline Vec3 turned_with_normal(const Vec3& v, const Vec3& from, const Vec3& to) {
  const double c = from.dot(to);
  if (c < -0.99) return tangential(v, to);  // turned over: there is no smallest rotation
  const Vec3 k = from.cross(to);
  return tangential(c * v + k.cross(v) + (k.dot(v) / (1 + c)) * k, to);
}

// Elastic slip (Cundall & Strack 1979): a spring between the surfaces that is drawn along once it reaches the cone. It
// sticks for good, which a law of the velocity alone cannot. Friction force on a and its elastic slip after a step:
//   slip     relative displacement of a's surface against b's, tangential, before [m]
//   sliding  of the step [m]
struct ElasticFriction {
  Friction friction;         // force on a
  Vec3 slip = Vec3::Zero();  // to be remembered
  double dissipated = 0;     // [J] >= 0
};
inline ElasticFriction elastic_friction(const Vec3& slip, const Vec3& sliding, double stiffness, double normal_force,
                                        double mu) {
  ElasticFriction out;
  const Vec3 trial_slip = slip + sliding;
  out.friction = coulomb(-stiffness * trial_slip, normal_force, mu);
  out.slip = out.friction.sliding ? Vec3(out.friction.force / -stiffness) : trial_slip;
  out.dissipated = -out.friction.force.dot(trial_slip - out.slip);
  return out;
}

}  // namespace tendril
