#include "methods/cable/pair_border.h"

#include <algorithm>
#include <cmath>

namespace tendril::cable {
namespace {
Vector6 velocity_of(const Response& e) {
  Vector6 v;
  v << e.v, e.spin;
  return v;
}
Vector6 answer(const Response& e, const Vector6& push) {
  Vector6 out;
  out.head<3>() = e.linear * push.head<3>(), out.tail<3>() = e.angular * push.tail<3>();
  if (e.has_mixed) {
    out.head<3>() += e.mixed * push.tail<3>();
    out.tail<3>() += e.mixed.transpose() * push.head<3>();
  }
  return out;
}
}  // namespace

bool PairBorder::solve(std::span<const std::unique_ptr<GroupSolver>> solvers, std::span<const int> group_of,
                       const std::vector<JointRows>& rows, std::vector<Response>& elements, const StepSizes& step) {
  const std::size_t count = rows_.size();
  if (count == 0) return true;
  if (change_.size() < count) change_.resize(count);
  force_.resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    const PairRow& row = rows_[p];
    std::vector<Vector6>& change = change_[p];
    change.assign(elements.size(), Vector6::Zero());
    change[z(row.a)] += step.h * answer(elements[z(row.a)], row.of_a);
    change[z(row.b)] += step.h * answer(elements[z(row.b)], row.of_b);
    const int first = group_of[z(row.a)], second = group_of[z(row.b)];
    solvers[z(first)]->follow(rows, step, change);
    if (second != first) solvers[z(second)]->follow(rows, step, change);
  }
  matrix_.resize(static_cast<int>(count));
  for (std::size_t p = 0; p < count; ++p) {
    const PairRow& row = rows_[p];
    for (std::size_t q = 0; q < count; ++q)
      matrix_.at(static_cast<int>(p), static_cast<int>(q)) =
          row.of_a.dot(change_[q][z(row.a)]) + row.of_b.dot(change_[q][z(row.b)]);
    matrix_.at(static_cast<int>(p), static_cast<int>(p)) += 1 / row.D;
    force_[p] =
        row.b0 / row.D - row.of_a.dot(velocity_of(elements[z(row.a)])) - row.of_b.dot(velocity_of(elements[z(row.b)]));
  }
  // Rounding makes it differ from its transpose.
  for (int p = 0; p < static_cast<int>(count); ++p)
    for (int q = 0; q < p; ++q) matrix_.at(p, q) = matrix_.at(q, p) = 0.5 * (matrix_.at(p, q) + matrix_.at(q, p));
  if (!std::isfinite(matrix_.factor().smallest)) return false;
  matrix_.solve(force_);
  // All forces together, once more through the chains: their multipliers follow too.
  std::vector<Vector6>& sum = change_[0];
  std::fill(sum.begin(), sum.end(), Vector6::Zero());
  touched_.assign(solvers.size(), 0);
  for (std::size_t p = 0; p < count; ++p) {
    const PairRow& row = rows_[p];
    if (!std::isfinite(force_[p])) return false;
    sum[z(row.a)] += (step.h * force_[p]) * answer(elements[z(row.a)], row.of_a);
    sum[z(row.b)] += (step.h * force_[p]) * answer(elements[z(row.b)], row.of_b);
    touched_[z(group_of[z(row.a)])] = touched_[z(group_of[z(row.b)])] = 1;
  }
  for (std::size_t g = 0; g < solvers.size(); ++g) {
    if (!touched_[g]) continue;
    solvers[g]->follow(rows, step, sum, true);
    for (const int e : solvers[g]->group().elements)
      elements[z(e)].v += sum[z(e)].head<3>(), elements[z(e)].spin += sum[z(e)].tail<3>();
  }
  return true;
}

}  // namespace tendril::cable
