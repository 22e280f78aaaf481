// What can be read off bodies and joints, and what is kept of them.
#include "methods/compact/joined.h"

namespace tendril::compact {

void Joined::watch_bodies(const Drive& drive) {
  for (const BodyModel& body : model_.bodies)
    if (body.shape && body.collides && body.moves_freely()) pushes_ = std::make_unique<BodyPushes>(model_, drive);
}

double Joined::lost_by_euler() const {
  double sum = 0;
  for (int b = 0; b < plan_.bodies; ++b)
    for (std::size_t k = 0; k < 4 && !is_led(b); ++k) {
      const std::size_t i = 4 * z(b) + k;
      const double mass = k == 0 ? model_.bodies[z(b)].mass : inertia_[3 * z(b) + k - 1];
      sum += 0.5 * mass * (state_.levels.v[i] - state_.levels.v_before[i]).squaredNorm();
    }
  return sum;
}

BodyState Joined::state_of(int b) const {
  BodyState s;
  s.pose.position = state_.place[z(b)], s.pose.orientation = state_.turn[z(b)];
  const Levels& l = state_.levels;
  s.motion.linear = l.v[z(4 * b)];
  for (std::size_t k = z(4 * b + 1); k < z(4 * b + 4); ++k) s.motion.angular += 0.5 * l.y[k].cross(l.v[k]);
  return s;
}

void Joined::State::visit_state(StateArchive& archive) {
  archive(levels);
  archive.fixed(place), archive.fixed(turn), archive.fixed(multiplier);
}

void Joined::visit_state(StateArchive& archive) {
  archive(state_);
  if (pushes_) archive(*pushes_);
  archive.fixed(place_gradient_), archive.fixed(turn_gradient_);
  if (!archive.reading()) return;
  for (const Quat& q : state_.turn) TENDRIL_REQUIRE(std::abs(q.norm() - 1) < 0.1, "the state is damaged: a body is nowhere");
  std::copy(state_.place.begin(), state_.place.end(), place_.begin());
  std::copy(state_.turn.begin(), state_.turn.end(), turn_.begin());
}

}  // namespace tendril::compact
