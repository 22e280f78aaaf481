// What goes into the rods and bodies and out of them, step by step, by the trapezoid rule.
#pragma once

#include "methods/cable/system.h"
#include "model/loads.h"

namespace tendril::cable {

// Forces that do work and are no potential: of one level.
struct LoadWork {
  std::vector<Vec3> force, moment;  // on elements, without weight
};

class FlowMeter {
 public:
  FlowMeter(const Model& model, const Parts& parts);
  void start(const Drive& drive, const State& state);
  // Before the step: where everything is.
  void begin(const State& state);
  // Within a step: a segment that is another one now, and work that is counted elsewhere.
  void renew(std::size_t i, const Vec3& x, const Vec3& force, const Vec3& moment) {
    x_[i] = x, force_[i] = force, moment_[i] = moment;
  }
  void add(double clamps, double bodies) { flow_.clamps += clamps, flow_.bodies += bodies; }
  const Vec3& gravity() const { return gravity_; }  // at the level before
  // After it. `given`: loads of this level; `reactions`: of clamps; `led`: what led bodies feel.
  struct Level {
    const std::vector<Vec3>*force, *moment;  // given loads on elements
    const std::vector<Wrench>* reactions;    // by clamp
    const std::vector<Wrench>* led;          // by element: what the joints do to led bodies
    double hands = 0, wind = 0, drag = 0;    // powers [W]
    double damping = 0;                      // taken in the step [J]
    double winches = 0, hooks = 0;           // done in the step [J]
    double friction = 0, impacts = 0;        // lost in the step [J]
  };
  void count(const Drive& drive, const State& state, const Level& level, double dt);
  const EnergyFlow& flow() const { return flow_; }
  EnergyFlow& of_contacts() { return flow_; }  // what they did is added by them
  void visit_state(StateArchive& archive);

 private:
  void count_gravity(const Drive& drive, const State& state);
  void count_clamps(const Drive& drive, const std::vector<Wrench>& reactions);
  void count_led(const State& state, const std::vector<Wrench>& led);
  const Model& model_;
  const Parts& parts_;
  EnergyFlow flow_;
  Vec3 gravity_ = Vec3::Zero();
  std::vector<Vec3> x_;  // at the level before
  std::vector<Quat> q_;
  std::vector<Vec3> force_, moment_;  // given, at the level before
  std::vector<Wrench> reactions_, led_;
  std::vector<Vec3> place_;   // of clamps
  std::vector<double> turn_;  // of clamps [rad]
  std::vector<char> active_;
  double hands_ = 0, wind_ = 0, drag_ = 0;
};

}  // namespace tendril::cable
