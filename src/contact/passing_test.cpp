// Nothing passes through: segments against segments, fast, thin, grazing, parallel; obstacles of every shape, moving.
#include "contact/contact_testing.h"

namespace tendril {
namespace {
using namespace contact_testing;

struct Look {
  double distance, approach;
};
struct TwoSegments {
  Vec3 a[2], b[2], a_motion[2], b_motion[2];
  double distance(double t) const {
    return std::sqrt(
        closest(a[0] + t * a_motion[0], a[1] + t * a_motion[1], b[0] + t * b_motion[0], b[1] + t * b_motion[1]).squared);
  }
  double impact(double limit) const {
    return time_of_impact(
        [&](double t) {
          const auto c =
              closest(a[0] + t * a_motion[0], a[1] + t * a_motion[1], b[0] + t * b_motion[0], b[1] + t * b_motion[1]);
          const Vec3 n = to_eigen(c.apart) / std::sqrt(c.squared);
          return Look{std::sqrt(c.squared),
                      std::max(-n.dot(a_motion[0]), -n.dot(a_motion[1])) + std::max(n.dot(b_motion[0]), n.dot(b_motion[1]))};
        },
        limit);
  }
};

SENTENCE("contact", "impact: before the time told nothing is nearer than the limit, and what comes nearer is told") {
  Random random(31);
  int hits = 0, misses = 0, early = 0;
  for (int k = 0; k < 20000; ++k) {
    TwoSegments two;
    const double speed = std::pow(10.0, random.uniform(-2, 3));
    for (int i = 0; i < 2; ++i) {
      two.a[i] = random.vector(), two.b[i] = random.vector();
      two.a_motion[i] = random.vector(speed), two.b_motion[i] = random.vector(speed);
    }
    if (k % 4 == 0) two.a_motion[1] = two.a_motion[0], two.b_motion[1] = two.b_motion[0];  // no turning
    if (k % 8 == 0) two.b[1] = two.b[0] + (two.a[1] - two.a[0]);                           // parallel
    if (k % 16 == 0) {                                                                     // parallel and grazing
      const Vec3 u = (two.a[1] - two.a[0]).normalized();
      two.a_motion[0] = two.a_motion[1] = speed * u;
      two.b_motion[0] = two.b_motion[1] = Vec3::Zero();
    }
    const double limit = std::min(std::pow(10.0, random.uniform(-6, -1)), 0.5 * two.distance(0));
    const double time = two.impact(limit);
    const double until = std::min(time, 1.0);
    double least = forever;
    for (int i = 0; i < 200; ++i) least = std::min(least, two.distance(until * i / 200.0));
    ASSERT_GT(least, limit * (1 - 1e-9) - 1e-13 * speed) << k;
    if (time < 1) {
      ++hits;
      // Not a false alarm: it does come near, unless the steps ran out.
      early += two.distance(time) > 1.02 * limit + 1e-12 * speed;
    } else {
      ++misses;
    }
  }
  EXPECT_GT(hits, 300);
  EXPECT_LT(early, hits / 20) << "the steps run out seldom, even at a hundred million limits per step";
  EXPECT_GT(misses, 3000);
}

// Rods of one segment, as thin as a hair, shot at each other at speeds of up to a kilometre per step.
SENTENCE("contact",
         "a thin fast rod that goes through another is told, with the side it came from and how far it is beyond") {
  Random random(32);
  for (int k = 0; k < 2000; ++k) {
    const double radius = std::pow(10.0, random.uniform(-6, -2)), speed = std::pow(10.0, random.uniform(-1, 3));
    const Quat turn = random.rotation();
    const double angle = random.uniform(0.05, 3.0), offset = random.uniform(-0.4, 0.4);
    const Vec3 u(1, 0, 0), v(std::cos(angle), std::sin(angle), 0), up(0, 0, 1);
    const double height = random.uniform(0.1, 0.9) * speed;  // of the start above; the rod ends below
    const Vec3 x = random.vector();
    const auto at = [&](const Vec3& p) { return Vec3(x + turn * p); };
    World world(model_of({{{at(offset * u - u + height * up), at(offset * u + u + height * up)}, radius, false},
                          {{at(-v), at(v)}, radius, false}},
                         0.1 * radius));
    std::vector<Vec3> to = world.nodes;
    for (int n = 0; n < 2; ++n) to[static_cast<std::size_t>(n)] -= speed * (turn * up);
    const auto& touches = world.find(to);
    if (height <= 2 * radius) continue;
    ASSERT_EQ(touches.size(), 1u) << k;
    const Touch& c = touches[0];
    ASSERT_TRUE(c.is_passing());
    ASSERT_LT((c.normal - turn * up).norm(), 1e-6) << k;
    ASSERT_NEAR(c.gap, height - speed - 2 * radius, 1e-6 * speed) << k;
    const double limit = core * 2 * radius;
    ASSERT_GE(height - c.time * speed, limit * (1 - 1e-6) - 1e-13 * speed);
    ASSERT_LE(height - c.time * speed, limit * 1.02 + 1e-13 * speed);
    ASSERT_EQ(safe_fraction(touches), c.time);
  }
}

SENTENCE("contact", "rods that pass side by side or miss each other are not told as passing") {
  const auto line = [](const Vec3& from, const Vec3& to) { return Line{{from, to}, 0.01, false}; };
  // Sliding along each other at a gap of a tenth of a radius, a thousand lengths far.
  World side(model_of({line(Vec3(-500, 0, 0), Vec3(-499, 0, 0)), line(Vec3(0, 0.021, 0), Vec3(1, 0.021, 0))}, 1e-4));
  std::vector<Vec3> to = side.nodes;
  to[0].x() += 1000, to[1].x() += 1000;
  EXPECT_TRUE(side.find(to).empty());
  // Grazing across, nearer than the radii but not than the core: not a passage.
  World graze(model_of({line(Vec3(0, -50, 0.015), Vec3(1, -50, 0.015)), line(Vec3(0, 0, 0), Vec3(1, 0, 0))}, 1e-4));
  to = graze.nodes;
  to[0].y() += 100, to[1].y() += 100;
  EXPECT_TRUE(graze.find(to).empty());
  // Nearer than the core: reported.
  World core_hit(model_of({line(Vec3(0, -50, 0.009), Vec3(1, -50, 0.009)), line(Vec3(0, 0, 0), Vec3(1, 0, 0))}, 1e-4));
  to = core_hit.nodes;
  to[0].y() += 100, to[1].y() += 100;
  ASSERT_EQ(core_hit.find(to).size(), 1u);
  EXPECT_TRUE(core_hit.touches[0].is_passing());
}

SENTENCE("contact", "deep in each other rods still know their side, step by step, and can always move a little") {
  // Two crossing rods are pressed together by steps without any response; the side is kept as long as the steps are cut.
  World world(
      model_of({{{Vec3(-1, 0, 0.02), Vec3(1, 0, 0.02)}, 0.01, false}, {{Vec3(0, -1, 0), Vec3(0, 1, 0)}, 0.01, false}}));
  for (int k = 0; k < 30; ++k) {
    std::vector<Vec3> to = world.nodes;
    to[0].z() -= 0.05, to[1].z() -= 0.05;
    const auto& touches = world.find(to);
    ASSERT_EQ(touches.size(), 1u);
    ASSERT_GT(touches[0].normal.z(), 0.999) << k;
    const double fraction = safe_fraction(touches);
    ASSERT_GT(fraction, 0);
    for (std::size_t i = 0; i < to.size(); ++i) world.nodes[i] += fraction * (to[i] - world.nodes[i]);
    ASSERT_GT(world.nodes[0].z(), 0) << k;
  }
}

// A rod is shot through a thin plate of every shape, and the plate through the rod, and both; slanted, so that ends come
// first.
struct Plate {
  const char* name;
  RigidShape shape;
};
std::vector<Plate> thin_plates() {
  return {{"cylinder", shape::Cylinder{0.0005, 1}},
          {"box", shape::Box{Vec3(1, 1, 0.0005)}},
          {"mesh", box_mesh(Vec3(1, 1, 0.0005))},
          {"capsule", shape::Capsule{1, 0.0005}},
          {"sphere", shape::Sphere{0.0005}}};
}

SENTENCE("contact", "nothing goes through a thin obstacle: the rod flies, the obstacle flies, or both, turned anyhow") {
  Random random(33);
  for (const Plate& plate : thin_plates()) {
    for (int k = 0; k < 300; ++k) {
      const Quat turn = random.rotation();
      const Vec3 x = random.vector(3);
      const double above = random.uniform(0.2, 5), below = random.uniform(0.2, 5), tilt = random.uniform(-0.1, 0.1);
      // In the plate's axes: a rod of one segment along x, across the capsule's axis (z) or the plate's normal (z).
      const bool is_rod = std::holds_alternative<shape::Capsule>(plate.shape);
      const Vec3 u = Vec3(0.5, 0, tilt), down = is_rod ? Vec3(0, -1, 0) : Vec3(0, 0, -1);
      const Vec3 middle = std::holds_alternative<shape::Sphere>(plate.shape)
                              ? Vec3(0, 0, 0)
                              : Vec3(0.1, 0.1, 0.1).cwiseProduct(Vec3::Ones() - down.cwiseAbs());
      const double radius = 0.002;
      Model model = model_of({{{Vec3::Zero(), Vec3::UnitX()}, radius, false}}, 1e-4);
      const double share = k % 3 == 0 ? 0 : k % 3 == 1 ? 1 : random.uniform();  // of the motion that the obstacle makes
      add_obstacle(model, plate.shape, {x, turn});
      World world(model);
      const Vec3 start = middle - above * down, end = middle + below * down;
      std::vector<Vec3> to = world.nodes;
      std::vector<Pose> poses = world.poses;
      const Vec3 slide =
          is_rod || std::holds_alternative<shape::Sphere>(plate.shape) ? Vec3(0, 0, 0) : Vec3(0, 0.5 * tilt, 0);
      world.nodes = {x + turn * (start - u), x + turn * (start + u)};
      const Vec3 motion = end - start + slide;
      poses[0].position -= share * (turn * motion);
      to = {x + turn * (start - u + (1 - share) * motion), x + turn * (start + u + (1 - share) * motion)};
      const auto& touches = world.find(to, poses);
      ASSERT_EQ(touches.size(), 1u) << plate.name << " " << k;
      const Touch& c = touches[0];
      ASSERT_TRUE(c.is_passing()) << plate.name;
      ASSERT_GT(c.normal.dot(turn * -down), 0.3) << plate.name << " " << k;
      ASSERT_LT(c.gap, -0.1) << plate.name;
      // At the safe fraction it is on its own side.
      const double f = safe_fraction(touches);
      std::vector<Vec3> safe = world.nodes;
      for (std::size_t i = 0; i < 2; ++i) safe[i] += f * (to[i] - safe[i]);
      poses[0].position = x + f * (poses[0].position - x);
      const Vec3 p = safe[0] + c.s * (safe[1] - safe[0]);
      ASSERT_GT((turn.inverse() * (p - poses[0].position)).dot(-down), 0.4 * radius) << plate.name;
    }
  }
}

SENTENCE("contact", "a turning obstacle sweeps a resting rod") {
  Model model = model_of({{{Vec3(0.5, 0.3, -1), Vec3(0.5, 0.3, 1)}, 0.005, false}}, 1e-4);
  add_obstacle(model, shape::Box{Vec3(1, 0.002, 1)});
  World world(model);
  std::vector<Pose> poses = world.poses;
  poses[0].orientation = Quat(Eigen::AngleAxisd(1.2, Vec3::UnitZ()));  // the rod stands at 0.54 rad
  const auto& touches = world.find(world.nodes, poses);
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_TRUE(touches[0].is_passing());
  const Vec3 ahead = poses[0].orientation * Vec3::UnitY();  // the face that pushes
  EXPECT_GT(touches[0].normal.dot(ahead), 0.99);
  EXPECT_LT(touches[0].gap, -0.1);
}

}  // namespace
}  // namespace tendril
