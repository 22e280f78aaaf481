// Four doubles side by side: four rods, or four segments, each lane computed in the scalar order with the scalar's bits.
#pragma once

#include <array>
#include <experimental/simd>

#include "math/small.h"

namespace tendril {

inline constexpr int pack_size = 4;
using Pack = std::experimental::fixed_size_simd<double, pack_size>;

inline Pack load_pack(const double* first) { return Pack(first, std::experimental::element_aligned); }
inline void store_pack(const Pack& p, double* first) { p.copy_to(first, std::experimental::element_aligned); }

// Four vectors of an array (stride in elements) to one vector of packs, and back.
template <class Vector>
V3<Pack> gather_pack(const Vector* first, int stride = 1) {
  std::array<double, pack_size> x, y, z;
  for (int lane = 0; lane < pack_size; ++lane) {
    x[lane] = first[lane * stride][0];
    y[lane] = first[lane * stride][1];
    z[lane] = first[lane * stride][2];
  }
  return {load_pack(x.data()), load_pack(y.data()), load_pack(z.data())};
}
inline V3<double> lane_of(const V3<Pack>& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }

}  // namespace tendril
