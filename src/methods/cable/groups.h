// Which elements are linked through joints, and in which order a chain of them goes.
#pragma once

#include <array>

#include "methods/cable/parts.h"

namespace tendril::cable {

// Puts elements and joints of a group into the order of its path, where it is one. Allocates nothing once it has room.
class PathFinder {
 public:
  explicit PathFinder(const Parts& parts);
  void order(const Parts& parts, Group& group);  // elements and joints sorted

 private:
  struct At {  // joints of an element
    int count = 0;
    std::array<int, 2> joints{};
  };
  bool note_joints(const Parts& parts, const Group& group);  // false: an element has more than two
  void walk(const Parts& parts, const Group& group, int from);
  std::vector<At> at_;
  std::vector<char> used_;  // joints
  std::vector<int> joints_, elements_;
};

void add_groups(Parts& parts);

}  // namespace tendril::cable
