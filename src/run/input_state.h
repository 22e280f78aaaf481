// Live inputs as part of a saved state.
#pragma once

#include "tendril/simulate.h"
#include "tendril/state.h"

namespace tendril {

template <class T, int most>
void visit_state(StateArchive& archive, FixedVec<T, most>& list) {
  archive(list.count);
  if (list.count < 0 || list.count > most) StateArchive::fail("the state is damaged");
  for (T& item : list) archive(item);
}
inline void visit_state(StateArchive& archive, Hand& h) {
  archive(h.id, h.rod, h.body, h.material, h.point, h.pose, h.motion);
  archive(h.stiffness, h.damping, h.angular_stiffness, h.angular_damping);
}
inline void visit_state(StateArchive& archive, PathInput& p) {
  archive(p.clamp, p.move, p.turn, p.coupling, p.body, p.move_rate, p.turn_rate);
}
inline void visit_state(StateArchive& archive, WinchOrder& w) { archive(w.winch, w.speed); }
inline void visit_state(StateArchive& archive, JointSwitch& j) { archive(j.joint, j.on); }
inline void visit_state(StateArchive& archive, Live& live) {
  archive(live.gravity_scale, live.hands, live.paths, live.winches, live.joints);
}
void visit_state(StateArchive& archive, LoggedInput& input);  // inputs.cpp

}  // namespace tendril
