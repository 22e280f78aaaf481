// From the named blocks to the order of elimination and the places of their numbers: done anew where the pattern has changed.
#include <algorithm>

#include "linear/block_ldlt.h"
#include "tendril/types.h"

namespace tendril {

namespace {
std::size_t lay(int i) { return static_cast<std::size_t>(i); }
}  // namespace

void BlockLDLT::analyse() {
  partner_before_ = partner_, last_before_ = last_, narrow_before_ = narrow_;
  make_nodes();
  make_graph();
  degree_.order(graph_start_, graph_, node_size_, node_last_);
  lay_out();
  slots_.clear();
  for (int e = 0; e < given_; ++e) slots_.push_back(slot_of(row_[lay(e)], column_[lay(e)]));
}

void BlockLDLT::make_nodes() {
  has_diagonal_.assign(lay(blocks_), 0);
  for (int e = 0; e < given_; ++e)
    if (row_[lay(e)] == column_[lay(e)]) has_diagonal_[lay(row_[lay(e)])] = 1;
  nodes_.clear(), node_size_.clear(), node_last_.clear(), last_rows_.clear();
  node_of_.assign(lay(blocks_), -1), place_in_.assign(lay(blocks_), 0);
  for (int i = 0; i < blocks_; ++i) {
    if (node_of_[lay(i)] >= 0) continue;
    const int partner = partner_[lay(i)];
    Node node;
    node.block[0] = i;
    const bool put_last =
        last_[lay(i)] != 0 || (partner >= 0 && last_[lay(partner)] != 0) || (partner < 0 && !has_diagonal_[lay(i)]);
    if (partner >= 0) {
      node.block[1] = partner, node.size = 2;
      if (narrow_[lay(i)]) std::swap(node.block[0], node.block[1]);
      TENDRIL_REQUIRE(!narrow_[lay(node.block[0])], "a narrow block is paired with one that is not");
      node.width = narrow_[lay(node.block[1])] ? 5 : 6;
      node_of_[lay(partner)] = static_cast<int>(nodes_.size()), place_in_[lay(node.block[1])] = 3;
    } else {
      TENDRIL_REQUIRE(!narrow_[lay(i)], "a narrow block is paired with one that is not");
    }
    node_of_[lay(i)] = static_cast<int>(nodes_.size());
    if (put_last) {
      node.at = static_cast<int>(last_rows_.size());
      for (int k = 0; k < node.width; ++k) last_rows_.push_back(3 * node.block[k / 3] + k % 3);
    }
    nodes_.push_back(node);
    node_size_.push_back(node.size), node_last_.push_back(put_last ? 1 : 0);
  }
}

// Neighbours, each once, rising: whatever the sequence of the entries.
void BlockLDLT::make_graph() {
  const int n = static_cast<int>(nodes_.size());
  graph_seen_.assign(lay(n) + 1, 0);
  const auto for_each_pair = [&](const auto& visit) {
    for (int e = 0; e < given_; ++e) {
      const int a = node_of_[lay(row_[lay(e)])], b = node_of_[lay(column_[lay(e)])];
      if (a != b) visit(a, b), visit(b, a);
    }
  };
  for_each_pair([&](int a, int) { ++graph_seen_[lay(a) + 1]; });
  for (int v = 0; v < n; ++v) graph_seen_[lay(v) + 1] += graph_seen_[lay(v)];
  graph_.assign(lay(graph_seen_[lay(n)]), 0);
  graph_start_.assign(graph_seen_.begin(), graph_seen_.end());
  for_each_pair([&](int a, int b) { graph_[lay(graph_seen_[lay(a)]++)] = b; });
  int to = 0, from = 0;
  for (int v = 0; v < n; ++v) {
    const int end = graph_start_[lay(v) + 1];
    std::sort(graph_.begin() + from, graph_.begin() + end);
    graph_start_[lay(v)] = to;
    for (int k = from; k < end; ++k)
      if (k == from || graph_[lay(k)] != graph_[lay(k - 1)]) graph_[lay(to++)] = graph_[lay(k)];
    from = end;
  }
  graph_start_[lay(n)] = to;
  graph_.resize(lay(to));
}

void BlockLDLT::lay_out() {
  int diagonal = 0, below = 0, most_rows = 0, position = 0;
  fill_ = last_position_ = 0;
  std::size_t most_beside = 0;
  for (const int v : degree_.order()) {
    Node& node = nodes_[lay(v)];
    node.diagonal = diagonal, node.below = below;
    node.rows = node.stride = 0;
    node.position = position, position += node.width;
    if (node.at >= 0) continue;
    last_position_ = position;
    for (const int a : degree_.beside(v)) node.rows += nodes_[lay(a)].width;
    node.stride = (node.rows + 3) & ~3;
    diagonal += node.width * node.width;
    below += node.width * node.stride;
    fill_ += node.width * node.rows;
    most_rows = std::max(most_rows, node.stride), most_beside = std::max(most_beside, degree_.beside(v).size());
  }
  diagonal_.resize(lay(diagonal)), lower_.resize(lay(below));
  scale_.resize(3 * lay(blocks_)), work_.resize(3 * lay(blocks_));
  panel_.resize(6 * lay(most_rows)), product_.resize(6 * lay(most_rows));
  relative_.resize(most_beside);
  dense_size_ = static_cast<int>(last_rows_.size());
  dense_values_.resize(lay(dense_size_) * lay(dense_size_));
  dense_scale_.resize(lay(dense_size_));
  dense_.resize(dense_size_);
}

int BlockLDLT::row_in(int node, int other) const {
  int row = 0;
  for (const int a : degree_.beside(node)) {
    if (a == other) break;
    row += nodes_[lay(a)].width;
  }
  return row;
}

BlockLDLT::Slot BlockLDLT::slot_of(int i, int j) const {
  int a = node_of_[lay(i)], b = node_of_[lay(j)];
  int ka = place_in_[lay(i)], kb = place_in_[lay(j)];
  Slot slot;
  slot.both = i != j;
  slot.scaled = nodes_[lay(a)].width == 3 || nodes_[lay(b)].width == 3;
  slot.rows = narrow_[lay(i)] ? 2 : 3, slot.columns = narrow_[lay(j)] ? 2 : 3;
  if (a == b && nodes_[lay(a)].at < 0) {
    const Node& node = nodes_[lay(a)];
    const int w = node.width;
    slot.part = Slot::diagonal, slot.row = w, slot.column = 1;
    slot.at = node.diagonal + ka * w + kb, slot.mirror = node.diagonal + kb * w + ka;
    return slot;
  }
  if (nodes_[lay(a)].at >= 0 && nodes_[lay(b)].at >= 0) {
    const int row = nodes_[lay(a)].at + ka, column = nodes_[lay(b)].at + kb;
    slot.part = Slot::last, slot.row = dense_size_, slot.column = 1;
    slot.at = row * dense_size_ + column, slot.mirror = column * dense_size_ + row;
    return slot;
  }
  // L has the later one's rows in the earlier one's columns.
  slot.part = Slot::below, slot.both = false;
  const auto rank = degree_.rank();
  const bool swapped = rank[lay(a)] > rank[lay(b)];  // row i is the later one: as it is given
  if (!swapped) std::swap(a, b), std::swap(ka, kb);
  const Node& column = nodes_[lay(b)];
  slot.at = column.below + kb * column.stride + row_in(b, a) + ka;
  slot.row = swapped ? 1 : column.stride, slot.column = swapped ? column.stride : 1;
  return slot;
}

}  // namespace tendril
