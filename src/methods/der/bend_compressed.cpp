// Motion of a straight rod whose clamps come together.
#include <tuple>

#include "methods/der/der.h"
#include "methods/der/lengths/straight_spans.h"

namespace tendril::der {

// Of the present state, as a step has them; springs of hands and couplings, drag and wind as if explicit.
void Der::find_all_forces(double dt) {
  Chain& c = *chain_;
  fill_directors(c);
  update_gradient(c);
  loads_->update(drive_, c);
  loads_->add_couples(drive_, c);
  const Array3 v = c.v;
  drag_->apply(drive_, c, dt);
  for (int i = c.begin; i < c.end; ++i)
    force_.set(i, loads_->force().get(i) + c.gradient.get(i) - c.gradient.get(i - 1) +
                      (c.mass[z(i)] / dt) * (c.v.get(i) - v.get(i)));
  c.v = v;
  for (const Grip& grip : drive_.grips) {
    if (grip.rod < 0) continue;
    const V3<double> pull = to_small(pull_of(c, grip));
    const int s = c.slot_of_edge[z(grip.edge.value)];
    force_.add(s, (1 - grip.share) * pull), force_.add(s + 1, grip.share * pull);
  }
}

// The lengths of a straight rod cannot be restored when its ends come nearer: every edge would have to turn, and none knows to
// which side. Such a rod is bent before the step, to where its clamps will be at the step's end; its velocity stays, because the
// bend is none that it went through.
void Der::bend_compressed(double dt) {
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
    V3<double> before{0, 0, 0};
    for (const StraightSpan& span : spans_) {
      if (!bent) find_all_forces(dt);
      bent = true;
      const auto force_at = [&](int v) { return force_.get(v); };
      before = preferred_side(c, span, force_at, before);
      bend_span(c, span, before, [&](int v, const V3<double>& x) { c.x.set(v, x); });
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
