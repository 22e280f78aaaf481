// Contact in a step: what touches is kept apart by impulses that alternate with the projection of lengths until both hold.
//
// Finding, rows, cone, warm start and sweeps are the shared ones of src/contact; what is Discrete Elastic Rods' own is here:
// what an impulse moves, and the material frames. Friction across a rod acts at its surface and turns the material frame,
// which answers at once, being quasistatic: by r^2 C/dt^2 for each impulse, C the compliance of the angle  [Bergou 2008,
// sec. 5 has no inertia about the rod either]. Friction along the rod acts at the centerline. Its moment r mu N about the
// section, which would bend the rod, is left out: it vanishes with the radius, and as a row it couples friction with the
// normal forces of neighbouring contacts, which chatter.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_sweeps.h"
#include "contact/contact_watch.h"
#include "contact/warm_start.h"
#include "methods/der/joints/bodies_and_joints.h"
#include "methods/der/rod/frames.h"
#include "methods/der/step_clock.h"

namespace tendril::der {

struct FramedRows : ContactRows {
  int vertex[4];  // of the nodes
  // Segments whose frames friction turns: that of a and that of b, or the two at a node that touches an obstacle.
  int slot[2];      // -1: none
  double lever[2];  // radius, half of it where two segments share a node's contact
  V3<double> axis[2];
};

// Rods and bodies in a step, as the sweeps see them.
struct ContactSystem {
  Chain& chain;
  BodiesAndJoints* joins;
  double dt;
  double value(const FramedRows& rows, int k) const;
  void push(FramedRows& rows, int k, double impulse) const;
};

class Contacts {
 public:
  explicit Contacts(const Model& model, Workers* workers = nullptr);
  bool has_friction() const { return watch_.has_friction(); }
  void set_clock(StepClock* clock) { clock_ = clock; }

  // At the start of a step: where everything is.
  void remember(const Chain& chain, const BodiesAndJoints* joins);
  // After the free motion: what touches, and the impulses of the last step as a warm start.
  Found find(Chain& chain, const Drive& drive, BodiesAndJoints* joins, AngleWork& angles, double dt);
  bool turns_too_far() const { return watch_.turns_too_far(); }
  bool is_outdated(const Chain& chain, const BodiesAndJoints* joins) const;
  Found find_again(Chain& chain, BodiesAndJoints* joins, AngleWork& angles, double dt);
  // One pass over all contacts; see contact_sweeps.h. Every other one goes backwards.
  double sweep(Chain& chain, BodiesAndJoints* joins, double dt);
  double mean_push() const { return tendril::mean_push(rows_); }
  // How far the material frames turn under the present friction.
  void turn_frames(const Chain& chain, AngleWork& angles, double dt);
  void accelerate(Chain& chain, BodiesAndJoints* joins, double dt, bool first);
  // The warm start of the next step is this fraction of the impulses.
  void set_warm_start_factor(double factor) { warm_start_factor_ = factor; }
  // The step is accepted.
  void add_torques(Chain& chain, double dt);
  void finish(const Chain& chain, const BodiesAndJoints* joins, double dt, StepReport& report);
  // By how much an overlap grew in the step, over the radius: contacts that were missing, or pushed in the wrong direction.
  double growth() const { return growth_; }

  std::span<const ContactPoint> points() const { return points_; }
  const Vec3& force_at(int node) const { return node_force_[z(node)]; }  // of all contacts on a node, in the last step [N]
  double torque(std::size_t edge) const { return torque_[edge]; }        // of friction about an edge, in the last step [N m]
  // What the contacts of the step that is finished did: work of obstacles and driven bodies that move, and what friction and impacts
  // took. `before`: velocities and bodies at the start of the step. See energy_flow.h.
  void add_flow(const Chain& chain, const Array3& before, const BodiesAndJoints* joins,
                std::span<const BodyState> bodies_before, double dt, EnergyFlow& flow) const;
  void visit_state(StateArchive& archive);

 private:
  Found look(const Chain& chain, const BodiesAndJoints* joins, double dt, AngleWork& angles);
  void set_rows(const Chain& chain, const BodiesAndJoints* joins, double dt);
  void set_places(const Chain& chain, const Touch& touch, double dt, FramedRows& rows) const;
  void set_row(const Chain& chain, const BodiesAndJoints* joins, const Touch& touch, double dt, FramedRows& rows) const;
  void add_frame_compliance(const Chain& chain, AngleWork& angles, double dt);
  void sum_torques(double dt, Array& torque) const;
  void note_point(const Chain& chain, const BodiesAndJoints* joins, std::size_t touch, double dt, StepReport& report);

  const Model& model_;
  ContactWatch watch_;                         // finds what touches, with a Verlet list of near pairs
  ContactMemory memory_;                       // impulses by key, from step to step: the warm start
  std::vector<FramedRows> rows_;               // one per touch: the constraints of the present search
  EarlierRows<FramedRows> earlier_;            // those of the search before, within this step
  std::vector<ContactPoint> points_;           // what frames and the log show of the last step
  std::vector<Vec3> node_force_;               // per node: sum of contact forces in the last step [N]
  Array weight_, compliance_, turn_;           // per slot: torque, turn under unit friction, turn of the frames
  Array torque_;                               // per edge, of friction in the last step [N m]
  std::vector<Wall> walls_before_;             // walls at the start of the step
  double warm_start_factor_ = 1, growth_ = 0;  // see set_warm_start_factor, growth
  double change2_ = 0;                         // square of the impulses' change in the sweep before: see accelerate
  std::int64_t forward_ = 1;                   // 1: the next sweep goes forwards, 0: backwards
  StepClock* clock_ = nullptr;                 // nullptr: not measured
};

}  // namespace tendril::der
