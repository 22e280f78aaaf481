#include "model/build/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tendril {

namespace {

// Sorted, without repetitions; 0 and 1 exactly.
std::vector<double> merged(std::vector<double> places) {
  places.push_back(0);
  places.push_back(1);
  std::sort(places.begin(), places.end());
  std::vector<double> result;
  for (const double p : places)
    if (p > -same_place && p < 1 + same_place && (result.empty() || p - result.back() > same_place)) result.push_back(p);
  result.front() = 0;
  if (1 - result.back() <= same_place) {
    result.back() = 1;
  } else {
    result.push_back(1);
  }
  return result;
}

// How many times shorter the segments are at a place; refinements that overlap multiply.
double refinement_at(const std::vector<Refinement>& refine, double fraction) {
  double factor = 1;
  for (const Refinement& r : refine)
    if (fraction > r.from && fraction < r.to) factor *= r.factor;
  return factor;
}

// Shares `total` whole segments among intervals by weight, at least one each: the longest segment is as short as can be.
std::vector<int> apportion(const std::vector<double>& weight, int total) {
  const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
  std::vector<int> count(weight.size());
  int given = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    // The small addition keeps rounding from moving a segment between intervals that divide evenly.
    count[i] = std::max(1, static_cast<int>(std::floor(total * (weight[i] / sum) + 1e-6)));
    given += count[i];
  }
  const auto size_with = [&](std::size_t i, int n) { return weight[i] / n; };
  for (; given < total; ++given) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < count.size(); ++i)
      if (size_with(i, count[i]) > size_with(longest, count[longest]) * (1 + 1e-12)) longest = i;
    ++count[longest];
  }
  for (; given > total; --given) {  // "at least one" gave too many: take where it hurts least
    std::size_t best = count.size();
    for (std::size_t i = 0; i < count.size(); ++i) {
      if (count[i] < 2) continue;
      if (best == count.size() || size_with(i, count[i] - 1) < size_with(best, count[best] - 1) * (1 - 1e-12)) best = i;
    }
    --count[best];
  }
  return count;
}

std::vector<double> fill(const std::vector<double>& marks, const std::vector<int>& count) {
  std::vector<double> borders = {0.0};
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    const double a = marks[i], b = marks[i + 1];
    for (int k = 1; k < count[i]; ++k) borders.push_back(a + (b - a) * k / count[i]);
    borders.push_back(b);  // exactly
  }
  return borders;
}

}  // namespace

Checked<std::vector<double>> place_nodes(const MeshRequest& request, const std::string& rod_field) {
  const auto problem = [&](std::string what, std::string allowed, std::string remedy) {
    return Problems{{Severity::error, "", rod_field + ".segments", std::move(what), std::move(allowed), std::move(remedy)}};
  };
  std::vector<double> places = request.marks;
  for (const Refinement& r : request.refine) {
    places.push_back(r.from);
    places.push_back(r.to);
  }
  const std::vector<double> marks = merged(places);
  const auto with_vertices = [&](bool corners_only) {
    std::vector<double> all = places;
    for (const auto& v : request.vertices)
      if (v.corner || !corners_only) all.push_back(v.fraction);
    return merged(all);
  };

  if (!request.segments && !request.vertices.empty()) {  // the points of a polyline are the nodes
    const std::vector<double> all = with_vertices(false);
    std::vector<int> count;
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      count.push_back(
          std::max(1, static_cast<int>(std::lround(refinement_at(request.refine, 0.5 * (all[i] + all[i + 1]))))));
    return fill(all, count);
  }
  const int segments = request.segments.value_or(default_segments);
  const int fewest = std::max(request.ring ? 3 : 1, static_cast<int>(marks.size()) - 1);
  if (segments < fewest) {
    return problem(fmt::format("got {} segments", segments), fmt::format("must be at least {}", fewest),
                   request.ring && fewest == 3 ? "a ring needs three"
                                               : "every clamp, point load, joint and refinement needs a node of its own");
  }
  if (segments > max_segments)
    return problem(fmt::format("got {} segments", segments), fmt::format("must be at most {}", max_segments), "");
  const std::vector<double> cornered = with_vertices(true);
  const std::vector<double>& chosen = segments + 1 >= static_cast<int>(cornered.size()) ? cornered : marks;
  std::vector<double> weight;
  for (std::size_t i = 0; i + 1 < chosen.size(); ++i)
    weight.push_back((chosen[i + 1] - chosen[i]) * refinement_at(request.refine, 0.5 * (chosen[i] + chosen[i + 1])));
  return fill(chosen, apportion(weight, segments));
}

int nearest_node(const std::vector<double>& borders, double fraction, bool ring) {
  const auto after = std::lower_bound(borders.begin(), borders.end(), fraction);
  auto i = static_cast<int>(after - borders.begin());
  const int last = static_cast<int>(borders.size()) - 1;
  if (i > last) i = last;
  const auto at = [&](int k) { return borders[static_cast<std::size_t>(k)]; };
  if (i > 0 && fraction - at(i - 1) < at(i) - fraction) --i;
  return ring && i == last ? 0 : i;
}

}  // namespace tendril
