#include "model/loads.h"

#include "math/rotation.h"

namespace tendril {

bool depends_on_frame(const Model& model, int rod) {
  for (const NodeLoad& load : model.node_loads)
    if (load.rod == rod && load.axes == Axes::material) return true;
  for (const LineLoad& load : model.line_loads)
    if (load.rod == rod && load.axes == Axes::material) return true;
  return false;
}

bool depends_on_velocity(const Model& model, int rod) {
  for (const Drag& drag : model.drags)
    if (drag.rod < 0 || drag.rod == rod) return true;
  for (const Wind& wind : model.winds)
    if (wind.rod < 0 || wind.rod == rod) return true;
  for (const CouplingModel& c : model.couplings)
    if (c.rod == rod && (c.damping > 0 || c.angular_damping > 0)) return true;
  return false;
}

bool is_steady(const Model& model) {
  const auto stands = [](const auto& path) { return path.move.keys.empty() && path.turn.keys.empty(); };
  const auto always = [](const auto& hold) { return hold.from <= 0 && hold.until == forever; };
  const auto even = [](const auto& load) { return load.factor.keys.empty(); };
  bool steady = true;
  for (const ClampModel& clamp : model.clamps) steady = steady && stands(clamp) && always(clamp);
  for (const BodyModel& body : model.bodies) steady = steady && body.kind != BodyKind::driven;
  for (const ObstacleModel& obstacle : model.obstacles) steady = steady && stands(obstacle);
  for (const CouplingModel& c : model.couplings) steady = steady && stands(c) && always(c);
  for (const ChangingGravity& gravity : model.changing_gravity) steady = steady && even(gravity);
  for (const NodeLoad& load : model.node_loads) steady = steady && even(load);
  for (const LineLoad& load : model.line_loads) steady = steady && even(load);
  for (const Wind& wind : model.winds) steady = steady && even(wind.law);
  return steady;
}

// log(q* q^-1 exp(-turn)) = w - right_jacobian(w)^-1 turn,  w = log(q* q^-1)
LoadTangent grip_tangent(const Grip& grip, const Quat& orientation) {
  const Vec3 w = log_rotation(Quat(grip.pose.orientation * orientation.conjugate()));
  LoadTangent tangent;
  tangent.position.topRows<3>() = -grip.stiffness * Mat3::Identity();
  tangent.velocity.topRows<3>() = -grip.damping * Mat3::Identity();
  tangent.turn.bottomRows<3>() = -grip.angular_stiffness * right_jacobian_inverse(w);
  tangent.spin.bottomRows<3>() = -grip.angular_damping * Mat3::Identity();
  return tangent;
}

Mat3 follower_tangent(const Vec3& value) { return -skew(value); }

LoadsNow::LoadsNow(const Model& model)
    : model_(model),
      edges_(model.section.size()),
      nodes_(model.material.size()),
      air_(model.section.size()),
      areas_(model.winds.size(), OnEdges<double>(model.section.size())),
      winds_(model.winds.size()) {
  for (std::size_t r = 0; r < model.rods.size(); ++r) {
    const RodSpan& span = model.rods[r].span;
    const auto acts = [r](int rod) { return rod < 0 || rod == static_cast<int>(r); };
    for (EdgeIndex e(span.first_edge); e < EdgeIndex(span.first_edge + span.edges); ++e) {
      Air& air = air_[e];
      for (const Drag& drag : model.drags)
        if (acts(drag.rod)) air.across += drag.normal, air.along += drag.tangential, air.any = true;
      for (std::size_t w = 0; w < model.winds.size(); ++w) {
        if (!acts(model.winds[w].rod)) continue;
        areas_[w][e] = wind_area(model.winds[w].law, 2 * model.section[e].radius());
        air.any = air.any || areas_[w][e] > 0;
      }
    }
  }
}

LoadsNow::AirPower LoadsNow::air_power(EdgeIndex e, const LoadedPoint<double>& at) const {
  const Air& air = air_[e];
  AirPower power;
  if (!air.any) return power;
  const V3<double> t = at.frame.column(2), none{0, 0, 0};
  power.drag = -dot(air_force(AirLaw<double>{air.across, air.along, none}, at.velocity, t), at.velocity);
  for (std::size_t w = 0; w < winds_.size(); ++w) {
    if (!(areas_[w][e] > 0)) continue;
    AirLaw<double> law{0, 0, none};
    add_wind(winds_[w], areas_[w][e], at.position, at.velocity, t, law);
    const V3<double> force = air_force(law, at.velocity, t), velocity = wind_velocity(winds_[w], at.position);
    power.wind += dot(force, velocity);
    power.drag += dot(force, velocity - at.velocity);
  }
  return power;
}

void LoadsNow::update(const Drive& drive) {
  for (EdgeIndex e; e.value < edges_.size(); ++e) {
    // Weight, then distributed loads by the share of each edge that they cover.
    edges_[e] = {};
    edges_[e].world_force = to_small(Vec3(model_.section[e].line_mass * drive.gravity));
  }
  for (std::size_t i = 0; i < model_.line_loads.size(); ++i) {
    const LineLoad& load = model_.line_loads[i];
    for (EdgeIndex e = load.first; e < load.last; ++e) {
      const double weight = line_weight(load, drive.line_factor[i], e);
      edges_[e].force(load.axes) += to_small(Vec3(weight * load.force));
      edges_[e].moment(load.axes) += to_small(Vec3(weight * load.moment));
    }
  }
  // Point loads; several at one node are added.
  for (const NodeLoad& load : model_.node_loads) nodes_[load.node] = {};
  for (std::size_t i = 0; i < model_.node_loads.size(); ++i) {
    const NodeLoad& load = model_.node_loads[i];
    GivenLoad& sum = nodes_[load.node];
    (load.is_moment ? sum.moment(load.axes) : sum.force(load.axes)) += to_small(Vec3(drive.node_factor[i] * load.value));
  }
  for (std::size_t w = 0; w < winds_.size(); ++w)
    winds_[w] = wind_now(model_.winds[w].law, drive.wind_factor[w], drive.time);
}

}  // namespace tendril
