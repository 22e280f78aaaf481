// What the registry knows of this method.
#pragma once

#include "methods/method.h"

namespace tendril::cable {
const MethodEntry& entry();
}  // namespace tendril::cable
