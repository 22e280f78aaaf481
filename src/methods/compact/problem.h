// One implicit step, or one equilibrium, of one rod as a problem for Newton's method (linear/newton.h).
//
//   minimise  c/2 |y - y^|^2_M + V(root, rotations)      V: joints, walls, weight, given forces, springs
//   subject to the rows of held points and of a ring's closure
// Loads without a potential (moments, loads that turn with the rod, air, dampers that turn) enter the gradient and the
// matrix; then the residual is brought to zero, with the whole tangent, instead of an energy to its minimum.
//
// Unknowns: a move of the root and a turn of each link, from the left, in world axes. With the gradient G_k on node k and
// Q_i = sum of G_k over the nodes beyond link i, the gradient in the turn of link i is a_i x Q_i, and its own second derivative
//   1/2 (a Q^T + Q a^T) - (a.Q) 1           exact;     l max(T, 0) (1 - d3 d3^T), T the tension: always positive [ERRATA Z13, Z21]
#pragma once

#include <span>
#include <vector>

#include "linear/bordered.h"
#include "linear/chain_ldlt.h"
#include "linear/newton.h"
#include "math/sine_bend.h"
#include "methods/compact/chain.h"
#include "methods/compact/iterative.h"
#include "model/loads.h"

namespace tendril::compact {

// The method's own causes of failure, as in MethodInfo::failures (entry.cpp).
inline constexpr Cause joint_folded = own_cause(0), bodies_collide = own_cause(1), no_active_set_at_rest = own_cause(2),
                       joints_out_of_reach = own_cause(3), iterations_used_up = own_cause(4), nothing_lower = own_cause(5),
                       not_apart_at_rest = own_cause(6), bodies_press = own_cause(7), nothing_holds = own_cause(8);
Cause cause_of(NewtonEnd end, bool still);  // of a search that found nothing

enum class NewtonMatrix : std::uint8_t { exact, positive, paper };  // exact: else positive, where it is not
struct SolverSettings {
  double tolerance = 1e-6;         // of a step: residual over weight plus largest load
  double relax_tolerance = 1e-11;  // of an equilibrium
  int iterations = 500;
  bool accept_unfinished = false;  // a step that has used up its iterations counts as it is: the paper's
  NewtonMatrix matrix = NewtonMatrix::exact;
  LinearSettings linear;
};
struct Solved {
  bool fine = false;
  Cause cause = Cause::none;
  int iterations = 0, fallbacks = 0;  // directions; of them by the positive matrix
  double residual = 0;
  bool folded = false;  // two neighbouring segments onto each other
  int solves = 0,
      inner_iterations = 0;  // linear systems, and conjugate gradients' iterations for them; of the exact solver 0
};

// Whether all loads on a rod are those of an energy: no moments, none in material axes, no air.
bool all_have_potentials(const Model& model, int rod);

class Problem {
 public:
  Problem(const Model& model, const Chain& chain, const SolverSettings& settings);

  // Solves for the next level and puts it into the state, or leaves the state alone.
  Solved solve(ChainState& state, const Drive& drive, const LoadsNow& loads, const Stage& stage);
  // Accelerations at the start, from a backward Euler step of length h that is not taken.
  bool find_accelerations(ChainState& state, const Drive& drive, const LoadsNow& loads, double h);
  bool has_potential() const { return potential_; }
  Verdict judge();                        // of the equilibrium just found
  void restore(const ChainState& state);  // after loading: which joints walls have replaced

  // ---- for Newton's method and for tests ----
  Solved iterate();  // Newton's method from where `begin` stands
  void begin(ChainState& state, const Drive& drive, const LoadsNow& loads, const Stage& stage);
  NewtonPoint evaluate();
  double descend();       // direction; slope of the energy along it
  bool find_direction();  // direction towards a root of the residual
  void move(double fraction);
  void accept();
  void finish();  // the present place becomes the state's new level
  bool respond(std::span<const double> gradient, std::span<const double> violation);  // nearby.cpp; into direction()
  std::span<const double> gradient() const { return gradient_; }
  std::span<const double> violations() const { return violation_; }  // of rows [m]
  std::span<const double> direction() const { return direction_; }   // turns and places, then multipliers
  int size() const { return 3 + 3 * chain_.all(); }
  void set_direction(std::span<const double> d) { std::copy(d.begin(), d.end(), direction_.begin()); }
  void set_residual(std::span<const double> gradient, std::span<const double> violation) {
    std::copy(gradient.begin(), gradient.end(), gradient_.begin());
    std::copy(violation.begin(), violation.end(), violation_.begin());
  }
  void keep_what_rows_gave();                                     // of the direction just found, as the residual
  void multiply(std::span<const double> x, std::span<double> y);  // by the exact matrix, whatever the loads
  PivotReport factor_exact(double shift);                         // symmetric matrix at the present place
  const ChainLDLT& factored() const { return ldlt_; }
  BorderedLDLT& border() { return border_; }
  int active_rows() const { return active_rows_; }
  bool is_off(int joint) const { return off_[z(joint)] != 0; }      // replaced by a wall
  bool is_borne(int point) const { return borne_[z(point)] != 0; }  // moments at this node are the wall's
  double blow() const { return blow_; }                             // kinetic energy that clamps gave at once to bend it [J]
  double grip_power() const { return grip_power_; }                 // of hands and couplings, at the last level [W]
  std::span<const Mat3> link_frames() const { return frame_; }
  std::span<const Vec3> places() const { return x_; }

