// One rod in motion: its steps, their guard, and what goes into it and out of it.
#pragma once

#include "methods/galpha/problem.h"

namespace tendril::galpha {

struct MotionSettings {
  Triple triple;
  bool guard = true;
  bool seek_minimum = true;  // of equilibria
  NewtonSettings newton;
};

// Its own ways to fail, as the entry lists them.
inline constexpr Cause segment_turned = own_cause(0), energy_gained = own_cause(1);

struct StepResult {
  bool fine = true;
  Cause cause = Cause::none;
  int iterations = 0;
  double residual = 0;
};

class RodMotion {
 public:
  RodMotion(const Model& model, int rod, const MotionSettings& settings);
  RodMotion(const RodMotion&) = delete;

  void set_drive(const Drive& drive, const LoadsNow& loads, const LateClamps& late, std::span<const Motion> accelerations) {
    problem_.set_drive(drive, loads, late, accelerations);
    gravity_ = drive.gravity;
  }
  bool start();  // after set_drive of time 0: poses that keep lengths; false: there are none
  // After set_drive with what acts and holds from now on: velocities and accelerations that fit, and where works are counted from.
  void restart(double dt, bool clamps_jump);
  // After set_drive with what acts at the end of the step. When it fails the state is as before.
  // `guarded` false: whatever it gains.
  StepResult step(double dt, bool guarded);
  // The equilibrium with what set_drive gave.
  StepResult relax(Verdict& verdict);

  const RodConstants& rod() const { return rod_; }
  const RodState& state() const { return state_; }
  RodProblem& problem() { return problem_; }
  const RodProblem& problem() const { return problem_; }
  const EnergyFlow& flow() const { return books_.flow; }
  Energy energy() const;  // of the state, with the present gravity
  Vec3 reaction_force(int clamp) const;
  Vec3 reaction_moment(int clamp) const;
  int guarded() const { return guarded_; }  // steps that gained too much and were taken again
  void visit_state(StateArchive& archive);
  // After loading: what is computed from the state.
  void renew() { problem_.look_at(state_); }

 private:
  struct Books {  // what is counted, and what it was at the end of the last step
    EnergyFlow flow;
    Vec3 gravity = Vec3::Zero(), weighed = Vec3::Zero();  // weighed: mass times place
    std::vector<RodProblem::Node> loads, holds;           // by node
    double hands = 0, wind = 0, drag = 0, damping = 0;    // powers [W]
    double lowest = 0, largest = 0;                       // of energy less work; of kinetic and elastic energy
    bool has_lowest = false;
    void visit_state(StateArchive& archive);
  };
  StepResult attempt(double dt, const Triple& triple);
  StepResult solve_step(const Stage& stage);
  void set_rates(const Stage& stage);
  void note(bool count, double dt, const RodState& before);
  double energy_less_work(double& scale) const;   // and what its changes are measured by
  bool settle(StepResult& result, double least);  // by a gradient flow
  double still_residual();
  Verdict judge();      // and the softest direction
  void leave_saddle();  // along it

  const Model& model_;
  RodConstants rod_;
  MotionSettings settings_;
  RodProblem problem_;
  RodState state_, kept_;
  Books books_, kept_books_;
  Vec3 gravity_ = Vec3::Zero();  // of the drive
  int guarded_ = 0;
  std::vector<Vec3> soft_r_, soft_q_;  // softest direction of the last verdict; scratch of a first step
  double fall_ = 0;                    // how fast the gradient flow leaves along it [1/s^2]
};

}  // namespace tendril::galpha
