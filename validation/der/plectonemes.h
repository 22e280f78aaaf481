// How many plectonemes a rod has wound, told by what touches what.
#pragma once

#include "tendril/frame.h"

namespace tendril {

// A contact of a rod with itself closes a loop: the stretch between its two places. The contacts of one plectoneme are
// nested about its tip; those of two plectonemes close stretches that have nothing in common, though one more contact may
// close both. So there are as many tips as stretches that can be picked without overlap, and each counts that has at least
// `fewest` contacts about it and about no other that counts: a rod that crosses itself once or twice is a loop.
struct Plectonemes {
  int count = 0;
  int largest = 0;  // contacts about the tip that has most
};
Plectonemes find_plectonemes(const Frame& frame, int fewest = 4);

}  // namespace tendril
