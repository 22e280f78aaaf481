// Rigid segments with regularised constraints as a Method.  [Servin 2008]
#pragma once

#include <memory>

#include "methods/cable/contacts.h"
#include "methods/cable/entry.h"
#include "methods/cable/flow.h"
#include "methods/cable/system.h"
#include "model/loads.h"
#include "parallel/workers.h"

namespace tendril::cable {

struct Settings {
  bool averaged = false;      // time scheme of bend and twist
  double extra_damping = 0;   // of averaged rows, in steps
  bool geometric = true;      // implicit geometric stiffness
  double inertia_factor = 1;  // of segments' rotary inertia
  double relax_tolerance = 1e-10;
  int relax_iterations = 200;
  int threads = 1;
  static Settings from(const Options& options);
};

class Cable final : public Method {
 public:
  Cable(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;

  const Parts& parts() const { return parts_; }
  const State& state() const { return state_; }

 private:
  void drive_to(double time, double load_factor, const Live& live, bool still);
  void lead();  // poses of what is led, joints that stand
  void collect_loads();
  void add_node_loads();
  void respond(const StepSizes& step);
  void respond_segment(std::size_t i, const StepSizes& step);
  void respond_body(std::size_t i, const StepSizes& step);
  void add_grips(const StepSizes& step);
  void make_rows(const StepSizes& step);
  bool solve(const StepSizes& step);  // multipliers and new velocities, again where tensions have grown
  bool solve_once(const StepSizes& step);
  bool tensions_grew(const StepSizes& step);
  StepSizes sizes(double dt) const;
  void finish(const StepSizes& step);  // velocities are found: the motion, and its report
  Quat turned(std::size_t i, const Vec3& spin, double dt) const;
  // ---- steps in which things touch: divided_step.cpp
  enum class Try : std::uint8_t { good, divide, not_finite };
  void step_in_parts(double time, double dt, const Live& live);
  Try try_part(const StepSizes& step);
  bool settle_contacts(const StepSizes& step, Try& fate);
  void look_ahead(const StepSizes& step, bool solved);
  double gap_ahead() const;
  void take_multipliers();
  void tensions(std::vector<double>& out) const;
  void move(const StepSizes& step);
  void find_twists();
  double worst_gap() const;  // beyond the elastic one, over the length of the segment  [-]
  Vec3 spin_of(std::size_t i) const;
  Pose pose_at(int node) const;
  void find_reactions(std::span<Wrench> out) const;
  void find_led(std::vector<Wrench>& out) const;
  void count_flow(const StepSizes& step);
  double damping_loss(const StepSizes& step) const;
  double imbalance(double& astray);
  double way(const StepSizes& step) const;
  void come_to_rest();
  double slowest() const;
  std::size_t grip_element(const Grip& grip) const;
  Vec3 grip_arm(const Grip& grip) const;  // from the centre of its element
  double load_scale() const;
  bool is_diverged() const;
  JointRows present_rows(std::size_t joint) const;
  void write_rod(std::size_t rod, Frame& frame) const;
  void write_joints(Frame& frame) const;
  // At the level itself: over the half step that is left acceleration goes on as it changed, where it changes little.
  static Vec3 going_on(const Vec3& now, const Vec3& before) {
    const Vec3 change = now - before;
    return change.squaredNorm() < 0.04 * now.squaredNorm() ? Vec3(now + 0.75 * change) : now;
  }
  Vec3 level_velocity(std::size_t i) const {
    return state_.v[i] + (0.5 * before_) * going_on(state_.a[i], state_.a_before[i]);
  }
  Vec3 level_spin(std::size_t i) const {
    return spin_of(i) + (0.5 * before_) * going_on(state_.turn[i], state_.turn_before[i]);
  }

  std::shared_ptr<const Model> model_;
  Settings settings_;
  Parts parts_;
  State state_;
  Drive drive_;
  LateClamps late_;
  LoadsNow loads_;
  std::vector<int> loaded_nodes_;
  std::vector<Vec3> force_, moment_;              // on elements: all given loads
  std::vector<Vec3> given_force_, given_moment_;  // without weight, for the balance
  std::vector<Mat3> air_;                         // derivative of air's force by velocity
  std::vector<Response> response_;
  std::vector<JointRows> rows_;
  std::vector<std::unique_ptr<GroupSolver>> solvers_;
  std::vector<char> solved_;
  std::vector<double> new_tension_;
  std::vector<Wrench> reactions_, led_;
  std::vector<Vec3> pull_, turn_;  // what is not balanced
  State backup_;
  double reach_ = 1;  // [m] the longest rod
  FlowMeter flow_;
  std::unique_ptr<Contacts> contacts_;  // none: nothing can touch
  Ahead ahead_;
  Contacts::Verdict verdict_;  // of the last try of a part
  int level_ = 0;              // steps are taken in 2^level parts
  double before_ = 0;          // [s] the last step
  double hands_ = 0, wind_ = 0, drag_ = 0;
  StepReport report_;
  Workers workers_;
};

inline constexpr Cause joint_apart = own_cause(0);
Problems check(const Model& model, const Options& options);
StepAdvice advise(const Model& model, const Options& options);

}  // namespace tendril::cable