  // ---- for rods that are solved together (coupled.h) ----
  void find_places() { place(); }  // of nodes and frames only
  void take_place();               // energy and gradient at the present place, of the rod itself ...
  NewtonPoint sum_up();            // ... with what others have added to both
  void add_energy(double energy, double scale) { energy_ += energy, energy_scale_ += scale; }
  Vec3& node_gradient(int k) { return node_gradient_[z(k)]; }
  Vec3& link_gradient(int i) { return link_gradient_[z(i)]; }
  const ChainLDLT& assembled(bool exact);                      // blocks of its matrix at the present place
  std::span<double> direction() { return direction_; }         // root, turns, rows
  bool find_factored_direction() { return find_symmetric(); }  // and what it was solved with is at hand: unknowns, then rows
  void solve_factored(std::span<double> x, int columns) const;
  std::span<const double> multipliers() const { return lambda_; }
  bool row_holds(int row) const { return row_on_[z(row)] != 0; }
  bool root_is_held() const { return state_->root_held; }
  struct RowConstants {
    double give = 0, stiffness = 0, tiny = 0;
  };
  RowConstants row_constants() const { return {row_give_, row_stiffness_, tiny_}; }
  struct Accuracy {
    double tolerance = 0, acceptable = 0;
  };
  Accuracy accuracy() const;
  double scale() const { return scale_; }
  void raise_scale(double scale) { scale_ = std::max(scale_, scale); }
  // Walls that bodies and junctions carry stand in `frames` behind the clamps; its life is longer than the problem's.
  void set_frames(const std::vector<ClampNow>* frames) { frames_ = frames; }
  const Vec3& wall_moment(int w) const { return wall_[z(w)].moment; }    // gradient on b, minus it on a
  const Mat3& wall_hessian(int w) const { return wall_hessian_[z(w)]; }  // of the matrix assembled last
  void take_accelerations(ChainState& state);                            // at the present place, of a step that is not taken
  double stretch() const { return active_rows_ > 0 ? stretched() : 0; }
  const Quat& turn_of(int link) const { return q_[z(link)]; }
  const Quat& turn_before(int link) const { return state_->q[z(link)]; }
  const Stage& stage() const { return stage_; }
  // The first guess or where the rod is: what it starts from.
  void start_at_rest();             // the state's place, the root where it was
  void start_moving() { guess(); }  // as it would go on
  void start_as_whole();            // the same without a change of its shape: of a rod that nothing holds
  void start_bent();                // where it is, bent as `ask_to_bend` says
  // From the next `begin` on: its ends are pushed together by this [m], by what it touches; 0: they are not.
  void ask_to_bend(double shortening) { asked_to_bend_ = shortening; }
  bool may_bend(
      double shortening) const;  // it is straight, as far as that matters, and nothing but what it touches holds its far end
  bool is_bent() const { return bent_; }
  void set_root(const Vec3& root);  // of a rod that is held there
  const Vec3& root() const { return root_; }
  // Loads without a potential as they are here, with the symmetric part of their tangent, from now on; until the next begin.
  void freeze_loads();
  double thaw() const;  // how much they have changed since, over the scale
  bool falls() const;   // an equilibrium is asked for of a rod that nothing holds and that loads pull away
  bool is_folded_now() const;
  double lost_in_turning() const;  // by a step of backward Euler, at the present place: in links, joints and walls [J]
  double pressing() const { return pressing_; }  // [N] what its motion and its own moments may press with, at the last level
  void take_back() { straighten(); }             // the step was not taken

