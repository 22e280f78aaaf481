// Bytes as text, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tendril::view {

class Base64 {
 public:
  explicit Base64(std::string& out) : out_(out) {}  // appends
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      waiting_ = waiting_ << 8 | static_cast<std::uint32_t>(byte);
      if (++count_ == 3) put(4);
    }
  }
  void finish() {
    if (count_ == 0) return;
    const int filled = count_;
    waiting_ <<= 8 * (3 - filled);
    put(filled + 1);
    out_.append(static_cast<std::size_t>(3 - filled), '=');
  }
  static std::size_t length(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

 private:
  void put(int letters) {
    static constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < letters; ++i) out_ += alphabet[waiting_ >> (18 - 6 * i) & 63];
    waiting_ = 0, count_ = 0;
  }
  std::string& out_;
  std::uint32_t waiting_ = 0;
  int count_ = 0;
};

}  // namespace tendril::view
