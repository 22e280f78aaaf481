#include "linear/folded_ldlt.h"

#include <cmath>

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
  put_ = false;
  fold_at_.assign(static_cast<std::size_t>(blocks), -1);
}

void FoldedLDLT::fold(int turn, int near, int far, const Vector3d& arm) {
  fold_at_[static_cast<std::size_t>(turn)] = static_cast<int>(folds_.size());
  Fold fold;
  fold.turn = turn, fold.near = near, fold.far = far;
  fold.follows = !folds_.empty() && near >= 0 && folds_.back().far == near;
  const double squared = arm.squaredNorm();
  const Vector3d a = arm / squared;
  fold.slope << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  fold.along = arm / std::sqrt(squared);
  folds_.push_back(fold);
  blocks_.make_narrow(turn);
  blocks_.pair(turn, far);
}

void FoldedLDLT::put(int i, int j, const Block& block) {
  if (i < 0 || j < 0) return;
  blocks_.add(i, j, i == j ? Block(block + block.transpose()) : block);
}

void FoldedLDLT::add(int i, int j, const Block& block) {
  Fold *first = fold_of(i), *second = fold_of(j);
  if (first == nullptr && second == nullptr) return blocks_.add(i, j, block);
  if (i == j) {
    first->own += block;
    return;
  }
  if (first != nullptr && second != nullptr && first - second == 1 && first->follows) {
    first->between += block;
    return;
  }
  if (first != nullptr && second != nullptr && second - first == 1 && second->follows) {
    second->between += block.transpose();
    return;
  }
  if (second == nullptr) return add_beside(*first, j, block);
  if (first == nullptr) {
    Block turned = block;  // not from its transpose: Eigen checks for aliasing before it is set, which warns
    turned.transposeInPlace();
    return add_beside(*second, i, turned);
  }
  add_folded(*first, *second, block);
}

FoldedLDLT::Folded FoldedLDLT::fold_chain(std::size_t k) const {
  const Fold& f = folds_[k];
  Folded r;
  const Block moved = f.own * f.slope;
  r.own = f.slope.transpose() * moved;
  r.own_angle = f.along.transpose() * moved;
  r.angle = f.along.dot(f.own * f.along);
  if (!f.follows) return r;
  const Fold& before = folds_[k - 1];
  const Block moved_before = f.between * before.slope;
  const Vector3d turned_before = f.between * before.along;
  r.between = f.slope.transpose() * moved_before;
  r.angle_before = f.along.transpose() * moved_before;                // angle here, places before
  r.angle_after = (f.slope.transpose() * turned_before).transpose();  // angle before, places here
  r.angles = f.along.dot(turned_before);
  return r;
}

// Every block of places and angles once, whatever it is summed from.
void FoldedLDLT::put_chains() {
  Folded now, next;
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const Fold& f = folds_[k];
    now = k == 0 ? fold_chain(0) : next;
    const bool goes_on = k + 1 < folds_.size() && folds_[k + 1].follows;
    if (k + 1 < folds_.size()) next = fold_chain(k + 1);
    const int before = f.follows ? folds_[k - 1].near : -1;
    Block place = now.own, rows = Block::Zero();  // rows: of the angle and of the length, by the far place
    rows.row(0) = now.own_angle, rows.row(1) = f.along.transpose();
    Block rows_near = -rows, beside = now.between - now.own;
    rows_near.row(0) += now.angle_before;
    if (goes_on) {
      place += next.own - (next.between + next.between.transpose());
      beside += next.between;
      rows.row(0) -= next.angle_after;
      blocks_.add(f.turn, folds_[k + 1].far, row_of_phi(next.angle_after));
    }
    blocks_.add(f.far, f.far, place);
    blocks_.add(f.turn, f.far, rows);
    blocks_.add(f.turn, f.turn, corner_of_phi(now.angle));
    if (f.follows) blocks_.add(f.turn, folds_[k - 1].turn, corner_of_phi(now.angles));
    if (before >= 0) blocks_.add(f.far, before, -now.between), blocks_.add(f.turn, before, row_of_phi(-now.angle_before));
    if (f.near < 0) continue;
    blocks_.add(f.far, f.near, beside);
    blocks_.add(f.turn, f.near, rows_near);
    if (!f.follows) blocks_.add(f.near, f.near, now.own);
  }
}

PivotReport FoldedLDLT::factor(double accepted) {
  if (!put_) put_chains();
  put_ = true;
  return blocks_.factor(accepted);
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
