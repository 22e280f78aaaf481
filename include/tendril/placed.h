// Arrays that know where their values sit: indexing node data with an edge does not compile.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

namespace tendril {

template <class Tag>
struct Index {
  int value = 0;
  constexpr Index() = default;
  constexpr explicit Index(int i) : value(i) {}
  constexpr Index& operator++() { return ++value, *this; }
  constexpr Index operator+(int k) const { return Index(value + k); }
  constexpr Index operator-(int k) const { return Index(value - k); }
  constexpr auto operator<=>(const Index&) const = default;
};
using NodeIndex = Index<struct NodeTag>;
using EdgeIndex = Index<struct EdgeTag>;
using InnerNodeIndex = Index<struct InnerNodeTag>;  // a node between two edges; in a ring every node is one

template <class I, class T>
class Placed {
 public:
  Placed() = default;
  explicit Placed(int count, const T& value = T()) : data_(static_cast<std::size_t>(count), value) {}

  T& operator[](I i) { return data_[static_cast<std::size_t>(i.value)]; }
  const T& operator[](I i) const { return data_[static_cast<std::size_t>(i.value)]; }
  int size() const { return static_cast<int>(data_.size()); }
  bool empty() const { return data_.empty(); }
  void assign(int count, const T& value = T()) { data_.assign(static_cast<std::size_t>(count), value); }
  void resize(int count) { data_.resize(static_cast<std::size_t>(count)); }
  void push_back(const T& value) { data_.push_back(value); }
  void clear() { data_.clear(); }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  auto begin() { return data_.begin(); }
  auto end() { return data_.end(); }
  auto begin() const { return data_.begin(); }
  auto end() const { return data_.end(); }
  bool operator==(const Placed&) const = default;

 private:
  std::vector<T> data_;
};
template <class T>
using OnNodes = Placed<NodeIndex, T>;
template <class T>
using OnEdges = Placed<EdgeIndex, T>;
template <class T>
using OnInnerNodes = Placed<InnerNodeIndex, T>;

}  // namespace tendril
