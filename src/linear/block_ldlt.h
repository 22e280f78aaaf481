// Symmetric, indefinite, sparse systems of 3x3 blocks whose pattern may change from one factorisation to the next:
//   begin(blocks);  add(i, j, block) in any order, sums;  factor();  solve(x)
// Meant for chains and trees with some far couplings, and with the multipliers of rows among the unknowns: O(n) without far couplings,
// little more where they lie in order. Nothing allocates once it is warm. Order of elimination, and so every
// bit of the result, depends on the calls since begin alone; while they name the same blocks in the same sequence, the order is kept.
//
// Multipliers have a diagonal of zero. A multiplier that is `paired` with a block (the row is lambda . (x_j - ...): their coupling
// must be invertible) is eliminated together with it, 6x6 at a time, which is stable whatever the diagonals are, and counts three
// negative pivots. A `narrow` block has two numbers only; it must be paired, and is eliminated together with its partner, 5x5.
// Blocks that are put `last`, and blocks without a diagonal that are not paired, are eliminated together at the
// end, densely: they should be few.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "linear/dense.h"
#include "linear/minimum_degree.h"
#include "linear/pivots.h"

namespace tendril {

class BlockLDLT {
 public:
  using Block = Eigen::Matrix3d;

  void begin(int blocks);
  void pair(int multiplier, int with);  // each block in one pair at most
  void put_last(int i);
  void make_narrow(int i);                     // the third row and column of what is added there do not count
  void add(int i, int j, const Block& block);  // at (i, j), and transposed at (j, i); on the diagonal symmetric
  int blocks() const { return blocks_; }
  int fill() const { return fill_; }  // numbers in L

  // Pivots are compared with the largest entry of their row where a block stands alone; in pairs and among the last ones, which
  // mix units, with the scaled block they stand in.
  PivotReport factor(double accepted = 0);
  void solve(std::span<double> x, int columns = 1) const;
  void multiply(std::span<const double> x, std::span<double> y, int columns = 1) const;  // y = A x

 private:
  struct Node {  // what is eliminated at once: a block, or a pair
    int block[2] = {0, 0};
    int size = 1;      // blocks
    int width = 3;     // numbers: of a pair with a narrow block, which is the second one, 5
    int diagonal = 0;  // where it begins, in diagonal_
    int below = 0;     // where its part of L begins, in lower_: a column of `rows` numbers for each unknown, `stride` apart
    int rows = 0, stride = 0;
    int at = -1;       // of a last one: first row among them
    int position = 0;  // of its first number, in the order of elimination
  };
  struct Slot {  // where an entry goes
    enum { diagonal, below, last } part = diagonal;
    int at = 0, row = 0, column = 0;  // its first number; strides
    bool both = false;                // and transposed, from `mirror` on: in a diagonal
    int mirror = 0;
    int rows = 3, columns = 3;  // of the entry
    bool scaled = false;        // one of its blocks stands alone
  };
  void analyse();
  void make_nodes();
  void make_graph();
  void lay_out();
  Slot slot_of(int i, int j) const;
  int row_in(int node, int other) const;  // first row of the other in the node's part of L
  void scatter();
  void note_scale(int entry);
  void invert(const Node& node, double accepted, PivotReport& report);
  void eliminate(const Node& node);
  void update(int node);
  void find_relative(std::span<const int> wanted, int node);
  void factor_last(double accepted, PivotReport& report);
  void solve_one(double* y) const;

  int blocks_ = 0, fill_ = 0, given_ = 0;
  bool changed_ = true;
  std::vector<int> row_, column_, partner_, partner_before_;
  std::vector<char> last_, last_before_, narrow_, narrow_before_, has_diagonal_;
  std::vector<Block, Eigen::aligned_allocator<Block>> value_;
  std::vector<Node> nodes_;
  std::vector<int> node_of_, place_in_;  // of blocks; 0 or 3
  std::vector<Slot> slots_;
  MinimumDegree degree_;
  std::vector<int> graph_start_, graph_, graph_seen_, node_size_, relative_;
  std::vector<char> node_last_;
  std::vector<double> diagonal_, lower_, scale_;  // diagonal_: D, then D^-1
  std::vector<double> panel_, product_;
  DenseLDLT dense_;
  std::vector<double> dense_values_, dense_scale_;
  std::vector<int> last_rows_;  // unknowns of the last ones
  int dense_size_ = 0, last_position_ = 0;
  mutable std::vector<double> work_;
};

}  // namespace tendril
