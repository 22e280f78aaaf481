#include "methods/strands/strands.h"

#include <algorithm>
#include <cmath>

#include "methods/strands/ends.h"

namespace tendril::strands {

Settings Settings::from(const Options& options) {
  Settings s;
  s.order = options.word("order") == "1" ? 1 : options.word("order") == "2" ? 2 : 4;
  s.mesh_tolerance = options.number("mesh_tolerance");
  s.solver.softest = true;
  s.solver.tolerance = options.number("tolerance");
  s.solver.max_iterations = static_cast<int>(options.number("iterations"));
  s.solver.single = options.word("shooting") != "multiple";
  s.solver.pieces = static_cast<int>(options.number("pieces"));
  s.solver.fixed_point = options.word("dead_loads") == "fixed_point";
  s.solver.seek_minimum = options.flag("seek_minimum");
  return s;
}

Strands::Strands(std::shared_ptr<const Model> model, const Settings& settings)
    : model_(std::move(model)), settings_(settings), late_(*model_), loads_(*model_), workers_(settings.threads) {
  // Clamps as they are before any load acts.
  lines_.resize(model_->rods.size());
  evaluate(*model_, Live{}, 0, 0, drive_);
  loads_.update(drive_);
  take_hold();  // none of the late ones yet
  for (int rod = 0; rod < static_cast<int>(lines_.size()); ++rod) {
    // Segments, a first guess of states, holds, and a solver with workspaces for them.
    build_line(rod);
    const std::vector<State> states = spread(rod, initial_states(rod));
    lines_[z(rod)].strand.set_loads({});
    set_holds(rod);
    lines_[z(rod)].solver.start(lines_[z(rod)].strand, settings_.solver, states);
  }
}

void Strands::take_hold() {
  late_.follow(*model_, drive_, [&](const ClampModel& clamp) -> Pose {
    const Line& line = lines_[z(clamp.rod)];
    const int first = model_->rods[z(clamp.rod)].span.first_node;
    const State& at = line.solver.states()[z(line.mesh.node_of(clamp.node.value - first))];
    return {to_eigen(at.r), to_eigen(at.q)};
  });
}

bool Strands::set_holds(int rod) {
  Line& line = lines_[z(rod)];
  const int first = model_->rods[z(rod)].span.first_node;
  bool changed = false;
  line.strand.holds.clear();
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    // Which clamps of this rod hold now; a change makes the solver start anew.
    const ClampModel& clamp = model_->clamps[i];
    if (clamp.rod != rod) continue;
    changed = changed || line.held[i] != late_.holds(i);
    line.held[i] = late_.holds(i);
    if (!late_.holds(i)) continue;
    const int node = line.mesh.node_of(clamp.node.value - first);
    const ClampNow& now = drive_.clamps[i];
    // Several clamps may hold different things at one node: one HeldNode.
    auto at =
        std::find_if(line.strand.holds.begin(), line.strand.holds.end(), [&](const HeldNode& h) { return h.node == node; });
    if (at == line.strand.holds.end()) at = line.strand.holds.insert(at, HeldNode{.node = node});
    if (clamp.position) at->position = true, at->r = to_small(now.pose.position);
    if (clamp.direction) at->direction = true, at->twist = clamp.twist, at->q = to_small(now.pose.orientation);
  }
  std::sort(line.strand.holds.begin(), line.strand.holds.end(),
            [](const HeldNode& a, const HeldNode& b) { return a.node < b.node; });
  return changed;
}

// Further apart than the strand between them is long: the later of two holds is held at the nearest place in reach.
bool Strands::keep_in_reach(int rod) {
  Line& line = lines_[z(rod)];
  if (model_->rods[z(rod)].stretches || model_->rods[z(rod)].shears) return false;
  bool asked_too_much = false;
  constexpr double most = 1 + 1e-9,
                   part = 0.995;  // quite straight it has no finite tension: it is held a little before that
  const HeldNode* before = nullptr;
  for (HeldNode& hold : line.strand.holds) {
    if (!hold.position) continue;
    if (before) {
      // The straight line between two holds against the length between them.
      double length = 0;
      for (int j = before->node; j < hold.node; ++j) length += line.strand.segments[z(j)].h;
      const V apart = hold.r - before->r;
      const double distance = norm(apart);
      if (distance > most * length) {
        asked_too_much = true;
        hold.r = before->r + (part * length / distance) * apart;
      }
    }
    before = &hold;
  }
  return asked_too_much;
}

void Strands::set_loads(int rod) {
  Line& line = lines_[z(rod)];
  const RodSpan& span = model_->rods[z(rod)].span;
  for (int k = 0; k < span.edges; ++k) {
    // Distributed loads belong to the segments of their edge.
    const GivenLoad& load = loads_.on_edge(EdgeIndex{span.first_edge + k});
    line.mesh.edges[z(k)].world_force = load.world_force;
    line.mesh.edges[z(k)].material_force = load.material_force;
  }
  line.mesh.fill(line.strand);
  // Point loads: the sum of all at a node, once.
  std::vector<StrandLoad> points;
  for (const NodeLoad& load : model_->node_loads) {
    if (load.rod != rod) continue;
    const int node = line.mesh.node_of(load.node.value - span.first_node);
    const bool known = std::any_of(points.begin(), points.end(), [&](const StrandLoad& p) { return p.node == node; });
    const GivenLoad& sum = loads_.at_node(load.node);
    if (!known) points.push_back({node, sum.world_force, sum.world_moment, sum.material_force, sum.material_moment});
  }
  line.strand.set_loads(std::move(points));
}

