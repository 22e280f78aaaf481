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

template <class F>
void Der::for_each_goal(F&& f) const {
  const Chain& c = *chain_;
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    if (model_->clamps[i].position && drive_.clamps[i].active)
      f(c.vertex_of_node[z(model_->clamps[i].node.value)], to_small(drive_.clamps[i].pose.position));
  }
  if (!joins_) return;
  joins_->for_each_led_node(drive_, [&](int node, const Vec3& place) { f(c.vertex_of_node[z(node)], to_small(place)); });
}

// The lengths of a straight rod cannot be restored when its ends come nearer: every edge would have to turn, and none knows to
// which side. Such a rod is bent before the step, to where its held points will be at the step's end; its velocity stays, because
// the bend is none that it went through.
void Der::bend_compressed(double dt) {
  Chain& c = *chain_;
  if (paths_.empty()) return;
  bool moved = false;
  for_each_goal([&](int v, const V3<double>& place) { moved = moved || squared_norm(place - c.x.get(v)) > 0; });
  if (!moved) return;
  // As it would be with its held points there.
  held_was_.clear();
  for_each_goal([&](int v, const V3<double>& place) {
    held_was_.push_back(c.x.get(v));
    c.x.set(v, place);
  });
  c.match_twins();
  const auto put_back = [&](bool clamped) {
    std::size_t k = 0;
    for_each_goal([&](int v, const V3<double>&) {
      if (clamped || !c.held[z(v)]) c.x.set(v, held_was_[k]);
      ++k;
    });
    c.match_twins();
  };
  find_compressed_spans(c, paths_, spans_);
  if (spans_.empty()) return put_back(true);
  find_all_forces(dt);
  V3<double> side{0, 0, 0};
  int end = -1;  // node where the span before ended
  for (const StraightSpan& span : spans_) {
    if (c.node[z(span.path->vertex.front())] != end) side = {0, 0, 0};
    side = preferred_side(
        c, span, [&](int v) { return force_.get(v); }, side);
    bend_span(c, span, side, [&](int v, const V3<double>& x) { c.x.set(v, x); });
    end = c.node[z(span.path->vertex.back())];
  }
  c.match_twins();
  for (std::size_t r = 0; r < c.rods.size(); ++r) first_tangents_[r] = c.t.get(c.rods[r].first);
  // Exactly onto the lengths, positions only, with driven bodies where they will be too.
  const Array3 v = c.v;
  update_edges(c);
  if (joins_) joins_->swap_led_poses(drive_.bodies);
  std::ignore = project_all(1, Push::fast, false);
  if (joins_) joins_->swap_led_poses(drive_.bodies);
  c.v = v;
  put_back(false);  // what bodies lead is carried there by the step itself
  update_edges(c);
  carry_first_directors(c, c.all(), first_tangents_);
  update_bishop(c, false);
  update_angles(c, *angles_, 1);
}

}  // namespace tendril::der
