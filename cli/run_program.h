// The door of the command line: what main() needs, without what stands behind it.
#pragma once

namespace tendril::cli {

struct Lab;
const Lab& lab();  // experiments and benchmarks: cli/lab.cpp

// Parses, runs one command, turns every failure into a sentence on standard error and an exit code. `lab`: none in the small
// program.
int run_program(int argc, const char* const* argv, const Lab* lab);

}  // namespace tendril::cli
