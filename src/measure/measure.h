// The yardstick: energies, momenta, errors and probes taken from Frames alone, the same for every method, so that methods
// can be compared. The energy a scheme itself conserves is Frame::own_energy; the two are never mixed.
#pragma once

#include <memory>
#include <vector>

#include "model/model.h"
#include "tendril/frame.h"
#include "tendril/simulate.h"

namespace tendril {

// Bend and twist of the joint between two edge frames: first turn by half of the twist about d3, then bend by `bend` (a
// rotation vector without d3 part), then turn by the other half. For small angles this is the rotation vector of a^-1 b. It
// is used instead of that because a rotation vector near half a turn of twist overstates the bend by up to pi/2.
struct JointStrain {
  double bend1 = 0, bend2 = 0;  // [rad] about d1 and d2 of the frame half-way between a and b
};
JointStrain joint_strain(const Quat& a, const Quat& b, double unwrapped_twist);

class Meter {
 public:
  explicit Meter(std::shared_ptr<const Model> model);  // takes the strain of the rest frames, once

  // Fills everything but `drift`, which needs the past. Allocates nothing but the probes' values the first time `out` is used.
  void measure(const Frame& frame, Measures& out) const;
  Energy energy(const Frame& frame) const;  // of all rods and bodies
  Energy energy_of_rod(const Frame& frame, int rod) const;

 private:
  void measure_body(const Frame& frame, const ProbeModel& probe, std::vector<double>& out) const;
  void measure_probe(const Frame& frame, const ProbeModel& probe, std::vector<double>& out) const;
  std::shared_ptr<const Model> model_;
  OnInnerNodes<JointStrain> rest_;
  OnNodes<double> node_mass_;  // half of each neighbouring edge [kg]
};

// The edge before and after an inner node of the flat arrays.
struct JointEdges {
  EdgeIndex before, after;
};
JointEdges edges_at_inner(const RodSpan& rod, int inner);  // `inner` counts from the rod's first

// One moment's worth of convenience: makes a Meter and uses it once.
Measures measure(std::shared_ptr<const Model> model, const Frame& frame);

}  // namespace tendril
