// Live inputs as part of a saved state.
#pragma once

#include <vector>

#include "tendril/simulate.h"

namespace tendril {

inline void each_number(const Vec3& v, StateWriter& writer) {
  for (int i = 0; i < 3; ++i) writer.value(v[i]);
}
inline void each_number(Vec3& v, StateReader& reader) {
  for (int i = 0; i < 3; ++i) reader.value(v[i]);
}
inline void each_number(const Quat& q, StateWriter& writer) {
  for (int i = 0; i < 4; ++i) writer.value(q.coeffs()[i]);
}
inline void each_number(Quat& q, StateReader& reader) {
  for (int i = 0; i < 4; ++i) reader.value(q.coeffs()[i]);
}

// Live holds Eigen values, which cannot be copied as bytes: one visit serves both directions.
template <class L, class Stream>
void visit_live(L& live, Stream& stream) {
  const auto number = [&stream](auto& v) { stream.value(v); };
  const auto numbers = [&stream](auto& v) { each_number(v, stream); };
  number(live.gravity_scale);
  number(live.hands.count);
  for (auto& hand : live.hands) {
    number(hand.id), number(hand.rod), number(hand.body), number(hand.material), numbers(hand.point);
    numbers(hand.pose.position), numbers(hand.pose.orientation), numbers(hand.motion.linear), numbers(hand.motion.angular);
    number(hand.stiffness), number(hand.damping), number(hand.angular_stiffness), number(hand.angular_damping);
  }
  number(live.paths.count);
  for (auto& path : live.paths) {
    number(path.clamp), numbers(path.move), number(path.turn), number(path.coupling), number(path.body);
    numbers(path.move_rate), number(path.turn_rate);
  }
  number(live.winches.count);
  for (auto& winch : live.winches) number(winch.winch), number(winch.speed);
}

void save_inputs(const std::vector<LoggedInput>& inputs, StateWriter& writer);
void load_inputs(std::vector<LoggedInput>& inputs, StateReader& reader);

}  // namespace tendril
