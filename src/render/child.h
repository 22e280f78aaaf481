// A child process that is started, perhaps fed, and in any case ended: it never outlives its Child, nor this program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tendril {

std::optional<std::filesystem::path> find_program(
    const std::vector<std::string>& names);  // the first of them that is in PATH

class Child {
 public:
  // words[0] is the program's file. What it says goes to `log`. `fed`: feed() writes to its standard input. Throws
  // RenderError.
  Child(std::vector<std::string> words, const std::filesystem::path& log, bool fed);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // ends it, with everything it has started

  bool feed(std::string_view bytes);  // waits until all is taken; false: it no longer reads
  bool running();
  int wait();                      // closes its input; its exit code, or -signal
  void end();                      // now
  std::string last_words() const;  // the end of its log

 private:
  void reap();  // waits until it has ended
  std::filesystem::path log_;
  pid_t process_ = -1;  // also the number of its process group
  int input_ = -1;      // pipe to its standard input; -1: none
  int status_ = 0;      // of waitpid, once it has ended
  bool ended_ = false;
};

class TemporaryPlace {  // a folder that goes away
 public:
  TemporaryPlace();
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;
  ~TemporaryPlace();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tendril
