#include "methods/strands/standard.h"

#include <algorithm>
#include <cmath>

namespace tendril::strands {

void Strand::set_loads(std::vector<StrandLoad> given) {
  std::sort(given.begin(), given.end(), [](const StrandLoad& a, const StrandLoad& b) { return a.node < b.node; });
  loads = std::move(given);
  load_at.assign(z(nodes()), -1);
  for (std::size_t i = 0; i < loads.size(); ++i) load_at[z(loads[i].node)] = static_cast<int>(i);
  if (spring_at.size() != load_at.size()) spring_at.assign(load_at.size(), -1);
  note_loads();
}

void Strand::set_springs(std::vector<Spring> given) {
  std::sort(given.begin(), given.end(), [](const Spring& a, const Spring& b) { return a.node < b.node; });
  springs = std::move(given);
  spring_at.assign(z(nodes()), -1);
  for (std::size_t i = 0; i < springs.size(); ++i) spring_at[z(springs[i].node)] = static_cast<int>(i);
}

void Strand::note_loads() {
  const auto any = [](const V& v) { return v.x != 0 || v.y != 0 || v.z != 0; };
  world_loads = false, plain = true;
  for (Segment& s : segments) {
    s.loaded_world = any(s.world_force), s.loaded_material = any(s.material_force), s.stretches = any(s.give);
    world_loads = world_loads || s.loaded_world;
    const bool along_d3 = s.v_rest.x == 0 && s.v_rest.y == 0 && s.v_rest.z == 1;
    plain = plain && along_d3 && !s.stretches && !s.loaded_world;
  }
  for (const StrandLoad& load : loads) world_loads = world_loads || any(load.world_force) || any(load.world_moment);
}

namespace {

// step_back<2>() for a plain segment: the same formulas with v = (0, 0, 1) written out, for speed. The trapezoid of a load f
// that turns with the strand, h/2 (f + R f) and its moment shift x h/2 R f, is half of it before the turn and half behind.
inline void plain_step_back(const Segment& s, Stress<double>& x, Quaternion& turn, V& shift) {
  // Midpoint rule: strain at the far node, half a step back, strain there: the screw.
  const double h = s.h;
  const V u = s.u_rest + scaled(s.compliance, x.m);
  const V rate = cross(u, x.m) + V{-x.n.y, x.n.x, 0};
  const V w = h * (s.u_rest + scaled(s.compliance, x.m + (0.5 * h) * rate));
  // The screw's rotation (as a quaternion) and shift, in closed form or as series for small angles.
  const double square = squared_norm(w);
  double half_cosine, half_sine, c;
  detail::half_angle(square, half_cosine, half_sine, c);
  const double a = 2 * half_sine * half_cosine, b = 2 * half_sine * half_sine, cosine = 1 - square * b;
  turn = {half_cosine, half_sine * w.x, half_sine * w.y, half_sine * w.z};
  const double along = c * h * w.z, across = b * h;
  shift = {along * w.x + across * w.y, along * w.y - across * w.x, along * w.z + a * h};
  // Force and moment carried back through the screw (Rodrigues' formula), and the load.
  const V half_load = (0.5 * h) * s.material_force, far = x.n + half_load;
  const V n = cosine * far + a * cross(w, far) + (b * dot(w, far)) * w;
  x.m = cosine * x.m + a * cross(w, x.m) + (b * dot(w, x.m)) * w + cross(shift, n);
  x.n = n + half_load;
}

}  // namespace

void Standard::plain_sweep(const Strand& strand) {
  Stress<double> x = states_.back().x;
  for (int j = strand.last() - 1; j >= 0; --j) {
    plain_step_back(strand.segments[z(j)], x, links_[z(j)].turn, links_[z(j)].shift);
    states_[z(j)].x = x;
  }
}

template <int order>
void Standard::sweep(const Strand& strand, const std::vector<State>* turned) {
  Stress<double> x = states_.back().x;
  const V none{0, 0, 0};
  for (int j = strand.last() - 1; j >= 0; --j) {
    const Segment& s = strand.segments[z(j)];
    // Dead loads in the axes of the last iterate, `turned`.
    const V world = s.loaded_world && turned ? into_material((*turned)[z(j + 1)].q, s.world_force) : none;
    const Screw<double> e = step_back<order>(s, strand.law, x, world);
    links_[z(j)] = {e.turn, e.shift};
    states_[z(j)].x = x;
    // Beyond the node: its point loads are added; the near end keeps its stress behind the node.
    const int index = strand.load_at[z(j)];
    if (index < 0 || j == 0) continue;
    const StrandLoad& load = strand.loads[z(index)];
    x.n += load.material_force, x.m += load.material_moment;
    if (!turned) continue;
    x.n += into_material((*turned)[z(j)].q, load.world_force), x.m += into_material((*turned)[z(j)].q, load.world_moment);
  }
}

void Standard::solve(const Strand& strand, const V& r, const Quaternion& q, const Stress<double>& far_end,
                     const std::vector<State>* turned) {
  links_.resize(strand.segments.size());
  states_.resize(z(strand.nodes()));
  // Stress behind the last node: given, and its loads.
  State& tip = states_.back();
  tip.x = far_end;
  if (turned) {
    State loaded = turned->back();
    loaded.x = far_end;
    cross_node(strand, strand.last(), loaded);
    tip.x = loaded.x;
  } else if (const int index = strand.load_at[z(strand.last())]; index >= 0) {
    tip.x.n += strand.loads[z(index)].material_force, tip.x.m += strand.loads[z(index)].material_moment;
  }
  // First sweep, from far to near: stress and screws.
  const bool bare = strand.loads.size() <= (strand.load_at.back() >= 0 ? 1u : 0u);  // no point loads but the last node's
  if (strand.order == 2 && strand.plain && strand.law.is_linear() && bare)
    plain_sweep(strand);
  else if (strand.order == 1)
    sweep<1>(strand, turned);
  else if (strand.order == 2)
    sweep<2>(strand, turned);
  else
    sweep<4>(strand, turned);
  // Second sweep, from near to far: poses by the screws.
  V place = r;
  Quaternion axes = q;
  for (std::size_t j = 0; j < links_.size(); ++j) {  // eq. (16)
    states_[j].r = place, states_[j].q = axes;
    place += rotate(axes, links_[j].shift);
    axes = axes * links_[j].turn;
  }
  states_.back().r = place, states_.back().q = axes;
}

FixedPointReport solve_fixed_point(Standard& standard, const Strand& strand, const V& r, const Quaternion& q,
                                   std::vector<State>& states, double tolerance, int max_iterations, double under) {
  FixedPointReport report;
  const double length = strand.length();
  const Stress<double> free_end{{0, 0, 0}, {0, 0, 0}};
  for (report.iterations = 1; report.iterations <= max_iterations; ++report.iterations) {
    // Picard iteration: loads turned as in the last shape give the next shape.
    standard.solve(strand, r, q, free_end, &states);
    const std::vector<State>& next = standard.states();
    double worst = 0;
    for (std::size_t j = 0; j < states.size(); ++j) {
      worst = std::max(worst, norm(next[j].r - states[j].r));
      // Under-relaxation by a fraction of the turn.
      const Quaternion old = states[j].q;
      states[j] = next[j];
      if (under >= 1) continue;
      const V turn = under * log_of(Quaternion(conjugate(old) * next[j].q));
      states[j].q = old * to_small(exp_quat(to_eigen(turn)));
    }
    report.change = worst / length;
    if (!(report.change < 1e3)) return report;
    if (report.change <= tolerance) return report.fine = true, report;
  }
  return report;
}

}  // namespace tendril::strands
