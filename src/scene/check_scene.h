// Checks of a scene that need no model. They alone judge values; reading finds what is wrong with the text.
#pragma once

#include <span>
#include <string>

#include "tendril/method.h"
#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

// Everything below together, at most a hundred problems. The methods are given: this room does not know which there are.
[[nodiscard]] Problems check_scene(const Scene& scene, std::span<const MethodInfo> methods);
[[nodiscard]] Problems check_values(const Scene& scene);  // without options and capability; not shortened

[[nodiscard]] Problems check_fields(const Scene& scene);      // each number in its range
[[nodiscard]] Problems check_references(const Scene& scene);  // names exist and are unique
[[nodiscard]] Problems check_geometry(const Scene& scene);    // curves, sections, segments
[[nodiscard]] Problems check_drive(const Scene& scene);       // time, timetables, clamps, loads, probes
[[nodiscard]] Problems check_obstacles(const Scene& scene);   // shapes, meshes, contact
[[nodiscard]] Problems check_bodies(const Scene& scene);      // masses, inertias, what joints join
[[nodiscard]] Problems check_ropes(const Scene& scene);       // winches, reevings
[[nodiscard]] Problems check_tresses(const Scene& scene);     // fibres that are drawn
[[nodiscard]] Problems check_options(const Scene& scene, std::span<const MethodInfo> methods);  // [options.METHOD]
[[nodiscard]] Problems check_capability(const Scene& scene,
                                        std::span<const MethodInfo> methods);  // can its method do what it asks?

// "scene.toml:12:9" for a field, from the nearest parent that stands in the text; "--set" for what was set afterwards.
std::string locate(const Scene& scene, std::string_view field);

// Appends what is no mere consequence of an error already listed for the same field or a parent of it. A warning hides
// nothing.
void add_independent(Problems& problems, Problems more);
void shorten(Problems& problems);  // to the first hundred and "and 900 more"

bool is_ring(const Curve& curve);

}  // namespace tendril
