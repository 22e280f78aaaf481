#include "methods/der/rod/frames.h"

#include <algorithm>
#include <cmath>

#include "linear/tridiagonal.h"
#include "math/rotation.h"
#include "math/transport.h"

namespace tendril::der {

void set_wall(Chain& c, Wall& wall, const WallPose& now) {
  const V3<double> tangent = to_small(director(now.orientation, 2)), d1 = to_small(director(now.orientation, 0));
  wall.target_tangent = tangent;
  // The frame goes on by the number of turns; update_bishop then finds the angle itself, to less than half a turn.
  c.theta[z(wall.slot)] += now.winding - wall.winding;
  wall.turn = now.turn, wall.winding = now.winding;
  wall.target_d1 = d1;
  if (!wall.follows) wall.director = turned_about(tangent, orthonormalized(tangent, d1), -c.phi[z(wall.slot)]);
}

void set_walls(Chain& c, const Drive& drive) {
  for (Wall& wall : c.walls) {
    if (wall.clamp >= 0) set_wall(c, wall, pose_of(drive.clamps[z(wall.clamp)]));
  }
}

double swing_to(const Wall& wall, const WallPose& now) {
  const double turn = now.turn - wall.turn, along = now.winding - wall.winding;
  return std::sqrt(std::max(0.0, turn * turn - along * along));
}

void place_wall(Chain& c, Wall& wall) {
  const int s = wall.slot;
  V3<double> tangent = wall.target_tangent;
  if (wall.follows) {
    tangent = normalized(c.t.get(s - 1) + c.t.get(s + 1));
    const V3<double> d1 = parallel_transport_normal(wall.target_tangent, tangent, wall.target_d1);
    wall.director = turned_about(tangent, orthonormalized(tangent, d1), -c.phi[z(s)]);
  }
  c.t.set(s, tangent);
  c.length[z(s)] = 1;
  c.inverse_length[z(s)] = 0;  // nothing moves with a wall
}

void update_edges(Chain& c, const Chunk& chunk) {
  for (int s = chunk.begin; s < chunk.end; s += pack_size) {
    const V3<Pack> e = load(c.x, s + 1) - load(c.x, s);
    const Pack squared = squared_norm(e);
    // The floor is for the pads, whose vertices may coincide.
    const Pack length = math::sqrt(select(squared < Pack(1e-300), Pack(1e-300), squared));
    const Pack inverse = Pack(1) / length;
    store(c.t, s, inverse * e);
    store(c.length, s, length);
    store(c.inverse_length, s, inverse);
  }
  for (const ChainRod& rod : c.rods_of(chunk)) {
    if (rod.ring) c.inverse_length[z(rod.wrap)] = 0;  // its force belongs to the first slot
  }
  for (Wall& wall : c.walls_of(chunk)) place_wall(c, wall);
}

void carry_first_directors(Chain& c, const Chunk& chunk, const std::vector<V3<double>>& old_first_tangents) {
  for (int r = chunk.first_rod; r < chunk.last_rod; ++r) {
    const int first = c.rods[z(r)].first;
    const V3<double> t = c.t.get(first);
    c.set_first_director(
        r, orthonormalized(t, parallel_transport_normal(old_first_tangents[z(r)], t, c.get_first_director(r))));
  }
}

void update_bishop(Chain& c, const Chunk& chunk, bool every_rod) {
  for (int r = chunk.first_rod; r < chunk.last_rod; ++r) {
    const ChainRod& rod = c.rods[z(r)];
    if (!every_rod && !rod.general && !rod.twisted) continue;
    V3<double> u = c.get_first_director(r), t = c.t.get(rod.first);
    c.u.set(rod.first, u);
    for (int s = rod.first + 1; s < rod.first + rod.slots; ++s) {
      const V3<double> next = c.t.get(s);
      const V3<double> halfway = joint_weight(dot(t, next)) * (t + next);
      u = u - dot(next, u) * halfway;  // parallel_transport_normal, arranged for the shortest chain of operations
      c.u.set(s, u);
      t = next;
    }
    if (rod.ring) {
      double& closure = c.closure[z(r)];
      closure = unwrap(signed_angle(c.u.get(rod.wrap), c.u.get(rod.first), c.t.get(rod.wrap)), closure);
    }
  }
  for (const Wall& wall : c.walls_of(chunk)) {
    const ChainRod& rod = c.rods[z(wall.rod)];
    if (!wall.twist || (!every_rod && !rod.general && !rod.twisted)) continue;
    double& theta = c.theta[z(wall.slot)];
    theta = unwrap(signed_angle(c.u.get(wall.slot), wall.director, c.t.get(wall.slot)), theta);  // winding kept [ERRATA D14]
  }
}

namespace {

// [Bergou 2008, eq. (5)]: the twist moment between two held frames.
void update_regions(Chain& c, const Chunk& chunk) {
  for (const TwistRegion& region : c.regions_of(chunk)) {
    const auto r = z(region.rod);
    const ChainRod& rod = c.rods[r];
    const auto theta = [&](int s) { return c.theta[z(s)]; };
    double turned = 0;
    if (!region.closes) {
      turned = theta(region.to) - theta(region.from);
    } else if (region.from == rod.first) {
      turned = c.closure[r];
    } else {
      turned = c.closure[r] + theta(region.to2) - theta(region.from);
    }
    const double moment = (turned - region.rest) / region.compliance;
    for (int s = region.from + 1; s <= region.to; ++s) c.twist_moment[z(s)] = moment;
    for (int s = region.from2 + 1; s <= region.to2; ++s) c.twist_moment[z(s)] = moment;
  }
}

void set_directors(Chain& c, const ChainRod& rod) {
  for (int s = rod.first; s < rod.end; s += pack_size) {
    const auto [sine, cosine] = math::sincos(load(c.theta, s));
    const V3<Pack> u = load(c.u, s), v = cross(load(c.t, s), u);
    store(c.m1, s, cosine * u + sine * v);
    store(c.m2, s, cosine * v - sine * u);
  }
}

// Gradient and Hessian of the energy in the angles of one rod.  [Bergou 2008, eq. (7)]
// What a joint adds to the slot before it is stored at the joint's own place until the second loop shifts it.
double angle_system(Chain& c, const ChainRod& rod, AngleWork& work) {
  for (int s = rod.first; s < rod.end; s += pack_size) {
    const V3<Pack> a = load(c.t, s - 1), b = load(c.t, s);
    const Pack w = joint_weight(dot(a, b)), inverse_l = load(c.inverse_l, s);
    const V2<Pack> first = material_curvature_first(b, w, load(c.m1, s - 1), load(c.m2, s - 1));
    const V2<Pack> second = material_curvature_second(a, w, load(c.m1, s), load(c.m2, s));
    const Sym2<Pack> Ba{load(c.B_xx, s - 1), load(c.B_xy, s - 1), load(c.B_yy, s - 1)};
    const Sym2<Pack> Bb{load(c.B_xx, s), load(c.B_xy, s), load(c.B_yy, s)};
    const V2<Pack> p = inverse_l * (Ba * (first - load(c.rest_first, s)));
    const V2<Pack> q = inverse_l * (Bb * (second - load(c.rest_second, s)));
    const Pack k = load(c.twist_stiffness, s);
    const Pack moment = k * (load(c.theta, s) - load(c.theta, s - 1) - load(c.rest_twist, s));
    store(c.twist_moment, s, moment);
    store(work.gradient, s, angle_gradient(second, q) + moment);
    store(work.diagonal, s, angle_curvature(second, Bb, inverse_l, q) + k);
    store(work.scratch, s, angle_gradient(first, p) - moment);
    store(work.off, s, angle_curvature(first, Ba, inverse_l, p) + k);
  }
  Pack worst(0);
  for (int s = rod.first; s < rod.end; s += pack_size) {
    const Pack free = load(work.free, s);
    const Pack g = load(work.gradient, s) + load(work.scratch, s + 1) - load(c.torque, s) +
                   load(work.inertia, s) * (load(c.theta, s) - load(work.towards, s));
    const Pack h = load(work.diagonal, s) + load(work.off, s + 1);
    store(work.gradient, s, g);
    store(work.diagonal, s, h);
    worst = math::max(worst, math::abs(Pack(free * g)) / load(work.tolerance, s));
  }
  double largest = 0;
  for (int lane = 0; lane < pack_size; ++lane)
    largest = worst[lane] > largest || worst[lane] != worst[lane] ? worst[lane] : largest;
  if (rod.ring) {  // the wrap slot turns with the first one
    const auto first = z(rod.first), wrap = z(rod.wrap);
    work.gradient[first] += work.gradient[wrap];
    work.diagonal[first] += work.diagonal[wrap];
    largest = 0;
    for (int s = rod.first; s < rod.wrap; ++s) {
      const auto k = z(s);
      largest = std::max(largest, std::abs(work.free[k] * work.gradient[k]) / work.tolerance[k]);
    }
  }
  return largest;
}

// Solves the tridiagonal system for the step. False where some pivot is not positive: the caller shifts.  [ERRATA D8]
bool angle_step(const Chain& c, const ChainRod& rod, AngleWork& work, double shift, double scale) {
  const auto first = z(rod.first);
  const auto n = static_cast<std::size_t>((rod.ring ? rod.wrap : rod.first + rod.slots) - rod.first);
  const auto part = [&](Array& a) { return std::span<double>(&a[first], n); };
  const auto coupling = [&](std::size_t before, std::size_t after, std::size_t joint) {
    return -c.twist_stiffness[joint] * work.free[before] * work.free[after];
  };
  const double held =
      scale > 0 ? scale : 1;  // an equation of its own, of the size of the others: the last pivot is judged by it
  for (std::size_t k = first; k < first + n; ++k) {
    work.pivot[k] = work.free[k] > 0 ? work.diagonal[k] + work.inertia[k] + shift : held;
    work.off[k] = k + 1 < first + n ? coupling(k, k + 1, k + 1) : 0;
    work.step[k] = -work.free[k] * work.gradient[k];
  }
  if (rod.ring) {
    work.off[first + n - 1] = coupling(first + n - 1, first, z(rod.wrap));
    CyclicTridiagonal<double> ring{part(work.saved), part(work.lower), part(work.border)};
    if (ring.factor(part(work.pivot), part(work.off)).negative > 0 || !(ring.schur > 1e-12 * scale)) return false;
    ring.solve(part(work.step));
    return true;
  }
  const PivotReport pivots =
      factor_tridiagonal<double>(part(work.pivot), part(work.off), part(work.saved), part(work.lower));
  if (pivots.negative > 0) return false;
  if (!(work.saved[first + n - 1] > 1e-12 * scale)) return false;  // a free rod may have a mode without stiffness
  solve_tridiagonal<double>(part(work.saved), part(work.lower), part(work.step));
  return true;
}

void move_angles(Chain& c, const ChainRod& rod, int r, const AngleWork& work, const Array& from, double factor) {
  const int last = rod.ring ? rod.wrap : rod.first + rod.slots;
  for (int s = rod.first; s < last; ++s) {
    const auto k = z(s);
    c.theta[k] = from[k] + factor * work.step[k];
  }
  if (rod.ring) {
    c.theta[z(rod.wrap)] = c.theta[z(rod.first)] + c.closure[z(r)];
  }
}

double angle_energy(const Chain& c, const ChainRod& rod, const AngleWork& work) {
  double energy = joint_energy(c, rod, nullptr, nullptr);
  for (int s = rod.first; s < rod.first + rod.slots; ++s) {
    const double beyond = c.theta[z(s)] - work.towards[z(s)];
    energy += 0.5 * work.inertia[z(s)] * beyond * beyond - c.torque[z(s)] * c.theta[z(s)];
  }
  return energy;
}

constexpr int max_angle_iterations = 50;

// Newton's method on the angles of one rod, with a line search where the plain step does not reduce the gradient.
AngleReport solve_angles(Chain& c, int r, AngleWork& work, double tolerance) {
  // Frames, gradient and Hessian for the angles of the step before: in slow motion they are nearly right.
  const ChainRod& rod = c.rods[z(r)];
  if (rod.ring) c.theta[z(rod.wrap)] = c.theta[z(rod.first)] + c.closure[z(r)];
  set_directors(c, rod);
  AngleReport report;
  report.residual = angle_system(c, rod, work);
  Array& from = work.angles_before;
  for (; report.residual > tolerance && report.iterations < max_angle_iterations; ++report.iterations) {
    // Modified Newton: shift the Hessian until it is positive definite. Where no shift is enough it is not finite.
    double shift = 0;
    double scale = 0;
    for (int s = rod.first; s < rod.first + rod.slots; ++s) scale = std::max(scale, std::abs(work.diagonal[z(s)]));
    bool shifted = false;
    while (!angle_step(c, rod, work, shift, scale)) {
      shift = shift == 0 ? 1e-6 * scale : 4 * shift;
      shifted = true;
      if (!(shift < 1e12 * scale)) return report.fine = false, report;
    }
    // Where the line search starts, and the slope of the energy there.
    double slope = 0;
    for (int s = rod.first; s < rod.first + rod.slots; ++s) {
      const auto k = z(s);
      from[k] = c.theta[k];
      if (work.free[k] > 0) slope += work.gradient[k] * work.step[k];
    }
    // The energy is needed only where the plain step is doubtful: after a shift, or far from equilibrium.
    const double before_residual = report.residual;
    const double before = shifted || before_residual > 1e6 * tolerance ? angle_energy(c, rod, work) : 0;
    // Line search by halving: a smaller gradient is enough, otherwise the energy has to fall by Armijo's rule.
    double factor = 1;
    for (int cut = 0; cut < 40; ++cut, factor *= 0.5) {
      move_angles(c, rod, r, work, from, factor);
      set_directors(c, rod);
      report.residual = angle_system(c, rod, work);
      if (!shifted && report.residual < 0.9 * before_residual) break;
      // The energy at the start, found now if it was not needed before; then back to the trial.
      const double reference =
          before != 0 ? before : (move_angles(c, rod, r, work, from, 0), set_directors(c, rod), angle_energy(c, rod, work));
      move_angles(c, rod, r, work, from, factor);
      set_directors(c, rod);
      report.residual = angle_system(c, rod, work);
      if (angle_energy(c, rod, work) <= reference + 1e-4 * factor * slope + 1e-14 * std::abs(reference)) break;
    }
  }
  // At the limit of iterations a residual near the tolerance is rounding, and good enough.
  report.fine =
      report.residual <= tolerance ||
      (report.residual == report.residual && report.iterations == max_angle_iterations && report.residual < 1e3 * tolerance);
  return report;
}

}  // namespace

AngleWork::AngleWork(const Chain& c) {
  const auto n = c.kind.size();
  for (Array* a : {&free, &gradient, &diagonal, &off, &step, &saved, &scratch, &pivot, &lower, &border, &angles_before,
                   &inertia, &towards})
    a->assign(n, 0);
  tolerance.assign(n, 1);
  for (std::size_t s = 0; s < n; ++s) free[s] = c.kind[s] == SlotKind::edge || c.kind[s] == SlotKind::wall ? 1 : 0;
  for (const Wall& wall : c.walls) {
    if (wall.twist) free[z(wall.slot)] = 0;
  }
  // |dE/dtheta| < 1e-12 max(alpha, beta)/l is the unit of residuals. What is left over turns the centerline
  // as an outer moment would: with 1e-10, as advised for what the paper leaves open, a free rod's angular momentum changes
  // by 2e-9 in 1e5 steps. Newton's method converges fast enough that the difference costs 3 % of a step.
  for (const ChainRod& rod : c.rods) {
    double stiffest = 0;
    for (int s = rod.first; s < rod.first + rod.slots; ++s) {
      const auto k = z(s);
      stiffest = std::max({stiffest, 0.25 * c.bend[k], c.twist_stiffness[k]});
    }
    for (int s = rod.first; s < rod.end; ++s) tolerance[z(s)] = stiffest > 0 ? 1e-12 * stiffest : 1;
  }
}

AngleReport update_angles(Chain& c, const Chunk& chunk, AngleWork& work, double tolerance) {
  update_regions(c, chunk);
  AngleReport worst;
  if (!c.has_general) return worst;
  for (int r = chunk.first_rod; r < chunk.last_rod; ++r) {
    if (!c.rods[z(r)].general) continue;
    const AngleReport report = solve_angles(c, r, work, tolerance);
    worst.fine = worst.fine && report.fine;
    worst.iterations = std::max(worst.iterations, report.iterations);
    worst.residual = std::max(worst.residual, report.residual);
  }
  return worst;
}

void angle_compliance(const Chain& c, AngleWork& work, const Array& torque, Array& out) {
  out.assign(torque.size(), 0);
  for (const ChainRod& rod : c.rods) {
    if (!rod.general) continue;
    double scale = 0;
    bool any = false;
    for (int s = rod.first; s < rod.first + rod.slots; ++s) {
      any = any || torque[z(s)] != 0;
      work.gradient[z(s)] = -torque[z(s)];
      scale = std::max(scale, std::abs(work.diagonal[z(s)]));
    }
    if (!any) continue;
    for (double shift = 0; !angle_step(c, rod, work, shift, scale) && shift < scale;)
      shift = std::max(1e-6 * scale, 4 * shift);  // frames about to jump
    for (int s = rod.first; s < rod.first + rod.slots; ++s) out[z(s)] = work.step[z(s)];
  }
}

void begin_roll(const Chain& c, AngleWork& work, double dt) {
  for (int s = c.begin; s < c.end; ++s) {
    const auto k = z(s);
    work.inertia[k] = c.roll_inertia[k] / (dt * dt);
    work.towards[k] = c.theta[k] + dt * c.roll[k] / (1 + dt * c.mass_damping[k]);
  }
}

void end_roll(Chain& c, const AngleWork& work, double dt) {
  for (int s = c.begin; s < c.end; ++s) {
    const auto k = z(s);
    if (c.roll_inertia[k] == 0) continue;
    c.roll_change[k] = (c.theta[k] - work.towards[k]) / dt;
    c.roll[k] = c.roll[k] / (1 + dt * c.mass_damping[k]) + c.roll_change[k];
  }
}

void fill_directors(Chain& c) {
  update_bishop(c, true);
  for (int r = 0; r < static_cast<int>(c.rods.size()); ++r) {
    const ChainRod& rod = c.rods[z(r)];
    if (!rod.general) {
      // Twists follow from the moments; the angles hang on the first frame that is held, or on the rod's first one.
      int anchor = rod.first;
      for (const Wall& wall : c.walls_of_rod(r)) {
        if (wall.twist) {
          anchor = wall.slot;
          break;
        }
      }
      const auto twist = [&](int s) {
        const auto k = z(s);
        return c.rest_twist[k] + (c.twist_stiffness[k] > 0 ? c.twist_moment[k] / c.twist_stiffness[k] : 0);
      };
      for (int s = anchor + 1; s < rod.first + rod.slots; ++s) c.theta[z(s)] = c.theta[z(s - 1)] + twist(s);
      for (int s = anchor; s > rod.first; --s) c.theta[z(s - 1)] = c.theta[z(s)] - twist(s);
    }
    set_directors(c, rod);
  }
}

double joint_energy(const Chain& c, const ChainRod& rod, double* bending, double* twisting) {
  double bend = 0, twist = 0;
  for (int s = rod.first + 1; s < rod.first + rod.slots; ++s) {
    const auto k = z(s);
    const V3<double> a = c.t.get(s - 1), b = c.t.get(s);
    const double cosine = dot(a, b), w = joint_weight(cosine);
    if (rod.general) {
      const V2<double> first = material_curvature_first(b, w, c.m1.get(s - 1), c.m2.get(s - 1)) - c.rest_first.get(s);
      const V2<double> second = material_curvature_second(a, w, c.m1.get(s), c.m2.get(s)) - c.rest_second.get(s);
      bend += 0.5 * c.inverse_l[k] * (dot(first, c.stiffness(s - 1) * first) + dot(second, c.stiffness(s) * second));
      const double m = c.theta[k] - c.theta[k - 1] - c.rest_twist[k];
      twist += 0.5 * c.twist_stiffness[k] * m * m;
    } else {
      bend += 0.5 * c.bend[k] * (1 - cosine) * w;  // alpha |kb|^2 / l with |kb|^2 = 4 (1 - c)/(1 + c)
      twist += c.twist_stiffness[k] > 0 ? 0.5 * c.twist_moment[k] * c.twist_moment[k] / c.twist_stiffness[k] : 0;
    }
  }
  if (bending) *bending = bend;
  if (twisting) *twisting = twist;
  return bend + twist;
}

}  // namespace tendril::der
