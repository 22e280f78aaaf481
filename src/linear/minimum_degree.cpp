#include "linear/minimum_degree.h"

#include <algorithm>

namespace tendril {

namespace {
std::size_t md(int i) { return static_cast<std::size_t>(i); }
}  // namespace

void MinimumDegree::insert(int v) {
  const int d = degree_[md(v)];
  next_[md(v)] = head_[md(d)], previous_[md(v)] = -1;
  if (head_[md(d)] >= 0) previous_[md(head_[md(d)])] = v;
  head_[md(d)] = v;
}

void MinimumDegree::remove(int v) {
  if (next_[md(v)] >= 0) previous_[md(next_[md(v)])] = previous_[md(v)];
  if (previous_[md(v)] >= 0)
    next_[md(previous_[md(v)])] = next_[md(v)];
  else
    head_[md(degree_[md(v)])] = next_[md(v)];
}

// An element stands for what an eliminated node has connected: every two nodes of it are neighbours.
int MinimumDegree::gather(int p) {
  int total = 0;
  const auto take = [&](int v) {
    if (gone_[md(v)] || mark_[md(v)] == stamp_) return;
    mark_[md(v)] = stamp_;
    beside_.push_back(v);
    total += size_[md(v)];
  };
  ++stamp_;
  gone_[md(p)] = 1;
  begin_[md(p)] = static_cast<int>(beside_.size());
  const int* own = list_.data() + start_[md(p)];
  for (int k = 0; k < elements_[md(p)]; ++k) {
    const int e = own[k];
    if (absorbed_[md(e)]) continue;
    absorbed_[md(e)] = 1;
    for (int m = 0; m < count_[md(e)]; ++m) take(beside_[md(begin_[md(e)] + m)]);
  }
  for (int k = 0; k < direct_[md(p)]; ++k) take(own[elements_[md(p)] + k]);
  count_[md(p)] = static_cast<int>(beside_.size()) - begin_[md(p)];
  element_size_[md(p)] = total;
  return total;
}

// Node i beside the new element p, whose nodes are marked: what p covers leaves its lists.
void MinimumDegree::renew(int i, int p, int size) {
  int* own = list_.data() + start_[md(i)];
  int degree = size - size_[md(i)], elements = 0;
  scratch_.clear();
  for (int k = 0; k < direct_[md(i)]; ++k) {
    const int v = own[elements_[md(i)] + k];
    if (gone_[md(v)] || mark_[md(v)] == stamp_) continue;
    scratch_.push_back(v);
    degree += size_[md(v)];
  }
  for (int k = 0; k < elements_[md(i)]; ++k) {
    const int e = own[k];
    if (absorbed_[md(e)] || rest_[md(e)] == 0) continue;  // gone, or all of it is in p
    own[elements++] = e;
    degree += rest_[md(e)];
  }
  own[elements++] = p;
  std::copy(scratch_.begin(), scratch_.end(), own + elements);
  elements_[md(i)] = elements, direct_[md(i)] = static_cast<int>(scratch_.size());
  if (last_[md(i)]) return;
  remove(i);
  degree_[md(i)] = std::min(degree, degree_[md(i)] + size);
  insert(i);
}

void MinimumDegree::order(std::span<const int> start, std::span<const int> list, std::span<const int> size,
                          std::span<const char> last) {
  const int n = static_cast<int>(size.size());
  size_ = size, last_ = last;
  start_.assign(start.begin(), start.end());
  list_.assign(list.begin(), list.end());
  for (auto* v : {&elements_, &direct_, &degree_, &next_, &previous_, &begin_, &count_, &element_size_, &rest_, &rest_stamp_,
                  &mark_, &rank_})
    v->assign(md(n), 0);
  gone_.assign(md(n), 0), absorbed_.assign(md(n), 0);
  order_.clear(), beside_.clear();
  int most = 1;
  for (int v = 0; v < n; ++v) most += size[md(v)];
  head_.assign(md(2 * most), -1);
  stamp_ = 0;
  for (int v = n - 1; v >= 0; --v) {
    direct_[md(v)] = start[md(v) + 1] - start[md(v)];
    for (int k = start[md(v)]; k < start[md(v) + 1]; ++k) degree_[md(v)] += size[md(list[md(k)])];
    if (!last[md(v)]) insert(v);
  }
  int least = 0;
  const int to_go = n - static_cast<int>(std::count(last.begin(), last.end(), char(1)));
  while (static_cast<int>(order_.size()) < to_go) {
    while (head_[md(least)] < 0) ++least;
    const int p = head_[md(least)];
    remove(p);
    order_.push_back(p);
    const int total = gather(p), from = begin_[md(p)], count = count_[md(p)];
    // What of the older elements lies outside the new one.
    for (int k = 0; k < count; ++k) {
      const int i = beside_[md(from + k)];
      for (int m = 0; m < elements_[md(i)]; ++m) {
        const int e = list_[md(start_[md(i)] + m)];
        if (absorbed_[md(e)]) continue;
        if (rest_stamp_[md(e)] != stamp_) rest_stamp_[md(e)] = stamp_, rest_[md(e)] = element_size_[md(e)];
        rest_[md(e)] -= size_[md(i)];
      }
    }
    for (int k = 0; k < count; ++k) {
      const int i = beside_[md(from + k)];
      renew(i, p, total);
      if (!last[md(i)]) least = std::min(least, degree_[md(i)]);
    }
  }
  for (int v = 0; v < n; ++v)
    if (last[md(v)]) order_.push_back(v);
  for (int k = 0; k < n; ++k) rank_[md(order_[md(k)])] = k;
  for (int v = 0; v < n; ++v) {
    const auto first = beside_.begin() + begin_[md(v)];
    std::sort(first, first + count_[md(v)], [&](int a, int b) { return rank_[md(a)] < rank_[md(b)]; });
  }
}

}  // namespace tendril
