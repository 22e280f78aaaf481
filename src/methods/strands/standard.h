// The standard boundary value problem: pose at the near end, stress at the far end, loads that turn with the strand. Two
// sweeps, exact, without iteration. [Pai 2002, sec. 3, eqs. (7)-(16)]
#pragma once

#include "methods/strands/strand.h"

namespace tendril::strands {

// Sweeps without allocation once they were used with a strand of this size.
class Standard {
 public:
  // Stress at the far end, beyond the loads at the last node. Dead loads of the strand are taken as turned by `turned`, one
  // orientation per node (the last iterate of a fixed point), or must not be there when it is empty.
  void solve(const Strand& strand, const V& r, const Quaternion& q, const Stress<double>& far_end,
             const std::vector<State>* turned = nullptr);
  const std::vector<State>& states() const { return states_; }  // just behind each node; the last one just before it

 private:
  template <int order>
  void sweep(const Strand& strand, const std::vector<State>* turned);
  void plain_sweep(const Strand& strand);
  struct Link {
    Quaternion turn;
    V shift;
  };
  std::vector<Link> links_;
  std::vector<State> states_;
};

struct FixedPointReport {
  bool fine = false;
  int iterations = 0;
  double change = 0;  // of the far end in the last iteration, over the length
};
// Dead loads by two sweeps again and again, each with the orientations of the last; converges for small loads only. [P10]
// `under` < 1 takes only that part of each change of orientation.
FixedPointReport solve_fixed_point(Standard& standard, const Strand& strand, const V& r, const Quaternion& q,
                                   std::vector<State>& states, double tolerance, int max_iterations, double under = 1);

}  // namespace tendril::strands
