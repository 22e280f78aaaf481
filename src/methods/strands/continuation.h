// Holds that are far away are brought to their places in steps.
#pragma once

#include <algorithm>
#include <cmath>

namespace tendril::strands {

// `far`: how many moderate steps away. Beyond a thousand a hold is out of any strand's reach, and more do not help.
inline int continuation_steps(double far) { return std::max(1, static_cast<int>(std::ceil(std::min(far, 1000.0)))); }

}  // namespace tendril::strands
