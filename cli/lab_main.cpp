// The program with experiments and benchmarks: tendril-lab.
#include "cli/run_program.h"

int main(int argc, char** argv) { return tendril::cli::run_program(argc, argv, &tendril::cli::lab()); }
