// Into how many parts a step of bodies is divided so that none passes through what is thin: conservative advancement by
// bounds on distance and speed. [Mirtich 1996]
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/bodies.h"

namespace tendril {

class StepParts {
 public:
  StepParts(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds);
  void ignore_pair(int a, int b);  // because they do not collide

  // Equal parts for a step of dt from these states: in the first of them no two bodies come nearer by more than the bound on
  // their distance and half of what is thinnest in either. To be asked again after it.
  double parts(double dt, std::span<const Wrench> wrenches, std::span<const BodyState> states) const;

 private:
  struct Size {
    double reach = 0, thin = 0;  // [m]; 0: does not collide
  };
  double most(int i, double dt, std::span<const Wrench> wrenches, const BodyState& state) const;
  std::vector<BodyModel> bodies_;
  std::vector<GroundPlane> grounds_;
  std::vector<Size> size_;
  std::vector<std::array<int, 2>> ignored_;
  mutable std::vector<double> speed_;  // per body: how much faster than its centre's velocity a point of it may be [m/s]
};

}  // namespace tendril
