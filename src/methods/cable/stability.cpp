// Equilibria by Newton's method where iterations that follow the motion are slow; whether an equilibrium is a minimum, and the way down
// from one that is not.
#include <algorithm>
#include <cmath>

#include "methods/cable/cable.h"

namespace tendril::cable {
namespace {
constexpr double neutral = 1e-7;  // of the unit: softer than this is what nothing holds
}

// Loads that turn with a rod, and moments, are the derivative of no energy.
bool Cable::loads_have_energy() const {
  const auto is_dead = [](const NodeLoad& load) { return !load.is_moment && load.axes == Axes::world; };
  const auto is_dead_line = [](const LineLoad& load) { return load.moment == Vec3::Zero() && load.axes == Axes::world; };
  return std::all_of(model_->node_loads.begin(), model_->node_loads.end(), is_dead) &&
         std::all_of(model_->line_loads.begin(), model_->line_loads.end(), is_dead_line) && model_->winds.empty();
}

// False: something stands here that the second derivatives do not know.
bool Cable::prepare_tangent() {
  const bool guided = std::any_of(model_->bodies.begin(), model_->bodies.end(),
                                  [](const BodyModel& body) { return body.kind == BodyKind::guided; });
  if (!Tangent::knows(parts_) || guided || !reevings_.empty() || mesh_.varies() || !drive_.grips.empty()) return false;
  if (!tangent_) tangent_ = std::make_unique<Tangent>(parts_);
  load_turn_.assign(parts_.elements.size(), Mat3::Zero());
  for (const int node : loaded_nodes_) {
    const std::array<int, 2> edges = edges_at(node);
    const double share = edges[0] >= 0 && edges[1] >= 0 ? 0.5 : 1;
    for (std::size_t side = 0; side < 2; ++side) {
      if (edges[side] < 0) continue;
      const std::size_t i = z(edges[side]);
      const Vec3 arm = state_.q[i] * Vec3(0, 0, (side == 0 ? 0.5 : -0.5) * parts_.elements[i].length);
      const LoadedPoint<double> at{to_small(Vec3(state_.x[i] + arm)), {0, 0, 0}, to_small(state_.q[i].toRotationMatrix())};
      load_turn_[i] += geometric_stiffness(arm, share * to_eigen(loads_.at_node(NodeIndex(node), at).force));
    }
  }
  double unit = load_scale() * reach_;
  for (const RodModel& rod : model_->rods) {
    const Section& s = model_->section[EdgeIndex(rod.span.first_edge)];
    unit = std::max(unit, std::max(s.EI1, s.EI2) / rod.length);
  }
  tangent_->assemble(state_, load_turn_, unit, reach_);
  return true;
}

// One step of Newton's method, with as much of the unit added as makes the energy rise in every direction: so it goes down, to what is
// stable. False: it cannot be had.
bool Cable::newton(double& shift) {
  constexpr double farthest = 0.3, most_shift = 1e8;      // [rad] and lengths, in one step
  for (std::size_t j = 0; j < parts_.joints.size(); ++j)  // frames that are held hard have no rows here
    if (state_.frame_on[j] && (parts_.joints[j].stiffness.array() == rigid).any()) return false;
  for (std::size_t i = 0; i < force_.size(); ++i) pull_[i] = force_[i], turn_[i] = moment_[i];
  joint_wrenches(parts_, state_, pull_, turn_);
  if (!prepare_tangent()) return false;
  for (double tried = shift; tangent_->falling(tried) != 0; shift = tried) {
    tried = std::max(4 * tried, 1e-6);
    if (tried > most_shift) return false;
  }
  gaps_.assign(parts_.joints.size(), Vec3::Zero());
  for (std::size_t j = 0; j < parts_.joints.size(); ++j)
    if (tangent_->is_hard(j)) gaps_[j] = present_rows(j).gap;
  tangent_->solve(pull_, turn_, gaps_);
  double most = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led) continue;
    if (!pull_[i].allFinite() || !turn_[i].allFinite()) return false;
    const double length = e.rod >= 0 ? model_->rods[z(e.rod)].length : reach_;
    most = std::max({most, pull_[i].norm() / length, turn_[i].norm()});
  }
  const double share = most > farthest ? farthest / most : 1;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    if (parts_.elements[i].led) continue;
    response_[i].v = share * pull_[i], response_[i].spin = share * turn_[i];
    if (parts_.elements[i].kind == Element::Kind::junction) response_[i].v.setZero();
  }
  for (std::size_t j = 0; j < parts_.joints.size(); ++j)
    if (tangent_->is_hard(j)) state_.force[j] += share * gaps_[j];
  move(StepSizes{1, 1, 0, false, 0, settings_.geometric, true});
  joint_wrenches(parts_, state_, pull_, turn_);  // forces and couples of what is strained now
  return true;
}

