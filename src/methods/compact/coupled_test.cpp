#include "methods/compact/coupled.h"

#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

// Rods of several kinds, far from each other: held at a root, at both ends, free, a ring.
Scene several_rods() {
  Scene scene = one_rod(line, 7);
  scene.rods[0].damping = {0.3, 0.01};
  Rod rod = scene.rods[0];
  rod.name = "free", rod.segments = 5;
  rod.rest = StraightCurve{Vec3(0, 5, 0), Vec3(1, 5, 0)};
  scene.rods.push_back(rod);
  rod.name = "two", rod.rest = ArcCurve{Vec3(0, 10, 0), Vec3::UnitX(), Vec3::UnitZ(), 0.5, 1.5};
  scene.rods.push_back(rod);
  rod.name = "ring", rod.segments = 9, rod.initial_twist = 0.1;
  rod.rest = CircleCurve{Vec3(0, 15, 0), Vec3::UnitZ(), 0.3};
  scene.rods.push_back(rod);
  add_clamp(scene, 0);
  for (const double at : {0.0, 1.0}) add_clamp(scene, at, {Hold::position}).rod = "two";
  scene.loads.push_back(GravityLoad{});
  return scene;
}

struct Several {
  std::shared_ptr<const Model> model;
  Parts parts;
  Drive drive;
  LoadsNow loads;
  explicit Several(const Scene& scene) : model(model_of(scene)), loads(*model) {
    for (int rod = 0; rod < static_cast<int>(model->rods.size()); ++rod)
      parts.push_back(std::make_unique<Part>(*model, rod, StrainKind::angle, SolverSettings{}));
    evaluate(*model, Live{}, 0, 1, drive);
    loads.update(drive);
  }
  void begin(const Stage& stage) {
    for (auto& part : parts) part->problem.begin(part->state, drive, loads, stage);
  }
};

SENTENCE("compact", "rods that are solved together end where each ends alone: held, free, between two points, rings") {
  const Scene scene = several_rods();
  Several alone(scene), together(scene);
  const Stage stage = euler_stage(0.005);
  const std::vector<int> all = {0, 1, 2, 3};
  Coupled coupled(*together.model, together.parts, {});
  for (int step = 0; step < 5; ++step) {
    for (auto& part : alone.parts)
      ASSERT_TRUE(part->problem.solve(part->state, alone.drive, alone.loads, stage).fine) << part->chain.rod;
    together.begin(stage);
    coupled.take(all, nullptr);
    const Solved solved = coupled.iterate();
    ASSERT_TRUE(solved.fine) << solved.residual;
    EXPECT_LT(solved.iterations, 12);
    for (auto& part : together.parts) part->problem.finish();
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t i = 0; i < alone.parts[r]->state.points.y.size(); ++i)
        EXPECT_LT((alone.parts[r]->state.points.y[i] - together.parts[r]->state.points.y[i]).norm(), 2e-7) << r << " " << i;
  }
}

SENTENCE("compact", "the sparse matrix of rods together gives the directions of the chain solver") {
  const Scene scene = several_rods();
  Several alone(scene), together(scene);
  const Stage stage = euler_stage(0.005);
  const std::vector<int> all = {0, 1, 2, 3};
  together.begin(stage);
  alone.begin(stage);
  Coupled coupled(*together.model, together.parts, {});
  coupled.take(all, nullptr);
  std::ignore = coupled.evaluate();
  ASSERT_TRUE(coupled.direct(true, 0));
  for (std::size_t r = 0; r < 4; ++r) {
    Problem& problem = alone.parts[r]->problem;
    std::ignore = problem.evaluate();
    ASSERT_TRUE(problem.find_direction());
    const auto a = problem.direction(), b = together.parts[r]->problem.direction();
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < problem.gradient().size(); ++i)
      largest = std::max(largest, std::abs(a[i])), difference = std::max(difference, std::abs(a[i] - b[i]));
    EXPECT_LT(difference, 1e-8 * largest) << r;
  }
}

}  // namespace
}  // namespace tendril::compact
