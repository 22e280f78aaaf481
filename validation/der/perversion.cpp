// Perversion: a spring of flat section is pulled straight, its turns are taken out at one end, and its ends are brought
// together again. It cannot get its natural shape back, because both ends hold their twist: half of it coils right-handed,
// half left-handed, and one perversion joins the two.  [Bergou 2008, sec. 9.3 and Fig. 2]
//
// Motion with damping up to the end of the path, then the equilibrium. Nothing keeps the rod from passing through itself;
// the path is slow and ends early enough that it does not, which the link, twist + writhe, would show by a jump of 2.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "math/elementary.h"
#include "methods/der/der.h"
#include "validation/der/end_rotation.h"
#include "validation/experiment.h"

namespace tendril::experiments::der_perversion {
namespace {

constexpr double turns = 5, radius = 0.02, pitch = 0.002;  // of the natural shape [m]
constexpr int segments = 120;
constexpr double straight = 0.995, together = 0.55;                               // distance of the ends over the length
constexpr double pulled_at = 3, untwisted_at = 5, together_at = 10, end_at = 12;  // [s]
const double length = turns * std::hypot(math::two_pi * radius, pitch);

Scene make_scene() {
  Scene scene;
  scene.time.duration = end_at;
  Material rubber;
  rubber.name = "rubber";
  rubber.density = 1000;
  rubber.young_modulus = 1e6;
  scene.materials = {rubber};
  Rod rod;
  rod.name = "spring";
  rod.material = "rubber";
  rod.section =
      RectangleSection{.width = 0.002, .height = 0.006};  // thin towards the centre of curvature: that way it bends softly
  rod.follows = SectionFollows::curve;
  HelixCurve helix;
  helix.axis = Vec3::UnitZ();
  helix.radius = radius, helix.pitch = pitch, helix.turns = turns;
  rod.rest = helix;
  rod.segments = segments;
  rod.damping.mass = 3;
  rod.initial_noise = 1e-5;
  scene.rods = {rod};
  const auto distance = [](double share) { return Vec3(-radius, 0, share * length - turns * pitch); };
  Clamp start, end;
  start.name = "start", end.name = "end";
  start.rod = end.rod = "spring";
  end.at = 1;
  start.direction = start.axis = end.direction = end.axis = Vec3::UnitZ();
  start.move.keys = {{0, Vec3::Zero()}, {pulled_at, Vec3(-radius, 0, 0)}};  // onto the axis
  end.move.keys = {{0, Vec3::Zero()},
                   {pulled_at, distance(straight)},
                   {untwisted_at, distance(straight)},
                   {together_at, distance(together)}};
  end.turn.keys = {{pulled_at, 0.0}, {untwisted_at, -turns}};
  scene.clamps = {start, end};
  return scene;
}

struct Shape {
  std::vector<double> s;        // [m] middle of each edge
  std::vector<double> torsion;  // [rad/m] smoothed
  std::vector<double> azimuth;  // [turns] of the tangent about the axis: rises along a right-handed helix
};

// Torsion of an edge: the turn of the binormal from the joint before it to the joint after it. Where the rod is almost
// straight the binormal means little, so the mean over a quarter of a turn weighs each edge by its curvature.
Shape shape_of(const Frame& frame) {
  Shape shape;
  const int edges = frame.orientation.size();
  const auto tangent = [&](int e) { return Vec3(frame.orientation[EdgeIndex{e}] * Vec3::UnitZ()); };
  std::vector<double> weight, product;
  for (int e = 0; e < edges; ++e) {
    const double from = frame.material[NodeIndex{e}], to = frame.material[NodeIndex{e + 1}];
    shape.s.push_back(0.5 * (from + to));
    const Vec3 before = tangent(std::max(e - 1, 0)), t = tangent(e), after = tangent(std::min(e + 1, edges - 1));
    const Vec3 b = before.cross(t), c = t.cross(after);
    weight.push_back(b.norm() * c.norm());
    product.push_back(weight.back() * std::atan2(b.cross(c).dot(t), b.dot(c)) / (to - from));
    const Vec3 p(before.x(), before.y(), 0), q(t.x(), t.y(), 0);
    const double turned = std::atan2(p.cross(q).z(), p.dot(q)) / math::two_pi;
    shape.azimuth.push_back(e == 0 ? 0 : shape.azimuth.back() + turned);
  }
  const double width = 0.25 * length / turns;
  for (const double s : shape.s) {
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < shape.s.size(); ++i) {
      const double near = std::exp(-0.5 * std::pow((shape.s[i] - s) / width, 2));
      sum += near * product[i], total += near * weight[i];
    }
    shape.torsion.push_back(total > 0 ? sum / total : 0);
  }
  return shape;
}

class Spring {
 public:
  Spring()
      : model_(std::make_shared<const Model>(*build_model(make_scene()))),
        der_(model_, der::Settings{}),
        frame_(model_->initial) {
    advised_ = der::advise(*model_, Options(der::entry().info.options, {})).advised;
  }
  void move_to(double end) {
    const auto steps = static_cast<int>(std::ceil((end - time_) / advised_));
    const double dt = (end - time_) / steps, begin = time_;
    for (int k = 0; k < steps; ++k) {
      if (const StepReport r = der_.step(begin + k * dt, dt, {}); r.outcome != Outcome::fine)
        throw std::runtime_error(
            fmt::format("at {} s: {}", begin + k * dt, failure_of(r.cause, der::entry().info).sentence));
    }
    time_ = end;
    der_.write(frame_);
  }
  StepReport settle() {
    const StepReport report = der_.relax(time_, 1, {});
    der_.write(frame_);
    return report;
  }
  const Frame& frame() const { return frame_; }
  double link() const {  // twist + writhe [turns]
    Drive drive;
    evaluate(*model_, {}, time_, 1, drive);
    const double twist = wall_to_wall_twist(frame_, drive.clamps[0].pose.orientation, drive.clamps[1].pose.orientation);
    return twist / math::two_pi + writhe_continued(frame_, Vec3::UnitZ());
  }

