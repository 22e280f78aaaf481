// The balance of energy over a run, from Frames alone: what is left when everything that went in and out is counted.
//
//   error = own_energy now - own_energy at the start - work + dissipated
//
// It is given as a fraction of the energy that moved: the largest, over the run so far, of the kinetic energy, the change of the elastic
// energy, the change of height, and each work and loss. Where next to nothing moves there is a floor, see energy_floor.
#pragma once

#include "model/model.h"
#include "tendril/state.h"

namespace tendril {

// Below this [J] motion is noise of the arithmetic and of tolerances: a millionth of weight times length and of EI / length.
double energy_floor(const Model& model);

class EnergyBalance {
 public:
  void begin(const Frame& first, double floor);  // the reference
  void note(const Frame& frame);                 // a recorded frame: the scale and the worst error grow
  bool begun() const { return begun_; }
  double joules(const Frame& frame) const;  // the error [J]; > 0: energy came from nowhere
  double scale(const Frame& frame) const;   // [J]
  double error(const Frame& frame) const;   // joules over scale
  double worst(const Frame& frame) const;   // the largest error of the frames noted and of this one, over the present scale
  double gain(const Frame& frame) const;    // the same for gains alone: an excused loss must not hide one
  void visit_state(StateArchive& archive) { archive(begun_, first_, floor_, scale_, most_, least_); }

 private:
  bool begun_ = false;
  Energy first_;
  double floor_ = 0;             // [J]
  double scale_ = 0;             // [J] so far
  double most_ = 0, least_ = 0;  // [J] errors so far: largest gain, largest loss (< 0)
};

}  // namespace tendril
