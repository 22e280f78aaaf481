// What the clamps exert on the rods in a method's present state, as its Frame tells it.
#pragma once

#include <vector>

#include "methods/method.h"

namespace tendril {

inline std::vector<Wrench> reactions_of(const Method& method) {
  Frame frame;
  method.write(frame);
  return frame.reactions;
}

}  // namespace tendril
