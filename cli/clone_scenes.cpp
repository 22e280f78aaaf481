#include "cli/clone_scenes.h"

namespace tendril::cli {

const char* clone_scenes() { return TENDRIL_SCENES; }

}  // namespace tendril::cli
