// Edges, Bishop frames and the quasistatic material frame.  [Bergou 2008, sec. 4.2.2 and 5]
#pragma once

#include "methods/der/chain/chain.h"

namespace tendril::der {

struct AngleReport {
  bool fine = true;
  int iterations = 0;
  double residual = 0;  // largest |dE/dtheta| over its tolerance
};

// Workspace of the angle solver, allocated once.
struct AngleWork {
  explicit AngleWork(const Chain& chain);
  Array free;       // 1 where theta is unknown
  Array tolerance;  // per slot
  Array gradient, diagonal, off, step, saved, scratch, pivot, lower, border, angles_before;
  Array inertia, towards;  // of rolling rods: rotary inertia over dt^2, and where the angles go by themselves; else 0
};

// Where the walls are to stand: one of them, and all that clamps hold.
void set_wall(Chain& chain, Wall& wall, const WallPose& now);
void set_walls(Chain& chain, const Drive& drive);
inline WallPose pose_of(const ClampNow& now) { return {now.pose.orientation, now.turn, now.winding}; }
// How far the direction of a wall swings when it goes on to `now` [rad], the long way: many turns count as many.
double swing_to(const Wall& wall, const WallPose& now);
constexpr double max_swing = 0.5 * math::pi;  // in a step: beyond it the frames would not know which way it went
// Tangents and lengths from the vertices; walls put in their place.
void update_edges(Chain& chain, const Chunk& chunk);
inline void update_edges(Chain& chain) { update_edges(chain, chain.all()); }
void place_wall(Chain& chain, Wall& wall);
// Carries each rod's first Bishop director from the old first tangents to the present ones (parallel transport in time).
void carry_first_directors(Chain& chain, const Chunk& chunk, const std::vector<V3<double>>& old_first_tangents);
// Bishop directors along the rods that need them, held angles of walls, closure of rings.
void update_bishop(Chain& chain, const Chunk& chunk, bool every_rod);
inline void update_bishop(Chain& chain, bool every_rod) { update_bishop(chain, chain.all(), every_rod); }
// Minimises the energy over all angles that are free. Isotropic rods in closed form, others by Newton.
AngleReport update_angles(Chain& chain, const Chunk& chunk, AngleWork& work, double tolerance);
inline AngleReport update_angles(Chain& chain, AngleWork& work, double tolerance) {
  return update_angles(chain, chain.all(), work, tolerance);
}
// How far the angles of general rods turn under torques per slot, near their present equilibrium: H^-1 torque, H with the
// inertia of rolling rods. Uses what the last update_angles left.
void angle_compliance(const Chain& chain, AngleWork& work, const Array& torque, Array& out);
// A step of rolling rods begins before update_angles and ends after it:
//   E(theta) - torque . theta + J/(2 dt^2) (theta - towards)^2 is least,  towards = theta + dt roll
void begin_roll(const Chain& chain, AngleWork& work, double dt);
void end_roll(Chain& chain, const AngleWork& work, double dt);
// Fills u, theta, m1, m2 of every rod, also of those that need no frames to move. For output.
void fill_directors(Chain& chain);

// Sum of bending and twisting energy over a range of joints, at the present angles of general rods.
double joint_energy(const Chain& chain, const ChainRod& rod, double* bending, double* twisting);

}  // namespace tendril::der
