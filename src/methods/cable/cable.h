// Rigid segments with regularised constraints as a Method.  [Servin 2008]
#pragma once

#include <array>
#include <memory>

#include "methods/cable/adapt.h"
#include "methods/cable/contacts.h"
#include "methods/cable/entry.h"
#include "methods/cable/feed.h"
#include "methods/cable/flow.h"
#include "methods/cable/reeving.h"
#include "methods/cable/switches.h"
#include "methods/cable/system.h"
#include "methods/cable/tangent.h"
#include "methods/explain.h"
#include "model/loads.h"
#include "parallel/workers.h"

namespace tendril::cable {

struct Settings {
  bool averaged = false;      // time scheme of bend and twist
  double extra_damping = 0;   // of averaged rows, in steps
  bool pitched = false;       // averaged: the pitch of waves to fourth order
  bool geometric = true;      // implicit geometric stiffness
  double inertia_factor = 1;  // of segments' rotary inertia
  JointForm joint = JointForm::smooth;
  SolverChoice solver;
  int substeps = 1;
  double bend_by_tension = 0;  // of the bending stiffness that the tension needs; 0: off
  bool adaptive = false;       // segments are merged where the rod is straight and quiet, and cut where it is not
  double relax_tolerance = 1e-10;
  int relax_iterations = 200;
  bool seek_minimum = true;  // an equilibrium that is not a minimum of the energy is left for one that is
  int threads = 1;
  static Settings from(const Options& options);
};

class Cable final : public Method, public Explains {
 public:
  Cable(std::shared_ptr<const Model> model, const Settings& settings);
  StepReport step(double time, double dt, const Live& live) override;
  StepReport relax(double time, double load_factor, const Live& live) override;
  void write(Frame& frame) const override;
  void visit_state(StateArchive& archive) override;
  Explanation explain(Cause cause) const override;

  const Parts& parts() const { return parts_; }
  const State& state() const { return state_; }
  double solver_residual() const { return solver_residual_; }  // of the last step, over the right side
  const Feed& feed() const { return feed_; }
  // Cuts and merges so far, and the largest change of momentum and angular momentum by those of one step, over their sizes.
  struct MeshEvents {
    long count = 0;
    double momentum = 0, angular = 0;
  };
  const MeshEvents& mesh_events() const { return mesh_events_; }

