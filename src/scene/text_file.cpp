#include "scene/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "scene/suggest.h"

namespace tendril {
namespace fs = std::filesystem;
namespace {

// Files in the same folder with the same ending, for "did you mean".
std::string neighbours(const fs::path& file) {
  std::error_code error;
  std::vector<std::string> names;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < 1000;
       entry.increment(error))
    if (entry->path().extension() == file.extension()) names.push_back(entry->path().filename().string());
  return did_you_mean(file.filename().string(), names);
}

}  // namespace

bool is_plain_file(const fs::path& file, const std::string& shown, const std::string& field, std::uintmax_t max_bytes,
                   const std::string& remedy_for_size, Problems& problems) {
  const auto refuse = [&](std::string what, std::string allowed = {}, std::string remedy = {}) {
    problems.push_back({Severity::error, shown, field, std::move(what), std::move(allowed), std::move(remedy)});
    return false;
  };
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return refuse("there is no such file", {}, neighbours(file));
  if (error) return refuse("cannot be read (" + error.message() + ")");
  if (fs::is_directory(status)) return refuse("is a folder", "must be a file");
  if (!fs::is_regular_file(status)) return refuse("is not an ordinary file", "must be a text file");
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return refuse("cannot be read (" + error.message() + ")");
  if (size > max_bytes)
    return refuse(fmt::format("is {:.1f} MB long", static_cast<double>(size) / (1 << 20)),
                  fmt::format("must be at most {} MB", max_bytes >> 20), remedy_for_size);
  errno = 0;
  if (!std::ifstream(file, std::ios::binary)) return refuse(fmt::format("cannot be opened ({})", std::strerror(errno)));
  return true;
}

}  // namespace tendril
