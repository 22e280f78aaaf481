// Friction as an energy: its law and its gradient.
#include "methods/compact/friction.h"

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

// Two rods across each other, radius 0.01, so that a slip is of the size of the elastic one, 1e-5.
SENTENCE("compact",
         "friction's gradient, on nodes and by turns of frames, is that of finite differences, sticking and sliding") {
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0.05, 0)}, 5);
  Rod other = scene.rods[0];
  other.name = "other", other.rest = StraightCurve{Vec3(0.02, -0.5, 0.0201), Vec3(-0.02, 0.5, 0.0203)};
  scene.rods.push_back(other);
  scene.contact.enabled = true, scene.contact.friction = 0.4;
  for (const double slid : {4e-6, 1e-5, 5e-5}) {
    InstantOfAll instant(scene);
    Parts& parts = instant.parts;
    ContactField field(*instant.model, parts);
    field.begin_boxes();
    for (const auto& part : parts) {
      part->problem.begin(part->state, instant.drive, instant.loads, euler_stage(0.01));
      part->problem.find_places();
      field.include(*part, part->problem.places(), 0.001);
      field.take_places(*part, part->problem.places(), field.x);
      field.take_places(*part, part->problem.places(), field.start);
    }
    ASSERT_EQ(field.list({}, {}), Found::fine);
    Friction friction(field, parts);
    PairGap at;
    for (const NearPair& pair : field.pairs()) {
      if (pair.kind != NearPair::Kind::segments) continue;
      field.near().evaluate(pair, field.x, {}, at);
      KeptContact kept;
      kept.key = pair.key, kept.normal = at.at.normal, kept.slip = slid * Vec3(0.8, 0.6, 0);
      friction.add(pair, at.at, 3.0, &kept, Vec3::Zero());
    }
    ASSERT_EQ(friction.size(), 1u);
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

}  // namespace
}  // namespace tendril::compact
