// Work done on rods between equilibria, the same for every method: by the trapezoidal rule, force and moment at both ends of an increment
// averaged, times how far the point moved and how far it turned. What contacts did, friction and obstacles that move, only the method knows: it
// stands in the flow of its frames.
#pragma once

#include <vector>

#include "model/drive.h"
#include "model/loads.h"
#include "tendril/state.h"

namespace tendril {

struct ForceAt {  // where something acts
  enum class By : std::uint8_t { clamp, load, coupling, hand } by = By::clamp;
  std::int32_t number = 0;  // which of them
  Vec3 place = Vec3::Zero(), force = Vec3::Zero(), moment = Vec3::Zero();
  Quat turn = Quat::Identity();
  void visit_state(StateArchive& archive) { archive(by, number, place, force, moment, turn); }
};
struct WorkSoFar {  // saved with a run
  EnergyFlow flow;
  EnergyFlow told;              // by the method, up to the last equilibrium
  std::vector<ForceAt> sites;   // of the last equilibrium: clamps, loads along rods, loads at nodes, pulls
  Vec3 gravity = Vec3::Zero();  // there
  Vec3 centre = Vec3::Zero();   // there: sum of mass times place [kg m]
  void visit_state(StateArchive& archive) { archive(flow, told, sites, gravity, centre); }
};

class EquilibriumWork {
 public:
  explicit EquilibriumWork(const Model& model);
  void begin(const Drive& drive, const Frame& frame, WorkSoFar& out);  // an equilibrium to start from: no work so far
  // The next equilibrium, with the drive it was found for. A clamp, coupling or hand that was not there before has done no work yet.
  void go_on(const Drive& drive, const Frame& frame, WorkSoFar& work);

 private:
  void find_sites(const Drive& drive, const Frame& frame);
  void add_loads(const Frame& frame);

  const Model& model_;
  LoadsNow loads_;
  Drive without_gravity_;
  std::vector<ForceAt> now_;
};

}  // namespace tendril
