// Friction: on the nodes, and through the radius on the material frame.
#include "math/rotation.h"
#include "methods/der/contact/contacts_testing.h"

using namespace tendril;
using namespace tendril::der;

namespace {

double angle_at(const Frame& frame, int edge) {  // of d1 about x, for a rod along x whose d1 is z at rest
  const Vec3 d1 = director(frame.orientation[EdgeIndex{edge}], 0);
  return std::atan2(-d1.y(), d1.z());
}
Timetable<Vec3> drift(const Vec3& velocity, double duration) {
  Timetable<Vec3> table;
  table.shape = TimetableShape::linear;
  table.keys = {{0, Vec3::Zero()}, {duration, velocity * duration}};
  return table;
}

}  // namespace

SENTENCE("der", "a rod on a slope sticks below the angle of friction and slides above it as Coulomb says") {
  const double mu = 0.3;
  for (const int kind : {0, 1, 2}) {
    Settings settings;
    settings.push = kind == 2 ? Push::conserving : Push::fast;
    for (const double tangent : {0.28, 0.4}) {
      const double slope = std::atan(tangent);
      Scene scene = lying(10, mu);
      add_slope(scene, slope);
      auto [model, rod, ride] = started(stretching(scene, kind == 1), settings);
      ride.go(rod, 1);
      ASSERT_TRUE(ride.fine);
      const double x1 = centre_of(rod, frame_of(rod)).x(), t1 = ride.time;
      ride.go(rod, 2);
      const Frame frame = frame_of(rod);
      const double x2 = centre_of(rod, frame).x(), t2 = ride.time;
      EXPECT_LT(ride.penetration, 0.02);
      if (tangent < mu) {
        EXPECT_LT(std::abs(x2 - 0.5), 1e-6) << kind;
      } else {
        const double expected = 0.5 * g * (std::sin(slope) - mu * std::cos(slope)) * (t2 * t2 - t1 * t1);
        EXPECT_NEAR((x2 - x1) / expected, 1, 0.01) << kind;
      }
    }
  }
}

SENTENCE("der", "a rod that sticks does not creep, and what rests grows quiet") {
  Scene scene = lying(8, 0.5, plain_section(0.2, 0.2, 0.2));
  add_slope(scene, std::atan(0.4));
  auto [model, rod, ride] = started(scene);
  ride.go(rod, 1000 * ride.step);
  const Frame early = frame_of(rod);
  ride.go(rod, 1e5 * ride.step);
  ASSERT_TRUE(ride.fine);
  const Frame late = frame_of(rod);
  double worst = 0;
  for (int i = 0; i < late.position.size(); ++i)
    worst = std::max(worst, (late.position[NodeIndex{i}] - early.position[NodeIndex{i}]).norm());
  EXPECT_LT(worst, 1e-8);
  EXPECT_LT(late.own_energy.kinetic, 1e-20);
}

// Friction mu w on the surface turns the rod by r mu w per length: an angle of r mu w s (L - s)/(2 GJ) between the clamps.
SENTENCE("der", "a plate that slides sideways under a clamped rod twists it by the analytic angle") {
  const double mu = 0.5, GJ = 0.1;
  const int n = 40;
  Scene scene = lying(n, mu, plain_section(20, 20, GJ));
  scene.rods[0].d1 = Vec3::UnitZ();
  scene.loads.push_back(GravityLoad{});
  scene.rods[0].damping.mass = 20;
  add_clamp(scene, 0), add_clamp(scene, 1);
  scene.obstacles[0].move = drift(Vec3(0, 0.05, 0), 100);
  // Clamped at both ends, a straight rod that keeps its length could not be dragged at all.
  const auto model = model_of(stretching(scene));
  Der rod(model, {});
  Ride ride;
  ride.step = advised(*model);
  ride.go(rod, 1);
  ASSERT_TRUE(ride.fine);
  const Frame frame = frame_of(rod);
  // What the clamps carry of the weight does not press. Nodes inside carry n - 1 of n parts, evenly.
  const double per_length = mu * g * 0.01;
  for (const int edge : {n / 4, n / 2, 3 * n / 4}) {
    const double s = (edge + 0.5) / n, expected = per_length * s * (1 - s) / (2 * GJ);
    EXPECT_NEAR(angle_at(frame, edge), expected, 0.01 * expected);
  }
}

