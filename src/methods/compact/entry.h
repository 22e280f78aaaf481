// What the registry knows of this method.
#pragma once

#include "methods/method.h"

namespace tendril::compact {
const MethodEntry& entry();
}  // namespace tendril::compact
