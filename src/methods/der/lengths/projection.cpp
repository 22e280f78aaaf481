#include "methods/der/lengths/projection.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "linear/tridiagonal.h"
#include "linear/two_ended.h"

namespace tendril::der {

// One constraint c = (|e|^2 - rest^2)/2 per edge, with gradient +e at its end and -e at its start. One iteration solves
//   (J M^-1 D^T) lambda = c,   dx = -M^-1 D^T lambda
// D = J, the gradient at the present place, in fast projection; the gradient before the step in the conserving one.
// The matrix is tridiagonal; a ring adds one corner entry.  differs from the paper: factor 1/2.  [ERRATA D17]
ProjectionWork::ProjectionWork(const Chain& c) {
  const auto n = c.kind.size();
  for (Array* a : {&weight_diagonal, &weight_off, &unit, &inverse_rest2, &diagonal, &off, &upper, &compact_upper, &right,
                   &pivot, &lower, &border, &tension_before})
    a->assign(n, 0);
  for (Array3* a : {&along, &free_x, &free_v}) a->assign(static_cast<int>(n), {0, 0, 0});
  for (const ChainRod& rod : c.rods) has_rings = has_rings || rod.ring;
  // Where a wall's node may move, walls stand between edges that couple: then the system has one row per edge (solve_edges).
  refresh(c);
  bool movable_walls = false;
  for (const Wall& wall : c.walls) movable_walls = movable_walls || c.inverse_mass[z(wall.slot)] > 0;
  for (int s = c.begin; movable_walls && !has_rings && s < c.end; ++s) {
    if (c.kind[z(s)] == SlotKind::edge) rows.push_back(s);
  }
}

void ProjectionWork::refresh(const Chain& c) {
  for (int s = c.begin; s < c.end; ++s) {
    const auto k = z(s);
    weight_diagonal[k] = c.constrained[k] * (c.inverse_mass[k] + c.inverse_mass[k + 1]);
    weight_off[k] = c.constrained[k] * c.constrained[k - 1] * c.inverse_mass[k];
    unit[k] = 1 - c.constrained[k];
    inverse_rest2[k] = c.constrained[k] > 0 ? 1 / (c.rest_length[k] * c.rest_length[k]) : 0;
  }
}

namespace {

// Constraint values and the tridiagonal matrix; returns the worst relative violation.
template <Push push>
double assemble(const Chain& c, const Chunk& chunk, ProjectionWork& work) {
  Pack worst(0), nothing(0);  // nothing: 0 while all values are finite; a maximum would forget what is undefined
  for (int s = chunk.begin; s < chunk.end; s += pack_size) {
    // Constraint value; slots without a constraint have the equation lambda = 0.
    const V3<Pack> e = load(c.x, s + 1) - load(c.x, s);
    const Pack squared = squared_norm(e), rest = load(c.rest_length, s), unit = load(work.unit, s);
    const Pack value = (Pack(1) - unit) * (squared - rest * rest);
    store(work.right, s, Pack(0.5) * value);
    if constexpr (push == Push::fast) {
      // Fast projection: gradient at the present positions, a symmetric matrix.
      const V3<Pack> before = load(c.x, s) - load(c.x, s - 1);
      store(work.along, s, e);
      store(work.diagonal, s, squared * load(work.weight_diagonal, s) + unit);
      store(work.off, s, -(load(work.weight_off, s) * dot(before, e)));
    } else {
      // Conserving: present gradient times that before the step, not symmetric.
      store(work.diagonal, s, dot(e, load(work.along, s)) * load(work.weight_diagonal, s) + unit);
      store(work.off, s, -(load(work.weight_off, s) * dot(load(work.along, s - 1), e)));
      store(work.upper, s, -(load(work.weight_off, s + 1) * dot(load(work.along, s + 1), e)));
    }
    worst = math::max(worst, math::abs(Pack(value * load(work.inverse_rest2, s))));
    nothing = nothing + Pack(0) * value;
  }
  double largest = 0;
  for (int lane = 0; lane < pack_size; ++lane)
    largest = std::max<double>(largest, worst[lane]) + static_cast<double>(nothing[lane]);
  return largest;
}

// Walls whose node may move stand between edges that share it: the walls are left out, and the edges on either side couple.
void solve_edges(const Chain& c, const Chunk& chunk, ProjectionWork& work) {
  const auto row_at = [&](int slot) {
    return static_cast<int>(std::lower_bound(work.rows.begin(), work.rows.end(), slot) - work.rows.begin());
  };
  const int first = row_at(chunk.begin), last = row_at(chunk.end);
  for (int i = first; i < last; ++i) {
    // Compact rows: edges only; neighbours couple through their common node.
    const int s = work.rows[z(i)];
    work.pivot[z(i)] = work.diagonal[z(s)];
    work.border[z(i)] = work.right[z(s)];
    work.lower[z(i)] = 0;
    work.compact_upper[z(i)] = 0;
    if (i == first) continue;
    const int before = work.rows[z(i - 1)];
    if (c.node[z(before + 1)] != c.node[z(s)]) continue;  // another rod
    const double weight = c.inverse_mass[z(s)] * c.constrained[z(s)] * c.constrained[z(before)];
    const auto edge = [&](int k) { return c.x.get(k + 1) - c.x.get(k); };
    work.lower[z(i)] = -weight * dot(edge(s), work.along.get(before));
    work.compact_upper[z(i - 1)] = -weight * dot(edge(before), work.along.get(s));
  }
  solve_tridiagonal_two_ended(&work.pivot[z(first)], &work.lower[z(first)], &work.compact_upper[z(first)],
                              &work.border[z(first)], last - first);
  std::fill(&work.right[z(chunk.begin)], &work.right[z(chunk.end)], 0.0);
  for (int i = first; i < last; ++i) work.right[z(work.rows[z(i)])] = work.border[z(i)];
}

// The rods do not couple (`off` is 0 between them), so all open ones are solved as one system. The closing of a ring is a
// corner entry: its last edge meets its first one at its first node. What is not symmetric in the matrix of a ring, and
// walls in a ring whose node may move, are left to the outer iteration.
void solve(const Chain& c, const Chunk& chunk, ProjectionWork& work, Push push) {
  if (!work.rows.empty()) return solve_edges(c, chunk, work);
  const auto open = [&](int first, int n) {
    const double* upper = push == Push::fast ? &work.off[z(first + 1)] : &work.upper[z(first)];
    solve_tridiagonal_two_ended(&work.diagonal[z(first)], &work.off[z(first)], upper, &work.right[z(first)], n);
  };
  if (!work.has_rings) return open(chunk.begin, chunk.end - chunk.begin);
  for (const ChainRod& rod : c.rods_of(chunk)) {
    int last = rod.wrap - 1;
    while (rod.ring && last > rod.first && c.kind[z(last)] != SlotKind::edge) --last;
    const auto first = z(rod.first);
    const double corner =
        rod.ring ? -c.inverse_mass[first] * c.constrained[first] * dot(work.along.get(last), work.along.get(rod.first)) : 0;
    if (corner == 0) {
      open(rod.first, rod.end - rod.first);
      continue;
    }
    const auto count = z(last - rod.first + 1);
    work.off[first + count] = corner;  // the place of the wrap slot, which has no constraint of its own
    CyclicTridiagonal<double> ring{{&work.pivot[first], count}, {&work.lower[first], count}, {&work.border[first], count}};
    // The outer iteration sees whether the step was good.
    std::ignore = ring.factor({&work.diagonal[first], count}, {&work.off[first + 1], count});
    ring.solve({&work.right[first], count});
    std::fill(&work.right[first + count], &work.right[z(rod.end - 1)] + 1, 0.0);
  }
}

// How far the multipliers of its two slots move a vertex.
V3<double> moved_by_edges(const Chain& c, const ProjectionWork& work, int v) {
  const auto k = z(v);
  return c.inverse_mass[k] * (work.right[k] * work.along.get(v) - work.right[k - 1] * work.along.get(v - 1));
}

}  // namespace

void project_velocities(Chain& c, const Chunk& chunk, ProjectionWork& work, double kick) {
  // Linear: one solve is exact, but for walls in a ring, which `solve` leaves to an outer iteration.
  for (int left = work.has_rings ? 8 : 1; left > 0; --left) {
    assemble<Push::fast>(c, chunk, work);
    for (int s = chunk.begin; s < chunk.end; s += pack_size)
      store(work.right, s, load(c.constrained, s) * dot(load(work.along, s), load(c.v, s + 1) - load(c.v, s)));
    solve(c, chunk, work, Push::fast);
    const Pack rate(1 / kick);
    for (int v = chunk.begin; v < chunk.end; v += pack_size) {
      const Pack lambda = load(work.right, v);
      const V3<Pack> d =
          load(c.inverse_mass, v) * (lambda * load(work.along, v) - load(work.right, v - 1) * load(work.along, v - 1));
      store(c.v, v, load(c.v, v) + d);
      store(c.tension, v, load(c.tension, v) + (rate + load(c.mass_damping, v)) * lambda);
    }
    for (const Twin& twin : c.twins_of(chunk)) c.v.add(twin.first, moved_by_edges(c, work, twin.second));
    c.match_twins(chunk);
  }
}

ProjectionReport project(Chain& c, const Chunk& chunk, ProjectionWork& work, StepTimes step, double tolerance,
                         int max_iterations, Push push, bool again) {
  ProjectionReport report;
  // Multipliers are summed up as tensions; the conserving push goes along the edges as they were before the step.
  const double dt = step.dt;
  const Pack rate(1 / dt), rate2(1 / (dt * step.kick));
  if (!again) std::fill(&c.tension[z(chunk.begin)], &c.tension[z(chunk.end)], 0.0);
  for (int s = chunk.begin; push == Push::conserving && s < chunk.end; s += pack_size)
    store(work.along, s, load(c.length, s) * load(c.t, s));
  for (;; ++report.iterations) {
    // Newton's method on the constraints.
    report.residual = push == Push::fast ? assemble<Push::fast>(c, chunk, work) : assemble<Push::conserving>(c, chunk, work);
    if (report.residual <= tolerance) return report;
    if (report.iterations == max_iterations || !(report.residual < 1e6)) break;
    solve(c, chunk, work, push);
    // x_v moves by (lambda_v d_v - lambda_(v-1) d_(v-1))/m_v, d the directions of the push
    for (int v = chunk.begin; v < chunk.end; v += pack_size) {
      const Pack lambda = load(work.right, v);
      const V3<Pack> d =
          load(c.inverse_mass, v) * (lambda * load(work.along, v) - load(work.right, v - 1) * load(work.along, v - 1));
      store(c.x, v, load(c.x, v) + d);
      store(c.v, v, load(c.v, v) + rate * d);
      // Mass damping takes its part of every force of the step; the displacement is what was left.
      store(c.tension, v, load(c.tension, v) + (rate2 + rate * load(c.mass_damping, v)) * lambda);
    }
    for (const Twin& twin : c.twins_of(chunk)) {
      // Each twin moved by its own edge only; their node moves by the sum.
      const V3<double> d = moved_by_edges(c, work, twin.second);
      c.x.add(twin.first, d);
      c.v.add(twin.first, (1 / dt) * d);
    }
    c.match_twins(chunk);
  }
  report.fine = false;
  return report;
}

ProjectionReport project_or_fast(Chain& c, const Chunk& chunk, ProjectionWork& work, StepTimes step, double tolerance,
                                 int max_iterations, bool again) {
  // More iterations than this and the push has lost its way.
  constexpr int patience = 20;
  const auto copy = [&](const Array3& from_x, Array3& to_x, const Array3& from_v, Array3& to_v, const Array& from,
                        Array& to) {
    for (int s = chunk.begin; s < chunk.end; s += pack_size) {
      store(to_x, s, load(from_x, s));
      store(to_v, s, load(from_v, s));
      store(to, s, load(from, s));
    }
  };
  copy(c.x, work.free_x, c.v, work.free_v, c.tension, work.tension_before);
  const ProjectionReport first =
      project(c, chunk, work, step, tolerance, std::min(patience, max_iterations), Push::conserving, again);
  if (first.fine) return first;
  copy(work.free_x, c.x, work.free_v, c.v, work.tension_before, c.tension);
  return project(c, chunk, work, step, tolerance, max_iterations, Push::fast, again);
}

}  // namespace tendril::der
