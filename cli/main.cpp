#include "cli/run_program.h"

int main(int argc, char** argv) { return tendril::cli::run_program(argc, argv, nullptr); }
