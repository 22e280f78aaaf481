// The paper's contact: gaps as inequalities.
#include "methods/compact/active_set.h"

#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "testing/allocation_count.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

Settings by_active_set() {
  Settings s;
  s.active_set = true;
  return s;
}
// Two rods across each other, a ball below the first one. Radius 0.01.
Scene crossing() {
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0.05, 0)}, 9);
  Rod other = scene.rods[0];
  other.name = "other", other.rest = StraightCurve{Vec3(0.02, -0.5, 0.025), Vec3(-0.02, 0.5, 0.023)};
  scene.rods.push_back(other);
  Obstacle ball;
  ball.name = "ball", ball.shape = SphereShape{Vec3(0.23, 0.03, -0.063), 0.05};
  scene.obstacles.push_back(ball);
  scene.contact.enabled = true;
  return scene;
}

SENTENCE("compact", "rows of gaps in a rod's unknowns are those of finite differences, rooted at either end, free or held") {
  for (const double held : {-1.0, 0.0, 1.0}) {
    Scene scene = crossing();
    if (held >= 0) add_clamp(scene, held);
    InstantOfAll at(scene);
    Parts& parts = at.parts;
    ActiveSet set(*at.model, parts, {}, at.drive);
    set.begin(at.drive, at.loads, euler_stage(0.01));
    std::ignore = set.evaluate();
    ASSERT_LT(set.direction(), 1e300);
    const int count = static_cast<int>(set.rows().size());
    ASSERT_GE(count, 2);
    std::vector<ContactKey> keys;
    for (const auto& row : set.rows()) keys.push_back(row.pair.key);
    for (int rod = 0; rod < 2; ++rod) {
      const int all = parts[z(rod)]->problem.size(), skipped = held >= 0 && rod == 0 ? 3 : 0, n = all - skipped;
      Eigen::MatrixXd rows(count, n);
      Eigen::VectorXd unit = Eigen::VectorXd::Zero(all);
      for (int i = 0; i < n; ++i) {
        unit[skipped + i] = 1;
        for (int k = 0; k < count; ++k) rows(k, i) = set.slope_of_row(k, rod, {unit.data(), z(all)});
        unit[skipped + i] = 0;
      }
      const auto gaps = [&](const Eigen::VectorXd& x) {
        for (auto& part : parts) std::fill(part->problem.direction().begin(), part->problem.direction().end(), 0.0);
        std::copy(x.begin(), x.end(), parts[z(rod)]->problem.direction().begin() + skipped);
        set.move(1);
        std::ignore = set.evaluate();
        Eigen::VectorXd out = Eigen::VectorXd::Zero(count);
        for (const auto& row : set.rows())
          for (int k = 0; k < count; ++k)
            if (keys[z(k)] == row.pair.key) out[k] = row.at.gap;
        return out;
      };
      const auto result = compare_with_differences(gaps, rows, Eigen::VectorXd(Eigen::VectorXd::Zero(n)), {.step = 1e-4});
      EXPECT_TRUE(result.ok) << held << ": " << result.message;
    }
  }
}

SENTENCE("compact", "the quadratic problem with rows ends where rows are open or push, also where some say the same") {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + trial % 12, inner = 3 + trial % 7;  // more rows than unknowns, too
    Eigen::MatrixXd j(n, inner);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < inner; ++k) j(i, k) = random.vector(1).x();
    if (n > 2) j.row(2) = j.row(0);
    Eigen::VectorXd s(inner), closed(n);
    for (int k = 0; k < inner; ++k) s[k] = random.vector(1).y();
    for (int i = 0; i < n; ++i) closed[i] = std::abs(random.vector(1).z());  // s = 0 is open
    if (n > 2) closed[2] = closed[0];
    RowQuadratic quadratic;
    quadratic.resize(n);
    const Eigen::MatrixXd g = j * j.transpose();
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) quadratic.at(i, k) = g(i, k);
      quadratic.constant(i) = closed[i] + 3 * j.row(i).dot(s);
    }
    ASSERT_TRUE(quadratic.solve({closed.data(), z(n)})) << trial;
    EXPECT_GE(quadratic.systems(), 1);
    for (int i = 0; i < n; ++i) {
      const double push = quadratic.pushes()[z(i)];
      EXPECT_GE(push, 0);
      EXPECT_GE(quadratic.values()[z(i)], -1e-7) << trial;
      EXPECT_LT(push * quadratic.values()[z(i)], 1e-6) << trial;
    }
  }
}

