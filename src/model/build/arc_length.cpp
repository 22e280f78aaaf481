#include "model/build/arc_length.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tendril {

namespace {
// Gauss-Legendre, ten points on [-1, 1] (symmetric).
constexpr std::array<double, 5> gauss_place = {0.14887433898163121, 0.43339539412924719, 0.67940956829902441,
                                               0.86506336668898451, 0.97390652851717172};
constexpr std::array<double, 5> gauss_weight = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                                                0.14945134915058059, 0.06667134430868814};
constexpr int deepest = 20;
}  // namespace

ArcLength::ArcLength(Speed speed, double end, int first_panels) : speed_(std::move(speed)), start_{0.0}, length_{0.0} {
  const auto border = [&](int k) { return end * k / first_panels; };
  std::vector<double> first(static_cast<std::size_t>(first_panels));
  for (int k = 0; k < first_panels; ++k) {
    first[static_cast<std::size_t>(k)] = gauss(border(k), border(k + 1));
    scale_ += first[static_cast<std::size_t>(k)];
  }
  for (int k = 0; k < first_panels; ++k) add_panels(border(k), border(k + 1), first[static_cast<std::size_t>(k)], 0);
}

double ArcLength::gauss(double a, double b) const {
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  double sum = 0;
  for (std::size_t k = 0; k < gauss_place.size(); ++k) {
    const double d = half * gauss_place[k];
    sum += gauss_weight[k] * (speed_(middle - d) + speed_(middle + d));
  }
  return half * sum;
}

void ArcLength::add_panels(double a, double b, double whole, int depth) {
  const double middle = 0.5 * (a + b);
  const double left = gauss(a, middle), right = gauss(middle, b);
  // Rounding of the speed itself sets the floor of what halving can reach: the second term.
  const double fine = 1e-14 * (left + right) + 3e-16 * scale_;
  if (depth < deepest && !(std::abs(left + right - whole) <= fine)) {
    add_panels(a, middle, left, depth + 1);
    add_panels(middle, b, right, depth + 1);
    return;
  }
  start_.push_back(b);
  length_.push_back(length_.back() + (left + right));
}

double ArcLength::parameter(double arc_length) const {
  if (!(arc_length > 0)) return 0;
  if (arc_length >= total()) return start_.back();
  const auto after = std::upper_bound(length_.begin(), length_.end(), arc_length);
  const auto panel = static_cast<std::size_t>(after - length_.begin()) - 1;
  const double a = start_[panel];
  double low = a, high = start_[panel + 1];
  double t = low + (high - low) * (arc_length - length_[panel]) / (length_[panel + 1] - length_[panel]);
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double miss = length_[panel] + gauss(a, t) - arc_length;
    if (std::abs(miss) <= 1e-15 * total()) break;
    (miss > 0 ? high : low) = t;
    const double newton = t - miss / speed_(t);
    t = newton > low && newton < high ? newton : 0.5 * (low + high);
  }
  return t;
}

}  // namespace tendril
