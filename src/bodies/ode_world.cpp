// Body dynamics on the Open Dynamics Engine.
//
// ODE cannot copy a world, its spaces keep state, and setting what was read is not the identity. So every step pushes all
// states, finds contacts pair by pair in the order of indices, and pulls all states: the same arguments give the same bits
// in any world, which is what resuming needs.
//
// Rotation: ODE moves the orientation by exp(dt w) and changes the spin by I^-1 times the impulse, with I where the step
// begins. Its own gyroscopic term is left out, because it does not keep the angular momentum. Instead the spin that is
// pushed is the one at the middle of the free turn,
//   w* = I(exp(dt w*/2) q)^-1 L,   L = I(q) w
// and what comes back is L + I(q) (w' - w*) at the new orientation: angular momentum changes by the impulses alone, and a
// free body's turn is of second order.
//
// Units: ODE gets lengths, masses and times in powers of two near those of the scene, so that what it holds for small is small
// there too. Contacts of many bodies that hang together are solved here (contact_impulses.h); ODE then only moves them.
#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <tuple>
#include <vector>

#include "bodies/body_extents.h"
#include "bodies/body_world.h"
#include "bodies/contact_impulses.h"
#include "bodies/ode_setup.h"
#include "bodies/step_parts.h"
#include "math/rotation.h"

namespace tendril {
namespace {

// After a failed step nothing of a world can be trusted, not even to be given back: it is kept until the program ends.
void abandon(dWorldID world, dThreadingImplementationID threading, dJointGroupID group) {
  static std::mutex mutex;
  static auto& worlds = *new std::vector<std::tuple<dWorldID, dThreadingImplementationID, dJointGroupID>>;
  const std::scoped_lock lock(mutex);
  worlds.emplace_back(world, threading, group);
}

constexpr int midpoint_iterations = 4;
constexpr double max_parts = 4096;  // of a step; faster bodies are not followed
constexpr int max_direct = 100;     // bodies that hang together: more are solved by sweeps, which is rough for tall towers
constexpr double usual_of_fastest = 1.0 / 16;  // [1] of the speed at the start, where there is no gravity
constexpr double steps_per_unit = 64;          // the unit of time, where nothing else says what is fast [steps]
constexpr double slow_repair = 0.1;            // [units of length and time]: largest speed by which overlap is undone
constexpr double slow_impact = 1.0 / 1024;     // [units of length and time]: slower impacts do not bounce

class OdeWorld final : public BodyWorld {
 public:
  OdeWorld(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds, double acceleration)
      : bodies_(bodies.begin(), bodies.end()),
        collisions_(bodies, grounds),
        parts_(bodies, grounds),
        units_(units_of(bodies)) {
    // The time in which a body falls by its own size, or moves by it as it does at the start, though slower.
    double usual = std::sqrt(acceleration * units_.length), fastest = 0;
    for (const BodyModel& body : bodies_)
      fastest = std::max(fastest, body.start.motion.linear.norm() + units_.length * body.start.motion.angular.norm());
    if (!(acceleration > 0)) usual = usual_of_fastest * fastest;
    if (usual > 0) usual_time_ = power_of_two_near(units_.length / usual);
    before_.resize(bodies_.size());
    motion_.resize(bodies_.size());
    pushed_.resize(bodies_.size());
    momentum_.resize(bodies_.size());
    acting_.resize(bodies_.size());
    root_.resize(bodies_.size());
    members_.resize(bodies_.size());
    set_up_ode();
    make_world();
  }
  ~OdeWorld() override {
    dJointGroupDestroy(group_);
    dWorldDestroy(world_);
    dThreadingFreeImplementation(threading_);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  void ignore_pair(int a, int b) override {
    collisions_.ignore_pair(a, b);
    parts_.ignore_pair(a, b);
  }

  bool step(double dt, std::int64_t number, std::span<const Wrench> wrenches, std::span<BodyState> states) override {
    set_up_ode();
    dRandSetSeed(static_cast<unsigned long>(number));
    time_ = usual_time_ > 0 ? usual_time_ : power_of_two_near(steps_per_unit * dt);
    work_.of_driven.assign(bodies_.size(), 0.0);
    work_.friction = 0;
    double left = dt;
    for (double taken = 0; left > 0; ++taken) {
      // Equal parts of what is left; the first one is taken, and then the question is asked again.
      const double parts = parts_.parts(left, wrenches, states);
      if (!(taken + parts <= max_parts)) return false;
      const double h = left / parts;
      left = parts > 1 ? left - h : 0;
      try {
        take_part(h, wrenches, states);
      } catch (const OdeFailure&) {
        abandon(world_, threading_, group_);
        make_world();
        return false;
      }
    }
    return true;
  }

  std::span<const BodyContact> contacts() const override { return contacts_; }
  const ContactWork& work() const override { return work_; }

 private:
  // A world with threads of its own (none): those that worlds share would remember what a failed step has left undone.
  void make_world() {
    world_ = dWorldCreate();
    threading_ = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_), threading_);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, 0);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetERP(world_, constants().repair);
    dWorldSetContactMaxCorrectingVel(world_, slow_repair);
    ids_.clear();
    for (const BodyModel& body : bodies_) add(body);
  }
  void add(const BodyModel& body) {
    const dBodyID id = dBodyCreate(world_);
    ids_.push_back(id);
    dBodySetGyroscopicMode(id, 0);
    dBodySetFiniteRotationMode(id, 1);
    dBodySetFiniteRotationAxis(id, 0, 0, 0);
    if (!body.moves_freely()) return dBodySetKinematic(id);
    dMass mass;
    const Vec3 I = body.inertia / (units_.mass * units_.length * units_.length);
    dMassSetParameters(&mass, body.mass / units_.mass, 0, 0, 0, I.x(), I.y(), I.z(), 0, 0, 0);
    dBodySetMass(id, &mass);
  }
  ContactConstants constants() const {
    const double speed = units_.length / time_;
    ContactConstants c;
    c.fastest_repair = slow_repair * speed;
    c.slowest_bounce = slow_impact * speed;
    return c;
  }

