// Chains of rigid links whose places are coupled, in five unknowns a link instead of nine.
//
// A link with the arm a turns by t and carries its far end along: x_far - x_near = t x a, which holds for the two ends alone where
//   t = (a x (x_far - x_near))/|a|^2 + phi a/|a|,     a . (x_far - x_near) = 0
// So a turn is no unknown: what is added to it goes to the places of its ends and to its angle phi about itself, and one multiplier is
// left of three. The block of the turn becomes (phi, multiplier), narrow, and is paired with the far end. [BlockLDLT]
//
//   begin(blocks);  fold(...) for every link;  add(i, j, block) as if turns were unknowns;  factor();  solve(x): x has turns, too
//
// In places a chain's stiffness is that of a fourth derivative: digits are lost as stiffness/(length^2 inertia), which the caller has to
// look at. Where nothing is folded this is BlockLDLT.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "linear/block_ldlt.h"

namespace tendril {

class FoldedLDLT {
 public:
  using Block = BlockLDLT::Block;

  void begin(int blocks);
  // Once for a turn, before anything is added to it. near, far: blocks of the ends' places; -1: held (near only).
  void fold(int turn, int near, int far, const Eigen::Vector3d& arm);
  void pair(int multiplier, int with) { blocks_.pair(multiplier, with); }
  void put_last(int i) { blocks_.put_last(i); }
  void add(int i, int j, const Block& block);  // at (i, j), and transposed at (j, i); on the diagonal symmetric

  PivotReport factor(double accepted = 0);  // one negative pivot for each link
  void solve(std::span<double> x) const;
  const BlockLDLT& blocks() const { return blocks_; }

 private:
  struct Fold {
    int turn = 0, near = -1, far = 0;
    bool follows = false;   // its near end is the far end of the one before
    Block slope;            // of the turn by the far place
    Eigen::Vector3d along;  // by phi
    // What was added to the turn itself, and between it and the one before: most of a chain, folded all at once.
    Block own = Block::Zero(), between = Block::Zero();
  };
  struct Folded {  // the same by places and angles
    Block own = Block::Zero(), between = Block::Zero();
    Eigen::RowVector3d own_angle = {0, 0, 0}, angle_before = {0, 0, 0}, angle_after = {0, 0, 0};
    double angle = 0, angles = 0;
  };
  Fold* fold_of(int i) {
    const int k = fold_at_[static_cast<std::size_t>(i)];
    return k < 0 ? nullptr : &folds_[static_cast<std::size_t>(k)];
  }
  Folded fold_chain(std::size_t k) const;
  void put_chains();
  void add_folded(const Fold& first, const Fold& second, const Block& block);
  void add_beside(const Fold& fold, int j, const Block& block);
  void put(int i, int j, const Block& block);

  BlockLDLT blocks_;
  bool put_ = false;  // chains are among the blocks
  std::vector<Fold> folds_;
  std::vector<int> fold_at_;  // by block; -1: none
};

}  // namespace tendril
