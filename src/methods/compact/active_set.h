// contact = "active_set": gaps as inequalities, the paper's sequential quadratic programming.  [Zhao 2022, Algs. 1, 2, App. B]
//
//   minimise E(s)  subject to  C(s) >= 0            C: gap of every pair of segments, and of what is near an obstacle
// Each iteration finds the pairs within a margin anew, solves the quadratic problem with their linearised gaps (row_quadratic.h) and
// searches along its solution by the merit  E + w (sum of overlaps + rows that are violated),  w above the largest push  [ERRATA Z11].
// Gaps are looked at where the search stands, not on the way there: things overlap between iterations, and in large steps pass
// through each other. It is here for the paper's figures; `barrier` (contacts.h) does neither.
#pragma once

#include <span>
#include <vector>

#include "methods/compact/contacts.h"
#include "methods/compact/row_quadratic.h"

namespace tendril::compact {

class ActiveSet {
 public:
  ActiveSet(const Model& model, Parts& parts, const SolverSettings& settings, const Drive& drive);

  // Solves for the next level of all rods and puts it into their states; false: it failed (Part::solved), none is changed.
  bool solve(const Drive& drive, const LoadsNow& loads, const Stage& stage);
  std::span<const ContactPoint> points() const { return points_; }
  int touching() const { return touching_; }       // that push
  double penetration() const { return deepest_; }  // over the radius
  void visit_state(StateArchive& archive);

  // ---- for Newton's method and for tests ----
  struct Row {  // a gap
    NearPair pair;
    GapSlopes at;
    double push = 0;  // [N], the multiplier
  };
  void begin(const Drive& drive, const LoadsNow& loads, const Stage& stage);
  NewtonPoint evaluate();
  double direction();
  void renew(NewtonPoint& here) const;
  void move(double fraction);
  void accept();
  std::span<const Row> rows() const { return rows_; }
  double slope_of_row(int row, int rod,
                      std::span<const double> direction) const;  // by the unknowns of a rod; after direction()

 private:
  struct OfRod {  // what the rows of a rod do to its unknowns
    std::vector<int> rows;
    std::vector<double> u, w;  // J^T and A^-1 J^T, row by row: unknowns times rows
  };
  void find_rows();
  void fill(int rod);
  bool solve_quadratic();
  double limit_direction();
  Solved iterate();
  void finish();

  const Model& model_;
  Parts& parts_;
  SolverSettings settings_;
  ContactField field_;
  std::vector<Pose> poses_;
  double margin_ = 0;  // [m] of gaps that are looked at
  std::vector<Row> rows_;
  std::vector<double> base_push_, new_push_, start_;
  std::vector<ContactKey> base_key_;
  std::vector<OfRod> of_rod_;
  std::vector<Vec3> node_slope_;
  RowQuadratic quadratic_;
  double fraction_ = 0, weight_ = 0, energy_ = 0, violation_ = 0, base_energy_ = 0, base_violation_ = 0;
  int systems_ = 0, touching_ = 0;
  double deepest_ = 0;
  std::vector<ContactPoint> points_;
};

}  // namespace tendril::compact
