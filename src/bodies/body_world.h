// Motion of rigid bodies behind an interface that any rigid-body library could implement: states go in, wrenches act, a step
// is taken, states come out. The caller's states are the truth; a world keeps nothing between steps. No rods here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tendril/frame.h"
#include "tendril/scene.h"

namespace tendril {

struct BodyProperties {
  BodyKind kind = BodyKind::dynamic;
  double mass = 0;                 // [kg]; not for driven and fixed ones
  Vec3 inertia = Vec3::Zero();     // [kg m^2] about its own axes
  std::optional<BodyShape> shape;  // for collisions; none: touches nothing
  Vec3 axis = Vec3::UnitZ();       // of a guided one
  double friction = 0, restitution = 0;
};
struct BodyGround {  // bodies stay on the side the normal points to
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();
  double friction = 0, restitution = 0;
};

class BodyWorld {
 public:
  virtual ~BodyWorld() = default;
  // Moves all states by dt under `wrenches` (force at the centre of mass and moment, world axes) and under contact among the
  // bodies and with the ground. Driven bodies keep the motion they have. The result depends on the arguments alone,
  // bit for bit; `number` is that of the step.
  virtual void step(double dt, std::int64_t number, std::span<const Wrench> wrenches, std::span<BodyState> states) = 0;
  // Pairs that do not collide, because they are joined.
  virtual void ignore_pair(int a, int b) = 0;
  virtual std::span<const ContactPoint> contacts() const = 0;  // of the last step
};

std::unique_ptr<BodyWorld> make_ode_world(std::span<const BodyProperties> bodies, std::span<const BodyGround> grounds);

}  // namespace tendril
