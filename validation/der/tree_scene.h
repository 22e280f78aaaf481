// A tree of rods welded together by bodies, in gusty wind.  [Bergou 2008, Fig. 12]
#pragma once

#include "tendril/scene.h"

namespace tendril {

struct TreeChoice {
  int levels = 5;             // of branches, the trunk included: 1, 3, 9, 27 and 81 rods
  bool resists_twist = true;  // else GJ = 0 everywhere
};
// With five levels 2158 vertices, as many as in Table 1. The trunk stands on the ground at the origin; its body is the
// first.
Scene tree_scene(const TreeChoice& choice = {});

}  // namespace tendril
