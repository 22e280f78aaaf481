#include "linear/block_ldlt.h"

#include <algorithm>
#include <cmath>

#include "linear/small_sweep.h"
#include "tendril/types.h"

namespace tendril {

namespace {
std::size_t bl(int i) { return static_cast<std::size_t>(i); }

// to(r, c) = sum over k < W of from(r, k) f(k, c) for c < C; columns are `stride` apart, a whole number of fours: what stands
// behind the last row is computed along. All columns at once: every number is loaded once.
template <int W, int C>
void combine(const double* __restrict f, const double* __restrict from, int stride, int first, double* __restrict to) {
  for (int r = first & ~3; r < stride; r += 4) {
    double sum[C][4];
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < 4; ++i) sum[c][i] = f[c] * from[r + i];
    for (int k = 1; k < W; ++k)
      for (int c = 0; c < C; ++c)
        for (int i = 0; i < 4; ++i) sum[c][i] += f[k * C + c] * from[k * stride + r + i];
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < 4; ++i) to[c * stride + r + i] = sum[c][i];
  }
}
template <int W>
void combine(int c, const double* f, const double* from, int stride, int first, double* to) {
  if (c == 3) return combine<W, 3>(f, from, stride, first, to);
  if (c == 5) return combine<W, 5>(f, from, stride, first, to);
  combine<W, 6>(f, from, stride, first, to);
}
void combine(int w, int c, const double* f, const double* from, int stride, int first, double* to) {
  if (w == 3) return combine<3>(c, f, from, stride, first, to);
  if (w == 5) return combine<5>(c, f, from, stride, first, to);
  combine<6>(c, f, from, stride, first, to);
}

// Scaled by powers of two, since rows differ in their units; inverted; scaled back.
template <int W>
PivotReport invert_scaled(double* d, double accepted) {
  double scale[W], ones[W];
  std::fill(ones, ones + W, 1.0);
  scale_rows(
      W, [d](int i, int j) { return d[W * i + j]; }, scale);
  const auto apply = [&] {
    for (int i = 0; i < W; ++i)
      for (int j = 0; j < W; ++j) d[W * i + j] *= scale[i] * scale[j];
  };
  apply();
  const PivotReport report = invert_symmetric<W>(d, ones, accepted);
  apply();
  return report;
}
}  // namespace

void BlockLDLT::begin(int blocks) {
  changed_ = changed_ || blocks != blocks_;
  blocks_ = blocks, given_ = 0;
  partner_.assign(bl(blocks), -1);
  last_.assign(bl(blocks), 0), narrow_.assign(bl(blocks), 0);
}

void BlockLDLT::pair(int multiplier, int with) {
  TENDRIL_REQUIRE(partner_[bl(multiplier)] < 0 && partner_[bl(with)] < 0 && multiplier != with, "a block has one partner");
  partner_[bl(multiplier)] = with, partner_[bl(with)] = multiplier;
}

void BlockLDLT::put_last(int i) { last_[bl(i)] = 1; }
void BlockLDLT::make_narrow(int i) { narrow_[bl(i)] = 1; }

void BlockLDLT::add(int i, int j, const Block& block) {
  if (given_ == static_cast<int>(row_.size())) {
    row_.push_back(i), column_.push_back(j);
    value_.push_back(block);
    changed_ = true;
  } else {
    changed_ = changed_ || row_[bl(given_)] != i || column_[bl(given_)] != j;
    row_[bl(given_)] = i, column_[bl(given_)] = j;
    value_[bl(given_)] = block;
  }
  ++given_;
}

PivotReport BlockLDLT::factor(double asked) {
  if (given_ != static_cast<int>(row_.size())) {
    row_.resize(bl(given_)), column_.resize(bl(given_)), value_.resize(bl(given_));
    changed_ = true;
  }
  if (changed_ || partner_ != partner_before_ || last_ != last_before_ || narrow_ != narrow_before_) analyse();
  changed_ = false;
  PivotReport report;
  scatter();
  const double accepted = accepted_pivot(asked, 16);
  for (const int p : degree_.order()) {
    if (nodes_[bl(p)].at >= 0) break;
    invert(nodes_[bl(p)], accepted, report);
    eliminate(nodes_[bl(p)]);
    update(p);
  }
  factor_last(accepted, report);
  return report;
}

