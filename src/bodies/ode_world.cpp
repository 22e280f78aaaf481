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

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "bodies/body_world.h"
#include "math/elementary.h"
#include "math/rotation.h"

namespace tendril {
namespace {

constexpr int most_contacts = 16;  // of one pair
constexpr int midpoint_iterations = 4;

void say_nothing(int, const char*, va_list) {}
// ODE ends the program when its own checks fail; library code does not.
[[noreturn]] void refuse(int, const char* message, va_list) { throw Misuse(std::string("ODE: ") + message); }

void set_up_ode() {
  static std::once_flag once;
  std::call_once(once, [] {
    dInitODE2(0);
    dSetMessageHandler(say_nothing);  // ODE prints, and library code does not
    dSetErrorHandler(refuse);
    dSetDebugHandler(refuse);
  });
  static thread_local const bool ready = dAllocateODEDataForThread(dAllocateMaskAll) != 0;
  (void)ready;
}

Mat3 inertia_at(const BodyProperties& body, const Quat& q) {
  const Mat3 turn = q.toRotationMatrix();
  return turn * body.inertia.asDiagonal() * turn.transpose();
}
Vec3 without_inertia(const BodyProperties& body, const Quat& q, const Vec3& momentum) {
  return q * (q.conjugate() * momentum).cwiseQuotient(body.inertia);
}

class OdeWorld final : public BodyWorld {
 public:
  OdeWorld(std::span<const BodyProperties> bodies, std::span<const BodyGround> grounds)
      : bodies_(bodies.begin(), bodies.end()), grounds_(grounds.begin(), grounds.end()) {
    set_up_ode();
    world_ = dWorldCreate();
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, 0);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetERP(world_, 0.2);
    dWorldSetCFM(world_, 1e-10);
    dWorldSetContactMaxCorrectingVel(world_, 0.1);  // overlap must not become speed (limits the Baumgarte term)
    for (const BodyProperties& body : bodies_) add(body);
    for (const BodyGround& ground : grounds_) {
      const Vec3 n = ground.normal.normalized();
      planes_.push_back(dCreatePlane(nullptr, n.x(), n.y(), n.z(), n.dot(ground.point)));
    }
    before_.resize(bodies_.size());
    pushed_.resize(bodies_.size());
    momentum_.resize(bodies_.size());
  }
  ~OdeWorld() override {
    dJointGroupDestroy(group_);
    for (const dGeomID g : geoms_)
      if (g != nullptr) dGeomDestroy(g);
    for (const dGeomID g : planes_) dGeomDestroy(g);
    for (const auto& parts : parts_)
      for (const dGeomID g : parts)
        if (g != nullptr) dGeomDestroy(g);
    dWorldDestroy(world_);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  void ignore_pair(int a, int b) override { ignored_.push_back({std::min(a, b), std::max(a, b)}); }

  void step(double dt, std::int64_t number, std::span<const Wrench> wrenches, std::span<BodyState> states) override {
    set_up_ode();
    dRandSetSeed(static_cast<unsigned long>(number));
    for (std::size_t i = 0; i < bodies_.size(); ++i) push(i, dt, wrenches[i], states[i]);
    contacts_.clear();
    for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
      for (int j = i + 1; j < static_cast<int>(bodies_.size()); ++j) collide_bodies(i, j, states);
      for (std::size_t g = 0; g < grounds_.size(); ++g)
        if (moves(i)) collide(i, geoms_[at(i)], planes_[g], nullptr, grounds_[g].friction, grounds_[g].restitution);
    }
    dWorldStep(world_, dt);
    dJointGroupEmpty(group_);
    for (std::size_t i = 0; i < bodies_.size(); ++i) pull(i, dt, states[i]);
  }

