// What the registry knows of this method.
#pragma once

#include "methods/method.h"

namespace tendril::strands {
const MethodEntry& entry();
}  // namespace tendril::strands
