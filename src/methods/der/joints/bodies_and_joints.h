// Bodies, junctions and joints of the rods: their state, their step, and the projection that keeps joints and lengths
// together.
#pragma once

#include <memory>

#include "bodies/model_world.h"
#include "linear/sparse_ldlt.h"
#include "methods/der/joints/join_checks.h"
#include "methods/der/lengths/projection.h"
#include "methods/der/lengths/span_paths.h"
#include "methods/method.h"

namespace tendril::der {

// The rows of all constraints, by what they move: blocks of three numbers (a node, a body's place, a carrier's turn).
// Row r pushes block b along g: dx_b = -W_b g lambda.  [Bergou 2008, sec. 8.1, generalized mass; ERRATA D16-D18]
struct JoinRows {
  struct Term {
    int row = 0, block = 0;
    V3<double> g{0, 0, 0};
  };
  std::vector<Term> terms;                    // by row
  std::vector<int> first_term;                // per row, and one more
  std::vector<int> first_of_block, of_block;  // terms of each block
  std::vector<int> pair_place;                // where the product of two terms of a block is added, in the order of assembly
  Array right, multiplier;                    // per row
};

class BodiesAndJoints {
 public:
  explicit BodiesAndJoints(const Model& model);
  bool any() const { return !plan_.empty(); }
  const JoinPlan& plan() const { return plan_; }

  std::span<const CarriedWall> walls();           // as they stand now
  void attach(const Chain& chain, double scale);  // a chain was built: rows and workspaces for it
  void set_walls(Chain& chain) const;
  bool turns_too_far(const Chain& chain, double dt) const;  // a wall by more than `max_swing` in this step
  // Bodies and junctions move on under gravity and the moments at their walls. False: the library could not move the bodies.
  [[nodiscard]] bool step(const Chain& chain, const Drive& drive, StepTimes step);
  // Lengths of edges and joints at once. Without `velocities` only places change. `again`: multipliers add up.
  ProjectionReport project(Chain& chain, StepTimes step, double tolerance, int max_iterations, Push push,
                           bool velocities = true, bool again = false);
  // An impulse times dt at a point of a body: moves it and changes its velocities. The projection takes over from there.
  void push_body(int body, const Vec3& impulse, const Vec3& local, double dt);
  // A hand at a body: its spring before the projection, its damper after it, each implicitly; they return the impulse.
  Vec3 pull(const Grip& grip, StepTimes step);
  Vec3 damp(const Grip& grip, double dt);
  V3<double> force_at(int node) const { return node_force_[z(node)]; }  // of the joints on a node, in the last step [N]

  // What straight rods that are pushed together need to know (bend_compressed).
  JoinedNodes joined_nodes() const;
  // f(node, where it is led to in this step), for every node that is joined to a driven body that moves in it.
  template <class F>
  void for_each_led_node(const Drive& drive, F&& f) const {
    for (const Tie& tie : plan_.ties) {
      if (tie.a.node < 0 || tie.b.body < 0 || model_.bodies[z(tie.b.body)].kind != BodyKind::driven) continue;
      const Pose &pose = drive.bodies[z(tie.b.body)].pose, &now = bodies_[z(tie.b.body)].pose;
      if (pose.position == now.position && pose.orientation.coeffs() == now.orientation.coeffs()) continue;
      f(tie.a.node, Vec3(pose.position + pose.orientation * tie.b.local));
    }
  }
  void swap_led_poses(std::span<BodyState> poses);  // of bodies that do not move freely, for those in `poses`

  // By the conserving push, and by the fast one where that finds no way.
  ProjectionReport project_or_fast(Chain& chain, StepTimes step, double tolerance, int max_iterations, bool again);

  std::span<const BodyState> bodies() const { return bodies_; }
  // For the energy balance: impulse and angular impulse of the contacts among bodies in the last step, and the work of driven bodies on
  // what is joined to them. `before`: the bodies at the start of the step.
  const Wrench& contact_impulse(std::size_t body) const { return contact_impulse_[body]; }
  const ModelWorld* world() const { return world_.get(); }  // nullptr: no bodies
  double work_of_driven(std::span<const BodyState> before, double dt) const;
  Vec3 spin(int carrier) const {  // angular velocity of a body or a junction
    return carrier < plan_.bodies ? bodies_[z(carrier)].motion.angular : junction_spin_[z(carrier - plan_.bodies)];
  }
  double junction_energy() const;
  Vec3 junction_momentum() const;  // angular
  bool finite() const;
  void visit_state(StateArchive& archive);

  friend struct JoinsInside;  // for tests

 private:
  Quat orientation(int carrier) const;
  WallPose pose_of(const WallPlan& wall) const;
  Vec3 point_of(const Chain& chain, const TieSide& side) const;
  int turn_block(int carrier) const { return nodes_ + plan_.bodies + carrier; }
  int place_block(int body) const { return nodes_ + body; }
  Mat3 mobility(int body, const Vec3& lever) const;
  bool is_tied(int body) const;
  void note_momentum(double sign, double dt);
  void remember_levers(const Chain& chain);
  void set_gradients(const Chain& chain, Push push);
  double set_values(const Chain& chain);
  void set_inverse_masses();
  void factor();
  void move_blocks(Chain& chain, double dt, bool velocities);
  void finish(Chain& chain, StepTimes step, bool velocities);
  void add_row(std::initializer_list<int> blocks);
  void lay_out_rows(const Chain& chain);
  void lay_out_matrix(int blocks);

  const Model& model_;
  JoinPlan plan_;
  std::unique_ptr<ModelWorld> world_;
  std::vector<BodyState> bodies_;
  std::vector<double> body_turn_;  // per body: of driven ones about their axes, any number of turns [rad]
  std::vector<Quat> junction_turn_;
  std::vector<Vec3> junction_spin_;
  std::int64_t steps_ = 0;

  std::vector<Wrench> wrenches_;         // per body
  std::vector<Wrench> contact_impulse_;  // per body
  double wall_work_ = 0;                 // of driven bodies on the walls they carry, in the last step [J]
  std::vector<Vec3> junction_moment_;
  std::vector<CarriedWall> walls_;
  int nodes_ = 0;
  double scale_ = 1;
  std::vector<int> plan_of_wall_;  // per wall of the chain: in the plan, -1: a clamp's
  std::vector<int> edge_slots_;    // constrained, one row each
  JoinRows rows_;
  std::vector<Mat3> inverse_;           // per body place and carrier turn, counted from the first body's place
  Array node_inverse_;                  // per node
  std::vector<Vec3> lever_;             // two per tie, before the step
  std::vector<Vec3> moment_impulse_;    // per carrier, of a projection
  std::vector<Vec3> angular_momentum_;  // per body, before a projection
  std::vector<V3<double>> node_force_;  // per node
  SparseLDLT matrix_;
  // As they were before a projection that may fail.
  Array3 free_x_, free_v_;
  std::vector<BodyState> free_bodies_;
  std::vector<Quat> free_turn_;
  std::vector<Vec3> free_spin_;
  Array free_multiplier_;
};

}  // namespace tendril::der
