// Motion of a straight rod whose clamps come together.
#include <tuple>

#include "methods/der/der.h"
#include "methods/der/lengths/straight_spans.h"

namespace tendril::der {

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
  const auto pull_at = [&](int v) {  // of hands and couplings
    Vec3 sum = Vec3::Zero();
    for (const Grip& grip : drive_.grips) {
      if (grip.rod < 0) continue;
      const int s = c.slot_of_edge[z(grip.edge.value)];
      const double share = v == s ? 1 - grip.share : v == s + 1 ? grip.share : 0;
      if (share == 0) continue;
      const auto mix = [&](const Array3& a) { return to_eigen((1 - grip.share) * a.get(s) + grip.share * a.get(s + 1)); };
      sum += share * grip_force(grip, mix(c.x), mix(c.v));
    }
    return to_small(sum);
  };
  bool bent = false;
  Array3 air;  // velocities before drag and wind, and after
  for (const ChainRod& rod : c.rods) {
    find_compressed_spans(c, rod, spans_);
    V3<double> before{0, 0, 0};
    for (const StraightSpan& span : spans_) {
      if (!bent) {  // forces of the present state, as a step has them
        fill_directors(c);
        update_gradient(c);
        loads_->update(drive_, c);
        loads_->add_couples(drive_, c);
        air = c.v;
        drag_->apply(drive_, c, dt);
        std::swap(air, c.v);
      }
      bent = true;
      const auto force_at = [&](int v) {
        return loads_->force().get(v) + c.gradient.get(v) - c.gradient.get(v - 1) + pull_at(v) +
               (c.mass[z(v)] / dt) * (air.get(v) - c.v.get(v));
      };
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
