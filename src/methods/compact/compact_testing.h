// What the tests of this folder share.
#pragma once

#include <memory>
#include <string>

#include "methods/compact/part.h"
#include "model/drive.h"
#include "testing/random_rods.h"
#include "testing/small_rods.h"

namespace tendril::compact {

using namespace small_rods;

inline Scene one_rod(const Curve& rest, int segments, const CrossSection& section = plain_section()) {
  Scene scene = small_rods::one_rod(rest, segments, section);
  scene.method = "compact";
  return scene;
}

// A rod at an instant, with everything a Problem looks at.
struct Instant {
  std::shared_ptr<const Model> model;
  Chain chain;
  ChainState state;
  Drive drive;
  LoadsNow loads;
  Problem problem;

  explicit Instant(const Scene& scene, StrainKind strain = StrainKind::angle, SolverSettings settings = {})
      : model(model_of(scene)),
        chain(build_chain(*model, 0, strain)),
        state(start_state(*model, chain)),
        loads(*model),
        problem(*model, chain, settings) {
    evaluate(*model, Live{}, 0, 1, drive);
    loads.update(drive);
  }
  Solved solve(const Stage& stage) { return problem.solve(state, drive, loads, stage); }
  // Turns every link at random, and says that it moved so.
  void disturb(Random& random, double size) {
    for (int i = 0; i < chain.real(); ++i) {
      const Vec3 turn = random.vector(size);
      state.q[z(i)] = (Quat(1, turn.x(), turn.y(), turn.z()) * state.q[z(i)]).normalized();
    }
    if (chain.ring) state.q.back() = state.q.front();
    for (Vec3& v : state.points.v) v = random.vector(size);
    for (Vec3& v : state.points.v_before) v = random.vector(size);
    for (Vec3& v : state.strains.y) v += random.vector(size);
  }
};

// The same of all rods of a scene.
struct InstantOfAll {
  std::shared_ptr<const Model> model;
  Parts parts;
  Drive drive;
  LoadsNow loads;

  explicit InstantOfAll(const Scene& scene) : model(model_of(scene)), loads(*model) {
    for (int rod = 0; rod < static_cast<int>(model->rods.size()); ++rod)
      parts.push_back(std::make_unique<Part>(*model, rod, StrainKind::angle, SolverSettings{}));
    evaluate(*model, Live{}, 0, 1, drive);
    loads.update(drive);
  }
};

}  // namespace tendril::compact
