// A Frame as the browser takes it: docs/view.md, "Frames".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/drive.h"
#include "model/model.h"
#include "tendril/simulate.h"

namespace tendril::view {

struct FrameBytesOptions {
  std::uint32_t generation = 0;
  bool with_values = true;  // the numbers for plots: live yes, saved runs no
};

// What is fixed for a scene and every frame is written relative to: origin, order of values, rest arc lengths. One per
// opened scene; the model must live as long.
class FrameWriter {
 public:
  explicit FrameWriter(const Simulation& simulation) : FrameWriter(simulation.model()) {}
  explicit FrameWriter(const Model& model);
  const Vec3& origin() const { return origin_; }
  // Replaces `out`; does not allocate once `out` has been this large. `measures` is looked at only for the values.
  void write(const Frame& frame, const Measures& measures, const Live& live, const FrameBytesOptions& options,
             std::vector<std::byte>& out) const;

 private:
  Vec3 origin_;
  const Model* model_;
  std::size_t values_;
  std::uint32_t moving_ = 0;  // obstacles
  mutable Drive drive_;       // for couplings and moving obstacles; keeps its storage
};

// The box around all rods and bodies at the start, and around obstacles that are not much larger.
struct Box {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  Vec3 middle() const { return 0.5 * (low + high); }
};
Box box_at_start(const Model& model);
// As the browser draws it; `around`: box of the rods.
BodyShape drawn_shape(const BodyModel& body, const Box& around);

}  // namespace tendril::view
