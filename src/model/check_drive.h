// A drive that was read from a checkpoint, which may hold anything.
#pragma once

#include "model/drive.h"

namespace tendril {

void check_loaded(const Model& model, const Drive& drive);  // throws Misuse when grips hold what is not there

}  // namespace tendril
