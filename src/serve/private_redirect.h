// How a browser is told where to go without the token in its command line, which every user of the machine can read: a file of
// this user alone (mode 600) that leads there. As Jupyter does.
#pragma once

#include <filesystem>
#include <string>

namespace tendril {

class PrivateRedirect {
 public:
  // The file is made in `folder`, which need not be private, under a name that is new. Throws ServeError.
  PrivateRedirect(const std::filesystem::path& folder, const std::string& to);
  PrivateRedirect(const PrivateRedirect&) = delete;
  PrivateRedirect& operator=(const PrivateRedirect&) = delete;
  ~PrivateRedirect();           // removes the file
  std::string address() const;  // file:///...
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};
// Where such files belong: the user's runtime folder, or the one for temporary files.
std::filesystem::path redirect_folder();

}  // namespace tendril
