// The folder of scenes in the clone that the program was built from. Alone in its file: a compiler cache then serves all others to every clone.
#pragma once

namespace tendril::cli {

const char* clone_scenes();

}  // namespace tendril::cli
