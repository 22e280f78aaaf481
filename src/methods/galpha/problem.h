// The equations of one rod at the end of a step, or in equilibrium, as a problem of Newton's method: unknowns are the nodes' poses and
// the segments' forces. Rows:
//   mass (a + damping v) - f - n + n_before                                  = 0   balance of forces     [Sobottka 2008, eq. (5)]
//   R (I spin' + spin x I spin + damping I spin) - t - on_a - on_b_before    = 0   balance of moments    [Sobottka 2008, eq. (6)]
//   r_b - r_a - p                                                            = 0   segments keep their length, or give
// and what is held instead of its balance, whose residual is then the hold's reaction.
#pragma once

#include <span>

#include "linear/newton.h"
#include "linear/pose_chain.h"
#include "methods/galpha/rod.h"
#include "methods/galpha/scheme.h"
#include "model/drive.h"
#include "model/loads.h"

namespace tendril::galpha {

// All that clamps hold at one node now.
struct NodeHold {
  int node = 0;
  bool place = false, slides = false, direction = false, twist = false;
  int place_clamp = -1, turn_clamp = -1;  // which hold them
  Pose pose;
  Motion motion, acceleration;
  Vec3 slide = Vec3::UnitX();
  // Rows as the last evaluation left them, and what is missing: row times (held pose less pose).
  PoseChain::HeldRows rows;
  Vec3 missing_place = Vec3::Zero(), missing_turn = Vec3::Zero();
};

struct NewtonSettings {
  double tolerance = 1e-8;
  int iterations = 40;
  double relaxation = 1;    // largest fraction of a Newton step
  bool extrapolate = true;  // the first guess of a step; false: the last state
};

class RodProblem {
 public:
  RodProblem(const Model& model, const RodConstants& rod, const NewtonSettings& settings);

  // What acts and holds at the end of the step. `accelerations`: of the model's clamps.
  void set_drive(const Drive& drive, const LoadsNow& loads, const LateClamps& late, std::span<const Motion> accelerations);
  // Solves for the end of the step. The state stays as it is until `finish`.
  NewtonReport solve(const RodState& state, const Stage& stage);
  void finish(RodState& state);

  // An equilibrium by steps of a gradient flow: poses are drawn towards those of `state` with `pull` times their mass and
  // mass times length^2; 0: not at all.
  NewtonReport solve_still(const RodState& state, double pull, double tolerance);

  // Velocities that keep lengths and follow the clamps, nearest in kinetic energy; false: there are none.
  bool project_velocities(RodState& state, double dt);
  // Accelerations and forces that fit places, velocities and loads.  [ERRATA B12, B20]
  bool find_accelerations(RodState& state, double dt);
  // Poses that keep lengths, nearest by mass.
  bool project_poses(RodState& state);

  // Of the last evaluation.
  std::span<const NodeHold> holds() const { return holds_; }
  std::span<const SegmentNow> segments() const { return now_; }
  const SegmentTangent& tangent_of(int j);  // computed on demand
  Vec3 reaction_force(const NodeHold& hold) const;
  Vec3 reaction_moment(const NodeHold& hold) const;
  int worst_node() const { return worst_node_; }
  bool turned_too_far() const { return too_far_; }
  // Everything at `state` as it stands, with the present drive; look_still: as if nothing moved.
  void look_at(const RodState& state);
  void look_still(const RodState& state);
  double residual_at(const RodState& state, double tolerance);  // of an equilibrium
  struct Node {                                                 // what acts at a node
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  };
  Node given_loads(int node) const;  // weight and air apart
  LoadsNow::AirPower air_power(int node, int edge) const { return loads_->air_power(rod_.edge(edge), point(node)); }
  Node grip_loads(int node) const { return on_grips_[z(node)]; }

  // For Newton's method.
  NewtonPoint evaluate();
  bool direction();
  void move(double fraction);
  void accept();
  double first_fraction() const { return fraction_; }
  // For tests, and for whoever judges an equilibrium: the matrix of the present place.
  PoseChain& assemble();
  const PoseChain::Column& rows() const { return rows_; }
  void set_direction(const PoseChain::Column& direction);  // where `move` goes from here
  const std::vector<Vec3>& places() const { return r_; }
  const std::vector<Quat>& frames() const { return q_; }

 private:
  void begin(const RodState& state, const Stage& stage);
  void guess(const RodState& state, bool extrapolated);
  void find_motion();  // velocities and accelerations of the trial, by the scheme
  void add_nodes();
  void add_segments();
  void add_grips();
  void add_holds();
  void find_hold_rows(NodeHold& hold) const;
  double scaled_norm();
  LoadedPoint<double> point(int node) const;
  WrenchOf<double> load_on(int node, const LoadedPoint<double>& at) const;
  void assemble_node(int node);
  void assemble_grips();
  void take_holds_into(PoseChain& chain) const;
  void rows_to_column(PoseChain::Column& column, double sign) const;
  SegmentRate rate_of(int segment) const;
  void mass_matrix(double give_over);

  const Model& model_;
  const RodConstants& rod_;
  NewtonSettings settings_;
  const Drive* drive_ = nullptr;
  const LoadsNow* loads_ = nullptr;
  std::vector<NodeHold> holds_;
  std::vector<Node> plain_;  // loads that depend on nothing, weight included
  const RodState* from_ = nullptr;
  Stage stage_;
  bool moving_ = false;  // velocities count: of the scheme, or as they were given
  double pull_ = 0;
  double force_scale_ = 1, link_scale_ = 1, floor_ = 0, tolerance_ = 0, fraction_ = 1;
  // The trial, and the last accepted place.
  std::vector<Vec3> r_, n_, base_r_, base_n_;
  std::vector<Quat> q_, base_q_;
  std::vector<Vec3> v_, a_, psi_, spin_, spin_dot_;                    // of nodes; spins in their own axes
  std::vector<Vec3> known_v_, known_a_, known_spin_, known_spin_dot_;  // what the past gives them
  std::vector<Vec3> known_strain_;
  std::vector<SegmentNow> now_;
  SegmentTangent tangent_;
  std::vector<Node> on_grips_;
  PoseChain::Column rows_, step_;
  PoseChain chain_;
  int worst_node_ = -1;
  bool too_far_ = false;
};

}  // namespace tendril::galpha
