// Offered by methods that can say more of a failed step than its cause, beside Method.
#pragma once

#include <string>

#include "tendril/frame.h"

namespace tendril {

struct Explanation {
  std::string what;            // "joint at node 3 of rod rope, tension 1.2e+04 N"; empty: nothing to add
  std::string what_to_change;  // instead of the usual advice; empty: that
};

class Explains {
 public:
  virtual ~Explains() = default;
  // Of the last step that failed; states that are loaded do not change it.
  virtual Explanation explain(Cause cause) const = 0;
};

}  // namespace tendril
