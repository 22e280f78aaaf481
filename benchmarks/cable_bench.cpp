// What `cable` costs, per segment: a rope with a load of thirty segments that swings, in steps of 1/60 s, with every solver; and the same
// chain in engines for games: Open Dynamics Engine (exact and iterated), Bullet where it is installed (libbullet-dev).
// `iterations` is those of the solver.
#include <fmt/format.h>
#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>

#ifdef TENDRIL_BULLET
#include <btBulletDynamicsCommon.h>
#endif

#include "benchmarks/benchmark.h"
#include "benchmarks/measure_time.h"
#include "bodies/ode_setup.h"
#include "validation/cable/rope.h"

namespace tendril {
namespace {

constexpr double segment_length = 0.2, segment_mass = 0.5, load_ratio = 30, rope_radius = 0.01,
                 tilt = 0.1;  // [m], [kg], [rad]
constexpr double frame = 1.0 / 60;

// Steps until the time of one is known, started again from the beginning now and then, so that all swing alike.
template <class Chain, class... How>
BenchmarkRow time_chain(int segments, const How&... how) {
  auto chain = std::make_unique<Chain>(segments, how...);
  double iterations = 0, steps = 0;
  const int runs = std::max(1, 4000 / segments);
  const double ns = measure_time({[&] {
                                    chain = std::make_unique<Chain>(segments, how...);
                                    for (int k = 0; k < 30; ++k) chain->step();  // the start: tensions grow
                                  },
                                  [&] {
                                    for (int k = 0; k < runs; ++k) iterations += chain->step(), ++steps;
                                  }});
  return {ns / (1.0 * runs * segments), iterations / steps};
}

class CableChain {
 public:
  CableChain(int segments, cable::SolverKind solver) : method_(rope::model_of(scene(segments)), settings(solver)) {}
  double step() {
    const StepReport report = method_.step(time_, frame, {});
    time_ += frame;
    return report.iterations;
  }

 private:
  static cable::Settings settings(cable::SolverKind solver) {
    cable::Settings s;
    s.averaged = true, s.extra_damping = 0.1, s.solver.kind = solver;
    return s;
  }
  static Scene scene(int segments) {
    const StiffnessSection section{
        .EA = 1e6, .EI1 = 1, .EI2 = 1, .GJ = 0.8, .mass_per_length = segment_mass / segment_length, .radius = rope_radius};
    const Vec3 end = segments * segment_length * Vec3(std::sin(tilt), 0, -std::cos(tilt));
    Scene s = rope::straight(Vec3::Zero(), end, segments, section, Give::elastic);
    rope::pin(s, 0);
    rope::hang_load(s, end, load_ratio * segment_mass);
    s.loads = {GravityLoad{}};
    return s;
  }
  cable::Cable method_;
  double time_ = 0;
};

// Capsules and ball joints; the load is the last body.
class OdeChain {
 public:
  OdeChain(int segments, bool quick) : quick_(quick) {
    set_up_ode();
    world_ = dWorldCreate();
    dWorldSetGravity(world_, 0, 0, -9.81);
    const Vec3 along(std::sin(tilt), 0, -std::cos(tilt));
    dBodyID before = nullptr;
    for (int k = 0; k <= segments; ++k) {
      const bool load = k == segments;
      dBodyID body = dBodyCreate(world_);
      dMass mass;
      if (load)
        dMassSetSphereTotal(&mass, load_ratio * segment_mass, 0.1);
      else
        dMassSetCylinderTotal(&mass, segment_mass, 3, rope_radius, segment_length);
      dBodySetMass(body, &mass);
      const Vec3 place = (load ? k : k + 0.5) * segment_length * along, joint = k * segment_length * along;
      dBodySetPosition(body, place.x(), place.y(), place.z());
      dMatrix3 turn;
      dRFromAxisAndAngle(turn, 0, 1, 0, -tilt);  // its z axis lies along the rope
      dBodySetRotation(body, turn);
      const dJointID ball = dJointCreateBall(world_, nullptr);
      dJointAttach(ball, body, before);
      dJointSetBallAnchor(ball, joint.x(), joint.y(), joint.z());
      before = body;
    }
  }
  ~OdeChain() { dWorldDestroy(world_); }
  OdeChain(const OdeChain&) = delete;
  OdeChain& operator=(const OdeChain&) = delete;
  double step() {
    std::ignore = quick_ ? dWorldQuickStep(world_, frame) : dWorldStep(world_, frame);
    return quick_ ? dWorldGetQuickStepNumIterations(world_) : 1;
  }

