// Cosserat rods as a boundary value problem with generalized-alpha: its line in the registry.
#pragma once

#include "methods/method.h"

namespace tendril::galpha {
const MethodEntry& entry();
}  // namespace tendril::galpha
