// In which order the nodes of a graph are best eliminated, and what is left beside each when its turn comes: the pattern of L.
// Approximate minimum degree on the quotient graph [Amestoy 1996], on nodes of different size; no allocation once warm. The result
// depends on the graph alone, whatever was ordered before.
#pragma once

#include <span>
#include <vector>

namespace tendril {

class MinimumDegree {
 public:
  // neighbours of node v: list[start[v]] .. list[start[v + 1]], both directions, each once, without v itself. Nodes of `last` are
  // not eliminated; they stand at the end in their own order.
  void order(std::span<const int> start, std::span<const int> list, std::span<const int> size, std::span<const char> last);
  std::span<const int> order() const { return order_; }
  std::span<const int> rank() const { return rank_; }
  // Nodes that are beside v when it is eliminated, by rank; empty for the last ones.
  std::span<const int> beside(int v) const {
    const auto from = static_cast<std::size_t>(begin_[static_cast<std::size_t>(v)]);
    return std::span<const int>(beside_).subspan(from, static_cast<std::size_t>(count_[static_cast<std::size_t>(v)]));
  }

 private:
  void insert(int v);
  void remove(int v);
  int gather(int p);  // beside p; its size
  void renew(int i, int p, int size);

  std::span<const int> size_;
  std::span<const char> last_;
  std::vector<int> start_, list_, elements_, direct_;  // of v: elements_[v] elements first, then direct_[v] nodes
  std::vector<int> degree_, head_, next_, previous_;   // nodes by degree
  std::vector<int> order_, rank_, begin_, count_, beside_;
  std::vector<int> element_size_, rest_, rest_stamp_, mark_, scratch_;
  std::vector<char> gone_, absorbed_;
  int stamp_ = 0;
};

}  // namespace tendril
