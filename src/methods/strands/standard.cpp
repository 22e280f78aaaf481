#include "methods/strands/standard.h"

#include <algorithm>
#include <cmath>

namespace tendril::strands {

void Strand::set_loads(std::vector<PointLoad> given) {
  std::sort(given.begin(), given.end(), [](const PointLoad& a, const PointLoad& b) { return a.node < b.node; });
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
  world_loads = follower_loads = false;
  for (Segment& s : segments) {
    s.loaded_world = any(s.world_force), s.loaded_material = any(s.material_force), s.stretches = any(s.give);
    world_loads = world_loads || s.loaded_world, follower_loads = follower_loads || s.loaded_material;
  }
  for (const PointLoad& load : loads) {
    world_loads = world_loads || any(load.world_force) || any(load.world_moment);
    follower_loads = follower_loads || any(load.material_force) || any(load.material_moment);
  }
}

template <int order>
void Standard::sweep(const Strand& strand, const std::vector<State>* turned) {
  Stress<double> x = states_.back().x;
  const V none{0, 0, 0};
  for (int j = strand.last() - 1; j >= 0; --j) {
    const Segment& s = strand.segments[z(j)];
    const V world = s.loaded_world && turned ? into_material((*turned)[z(j + 1)].q, s.world_force) : none;
    const Screw<double> e = step_back<order>(s, strand.law, x, world);
    links_[z(j)] = {e.turn, e.shift};
    states_[z(j)].x = x;
    const int index = strand.load_at[z(j)];
    if (index < 0 || j == 0) continue;
    const PointLoad& load = strand.loads[z(index)];
    x.n += load.material_force, x.m += load.material_moment;
    if (!turned) continue;
    x.n += into_material((*turned)[z(j)].q, load.world_force), x.m += into_material((*turned)[z(j)].q, load.world_moment);
  }
}

void Standard::solve(const Strand& strand, const V& r, const Quaternion& q, const Stress<double>& far_end,
                     const std::vector<State>* turned) {
  links_.resize(strand.segments.size());
  states_.resize(z(strand.nodes()));
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
  if (strand.order == 1)
    sweep<1>(strand, turned);
  else if (strand.order == 2)
    sweep<2>(strand, turned);
  else
    sweep<4>(strand, turned);
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
                                   std::vector<State>& states, double tolerance, int most_iterations, double under) {
  FixedPointReport report;
  const double length = strand.length();
  const Stress<double> free_end{{0, 0, 0}, {0, 0, 0}};
  for (report.iterations = 1; report.iterations <= most_iterations; ++report.iterations) {
    standard.solve(strand, r, q, free_end, &states);
    const std::vector<State>& next = standard.states();
    double worst = 0;
    for (std::size_t j = 0; j < states.size(); ++j) {
      worst = std::max(worst, norm(next[j].r - states[j].r));
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
