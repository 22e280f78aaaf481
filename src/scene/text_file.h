// Is this a file that can be read as text? Folders, devices, huge and missing files are refused before a byte is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tendril/problem.h"

namespace tendril {

inline constexpr std::size_t max_file_complaints = 10;  // of one file; one of the wrong kind has an error in each line

// `shown` is its name in messages; `field` the scene field that named it, or empty.
bool is_plain_file(const std::filesystem::path& file, const std::string& shown, const std::string& field,
                   std::uintmax_t max_bytes, const std::string& remedy_for_size, Problems& problems);

}  // namespace tendril
