// A chain of open links, curved rods that hang in each other.  [Bergou 2008, Fig. 10]
#pragma once

#include "tendril/scene.h"

namespace tendril {

struct ChainLinks {
  int links = 8;
  double radius = 0.07;        // of the rod; a link's own radius is 1 [m]
  double gap = 0.3;            // between the ends of a link [rad]
  double hang = 4, pull = 10;  // it hangs until, and is pulled until [s]
  double pulled = 16;          // distance by which its ends are pulled apart [m]
  int segments = 30;           // of a link: 31 vertices
};
// Hangs between the clamps "left" and "right", which hold a point each; neighbouring links stand perpendicular to each other.
Scene chain_scene(const ChainLinks& choice = {});

}  // namespace tendril
