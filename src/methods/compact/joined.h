// Bodies, junctions and joints: what the rods of an island are joined to, inside the same Newton's method (coupled.h).
//
//   body      place x and turn q; its inertia sits on its place and on the tips of its three axes, with
//             J_1 = (I_2 + I_3 - I_1)/2, ..., predicted by the scheme as the points of rods are            [ERRATA Z22, Z23]
//   junction  a frame at which rods are joined to each other: a turn, without inertia
//   wall      the joint of half a segment between what carries the frame at a node and the links there (model/join_plan.h)
//   tie       p_a - p_b = 0,  p a node, x + R r of a body, or a point of the world                   multiplier: force
//   turn tie  u_i . v_i = 0,  u_i axes of a, v_i of b: two of a hinge, three where nothing turns      multiplier: moment
// A tie at the root of a rod, or to a body that no other tie has, is eliminated together with that place: a tree of rods and bodies
// costs no more than its rods. What closes loops is solved at the end.
#pragma once

#include <span>
#include <vector>

#include "linear/folded_ldlt.h"
#include "methods/compact/body_pushes.h"
#include "methods/compact/part.h"
#include "model/join_plan.h"

namespace tendril::compact {

class Coupled;

// Second derivative of f . a in a turn of a: (1/2)(a f^T + f a^T) - (a.f) 1.
Mat3 turned_twice(const Vec3& a, const Vec3& f);

class Joined {
 public:
  Joined(const Model& model, Parts& parts, const SolverSettings& settings);
  bool any() const { return !plan_.empty(); }
  std::span<const int> rods() const { return rods_; }  // that are joined to anything, rising
  bool is_joined(int rod) const { return is_joined_[z(rod)] != 0; }
  const std::vector<ClampNow>& frames() const { return frames_; }  // clamps, then walls that are carried: by Joint::clamp

  void drive(const Drive& drive);  // clamps and led bodies as they are now
  // A step or an equilibrium: predictors, and the first guess.
  void begin(const Drive& drive, const Stage& stage);
  void settle(std::span<const int> rods);  // after the rods that are solved along have begun: one scale for all residuals
  void start_at_rest();                    // from the last level instead of the guess
  void finish();                           // the present place becomes the state's new level
  void take_accelerations();               // at the present place, of a step that is not taken

  // ---- for Coupled ----
  int number(const Coupled& coupled, int first);  // blocks from `first` on; returns the next free one
  int rows() const { return static_cast<int>(ties_.size() + turns_.size()); }  // blocks of three
  double tolerance() const;
  bool is_still() const { return stage_.still(); }
  double tiny() const { return tiny_; }  // stiffness of equilibria against turns that nothing resists [N m]
  void place_frames();                   // of walls, from the carriers
  void clear_gradients();                // before others add to them
  NewtonPoint evaluate();                // after the rods' own: energy, residual squared; adds to the rods' gradients
  double violation() const { return violation_; }
  void assemble(const Coupled& coupled, FoldedLDLT& matrix, bool exact, double shift, double hold);
  void put(std::span<double> right) const;
  void get(std::span<const double> solution);
  double largest_turn() const;
  double largest_move() const;  // of bodies, over the length of rods
  void scale_direction(double factor);
  double slope() const;  // of the energy without its rows, along the direction
  double largest_multiplier() const;
  void move(double fraction);
  void accept();

  // ---- how an equilibrium changes with its model (nearby.cpp) ----
  struct Change {  // of places, turns and rows
    std::vector<Vec3> place, turn;
    std::vector<double> rows;
    void add(const Change& more);
  };
  Change residual() const { return {place_gradient_, turn_gradient_, violations_}; }
  void set_residual(const Change& r) { place_gradient_ = r.place, turn_gradient_ = r.turn, violations_ = r.rows; }
  void keep_what_rows_gave();  // of the direction just found, as the residual
  Change direction() const { return {place_direction_, turn_direction_, row_direction_}; }
  void set_direction(const Change& d) { place_direction_ = d.place, turn_direction_ = d.turn, row_direction_ = d.rows; }

  // ---- contact among bodies (body_pushes.h) ----
  void watch_bodies(const Drive& drive);  // some may meet others, or the ground
  bool bodies_overlap() { return pushes_ && !pushes_->push() && pushes_->overlap(*this, *drive_); }
  bool change_pushes() { return pushes_ && pushes_->change(*this, *drive_); }  // true: to be solved again
  bool pushes_fail() const { return pushes_ && pushes_->fails(); }
  bool pushes_now() const { return pushes_ && pushes_->push(); }
  bool pushed_before() const { return pushes_ && pushes_->pushed_before(); }
  BodyPushes::Work push_work() const { return pushes_ ? pushes_->work() : BodyPushes::Work{}; }
  double c_of(int body) const { return c_[z(body)]; }
  double stage_c() const { return stage_.c; }

