// The number that stands at a path of a scene, as set_field takes paths.
#pragma once

#include <optional>
#include <string_view>

#include "tendril/scene.h"

namespace tendril {

std::optional<double> number_at(const Scene& scene, std::string_view path);  // none: no path, or no number there

}  // namespace tendril