 private:
  struct JointNow {  // at the present place
    StrainPoint point;
    Vec3 kappa = Vec3::Zero(), rest = Vec3::Zero();  // internal damping folded in
    Mat3 slopes = Mat3::Zero();                      // of the strains, axes of a
    Vec3 moment = Vec3::Zero();                      // world axes; gradient on b, minus it on a
  };
  struct Held {  // what a grip holds, in the chain's order
    int link = 0;
    double far = 0;      // its point is (1 - far) of the near and far of the far node
    int neighbour = -1;  // where it holds a node: the other link there, which takes half of its moment
  };
  NewtonReport bend_into_reach(const NewtonOptions& options);
  double stretched() const;
  void begin_walls();
  void begin_points();
  void begin_joints();
  void begin_rows(const Drive& drive);
  bool is_adrift(const Drive& drive) const;
  void begin_floating();
  void anchor();
  void begin_loads(const Drive& drive);
  void begin_scale(const Drive& drive);
  void guess();
  void bend_straight_spans();
  void bend_as_asked();
  bool has_wall_at(int node) const;  // of the chain
  void shift_levels(double sign);
  void straighten();  // after a step that was not taken
  Vec3 bend_straight(int from, int to, const SineBend& bend, const Vec3& along, const Vec3& before);
  void place();
  void take_joint(const Joint& joint, JointNow& now, double near);
  Held held_by(const Grip& grip) const;
  void measure_grips();
  Grip turning_part(const Grip& grip, int link, double share) const;  // with its damper as one more spring
  void add_inertia();
  void add_loads();
  void add_grips();
  void add_rows();
  void add_frozen_loads();
  LoadedPoint<double> loaded_point(int link, bool far) const;
  // Half of what lies along a link, and its share of what acts at the node there.
  template <class T>
  WrenchOf<T> half_load(int link, bool far, const LoadedPoint<T>& at) const {
    const Link& l = chain_.links[z(link)];
    const int k = far ? link + 1 : link;
    WrenchOf<T> w = loads_->per_length(EdgeIndex(l.edge), at);
    const WrenchOf<T> node = loads_->at_node(NodeIndex(far ? l.far : l.near), at);
    const T half(0.5 * l.length), share(k == 0 || k == chain_.real() ? (chain_.ring ? 0.5 : 1.0) : 0.5);
    w.force = half * w.force + share * node.force;
    w.moment = half * w.moment + (borne_[z(k)] ? T(0) : share) * node.moment;
    return w;
  }
  Vec3 velocity(int point) const { return stage_.gamma * (x_[z(point)] - bar_[z(point)]); }

  template <class Matrix>
  void assemble(Matrix& m, bool exact);
  template <class Matrix>
  void assemble_joints(Matrix& m, bool exact);
  template <class Matrix>
  void assemble_grips(Matrix& m);
  void assemble_loads(ChainLU& m);
  template <class Border>
  void fill_border(Border& border, bool rows_too);
  bool direct_symmetric(bool exact);
  bool find_symmetric();  // by the matrix that is asked for
  bool direct_general();
  bool direct_iteratively(bool exact);
  void limit_direction();
  Eigen::MatrixXd rigid_motions() const;
  void close_ring(std::span<double> y) const;

  const Model& model_;
  const Chain& chain_;
  SolverSettings settings_;
  ChainState* state_ = nullptr;
  const Drive* drive_ = nullptr;
  const std::vector<ClampNow>* frames_ = nullptr;
  const std::vector<ClampNow>& frames() const { return frames_ != nullptr ? *frames_ : drive_->clamps; }
  std::vector<Mat3> wall_hessian_;
  const LoadsNow* loads_ = nullptr;
  Stage stage_;
  bool potential_ = true;
  bool soft_ = false;    // held points pull as springs instead of rows
  bool drifts_ = false;  // an equilibrium of a rod that nothing holds in place
  bool floats_ = false;  // and nothing pulls at, either
  int active_rows_ = 0, fallbacks_ = 0;
  double c_ = 0, scale_ = 1, row_weight_ = 1, row_stiffness_ = 0, row_give_ = 0, soft_stiffness_ = 0, tiny_ = 0;
  double energy_ = 0, energy_scale_ = 0, gradient_norm_ = 0, grip_power_ = 0, pressing_ = 0;

  std::vector<Vec3> hat_, bar_;  // of points
  std::vector<Quat> q_, base_q_, bent_q_;
  bool frozen_ = false;
  std::vector<Vec3> frozen_force_, frozen_moment_, frozen_place_;  // on nodes, on links; where nodes were
  std::vector<Mat3> frozen_tangent_;                               // of forces by their nodes' places
  std::vector<Quat> frozen_q_;
  double blow_ = 0;    // [J] given by the clamps for that
  bool bent_ = false;  // a straight span is to bend in this step, to bent_q_
  double asked_to_bend_ = 0;
  Vec3 root_ = Vec3::Zero(), base_root_ = Vec3::Zero();
  std::vector<double> lambda_, base_lambda_, violation_;
  std::vector<char> row_on_, off_;  // rows that hold; joints replaced by walls
  std::vector<char> borne_;         // nodes whose moments a wall bears
  std::vector<Vec3> target_;        // of held points
  std::vector<int> held_at_;        // by node of the chain: its held point, -1
  std::vector<Mat3> frame_;
  std::vector<Vec3> x_, node_gradient_, link_gradient_, beyond_;  // beyond_: Q
  std::vector<JointNow> joint_, wall_;
  std::vector<Vec3> dead_;  // forces on nodes that do not depend on anything
  std::vector<double> gradient_, direction_;
  ChainLDLT ldlt_;
  ChainLU lu_;
  BorderedLDLT border_;
  BorderedLU general_border_;
  IterativeSolver iterative_;
};

}  // namespace tendril::compact