// Directions that cost nothing do not make an equilibrium unstable: a rod that turns about itself, a body about its joint.
Verdict Cable::judge() {
  Verdict verdict;
  if (!prepare_tangent()) return verdict;
  if (!loads_have_energy()) {
    verdict.kind = Verdict::Kind::no_energy;
    return verdict;
  }
  const int falls = tangent_->falling(neutral), soft = tangent_->falling(-neutral) - falls;
  if (falls < 0 || soft < 0) return verdict;
  verdict.kind = Verdict::Kind::counted, verdict.unstable = falls, verdict.neutral.other = soft;
  for (std::size_t r = 0; r < model_->rods.size() && verdict.neutral.other > 0; ++r) {
    mode_v_.assign(parts_.elements.size(), Vec3::Zero()), mode_turn_ = mode_v_;
    for (const int e : parts_.chains[r].segments) mode_turn_[z(e)] = state_.q[z(e)] * Vec3::UnitZ();
    if (std::abs(tangent_->bend_of(mode_v_, mode_turn_)) > neutral * tangent_->size_of(mode_v_, mode_turn_)) continue;
    ++verdict.neutral.turning, --verdict.neutral.other;
  }
  if (soft == 0 && tangent_->falling(0) >= 0) verdict.softest = tangent_->softest(mode_v_, mode_turn_);
  return verdict;
}

// A little way along the direction in which the energy falls most.
bool Cable::leave() {
  constexpr double way = 0.1, most_shift = 1e8;  // [rad] and lengths
  if (!prepare_tangent()) return false;
  double enough = neutral;
  for (int falls = 1; falls != 0; falls = tangent_->falling(enough)) {
    if (falls < 0 || enough > most_shift) return false;
    enough *= 4;
  }
  if (!std::isfinite(tangent_->softest(mode_v_, mode_turn_))) return false;
  double most = 0;
  for (std::size_t i = 0; i < mode_v_.size(); ++i)
    if (!parts_.elements[i].led) most = std::max({most, mode_turn_[i].norm(), mode_v_[i].norm() / reach_});
  for (std::size_t i = 0; i < mode_v_.size(); ++i) {
    if (parts_.elements[i].led) continue;
    response_[i].v = (way / most) * mode_v_[i], response_[i].spin = (way / most) * mode_turn_[i];
  }
  move(StepSizes{1, 1, 0, false, 0, settings_.geometric, true});
  come_to_rest();
  collect_loads();
  return true;
}

// A rod that cannot stretch, exactly as long as what holds it is apart, carries nothing across: no tension is large enough.
bool Cable::is_taut(int rod, bool at_start) const {
  const RodModel& r = model_->rods[z(rod)];
  if (r.stretches || r.reeved || parts_.chains[z(rod)].varies) return false;
  int before = -1;
  for (std::size_t c = 0; c < model_->clamps.size(); ++c) {
    const ClampModel& clamp = model_->clamps[c];
    if (clamp.rod != rod || !clamp.position || clamp.from > 0) continue;
    if (before >= 0) {
      const ClampModel& other = model_->clamps[z(before)];
      const Vec3 apart = at_start ? Vec3(clamp.start.position - other.start.position)
                                  : Vec3(drive_.clamps[c].pose.position - drive_.clamps[z(before)].pose.position);
      if (apart.norm() > (1 - 1e-9) * std::abs(clamp.material - other.material)) return true;
    }
    before = static_cast<int>(c);
  }
  return false;
}

// Of an equilibrium: a rod that its clamps hold straight now, with a load across it.
bool Cable::carries_across() const {
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.kind != Element::Kind::segment || !is_taut(e.rod, false)) continue;
    const Vec3 axis = state_.q[i] * Vec3::UnitZ();
    if ((force_[i] - axis.dot(force_[i]) * axis).norm() > 1e-6 * force_[i].norm()) return true;
  }
  return false;
}

}  // namespace tendril::cable