void BlockLDLT::scatter() {
  for (auto* part : {&diagonal_, &lower_, &dense_values_}) std::fill(part->begin(), part->end(), 0.0);
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (int e = 0; e < given_; ++e) {
    const Slot& slot = slots_[bl(e)];
    const Block& value = value_[bl(e)];
    double* to = (slot.part == Slot::below      ? lower_.data()
                  : slot.part == Slot::diagonal ? diagonal_.data()
                                                : dense_values_.data()) +
                 slot.at;
    if (slot.rows == 3 && slot.columns == 3) {
      for (int j = 0; j < 3; ++j, to += slot.column)
        to[0] += value(0, j), to[slot.row] += value(1, j), to[2 * slot.row] += value(2, j);
    } else {
      for (int i = 0; i < slot.rows; ++i)
        for (int j = 0; j < slot.columns; ++j) to[i * slot.row + j * slot.column] += value(i, j);
    }
    if (slot.scaled) note_scale(e);
    if (!slot.both) continue;
    // The same block on the other side of the diagonal.
    double* other = diagonal_.data();
    if (slot.part == Slot::last) other = dense_values_.data();
    other += slot.mirror;
    for (int i = 0; i < slot.rows; ++i)
      for (int j = 0; j < slot.columns; ++j) other[j * slot.row + i * slot.column] += value(i, j);
  }
}

// Largest entry of each row, of blocks that stand alone.
void BlockLDLT::note_scale(int e) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double size = std::abs(value_[bl(e)](i, j));
      double &si = scale_[bl(3 * row_[bl(e)] + i)], &sj = scale_[bl(3 * column_[bl(e)] + j)];
      si = std::max(si, size), sj = std::max(sj, size);
    }
}

// D^-1 in place of D.
void BlockLDLT::invert(const Node& node, double accepted, PivotReport& report) {
  const int w = node.width;
  double* d = diagonal_.data() + node.diagonal;
  for (int i = 0; i < w; ++i)
    for (int j = 0; j < i; ++j) d[i * w + j] = d[j * w + i] = 0.5 * (d[i * w + j] + d[j * w + i]);
  if (w == 3) {
    report.add(invert_symmetric<3>(d, scale_.data() + 3 * node.block[0], accepted), 3 * node.block[0]);
    return;
  }
  PivotReport own;
  if (w == 5 && invert_with_length(d, accepted, own)) return report.add(own, 3 * node.block[0]);
  own = w == 5 ? invert_scaled<5>(d, accepted) : invert_scaled<6>(d, accepted);
  own.smallest_at = own.smallest_at < 3 ? own.smallest_at : own.smallest_at - 3 + 3 * (node.block[1] - node.block[0]);
  report.add(own, 3 * node.block[0]);
}

// L = A D^-1; what was A is kept for the update.
void BlockLDLT::eliminate(const Node& node) {
  double* l = lower_.data() + node.below;
  std::copy(l, l + node.width * node.stride, panel_.data());
  combine(node.width, node.width, diagonal_.data() + node.diagonal, panel_.data(), node.stride, 0, l);
}

// What the elimination takes off all that is beside it.
void BlockLDLT::update(int p) {
  const Node& node = nodes_[bl(p)];
  const int w = node.width, h = node.stride;
  const double* l = lower_.data() + node.below;
  const auto beside = degree_.beside(p);
  const auto subtract = [](double* to, const double* from, int count) {
    for (int i = 0; i < count; ++i) to[i] -= from[i];
  };
  int first = 0;  // row of b
  for (std::size_t b = 0; b < beside.size(); ++b) {
    const Node& to = nodes_[bl(beside[b])];
    double f[36];
    for (int k = 0; k < w; ++k)
      for (int c = 0; c < to.width; ++c) f[k * to.width + c] = panel_[bl(k * h + first + c)];
    combine(w, to.width, f, l, h, first, product_.data());
    if (to.at >= 0) {
      for (int c = 0; c < to.width; ++c) {
        const double* u = product_.data() + c * h + first;
        for (std::size_t a = b; a < beside.size(); ++a) {
          const Node& row = nodes_[bl(beside[a])];
          for (int i = 0; i < row.width; ++i) dense_values_[bl((row.at + i) * dense_size_ + to.at + c)] -= *u++;
        }
      }
      first += to.width;
      continue;
    }
    find_relative(beside.subspan(b + 1), beside[b]);
    for (int c = 0; c < to.width; ++c) {
      const double* u = product_.data() + c * h + first;
      double* d = diagonal_.data() + to.diagonal + c;
      for (int i = 0; i < to.width; ++i) d[i * to.width] -= *u++;
      double* column = lower_.data() + to.below + c * to.stride;
      for (std::size_t a = b + 1; a < beside.size(); ++a) {
        double* row = column + relative_[a - b - 1];
        const int count = nodes_[bl(beside[a])].width;
        if (count == 5)
          subtract(row, u, 5);
        else if (count == 3)
          subtract(row, u, 3);
        else
          subtract(row, u, 6);
        u += count;
      }
    }
    first += to.width;
  }
}

