// The built front end (web/dist/page.html), carried inside the program.
#pragma once

#include <string_view>

namespace tendril::view {

std::string_view page();  // one HTML file with script and style inside; holds `<!-- tendril data -->` where runs go

}  // namespace tendril::view
