#include "tendril/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/elementary.h"
#include "math/rotation.h"
#include "measure/measure.h"
#include "run/check.h"
#include "run/inside.h"
#include "run/open.h"
#include "tendril/simulate.h"

namespace tendril {
double NaturalMode::frequency() const { return omega_squared > 0 ? std::sqrt(omega_squared) / (2 * std::numbers::pi) : 0; }

Checked<Modes> natural_modes(const Scene& scene, int count) {
  if (count < 1 || count > max_modes)
    return one_error("count", fmt::format("got {}", count), fmt::format("must be 1 to {}", max_modes), "");
  if (const MethodInfo* info = find_method_info(scene.method); info != nullptr && !info->can.any(Feature::modes))
    return one_error("method", fmt::format("method `{}` {}", scene.method, info_of(Feature::modes).lack), "",
                     methods_that_can(Feature::modes));
  Scene still = scene;
  still.time.mode = Mode::statics;
  Checked<Simulation> opened = Simulation::open(still);
  if (!opened) return opened.problems();
  Simulation& simulation = *opened;
  while (!simulation.finished())
    if (simulation.advance().outcome != Outcome::fine)
      return one_error("", simulation.report().message, "",
                       "natural frequencies are those about an equilibrium, and none was found");
  auto& in = SimulationAccess::inside(simulation);
  Checked<std::vector<NaturalMode>> list = in.method->modes(in.place.time, in.place.load_factor, count);
  if (!list) return list.problems();
  return Modes{simulation.frame(), std::move(*list)};
}

Frame swung(const Modes& modes, std::size_t mode, double size) {
  const NaturalMode& m = modes.list.at(mode);
  Frame frame = modes.equilibrium;
  double far = 0, turned = 0;
  for (const Vec3& v : m.move) far = std::max(far, v.norm());
  for (const Vec3& v : m.body_move) far = std::max(far, v.norm());
  for (const Vec3& v : m.turn) turned = std::max(turned, v.norm());
  // Nothing may seem to turn by more than a radian, also where nodes hardly move: a mode of twist.
  const double by = size / std::max({far, std::abs(size) * turned, 1e-300});
  for (int i = 0; i < frame.position.size(); ++i) frame.position[NodeIndex(i)] += by * m.move[NodeIndex(i)];
  for (int e = 0; e < frame.orientation.size(); ++e) {
    Quat& q = frame.orientation[EdgeIndex(e)];
    q = (exp_quat(Vec3(by * m.turn[EdgeIndex(e)])) * q).normalized();
  }
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    Pose& pose = frame.bodies[b].pose;
    pose.position += by * m.body_move[b];
    pose.orientation = (exp_quat(Vec3(by * m.body_turn[b])) * pose.orientation).normalized();
  }
  return frame;
}

Problems show_modes(const Scene& scene, const Modes& modes, Sink& sink, double seconds) {
  Scene film = scene;
  film.time.mode = Mode::dynamics, film.time.step.reset();
  film.time.duration = seconds * static_cast<double>(modes.list.size()), film.time.frames_per_second = 30;
  Checked<Simulation> opened = Simulation::open(film);
  if (!opened) return opened.problems();
  const auto model = SimulationAccess::inside(*opened).model;
  Vec3 low = Vec3::Constant(forever), high = -low;
  for (const Vec3& p : modes.equilibrium.position) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double size = (high - low).norm() / 12;
  sink.begin(*opened);
  const Meter meter(model);
  Measures measures;
  RunReport report;
  const int frames = static_cast<int>(std::lround(film.time.duration * film.time.frames_per_second));
  for (int k = 0; k <= frames; ++k) {
    const double time = k / film.time.frames_per_second;
    const std::size_t mode = std::min(static_cast<std::size_t>(time / seconds), modes.list.size() - 1);
    const double swing = math::sin(4 * math::pi * (time / seconds - static_cast<double>(mode)));
    Frame frame = swung(modes, mode, swing * size);
    frame.time = time, frame.step = k;
    meter.measure(frame, measures);
    sink.take(frame, measures);
  }
  report.method = scene.method, report.time = film.time.duration, report.steps = frames, report.frames = frames + 1;
  report.last = measures;
  sink.end(report);
  return {};
}

}  // namespace tendril
