#include "methods/der/contact/contacts.h"

#include <malloc.h>

#include "math/rotation.h"
#include "methods/der/contact/contacts_testing.h"
#include "tendril/simulate.h"
#include "testing/allocation_count.h"
#include "testing/reactions_of.h"

using namespace tendril;
using namespace tendril::der;

namespace {

// A straight rod flies onto a curved one, which turns.
Scene collision(double friction, bool curved) {
  StiffnessSection section = plain_section(1, curved ? 0.5 : 1.0);
  section.EA = 2e3;
  Scene scene = touching(one_rod(ArcCurve{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), 0.8, 1.25}, 12, section), friction);
  if (!curved) scene.rods[0].rest = StraightCurve{Vec3(0, 0, 0), Vec3(1, 0, 0)};
  scene.rods[0].angular_velocity = Vec3(0, 0, 0.5);
  Rod second = scene.rods[0];
  second.name = "second";
  second.rest = curved ? Curve(ArcCurve{Vec3(0.1, -0.4, 0.023), Vec3(0.2, 1, 0), Vec3(1, -0.2, 0), 0.9, 1.1})
                       : Curve(StraightCurve{Vec3(0.1, -0.4, 0.023), Vec3(0.5, 0.6, 0.023)});
  second.velocity = Vec3(0.4, 0.2, -1);
  scene.rods.push_back(second);
  return scene;
}

struct Kept {
  double linear = 0, angular = 0;  // change, relative
  int contacts = 0;
};
// What friction along the rods leaves out (contacts.h): its moment about their sections, r n x F perpendicular to the rod.
Vec3 left_out(const Frame& frame, double radius) {
  Vec3 sum = Vec3::Zero();
  for (const ContactPoint& p : frame.contacts) {
    for (const int edge : {p.edge_a, p.edge_b}) {
      const Vec3 t = director(frame.orientation[EdgeIndex{edge}], 2), moment = radius * p.normal.cross(p.force);
      sum += moment - t.dot(moment) * t;
    }
  }
  return sum;
}
Kept collide(const Scene& scene, const Settings& settings, double part) {
  const auto model = model_of(scene);
  Der rods(model, settings);
  Frame frame = frame_of(rods);
  const Momenta before = momenta_of(rods, frame);
  Vec3 expected = before.angular;
  Ride ride;
  ride.step = part * advised(*model);
  while (ride.fine && ride.time < 0.15) {
    ride.go(rods, ride.time + ride.step);
    rods.write(frame);
    expected += ride.step * left_out(frame, 0.01);
  }
  EXPECT_TRUE(ride.fine);
  EXPECT_LT(ride.penetration, 0.02);
  const Momenta after = momenta_of(rods, frame);
  return {(after.linear - before.linear).norm() / before.linear.norm(),
          (after.angular - expected).norm() / before.angular.norm(), ride.contacts};
}

}  // namespace

// Impulses go along the normal at the end of the step, through places that have slid on each other within it. So the
// momentum is kept to rounding, and the angular momentum to the order of the step.
SENTENCE("der", "two rods that hit each other keep their momentum, and their angular momentum as the step goes to zero") {
  for (const int kind : {0, 1}) {
    Settings settings;
    settings.push = Push::conserving;
    settings.projection_tolerance = 1e-12;
    const Scene scene = stretching(collision(0, true), kind == 0);
    const Kept coarse = collide(scene, settings, 0.4), fine = collide(scene, settings, 0.1);
    EXPECT_GE(coarse.contacts, 1);
    EXPECT_LT(coarse.linear, 1e-12);
    EXPECT_LT(fine.linear, 1e-12);
    EXPECT_LT(fine.angular, 1e-3);
    EXPECT_LT(fine.angular, std::max(1e-12, 0.5 * coarse.angular));
  }
}

// Friction across a rod turns it about itself; that spin counts. It is carried along with the tangents without their turning
// it, which leaves 1e-4 of the angular momentum at any step. The moment of friction along a rod about its section is left
// out, and nothing else.
SENTENCE("der", "friction between curved rods keeps momentum, and angular momentum but for what is said to be left out") {
  const Scene scene = stretching(collision(0.5, true));
  const Kept coarse = collide(scene, {}, 0.4), fine = collide(scene, {}, 0.1);
  EXPECT_GE(coarse.contacts, 1);
  EXPECT_LT(coarse.linear, 1e-12);
  EXPECT_LT(coarse.angular, 2e-4);
  EXPECT_LT(fine.angular, 2e-4);
}

