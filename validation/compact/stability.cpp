// Where equilibria lose their stability, by the verdict alone: Euler's column, a rod twisted between two clamps (Greenhill), a ring that
// was twisted before it was joined and that nothing holds (Michell), all of 100 segments; and a soft rod that is wound up by 27 turns on
// 50 segments.
#include "validation/compact/threshold.h"
#include "validation/experiment.h"

namespace tendril::experiments::compact_stability {
namespace {

Scene straight_scene(int segments, double GJ) {
  Scene scene;
  scene.title = "stability";
  scene.method = "compact";
  scene.time.mode = Mode::statics;
  Rod rod;
  rod.name = "rod";
  rod.rest = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  rod.section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = GJ, .mass_per_length = 1, .radius = 0.01};
  rod.segments = segments;
  scene.rods.push_back(rod);
  return scene;
}
void hold_end(Scene& scene, const char* name, double at) {
  Clamp clamp;
  clamp.name = name, clamp.rod = "rod", clamp.at = at;
  scene.clamps.push_back(clamp);
}

Scene column(double load) {
  Scene scene = straight_scene(100, 1);
  hold_end(scene, "foot", 0);
  ForceLoad force;
  force.rod = "rod", force.value = Vec3(-load, 0, 0);
  scene.loads.push_back(force);
  return scene;
}
Scene wound(int segments, double GJ, double angle) {
  Scene scene = straight_scene(segments, GJ);
  hold_end(scene, "start", 0), hold_end(scene, "end", 1);
  scene.rods[0].initial_twist = angle / math::two_pi;
  return scene;
}

// Its ends turned against each other by any angle before they were joined.
Scene twisted_ring(double angle) {
  Scene scene = straight_scene(100, 1);
  scene.rods[0].initial = CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 1 / math::two_pi};
  scene.rods[0].initial_twist = angle / math::two_pi;
  return scene;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  // docs/references.md 4a, 4b, 4c
  const double euler = 2.4674011, greenhill = 8.986818916, michell = 10.88279619;
  std::vector<Check> checks;
  const double p = threshold(column, 2, 3), m = threshold([](double a) { return wound(100, 1, a); }, 8, 10);
  checks.push_back(relative_check("Euler's column, P L^2/EI", euler, p, 1e-4));
  checks.push_back(relative_check("twisted between clamps, M L/EI", greenhill, m, 2e-3));
  const double t = threshold(twisted_ring, 9, 12);
  checks.push_back(relative_check("twisted ring, GJ theta/EI", michell, t, 5e-3));
  const Judged below = judged(twisted_ring(0.98 * michell)), above = judged(twisted_ring(1.02 * michell));
  checks.push_back(absolute_check("ring below Michell's twist: unstable directions", 0, below.verdict.unstable, 0));
  checks.push_back(absolute_check("ring above it: unstable directions", 2, above.verdict.unstable, 0));
  checks.push_back(absolute_check("ring: moves and turns that cost nothing", 6, below.verdict.neutral.moving, 0));
  checks.push_back(absolute_check("ring: turning about its own line costs nothing", 1, below.verdict.neutral.turning, 0));
  checks.push_back(absolute_check("ring: other neutral directions", 0, below.verdict.neutral.other, 0));
  checks.push_back(
      absolute_check("column above its first load: unstable directions", 2, judged(column(2.6)).verdict.unstable, 0));
  checks.push_back(absolute_check("column above nine times that: unstable directions", 4,
                                  judged(column(9.5 * euler)).verdict.unstable, 0));
  // Wound up at once by 27 turns, more than half a turn for each of its 50 joints.
  const double GJ = 0.02, angle = 27 * math::two_pi;
  Scene turned = wound(50, GJ, 0);
  turned.clamps[1].turn.keys = {{0, 0}, {1, 27}};
  const Judged soft = judged(turned, 1);
  checks.push_back(relative_check("27 turns on 50 segments: torque L/(GJ theta)", 1,
                                  soft.frame.moment[NodeIndex(25)].x() / (GJ * angle), 1e-9));
  checks.push_back(
      absolute_check("27 turns on 50 segments: unstable directions", 0, soft.fine ? soft.verdict.unstable : -1, 0));
  context.write_csv("thresholds", {"Euler", "Greenhill", "Michell"}, {{p, m, t}});
  return checks;
}

}  // namespace tendril::experiments::compact_stability