  void take_part(double dt, std::span<const Wrench> wrenches, std::span<BodyState> states) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) prepare(i, dt, wrenches[i], states[i]);
    collisions_.find(states, contacts_);
    const auto direct = part_islands(states);
    if (const auto count = static_cast<std::size_t>(contacts_.end() - direct); count > 0) {
      impulses_.solve(dt, constants(), bodies_, acting_, states, {&*direct, count}, motion_);
      for (std::size_t k = 0; k < count; ++k) (direct + static_cast<std::ptrdiff_t>(k))->impulse = impulses_.impulse(k);
      for (auto c = direct; c != contacts_.end(); ++c)  // ODE only moves these
        for (const int body : {c->a, c->b})
          if (body >= 0) acting_[static_cast<std::size_t>(body)] = {};
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) push(i, states[i]);
    feedback_.resize(static_cast<std::size_t>(direct - contacts_.begin()));
    for (std::size_t k = 0; k < feedback_.size(); ++k) add_contact(contacts_[k], dt, states, feedback_[k]);
    dWorldStep(world_, dt / time_);
    dJointGroupEmpty(group_);
    const double unit = units_.mass * units_.length * dt / (time_ * time_);
    for (std::size_t k = 0; k < feedback_.size(); ++k) {  // on the first body that is not the world
      const dReal* f = feedback_[k].f1;
      contacts_[k].impulse = (stands(contacts_[k].a, states) ? -unit : unit) * Vec3(f[0], f[1], f[2]);
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) pull(i, dt, states[i]);
    for (const BodyContact& contact : contacts_) add_work(contact, states);
  }

  // With the mean velocities of the part.
  void add_work(const BodyContact& contact, std::span<const BodyState> states) {
    const auto velocity = [&](int body) -> Vec3 {
      if (body < 0) return Vec3::Zero();
      const auto i = static_cast<std::size_t>(body);
      const Vec3 w = 0.5 * (before_[i].motion.angular + states[i].motion.angular);
      return 0.5 * (before_[i].motion.linear + states[i].motion.linear) + w.cross(contact.point - before_[i].pose.position);
    };
    const Vec3 a = velocity(contact.a), b = velocity(contact.b);
    const Vec3 across = contact.impulse - contact.impulse.dot(contact.normal) * contact.normal;
    work_.friction -= across.dot(a - b);
    const auto give = [&](int body, double joules) {
      if (body >= 0 && !bodies_[static_cast<std::size_t>(body)].moves_freely())
        work_.of_driven[static_cast<std::size_t>(body)] += joules;
    };
    give(contact.a, -contact.impulse.dot(a));
    give(contact.b, contact.impulse.dot(b));
  }

  // A joint that lasts for this step. What stands still is the world: bodies on one table do not hang together by it.
  void add_contact(const BodyContact& found, double dt, std::span<const BodyState> states, dJointFeedback& feedback) {
    dContact c{};
    for (int k = 0; k < 3; ++k) c.geom.pos[k] = found.point[k] / units_.length, c.geom.normal[k] = found.normal[k];
    c.geom.depth = -found.gap / units_.length;
    c.surface.mode = dContactApprox1 | dContactBounce | dContactSoftCFM | dContactSlip1 | dContactSlip2;
    c.surface.mu = found.friction;
    c.surface.bounce = found.restitution;
    c.surface.bounce_vel = slow_impact;
    // ODE adds CFM/dt to the inverse masses: in all three rows the same small part of them.
    double inverse = 0;
    for (const int body : {found.a, found.b})
      if (body >= 0 && bodies_[static_cast<std::size_t>(body)].moves_freely())
        inverse += units_.mass / bodies_[static_cast<std::size_t>(body)].mass;
    c.surface.soft_cfm = c.surface.slip1 = c.surface.slip2 = constants().softness * inverse * dt / time_;
    const dJointID joint = dJointCreateContact(world_, group_, &c);
    const auto side = [&](int body) {
      return body >= 0 && !stands(body, states) ? ids_[static_cast<std::size_t>(body)] : nullptr;
    };
    dJointAttach(joint, side(found.a), side(found.b));
    dJointSetFeedback(joint, &feedback);
  }
  bool stands(int body, std::span<const BodyState> states) const {
    const auto i = static_cast<std::size_t>(body);
    const Motion& m = states[i].motion;
    return !bodies_[i].moves_freely() && m.linear.isZero(0) && m.angular.isZero(0);
  }

  // Contacts of bodies that hang together (islands) in large numbers go to the end; returns the first of these.
  std::vector<BodyContact>::iterator part_islands(std::span<const BodyState> states) {
    std::iota(root_.begin(), root_.end(), 0);
    std::fill(members_.begin(), members_.end(), 1);
    const auto root = [this](int i) {
      while (root_[static_cast<std::size_t>(i)] != i) i = root_[static_cast<std::size_t>(i)];
      return i;
    };
    for (const BodyContact& c : contacts_) {
      if (c.b < 0 || stands(c.a, states) || stands(c.b, states)) continue;
      const int a = std::min(root(c.a), root(c.b)), b = std::max(root(c.a), root(c.b));
      if (a == b) continue;
      const bool swap = members_[static_cast<std::size_t>(a)] < members_[static_cast<std::size_t>(b)];
      const int into = swap ? b : a, gone = swap ? a : b;  // the smaller under the larger keeps the way to the root short
      root_[static_cast<std::size_t>(gone)] = into;
      members_[static_cast<std::size_t>(into)] += members_[static_cast<std::size_t>(gone)];
    }
    return std::stable_partition(contacts_.begin(), contacts_.end(), [&](const BodyContact& c) {
      const int body = stands(c.a, states) && c.b >= 0 ? c.b : c.a;
      return members_[static_cast<std::size_t>(root(body))] <= max_direct;
    });
  }

  // Velocities at the middle of the free turn, and what acts on the body as far as it can move.
  void prepare(std::size_t i, double dt, const Wrench& wrench, const BodyState& state) {
    const Quat& q = state.pose.orientation;
    before_[i] = state;
    Vec3 w = state.motion.angular;
    if (bodies_[i].kind == BodyKind::dynamic) {
      momentum_[i] = world_inertia(bodies_[i], q) * w;
      for (int k = 0; k < midpoint_iterations; ++k)
        w = spin_of_momentum(bodies_[i], exp_quat(Vec3(0.5 * dt * w)) * q, momentum_[i]);
    }
    acting_[i] = wrench;
    if (bodies_[i].kind == BodyKind::guided) {  // ODE turns by I^-1 moment: this moment turns about the axis alone
      const Vec3& axis = bodies_[i].axis;
      const Vec3 turned = world_inertia(bodies_[i], q) * axis;
      acting_[i].force = axis.dot(wrench.force) * axis;
      acting_[i].moment = (axis.dot(wrench.moment) / axis.dot(turned)) * turned;
    }
    pushed_[i] = w;
    motion_[i] = {state.motion.linear, w};
  }
  void push(std::size_t i, const BodyState& state) {
    const dBodyID id = ids_[i];
    const Quat& q = state.pose.orientation;
    const double L = units_.length, push = time_ * time_ / (units_.mass * L);
    const Vec3 x = state.pose.position / L, v = (time_ / L) * motion_[i].linear, w = time_ * motion_[i].angular;
    const Vec3 force = push * acting_[i].force, moment = (push / L) * acting_[i].moment;
    const dQuaternion o = {q.w(), q.x(), q.y(), q.z()};
    dBodySetPosition(id, x.x(), x.y(), x.z());
    dBodySetQuaternion(id, o);
    dBodySetLinearVel(id, v.x(), v.y(), v.z());
    dBodySetAngularVel(id, w.x(), w.y(), w.z());
    dBodySetForce(id, force.x(), force.y(), force.z());
    dBodySetTorque(id, moment.x(), moment.y(), moment.z());
  }

  void pull(std::size_t i, double dt, BodyState& state) {
    if (!bodies_[i].moves_freely()) return drive_on(i, dt, state);
    const dReal *v = dBodyGetLinearVel(ids_[i]), *w = dBodyGetAngularVel(ids_[i]);
    const Vec3 linear = (units_.length / time_) * Vec3(v[0], v[1], v[2]), angular = Vec3(w[0], w[1], w[2]) / time_;
    if (bodies_[i].kind == BodyKind::guided) {  // a mask: what points off the axis never moved it
      const Vec3& axis = bodies_[i].axis;
      state.motion = {axis.dot(linear) * axis, axis.dot(angular) * axis};
      return drive_on(i, dt, state);
    }
    const dReal *x = dBodyGetPosition(ids_[i]), *q = dBodyGetQuaternion(ids_[i]);
    state.pose = {units_.length * Vec3(x[0], x[1], x[2]), Quat(q[0], q[1], q[2], q[3])};
    const Vec3 momentum = momentum_[i] + world_inertia(bodies_[i], before_[i].pose.orientation) * (angular - pushed_[i]);
    state.motion = {linear, spin_of_momentum(bodies_[i], state.pose.orientation, momentum)};
  }
  // On with its motion from where it was.
  void drive_on(std::size_t i, double dt, BodyState& state) const {
    state.pose.position = before_[i].pose.position + dt * state.motion.linear;
    state.pose.orientation = (exp_quat(Vec3(dt * state.motion.angular)) * before_[i].pose.orientation).normalized();
  }

  std::vector<BodyModel> bodies_;
  BodyCollisions collisions_;
  StepParts parts_;
  ContactImpulses impulses_;
  std::vector<dJointFeedback> feedback_;
  ContactWork work_;
  BodyUnits units_;
  double usual_time_ = 0, time_ = 1;  // [s] the unit of time, and that of the present step; 0: depends on the step
  dWorldID world_ = nullptr;
  dThreadingImplementationID threading_ = nullptr;
  dJointGroupID group_ = nullptr;
  std::vector<dBodyID> ids_;
  std::vector<BodyState> before_;
  std::vector<Motion> motion_;  // that goes into the step, contacts of large islands included
  std::vector<Wrench> acting_;
  std::vector<Vec3> pushed_, momentum_;
  std::vector<int> root_, members_;  // of islands
  std::vector<BodyContact> contacts_;
};

}  // namespace

std::unique_ptr<BodyWorld> make_ode_world(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds,
                                          double acceleration) {
  return std::make_unique<OdeWorld>(bodies, grounds, acceleration);
}

}  // namespace tendril
