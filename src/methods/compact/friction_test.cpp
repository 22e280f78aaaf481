// Friction as an energy: its law and its gradient.
#include "methods/compact/friction.h"

#include <cmath>

#include "math/rotation.h"
#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "methods/compact/contacts.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

SENTENCE("compact", "the law of friction is smooth: value, slope and bend are derivatives of each other") {
  for (const double q : {0.3, 0.95, 1.04, 1.5}) {
    const auto first = compare_with_differences(&FrictionLaw::value, FrictionLaw::slope(q), q);
    EXPECT_TRUE(first.ok) << q << ": " << first.message;
    if (q > 1 + FrictionLaw::rounded) continue;  // the bend is zero there
    const auto second = compare_with_differences(&FrictionLaw::slope, FrictionLaw::bend(q), q);
    EXPECT_TRUE(second.ok) << q << ": " << second.message;
  }
  EXPECT_EQ(FrictionLaw::bend(1.5), 0);
}

// Two rods across each other, radius 0.01, so that a slip is of the size of the elastic one, 1e-5; one contact that presses with 3 N and has
// slid by `slid`.
struct Rubbing {
  InstantOfAll instant;
  ContactField field;
  Friction friction;

  static Scene crossed() {
    Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0.05, 0)}, 5);
    Rod other = scene.rods[0];
    other.name = "other", other.rest = StraightCurve{Vec3(0.02, -0.5, 0.0201), Vec3(-0.02, 0.5, 0.0203)};
    scene.rods.push_back(other);
    scene.contact.enabled = true, scene.contact.friction = 0.4;
    return scene;
  }
  Parts& parts() { return instant.parts; }
  explicit Rubbing(double slid) : instant(crossed()), field(*instant.model, instant.parts), friction(field, instant.parts) {
    field.begin_boxes();
    for (const auto& part : instant.parts) {
      part->problem.begin(part->state, instant.drive, instant.loads, euler_stage(0.01));
      part->problem.find_places();
      field.include(*part, part->problem.places(), 0.001);
      field.take_places(*part, part->problem.places(), field.x);
      field.take_places(*part, part->problem.places(), field.start);
    }
    EXPECT_EQ(field.list({}, {}), Found::fine);
    PairGap at;
    for (const NearPair& pair : field.pairs()) {
      if (pair.kind != NearPair::Kind::segments) continue;
      field.near().evaluate(pair, field.x, {}, at);
      KeptContact kept = field.named(pair, at.at);
      kept.slip = slid * Vec3(0.8, 0.6, 0);
      friction.add(pair, at.at, 3.0, &kept, Vec3::Zero());
    }
    EXPECT_EQ(friction.size(), 1u);
  }
};

SENTENCE("compact",
         "friction's gradient, on nodes and by turns of frames, is that of finite differences, sticking and sliding") {
  for (const double slid : {4e-6, 1e-5, 5e-5}) {
    Rubbing rubbing(slid);
    Parts& parts = rubbing.parts();
    ContactField& field = rubbing.field;
    Friction& friction = rubbing.friction;
    for (int rod = 0; rod < 2; ++rod) {
      Problem& problem = parts[z(rod)]->problem;
      const auto gradient_here = [&](bool rubs) {
        for (auto& part : parts) part->problem.take_place();
        if (rubs) std::ignore = friction.evaluate(nullptr);
        std::ignore = problem.sum_up();
        return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(problem.gradient().data(), problem.size()));
      };
      const auto go_to = [&](const Eigen::VectorXd& x) {
        std::fill(problem.direction().begin(), problem.direction().end(), 0.0);
        std::copy(x.begin(), x.end(), problem.direction().begin());
        problem.move(1);
        problem.find_places();
        field.take_places(*parts[z(rod)], problem.places(), field.x);
      };
      const auto energy = [&](const Eigen::VectorXd& x) {
        go_to(x);
        for (auto& part : parts) part->problem.take_place();
        return friction.evaluate(nullptr);
      };
      const Eigen::VectorXd none = Eigen::VectorXd::Zero(problem.size());
      go_to(none);
      const Eigen::VectorXd gradient = gradient_here(true) - gradient_here(false);
      const auto result = compare_with_differences(energy, gradient, none, {.step = 1e-7});
      EXPECT_TRUE(result.ok) << slid << ", rod " << rod << ": " << result.message;
      go_to(none);
    }
  }
}

