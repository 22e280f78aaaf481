// A hoist: 5 t on a wire rope of 16 mm in segments of 0.5 kg, swinging, paid out and reeled in at 2 and at 10 m/s, 60 steps a second. Cuts and
// merges at the drum must not show in the tension, and the rope must be as long as the winch has made it.
#include <fmt/format.h>

#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_winch {
namespace {

constexpr double g = 9.81, length = 20, load = 5000, EA = 1.2e7, swing = 0.1;  // [m/s^2], [m], [kg], [N], [rad]
constexpr int segments = 40;

struct Trip {
  double speed = 0, ramp = 0, even = 0;  // [m/s], [s] to reach it, [s] at it
  double begins() const { return 0.5; }
  double lasts() const { return 2 * ramp + even; }
  double turns() const { return begins() + lasts() + 0.5; }
  double ends() const { return turns() + lasts() + 0.5; }
  double way() const { return speed * (ramp + even); }  // of smooth ramps: half of the speed in the mean
  bool is_even(double t) const {                        // not on a ramp
    const auto on_ramp = [&](double since) {
      return (since > 0 && since < ramp) || (since > ramp + even && since < lasts());
    };
    return !on_ramp(t - begins()) && !on_ramp(t - turns());
  }
  double hardest() const { return 1.5 * speed / ramp; }
};

// Out and in; the rope is stretched at the start as its load stretches it, so that it does not bounce.
Model hoist(const Trip& trip) {
  const Vec3 down(std::sin(swing), 0, -std::cos(swing));
  StiffnessSection section{.EA = EA, .EI1 = 30, .EI2 = 30, .GJ = 20, .mass_per_length = 1, .radius = 0.008};
  Scene scene = rope::straight(Vec3::Zero(), length * down, segments, section, Give::elastic);
  rope::pin(scene, 0);
  rope::hang_load(scene, length * down, load);
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  Winch winch;
  winch.name = "hoist", winch.rod = "rope", winch.top_speed = trip.speed, winch.stored = trip.way(), winch.acceleration = 4;
  const double a = trip.begins(), b = trip.turns(), v = trip.speed;
  winch.speed.shape = TimetableShape::smooth;
  winch.speed.keys = {{0, 0},
                      {a, 0},
                      {a + trip.ramp, v},
                      {a + trip.ramp + trip.even, v},
                      {a + trip.lasts(), 0},
                      {b, 0},
                      {b + trip.ramp, -v},
                      {b + trip.ramp + trip.even, -v},
                      {b + trip.lasts(), 0}};
  scene.winches.push_back(winch);
  Model model = *rope::model_of(scene);
  const double longer = 1 + load * g * std::cos(swing) / EA;
  for (Vec3& place : model.initial.position) place *= longer;
  JointModel& hook = model.joints[0];
  for (Vec3* place : {&model.initial.bodies[0].pose.position, &model.bodies[0].start.pose.position, &hook.point,
                      &hook.point_a, &hook.point_b})
    *place *= longer;
  return model;
}

struct Result {
  int events = 0;
  double at_events = 0, elsewhere = 0;  // second differences of the tension, part of the weight
  double length_error = 0;              // [m] of the rope against what the drum has paid out, at any time
  double way_error = 0;      // [m] against the integral of the speed asked for, but for ramps, where it is that of a polygon
  double stretch_error = 0;  // of its length against what its tension makes of it
  double energy_error = 0;   // part of the drum's work
  double held = 0;           // [s]
};

// What the timetable has paid out.
double paid_by_timetable(const Trip& trip, double t) {
  const auto one_way = [&](double since) {
    const double u = std::clamp(since / trip.ramp, 0.0, 1.0),
                 w = std::clamp((since - trip.ramp - trip.even) / trip.ramp, 0.0, 1.0);
    const auto ramp = [](double s) { return s * s * s - 0.5 * s * s * s * s; };  // integral of 3 s^2 - 2 s^3
    return trip.speed * (trip.ramp * ramp(u) + std::clamp(since - trip.ramp, 0.0, trip.even) + trip.ramp * (w - ramp(w)));
  };
  return one_way(t - trip.begins()) - one_way(t - trip.turns());
}

Result run(const Trip& trip, std::vector<std::vector<double>>& rows) {
  cable::Settings settings;
  settings.averaged = true, settings.extra_damping = 0.1;
  cable::Cable method(std::make_shared<const Model>(hoist(trip)), settings);
  Result result;
  Frame frame;
  method.write(frame);
  const double start = frame.own_energy.total(), h = rope::frame_step;
  std::vector<double> tension;
  std::vector<char> event;
  std::size_t before = segments;
  double most_work = 0, most_error = 0;
  for (int i = 0; i * h < trip.ends(); ++i) {
    if (method.step(i * h, h, {}).outcome != Outcome::fine) break;
    result.held = (i + 1) * h;
    method.write(frame);
    const std::vector<double>& s = method.parts().chains[0].material;
    tension.push_back(frame.reactions[0].force.norm());
    event.push_back(method.parts().chains[0].segments.size() != before);
    before = method.parts().chains[0].segments.size();
    const double out = s.back() - s.front();
    result.length_error = std::max(result.length_error, std::abs(out - length - method.feed().paid_out(0)));
    if (trip.is_even(result.held))
      result.way_error = std::max(result.way_error, std::abs(out - length - paid_by_timetable(trip, result.held)));
    // Up to where the load is held: the last node is the end of the rope, and half a segment's stretch lies beyond it.
    double stretched = (frame.bodies[0].pose.position - frame.position[NodeIndex(frame.rods[0].edges)]).norm(), pulled = 0;
    for (int e = 0; e < frame.rods[0].edges; ++e) {
      const double l = s[static_cast<std::size_t>(e) + 1] - s[static_cast<std::size_t>(e)];
      stretched += (frame.position[NodeIndex(e + 1)] - frame.position[NodeIndex(e)]).norm();
      pulled += l * frame.force[EdgeIndex(e)].norm() / EA;
    }
    result.stretch_error = std::max(result.stretch_error, std::abs(stretched - out - pulled) / out);
    most_work = std::max(most_work, std::abs(frame.flow.clamps));
    most_error =
        std::max(most_error, std::abs(frame.own_energy.total() - start - frame.flow.work() + frame.flow.dissipated()));
    rows.push_back({trip.speed, result.held, out, static_cast<double>(before), tension.back() / (load * g)});
  }
  for (std::size_t i = 1; i + 1 < tension.size(); ++i) {
    const double second = std::abs(tension[i + 1] - 2 * tension[i] + tension[i - 1]) / (load * g);
    const bool near = event[i - 1] || event[i] || event[i + 1];
    result.events += event[i];
    (near ? result.at_events : result.elsewhere) = std::max(near ? result.at_events : result.elsewhere, second);
  }
  result.energy_error = most_error / most_work;
  return result;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const Trip& trip : {Trip{2, 1, 4}, Trip{10, 4, 1.2}}) {
    const Result r = run(trip, rows);
    const auto name = [&](const char* what) { return fmt::format("{:g} m/s: {}", trip.speed, what); };
    checks.push_back(at_most(name("hardest acceleration asked for [m/s^2]"), 4, trip.hardest()));
    checks.push_back(at_least(name("holds for [s]"), trip.ends() - 0.1, r.held));
    checks.push_back(at_least(name("cuts and merges"), 2 * trip.way() / 0.5 - 2, r.events));
    checks.push_back(
        at_most(name("second difference of the tension at cuts and merges, part of the weight"), 0.01, r.at_events));
    checks.push_back(at_most(name("second difference elsewhere"), 0.01, r.elsewhere));
    checks.push_back(at_most(name("length of the rope against what was paid out [m]"), 1e-9, r.length_error));
    checks.push_back(at_most(name("length of the rope against the integral of the speed [m]"), 1e-9, r.way_error));
    checks.push_back(at_most(name("length of the rope against that and its stretch, part of it"), 1e-5, r.stretch_error));
    checks.push_back(at_most(name("energy that is not accounted for, part of the drum's work"), 0.005, r.energy_error));
  }
  context.write_csv("tension", {"speed [m/s]", "time [s]", "rope out [m]", "segments", "tension over the weight"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_winch
