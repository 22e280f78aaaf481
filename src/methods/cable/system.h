// One step of the multipliers: all joints of a group at once, by a direct solver.
//
//   v' = y + h W J^T lambda,     y = W (M v + h f)                    kick over h, drift over dt   [Servin 2008, eqs. (8)-(11)]
//   J v' = -(lambda + k phi)/(k dt + c)                               each row: spring k, damper c, implicit in both
//   (J W J^T + 1/(h D)) lambda = -J y/h - k phi/(h D),  D = k dt + c
// `averaged`: the strain of a row is (phi(n+1) + 2 phi(n) + phi(n-1))/4, which makes it second order:  D = k dt/4 + c, and the right
// side has +k (dt_before/4) J v/(h D) more.                          [ERRATA S26]
// In the first step after rest or a start there is no level before: (phi(n+1) + 3 phi(n))/4, which is in the middle of its half kick.
// W is the inverse of M with what acts implicitly on an element alone: damping of mass, air, hands, and the geometric stiffness
// K = (T1 + T2) l/2 of its two transverse turns (the force of a joint keeps its direction while the segment turns):
//   (I + dt h K) w' = (I + 0.95 dt h K) w + h moment                   [ERRATA S23]
// Velocities live half a step between the levels, so that kicks and drifts are centred (Stoermer-Verlet).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/block_ldlt.h"
#include "linear/block_tridiagonal.h"
#include "math/number.h"
#include "methods/cable/iterative.h"
#include "methods/cable/parts.h"

namespace tendril::cable {

struct StepSizes {
  double dt = 0, h = 0;      // [s] drift, kick
  double before = 0;         // [s] the drift before
  bool averaged = false;     // bend and twist
  double extra_damping = 0;  // [s] of bend and twist rows, averaged only
  bool geometric = true;
  bool still = false;    // an iteration of an equilibrium
  bool pitched = false;  // averaged only: two more solutions keep the pitch of waves, see GroupSolver::keep_pitch
  double mend =
      0;  // [s] longer than dt: the time in which gaps of hard joints are closed. Those that a long step left would throw
          // things about if a short one closed them at once.
};

// How much of the damping that keeps unresolved motion quiet is needed. Implicit geometric stiffness by itself neither loses nor gains,
// and so do averaged rows; but ropes under loads that an explicit scheme could not hold ring, and so do joints that bend within a
// step. What helps (0.95 instead of 1 and a damper T l dt on relative spins [ERRATA S23], a damping of 0.1 dt [ERRATA S26]) would
// cost a whip that is well resolved most of its energy, at any step. `ratio`: for tensions, four times the tension over the largest
// that an explicit scheme holds; for joints, dt^2 stiffness over inertia.
inline double need_of_damping(double ratio) { return ratio * ratio / (1 + ratio * ratio); }
// [N] The largest tension that explicit geometric stiffness holds: of a zigzag of segments, of the worst bending wave, of all of
// them.  [ERRATA S23]
inline double largest_tension(const Element& segment, double dt, double h) {
  return std::max({segment.mass * segment.length / (3 * dt * h),
                   4 * std::sqrt(segment.mass * segment.EI / (segment.length * dt * h)),
                   math::pi * math::pi * segment.EI / (segment.whole * segment.whole)});
}

// Of an element, in a step.
struct Response {
  Mat3 linear = Mat3::Zero(), angular = Mat3::Zero();  // W
  Mat3 mixed = Mat3::Zero();                           // velocity by moment
  bool has_mixed = false;
  Vec3 y = Vec3::Zero(), y_spin = Vec3::Zero();  // velocities without joints
  Vec3 v = Vec3::Zero(), spin = Vec3::Zero();    // before the step
};

// Of a joint, in a step: rows of points are s (1, -[lever]), of frames s (0, turn), s = -1 for a and 1 for b.
struct JointRows {
  // From the centres to where the joint's force acts. At one point of both sides, half-way between their points, it keeps the angular
  // momentum [ERRATA S25]. Where tensions are so large that geometric stiffness is implicit, at each side's own point instead, the
  // paper's: the half-way point lies off the axes by half of the gap, and the moment about the axis of a thin segment, T times gap over
  // next to no inertia, spins it up.
  Vec3 lever_a, lever_b;
  Vec3 gap;            // b - a
  Mat3 turn;           // rows: rate of the strains by spin of b against a, world axes
  Vec3 strain;         // minus that at rest
  Vec3 moment_strain;  // moment over stiffness: the strain itself where the law is linear
  Vec3 stiffness;      // of bend and twist now
  double give = 0;     // 1/(h D) of points
  double pull = 0;     // k/(h D)
  Vec3 frame_give, frame_pull;
  Vec3 memory;          // of averaged rows: k dt_before/4 / (h D)
  bool slides = false;  // rows of points are across this direction, world axes
  Vec3 axis;
  bool point_on = false;
  bool on[3] = {false, false, false};
};

using Vector6 = Eigen::Matrix<double, 6, 1>;

class GroupSolver {
 public:
  GroupSolver(const Parts& parts, const Group& group, const SolverChoice& choice = {});
  void reshape();  // the group has other joints; does not allocate where it has had as many
  // Multipliers (six per joint: point, frame) and the velocities they make; false: a pivot is no number.
  [[nodiscard]] bool solve(const std::vector<JointRows>& rows, std::vector<Response>& elements, const StepSizes& step);
  // The same in two parts, to see what each costs.
  void assemble(const std::vector<JointRows>& rows, const std::vector<Response>& elements, const StepSizes& step);
  [[nodiscard]] bool solve_assembled();
  // What the joints of the group make of a change of its elements' velocities (linear, angular), with the matrix of the last solve;
  // `keep`: their multipliers are changed with it.
  void follow(const std::vector<JointRows>& rows, const StepSizes& step, std::vector<Vector6>& change, bool keep = false);
  const double* multiplier(std::size_t joint_in_group) const { return lambda_.data() + 6 * joint_in_group; }
  // Where solvers that iterate begin; it keeps nothing from solve to solve.
  void begin_with(std::size_t joint_in_group, const Vec3& force, const Vec3& couple);
  int iterations() const { return iterative_ ? iterative_->iterations() : 1; }
  double residual() const { return iterative_ ? iterative_->residual() : 0; }
  const Group& group() const { return group_; }

