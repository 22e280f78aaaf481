// The rest curve of a rod by the rod's material coordinate, for methods that put nodes where the Model has none.
#pragma once

#include <vector>

#include "model/build/curves.h"

namespace tendril {

class RestCurve {
 public:
  // `fraction` of the curve's length and `material` coordinate of the rod's nodes, both rising, from 0 to the end.
  RestCurve(ArcLengthCurve curve, std::vector<double> fraction, std::vector<double> material);
  // At the model's nodes exactly on them; between two of them on the curve itself. Material coordinates run along the polygon of the
  // model's nodes, so that a node put between two others lies a little off their chord, as it should.
  CurvePoint at(double material) const;
  double length() const { return material_.back(); }  // of the polygon [m]

 private:
  ArcLengthCurve curve_;
  std::vector<double> fraction_, material_;
};

}  // namespace tendril
