#pragma once

#include "tendril/method.h"

namespace tendril::der {
const MethodEntry& entry();
}