 private:
  StepReport step_once(double time, double dt, const Live& live);
  void note_failure(double dt);
  void drive_to(double time, double load_factor, const Live& live, bool still);
  void lead(double dt);  // poses of what is led, joints that stand
  void change_mesh(double dt);
  bool solve_with_winches(const StepSizes& step);
  void renew_loads(int element);  // of a segment that is another one now
  void count_winches(double dt);
  double energy_of(int element) const;  // of motion and height
  void collect_loads();
  void collect_load(std::size_t i, const Vec3& gravity);
  void add_node_loads(int only = -1);  // on one element
  void add_varying_node_load(int node, int only);
  std::array<int, 2> edges_at(int node) const;  // before and after it; -1: none
  void respond(const StepSizes& step);
  void respond_segment(std::size_t i, const StepSizes& step);
  void respond_body(std::size_t i, const StepSizes& step);
  void add_grips(const StepSizes& step);
  void calm_ropes();
  void stiffen_bodies(const StepSizes& step);
  void load_response(std::size_t element, const Eigen::Matrix<double, 6, 6>& added, const Eigen::Matrix<double, 6, 1>& push);
  void make_rows(const StepSizes& step);
  bool solve(const StepSizes& step);  // multipliers and new velocities, again where tensions have grown
  void begin_with_last();
  void follow_tension(const StepSizes& step, std::size_t joint);
  void hold_back(std::size_t joint);
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
  double worst_gap(std::size_t* where = nullptr) const;  // beyond the elastic one, over the length of the segment  [-]
  Vec3 spin_of(std::size_t i) const;
  Pose pose_at(int node) const;
  Pose pose_of(const ClampModel& clamp) const;
  Pose end_pose(int element, int side) const;
  void find_reactions(std::span<Wrench> out) const;
  void find_led(std::vector<Wrench>& out) const;
  void count_flow(const StepSizes& step);
  double damping_loss(const StepSizes& step) const;
  double impact_loss(const StepSizes& step) const;  // of joints that take hold in this step
  double imbalance(double& astray);
  double way(const StepSizes& step) const;
  double stride();
  void come_to_rest();
  bool find_rest();  // iterations towards the equilibrium of the drive; the report says what became of it
  // ---- second derivatives of the energy: stability.cpp
  bool loads_have_energy() const;
  bool prepare_tangent();
  bool newton(double& shift);
  Verdict judge();
  bool leave();
  bool is_taut(int rod, bool at_start) const;  // between clamps
  bool carries_across() const;
  double slowest() const;
  std::size_t grip_element(const Grip& grip) const;
  Vec3 grip_arm(const Grip& grip) const;  // from the centre of its element
  double load_scale() const;
  bool is_diverged() const;
  JointRows present_rows(std::size_t joint) const;
  void shape_frame(Frame& frame) const;
  void write_rod(std::size_t rod, Frame& frame) const;
  void write_node_loads(std::size_t rod, Frame& frame) const;
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
  Mesh mesh_;
  Feed feed_;
  Adapt adapt_;
  JointSwitches switches_;
  Reevings reevings_;
  Drive drive_;
  LateClamps late_;
  LoadsNow loads_;
  std::vector<int> loaded_nodes_;
  std::vector<Vec3> force_, moment_;              // on elements: all given loads
  std::vector<Vec3> given_force_, given_moment_;  // without weight, for the balance
  std::vector<Mat3> air_;                         // derivative of air's force by velocity
  std::vector<Response> response_;
  std::vector<double> calm_;                            // [kg m^2] of segments: what their spins lose of
  std::vector<Eigen::Matrix<double, 6, 6>> stiffness_;  // of bodies: geometric, times dt h
  std::vector<JointRows> rows_;
  std::vector<std::unique_ptr<GroupSolver>> solvers_;
  std::vector<char> solved_;
  std::vector<double> new_tension_;
  std::vector<Wrench> reactions_, led_;
  std::vector<Vec3> pull_, turn_;         // what is not balanced
  std::vector<Vec3> last_v_, last_turn_;  // of the iteration before
  State backup_;
  std::unique_ptr<Tangent> tangent_;  // of equilibria
  std::vector<Mat3> load_turn_;
  std::vector<Vec3> gaps_, mode_v_, mode_turn_;
  double reach_ = 1;  // [m] the longest rod
  FlowMeter flow_;
  std::unique_ptr<Contacts> contacts_;  // none: nothing can touch
  Ahead ahead_;
  Contacts::Verdict verdict_;  // of the last try of a part
  int level_ = 0;              // steps are taken in 2^level parts
  double before_ = 0;          // [s] the last step
  double impact_ = 0;          // [J] in this step
  double hands_ = 0, wind_ = 0, drag_ = 0;
  double brought_clamps_ = 0, brought_bodies_ = 0, paid_back_ = 0;  // [J] in the step: by rope from drums, by what was owed
  MeshEvents mesh_events_;
  StepReport report_;
  double solver_residual_ = 0;
  struct Failure {  // of the last step that failed: no part of the state
    int joint = -1;
    double gap = 0, tension = 0, held = 0;  // [segments], [N]; the largest that explicit geometric stiffness holds
    double dt = 0;
  } failure_;
  Workers workers_;
};

std::string three_digits(double value);
void check_points_held_once(const Model& model, Problems& problems);
inline constexpr Cause joint_apart = own_cause(0), particles_only_move = own_cause(1), blocks_met = own_cause(2);
Problems check(const Model& model, const Options& options);
StepAdvice advise(const Model& model, const Options& options);

}  // namespace tendril::cable
