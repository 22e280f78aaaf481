// One rod's equilibrium as a problem for the damped Newton of src/linear: unknowns, energy, gradient, Hessian, moves.
#pragma once

#include <array>
#include <vector>

#include "linear/null_space.h"
#include "methods/der/equilibrium/relax.h"

namespace tendril::der {

// The augmented Lagrangian of one rod as newton_minimise wants it. Loads that follow the rod are frozen at the base of a
// Newton step; the work they do adds up from step to step, so that the energy stays continuous.
class RodProblem {
 public:
  RodProblem(Relaxer& r, Chain& c, int rod, const Drive& drive, Loads& loads);

  NewtonPoint evaluate();

  // Towards lower energy: the matrix is shifted until it is positive definite.
  double direction();

  // Towards a smaller residual, with the whole tangent: what loads that follow the rod add to the symmetric matrix is of low
  // rank.
  //   (S + R Q^T)^-1 r = y - S^-1 R (1 + Q^T S^-1 R)^-1 Q^T y,   y = S^-1 r
  bool full_direction();
  // A moment on a wall turns about a fixed direction, and a force on what is held does no work: both do no harm.
  bool conservative() const;

  // Edges turn about their base direction rather than move along a straight line, so that lengths change only as the step
  // says; otherwise an inextensible rod could turn by little more than a degree at a time. Vertices follow from the edges,
  // and what does not meet at a held vertex (a second-order amount) is spread evenly over the edges before it.
  void move(double fraction);
  static V3<double> turned_edge(const V3<double>& t, double length, const V3<double>& change);
  void spread(int from, int to, int count, const V3<double>& gap);

  void accept();

  // A straight rod that does not stretch cannot be shortened to first order: where its ends have come together it is bent a
  // little before the first Newton step.
  void bend_straight_spans();
  bool pushed_while_taut();  // held exactly straight, with a load across: no finite tension carries it

  double worst_length() const;
  void update_multipliers();
  void follow_multipliers(double fraction);  // by what the Newton step says of them
  bool inextensible() const;
  // For full_direction: from here on multipliers move with the unknowns, and what lengths miss is part of the residual.
  void move_multipliers();
  int negative_pivots(double below = 0);
  Verdict judge();  // of the present state as an equilibrium, with the softest mode
  // Along the mode in which the energy falls most, by 0.3 rad where it turns an edge most.
  void leave_saddle();

  // Writes frames and tension back: theta from the twists, the Bishop frame of the first slot from its material frame.
  void finish();

 private:
  void set_base_from_chain();

  // Tangents, material frames carried from the base, unwrapped twists.
  void update_frames();
  void refresh_loads();
  double load_work() const;
  JointStiffness stiffness_at(int s) const;
  void assemble(bool hessian);
  void add_entry(int i, int j, double value);
  void add_joint(int s, bool hessian);
  void pass_on(int wall, bool hessian);
  JointShape shape_between(int a, int b) const;  // slots
  const Wall& wall_at(int slot) const;
  struct Part {  // of a joint's variables: `count` of them from `row` on, at the unknown `place`
    int place, row, count;
    double sign;
  };
  std::array<Part, 6> parts_of(int a, int b) const;
  void scatter_gradient(int a, int b, const JointEnergy& joint);
  void scatter_hessian(int a, int b, const JointEnergy& joint);

  // Energy of an edge that depends on its vector alone, with gradient g and Hessian H.
  void add_edge(int s, const Vec3& g, const Mat3& H, bool hessian);
  void add_stretch(int s, bool hessian);
  void add_grip(const Grip& grip, bool hessian);
  bool holds_here(const Grip& grip) const { return grip.rod == rod_.model_rod; }
  Vec3 point_of(const Grip& grip) const;
  void add_couple(const Loads::Couple& couple, bool hessian);
  PivotReport factor(double shift);
  void multiply(std::span<const double> x, std::span<double> y) const;  // by the assembled matrix
  // Motions of the whole rod that its clamps allow; 1: turning about itself is one of them.
  Eigen::MatrixXd rigid_motions(int& turns_about_itself) const;
  NullSpace neutral_among(const Eigen::MatrixXd& candidates) const;  // what of them meets no stiffness
  double rounding() const;                                           // of an eigenvalue, over that of one segment
  void solve(std::span<double> x, int columns = 1) const;

  // What follows the rod: moments M on slots and forces F on vertices. The rows are the gradient entries they act on, the
  // columns what they depend on (edge and angle of the slot they turn with), such that the tangent's missing part is rows *
  // columns^T.
  Eigen::MatrixXd follower_rows() const;
  Eigen::MatrixXd follower_columns() const;
  // Column at + k gets row k of `by_edge`, which belongs to the edge vector of slot s.
  void add_edge_entries(Eigen::MatrixXd& matrix, int s, Eigen::Index at, const Mat3& by_edge, int rows = 3) const;

  void keep_linear_forces();
  // Edges turn by at most half a radian in a step. Returns what is left of the direction.
  double limit_direction();

  // What one unknown's stiffness and force are of the order of, and the stiffness of the length multipliers.
  void set_scales();

  Relaxer& r_;
  Chain& c_;
  const ChainRod& rod_;
  const int index_;
  Relaxer::RodNumbers& n_;
  const Drive& drive_;
  Loads& loads_;
  std::vector<Loads::Couple> couples_;
  std::vector<Loads::Follower> follower_forces_;
  Array linear_;              // change of the multipliers that goes with the whole direction
  Array base_multiplier_;     // before the present step, where multipliers move with the unknowns
  bool saddle_ = false;       // they do
  bool counting_ = false;     // pivots of the rod that keeps its lengths
  bool with_penalty_ = true;  // forces of the augmented Lagrangian; false: of the multipliers alone
  int last_ = 0;
  double energy_ = 0, energy_scale_ = 0, work_ = 0, shift_ = 0, used_shift_ = 0, fraction_ = 1;
  std::vector<char> follower_;  // per slot: a wall that follows its neighbours
  Vec3 felt_ = Vec3::Zero();    // dE when that wall's frame turns, summed over its two joints
};

}  // namespace tendril::der
