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
#include <ode/ode.h>

#include <cmath>

#include "bodies/body_world.h"
#include "bodies/ode_setup.h"
#include "math/rotation.h"

namespace tendril {
namespace {

constexpr int midpoint_iterations = 4;
constexpr double slowest_bounce = 1e-3;  // [m/s]: slower impacts do not bounce

class OdeWorld final : public BodyWorld {
 public:
  OdeWorld(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds)
      : bodies_(bodies.begin(), bodies.end()), collisions_(bodies, grounds) {
    set_up_ode();
    world_ = dWorldCreate();
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, 0);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetERP(world_, 0.2);
    dWorldSetCFM(world_, 1e-10);
    dWorldSetContactMaxCorrectingVel(world_, 0.1);  // overlap must not become speed (limits the Baumgarte term)
    for (const BodyModel& body : bodies_) add(body);
    before_.resize(bodies_.size());
    pushed_.resize(bodies_.size());
    momentum_.resize(bodies_.size());
  }
  ~OdeWorld() override {
    dJointGroupDestroy(group_);
    dWorldDestroy(world_);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  void ignore_pair(int a, int b) override { collisions_.ignore_pair(a, b); }

  void step(double dt, std::int64_t number, std::span<const Wrench> wrenches, std::span<BodyState> states) override {
    set_up_ode();
    dRandSetSeed(static_cast<unsigned long>(number));
    for (std::size_t i = 0; i < bodies_.size(); ++i) push(i, dt, wrenches[i], states[i]);
    collisions_.find(states, contacts_);
    for (const BodyContact& c : contacts_) add_contact(c);
    dWorldStep(world_, dt);
    dJointGroupEmpty(group_);
    for (std::size_t i = 0; i < bodies_.size(); ++i) pull(i, dt, states[i]);
  }

  std::span<const BodyContact> contacts() const override { return contacts_; }

 private:
  void add(const BodyModel& body) {
    const dBodyID id = dBodyCreate(world_);
    ids_.push_back(id);
    dBodySetGyroscopicMode(id, 0);
    dBodySetFiniteRotationMode(id, 1);
    dBodySetFiniteRotationAxis(id, 0, 0, 0);
    if (!body.moves_freely()) return dBodySetKinematic(id);
    dMass mass;
    const Vec3& I = body.inertia;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, I.x(), I.y(), I.z(), 0, 0, 0);
    dBodySetMass(id, &mass);
  }
  // A joint that lasts for this step.
  void add_contact(const BodyContact& found) {
    dContact c{};
    for (int k = 0; k < 3; ++k) c.geom.pos[k] = found.point[k], c.geom.normal[k] = found.normal[k];
    c.geom.depth = -found.gap;
    c.surface.mode = dContactApprox1 | dContactBounce;
    c.surface.mu = found.friction;
    c.surface.bounce = found.restitution;
    c.surface.bounce_vel = slowest_bounce;
    const dBodyID other = found.b < 0 ? nullptr : ids_[static_cast<std::size_t>(found.b)];
    dJointAttach(dJointCreateContact(world_, group_, &c), ids_[static_cast<std::size_t>(found.a)], other);
  }

  void push(std::size_t i, double dt, const Wrench& wrench, const BodyState& state) {
    const dBodyID id = ids_[i];
    const Quat& q = state.pose.orientation;
    const Vec3 &x = state.pose.position, &v = state.motion.linear;
    before_[i] = state;
    Vec3 w = state.motion.angular;
    if (bodies_[i].kind == BodyKind::dynamic) {
      momentum_[i] = world_inertia(bodies_[i], q) * w;
      for (int k = 0; k < midpoint_iterations; ++k)
        w = spin_of_momentum(bodies_[i], exp_quat(Vec3(0.5 * dt * w)) * q, momentum_[i]);
    }
    Vec3 force = wrench.force, moment = wrench.moment;
    if (bodies_[i].kind == BodyKind::guided) {  // ODE turns by I^-1 moment: this moment turns about the axis alone
      const Vec3& axis = bodies_[i].axis;
      const Vec3 turned = world_inertia(bodies_[i], q) * axis;
      force = axis.dot(force) * axis;
      moment = (axis.dot(moment) / axis.dot(turned)) * turned;
    }
    pushed_[i] = w;
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
    const Vec3 linear(v[0], v[1], v[2]), angular(w[0], w[1], w[2]);
    if (bodies_[i].kind == BodyKind::guided) {  // a mask: what points off the axis never moved it
      const Vec3& axis = bodies_[i].axis;
      state.motion = {axis.dot(linear) * axis, axis.dot(angular) * axis};
      return drive_on(i, dt, state);
    }
    const dReal *x = dBodyGetPosition(ids_[i]), *q = dBodyGetQuaternion(ids_[i]);
    state.pose = {Vec3(x[0], x[1], x[2]), Quat(q[0], q[1], q[2], q[3])};
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
  dWorldID world_ = nullptr;
  dJointGroupID group_ = nullptr;
  std::vector<dBodyID> ids_;
  std::vector<BodyState> before_;
  std::vector<Vec3> pushed_, momentum_;
  std::vector<BodyContact> contacts_;
};

}  // namespace

std::unique_ptr<BodyWorld> make_ode_world(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds) {
  return std::make_unique<OdeWorld>(bodies, grounds);
}

}  // namespace tendril
