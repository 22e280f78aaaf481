// Linear solvers and matrices that can be asked for beside the exact ones.
#include "methods/compact/iterative.h"

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

Scene sagging(bool held_at_both_ends) {
  Scene scene =
      one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 1), 0.5, 1.1}, 16, plain_section(0.02, 0.03, 0.015));
  GravityLoad gravity;
  scene.loads.push_back(gravity);
  add_clamp(scene, 0);
  if (held_at_both_ends) add_clamp(scene, 1).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.05, 0, 0)}};
  return scene;
}
Vec3 middle_after(const Scene& scene, const Settings& settings, int& inner) {
  const std::shared_ptr<const Model> model = model_of(scene);
  Compact method(model, settings);
  inner = 0;
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(method.step(0.01 * k, 0.01, {}).outcome, Outcome::fine);
    inner += method.part(0).solved.inner_iterations;
  }
  Frame frame = model->initial;
  method.write(frame);
  return frame.position[NodeIndex(9)];
}

SENTENCE("compact", "every linear solver and every matrix find the same steps, also with rows") {
  for (const bool both : {false, true}) {
    Settings exact;
    exact.solver.tolerance = 1e-11;
    int inner = 0;
    const Vec3 wanted = middle_after(sagging(both), exact, inner);
    EXPECT_EQ(inner, 0);
    for (const LinearKind kind : {LinearKind::pcg, LinearKind::dense})
      for (const ChainPreconditioning p :
           {ChainPreconditioning::hybrid, ChainPreconditioning::block_diagonal, ChainPreconditioning::diagonal}) {
        Settings other = exact;
        other.solver.linear = {kind, p, 1e-10};
        EXPECT_LT((middle_after(sagging(both), other, inner) - wanted).norm(), 1e-8) << int(kind) << int(p);
        EXPECT_EQ(inner > 0, kind == LinearKind::pcg);
      }
    for (const NewtonMatrix matrix : {NewtonMatrix::positive, NewtonMatrix::paper}) {
      Settings other = exact;
      other.solver.matrix = matrix;
      EXPECT_LT((middle_after(sagging(both), other, inner) - wanted).norm(), 1e-8) << int(matrix);
    }
  }
}

SENTENCE("compact", "a step that has used up its iterations is refused, or accepted where that is asked for") {
  Settings few;
  few.solver.iterations = 1, few.solver.tolerance = 1e-12;
  for (const bool accept : {false, true}) {
    few.solver.accept_unfinished = accept;
    Compact method(model_of(sagging(false)), few);
    EXPECT_EQ(method.step(0, 0.05, {}).outcome, accept ? Outcome::fine : Outcome::not_converged);
  }
}

SENTENCE("compact", "a step whose residual is a little above the tolerance when its iterations end is refused, too") {
  Settings settings;
  settings.solver.iterations = 1, settings.solver.tolerance = 1e-12, settings.solver.accept_unfinished = true;
  const double left = Compact(model_of(sagging(false)), settings).step(0, 0.05, {}).residual;
  ASSERT_GT(left, 1e-9);
  settings.solver.accept_unfinished = false;
  for (const double part : {0.3, 2.0}) {
    settings.solver.tolerance = part * left;
    const Outcome outcome = Compact(model_of(sagging(false)), settings).step(0, 0.05, {}).outcome;
    EXPECT_EQ(outcome, part > 1 ? Outcome::fine : Outcome::not_converged) << part;
  }
}

SENTENCE("compact", "solvers for symmetric matrices are refused where a load has no energy") {
  Scene scene = sagging(false);
  MomentLoad moment;
  moment.rod = "rod", moment.value = Vec3(0, 0, 1);
  scene.loads.push_back(moment);
  for (const char* solver : {"pcg", "dense"}) {
    const Options options(entry().info.options, {{"solver", std::string(solver)}});
    const std::string text = to_text(check(*model_of(scene), options));
    EXPECT_NE(text.find("options.compact.solver"), std::string::npos) << text;
    EXPECT_NE(text.find("rod has a moment, a load in material axes, drag or wind, whose matrix is not symmetric"),
              std::string::npos)
        << text;
  }
  EXPECT_TRUE(check(*model_of(scene), Options(entry().info.options, {})).empty());
}

}  // namespace
}  // namespace tendril::compact
