// Polylines from CSV files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

// Rows x,y,z (or separated by blanks or semicolons), an optional header line, empty lines and # comments skipped.
// `shown` is the file's name in messages.
std::vector<Vec3> read_points(const std::filesystem::path& file, const std::string& shown, const std::string& field,
                              Problems& problems);

// Replaces each polyline's `file` by the points it holds, so that a scene carries everything it needs.
void load_curve_files(Scene& scene, Problems& problems);

}  // namespace tendril
