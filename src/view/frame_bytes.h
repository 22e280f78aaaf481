// A Frame as the browser takes it: docs/view.md, "Frames".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/model.h"
#include "run/open.h"
#include "tendril/simulate.h"

namespace tendril::view {

struct FrameBytesOptions {
  std::uint32_t generation = 0;
  bool with_values = true;  // the numbers for plots: live yes, saved runs no
};

// Fixed facts of a scene that every frame is written against; a saved run has them in its description.
struct FrameFacts {
  Vec3 origin = Vec3::Zero();       // positions are told from here
  OnNodes<double> material;         // of the rods' nodes as the description has them: frames with others bring their own
  std::vector<double> rod_lengths;  // at rest [m]
  std::vector<char> moves;          // per obstacle
  std::size_t values = 0;           // plotted numbers
};
FrameFacts frame_facts(const Model& model);

class FrameWriter {  // one per opened scene; evaluates nothing: what is drawn is what the frame says
 public:
  explicit FrameWriter(const Simulation& simulation) : FrameWriter(frame_facts(model_of(simulation))) {}
  explicit FrameWriter(FrameFacts facts);
  const Vec3& origin() const { return facts_.origin; }
  const FrameFacts& facts() const { return facts_; }
  // Replaces `out`; does not allocate once `out` has been this large. `measures` is looked at only for the values.
  void write(const Frame& frame, const Measures& measures, const FrameBytesOptions& options,
             std::vector<std::byte>& out) const;

 private:
  FrameFacts facts_;
  std::uint32_t moving_ = 0;  // obstacles
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