SENTENCE("der", "friction on a clamped rod points against the sliding, whatever the rod's own directions") {
  const double mu = 0.5;
  Scene scene = lying(20, mu, plain_section(20, 20, 2));
  scene.loads.push_back(GravityLoad{});
  scene.rods[0].damping.mass = 20;
  add_clamp(scene, 0), add_clamp(scene, 1);
  const Vec3 way(0.04, 0.03, 0);
  scene.obstacles[0].move = drift(way, 100);
  const auto model = model_of(stretching(scene));
  Der rod(model, {});
  Ride ride;
  ride.step = advised(*model);
  ride.go(rod, 2);
  ASSERT_TRUE(ride.fine);
  const Vec3 force = contact_force(frame_of(rod));
  EXPECT_NEAR(force.head<2>().norm(), mu * force.z(), 1e-6);
  EXPECT_NEAR(force.y() / force.x(), 0.75, 0.01);
}

// Friction drags the rod and turns it: twice as fast at the surface as it moves, being a full cylinder. It slides until both
// together are as fast as the plate.
SENTENCE("der", "a rod that nothing keeps from turning rolls on a plate that slides under it, and is dragged along itself") {
  for (const bool along : {false, true}) {
    Scene scene = lying(10, 0.5);
    scene.loads.push_back(GravityLoad{});
    scene.obstacles[0].move = drift(along ? Vec3(0.2, 0, 0) : Vec3(0, 0.2, 0), 100);
    auto [model, rod, ride] = started(scene);
    ride.go(rod, 1);
    ASSERT_TRUE(ride.fine);
    const Vec3 moved = centre_of(rod, frame_of(rod)) - Vec3(0.5, 0, 0.01);
    const double speed = along ? 0.2 : 0.2 / 3;
    EXPECT_NEAR(along ? moved.x() : moved.y(), speed - 0.5 * speed * speed / (0.5 * g), 0.01 * speed);
    EXPECT_LT(std::abs(along ? moved.y() : moved.x()), 1e-9);
  }
}

SENTENCE("der", "a free rod rolls down a slope with two thirds of what it would slide with") {
  Scene scene = lying(10, 0.5);
  const double slope = 0.3;
  scene.loads.push_back(GravityLoad{g * Vec3(0, std::sin(slope), -std::cos(slope))});
  auto [model, rod, ride] = started(scene);
  ride.go(rod, 0.5);
  ASSERT_TRUE(ride.fine);
  const Frame frame = frame_of(rod);
  const double expected = 2.0 / 3 * g * std::sin(slope) * 0.5;
  EXPECT_NEAR(frame.velocity[NodeIndex{5}].y(), expected, 0.005 * expected);
  EXPECT_NEAR(frame.spin[EdgeIndex{5}].x(), -expected / 0.01, 0.005 * expected / 0.01);
  const double height = frame.own_energy.gravity - g * std::cos(slope) * 0.01;
  EXPECT_NEAR(frame.own_energy.kinetic, -height, 0.01 * -height) << "rolling loses nothing";
}

SENTENCE("der", "a rod that spins on the floor is stopped by friction") {
  Scene scene = lying(10, 0.5, plain_section(5, 5, 5));
  scene.rods[0].angular_velocity = Vec3(0, 0, 1);
  scene.loads.push_back(GravityLoad{});
  auto [model, rod, ride] = started(scene);
  ride.go(rod, 0.03);
  EXPECT_NEAR(momenta_of(rod, frame_of(rod)).angular.z() / momenta_of(Der(model, {}), frame_of(Der(model, {}))).angular.z(),
              1 - 0.03 * 3 * 0.5 * g, 0.05);
  ride.go(rod, 0.3);
  ASSERT_TRUE(ride.fine);
  EXPECT_LT(frame_of(rod).own_energy.kinetic, 1e-3 * frame_of(Der(model, {})).own_energy.kinetic);
}

