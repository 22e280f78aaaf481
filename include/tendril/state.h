// The state of a simulation as bytes: retry, fork, checkpoint, hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "tendril/types.h"

namespace tendril {

// Every changing value of a method, once, in a fixed order, into a reused buffer: retry, fork, checkpoint, hash.
class StateWriter {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&v, sizeof v);
  }
  template <class T>
  void array(std::span<const T> v) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(static_cast<std::uint64_t>(v.size()));
    bytes(v.data(), v.size_bytes());
  }
  template <class T>
  void array(const std::vector<T>& v) {
    array(std::span<const T>(v));
  }
  void clear() { buffer_.clear(); }
  std::span<const std::byte> buffer() const { return buffer_; }

 private:
  void bytes(const void* from, std::size_t count) {
    const auto* p = static_cast<const std::byte*>(from);
    buffer_.insert(buffer_.end(), p, p + count);
  }
  std::vector<std::byte> buffer_;
};
class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> buffer) : buffer_(buffer) {}
  template <class T>
  void value(T& v) {
    bytes(&v, sizeof v);
  }
  template <class T>
  void array(std::vector<T>& v) {  // sizes never change: a state is read into a method made from the same model
    std::uint64_t count = 0;
    value(count);
    TENDRIL_REQUIRE(count == v.size(), "the state was saved by another model");
    bytes(v.data(), v.size() * sizeof(T));
  }
  bool at_end() const { return place_ == buffer_.size(); }

 private:
  void bytes(void* to, std::size_t count) {
    TENDRIL_REQUIRE(place_ + count <= buffer_.size(), "the state ends too early");
    if (count > 0) std::memcpy(to, buffer_.data() + place_, count);
    place_ += count;
  }
  std::span<const std::byte> buffer_;
  std::size_t place_ = 0;
};

}  // namespace tendril
