// Offered by methods that can say how an equilibrium changes with its model, beside Method.
#pragma once

#include <memory>

#include "tendril/frame.h"

namespace tendril {

struct Model;  // src/model/model.h

class Nearby {
 public:
  virtual ~Nearby() = default;
  // How far apart the two models should be, over the number in which they differ: so far that rounding does not matter, and so near that the
  // third derivative does not.
  virtual double apart() const { return 1e-5; }
  // Frames of the equilibria of two models on both sides of the one at hand, to first order: their difference over that of a number of
  // the models is the derivative in it. False: the equilibrium does not change smoothly (no minimum, or other nodes). The method is left as it was.
  virtual bool nearby(const std::shared_ptr<const Model>& less, const std::shared_ptr<const Model>& more, double time,
                      double load_factor, Frame& frame_less, Frame& frame_more) = 0;
};

}  // namespace tendril
