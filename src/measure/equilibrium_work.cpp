#include "measure/equilibrium_work.h"

#include "math/rotation.h"
#include "model/material_point.h"

namespace tendril {
namespace {

bool acts(const V3<double>& v) { return v.x != 0 || v.y != 0 || v.z != 0; }
bool acts(const GivenLoad& load) {
  return acts(load.world_force) || acts(load.world_moment) || acts(load.material_force) || acts(load.material_moment);
}

LoadedPoint<double> at_rest(const Vec3& place, const Quat& turn) {
  const Mat3 frame = turn.toRotationMatrix();
  const auto row = [&frame](int i) { return V3<double>{frame(i, 0), frame(i, 1), frame(i, 2)}; };
  return {to_small(place), {0, 0, 0}, {row(0), row(1), row(2)}};
}

// Sum of mass times place, by edges: second order, as the methods' own energies.
Vec3 mass_moment(const Model& model, const Frame& frame) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan& rod = model.rods[r].span;
    for (int k = 0; k < rod.edges; ++k) {
      const EdgeIndex e(rod.first_edge + k);
      const NodeIndex a(rod.first_node + k);
      const double middle = model.material[a] + 0.5 * model.rest_length[e];
      sum += model.section[e].line_mass * model.rest_length[e] *
             MaterialPoint(model, frame, static_cast<int>(r), middle).at_nodes(frame.position);
    }
  }
  return sum;
}

double& term_of(EnergyFlow& flow, ForceAt::By by) {
  switch (by) {
    case ForceAt::By::clamp:
      return flow.clamps;
    case ForceAt::By::load:
      return flow.loads;
    default:
      return flow.hands;
  }
}

}  // namespace

EquilibriumWork::EquilibriumWork(const Model& model) : model_(model), loads_(model) {}

// Loads: along rods at the middles of the model's edges, then at its nodes.
void EquilibriumWork::add_loads(const Frame& frame) {
  const auto put = [this](int number, const MaterialPoint& at, const Frame& f, const WrenchOf<double>& w, double share) {
    now_.push_back({ForceAt::By::load, number, at.at_nodes(f.position), share * to_eigen(w.force),
                    share * to_eigen(w.moment), at.orientation()});
  };
  for (std::size_t r = 0; r < model_.rods.size(); ++r) {
    const RodSpan& rod = model_.rods[r].span;
    for (int k = 0; k < rod.edges; ++k) {
      const EdgeIndex e(rod.first_edge + k);
      const double length = model_.rest_length[e];
      if (!acts(loads_.on_edge(e))) continue;
      const MaterialPoint at(model_, frame, static_cast<int>(r),
                             model_.material[NodeIndex(rod.first_node + k)] + 0.5 * length);
      put(e.value, at, frame, loads_.given_per_length(e, at_rest(at.at_nodes(frame.position), at.orientation())), length);
    }
    for (int k = 0; k < rod.nodes; ++k) {
      const NodeIndex i(rod.first_node + k);
      if (!acts(loads_.at_node(i))) continue;
      const MaterialPoint at(model_, frame, static_cast<int>(r), model_.material[i]);
      put(model_.rest_length.size() + i.value, at, frame,
          loads_.at_node(i, at_rest(at.at_nodes(frame.position), at.orientation())), 1);
    }
  }
}

void EquilibriumWork::find_sites(const Drive& drive, const Frame& frame) {
  now_.clear();
  for (std::size_t i = 0; i < model_.clamps.size(); ++i) {
    const ClampModel& clamp = model_.clamps[i];
    if (!drive.clamps[i].active) continue;
    const MaterialPoint at(model_, frame, clamp.rod, clamp.material);
    now_.push_back({ForceAt::By::clamp, static_cast<int>(i), at.at_nodes(frame.position), frame.reactions[i].force,
                    frame.reactions[i].moment, frame.clamps[i].orientation});
  }
  without_gravity_ = drive;  // its work is the change of a potential
  without_gravity_.gravity.setZero();
  loads_.update(without_gravity_);
  add_loads(frame);
  for (const Pull& pull : frame.pulls) {
    if (pull.rod < 0) continue;
    const MaterialPoint at(model_, frame, pull.rod, pull.material);
    now_.push_back({pull.hand > 0 ? ForceAt::By::hand : ForceAt::By::coupling, pull.hand > 0 ? pull.hand : pull.coupling,
                    pull.point, pull.force, pull.moment, at.orientation()});
  }
}

void EquilibriumWork::begin(const Drive& drive, const Frame& frame, WorkSoFar& out) {
  find_sites(drive, frame);
  out.flow = {}, out.told = frame.flow;
  out.sites = now_;
  out.gravity = frame.gravity, out.centre = mass_moment(model_, frame);
}

void EquilibriumWork::go_on(const Drive& drive, const Frame& frame, WorkSoFar& work) {
  find_sites(drive, frame);
  std::size_t k = 0;
  for (const ForceAt& now : now_) {
    // The same site before: both lists have one order, and few sites come or go.
    std::size_t at = k;
    while (at < work.sites.size() && (work.sites[at].by != now.by || work.sites[at].number != now.number)) ++at;
    if (at == work.sites.size()) continue;
    const ForceAt& before = work.sites[at];
    k = at + 1;
    term_of(work.flow, now.by) += 0.5 * (now.force + before.force).dot(now.place - before.place) +
                                  0.5 * (now.moment + before.moment).dot(log_rotation(now.turn * before.turn.conjugate()));
  }
  // With the potential -g.c:  d(-g.c) = -(mean of g).dc - dg.(mean of c), and the second part is what a change of gravity does.
  const Vec3 centre = mass_moment(model_, frame);
  work.flow.gravity -= 0.5 * (frame.gravity - work.gravity).dot(centre + work.centre);
  work.gravity = frame.gravity, work.centre = centre;
  work.flow.friction += frame.flow.friction - work.told.friction;
  work.flow.obstacles += frame.flow.obstacles - work.told.obstacles;
  work.told = frame.flow;
  work.sites = now_;
}

}  // namespace tendril