 private:
  std::shared_ptr<const Model> model_;
  der::Der der_;
  Frame frame_;
  double advised_ = 0, time_ = 0;
};

void write_figure(ExperimentContext& context, const std::string& name, const Frame& frame, const Shape& shape) {
  std::vector<std::vector<double>> line, torsion;
  for (int i = 0; i < frame.position.size(); ++i) {
    const Vec3& x = frame.position[NodeIndex{i}];
    line.push_back({frame.material[NodeIndex{i}], x.x(), x.y(), x.z()});
  }
  for (std::size_t i = 0; i < shape.s.size(); ++i) torsion.push_back({shape.s[i], shape.torsion[i], shape.azimuth[i]});
  context.write_csv(name + "-centerline", {"s [m]", "x [m]", "y [m]", "z [m]"}, line);
  context.write_csv(name + "-torsion", {"s [m]", "torsion [rad/m]", "azimuth of the tangent [turns]"}, torsion);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  Spring spring;
  checks.push_back(absolute_check("link of the natural shape [turns]", turns, (spring.move_to(1e-6), spring.link()), 1e-3));
  spring.move_to(untwisted_at);
  checks.push_back(bound_check("link when pulled straight [turns]", spring.link(), 1e-3));
  write_figure(context, "straight", spring.frame(), shape_of(spring.frame()));
  double worst = 0;  // the link stays on the way
  for (int k = 1; k <= 20; ++k) {
    spring.move_to(untwisted_at + (end_at - untwisted_at) * k / 20);
    worst = std::max(worst, std::abs(spring.link()));
  }
  const StepReport report = spring.settle();
  worst = std::max(worst, std::abs(spring.link()));
  checks.push_back(bound_check("link while the ends come together, worst [turns]", worst, 1e-3));
  checks.push_back(bound_check("residual of the equilibrium", report.residual, 1e-7));
  checks.push_back(bound_check("negative pivots", report.verdict.unstable, 0));

  const Shape shape = shape_of(spring.frame());
  write_figure(context, "end", spring.frame(), shape);
  // The walls themselves disturb the torsion: the outermost tenths are left out.
  const std::size_t edges = shape.s.size(), first = edges / 10, last = edges - edges / 10;
  std::size_t place = 0;
  int changes = 0;
  for (std::size_t i = first + 1; i < last; ++i) {
    if (shape.torsion[i] * shape.torsion[i - 1] > 0) continue;
    ++changes;
    place = i;
  }
  const double before = shape.azimuth[place] - shape.azimuth.front(), after = shape.azimuth.back() - shape.azimuth[place];
  const auto hand = [](double x) { return x > 0 ? 1.0 : -1.0; };
  checks.push_back(absolute_check("perversions: changes of the torsion's sign", 1, changes, 0));
  checks.push_back(absolute_check("place of the perversion over the length", 0.5, shape.s[place] / length, 0.2));
  checks.push_back(absolute_check("hand of one side times hand of the other", -1,
                                  hand(shape.torsion[first]) * hand(shape.torsion[last - 1]), 0));
  checks.push_back(
      absolute_check("turns agree in hand with the torsion, before", hand(shape.torsion[first]), hand(before), 0));
  checks.push_back(
      absolute_check("turns agree in hand with the torsion, after", hand(shape.torsion[last - 1]), hand(after), 0));
  checks.push_back(at_least("turns before the perversion, at least", 0.5, std::abs(before)));
  checks.push_back(at_least("turns after the perversion, at least", 0.5, std::abs(after)));
  return checks;
}

}  // namespace tendril::experiments::der_perversion
