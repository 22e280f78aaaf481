// A Frame as the browser takes it: docs/view.md, "Frames".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tendril/simulate.h"

namespace tendril::view {

struct FrameBytesOptions {
  std::uint32_t generation = 0;
  bool with_values = true;  // the numbers for plots: live yes, saved runs no
};

// Fixed facts of a scene that every frame is written against: origin, order of values, rest arc lengths. One per opened scene.
class FrameWriter {
 public:
  explicit FrameWriter(const Simulation& simulation);
  const Vec3& origin() const { return origin_; }
  // Replaces `out`; does not allocate once `out` has been this large.
  void write(const Frame& frame, const Measures& measures, const Live& live, const FrameBytesOptions& options,
             std::vector<std::byte>& out) const;

 private:
  Vec3 origin_;
  std::vector<double> material_;
  const Model* model_;
};

}  // namespace tendril::view
