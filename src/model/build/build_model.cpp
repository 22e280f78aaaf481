#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/elementary.h"
#include "math/rotation.h"
#include "model/build/mesh.h"
#include "model/build/noise.h"
#include "model/build/places.h"
#include "model/build/rod_shape.h"
#include "model/build/sections.h"
#include "model/model.h"
#include "model/obstacles.h"
#include "model/rest_curve.h"

namespace tendril {

namespace {

using Size = std::size_t;

const Material* find_material(const Scene& scene, const std::string& name) {
  for (const Material& m : scene.materials)
    if (m.name == name) return &m;
  return nullptr;
}

Problems check_sections(const Rod& rod, const Material* material, const std::string& field) {
  Problems problems;
  if (!rod.section && rod.sections.empty())
    problems.push_back({Severity::error, "", field + ".section", "the rod has no section", "", "give section or sections"});
  const auto needs_material = [](const CrossSection& s) { return !std::holds_alternative<StiffnessSection>(s); };
  const bool needed =
      (rod.section && needs_material(*rod.section)) ||
      std::any_of(rod.sections.begin(), rod.sections.end(), [&](const Station& s) { return needs_material(s.section); });
  if (needed && material == nullptr)
    problems.push_back(
        {Severity::error, "", field + ".material",
         rod.material.empty() ? "no material is given" : fmt::format("no material is called {}", rod.material),
         "a section given by its shape needs one", ""});
  return problems;
}

Problems check_velocities(const Rod& rod, const RodShape& shape, const std::string& field) {
  const Size nodes = static_cast<Size>(shape.ring ? shape.edges : shape.edges + 1);
  if (rod.velocities.empty() || rod.velocities.size() == nodes) return {};
  return {{Severity::error, "", field + ".velocities", fmt::format("has {} vectors", rod.velocities.size()),
           fmt::format("must have one for each of the rod's {} nodes", nodes), ""}};
}

Checked<RodShape> shape_of(const Scene& scene, int index, const Marks& marks) {
  const Rod& rod = scene.rods[static_cast<Size>(index)];
  const std::string field = fmt::format("rod[{}]", index);
  Problems problems = check_curve(rod.rest, field + ".rest");
  if (rod.initial) {
    const Problems more = check_curve(*rod.initial, field + ".initial");
    problems.insert(problems.end(), more.begin(), more.end());
  }
  if (!problems.empty()) return problems;
  MeshRequest request;
  request.segments = rod.segments;
  request.ring = is_closed(rod.initial ? *rod.initial : rod.rest);
  request.marks = marks.of_rod(index);
  if (request.ring)
    for (double& f : request.marks)
      if (f >= 1 - same_place) f = 0;  // the end of a ring is its start
  request.refine = rod.refine;
  request.vertices = ArcLengthCurve(rod.rest, rod.d1).vertices();
  const auto borders = place_nodes(request, field);
  if (!borders) return borders.problems();
  const auto held = [&](double at) {
    return std::any_of(scene.clamps.begin(), scene.clamps.end(), [&](const Clamp& clamp) {
      return clamp.rod == rod.name && std::abs(clamp.at - at) <= same_place &&
             std::find(clamp.hold.begin(), clamp.hold.end(), Hold::position) != clamp.hold.end();
    });
  };
  const bool reeved = std::any_of(scene.reevings.begin(), scene.reevings.end(),
                                  [&](const Reeving& r) { return find_rod(scene, r.rod) == index; });
  return shape_rod(rod, *borders, field, held(0) && held(1), reeved);
}

RodSpan next_span(const Model& model, const RodShape& shape) {
  RodSpan span;
  span.first_node = model.material.size();
  span.first_edge = model.rest_length.size();
  span.first_inner = model.rest_twist.size();
  span.edges = shape.edges;
  span.ring = shape.ring;
  span.nodes = shape.ring ? shape.edges : shape.edges + 1;
  span.inner = shape.ring ? shape.edges : shape.edges - 1;
  return span;
}

void append_rest(const Rod& rod, const RodShape& shape, const Material* material, Model& model) {
  const RodSpan& span = model.rods.back().span;
  std::vector<Station> stations = rod.sections;
  if (stations.empty()) stations = {{0.0, *rod.section}};
  std::stable_sort(stations.begin(), stations.end(), [](const Station& a, const Station& b) { return a.at < b.at; });
  for (Size k = 0; k < static_cast<Size>(span.nodes); ++k) {
    model.material.push_back(shape.material[k]);
    model.rest_position.push_back(shape.rest_point[k]);
    model.rest_node_frame.push_back(shape.rest_node_frame[k]);
  }
  for (Size k = 0; k < static_cast<Size>(span.edges); ++k) {
    model.rest_frame.push_back(shape.rest_frame[k]);
    model.rest_length.push_back(shape.rest_length[k]);
    model.section.push_back(section_at(stations, 0.5 * (shape.fraction[k] + shape.fraction[k + 1]), material));
  }
  for (Size k = span.ring ? 0 : 1; k < static_cast<Size>(span.edges); ++k) model.rest_twist.push_back(shape.rest_twist[k]);
  model.rods.back().weld_turn = shape.weld_turn;
}

// The rod turns about its centre of length.
Vec3 centre_of(const RodShape& shape) {
  Vec3 sum = Vec3::Zero();
  for (Size k = 0; k < shape.rest_length.size(); ++k)
    sum += (0.5 * shape.rest_length[k] / shape.length()) * (shape.point[k] + shape.point[k + 1]);
  return sum;
}

void append_initial(const Rod& rod, const RodShape& shape, const RodSpan& span, Frame& frame) {
  const Vec3 centre = centre_of(shape);
  frame.rods.push_back(span);
  for (Size k = 0; k < static_cast<Size>(span.nodes); ++k) {
    frame.material.push_back(shape.material[k]);
    frame.position.push_back(shape.point[k]);
    Vec3 velocity = rod.velocity + rod.angular_velocity.cross(shape.point[k] - centre);
    if (!rod.velocities.empty()) velocity += rod.velocities[k];
    frame.velocity.push_back(velocity);
    frame.moment.push_back(Vec3::Zero());
  }
  for (Size k = 0; k < static_cast<Size>(span.edges); ++k) {
    frame.orientation.push_back(shape.frame[k]);
    frame.spin.push_back(rod.angular_velocity);
    frame.force.push_back(Vec3::Zero());
  }
  for (Size k = span.ring ? 0 : 1; k < static_cast<Size>(span.edges); ++k) frame.twist.push_back(shape.twist[k]);
}

// A smooth rest curve that bends more sharply than its section is thick: possible on paper only. A warning, because a method
// does not mind.
Problems check_bend_radius(const Rod& rod, const RodShape& shape, const Model& model, const std::string& field) {
  if (std::holds_alternative<PolylineCurve>(rod.rest)) return {};  // a corner has no radius
  const RodSpan& span = model.rods.back().span;
  for (int k = 1; k < span.edges; ++k) {
    const auto edge = static_cast<Size>(k);
    const double cosine = director(shape.rest_frame[edge - 1], 2).dot(director(shape.rest_frame[edge], 2));
    const double radius = shape.dual_length(k) / std::max(math::acos(cosine), 1e-9);
    const double thick = model.section[EdgeIndex(span.first_edge + k)].radius();
    if (thick > radius)
      return {{Severity::warning, "", field + ".section",
               fmt::format("is {:.3g} m thick from its centre, but the rest curve bends with a radius of {:.3g} m", thick,
                           radius),
               "", "use a thinner section or a wider curve"}};
  }
  return {};
}

}  // namespace

Checked<Model> build_model(const Scene& scene) {
  Problems problems;
  const auto note = [&](const Problems& more) { problems.insert(problems.end(), more.begin(), more.end()); };
  // Rest and initial shape of every rod, with nodes where the scene names places. All problems are collected before giving
  // up.
  const Marks marks = collect_marks(scene, problems);
  std::vector<RodShape> shapes;
  for (int i = 0; i < static_cast<int>(scene.rods.size()); ++i) {
    const Rod& rod = scene.rods[static_cast<Size>(i)];
    note(check_sections(rod, find_material(scene, rod.material), fmt::format("rod[{}]", i)));
    const auto shape = shape_of(scene, i, marks);
    note(shape.problems());
    if (!shape) continue;
    note(check_velocities(rod, *shape, fmt::format("rod[{}]", i)));
    shapes.push_back(*shape);
  }
  if (scene.rods.empty()) problems.push_back({Severity::error, "", "rod", "the scene has no rod", "", "add a [[rod]]"});
  if (has_errors(problems)) return problems;

  // The rods one after the other in flat arrays: what does not change, and the Frame of the start.
  Model model;
  model.end_time = scene.time.duration;
  for (Size i = 0; i < shapes.size(); ++i) {
    const Rod& rod = scene.rods[i];
    model.rods.push_back({rod_name(scene, static_cast<int>(i)), next_span(model, shapes[i]), shapes[i].length(), rod.damping,
                          rod.stretch == Give::elastic, rod.shear == Give::elastic, Law{rod.stiffening_strain.value_or(0)},
                          nullptr, 0});
    model.rods.back().rest_curve =
        std::make_shared<const RestCurve>(ArcLengthCurve(rod.rest, rod.d1), shapes[i].fraction, shapes[i].material);
    model.rods.back().max_edges = shapes[i].edges + 1;
    append_rest(rod, shapes[i], find_material(scene, rod.material), model);
    append_initial(rod, shapes[i], model.rods.back().span, model.initial);
    note(check_bend_radius(rod, shapes[i], model, fmt::format("rod[{}]", i)));
  }
  // What holds, loads and touches them, at nodes that exist now. Noise last: it moves nodes, not what holds them.
  place_everything(scene, shapes, model, problems);
  place_obstacles(scene, model, problems);
  for (Size i = 0; i < shapes.size(); ++i)
    if (scene.rods[i].initial_noise > 0) add_noise(model, static_cast<int>(i), scene.rods[i].initial_noise);
  // Those parts of the first Frame that depend on the rest of the model.
  model.initial.gravity = model.gravity;
  model.initial.reactions.resize(model.clamps.size());
  for (const ObstacleModel& o : model.obstacles) model.initial.obstacles.push_back(o.start);
  if (has_errors(problems)) return problems;
  return {std::move(model), std::move(problems)};
}

}  // namespace tendril
