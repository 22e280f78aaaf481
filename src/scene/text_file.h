// Is this a file that can be read as text? Folders, devices, huge and missing files are refused before a byte is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tendril/problem.h"

namespace tendril {

// `shown` is its name in messages; `field` the scene field that named it, or empty.
bool is_plain_file(const std::filesystem::path& file, const std::string& shown, const std::string& field,
                   std::uintmax_t most_bytes, const std::string& remedy_for_size, Problems& problems);

}  // namespace tendril
