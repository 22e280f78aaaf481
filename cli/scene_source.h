// The scenes a live view offers: those of `tendril list scenes`, and the one named on the command line as it was changed there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/find_scene.h"
#include "live/session.h"

namespace tendril::cli {

SceneSource scene_source(const std::optional<SceneChoice>& chosen);
// picture/NAME.png for a scene that is offered: NAME.png next to its file. The name is looked up, never joined into a path.
std::optional<std::string> scene_picture(std::string_view path);

}  // namespace tendril::cli
