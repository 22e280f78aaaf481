#include "serve/private_redirect.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "serve/server.h"

namespace tendril {
namespace fs = std::filesystem;
namespace {

std::string escaped(const std::string& text) {  // for an attribute of HTML
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '"' ? "&quot;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

}  // namespace

fs::path redirect_folder() {
  std::error_code error;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && fs::is_directory(runtime, error)) return runtime;
  const fs::path temporary = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : temporary;
}

PrivateRedirect::PrivateRedirect(const fs::path& folder, const std::string& to) {
  // mkstemps: a name that is new, mode 600, nothing followed.
  std::string name = (fs::absolute(folder) / "tendril-open-XXXXXX.html").string();
  const int out = mkstemps(name.data(), 5);
  if (out < 0) throw ServeError(fmt::format("could not make {}: {}", name, std::strerror(errno)));
  file_ = name;
  const std::string page = fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>tendril</title>\n<meta http-equiv=\"refresh\" content=\"0; url={0}\">\n"
      "<a href=\"{0}\">to the view</a>\n",
      escaped(to));
  const bool whole = ::write(out, page.data(), page.size()) == static_cast<ssize_t>(page.size());
  ::close(out);
  if (whole) return;
  ::unlink(file_.c_str());
  throw ServeError(fmt::format("could not write {}", file_.string()));
}
PrivateRedirect::~PrivateRedirect() { ::unlink(file_.c_str()); }

std::string PrivateRedirect::address() const {
  // What could end the path of an address is written by its number.
  std::string out = "file://";
  for (const char c : file_.string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace tendril