  std::span<const ContactPoint> contacts() const override { return contacts_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool moves(int i) const { return moves(bodies_[at(i)]); }
  static bool moves(const BodyProperties& b) { return b.kind == BodyKind::dynamic || b.kind == BodyKind::guided; }

  void add(const BodyProperties& body) {
    const dBodyID id = dBodyCreate(world_);
    ids_.push_back(id);
    geoms_.push_back(body.shape ? geometry(*body.shape) : nullptr);
    if (geoms_.back() != nullptr) dGeomSetBody(geoms_.back(), id);
    parts_.push_back(body.shape ? parts_of(*body.shape, id) : Parts{});
    dBodySetGyroscopicMode(id, 0);
    dBodySetFiniteRotationMode(id, 1);
    dBodySetFiniteRotationAxis(id, 0, 0, 0);
    if (!moves(body)) return dBodySetKinematic(id);
    dMass mass;
    const Vec3& I = body.inertia;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, I.x(), I.y(), I.z(), 0, 0, 0);
    dBodySetMass(id, &mass);
  }
  // ODE finds one contact at most between a capsule and a box, at an end of where they touch: the box would fall over. A
  // cylinder has two, so for boxes a capsule is a cylinder and two balls.
  using Parts = std::array<dGeomID, 3>;
  static Parts parts_of(const BodyShape& shape, dBodyID id) {
    const auto* c = std::get_if<CapsuleBody>(&shape);
    if (c == nullptr) return {};
    const Parts parts{dCreateCylinder(nullptr, c->radius, c->length), dCreateSphere(nullptr, c->radius),
                      dCreateSphere(nullptr, c->radius)};
    for (const dGeomID g : parts) dGeomSetBody(g, id);
    dGeomSetOffsetPosition(parts[1], 0, 0, 0.5 * c->length);
    dGeomSetOffsetPosition(parts[2], 0, 0, -0.5 * c->length);
    return parts;
  }
  bool is_box(int i) const { return std::holds_alternative<BoxBody>(*bodies_[at(i)].shape); }
  bool is_capsule(int i) const { return std::holds_alternative<CapsuleBody>(*bodies_[at(i)].shape); }
  static dGeomID geometry(const BodyShape& shape) {
    if (const auto* b = std::get_if<BoxBody>(&shape)) return dCreateBox(nullptr, b->size.x(), b->size.y(), b->size.z());
    if (const auto* s = std::get_if<SphereBody>(&shape)) return dCreateSphere(nullptr, s->radius);
    if (const auto* c = std::get_if<CylinderBody>(&shape)) return dCreateCylinder(nullptr, c->radius, c->length);
    const auto& c = std::get<CapsuleBody>(shape);
    return dCreateCapsule(nullptr, c.radius, c.length);
  }

