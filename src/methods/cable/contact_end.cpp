// The end of a part of a step: whether it is good, what is remembered and shown, what became of energy.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/cable/contacts.h"

namespace tendril::cable {

Contacts::Verdict Contacts::verdict(const StepSizes& step) const {
  Verdict v;
  v.passes = watch_ && watch_->turns_too_far();
  for (const Touching& c : list_) {
    v.passes = v.passes || c.is_passing;
    const double depth = -c.gap_after / c.size;
    if (c.touch >= 0) v.overlap = std::max(v.overlap, depth);
    v.sunk = std::max(v.sunk, depth - std::max(0.0, -c.gap0 / c.size));
    if (!c.presses() || c.normal_before > 0) continue;
    v.hit = std::max(v.hit, -step.dt * c.slip(AheadVelocities{start_}).dot(c.axis[0]) / c.size);
  }
  return v;
}

void Contacts::accept(const Ahead& ahead, StepReport& report) {
  points_.clear();
  std::fill(hit_.begin(), hit_.end(), 0);
  for (auto* list : {&pushes_, &lasting_}) std::fill(list->begin(), list->end(), Wrench{});
  report.contacts = 0;
  for (const Touching& c : list_) {
    if (c.presses()) sum_up(c);
    if (c.jumped()) {
      hit_[z(group_of_[z(c.a)])] = 1;
      if (c.b >= 0) hit_[z(group_of_[z(c.b)])] = 1;
    }
    if (c.touch < 0 || c.is_extra) continue;
    ContactMemoryEntry& memory = memory_.now(z(c.touch));
    memory.gap = c.gap_after, memory.normal_force = c.normal, memory.friction = c.friction_force();
    if (!c.presses() || !(c.normal_before > 0)) memory.age = 0;
    if (!c.presses() && c.gap_after >= 0) continue;
    Touch touch = watch_->touches()[z(c.touch)];
    touch.gap = c.gap_after;
    const Vec3 centre = ahead.x[z(c.a)] + c.arm_a + touch.radius_a * touch.normal;
    const int body = touch.obstacle >= 0 ? watch_->body_of(touch.obstacle) : -1;
    points_.push_back(contact_point(touch, centre, c.force(), body));
    report.contacts += c.presses();
    report.penetration = std::max(report.penetration, -c.gap_after / c.size);
  }
  if (watch_) memory_.commit();
  if (bodies_) bodies_->accept(list_, ahead);
}

void Contacts::visit_state(StateArchive& archive) {
  if (watch_) archive(memory_, *watch_);
  if (bodies_) archive(*bodies_);
  archive.fixed(hit_), archive.fixed(share_);
  archive(points_, pending_.obstacles, pending_.bodies, pending_.friction, pending_.impacts);
  if (!archive.reading()) return;
  const auto among = [](int number, auto count) { return number >= -1 && number < static_cast<std::int64_t>(count); };
  const int edges = watch_ ? watch_->geometry().edges() : 0;
  for (const ContactPoint& p : points_)
    TENDRIL_REQUIRE(among(p.edge_a, edges) && among(p.edge_b, edges) && among(p.obstacle_b, model_.obstacles.size()) &&
                        among(p.body_b, model_.bodies.size()),
                    "the state is damaged");
}

}  // namespace tendril::cable