// First rows of `wanted` in the node's part of L; both by rank, and all of them are there.
void BlockLDLT::find_relative(std::span<const int> wanted, int node) {
  const auto have = degree_.beside(node);
  std::size_t k = 0;
  int row = 0;
  for (std::size_t a = 0; a < wanted.size(); ++a) {
    while (have[k] != wanted[a]) row += nodes_[bl(have[k++])].width;
    relative_[a] = row;
  }
}

void BlockLDLT::factor_last(double accepted, PivotReport& report) {
  if (dense_size_ == 0) return;
  // Lower blocks were updated, the whole was filled: the lower half counts.
  for (int i = 0; i < dense_size_; ++i)
    for (int j = 0; j < i; ++j) dense_values_[bl(j * dense_size_ + i)] = dense_values_[bl(i * dense_size_ + j)];
  scale_rows(
      dense_size_, [this](int i, int j) { return dense_values_[bl(i * dense_size_ + j)]; }, dense_scale_.data());
  for (int i = 0; i < dense_size_; ++i)
    for (int j = 0; j < dense_size_; ++j)
      dense_.at(i, j) = dense_values_[bl(i * dense_size_ + j)] * dense_scale_[bl(i)] * dense_scale_[bl(j)];
  PivotReport own = dense_.factor(accepted);
  if (own.smallest_at >= 0) own.smallest_at = last_rows_[bl(own.smallest_at)];
  report.add(own, 0);
}

void BlockLDLT::solve(std::span<double> x, int columns) const {
  TENDRIL_REQUIRE(x.size() == 3 * bl(blocks_) * bl(columns), "the right-hand side must have the matrix's size");
  const auto for_each = [&](int c, const auto& visit) {  // number in the order of elimination, and as it is given
    for (const Node& node : nodes_)
      for (int i = 0; i < node.width; ++i)
        visit(work_[bl(node.position + i)], x[bl(3 * node.block[i / 3] + i % 3) * bl(columns) + bl(c)]);
  };
  for (int c = 0; c < columns; ++c) {
    for_each(c, [](double& ordered, double& given) { ordered = given; });
    solve_one(work_.data());
    for_each(c, [](double& ordered, double& given) { given = ordered; });
  }
}

// y: in the order of elimination.
void BlockLDLT::solve_one(double* y) const {
  const auto order = degree_.order();
  for (const int p : order) {  // L
    const Node& node = nodes_[bl(p)];
    if (node.at >= 0) break;
    const double *l = lower_.data() + node.below, *own = y + node.position;
    for (const int a : degree_.beside(p)) {
      const Node& row = nodes_[bl(a)];
      double* to = y + row.position;
      for (int k = 0; k < node.width; ++k)
        for (int i = 0; i < row.width; ++i) to[i] -= l[k * node.stride + i] * own[k];
      l += row.width;
    }
  }
  double* last = y + last_position_;
  for (int i = 0; i < dense_size_; ++i) last[i] *= dense_scale_[bl(i)];
  if (dense_size_ > 0) dense_.solve({last, bl(dense_size_)});
  for (int i = 0; i < dense_size_; ++i) last[i] *= dense_scale_[bl(i)];
  for (int k = static_cast<int>(order.size()) - 1; k >= 0; --k) {  // D L^T
    const int p = order[bl(k)];
    const Node& node = nodes_[bl(p)];
    if (node.at >= 0) continue;
    const int w = node.width;
    const double *d = diagonal_.data() + node.diagonal, *l = lower_.data() + node.below;
    double *own = y + node.position, sum[6];
    for (int i = 0; i < w; ++i) {
      sum[i] = 0;
      for (int j = 0; j < w; ++j) sum[i] += d[i * w + j] * own[j];
    }
    for (const int a : degree_.beside(p)) {
      const Node& row = nodes_[bl(a)];
      const double* from = y + row.position;
      for (int m = 0; m < w; ++m)
        for (int i = 0; i < row.width; ++i) sum[m] -= l[m * node.stride + i] * from[i];
      l += row.width;
    }
    std::copy(sum, sum + w, own);
  }
}

void BlockLDLT::multiply(std::span<const double> x, std::span<double> y, int columns) const {
  std::fill(y.begin(), y.end(), 0.0);
  const auto add_product = [&](int i, int j, const auto& block) {
    for (int a = 0; a < (narrow_[bl(i)] ? 2 : 3); ++a)
      for (int b = 0; b < (narrow_[bl(j)] ? 2 : 3); ++b)
        for (int c = 0; c < columns; ++c) y[bl((3 * i + a) * columns + c)] += block(a, b) * x[bl((3 * j + b) * columns + c)];
  };
  for (int e = 0; e < given_; ++e) {
    add_product(row_[bl(e)], column_[bl(e)], value_[bl(e)]);
    if (row_[bl(e)] != column_[bl(e)]) add_product(column_[bl(e)], row_[bl(e)], value_[bl(e)].transpose());
  }
}

}  // namespace tendril
