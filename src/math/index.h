// Indices of meshes are ints, vectors want sizes.
#pragma once

#include <cstddef>

namespace tendril {
inline std::size_t z(int i) { return static_cast<std::size_t>(i); }
}  // namespace tendril
