// A cable that hardly twists (G = 100 E) is pulled along a line and wound up: it buckles, coils and winds around itself.
// [Zhao 2022, Fig. 16]
//
// The paper's rod, force and rate (scenes/twisted_cable.toml); its length is chosen so that T L^2/EI = 10, a case of docs/references.md 4b,
// and so is the step. Both ends slide along the line; each is turned by half of the 10 rad/s.
#include <algorithm>
#include <cmath>

#include "model/drive.h"
#include "run/open.h"
#include "validation/compact/run_cost.h"
#include "validation/compact/threshold.h"
#include "validation/der/end_rotation.h"
#include "validation/experiment.h"
#include "validation/machine_speed.h"

namespace tendril::experiments::compact_plectoneme {
namespace {

constexpr double radius = 0.003, three_turns = 3 * math::two_pi / 10;  // [m], [s] at 10 rad/s

// M L/EI of an evenly twisted rod is its angle times GJ/EI.
Scene evenly_twisted(double moment) {
  Scene scene = stored_scene("twisted_cable");
  scene.time.mode = Mode::statics;
  scene.contact.enabled = false;
  scene.rods[0].initial_noise = 0;
  scene.rods[0].initial_twist = moment / (200 * math::two_pi);
  for (Clamp& clamp : scene.clamps) clamp.turn.keys.clear();
  return scene;
}

struct Wound {
  double link_error = 0;             // [turns] worst
  double least = HUGE_VAL;           // gap over r, ever
  double first_touch = 0;            // [s]
  double twisting = 0, bending = 0;  // [J] at the end
  int contacts = 0;                  // at the end
  RunCost cost;
  std::vector<std::vector<double>> rows;
};

Wound wind_up() {
  Wound out;
  Drive drive;
  double start = std::nan("");
  out.cost = cost_of_run(stored_scene("twisted_cable"), three_turns, [&](const Simulation& simulation) {
    const Frame& frame = simulation.frame();
    evaluate(model_of(simulation), {}, simulation.time(), 1, drive);
    const ClampNow &left = drive.clamps[0], &right = drive.clamps[1];
    const double writhe = writhe_continued(frame, Vec3::UnitX());
    const double twist = wall_to_wall_twist(frame, left.pose.orientation, right.pose.orientation) / math::two_pi;
    const double put_in = (right.turn - left.turn) / math::two_pi;
    if (std::isnan(start)) start = writhe + twist;
    out.link_error = std::max(out.link_error, std::abs(writhe + twist - start - put_in));
    for (const ContactPoint& p : frame.contacts) out.least = std::min(out.least, p.gap / radius);
    out.contacts = static_cast<int>(frame.contacts.size());
    out.twisting = frame.own_energy.twisting, out.bending = frame.own_energy.bending;
    if (out.contacts > 0 && out.first_touch == 0) out.first_touch = simulation.time();
    const int last = frame.position.size() - 1;
    out.rows.push_back({simulation.time(), put_in, writhe, twist, out.bending, out.twisting, 1.0 * out.contacts,
                        frame.position[NodeIndex(last)].x() - frame.position[NodeIndex(0)].x()});
  });
  return out;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  // docs/references.md 4b, T L^2/EI = 10
  const double buckles = threshold(evenly_twisted, 9, 12);
  checks.push_back(relative_check("turned slowly, it is no longer stable at M L/EI", 10.429, buckles, 0.01));
  Wound wound;
  const Check cost = clock_check("ms per step, mean of all", 2, [&] {
    wound = wind_up();
    return wound.cost.mean;
  });
  checks.push_back(relative_check("turns put in", 3, wound.rows.back()[1], 1e-3));
  checks.push_back(bound_check("link against the turns put in, worst [turns]", wound.link_error, 1e-6));
  checks.push_back(at_least("contacts after three turns", 1, wound.contacts));
  checks.push_back(at_least("least gap ever, over r", 1e-9, wound.least));
  checks.push_back(bound_check("twist energy over bending energy after three turns", wound.twisting / wound.bending, 0.1));
  checks.push_back(cost);
  context.write_csv(
      "wound",
      {"t [s]", "turns", "writhe [turns]", "twist [turns]", "bending [J]", "twisting [J]", "contacts", "ends apart [m]"},
      wound.rows);
  context.write_csv("steps", {"ms per step", "worst [ms]", "iterations per step", "first touch [s]", "threshold M L/EI"},
                    {{wound.cost.mean, wound.cost.worst, wound.cost.iterations, wound.first_touch, buckles}});
  return checks;
}

}  // namespace tendril::experiments::compact_plectoneme