SENTENCE("der", "a rod that starts rolling goes on rolling, also when another one is let go") {
  Scene scene = lying(10, 0.5);
  scene.rods[0].velocity = Vec3(0, 0.25, 0);
  scene.rods[0].angular_velocity = Vec3(-25, 0, 0);
  scene.loads.push_back(GravityLoad{});
  Rod other = scene.rods[0];
  other.name = "other";
  other.rest = StraightCurve{Vec3(0, 5, 0.01), Vec3(1, 5, 0.01)};
  other.velocity = other.angular_velocity = Vec3::Zero();
  scene.rods.push_back(other);
  Clamp clamp;
  clamp.rod = "other", clamp.hold = {Hold::position}, clamp.until = 0.25;
  scene.clamps.push_back(clamp);
  auto [model, rod, ride] = started(scene);
  ride.go(rod, 0.5);
  ASSERT_TRUE(ride.fine);
  const Frame frame = frame_of(rod);
  EXPECT_NEAR(frame.velocity[NodeIndex{5}].y(), 0.25, 1e-4);
  EXPECT_NEAR(frame.spin[EdgeIndex{5}].x(), -25, 0.01);
}

SENTENCE("der", "clamps that turn a rod make it roll over the floor") {
  Scene scene = lying(10, 0.5);
  scene.loads.push_back(GravityLoad{});
  for (const double at : {0.0, 1.0}) {
    Clamp clamp;
    clamp.rod = scene.rods[0].name, clamp.at = at, clamp.hold = {Hold::twist}, clamp.axis = Vec3::UnitX();
    clamp.turn.keys = {{0, 0}, {1, 2}};
    clamp.turn.shape = TimetableShape::linear;
    scene.clamps.push_back(clamp);
  }
  auto [model, rod, ride] = started(scene);
  ride.go(rod, 0.5);
  ASSERT_TRUE(ride.fine);
  const double y = frame_of(rod).position[NodeIndex{5}].y();
  ride.go(rod, 0.9);
  EXPECT_NEAR(frame_of(rod).position[NodeIndex{5}].y() - y, -0.4 * 2 * 2 * 3.141592653589793 * 0.01, 2e-4);
}

SENTENCE("der", "a rod that rolls while it turns on the floor is not driven along itself") {
  Scene scene = lying(10, 0.5, plain_section(5, 5, 5));
  scene.rods[0].velocity = Vec3(0, 0.5, 0);
  scene.rods[0].angular_velocity = Vec3(0, 0, 0.3);
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Der rod(model, {});
  const double before = frame_of(rod).own_energy.kinetic;
  Ride ride;
  ride.step = advised(*model);
  double most = 0;
  for (int k = 1; k <= 40; ++k) {
    ride.go(rod, 0.05 * k);
    most = std::max(most, frame_of(rod).own_energy.kinetic);
  }
  ASSERT_TRUE(ride.fine);
  EXPECT_LE(most, before * (1 + 1e-9));
}

SENTENCE("der",
         "free rods of any section and shape come to rest on a rough floor, and hold on a slope below the friction angle") {
  StiffnessSection flat = plain_section(2, 0.5, 0.5);
  flat.mass_per_length = 1;
  const auto drop = [](Scene scene, const Vec3& gravity) {
    scene.loads.push_back(GravityLoad{gravity});
    scene.rods[0].damping.mass = 1;
    auto [model, rod, ride] = started(scene);
    ride.go(rod, 2);
    EXPECT_TRUE(ride.fine);
    EXPECT_LT(ride.penetration, 0.02);
    return std::sqrt(2 * frame_of(rod).own_energy.kinetic);
  };
  Scene tilted = touching(one_rod(StraightCurve{Vec3(0, 0, 0.02), Vec3(1, 0, 0.1)}, 20, flat), 0.4);
  add_floor(tilted);
  EXPECT_LT(drop(tilted, Vec3(0, 0, -g)), 0.02);
  ArcCurve arc;
  arc.start = Vec3(0, 0, 0.01), arc.angle = 1, arc.radius = 1;
  Scene curved = touching(one_rod(arc, 20), 0.4);
  add_floor(curved);
  EXPECT_LT(drop(curved, g * Vec3(std::sin(0.3), 0, -std::cos(0.3))), 0.02);
}
