// What a user changes while a simulation runs: a plain value, taken between steps and logged, so that a live run can be rerun
// and resumed bit for bit. Keyboard, browser, Python and haptic devices all go through Simulation::set_input.
#pragma once

#include <array>

#include "tendril/types.h"

namespace tendril {

template <class T, int Most>
struct FixedVec {
  std::array<T, Most> items{};
  int count = 0;
  const T* begin() const { return items.data(); }
  const T* end() const { return items.data() + count; }
  T* begin() { return items.data(); }
  T* end() { return items.data() + count; }
  void add(const T& item) { TENDRIL_REQUIRE(push(item), "no room for more"); }
  [[nodiscard]] bool push(const T& item) {
    return count < Most ? (items[static_cast<std::size_t>(count++)] = item, true) : false;
  }
};

// A hand that holds a point of a rod (or a body) by a spring and damper.
struct Hand {
  int id = 0;  // 1 to 8, given by set_input
  int rod = -1, body = -1;
  double material = 0;        // arc length in the rest rod [m]
  Vec3 point = Vec3::Zero();  // of a body: in its own axes [m]
  Pose pose;
  Motion motion;
  double stiffness = 0, damping = 0;                  // [N/m], [N s/m]
  double angular_stiffness = 0, angular_damping = 0;  // [N m/rad], [N m s/rad]
};
// Added to the path of a clamp, of a coupling or of a driven body: one of the three.
struct PathInput {
  int clamp = -1;
  Vec3 move = Vec3::Zero();  // [m]
  double turn = 0;           // [rad], any number of turns
  int coupling = -1, body = -1;
  Vec3 move_rate = Vec3::Zero();  // [m/s] how fast `move` changes now
  double turn_rate = 0;           // [rad/s]
  bool same_owner(const PathInput& other) const {
    return clamp == other.clamp && coupling == other.coupling && body == other.body;
  }
};
struct WinchOrder {
  int winch = -1;
  double speed = 0;  // [m/s]
};

// Overrides the times between which a joint holds.
struct JointSwitch {
  int joint = -1;
  bool on = true;
};

inline constexpr int max_hands = 8;

struct Live {
  double gravity_scale = 1;
  FixedVec<Hand, max_hands> hands;
  FixedVec<PathInput, 16> paths;
  FixedVec<WinchOrder, 8> winches;
  FixedVec<JointSwitch, 16> joints;
};

}  // namespace tendril
