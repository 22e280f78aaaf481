// HDF5 calls that do not fail in silence. Included only by the .cpp files of this room.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tendril::h5 {

// Closes with its own function. A close that fails matters only where data may still be in a buffer: call `close` there.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }
  hid_t get() const { return id_; }
  herr_t close() { return id_ >= 0 ? closer_(std::exchange(id_, -1)) : 0; }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

void set_up();  // once per process: no printing, no clean-up at exit
// Throws RecordError "FILE: WHAT: reason" when an HDF5 result is negative.
template <class R>
R checked(R result, const std::string& file, std::string_view what);
[[noreturn]] void fail(const std::string& file, std::string_view what);
[[noreturn]] void fail(const std::string& file, std::string_view what, int system_error);
template <class R>
R checked(R result, const std::string& file, std::string_view what) {
  if (result < 0) fail(file, what);
  return result;
}

std::size_t points_of(hid_t dataset, const std::string& file);  // its numbers or texts in all

void write_text(hid_t at, const char* name, const std::string& text, const std::string& file);  // dataset, any length
std::string read_text(hid_t at, const char* name, const std::string& file);
void write_texts(hid_t at, const char* name, const std::vector<std::string>& texts, const std::string& file);
std::vector<std::string> read_texts(hid_t at, const char* name, const std::string& file);
void write_number_attribute(hid_t at, const char* name, std::int64_t value, const std::string& file);
std::int64_t read_number_attribute(hid_t at, const char* name, const std::string& file);
void write_text_attribute(hid_t at, const char* name, const std::string& text, const std::string& file);
std::string read_text_attribute(hid_t at, const char* name, const std::string& file);

}  // namespace tendril::h5
