#include "view/page.h"

// The file's bytes go into the program as they are. CMake defines TENDRIL_PAGE and compiles this file again when the page
// changes; ccache leaves files with .incbin alone.
asm(".section .rodata, \"a\"\n"
    ".balign 16\n"
    ".globl tendril_page_begin\n"
    ".globl tendril_page_end\n"
    "tendril_page_begin:\n"
    ".incbin \"" TENDRIL_PAGE
    "\"\n"
    "tendril_page_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char tendril_page_begin[], tendril_page_end[];

namespace tendril::view {

std::string_view page() { return {tendril_page_begin, static_cast<std::size_t>(tendril_page_end - tendril_page_begin)}; }

}  // namespace tendril::view
