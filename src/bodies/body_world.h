// Motion of rigid bodies behind an interface that any rigid-body library could implement: states go in, wrenches act, a step
// is taken, states come out. The caller's states are the truth; a world keeps nothing between steps. No rods here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bodies/body_collisions.h"

namespace tendril {

class BodyWorld {
 public:
  virtual ~BodyWorld() = default;
  // Moves all states by dt under `wrenches` (force at the centre of mass and moment, world axes) and under contact among the
  // bodies and with the ground. Driven bodies keep the motion they have. The result depends on the arguments alone,
  // bit for bit; `number` is that of the step.
  virtual void step(double dt, std::int64_t number, std::span<const Wrench> wrenches, std::span<BodyState> states) = 0;
  // Pairs that do not collide, because they are joined.
  virtual void ignore_pair(int a, int b) = 0;
  virtual std::span<const BodyContact> contacts() const = 0;  // of the last step
};

std::unique_ptr<BodyWorld> make_ode_world(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds);

}  // namespace tendril
