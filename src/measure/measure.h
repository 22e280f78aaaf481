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

// The rod at rest, at the nodes that a frame has.
struct RestValues {
  OnInnerNodes<JointStrain> strain;
  OnInnerNodes<double> twist;  // [rad]
  OnNodes<double> mass;        // half of each neighbouring edge [kg]
  OnEdges<double> length;      // [m]
  OnEdges<EdgeIndex> section;  // the edge of the model whose section it has
};

class Meter {
 public:
  explicit Meter(std::shared_ptr<const Model> model);  // takes the strain of the rest frames, once

  // Fills everything but the energy error, which needs the past. Allocates nothing but the probes' values the first time `out` is used.
  void measure(const Frame& frame, Measures& out) const;
  Energy energy(const Frame& frame) const { return energy(frame, rest_of(frame)); }  // of all rods and bodies
  // Of a frame with other nodes than the model the rest strain is that of the model's joints per length, interpolated: second order.
  // Valid until the next call.
  const RestValues& rest_of(const Frame& frame) const;

 private:
  void set_masses(const std::vector<RodSpan>& rods, RestValues& rest) const;  // from lengths and sections
  Energy energy(const Frame& frame, const RestValues& rest) const;
  Energy energy_of_rod(const Frame& frame, const RestValues& rest, int rod) const;
  void measure_body(const Frame& frame, const ProbeModel& probe, std::vector<double>& out) const;
  void measure_probe(const Frame& frame, const RestValues& rest, const ProbeModel& probe, std::vector<double>& out) const;
  std::shared_ptr<const Model> model_;
  RestValues rest_;             // at the model's nodes
  OnInnerNodes<Vec3> density_;  // rest strain per length there: about d1, about d2, twist [rad/m]
  mutable RestValues other_;    // at the nodes of a frame that has others; keeps its storage
};

// The edge before and after an inner node of the flat arrays.
struct JointEdges {
  EdgeIndex before, after;
};
JointEdges edges_at_inner(const RodSpan& rod, int inner);  // `inner` counts from the rod's first

// One moment's worth of convenience: makes a Meter and uses it once.
Measures measure(std::shared_ptr<const Model> model, const Frame& frame);

}  // namespace tendril
