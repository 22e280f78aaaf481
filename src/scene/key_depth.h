// How deep dotted keys go, counted before the parser sees the text: toml++ 3.3 makes and destroys a table for every part of a.a.a.a
// recursively, and 50 000 parts overflow the stack. Brackets it limits itself.
#pragma once

#include <cstddef>
#include <string_view>

namespace tendril::scene_detail {

inline constexpr int max_key_parts = 20;  // no field of a scene lies deeper than eight

// The line, from 1, of the first key with more parts than that; 0: there is none.
std::size_t line_of_deep_key(std::string_view text);

}  // namespace tendril::scene_detail