SENTENCE("der", "a rod at rest presses on the floor with its weight, whatever keeps its length") {
  for (const int kind : {0, 1, 2, 3}) {
    Scene scene = lying(10, kind % 2 == 0 ? 0.4 : 0.0);
    if (kind == 3) {
      scene.rods[0].rest = CircleCurve{Vec3(0, 0, 0.02), Vec3::UnitZ(), 0.5};
      scene.rods[0].segments = 24;
    }
    scene.rods[0].damping.mass = 2;
    scene.loads.push_back(GravityLoad{});
    Settings settings;
    settings.push = kind == 2 ? Push::conserving : Push::fast;
    auto [model, rod, ride] = started(stretching(scene, kind == 1), settings);
    ride.go(rod, 3);
    ASSERT_TRUE(ride.fine) << kind;
    const Frame frame = frame_of(rod);
    const double weight = model->rods[0].length * g;
    EXPECT_NEAR(contact_force(frame).z(), weight, 1e-6 * weight) << kind;
    EXPECT_LT(frame.own_energy.kinetic, 1e-12) << kind;
    EXPECT_LT(ride.penetration, 0.02) << kind;
  }
}

SENTENCE("der", "an obstacle that presses on a cantilever feels three EI w over the distance cubed") {
  const double a = 0.8, w = 0.02;
  Scene scene = touching(one_rod(line, 40));
  add_clamp(scene, 0);
  scene.rods[0].damping.mass = 5;
  Obstacle& bar = add_obstacle(scene, CapsuleShape{Vec3(a, -1, 0.031), Vec3(a, 1, 0.031), 0.02});
  bar.move.keys = {{0, Vec3::Zero()}, {2, Vec3(0, 0, -w - 0.001)}};
  auto [model, rod, ride] = started(scene);
  ride.go(rod, 6);
  ASSERT_TRUE(ride.fine);
  EXPECT_LT(ride.penetration, 0.02);
  const Frame frame = frame_of(rod);
  const double expected = 3 * w / (a * a * a);
  EXPECT_NEAR(contact_force(frame).z(), -expected, 0.01 * expected);
  const std::vector<Wrench> at_clamp = reactions_of(rod);
  EXPECT_NEAR(at_clamp[0].force.z(), -contact_force(frame).z(), 1e-4 * expected);
}

SENTENCE("der", "a fast thin rod does not pass through a rod, a thin plate or a mesh") {
  for (const int kind : {0, 1, 2}) {
    StiffnessSection thin = plain_section(1e-3, 1e-3, 1e-3);
    thin.radius = 1e-3, thin.mass_per_length = 0.01;
    Scene scene = touching(one_rod(StraightCurve{Vec3(-0.5, 0, 0.1), Vec3(0.5, 0, 0.1)}, 30, thin), 0.2);
    scene.rods[0].velocity = Vec3(0, 0, -100);
    if (kind == 0) {
      Rod wall = scene.rods[0];
      wall.name = "wall";
      wall.velocity = Vec3::Zero();
      wall.rest = StraightCurve{Vec3(0.01, -0.5, 0), Vec3(0.01, 0.5, 0)};
      scene.rods.push_back(wall);
      for (const double at : {0.0, 1.0}) add_clamp(scene, at).rod = "wall";
    } else if (kind == 1) {
      add_obstacle(scene, BoxShape{Vec3::Zero(), Vec3(3, 3, 1e-3)});
    } else {
      MeshShape plate;
      for (int k = 0; k < 8; ++k) plate.vertices.emplace_back(k & 1 ? 1.5 : -1.5, k & 2 ? 1.5 : -1.5, k & 4 ? 5e-4 : -5e-4);
      plate.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
      add_obstacle(scene, plate);
    }
    scene.time.duration = 0.003;  // then its ends have not come round yet
    scene.time.step = 2e-4;       // twenty radii
    scene.time.frames_per_second = 5000;
    Checked<Simulation> simulation = Simulation::open(scene);
    ASSERT_TRUE(static_cast<bool>(simulation)) << to_text(simulation.problems());
    while (!simulation->finished()) simulation->advance();
    const RunReport report = simulation->report();
    // At twenty radii per step the energy of the impact is not right, and the run says so.
    ASSERT_TRUE(report.outcome == Outcome::fine || report.outcome == Outcome::suspect) << kind << report.message;
    EXPECT_GE(report.max_contacts, 1) << kind;
    EXPECT_LT(report.worst_penetration, 0.02) << kind;
    const Frame& frame = simulation->frame();
    if (kind == 0) {  // wherever the two cross, seen from above, the first one is above
      for (int i = 0; i < 30; ++i)
        for (int j = 31; j < 61; ++j) {
          const Vec3 p = frame.position[NodeIndex{i}], u = frame.position[NodeIndex{i + 1}] - p;
          const Vec3 q = frame.position[NodeIndex{j}], v = frame.position[NodeIndex{j + 1}] - q;
          const double d = u.x() * v.y() - u.y() * v.x();
          const double s = ((q - p).x() * v.y() - (q - p).y() * v.x()) / d,
                       t = ((q - p).x() * u.y() - (q - p).y() * u.x()) / d;
          const bool cross = s >= 0 && s <= 1 && t >= 0 && t <= 1;
          EXPECT_TRUE(!cross || (p + s * u).z() > (q + t * v).z());
        }
    } else {
      for (const Vec3& x : frame.position) EXPECT_GT(x.z(), 1.4e-3) << kind;
    }
  }
}

