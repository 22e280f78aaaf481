#pragma once

#include "methods/method.h"

namespace tendril::der {
const MethodEntry& entry();
}
