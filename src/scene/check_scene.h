// Checks of a scene that need no model.
#pragma once

#include <span>
#include <string>

#include "tendril/method.h"
#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

// Everything below together, at most a hundred problems. The methods are a parameter so that tests can bring their own.
Problems check_scene(const Scene& scene, std::span<const MethodEntry> methods = all_methods());
Problems check_all(const Scene& scene, std::span<const MethodEntry> methods = all_methods());  // the same, not shortened

Problems check_fields(const Scene& scene);                                         // each number in its range
Problems check_references(const Scene& scene);                                     // names exist and are unique
Problems check_geometry(const Scene& scene);                                       // curves, sections, segments
Problems check_drive(const Scene& scene);                                          // time, timetables, clamps, loads, probes
Problems check_obstacles(const Scene& scene);                                      // shapes, meshes, contact
Problems check_bodies(const Scene& scene);                                         // masses, inertias, what joints join
Problems check_options(const Scene& scene, std::span<const MethodEntry> methods);  // [options.METHOD]
Problems check_capability(const Scene& scene, std::span<const MethodEntry> methods);  // can its method do what it asks?

// "scene.toml:12:9" for a field, from the nearest parent that stands in the text; "--set" for what was set afterwards.
std::string locate(const Scene& scene, std::string_view field);

// Appends what is new: neither listed already, nor a mere consequence of an error already listed for the same field or a
// parent of it. A warning hides nothing.
void add_new_problems(Problems& problems, Problems more);
void shorten(Problems& problems);  // to the first hundred and "and 900 more"

bool is_ring(const Curve& curve);

}  // namespace tendril
