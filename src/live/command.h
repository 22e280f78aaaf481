// What a client of a Session may ask for: plain values, checked when they are carried out. docs/view.md, "Messages".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "tendril/types.h"

namespace tendril {

using ClientId = std::uint64_t;

struct OpenScene {
  std::string scene;
  std::string method;          // empty: the scene's
  std::optional<double> step;  // [s]; 0: "auto"; none: the scene's
};
struct Play {};
struct Pause {};
struct SingleStep {};
struct Restart {};
struct CloseScene {};
struct SetSpeed {
  double value = 1;  // simulated seconds per second
};
using Setting = std::variant<double, Vec3>;
struct SetInput {
  std::string name;
  Setting value = 0.0;
};
struct Grab {
  int hand = 0;  // the client's own number
  int rod = -1, body = -1;
  double material = 0;  // arc length in the rest rod [m]
  Vec3 position = Vec3::Zero();
};
struct MoveHand {
  int hand = 0;
  Vec3 position = Vec3::Zero();
};
struct ReleaseHand {
  int hand = 0;
};
struct Record {
  bool on = false;
};
using Order = std::variant<OpenScene, Play, Pause, SingleStep, Restart, CloseScene, SetSpeed, SetInput, Grab, MoveHand,
                           ReleaseHand, Record>;
struct Command {
  ClientId client = 0;
  Order order;
};

}  // namespace tendril
