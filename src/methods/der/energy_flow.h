// What goes into the rods and bodies and out of them in a step: the energy balance of a run.
//
// In a step a node's kinetic energy changes by the sum over all impulses on it of
//   J . (v before + v after)/2
// exactly, whatever the scheme did in between: so much of it belongs to each force. For the stored velocities of leapfrog, half a step
// before and after the force, it is force times displacement by the trapezoidal rule. What elastic forces, weight and constraints do by this
// rule and the change of potential energy differ: that is the scheme's error, and it is not hidden in any term.
//   mass damping   v' = (v + h f/m)/(1 + h c):  J = -h c m v', when all other impulses of the step are taken whole
//   inside         the change of velocities by internal damping
//   clamps         minus all other forces on the held node, times (displacement before + after)/2, and its change of kinetic energy;
//                  walls likewise with moment and turn
//   hands          what they push the node with, springs and dampers
//   air            J, of which force . air's velocity is the wind's work; drag took the rest
//   contact        J . velocity of the surface is the work of what moves; the rest was taken, by friction along the tangents, by impacts
//                  along the normal
//   moments        as forces at the two ends of their edge, and about the edge: torque (mean of before and now) . turn of the frame
#pragma once

#include "methods/der/contact/contacts.h"
#include "methods/der/joints/bodies_and_joints.h"
#include "methods/der/lengths/projection.h"
#include "methods/der/rod/forces.h"

namespace tendril::der {

// The power at which elastic forces and weight set everything in motion: how fast potential energy falls. With frames and elastic forces of
// the present positions in the chain.
double power_of_potentials(const Model& model, const Chain& chain, const Drive& drive, const BodiesAndJoints* joins);

class FlowMeter {
 public:
  explicit FlowMeter(const Model& model);
  void attach(const Chain& chain);  // a chain was built: allocates

  // Of one step, in this order. `drive`: of the end of the step; gradients, loads and tangents are those of its start. `unchanged`: the
  // drive says what it said in the step before.
  void begin(const Chain& chain, const Drive& drive, bool unchanged, const Loads& loads, const BodiesAndJoints* joins);
  AirFlow& air() { return air_; }
  Array3* internal() { return has_internal_ ? &internal_ : nullptr; }
  // Impulse of a grip on its point [N s]; of a rod whole, before mass damping took its part.
  void note_grip(std::size_t grip, const Vec3& impulse) { grip_impulse_[grip] += impulse; }
  void end(const Chain& chain, const Drive& drive, const Loads& loads, const BodiesAndJoints* joins,
           const Contacts* contacts, const StepTimes& step, Push push);

  // Velocities are brought forward to the time of the positions: what acts has done its work in that time too.
  void settle(double since);
  EnergyFlow after(double since) const;             // the same, without settling
  double last_kick() const { return last_kick_; }   // time over which forces acted in the last step [s]
  const Vec3& gravity() const { return gravity_; }  // of the last step; before the first: at the start
  void visit_state(StateArchive& archive);

 private:
  bool is_metered(const Drive& drive) const;  // something acts whose work depends on velocities
  struct HeldVertex {
    int vertex = 0;
    V3<double> before{0, 0, 0}, after{0, 0, 0};  // edges there at the start of the step, where their length is kept
  };
  struct HeldNode {                    // of a clamp that holds a position
    std::vector<HeldVertex> vertices;  // all that are its node
    V3<double> velocity{0, 0, 0};      // at the start of the step
    V3<double> felt{0, 0, 0};          // loads and elastic force there then [N]
    bool works = false;                // moves in this step, or moved in the last
  };
  struct ClampPast {
    bool active = false;
    double turn = 0;                                   // at the end of the step before [rad], any number of turns
    Vec3 moved = Vec3::Zero(), turned = Vec3::Zero();  // in the step before
    Vec3 moves = Vec3::Zero(), turns = Vec3::Zero();   // in this step
    void visit_state(StateArchive& archive) { archive(active, turn, moved, turned); }
  };
  V3<double> mean_velocity(const Chain& c, int vertex) const { return 0.5 * (before_.get(vertex) + c.v.get(vertex)); }
  void note_gravity(const Chain& c, const Drive& drive, const BodiesAndJoints* joins);
  void note_clamps(const Chain& c, const Drive& drive, const Loads& loads);
  void note_moments(const Chain& c, const Drive& drive, const Loads& loads);
  void add_loads(const Chain& c, const Loads& loads, double kick);
  void add_clamps(const Chain& c, const BodiesAndJoints* joins, const Contacts* contacts, const Drive& drive, double kick,
                  Push push);
  void add_grips(const Chain& c, const Drive& drive, const BodiesAndJoints* joins);
  void add_air(const Chain& c);
  void add_damping(const Chain& c, double kick);
  void add_turns(const Chain& c, const Contacts* contacts);
  void add_bodies(const BodiesAndJoints& joins, const StepTimes& step);

  const Model& model_;
  bool has_loads_ = false, has_damping_ = false, has_turns_ = false, has_contact_ = false, has_internal_ = false;
  EnergyFlow flow_;                // since the start
  EnergyFlow last_;                // of the last step: of what acts all the time
  double last_kick_ = 0;           // time over which forces acted in it [s]
  Vec3 gravity_ = Vec3::Zero();    // of the step before
  bool at_rest_ = false;           // in the step before no clamp moved or turned, nor in the one before that
  bool skips_clamps_ = false;      // in this step: nor will they now
  std::vector<ClampPast> clamps_;  // per clamp
  std::vector<HeldNode> held_;     // per clamp
  std::vector<Vec3> wall_moment_;  // per wall of the chain: of its clamp on the rod, at the start of the step [N m]
  Array3 before_;                  // velocities at the start of the step
  std::vector<BodyState> bodies_before_;
  std::vector<Vec3> grip_impulse_;          // per grip of the drive, in this step [N s]
  AirFlow air_;                             // of this step
  std::vector<Loads::Couple> couples_;      // at the start of the step
  std::vector<V3<double>> couple_pull_;     // per couple: force at the end of its slot, the opposite at its start [N]
  Array3 internal_;                         // per vertex: impulse of internal damping, in this step [N s]
  Array3 tangent_, director_;               // per slot, at the start of the step; where moments turn frames
  Array load_torque_, load_torque_before_;  // per edge, about it: of this step and of the step before [N m]
  Array friction_torque_before_;            // per edge
};

}  // namespace tendril::der
