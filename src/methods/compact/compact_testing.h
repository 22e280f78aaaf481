// Small rods for the tests of this folder.
#pragma once

#include <memory>
#include <string>

#include "methods/compact/part.h"
#include "model/drive.h"
#include "testing/random_rods.h"

namespace tendril::compact {

inline StiffnessSection plain_section(double EI1 = 1, double EI2 = 1, double GJ = 0.8) {
  StiffnessSection s;
  s.EA = 1e4, s.EI1 = EI1, s.EI2 = EI2, s.GJ = GJ, s.mass_per_length = 1, s.radius = 0.01;
  return s;
}
inline const Curve line = StraightCurve{Vec3(0, 0, 0), Vec3(1, 0, 0)};
inline Scene one_rod(const Curve& rest, int segments, const CrossSection& section = plain_section()) {
  Scene scene;
  scene.method = "compact";
  Rod rod;
  rod.name = "rod";
  rod.section = section;
  rod.rest = rest;
  rod.segments = segments;
  scene.rods.push_back(rod);
  return scene;
}
inline Clamp& add_clamp(Scene& scene, double at, std::vector<Hold> hold = {Hold::position, Hold::direction, Hold::twist}) {
  Clamp clamp;
  clamp.name = "clamp" + std::to_string(scene.clamps.size() + 1);
  clamp.rod = "rod";
  clamp.at = at;
  clamp.hold = std::move(hold);
  scene.clamps.push_back(clamp);
  return scene.clamps.back();
}
inline std::shared_ptr<const Model> model_of(const Scene& scene) {
  Checked<Model> model = build_model(scene);
  return std::make_shared<const Model>(*model);
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
