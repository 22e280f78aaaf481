// The ways from one held point to the next, along one rod or over several rods that are joined end to end.
#pragma once

#include <vector>

#include "methods/der/chain/chain.h"

namespace tendril::der {

struct SpanPath {
  std::vector<int> vertex;  // in order; the first and the last are held. Walls and joints have both their vertices in it
  std::vector<int> edge;    // the slot between each two of them; -1: they are one point
  double rest = 0;          // length
  bool clamped = false;     // a wall stands at one of its ends
  // Part of the length by which its ends must be nearer for it to count as pushed together: clamps are exact, joints and what they
  // lead are where a projection has put them.
  double slack = 1e-12;
};

// What joints make of the nodes of rods.
struct JoinedNodes {
  enum Kind : int { free = -1, branch = -2 };  // else: the node of another rod that this one is joined to, and nothing else
  std::vector<int> joined_to;                  // per node
  std::vector<char> led;                       // per node: joined to the world, or to a body that does not move freely
};

// Of open rods that do not stretch. No joints: `joined` has nothing in it.
std::vector<SpanPath> paths_of(const Chain& chain, const ChainRod& rod);
std::vector<SpanPath> paths_of(const Chain& chain, const JoinedNodes& joined, double slack_of_joints);

}  // namespace tendril::der
