// Rods that are solved together: Newton's method over an island of rods that touch, or may touch, each other.
//
// Each rod gives its energy, its gradient and the blocks of its chain (problem.h); contacts add theirs. The matrix is sparse in the
// places x of the nodes, the turns t of the links and one multiplier m per link,
//   x_(k+1) - x_k - B_k t_k = 0,   B = -[a]x          m = -Q, the force in the link, makes the gradient in x zero
// so that what is left of the gradient is that in minimal coordinates. Rows of held points and rings come last.
// In motion, where things touch, turns are folded into places (linear/folded_ldlt.h): five unknowns a link instead of nine, a quarter of
// the work. Where a rod is so stiff, or a step so long, that its bending is more than 1e10 times its inertia, they are not.
// The energy is a merit: with rows, their violation counts with a weight above the largest multiplier [ERRATA Z11].
//
// To add more unknowns: blocks in `number`, entries in `assemble`, right-hand side and solution in `direct`, moves in `move` and
// `accept`, energy and gradient in `evaluate`.
#pragma once

#include <span>
#include <vector>

#include "linear/folded_ldlt.h"
#include "linear/newton.h"
#include "methods/compact/part.h"

namespace tendril::compact {

class Touching;  // contacts.h
class Joined;    // joined.h

class Coupled {
 public:
  Coupled(const Model& model, Parts& parts, const SolverSettings& settings);

  // Rods, rising, whose problems have begun; what touches them, what they are joined to, or nullptr. `goes_on`: in the same step.
  void take(std::span<const int> rods, Touching* touching, Joined* joined = nullptr, bool goes_on = false);
  Solved iterate();                             // from where the problems stand; leaves them at the solution
  void start_holding() { hold_ = first_hold; }  // equilibria with contact: from here on, see `hold_`
  Verdict judge();                              // of the equilibrium just found, by the pivots of the whole

  // ---- for Newton's method and for tests ----
  NewtonPoint evaluate();
  double direction();
  void renew(NewtonPoint& here) const;
  double first_fraction() const { return fraction_; }
  void move(double fraction);
  void accept();
  // Symmetric matrix and gradient at the present place, of (place, turn) blocks; for tests.
  bool direct(bool exact, double shift);
  int expected_negative() const { return expected_negative_; }
  PivotReport factor(bool exact, double shift);  // at the present place
  void solve_direction();                        // by what was factored
  int node_block(int rod, int k) const;          // -1: held
  int turn_block(int rod, int i) const { return at_[z(slot_[z(rod)])].turns + i; }
  const FoldedLDLT& matrix() const { return matrix_; }

  // ---- how an equilibrium changes with its model (nearby.cpp) ----
  std::vector<double> read_residual() const;       // gradients and violations of all, at the present place
  bool respond(std::span<const double> residual);  // to such a change of them; into the directions. False: no minimum
  void take_directions_of(const Coupled& other);

 private:
  static constexpr double first_hold = 1e-2;
  struct Place {  // of a rod among the blocks
    int nodes = 0, turns = 0, multipliers = 0, rows = 0;
    bool root_held = false;
  };
  struct Row {  // three rows of a rod
    int part = 0, row = 0;
    int first = 0, second = -1;  // blocks: first less second; -1: none
    int held = -1;               // of a held point
  };
  Part& part(int slot) { return *parts_[z(rods_[z(slot)])]; }
  const Part& part(int slot) const { return *parts_[z(rods_[z(slot)])]; }
  void number();
  void assemble(bool exact, double shift);
  void assemble_chain(int slot, bool exact, double shift);
  bool direct_alone();
  bool direct_in_reach();
  void limit_direction();
  bool find_fraction();
  double slope_of_energy() const;
  bool settles() const;  // an equilibrium with contact
  bool may_fold() const;
  double stiffness_of_places(int slot, double shift) const;

  const Model& model_;
  Parts& parts_;
  SolverSettings settings_;
  Touching* touching_ = nullptr;
  Joined* joined_ = nullptr;
  std::vector<int> rods_, slot_;  // slot_: by rod; -1: not here
  std::vector<Place> at_;
  std::vector<Row> rows_;
  FoldedLDLT matrix_;
  bool folded_ = false;
  std::vector<double> unknowns_;  // right-hand side, then solution
  int blocks_ = 0, expected_negative_ = 0, fallbacks_ = 0;
  double row_weight_ = 0;  // of the merit [N]
  double violation_ = 0;   // sum over the rows, at the present place [m]
  double energy_ = 0;      // without the rows
  double base_violation_ = 0, base_energy_ = 0;
  double fraction_ = 1;  // of the direction that is free
  double shift_ = 0;     // that was needed last, over the stiffness of a joint
  // Equilibria with contact: what nothing holds in place is held back by springs that move along with it, in the matrix alone, of this
  // part of its weight over its length. They grow softer while Newton's method takes whole steps.
  double hold_ = 0, taken_fraction_ = 1;
};

}  // namespace tendril::compact
