// Newton systems of chains of poses that forces hold together: unknowns are a place r and a turn q (3 each) of every node and a force n
// of every link between two neighbours. Node j and link j (from node j to node j + 1) have the rows
//   force       rr r_j + rt q_j + n_(j-1) - n_j                                                      = f_j
//   moment      tr r_j + tt q_j + [ba q_(j-1) + bb q_j + tb n_(j-1)] + [aa q_j + ab q_(j+1) + ta n_j] = t_j
//   link        r_(j+1) - r_j + pa q_j + pb q_(j+1) - give n_j                                        = g_j
// in 3x3 blocks, of any symmetry. Rows of a node may be replaced by held ones, which give a component of its place or turn.
//
// Recursion, O(n): what stands before node j makes r_j affine in (n_(j-1), q_j). Places go on from the near end and forces from the far end, so
// that there is no shooting and no pivoting between nodes: the pivots are 1 + rr E (E: compliance of what stands before), with held rows E
// itself, and a 3x3 stiffness. Where one of them is tiny (a near end that nothing holds and that has no rr), or where neighbours are coupled by
// more than links, the same system is solved as a band with pivoting.
#pragma once

#include <Eigen/StdVector>
#include <span>
#include <vector>

#include "linear/band_lu.h"
#include "tendril/types.h"

namespace tendril {

class PoseChain {
 public:
  struct Node {
    Mat3 rr, rt, tr, tt;
    int held = -1;  // number of its HeldRows; -1: none of its rows is held
  };
  struct Link {
    Mat3 aa, ab, ba, bb, ta, tb, pa, pb, give;
  };
  // Row i of `place` is a direction: held, the row reads place.row(i) r = value; free, it is place.row(i) times the force row, and the free
  // ones are perpendicular to the held ones. Likewise `turn` and the moment row.
  // Directions other than the axes are of use only where one of the three is held.
  struct HeldRows {
    Mat3 place = Mat3::Identity(), turn = Mat3::Identity();
    bool place_held[3] = {false, false, false}, turn_held[3] = {false, false, false};
    bool any_place() const { return place_held[0] || place_held[1] || place_held[2]; }
    bool any_turn() const { return turn_held[0] || turn_held[1] || turn_held[2]; }
  };
  struct Pair {  // more in the force rows of nodes j and j + 1: a spring between them
    int node = 0;
    Mat3 near_far, far_near;
  };
  // Right-hand sides, overwritten by the solution. Of nodes with held rows f and t are by rows: a held row's value, or the row times f.
  struct Column {
    std::vector<Vec3> r, q, n;  // f and places, t and turns, g and forces
    void resize(int nodes) {
      r.assign(std::size_t(nodes), Vec3::Zero()), q = r, n.assign(std::size_t(nodes - 1), Vec3::Zero());
    }
  };

  void resize(int nodes, int most_held, int most_pairs);  // the only function that allocates
  int nodes() const { return int(nodes_.size()); }
  Node& node(int j) { return nodes_[std::size_t(j)]; }
  Link& link(int j) { return links_[std::size_t(j)]; }
  void clear_held() { held_.clear(); }
  HeldRows& hold(int node);  // its held rows, new ones where it has none yet
  void clear_pairs() { pairs_.clear(); }
  void add_pair(const Pair& pair) { pairs_.push_back(pair); }
  // The far end first: for chains that are held there and free at the near end.
  void set_reversed(bool reversed) { reversed_ = reversed; }

  bool factor();  // false: singular, whichever way
  void solve(Column& x) const;
  bool by_recursion() const { return recursion_; }
  // For tests and for what is not tridiagonal: the whole matrix by bands; false: singular.
  bool factor_band();
  double smallest_pivot() const { return smallest_; }  // of the recursion, over its scale

 private:
  // What the recursion keeps of a node: n_before = a + A n + B q;  q = k - Kn n - Kt q_next;  r = e + E n_before + X q.
  struct Kept {
    Mat3 E, X, Zinv, A, B, Tinv, Kn, Kt, Y, XP;
  };
  bool factor_recursion();
  void solve_recursion(Column& x) const;
  void solve_band(Column& x) const;
  const HeldRows* held_at(int node) const;
  // By place in the order of elimination.
  int at(int j) const { return reversed_ ? nodes() - 1 - j : j; }
  Link mirrored(int j) const;

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<HeldRows> held_;
  std::vector<Pair> pairs_;
  std::vector<Kept> kept_;
  mutable std::vector<Vec3> e_, k_, a_;  // scratch of solve
  mutable BandLU band_;
  mutable std::vector<double> band_x_;
  bool reversed_ = false, recursion_ = true;
  double smallest_ = 1;
};

}  // namespace tendril
