// Contact in a step: what touches is kept apart by impulses that alternate with the projection of lengths until both hold.
//
// A contact has three rows, one along its normal and two along its tangents (the first along a rod). Each row measures
//   c = sum g_i . x_i + offset      normal: the gap; tangents: how far the surfaces slide on each other in this step
// over the nodes it moves (and the body, if it touches one), and pushes them by x_i += w_i h_i p, p the impulse times dt.
// h = g but for the normal of rod against rod: there h is the gradient of the gap before the step. A push along the gradient
// after the step gives a compressed contact energy: sideways motion grows at the rate dt N/(m d), N the force, d the
// distance. A push across the rod acts at its surface and turns the material frame, which answers at once, being
// quasistatic: by r^2 C/dt^2 for each impulse, C the compliance of the angle  [Bergou 2008, sec. 5 has no inertia about the
// rod either]. A push along the rod acts at the centerline. Its moment r mu N about the section, which would bend the rod,
// is left out: it vanishes with the radius, and as a row it couples friction with the normal forces of neighbouring
// contacts, which chatter.
//   normal     p >= 0,  c >= least: 0, or most of the overlap that was there before, so that no overlap is paid for by speed
//   tangents   |p_t| <= mu p_n; the surfaces stick where that suffices (Coulomb)
// Solved by sweeps from contact to contact (projected Gauss-Seidel), from what the last step found.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_memory.h"
#include "contact/find_contacts.h"
#include "methods/der/joints/bodies_and_joints.h"
#include "methods/der/rod/frames.h"
#include "methods/der/step_clock.h"

namespace tendril::der {

constexpr double repair = 0.2;         // of an overlap that should not be, in one step
constexpr double most_unknown = 0.01;  // of the radius: overlap that no step before has seen
inline Vec3 carried(const Pose& pose, const Vec3& local) { return pose.position + pose.orientation * local; }

struct ContactRow {
  V3<double> g[4], h[4];
  double offset = 0;    // of c
  double mobility = 0;  // sum of w g . h, and of a body: 1/(effective mass) [1/kg]
  double frame = 0;     // likewise of the material frames, each contact as if all others pushed with it
  double impulse = 0;   // p [kg m]: force times dt^2
  double turned = 0;    // tangents: how far the material frames carry the surface under `counted` and all other impulses
  double counted = 0;   // p when that was found
  double way = 0;       // of the search for all impulses together
  double last = 0;      // p before the last sweep
  double least = 0;     // normal: of c
};
struct ContactRows {
  int vertex[4];  // of a, of b
  double w[4];    // inverse masses, 0 where there is no vertex
  // Segments whose frames friction turns: that of a and that of b, or the two beside a node that touches an obstacle.
  int slot[2];      // -1: none
  double lever[2];  // radius, half of it where two segments share a node's contact
  V3<double> axis[2];
  V3<double> normal, tangent[2];
  ContactRow row[3];  // normal, along a rod, across it
  double friction = 0;
  double radius = 0;  // the smaller one
  int body = -1;
  Vec3 local = Vec3::Zero();  // on the body
};

class Contacts {
 public:
  explicit Contacts(const Model& model);
  bool has_friction() const { return has_friction_; }
  void set_clock(StepClock* clock) { clock_ = clock; }

  // At the start of a step: where everything is.
  void remember(const Chain& chain, const BodiesAndJoints* joins);
  // After the free motion: what touches, and the impulses of the last step as a start.
  Found find(Chain& chain, const Drive& drive, BodiesAndJoints* joins, AngleWork& angles, double dt);
  bool empty() const { return rows_.empty(); }
  // An obstacle or body near a rod turns so far in this step that what passes through could be missed.
  bool turns_too_far() const;
  // Something moved so far since `find` that more may touch.
  bool is_outdated(const Chain& chain, const BodiesAndJoints* joins) const;
  Found find_again(Chain& chain, BodiesAndJoints* joins, AngleWork& angles, double dt);
  // One pass over all contacts. Returns the largest change of an impulse that it made, as a displacement of the nodes over
  // the radius.
  double sweep(Chain& chain, BodiesAndJoints* joins, double dt);
  // How far the contacts that press push in this step, on average, over the radius.
  double mean_push() const;
  // How far the material frames turn under the present friction.
  void turn_frames(const Chain& chain, AngleWork& angles, double dt);
  // Goes on in the direction of the last sweeps, as conjugate gradients do (nonsmooth nonlinear ones, Silcowitz 2010).
  void accelerate(Chain& chain, BodiesAndJoints* joins, double dt, bool first);
  // The next step begins with this part of the impulses.
  void trust(double part) { trust_ = part; }
  // The step is accepted.
  void add_torques(Chain& chain, double dt);
  void finish(const Chain& chain, const BodiesAndJoints* joins, double dt, StepReport& report);
  // By how much an overlap grew in the step, over the radius: contacts that were missing, or pushed the wrong way.
  double growth() const { return growth_; }

  std::span<const ContactPoint> points() const { return points_; }
  const Vec3& force_at(int node) const { return node_force_[z(node)]; }  // of all contacts on a node, in the last step [N]
  void visit_state(StateArchive& archive);

 private:
  Found look(const Chain& chain, const BodiesAndJoints* joins);
  void set_rows(const Chain& chain, const BodiesAndJoints* joins, double dt);
  void set_places(const Chain& chain, const Touch& touch, double dt, ContactRows& rows) const;
  void set_row(const Chain& chain, const BodiesAndJoints* joins, const Touch& touch, double dt, ContactRows& rows) const;
  void set_push(const Chain& chain, ContactRows& rows) const;
  void add_frame_mobility(const Chain& chain, AngleWork& angles, double dt);
  void sum_torques(double dt, Array& torque) const;
  void start_from_memory(Chain& chain, BodiesAndJoints* joins, double dt);
  double value(const Chain& chain, const BodiesAndJoints* joins, const ContactRows& rows, int k) const;
  void push(Chain& chain, BodiesAndJoints* joins, ContactRows& rows, int k, double impulse, double dt) const;
  void solve_friction(Chain& chain, BodiesAndJoints* joins, ContactRows& rows, double dt) const;
  void note_point(const Chain& chain, const BodiesAndJoints* joins, std::size_t touch, double dt, StepReport& report);
  void keep(double dt);
  void take_from_memory(std::size_t touch, double dt);

  const Model& model_;
  ContactGeometry geometry_;
  ContactWorkspace workspace_;
  ContactMemory memory_;
  std::vector<Touch> touches_;
  std::vector<ContactRows> rows_, earlier_;  // earlier: of the last look within this step
  std::vector<ContactKey> earlier_keys_;
  std::vector<ContactPoint> points_;
  std::vector<Vec3> before_, after_, node_force_;   // per node
  std::vector<Pose> places_before_, places_after_;  // obstacles, then bodies
  std::vector<int> body_of_;                        // per obstacle that is a body
  Array weight_, compliance_, turn_;                // per slot
  Array torque_;                                    // per edge, of friction in the last step [N m]
  std::vector<Wall> walls_before_;
  double trust_ = 1, growth_ = 0;
  double last_change2_ = 0;  // of the sweep before, squared, in the metric of the mobilities
  int obstacles_ = 0;
  double leeway_ = 0;  // [m] twice how far things may move before contacts are looked for again
  bool has_friction_ = false;
  std::int64_t forward_ = 1;  // sweeps go to and fro
  StepClock* clock_ = nullptr;
};

}  // namespace tendril::der