  // ---- for contacts on bodies ----
  Pose pose(int body) const { return {place_[z(body)], turn_[z(body)]}; }  // at the present place
  void add_gradient(int body, const Vec3& place, const Vec3& turn) {
    place_gradient_[z(body)] += place, turn_gradient_[z(body)] += turn;
  }
  int place_block(int body) const { return place_block_[z(body)]; }
  int turn_block(int body) const { return turn_block_[z(body)]; }
  Mat3 freedom(int body) const { return mask(body); }
  double lost_by_euler() const;  // 1/2 m |dv|^2 of free bodies [J]

  // ---- what can be read off ----
  BodyState state_of(int body) const;
  double mass_damping(int body) const { return model_.bodies[z(body)].damping; }
  const Levels& levels() const { return state_.levels; }
  double inertia(int body, int axis) const { return inertia_[z(3 * body + axis)]; }
  Wrench on_led(int body) const { return {place_gradient_[z(body)], turn_gradient_[z(body)]}; }  // that its drive gives
  double grip_power() const { return grip_power_; }
  const JoinPlan& plan() const { return plan_; }
  int rod_out_of_reach() const;  // of what holds it, through joints, at the present drive; -1: none
  double weight() const;         // of free bodies [N]
  // For tests: gradients in turns from where the base is, then violations; velocities and multipliers at random.
  void read_residual(double fraction, std::vector<double>& out) const;
  template <class F>
  void disturb(const F& random) {
    for (auto* list : {&state_.levels.v, &state_.levels.v_before})
      for (Vec3& v : *list) v = random(1.0);
    for (std::size_t k = 0; k < state_.multiplier.size(); ++k) state_.multiplier[k] = random(1.0).x();
    for (std::size_t t = 0; t < turns_.size(); ++t)
      if (turns_[t].count < 3) state_.multiplier[3 * (ties_.size() + t) + 2] = 0;
  }
  void visit_state(StateArchive& archive);

 private:
  struct Side {
    int rod = -1, node = 0;  // of the chain
    int body = -1;
    Vec3 local = Vec3::Zero();
  };
  struct TieRow {
    Side side[2];
    int block = -1, pair = -1;
  };
  struct TurnRow {
    int carrier[2] = {-1, -1};  // -1: the world
    Vec3 axis[2][3];            // u_i, v_i
    int count = 3, block = -1;
  };
  struct State {
    std::vector<Vec3> place;  // of bodies
    std::vector<Quat> turn;   // of carriers
    Levels levels;            // of bodies: place, tips of the axes
    std::vector<double> multiplier;
    void visit_state(StateArchive& archive);
  };
  Side side_of(const TieSide& side) const;
  void make_rows();
  bool is_led(int carrier) const;
  bool is_body(int carrier) const { return carrier < plan_.bodies; }
  Mat3 mask(int carrier) const;  // of a guided body: what is left of moves and turns
  Vec3 point(const Side& side) const;
  Vec3 arm(const Side& side) const { return turn_[z(side.body)] * side.local; }
  void guess();
  void add_bodies();
  void add_push(int body);
  void add_ties();
  void add_turns();
  void add_walls();
  void add_grips();
  void assemble_bodies(FoldedLDLT& matrix, bool exact, double shift, double hold) const;
  void assemble_ties(const Coupled& coupled, FoldedLDLT& matrix, bool exact) const;
  void assemble_turns(FoldedLDLT& matrix, bool exact) const;
  void assemble_walls(const Coupled& coupled, FoldedLDLT& matrix, bool exact) const;
  void assemble_grips(FoldedLDLT& matrix) const;
  Vec3 velocity_of(int body, const Vec3& local) const;  // of a point, at the present place

  const Model& model_;
  Parts& parts_;
  JoinPlan plan_;
  State state_;
  std::vector<int> rods_;
  std::vector<char> is_joined_;
  std::vector<ClampNow> frames_;
  std::vector<double> inertia_;  // of bodies: J_1, J_2, J_3
  std::vector<TieRow> ties_;
  std::vector<TurnRow> turns_;
  const Drive* drive_ = nullptr;
  Stage stage_;

  // At the present place.
  std::vector<Vec3> place_, base_place_, hat_, bar_;
  std::vector<Quat> turn_, base_turn_;
  std::vector<double> lambda_, base_lambda_, violations_, row_direction_;
  std::vector<Vec3> place_gradient_, turn_gradient_, place_direction_, turn_direction_;
  std::vector<int> place_block_, turn_block_;
  std::vector<double> c_;  // of bodies, damping included
  double energy_ = 0, energy_scale_ = 0, violation_ = 0, scale_ = 1, length_ = 1, stiffest_ = 0, tiny_ = 0, give_ = 0;
  double place_weight_ = 0, grip_power_ = 0;
  SolverSettings settings_;
  std::vector<char> taken_;  // blocks that a tie is paired with
  std::unique_ptr<BodyPushes> pushes_;
};

}  // namespace tendril::compact
