// Motion of a straight rod whose clamps come together.
#include <tuple>

#include "methods/der/der.h"
#include "methods/der/lengths/straight_spans.h"

namespace tendril::der {

// The lengths of a straight rod cannot be restored when its ends come nearer: every edge would have to turn, and none knows to
// which side. Such a rod is bent before the step, to where its clamps will be at the step's end; its velocity stays, because the
// bend is none that it went through.
void Der::bend_compressed() {
  Chain& c = *chain_;
  if (all_stretch_) return;
  bool moved = false;
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    if (!model_->clamps[i].position || !drive_.clamps[i].active) continue;
    const V3<double> at = c.x.get(c.vertex_of_node[z(model_->clamps[i].node.value)]);
    moved = moved || squared_norm(to_small(drive_.clamps[i].pose.position) - at) > 0;
  }
  if (!moved) return;
  // As it would be with its clamps there.
  for (std::size_t i = 0; i < model_->clamps.size(); ++i)
    clamp_was_[i] = c.x.get(c.vertex_of_node[z(model_->clamps[i].node.value)]);
  const auto put_clamps = [&](const auto& place) {
    for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
      if (model_->clamps[i].position && drive_.clamps[i].active)
        c.x.set(c.vertex_of_node[z(model_->clamps[i].node.value)], place(i));
    }
    c.match_twins();
  };
  put_clamps([&](std::size_t i) { return to_small(drive_.clamps[i].pose.position); });
  bool bent = false;
  for (const ChainRod& rod : c.rods) {
    find_compressed_spans(c, rod, spans_);
    for (const StraightSpan& span : spans_) {
      if (!bent) {  // forces of the present state, as a step has them
        fill_directors(c);
        update_gradient(c);
        loads_->update(drive_, c);
        loads_->add_couples(drive_, c);
      }
      bent = true;
      const auto force_at = [&](int v) { return loads_->force().get(v) + c.gradient.get(v) - c.gradient.get(v - 1); };
      bend_span(c, span, preferred_side(c, span, force_at), [&](int v, const V3<double>& x) { c.x.set(v, x); });
    }
  }
  if (!bent) return put_clamps([&](std::size_t i) { return clamp_was_[i]; });
  c.match_twins();
  for (std::size_t r = 0; r < c.rods.size(); ++r) first_tangents_[r] = c.t.get(c.rods[r].first);
  // Exactly onto the lengths, positions only.
  const Array3 v = c.v;
  update_edges(c);
  std::ignore = project_all(1, Push::fast, false);
  c.v = v;
  update_edges(c);
  carry_first_directors(c, c.all(), first_tangents_);
  update_bishop(c, false);
  update_angles(c, *angles_, 1);
}

}  // namespace tendril::der
