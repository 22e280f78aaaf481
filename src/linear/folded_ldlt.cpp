#include "linear/folded_ldlt.h"

namespace tendril {

namespace {
using Block = BlockLDLT::Block;
using Eigen::Vector3d;

// In the block of (phi, multiplier) what belongs to phi is the first row or column.
Block row_of_phi(const Eigen::RowVector3d& v) {
  Block b = Block::Zero();
  b.row(0) = v;
  return b;
}
Block column_of_phi(const Vector3d& v) {
  Block b = Block::Zero();
  b.col(0) = v;
  return b;
}
Block corner_of_phi(double v) {
  Block b = Block::Zero();
  b(0, 0) = v;
  return b;
}
}  // namespace

void FoldedLDLT::begin(int blocks) {
  blocks_.begin(blocks);
  folds_.clear();
  fold_at_.assign(static_cast<std::size_t>(blocks), -1);
}

void FoldedLDLT::fold(int turn, int near, int far, const Vector3d& arm) {
  fold_at_[static_cast<std::size_t>(turn)] = static_cast<int>(folds_.size());
  Fold fold{turn, near, far, Block::Zero(), Vector3d::Zero()};
  const double squared = arm.squaredNorm();
  const Vector3d a = arm / squared;
  fold.slope << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  fold.along = arm / std::sqrt(squared);
  folds_.push_back(fold);
  blocks_.make_narrow(turn);
  blocks_.pair(turn, far);
  Block length = Block::Zero();
  length.row(1) = fold.along.transpose();
  blocks_.add(turn, far, length);
  if (near >= 0) blocks_.add(turn, near, -length);
}

void FoldedLDLT::put(int i, int j, const Block& block) {
  if (i < 0 || j < 0) return;
  blocks_.add(i, j, i == j ? Block(block + block.transpose()) : block);
}

void FoldedLDLT::add(int i, int j, const Block& block) {
  const Fold *first = fold_of(i), *second = fold_of(j);
  if (first == nullptr && second == nullptr) return blocks_.add(i, j, block);
  if (i == j) return add_folded(*first, block);
  if (second == nullptr) return add_beside(*first, j, block);
  if (first == nullptr) return add_beside(*second, i, block.transpose());
  add_folded(*first, *second, block);
}

// On the diagonal of a turn; block is symmetric.
void FoldedLDLT::add_folded(const Fold& f, const Block& block) {
  const Block moved = block * f.slope, places = f.slope.transpose() * moved;
  const Block angle = row_of_phi(f.along.transpose() * moved);
  blocks_.add(f.far, f.far, places);
  blocks_.add(f.turn, f.far, angle);
  blocks_.add(f.turn, f.turn, corner_of_phi(f.along.dot(block * f.along)));
  if (f.near < 0) return;
  blocks_.add(f.near, f.near, places);
  blocks_.add(f.far, f.near, -places);
  blocks_.add(f.turn, f.near, -angle);
}

// Between two turns.
void FoldedLDLT::add_folded(const Fold& f, const Fold& g, const Block& block) {
  const Block moved = block * g.slope, places = f.slope.transpose() * moved;
  const Vector3d turned = block * g.along;
  const Block by_second = column_of_phi(f.slope.transpose() * turned), by_first = row_of_phi(f.along.transpose() * moved);
  put(f.far, g.far, places), put(f.near, g.near, places);
  put(f.far, g.near, -places), put(f.near, g.far, -places);
  put(f.far, g.turn, by_second), put(f.near, g.turn, -by_second);
  put(f.turn, g.far, by_first), put(f.turn, g.near, -by_first);
  put(f.turn, g.turn, corner_of_phi(f.along.dot(turned)));
}

// Between a turn and what is not folded.
void FoldedLDLT::add_beside(const Fold& f, int j, const Block& block) {
  const Block places = f.slope.transpose() * block;
  put(f.far, j, places), put(f.near, j, -places);
  put(f.turn, j, row_of_phi(f.along.transpose() * block));
}

void FoldedLDLT::solve(std::span<double> x) const {
  const auto at = [&x](int i) { return Eigen::Map<Vector3d>(x.data() + 3 * i); };
  for (const Fold& f : folds_) {
    const Vector3d right = at(f.turn), places = f.slope.transpose() * right;
    at(f.far) += places;
    if (f.near >= 0) at(f.near) -= places;
    at(f.turn) = Vector3d(f.along.dot(right), 0, 0);
  }
  blocks_.solve(x);
  for (const Fold& f : folds_) {
    const Vector3d apart = f.near >= 0 ? Vector3d(at(f.far) - at(f.near)) : Vector3d(at(f.far));
    at(f.turn) = f.slope * apart + x[3 * static_cast<std::size_t>(f.turn)] * f.along;
  }
}

}  // namespace tendril