 private:
  dWorldID world_;
  bool quick_;
};

#ifdef TENDRIL_BULLET
class BulletChain {
 public:
  explicit BulletChain(int segments)
      : dispatcher_(&configuration_), world_(&dispatcher_, &pairs_, &solver_, &configuration_) {
    world_.setGravity(btVector3(0, 0, -9.81));
    const Vec3 along(std::sin(tilt), 0, -std::cos(tilt));
    for (int k = 0; k <= segments; ++k) {
      const bool load = k == segments;
      const double mass = load ? load_ratio * segment_mass : segment_mass, l = segment_length;
      const double across = load ? 0.4 * mass * 0.01 : mass * (l * l / 12 + rope_radius * rope_radius / 4);
      const Vec3 place = (load ? k : k + 0.5) * l * along;
      btTransform at(btQuaternion(btVector3(0, 1, 0), -tilt), btVector3(place.x(), place.y(), place.z()));
      motions_.push_back(std::make_unique<btDefaultMotionState>(at));
      btRigidBody::btRigidBodyConstructionInfo info(
          mass, motions_.back().get(), &shape_,
          btVector3(across, across, load ? across : 0.5 * mass * rope_radius * rope_radius));
      bodies_.push_back(std::make_unique<btRigidBody>(info));
      bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
      world_.addRigidBody(bodies_.back().get(), 0, 0);  // joints only: nothing collides
      const btVector3 up(0, 0, load ? 0 : -0.5 * l), down(0, 0, 0.5 * l);
      joints_.push_back(k == 0 ? std::make_unique<btPoint2PointConstraint>(*bodies_[0], up)
                               : std::make_unique<btPoint2PointConstraint>(*bodies_[std::size_t(k)],
                                                                           *bodies_[std::size_t(k - 1)], up, down));
      world_.addConstraint(joints_.back().get(), true);
    }
  }
  ~BulletChain() {
    for (auto& joint : joints_) world_.removeConstraint(joint.get());
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletChain(const BulletChain&) = delete;
  BulletChain& operator=(const BulletChain&) = delete;
  double step() {
    world_.stepSimulation(frame, 0, frame);
    return world_.getSolverInfo().m_numIterations;
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase pairs_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  btSphereShape shape_{0.01};
  std::vector<std::unique_ptr<btDefaultMotionState>> motions_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btPoint2PointConstraint>> joints_;
};
#endif

}  // namespace

void add_cable_benchmarks(std::vector<Benchmark>& all) {
  using cable::SolverKind;
  for (const int n : {24, 100, 1000, 10000})
    all.push_back({fmt::format("cable/swing/direct/{}", n), [=] { return time_chain<CableChain>(n, SolverKind::direct); }});
  for (const int n : {24, 100}) {
    all.push_back({fmt::format("cable/swing/gauss-seidel/{}", n),
                   [=] { return time_chain<CableChain>(n, SolverKind::gauss_seidel); }});
    all.push_back({fmt::format("cable/swing/conjugate-directions/{}", n),
                   [=] { return time_chain<CableChain>(n, SolverKind::conjugate_directions); }});
  }
  for (const int n : {24, 50, 100})
    all.push_back({fmt::format("cable/swing/ode-step/{}", n), [=] { return time_chain<OdeChain>(n, false); }});
  for (const int n : {24, 100, 1000})
    all.push_back({fmt::format("cable/swing/ode-quickstep/{}", n), [=] { return time_chain<OdeChain>(n, true); }});
#ifdef TENDRIL_BULLET
  for (const int n : {24, 100, 1000})
    all.push_back({fmt::format("cable/swing/bullet/{}", n), [=] { return time_chain<BulletChain>(n); }});
#endif
}

}  // namespace tendril
