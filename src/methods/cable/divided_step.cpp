// Steps in which things touch, or could: taken in parts where something hits.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/cable/cable.h"

namespace tendril::cable {

void Cable::look_ahead(const StepSizes& step, bool solved) {
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    if (parts_.elements[i].led) {
      ahead_.x[i] = state_.x[i], ahead_.q[i] = state_.q[i];
      continue;
    }
    ahead_.v[i] = solved ? response_[i].v : state_.v[i], ahead_.spin[i] = solved ? response_[i].spin : spin_of(i);
    ahead_.x[i] = state_.x[i] + step.dt * ahead_.v[i];
    ahead_.q[i] = step.dt > 0 ? turned(i, ahead_.spin[i], step.dt) : state_.q[i];
  }
}

// Of a step that is divided gaps of hard rows are closed over the whole step (StepSizes::mend), but what clamps and driven bodies moved
// in this part is followed in it: it counts mend/dt times, so that rows that close in `mend` make it up in dt.
void Cable::follow_led(std::size_t j, const StepSizes& step) {
  const Joint& joint = parts_.joints[j];
  const Ahead& start = contacts_->start();
  const double more = step.mend / step.dt - 1;
  JointRows& rows = rows_[j];
  const auto add = [&](int e, const Vec3& point, double sign) {
    if (!parts_.elements[z(e)].led) return;
    const std::size_t i = z(e);
    if (rows.point_on && joint.stretch == rigid) {
      Vec3 moved = state_.x[i] + state_.q[i] * point - start.x[i] - start.q[i] * point;
      if (rows.slides) moved -= rows.axis.dot(moved) * rows.axis;
      rows.gap += (sign * more) * moved;
    }
    if (!joint.holds_frame) return;
    const Vec3 turned = rows.turn * log_rotation(Quat(state_.q[i] * start.q[i].conjugate()));
    for (int k = 0; k < 3; ++k)
      if (rows.on[k] && rows.stiffness[k] == rigid) rows.moment_strain[k] += sign * more * turned[k];
  };
  add(joint.a, joint.point_a, -1);
  add(joint.b, joint.point_b, 1);
}

// Solved again until contacts stay what they are; with what else touches then, and with the friction that belongs to their forces. False:
// it did not settle.
bool Cable::settle_contacts(const StepSizes& step, Try& fate) {
  constexpr int most_rounds = 12, most_passes = 40;
  bool again = true;
  for (int round = 0; round < most_rounds && again; ++round) {
    int pass = 0;
    do {
      if (!solve_once(step)) {
        fate = Try::not_finite;
        return true;
      }
      if (++pass > most_passes) return false;
    } while (contacts_->judge(response_, step));
    again = tensions_grew(step);
    again = contacts_->renew() || again;
    look_ahead(step, true);
    if (!contacts_->is_outdated(ahead_)) continue;
    const Contacts::Look look = contacts_->look(ahead_, drive_, step, false);
    if (look == Contacts::Look::failed) return false;
    again = again || look == Contacts::Look::news;
  }
  return true;
}

// How far joints would come apart, over the length of a segment, beyond what stretches: by turns that are no longer small.
double Cable::gap_ahead() const {
  double worst = 0;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (!state_.point_on[j] || joint.node < 0 || switches_.draws(j)) continue;
    const std::size_t a = z(joint.a), b = z(joint.b);
    const Vec3 gap = ahead_.x[b] + ahead_.q[b] * joint.point_b - ahead_.x[a] - ahead_.q[a] * joint.point_a;
    const Vec3 elastic = joint.stretch == rigid ? Vec3::Zero() : Vec3(-state_.force[j] / joint.stretch);
    worst = std::max(worst, (gap - elastic).norm() / std::max(parts_.elements[a].length, parts_.elements[b].length));
  }
  return worst;
}

Cable::Try Cable::try_part(const StepSizes& step) {
  look_ahead(step, false);
  if (contacts_->look(ahead_, drive_, step, true) == Contacts::Look::failed) return Try::divide;
  Try fate = Try::good;
  if (!settle_contacts(step, fate)) return Try::divide;
  verdict_ = contacts_->verdict(step);
  return fate;
}

void Cable::step_in_parts(double time, double dt, const Live& live) {
  constexpr int finest = 8, ticks = 1 << finest;
  constexpr int fine_enough = 4;   // for impacts
  constexpr double deepest = 0.3;  // [radii] overlap
  constexpr double far = 1;        // [sizes] the way of two that meet
  constexpr double wide = 0.01;    // [segments] the gap of a joint
  int at = 0;
  while (at < ticks) {
    flow_.begin(state_);
    look_ahead({}, false);
    contacts_->begin(ahead_);
    const double gap = worst_gap();
    int size = ticks;
    bool bowed = false;
    StepSizes step;
    for (;; ++level_) {
      size = ticks >> level_;
      drive_to(time + dt * (at + size) / ticks, 1, live, false);
      step = sizes(dt * size / ticks);
      step.mend = dt;
      lead(step.dt);
      reevings_.begin(drive_, state_, step);
      if (level_ < finest && contacts_->body_parts(drive_, force_, step.dt) > 1) continue;
      const Try fate = try_part(step);
      if (!bowed && fate == Try::good && bow_pressed_rods(step.dt)) {
        bowed = true, --level_;  // once more
        continue;
      }
      const bool bad = fate != Try::good || verdict_.passes || verdict_.overlap > deepest;
      if (bad && level_ == finest) {
        report_.outcome = Outcome::diverged;
        report_.cause = fate == Try::not_finite ? Cause::not_finite : Cause::contact;
        return;
      }
      if (bad || (verdict_.hit > far && level_ < fine_enough)) continue;
      if (level_ == finest || gap_ahead() < std::max(wide, 1.2 * gap)) break;
    }
    contacts_->accept(ahead_, report_);
    finish(step);
    count_contacts(step);
    if (report_.outcome != Outcome::fine) return;
    at += size;
    if (level_ > 0 && verdict_.hit < 0.25 * far && at % (2 * size) == 0) --level_;
  }
}

}  // namespace tendril::cable
