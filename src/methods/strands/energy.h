// The energy of a strand as a function of the orientations of its nodes, its gradient and its second variation.
//
// Shooting finds equilibria near a guess, stable or not. This finds minima from far away, decides whether an equilibrium is
// a minimum, and gives shooting its guess when a pose jumps. Dead loads and held positions know orientations only through
// the tangents, so that with F(s) the force beyond s
//   energy = sum over segments of  h W(w/h - u_rest)  -  h/2 (F . R v at both ends),      w = log(R_near^T R_far)
// and a held position is the constraint that the tangents of a span add up to the distance; its multiplier is the span's
// unknown force. The second variation is block tridiagonal (3 x 3) with three border rows per span: O(n), and Sylvester's
// law counts the directions in which the energy falls.
#pragma once

#include "linear/band_ldlt.h"
#include "linear/bordered.h"
#include "linear/null_space.h"
#include "methods/strands/strand.h"
#include "tendril/frame.h"

namespace tendril::strands {

struct DescentSettings {
  double tolerance = 1e-6;               // of moments and distances, scaled
  static constexpr double close = 1e-2;  // a residual below this is a good enough guess for shooting
  int max_iterations = 400;
  bool disturbed = false;  // the guess is a saddle: leave it first
};
struct DescentReport {
  bool fine = false;
  int iterations = 0;
  double residual = 0;
};

// False: a load of this strand has no potential, so that an equilibrium is not a minimum or a saddle of anything.
bool has_energy(const Strand& strand);

// Directions whose second variation is below this part of EI/L^2 per length are neutral, such as spinning about a pin.
inline constexpr double neutral = 1e-6;

class EnergyDescent {
 public:
  void resize(const Strand& strand);  // allocates; needed when segments or held nodes change

  // From `states` (orientations are the guess) to a minimum of the energy with the strand's holds; poses go to their holds
  // in moderate steps. Fills all of `states`, as guess for shooting.
  DescentReport minimise(const Strand& strand, const DescentSettings& settings, std::vector<State>& states);

  // From a state near an equilibrium of this energy, stable or not, to that equilibrium, stretch included. `states` stay as
  // they were when it fails.
  DescentReport polish(const Strand& strand, double tolerance, int max_iterations, std::vector<State>& states);

  // A span that lies straight although its ends have come together: shooting has no direction to go.
  bool lies_straight_but_shortened(const Strand& strand, const std::vector<State>& states);
  // A span that cannot stretch, held exactly straight, with a load across it: no finite tension carries it.
  bool pushed_while_taut(const Strand& strand, const std::vector<State>& states);
  // A span that stretches and is pulled longer than it is: tension grows from nothing to a part of EA.
  bool pulled_longer(const Strand& strand);

  // Is this equilibrium a minimum of the energy? Naming neutral directions allocates.
  Verdict judge(const Strand& strand, const std::vector<State>& states, bool name_neutral = false);
  // After judge: the eigenvalue of the softest mode, over EI/L^2 per length.
  double softest();

  // For tests: energy (without constraints) and its gradient in material axes, of orientations alone.
  double energy(const Strand& strand) const;
  void load(const Strand& strand, const std::vector<State>& states);
  std::vector<Quaternion>& orientations() { return q_; }
  void assemble(const Strand& strand, bool give);           // gradient and second variation
  void assemble_gradient(const Strand& strand, bool give);  // leaves the matrices alone
  const std::vector<double>& gradient() const { return gradient_; }
  BandLDLT& matrix() { return matrix_; }
  BorderedLDLT& border() { return border_; }

