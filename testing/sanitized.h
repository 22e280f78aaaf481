// A sanitized build takes ten times as long for everything. Tests that go through a long motion, or repeat it many times, take the shorter one of
// two lengths there: the same code is run and the same things are asked.
#pragma once

namespace tendril {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

template <class T>
constexpr T unless_sanitized(T usual, T shorter) {
  return sanitized ? shorter : usual;
}

}  // namespace tendril
