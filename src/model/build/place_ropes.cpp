// Ropes that run, on the mesh: winches at their ends, reevings at their nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/bodies.h"
#include "model/build/places.h"

namespace tendril {
namespace {

using Size = std::size_t;

void place_winch(const Scene& scene, Size index, Model& model) {
  const Winch& w = scene.winches[index];
  WinchModel made;
  made.name = w.name.empty() ? fmt::format("winch{}", index + 1) : w.name;
  made.rod = find_rod(scene, w.rod);
  made.end = w.end;
  made.speed = w.speed, made.force = w.force;
  made.top_speed = w.top_speed;
  made.acceleration = w.acceleration.value_or(forever);
  made.max_force = w.max_force.value_or(forever);
  made.stored = w.stored;
  RodModel& rod = model.rods[static_cast<Size>(made.rod)];
  const int edge = made.end == RodEnd::start ? rod.span.first_edge : rod.span.first_edge + rod.span.edges - 1;
  const double length = model.rest_length[EdgeIndex(edge)];
  made.shortest = w.shortest > 0 ? w.shortest : std::min(3 * length, 0.5 * rod.length);
  // Rope that comes out is cut into segments as long as the one at the drum; a split and a merge may be under way.
  rod.max_edges += static_cast<int>(std::ceil(w.stored / length)) + 2;
  model.winches.push_back(made);
}

void place_reeving(const Scene& scene, Size index, Model& model, Problems& problems) {
  const Reeving& r = scene.reevings[index];
  ReevingModel made;
  made.name = r.name.empty() ? fmt::format("reeving{}", index + 1) : r.name;
  made.rod = find_rod(scene, r.rod);
  made.slack = r.slack;
  const RodModel& rod = model.rods[static_cast<Size>(made.rod)];
  for (int k = 0; k < static_cast<int>(r.points.size()) && k < rod.span.nodes; ++k) {
    const Sheave& s = r.points[static_cast<Size>(k)];
    const std::string field = fmt::format("reeving[{}].points[{}]", index, k);
    SheaveModel point{
        -1,      model.initial.position[NodeIndex(rod.span.first_node + k)], s.radius, s.inertia, s.bearing, s.friction,
        s.locked};
    if (!s.body.empty()) {
      point.body = find_body(scene, s.body);
      if (point.body < 0) {
        problems.push_back({Severity::error, "", field + ".body", fmt::format("no body is called \"{}\"", s.body), "", ""});
        continue;
      }
      const Pose& pose = model.bodies[static_cast<Size>(point.body)].start.pose;
      point.local = pose.orientation.conjugate() * (point.local - pose.position);
    }
    const double rope = model.section[EdgeIndex(rod.span.first_edge + std::min(k, rod.span.edges - 1))].radius();
    const bool inside = k > 0 && k + 1 < rod.span.nodes;
    if (inside && s.radius < rope)
      problems.push_back({Severity::error, "", field + ".radius", fmt::format("got {:.6g} m", s.radius),
                          fmt::format("a sheave must not be smaller than its rope, {:.6g} m", rope), ""});
    made.points.push_back(point);
  }
  model.reevings.push_back(made);
}

}  // namespace

void place_ropes(const Scene& scene, Model& model, Problems& problems) {
  for (Size i = 0; i < scene.winches.size(); ++i) place_winch(scene, i, model);
  for (Size i = 0; i < scene.reevings.size(); ++i) place_reeving(scene, i, model, problems);
}

}  // namespace tendril