SENTENCE("compact", "by the active set a rod lies on the floor, its gap closed, its weight carried; overlap is told") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 0.012), Vec3(1, 0, 0.012)}, 12);
  scene.contact.enabled = true;
  Obstacle floor;
  floor.name = "floor", floor.shape = HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()};
  scene.obstacles.push_back(floor);
  scene.loads.push_back(GravityLoad{9.81 * Vec3(0, 0, -1)});
  const auto model = model_of(scene);
  Settings settings = by_active_set();
  settings.scheme = Scheme::euler;
  Compact method(model, settings);
  StepReport report;
  int systems = 0;
  for (int k = 0; k < 40; ++k) {
    report = method.step(0.01 * k, 0.01, {});
    ASSERT_EQ(report.outcome, Outcome::fine) << k;
    systems += method.part(0).solved.solves;
  }
  EXPECT_GE(systems, 20);
  Frame frame;
  method.write(frame);
  double carried = 0;
  for (const ContactPoint& p : frame.contacts) {
    EXPECT_NEAR(p.gap, 0, 1e-7);
    carried += p.force.z();
  }
  EXPECT_EQ(report.contacts, static_cast<int>(frame.contacts.size()));
  EXPECT_NEAR(carried, 9.81, 1e-5 * 9.81);
  EXPECT_LT(report.penetration, 1e-5);
  // A saved state goes on with the same bits.
  StateWriter writer;
  method.visit_state(writer);
  Compact other(model, settings);
  StateReader reader(writer.buffer());
  other.visit_state(reader);
  long counted = 0;
  {
    const AllocationCount count;
    report = method.step(0.4, 0.01, {});
    counted = count.count();
  }
  ASSERT_EQ(report.outcome, Outcome::fine);
  EXPECT_EQ(counted, 0);
  ASSERT_EQ(other.step(0.4, 0.01, {}).outcome, Outcome::fine);
  Frame again;
  method.write(frame), other.write(again);
  for (int i = 0; i < frame.position.size(); ++i) EXPECT_EQ(frame.position[NodeIndex{i}], again.position[NodeIndex{i}]);
  EXPECT_EQ(method.relax(0, 1, {}).cause, no_active_set_at_rest);
}

SENTENCE("compact", "by the active set rods that meet at walking pace do not pass; momentum is kept") {
  Scene scene = crossing();
  scene.obstacles.clear();
  scene.rods[0].velocity = Vec3(0, 0, 0.5), scene.rods[1].velocity = Vec3(0, 0, -0.5);
  Settings settings = by_active_set();
  settings.scheme = Scheme::euler;
  const auto model = model_of(scene);
  Compact method(model, settings);
  Frame frame;
  double deepest = 0;
  int touched = 0;
  for (int k = 0; k < 60; ++k) {
    const StepReport report = method.step(0.002 * k, 0.002, {});
    ASSERT_EQ(report.outcome, Outcome::fine) << k;
    deepest = std::max(deepest, report.penetration);
    touched += report.contacts;
  }
  method.write(frame);
  EXPECT_GT(touched, 0);
  EXPECT_LT(deepest, 1e-4);
  const int nodes = frame.position.size() / 2;
  Vec3 momentum = Vec3::Zero();
  double before = 0;
  for (int rod = 0; rod < 2; ++rod) {
    const double mass = mass_of(*model, model->rods[z(rod)]);
    before += mass * scene.rods[z(rod)].velocity.z();
    for (int i = 0; i < nodes; ++i)
      momentum += mass / (nodes - 1) * (i == 0 || i == nodes - 1 ? 0.5 : 1) * frame.velocity[NodeIndex{rod * nodes + i}];
  }
  EXPECT_LT((momentum - before * Vec3::UnitZ()).norm(), 1e-6);
  EXPECT_LT(frame.position[NodeIndex{4}].z(), frame.position[NodeIndex{nodes + 4}].z());
}

SENTENCE("compact", "what the active set does not do is refused by name, and the barrier proposed") {
  const auto refused = [](const Scene& scene) {
    const auto model = model_of(scene);
    const Problems problems = entry().check(*model, Options(entry().info.options, {{"contact", std::string("active_set")}}));
    return problems.size() == 1 && problems[0].field == "options.compact.contact" &&
           problems[0].remedy.find("contact = \"barrier\"") != std::string::npos;
  };
  const Scene plain = crossing();
  EXPECT_FALSE(refused(plain));
  Scene rubs = plain;
  rubs.contact.friction = 0.3;
  EXPECT_TRUE(refused(rubs));
  Scene moves = plain;
  moves.obstacles[0].move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.01)}};
  EXPECT_TRUE(refused(moves));
  Scene blown = plain;
  WindLoad wind;
  wind.rod = "rod", wind.velocity = Vec3(1, 0, 0);
  blown.loads.push_back(wind);
  EXPECT_TRUE(refused(blown));
  Scene body = plain;
  RigidBody b;
  b.name = "body", b.mass = 1, b.inertia = Vec3(1, 1, 1), b.position = Vec3(0, 0, 1), b.collides = false;
  body.bodies.push_back(b);
  EXPECT_TRUE(refused(body));
}

}  // namespace
}  // namespace tendril::compact
