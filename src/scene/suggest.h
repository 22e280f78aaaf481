// "did you mean": the nearest of the allowed words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tendril {

int edit_distance(std::string_view a, std::string_view b);  // insert, delete, replace, swap of neighbours

// "did you mean `radius`?", or "allowed here: a, b, c" when none is near, or empty when nothing is allowed.
std::string suggest(std::string_view word, const std::vector<std::string>& allowed);
std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed);  // or empty when none is near
std::string join(const std::vector<std::string>& words);                                   // "a, b, c"

}  // namespace tendril
