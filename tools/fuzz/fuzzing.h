// What the fuzz targets share: bytes as a stream of choices, a folder for files, and sentences that must hold.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tendril::fuzz {

inline void insist(bool condition, const char* sentence) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", sentence);
  std::abort();
}

class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool any() const { return left_ > 0; }
  std::size_t upto(std::size_t count) { return count == 0 ? 0 : take<std::uint16_t>() % count; }
  template <class T>
  T take() {
    T value{};
    const std::size_t n = sizeof value < left_ ? sizeof value : left_;
    std::memcpy(&value, data_, n);
    data_ += n, left_ -= n;
    return value;
  }
  // Any bits, or one of the numbers that programs stumble over.
  double number() {
    static const double hard[] = {0.0,          -0.0,         1,    -1,    2,      0.5,   1e9, -1e9,
                                  2147483647.0, 2147483648.0, 9e15, 1e300, -1e300, 1e-300};
    const std::size_t which = upto(sizeof hard / sizeof *hard + 2);
    if (which < sizeof hard / sizeof *hard) return hard[which];
    return take<double>();
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// A folder of this process, in memory where there is such a place; it goes away at the end.
class Folder {
 public:
  Folder() {
    std::string name =
        (std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/tendril-fuzz-XXXXXX");
    insist(mkdtemp(name.data()) != nullptr, "no folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  void write(const char* name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace tendril::fuzz