  void push(std::size_t i, double dt, const Wrench& wrench, const BodyState& state) {
    const dBodyID id = ids_[i];
    const Quat& q = state.pose.orientation;
    const Vec3 &x = state.pose.position, &v = state.motion.linear;
    before_[i] = state;
    Vec3 w = state.motion.angular;
    if (bodies_[i].kind == BodyKind::dynamic) {
      momentum_[i] = inertia_at(bodies_[i], q) * w;
      for (int k = 0; k < midpoint_iterations; ++k)
        w = without_inertia(bodies_[i], exp_quat(Vec3(0.5 * dt * w)) * q, momentum_[i]);
    }
    Vec3 force = wrench.force, moment = wrench.moment;
    if (bodies_[i].kind == BodyKind::guided) {  // ODE turns by I^-1 moment: this moment turns about the axis alone
      const Vec3& axis = bodies_[i].axis;
      const Vec3 turned = inertia_at(bodies_[i], q) * axis;
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
    if (!moves(bodies_[i])) return drive_on(i, dt, state);
    const dReal *v = dBodyGetLinearVel(ids_[i]), *w = dBodyGetAngularVel(ids_[i]);
    const Vec3 linear(v[0], v[1], v[2]), angular(w[0], w[1], w[2]);
    if (bodies_[i].kind == BodyKind::guided) {  // a mask: what points off the axis never moved it
      const Vec3& axis = bodies_[i].axis;
      state.motion = {axis.dot(linear) * axis, axis.dot(angular) * axis};
      return drive_on(i, dt, state);
    }
    const dReal *x = dBodyGetPosition(ids_[i]), *q = dBodyGetQuaternion(ids_[i]);
    state.pose = {Vec3(x[0], x[1], x[2]), Quat(q[0], q[1], q[2], q[3])};
    const Vec3 momentum = momentum_[i] + inertia_at(bodies_[i], before_[i].pose.orientation) * (angular - pushed_[i]);
    state.motion = {linear, without_inertia(bodies_[i], state.pose.orientation, momentum)};
  }
  // On with its motion from where it was.
  void drive_on(std::size_t i, double dt, BodyState& state) const {
    state.pose.position = before_[i].pose.position + dt * state.motion.linear;
    state.pose.orientation = (exp_quat(Vec3(dt * state.motion.angular)) * before_[i].pose.orientation).normalized();
  }

  void collide_bodies(int i, int j, std::span<const BodyState> states) {
    const dGeomID a = geoms_[at(i)], b = geoms_[at(j)];
    if (a == nullptr || b == nullptr || !(moves(i) || moves(j))) return;
    const double reach = reach_of(*bodies_[at(i)].shape) + reach_of(*bodies_[at(j)].shape);
    if ((states[at(i)].pose.position - states[at(j)].pose.position).squaredNorm() > reach * reach) return;
    if (std::find(ignored_.begin(), ignored_.end(), std::array<int, 2>{i, j}) != ignored_.end()) return;
    const auto meet = [&](dGeomID of_i, dGeomID of_j) {
      collide(i, of_i, of_j, ids_[at(j)], bodies_[at(j)].friction, bodies_[at(j)].restitution);
    };
    if (is_capsule(i) && is_box(j))
      for (const dGeomID part : parts_[at(i)]) meet(part, b);
    else if (is_box(i) && is_capsule(j))
      for (const dGeomID part : parts_[at(j)]) meet(a, part);
    else
      meet(a, b);
  }
  static double reach_of(const BodyShape& shape) {
    if (const auto* b = std::get_if<BoxBody>(&shape)) return 0.5 * b->size.norm();
    if (const auto* s = std::get_if<SphereBody>(&shape)) return s->radius;
    if (const auto* c = std::get_if<CylinderBody>(&shape)) return math::hypot(c->radius, 0.5 * c->length);
    const auto& c = std::get<CapsuleBody>(shape);
    return c.radius + 0.5 * c.length;
  }
  void collide(int i, dGeomID a, dGeomID b, dBodyID other, double friction, double restitution) {
    if (a == nullptr) return;
    std::array<dContact, most_contacts> contact{};
    const int count = dCollide(a, b, most_contacts, &contact[0].geom, sizeof(dContact));
    const BodyProperties& own = bodies_[at(i)];
    for (int k = 0; k < count; ++k) {
      dContact& c = contact[static_cast<std::size_t>(k)];
      c.surface.mode = dContactApprox1 | dContactBounce;
      c.surface.mu = std::min(own.friction, friction);
      c.surface.bounce = std::min(own.restitution, restitution);
      c.surface.bounce_vel = 1e-3;
      dJointAttach(dJointCreateContact(world_, group_, &c), ids_[at(i)], other);
      const dReal *p = c.geom.pos, *n = c.geom.normal;
      contacts_.push_back({Vec3(p[0], p[1], p[2]), Vec3(n[0], n[1], n[2]), Vec3::Zero(), -c.geom.depth, -1, -1});
    }
  }

  std::vector<BodyProperties> bodies_;
  std::vector<BodyGround> grounds_;
  dWorldID world_ = nullptr;
  dJointGroupID group_ = nullptr;
  std::vector<dBodyID> ids_;
  std::vector<dGeomID> geoms_, planes_;
  std::vector<Parts> parts_;  // of capsules
  std::vector<std::array<int, 2>> ignored_;
  std::vector<BodyState> before_;
  std::vector<Vec3> pushed_, momentum_;
  std::vector<ContactPoint> contacts_;
};

}  // namespace

std::unique_ptr<BodyWorld> make_ode_world(std::span<const BodyProperties> bodies, std::span<const BodyGround> grounds) {
  return std::make_unique<OdeWorld>(bodies, grounds);
}

}  // namespace tendril