 private:
  struct Support {  // a held position, or a spring to one
    int node = 0;
    V r{0, 0, 0};
    double softness = 0;  // [m/N]; 0: held
  };
  struct Span {            // between support i and the next
    int from = 0, to = 0;  // nodes
  };
  void find_spans(const Strand& strand);       // supports and the spans between them
  void find_forces(const Strand& strand);      // of the loads beyond each segment
  V support_force(std::size_t support) const;  // force of a support on the strand
  void find_positions(const Strand& strand, std::vector<V>& r, bool give = false) const;
  void hold_orientations(const Strand& strand);
  void add_segment(const Strand& strand, int j);
  void add_end(const Segment& s, int node, const V& force, int span, bool give);
  void add_end_curvature(const Segment& s, int node, const V& force, int span, bool give);
  void add_node_moments(const Strand& strand);
  void add_node_curvature(const Strand& strand);
  V force_beyond(int segment) const;               // of supports, to be added to those of loads
  void fix(int row);                               // the unknown is held
  int factor(const Strand& strand, double shift);  // unstable directions; the matrix is ready to solve
  double softness(const Strand& strand) const;     // of the constraints
  void bend_straight_spans(const Strand& strand);
  void leave_saddle(const Strand& strand);
  double factor_positive(const Strand& strand);  // modified Newton: the shift it took, below zero if none is enough
  void solve(std::vector<double>& x) const;
  double max_turned(const std::vector<double>& x) const;  // largest turn of a node in a step [rad]
  void part_step(double most);                            // splits the step into its soft share and the rest
  void move(const std::vector<double>& step, double part, const std::vector<Quaternion>& q, const std::vector<V>& force);
  void back_to_floor(const Strand& strand, double turned);
  double merit(const Strand& strand, double weight) const;   // exact penalty, compared by the line search
  bool newton_step(const Strand& strand, bool with_energy);  // false: no step is possible
  double residual(const Scales& scales) const;
  DescentReport settle(const Strand& strand, double tolerance, int max_iterations);
  DescentReport settle_near(const Strand& strand, double tolerance, int max_iterations);
  // Turns of the whole strand that its holds allow; 1: turning about itself is one of them.
  Eigen::MatrixXd rigid_turns(const Strand& strand, int& turns_about_itself) const;
  void multiply(std::span<const double> x, std::span<double> y) const;  // second variation and constraints
  int factor_deflated(const Strand& strand, double shift, const NullSpace& null, const Eigen::VectorXd& metric);
  void write(const Strand& strand, std::vector<State>& states, bool give) const;

  Strand moving_;                          // the strand with holds between start and target
  std::vector<State> start_;               // states at the start of a continuation
  Scales scales_;                          // length, force and moment that residuals are measured by
  std::vector<Quaternion> q_, kept_q_;     // by node: the unknown orientations, and those before a step
  std::vector<Support> supports_;          // sorted by node
  std::vector<Span> spans_;                // between neighbouring supports
  std::vector<int> span_of_;               // by segment; -1: no unknown force there
  std::vector<V> near_force_, far_force_;  // by segment: of the loads beyond its two ends, world axes
  V before_{0, 0, 0};                      // added to both before the first support
  int first_held_ = 0;                     // the first support's node
  std::vector<V> force_, kept_force_;      // by span: the unknown force (multiplier), and that before a step
  std::vector<V> gap_;                     // by span: what is missing between its ends [m]
  mutable std::vector<V> position_;        // scratch
  std::vector<char> fixed_;                // by row: 1 where a hold fixes the turn
  // By row: gradient; Newton step, its share along the softest mode, step back to the valley's floor; metric of the shift.
  std::vector<double> gradient_, step_, soft_, correction_, shift_;
  double shift_used_ = 1, least_shift_ = 0;  // last shift that was needed; smallest to try
  BandLDLT matrix_;                          // second variation in the orientations
  BorderedLDLT border_;                      // its border: three rows per span
  BorderedLDLT deflated_;                    // the same with a column for each neutral direction, after judge
  int neutral_found_ = 0;                    // how many
  std::vector<double> longer_;               // a row for each of them as well
};

// Gradient and second derivative of one segment's bending and twisting energy, in material axes of its two nodes.
struct SegmentDerivatives {
  double gradient[6];
  double hessian[6][6];
};
struct SegmentGradient {
  V near, far;
};
SegmentGradient segment_gradient(const Segment& s, const Law& law, const Quaternion& near, const Quaternion& far);
SegmentDerivatives segment_derivatives(const Segment& s, const Law& law, const Quaternion& near, const Quaternion& far);

}  // namespace tendril::strands
