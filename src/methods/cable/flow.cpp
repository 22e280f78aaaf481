#include "methods/cable/flow.h"

#include "math/rotation.h"

namespace tendril::cable {

FlowMeter::FlowMeter(const Model& model, const Parts& parts)
    : model_(model),
      parts_(parts),
      x_(parts.elements.size(), Vec3::Zero()),
      q_(parts.elements.size(), Quat::Identity()),
      force_(parts.elements.size(), Vec3::Zero()),
      moment_(parts.elements.size(), Vec3::Zero()),
      reactions_(model.clamps.size()),
      led_(parts.elements.size()),
      place_(model.clamps.size(), Vec3::Zero()),
      turn_(model.clamps.size(), 0.0),
      active_(model.clamps.size(), 0) {}

void FlowMeter::start(const Drive& drive, const State& state) {
  begin(state);
  gravity_ = drive.gravity;
  for (std::size_t i = 0; i < place_.size(); ++i) {
    place_[i] = drive.clamps[i].pose.position, turn_[i] = drive.clamps[i].turn;
    active_[i] = drive.clamps[i].active;
  }
}

void FlowMeter::begin(const State& state) {
  std::copy(state.x.begin(), state.x.end(), x_.begin());
  std::copy(state.q.begin(), state.q.end(), q_.begin());
}

// The potential -g.mx changes by -dg.mx where everything is now.
void FlowMeter::count_gravity(const Drive& drive, const State& state) {
  const Vec3 change = drive.gravity - gravity_;
  gravity_ = drive.gravity;
  if (change == Vec3::Zero()) return;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i)
    if (!parts_.elements[i].led) flow_.gravity -= parts_.elements[i].mass * change.dot(state.x[i]);
}

void FlowMeter::count_clamps(const Drive& drive, const std::vector<Wrench>& reactions) {
  for (std::size_t i = 0; i < place_.size(); ++i) {
    const ClampNow& now = drive.clamps[i];
    if (now.active && active_[i]) {
      const Vec3 axis = now.pose.orientation * (model_.clamps[i].start.orientation.conjugate() * model_.clamps[i].axis);
      const Vec3 moved = now.pose.position - place_[i], turned = (now.turn - turn_[i]) * axis;
      flow_.clamps += 0.5 * (reactions[i].force + reactions_[i].force).dot(moved) +
                      0.5 * (reactions[i].moment + reactions_[i].moment).dot(turned);
    }
    place_[i] = now.pose.position, turn_[i] = now.turn, active_[i] = now.active;
    reactions_[i] = reactions[i];
  }
}

// Driven bodies give what their joints take.
void FlowMeter::count_led(const State& state, const std::vector<Wrench>& led) {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const std::size_t e = z(parts_.first_body) + b;
    if (!parts_.elements[e].led) continue;
    const Vec3 turned = log_rotation(Quat(state.q[e] * q_[e].conjugate()));
    flow_.bodies -=
        0.5 * (led[e].force + led_[e].force).dot(state.x[e] - x_[e]) + 0.5 * (led[e].moment + led_[e].moment).dot(turned);
    led_[e] = led[e];
  }
}

void FlowMeter::count(const Drive& drive, const State& state, const Level& level, double dt) {
  count_gravity(drive, state);
  count_clamps(drive, *level.reactions);
  count_led(state, *level.led);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (parts_.elements[i].led) continue;
    const Vec3 &force = (*level.force)[i], &moment = (*level.moment)[i];
    if (force != Vec3::Zero() || force_[i] != Vec3::Zero()) flow_.loads += 0.5 * (force + force_[i]).dot(state.x[i] - x_[i]);
    if (moment != Vec3::Zero() || moment_[i] != Vec3::Zero())
      flow_.loads += 0.5 * (moment + moment_[i]).dot(log_rotation(Quat(state.q[i] * q_[i].conjugate())));
    force_[i] = force, moment_[i] = moment;
  }
  flow_.hands += 0.5 * dt * (hands_ + level.hands);
  flow_.wind += 0.5 * dt * (wind_ + level.wind);
  flow_.drag += 0.5 * dt * (drag_ + level.drag);
  flow_.damping += level.damping;
  flow_.clamps += level.winches, flow_.bodies += level.hooks;
  flow_.friction += level.friction, flow_.impacts += level.impacts;
  hands_ = level.hands, wind_ = level.wind, drag_ = level.drag;
}

void FlowMeter::visit_state(StateArchive& archive) {
  archive(flow_, gravity_, hands_, wind_, drag_);
  for (auto* list : {&x_, &force_, &moment_, &place_}) archive.fixed(*list);
  archive.fixed(q_), archive.fixed(reactions_), archive.fixed(led_), archive.fixed(turn_), archive.fixed(active_);
}

}  // namespace tendril::cable
