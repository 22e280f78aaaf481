#include "methods/der/turning.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "model/join_plan.h"
#include "model/timetable.h"

namespace tendril::der {
namespace {

double rate_of(const Timetable<double>& turns) { return math::two_pi * largest_rate(turns); }
double sine_between(const Vec3& axis, const Vec3& direction) { return axis.cross(direction).norm(); }

void take_faster(TurnBound& bound, double rate, const std::string& what) {
  if (rate > bound.rate) bound = {rate, what};
}

// Turning it about the line through the pivot along the axis changes nothing but the places of its points.
bool is_round_about(const ObstacleModel& obstacle) {
  if (std::holds_alternative<shape::Box>(obstacle.shape) || std::holds_alternative<shape::Mesh>(obstacle.shape))
    return false;
  constexpr double rounding = 1e-9;
  const Vec3 own = obstacle.start.orientation * Vec3::UnitZ();
  const bool parallel = sine_between(obstacle.axis, own) < rounding;
  if (std::holds_alternative<shape::HalfSpace>(obstacle.shape)) return parallel;
  const Vec3 away = obstacle.start.position - obstacle.pivot;
  const bool centred = sine_between(obstacle.axis, away) <= rounding * away.norm();
  return centred && (parallel || std::holds_alternative<shape::Sphere>(obstacle.shape));
}

}  // namespace

TurnBound swinging_walls(const Model& model) {
  TurnBound bound;
  for (const ClampModel& clamp : model.clamps) {
    if (!clamp.direction && !clamp.twist) continue;
    take_faster(bound, rate_of(clamp.turn) * sine_between(clamp.axis, clamp.start.orientation * Vec3::UnitZ()),
                "clamp " + clamp.name + ", which swings the rod's end round");
  }
  if (model.joints.empty()) return bound;
  const JoinPlan plan(model);
  for (const WallPlan& wall : plan.walls) {
    if (wall.carrier >= plan.bodies) continue;
    const BodyModel& body = model.bodies[static_cast<std::size_t>(wall.carrier)];
    const Vec3 direction = body.start.pose.orientation * (wall.local * Vec3::UnitZ());
    const double rate =
        body.moves_freely() ? body.start.motion.angular.norm() : rate_of(body.turn) * sine_between(body.axis, direction);
    take_faster(bound, rate, "the spin of body " + body.name + ", which is joined to a rod");
  }
  return bound;
}

TurnBound turning_things(const Model& model) {
  TurnBound bound;
  for (const RodModel& rod : model.rods)
    take_faster(bound, model.initial.spin[EdgeIndex{rod.span.first_edge}].norm(),
                "the spin that rod " + rod.name + " starts with");
  for (const ObstacleModel& obstacle : model.obstacles)
    if (model.contact.enabled && !is_round_about(obstacle))
      take_faster(bound, rate_of(obstacle.turn), "the turning obstacle " + obstacle.name);
  return bound;
}

}  // namespace tendril::der
