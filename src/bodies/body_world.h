// Motion of rigid bodies behind an interface that any rigid-body library could implement: states go in, wrenches act, a step
// is taken, states come out. The caller's states are the truth; a world keeps nothing between steps. No rods here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bodies/body_collisions.h"

namespace tendril {

// What contacts did in a step [J].
struct ContactWork {
  std::vector<double> of_driven;  // per body: what those that are not free gave to others
  double friction = 0;            // what sliding took
};

class BodyWorld {
 public:
  virtual ~BodyWorld() = default;
  // Moves all states by dt under `wrenches` (force at the centre of mass and moment, world axes) and under contact among the
  // bodies and with the ground. Driven bodies keep the motion they have. The result depends on the arguments alone,
  // bit for bit; `number` is that of the step. False: it has no solution, or bodies are too fast for any division of the step
  // (StepParts); the states are then worth nothing, and the world is ready for others.
  [[nodiscard]] virtual bool step(double dt, std::int64_t number, std::span<const Wrench> wrenches,
                                  std::span<BodyState> states) = 0;
  // Pairs that do not collide, because they are joined.
  virtual void ignore_pair(int a, int b) = 0;
  virtual std::span<const BodyContact> contacts() const = 0;  // of the last step, in its last part
  virtual const ContactWork& work() const = 0;                // of the last step, all parts
};

// `acceleration`: of gravity [m/s^2]. With the size of the bodies it says which speeds are slow, too slow to bounce or to be
// undone at once; 0: how fast they start says it.
std::unique_ptr<BodyWorld> make_ode_world(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds,
                                          double acceleration = 0);

}  // namespace tendril
