#include "model/rest_curve.h"

#include <algorithm>

namespace tendril {

RestCurve::RestCurve(ArcLengthCurve curve, std::vector<double> fraction, std::vector<double> material)
    : curve_(std::move(curve)), fraction_(std::move(fraction)), material_(std::move(material)) {}

CurvePoint RestCurve::at(double material) const {
  const auto after = std::upper_bound(material_.begin() + 1, material_.end() - 1, material);
  const auto k = static_cast<std::size_t>(after - material_.begin());
  const double share = std::clamp((material - material_[k - 1]) / (material_[k] - material_[k - 1]), 0.0, 1.0);
  return curve_.at(curve_.length() * ((1 - share) * fraction_[k - 1] + share * fraction_[k]));
}

}  // namespace tendril