// In the blocks of the sparse matrix: places of all nodes and turns of all links, each by itself.
SENTENCE("compact", "friction's matrix, on nodes and turns of frames, is that of finite differences, sticking and sliding") {
  for (const double slid : {4e-6, 1e-5, 5e-5}) {
    Rubbing rubbing(slid);
    Parts& parts = rubbing.parts();
    ContactField& field = rubbing.field;
    Coupled coupled(*rubbing.instant.model, parts, {});
    const std::vector<int> both = {0, 1};
    coupled.take(both, nullptr);
    std::ignore = coupled.factor(true, 0);
    const int size = 3 * coupled.matrix().blocks().blocks();
    const auto gradient = [&](const Eigen::VectorXd& x) {
      Eigen::VectorXd g = Eigen::VectorXd::Zero(size);
      for (const auto& part : parts) {
        Problem& problem = part->problem;
        const int rod = part->chain.rod;
        std::fill(problem.direction().begin(), problem.direction().end(), 0.0);
        for (int i = 0; i < part->chain.real(); ++i)
          for (int k = 0; k < 3; ++k) problem.direction()[z(3 + 3 * i + k)] = x[3 * coupled.turn_block(rod, i) + k];
        problem.move(1);
        for (int n = 0; n < part->chain.nodes(); ++n) problem.node_gradient(n).setZero();
        for (int i = 0; i < part->chain.real(); ++i) problem.link_gradient(i).setZero();
      }
      for (std::size_t n = 0; n < field.x.size(); ++n) {
        const auto& at = field.of_node(static_cast<int>(n));
        field.x[n] = field.start[n] + x.segment<3>(3 * coupled.node_block(at.rod, at.k));
      }
      std::ignore = rubbing.friction.evaluate(nullptr);
      for (const auto& part : parts) {
        const int rod = part->chain.rod;
        for (int n = 0; n < part->chain.nodes(); ++n)
          g.segment<3>(3 * coupled.node_block(rod, n)) = part->problem.node_gradient(n);
        for (int i = 0; i < part->chain.real(); ++i) {
          const Eigen::Index at = 3 * coupled.turn_block(rod, i);
          const Vec3 t = x.segment<3>(at);  // in turns from the base, see problem_test.cpp
          g.segment<3>(at) =
              (Mat3::Identity() + 0.5 * skew(t)).transpose() * part->problem.link_gradient(i) / (1 + 0.25 * t.squaredNorm());
        }
      }
      return g;
    };
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(size);
    std::ignore = gradient(none);
    FoldedLDLT matrix;  // nothing is folded
    matrix.begin(size / 3);
    rubbing.friction.assemble(coupled, matrix, nullptr);
    Eigen::MatrixXd whole(size, size);
    for (int j = 0; j < size; ++j) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(size, j);
      Eigen::VectorXd column(size);
      matrix.blocks().multiply({unit.data(), z(size)}, {column.data(), z(size)});
      whole.col(j) = column;
    }
    const auto result = compare_with_differences(gradient, whole, none, {.step = 1e-7});
    EXPECT_TRUE(result.ok) << slid << ": " << result.message;
  }
}

// A bar rolls to and fro on a log, by forces at its ends, and the place where they touch passes the bar's middle node each time. A push along it that
// half of the friction could hold must not carry it away.
SENTENCE("compact",
         "a contact that goes on to the next segment keeps its elastic slip: a bar that rolls on a log does not creep") {
  constexpr double mu = 0.4, weight = 9.81, R = 0.1, period = 2;
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, R + 0.0101), Vec3(0.5, 0, R + 0.0101)}, 6, plain_section(1e3, 1e3, 1e3));
  scene.contact.enabled = true, scene.contact.friction = mu;
  add_shape(scene, CapsuleShape{Vec3(0, -1, 0), Vec3(0, 1, 0), R});
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -weight)});
  scene.rods[0].damping.mass = 20;
  ForceLoad push;
  push.rod = "rod", push.at = 0.5, push.value = Vec3(0.5 * mu * weight, 0, 0);
  push.factor.shape = TimetableShape::smooth, push.factor.keys = {{0, 0.0}, {0.2, 1.0}};
  scene.loads.push_back(push);
  for (const double end : {0.0, 1.0}) {
    ForceLoad rock;
    rock.rod = "rod", rock.at = end, rock.value = Vec3(0, 0, (end > 0 ? 1 : -1) * 0.04 * weight);
    rock.factor.shape = TimetableShape::smooth;
    rock.factor.keys = {{0, 0.0}};
    for (int k = 1; k <= 40; ++k) rock.factor.keys.push_back({0.2 + 0.5 * period * k, k % 2 == 1 ? 1.0 : -1.0});
    scene.loads.push_back(rock);
  }
  Compact method(model_of(scene), {});
  Frame frame;
  std::vector<double> x;
  constexpr double step = 5e-3;
  int passed = 0, edge = -1;
  for (int k = 0; k * step < 0.2 + 8 * period; ++k) {
    ASSERT_EQ(method.step(k * step, step, {}).outcome, Outcome::fine) << k * step;
    method.write(frame);
    double most = 0;
    int now = -1;
    for (const ContactPoint& p : frame.contacts)
      if (p.force.norm() > most) most = p.force.norm(), now = p.edge_a;
    ASSERT_GE(now, 0) << "it has lost the log at " << k * step;
    passed += edge >= 0 && now != edge, edge = now;
    if (const double cycles = ((k + 1) * step - 0.2) / period; cycles > 1.5 && std::abs(cycles - std::round(cycles)) < 1e-6)
      x.push_back(frame.position[NodeIndex(3)].x());
  }
  EXPECT_GE(passed, 10);
  ASSERT_GE(x.size(), 6u);
  // From the last cycle but one to the last. Elastic slip is 1e-5 m; where it was forgotten the bar went on by 1.2e-5 m in each cycle.
  EXPECT_LT(std::abs(x.back() - x[x.size() - 2]), 3e-6);
}

}  // namespace
}  // namespace tendril::compact