 private:
  bool solve_path();
  bool solve_general();
  bool solve_in_turn();
  bool solve_again();  // with the same factors
  bool keep_pitch(const std::vector<JointRows>& rows, std::vector<Response>& elements, const StepSizes& step);
  void find_second_differences(const std::vector<JointRows>& rows, const std::vector<Response>& elements,
                               const StepSizes& step, std::vector<double>& out) const;
  void spread(std::vector<Response>& elements, const StepSizes& step) const;

  const Parts& parts_;
  const Group& group_;
  Blocks6 by_a_, by_b_;  // per joint: W J^T of its sides
  Blocks6 diagonal_;     // per joint
  std::vector<Link> links_;
  Blocks6 shared_;  // per link: row of the second, column of the first
  std::vector<double> lambda_, guess_, extra_;
  std::vector<double> right_, rate_before_, first_, second_;  // three per joint but for right_: of keep_pitch
  std::unique_ptr<IterativeSolver> iterative_;
  void link_elements();
  std::vector<int> first_at_, at_;  // general: joints of elements
  std::vector<char> used_;          // general: blocks of three that have a row
  BlockTridiagonalLDLT<6> tridiagonal_;
  BlockLDLT general_;
};

// Rows of a joint as things stand. `near`: twist is unwrapped next to it.
struct JointPlace {
  Vec3 x_a, x_b;
  Quat q_a, q_b;
};
void place_rows(const Joint& joint, const JointPlace& at, double near, bool one_point, JointRows& rows, double& twist);
// Moment and tangent stiffness by the rod's law.  [Servin 2008, sec. V-C: phi(theta) of eq. (33)]
void apply_law(const Joint& joint, JointRows& rows);
// Stiffness and damping of its rows in a step; `tension_damper` [N m s]: of the implicit geometric stiffness;
// `inertia` [kg m^2]: of the lighter side, across.
void weigh_rows(const Joint& joint, bool point_on, bool frame_on, double tension_damper, double inertia,
                const StepSizes& step, JointRows& rows);

}  // namespace tendril::cable