SENTENCE("der", "a saved state goes on bit for bit in the middle of contact") {
  Scene scene = collision(0.3, true);
  scene.loads.push_back(GravityLoad{});
  add_floor(scene).shape = HalfSpaceShape{Vec3(0, 0, -0.05), Vec3::UnitZ()};
  const auto model = model_of(scene);
  const double h = advised(*model);
  Der a(model, {}), b(model, {});
  int i = 0, touched = 0;
  for (; touched < 30; ++i) touched += a.step(i * h, h, {}).contacts > 0;
  StateWriter saved;
  a.visit_state(saved);
  StateReader reader(saved.buffer());
  b.visit_state(reader);
  EXPECT_TRUE(reader.at_end());
  for (const int last = i + 300; i < last; ++i) {
    std::ignore = a.step(i * h, h, {});
    std::ignore = b.step(i * h, h, {});
  }
  StateWriter wa, wb;
  a.visit_state(wa);
  b.visit_state(wb);
  ASSERT_EQ(wa.buffer().size(), wb.buffer().size());
  EXPECT_TRUE(std::equal(wa.buffer().begin(), wa.buffer().end(), wb.buffer().begin()));
}

SENTENCE("der", "contact does not know where the world's axes point") {
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()));
  Frame ends[2];
  for (const bool turned : {false, true}) {
    const auto t = [&](const Vec3& v) { return turned ? Vec3(turn * v) : v; };
    Scene scene = touching(one_rod(line, 12, plain_section(1, 0.5)), 0.4);
    scene.rods[0].rest = ArcCurve{t(Vec3(0, 0, 0)), t(Vec3(1, 0, 0)), t(Vec3(0, 1, 0)), 0.8, 1.25};
    scene.rods[0].d1 = t(Vec3(0, 1, 0));
    Rod second = scene.rods[0];
    second.name = "second";
    second.rest = ArcCurve{t(Vec3(0.1, -0.4, 0.03)), t(Vec3(0.2, 1, 0)), t(Vec3(1, -0.2, 0)), 0.9, 1.1};
    second.d1 = t(Vec3(1, -0.2, 0).normalized());
    second.velocity = t(Vec3(0.4, 0.2, -1));
    scene.rods.push_back(second);
    scene.loads.push_back(GravityLoad{t(Vec3(0, 0, -g))});
    add_obstacle(scene, HalfSpaceShape{t(Vec3(0, 0, -0.03)), t(Vec3::UnitZ())});
    auto [model, rod, ride] = started(scene);
    ride.go(rod, 0.15);
    ASSERT_TRUE(ride.fine);
    EXPECT_GT(ride.contacts, 3);
    ends[turned] = frame_of(rod);
  }
  double worst = 0;
  for (int i = 0; i < ends[0].position.size(); ++i)
    worst = std::max(worst, (turn * ends[0].position[NodeIndex{i}] - ends[1].position[NodeIndex{i}]).norm());
  EXPECT_LT(worst, 1e-9);
}

SENTENCE("der", "a step in contact allocates nothing once it has seen as many contacts") {
  Scene scene = collision(0.3, true);
  scene.loads.push_back(GravityLoad{});
  add_floor(scene).shape = HalfSpaceShape{Vec3(0, 0, -0.05), Vec3::UnitZ()};
  const auto model = model_of(scene);
  Der rods(model, {});
  Ride ride;
  ride.step = advised(*model);
  ride.go(rods, 1);
  Frame frame = frame_of(rods);
  AllocationCount count;
  ride.go(rods, 1.1);
  rods.write(frame);
  const auto allocations = count.count();
  EXPECT_EQ(allocations, 0);
  EXPECT_TRUE(ride.fine);
  EXPECT_GT(ride.contacts, 10);
}

// ATTACKS 3: the first frame once showed what memory happened to hold.
SENTENCE(
    "der",
    "reactions of the first frame are those without contact: nothing has been pushed yet, whatever memory held before") {
  const auto first = [](bool contact) {
    Scene scene = one_rod(line, 20, plain_section(2, 2));
    scene.rods[0].initial = ArcCurve{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), 2.0, 0.5};
    add_clamp(scene, 0), add_clamp(scene, 1);
    scene.contact.enabled = contact;
    // It lies on the floor with its first node.
    if (contact) add_obstacle(scene, HalfSpaceShape{Vec3(0, 0, -0.01), Vec3::UnitZ()});
    const auto model = model_of(scene);
    mallopt(M_PERTURB, 0xa5);  // new memory is not zero
    const Der rod(model, {});
    mallopt(M_PERTURB, 0);
    return reactions_of(rod);
  };
  const std::vector<Wrench> with = first(true), without = first(false);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(with[i].force.allFinite());
    EXPECT_EQ(with[i].force, without[i].force);
    EXPECT_EQ(with[i].moment, without[i].moment);
    EXPECT_NEAR(with[i].moment.norm(), 2 / 2.0, 0.01) << "EI over the radius of the arc";
  }
}