// Couplings and hands hold the node nearest to their point by a spring; in an equilibrium nothing moves, so their dampers
// carry nothing. Springs at one node are one spring: the sum of stiffnesses, at the weighted mean of places.
void Strands::set_hands(int rod) {
  Line& line = lines_[z(rod)];
  std::vector<Spring> springs;
  for (const Grip& grip : drive_.grips) {
    if (grip.rod != rod || (grip.stiffness <= 0 && grip.angular_stiffness <= 0)) continue;
    const NodeIndex nearest = grip.share < 0.5 ? grip.a : grip.b;
    const int node = line.mesh.node_of(nearest.value - model_->rods[z(rod)].span.first_node);
    auto at = std::find_if(springs.begin(), springs.end(), [&](const Spring& s) { return s.node == node; });
    if (at == springs.end()) at = springs.insert(at, Spring{node, 0, {}, {}});
    // Several springs: their sum pulls like one at the weighted mean.
    const double k = at->k + grip.stiffness;
    if (k > 0) at->r = (at->k / k) * at->r + (grip.stiffness / k) * to_small(grip.pose.position);
    at->k = k;
    if (grip.angular_stiffness > 0) at->turning.add({grip.angular_stiffness, to_small(grip.pose.orientation)});
  }
  line.strand.set_springs(std::move(springs));
}

bool Strands::remesh(int rod) {
  Line& line = lines_[z(rod)];
  // Parts that the tolerance asks for. Hysteresis: cut again where some edge needs more, or has three times too many.
  const std::vector<int> wanted = wanted_parts(line.mesh, line.strand, line.solver.states(), settings_.mesh_tolerance);
  bool finer = false, much_coarser = false;
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    finer = finer || wanted[e] > line.mesh.parts[e];
    much_coarser = much_coarser || 3 * wanted[e] <= line.mesh.parts[e];
  }
  if (!finer && !much_coarser) return false;
  Mesh next = line.mesh;
  for (std::size_t e = 0; e < wanted.size(); ++e)  // a little more than asked for, so that it does not come back at once
    next.parts[e] = wanted[e] > line.mesh.parts[e]        ? std::min(max_parts, wanted[e] + wanted[e] / 4)
                    : 3 * wanted[e] <= line.mesh.parts[e] ? std::min(line.mesh.parts[e], 2 * wanted[e])
                                                          : line.mesh.parts[e];
  // The solution on the new mesh is the next guess; loads, holds and springs stand at other node numbers.
  const std::vector<State> states = moved_to(line.mesh, next, line.solver.states());
  line.mesh = next;
  set_loads(rod);
  set_holds(rod);
  keep_in_reach(rod);
  set_hands(rod);
  line.solver.start(line.strand, settings_.solver, states);
  return finer;
}

Answer Strands::solve_line(int rod, bool& out_of_reach) {
  Line& line = lines_[z(rod)];
  // Boundary conditions and loads of this call; where the set of holds or springs has changed, workspaces change too.
  const bool other = set_holds(rod);
  set_loads(rod);
  const std::size_t springs = line.strand.springs.size();
  set_hands(rod);
  out_of_reach = keep_in_reach(rod);
  if (other || line.strand.springs.size() != springs)
    line.solver.start(line.strand, settings_.solver, std::vector<State>(line.solver.states()));
  // Solve, look whether the mesh is fine enough, and solve again on a finer one.
  Answer answer = line.solver.solve(line.strand);
  for (int rounds = 0; answer.fine && rounds < 6 && remesh(rod); ++rounds) {
    const int before = answer.iterations;
    answer = line.solver.solve(line.strand);
    answer.iterations += before;
  }
  return answer;
}

StepReport Strands::relax(double time, double load_factor, const Live& live) {
  evaluate(*model_, live, time, load_factor, drive_);
  stand_still(drive_);
  loads_.update(drive_);
  take_hold();
  report_ = {};
  // Strands do not touch, so each is solved alone, side by side.
  workers_.for_each_chunk(static_cast<int>(lines_.size()), [&](int rod) {
    Line& line = lines_[z(rod)];
    line.out_of_reach = false;
    line.answer = solve_line(rod, line.out_of_reach);
  });
  // The report in the order of the rods; one that failed makes the whole fail.
  report_.verdict.kind = Verdict::Kind::counted;
  for (const Line& line : lines_) {
    report_.iterations += line.answer.iterations;
    report_.residual = std::max(report_.residual, line.answer.residual);
    report_.verdict.add(line.answer.verdict);
    // Held at the nearest place in reach.
    if (line.out_of_reach && report_.cause == Cause::none) report_.cause = Cause::clamp_out_of_reach;
    if (line.answer.fine) continue;
    report_.outcome = Outcome::not_converged;
    report_.cause = line.answer.taut ? Cause::taut : Cause::no_equilibrium;
  }
  return report_;
}

StepReport Strands::step(double, double, const Live&) {
  report_ = {};
  report_.outcome = Outcome::diverged;  // never asked: the method claims no inertia
  report_.cause = Cause::no_equilibrium;
  return report_;
}

}  // namespace tendril::strands
