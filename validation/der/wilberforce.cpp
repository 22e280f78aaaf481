// Wilberforce's pendulum: a body on a helical spring bounces and turns by turns.  [Bergou 2008, Fig. 11; REFERENCES 6c]
#include <algorithm>
#include <cmath>
#include <numbers>

#include "validation/experiment.h"
#include "validation/solve.h"
#include "validation/wilberforce.h"

namespace tendril::experiments::der_wilberforce {
namespace {

constexpr double pi = std::numbers::pi;
using namespace wilberforce;

struct Modes {
  double slow = 0, fast = 0;
};
// omega^2 = eigenvalues of A in  (z, phi)'' = -A (z, phi)
Modes modes_of(const Mat2& A) {
  const double half = 0.5 * A.trace(), root = std::sqrt(half * half - A.determinant());
  return {std::sqrt(half - root), std::sqrt(half + root)};
}

// ---- guided, from the stiffness at equilibrium --------------------------------------------------------------------------
// Guided, the body holds the wire's end like a clamp that is lowered by `drop` and turned about z by `angle`. Returns the
// force along z and the moment about z that the spring exerts on the body.
Vec2 pull(int segments, double drop, double angle) {
  Scene scene = spring(segments);
  scene.title = "guided Wilberforce pendulum";
  scene.time.mode = Mode::statics;
  scene.time.duration = 1;
  Clamp bottom;
  bottom.name = "bottom", bottom.rod = "spring", bottom.at = 1, bottom.axis = Vec3::UnitZ();
  const Vec3 end(radius * std::cos(2 * pi * turns), -radius * std::sin(2 * pi * turns), -pitch * turns);
  const Vec3 moved = Eigen::AngleAxisd(angle, Vec3::UnitZ()) * end - Vec3(0, 0, drop);
  bottom.move.keys = {{0, Vec3::Zero()}, {1, moved - end}};
  bottom.turn.keys = {{0, 0}, {1, angle / (2 * pi)}};
  scene.clamps.push_back(bottom);
  const Simulation simulation = run_to_end(scene);
  const Wrench& held = simulation.reactions()[1];
  return {-held.force.z(), -(held.moment + moved.cross(held.force)).z()};
}
struct Equilibrium {
  double drop = 0, angle = 0;
  Mat2 K = Mat2::Zero();  // -d(force, moment)/d(z, phi)
};
Equilibrium guided_equilibrium(int segments) {
  Equilibrium e{body_mass * g / 30.8, 0, Mat2::Zero()};
  for (int round = 0; round < 3; ++round) {
    const double dz = 1e-4, da = 1e-3;
    e.K.col(0) = (pull(segments, e.drop + dz, e.angle) - pull(segments, e.drop - dz, e.angle)) / (2 * dz);
    e.K.col(1) = -(pull(segments, e.drop, e.angle + da) - pull(segments, e.drop, e.angle - da)) / (2 * da);
    if (round == 2) break;
    const Vec2 step = e.K.inverse() * (pull(segments, e.drop, e.angle) - Vec2(body_mass * g, 0));
    e.drop -= step[0], e.angle += step[1];
  }
  return e;
}

// ---- guided, in motion --------------------------------------------------------------------------------------------------
// Lowered gently by growing gravity with some damping, then left with a little more gravity, it swings about an equilibrium.
// There (z, phi)'' = -A (z, phi) - c (z, phi)' + const, and A follows from the recorded motion by least squares.
Modes swinging(ExperimentContext& context, int segments) {
  Scene scene = guided(segments);
  scene.title = "guided Wilberforce pendulum, in motion";
  constexpr double damping = 3;  // [1/s]
  scene.bodies[0].damping = scene.rods[0].damping.mass = damping;
  scene.time.frames_per_second = 200;
  constexpr double lowered = 1.2, watched = 1.2;
  scene.time.duration = lowered + watched;
  Simulation simulation = open_or_throw(scene);
  const double frame_time = 1 / scene.time.frames_per_second;
  std::vector<std::vector<double>> rows;
  std::vector<Eigen::Matrix<double, 6, 1>> samples;  // z, phi, their rates, their accelerations later
  double angle = 0, before = 0;
  for (int frame = 1; !simulation.finished(); ++frame) {
    const double time = frame * frame_time, u = std::min(time / lowered, 1.0);
    const double factor = time > lowered ? 1.03 : u * u * (3 - 2 * u);
    simulation.set_input("gravity", factor);
    if (simulation.advance_to(time).outcome != Outcome::fine) throw std::runtime_error(simulation.report().message);
    const BodyState& now = simulation.frame().bodies[0];
    const double turn = 2 * std::atan2(now.pose.orientation.z(), now.pose.orientation.w());
    angle += std::remainder(turn - before, 2 * pi), before = turn;
    rows.push_back({time, now.pose.position.z(), angle, now.motion.linear.z(), now.motion.angular.z()});
    if (time > lowered + frame_time)
      samples.push_back({now.pose.position.z(), angle, now.motion.linear.z(), now.motion.angular.z(), 0, 0});
  }
  context.write_csv("guided_motion", {"time [s]", "z [m]", "angle [rad]", "velocity [m/s]", "spin [rad/s]"}, rows);
  Eigen::MatrixXd left(2 * samples.size() - 4, 6);
  Eigen::VectorXd right(left.rows());
  left.setZero();
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    // Central differences of the rates see omega sinc(omega dt): put right below.
    for (int k = 0; k < 2; ++k) {
      const auto row = static_cast<Eigen::Index>(2 * (i - 1)) + k;
      const double scale = k == 0 ? 1 : std::sqrt(body_inertia / body_mass);
      const double rate = (samples[i + 1][2 + k] - samples[i - 1][2 + k]) / (2 * frame_time);
      left(row, 3 * k) = scale * samples[i][0], left(row, 3 * k + 1) = scale * samples[i][1], left(row, 3 * k + 2) = scale;
      right[row] = -scale * (rate + damping * samples[i][2 + k]);
    }
  }
  const Eigen::VectorXd x = left.colPivHouseholderQr().solve(right);
  Mat2 A;
  A << x[0], x[1], x[3], x[4];
  Modes modes = modes_of(A);
  for (double* w : {&modes.slow, &modes.fast}) *w /= std::sqrt(std::sin(*w * frame_time) / (*w * frame_time));
  return modes;
}

// ---- unguided -----------------------------------------------------------------------------------------------------------
// A soft spring of 25 turns, EI = 2 GJ so that bouncing and turning couple well, its ends led to the axis, where the body hangs
// free. Coiled with 10 degrees of pitch, the weight stretches it to about 15.
struct SoftSpring {
  static constexpr double R = 0.05, EI = 1e-2, GJ = 5e-3, turns = 25, lead = 0.25, rest_angle = 10 * pi / 180,
                          angle = 15 * pi / 180;
  static constexpr int segments = 12 * 25;
  std::vector<Vec3> points;
  double length = 0, weight = 0;  // of the body [N]
  double stretch = 0, twist = 0;  // compliances of a helix at `angle` along and about z, by Castigliano
  SoftSpring() {
    points = wire();
    for (std::size_t i = 1; i < points.size(); ++i) length += (points[i] - points[i - 1]).norm();
    const double c = std::cos(angle), s = std::sin(angle), r = R * c / std::cos(rest_angle);
    stretch = r * r * length * (c * c / GJ + s * s / EI);
    twist = length * (s * s / GJ + c * c / EI);
    weight = 2 * pi * turns * (r * std::tan(angle) - R * std::tan(rest_angle)) / stretch;
  }
  static Vec3 at(double t) {
    const double end = 2 * pi * turns, led = 2 * pi * lead;
    const auto ramp = [&](double u) { return std::sin(0.5 * pi * std::clamp(u / led, 0.0, 1.0)); };
    const double r = R * ramp(t) * ramp(end - t);
    return {r * std::cos(t), r * std::sin(t), -R * std::tan(rest_angle) * t};
  }
  static std::vector<Vec3> wire() {  // points at equal distances along the curve
    constexpr int fine = 200 * segments;
    std::vector<double> s(fine + 1, 0.0);
    const double step = 2 * pi * turns / fine;
    for (int i = 1; i <= fine; ++i)
      s[static_cast<std::size_t>(i)] = s[static_cast<std::size_t>(i) - 1] + (at(step * i) - at(step * (i - 1))).norm();
    std::vector<Vec3> out;
    for (int i = 0; i < segments; ++i) {
      const auto k = std::lower_bound(s.begin(), s.end(), s.back() * i / segments) - s.begin();
      out.push_back(at(step * static_cast<double>(k)));
    }
    out.push_back(at(2 * pi * turns));
    return out;
  }
};

struct Exchange {
  int handovers = 0;           // from bouncing to turning or back
  double least = 1, most = 0;  // part of the body's kinetic energy that bounces, mean over one period
};

// Gravity grows slowly to its full value, and then at once by 8 %: the body bounces.
Exchange unguided(ExperimentContext& context) {
  const SoftSpring soft;
  const double M = soft.weight / g, Iz = 0.88 * M * soft.stretch / soft.twist;  // tuned
  Scene scene;
  scene.title = "Wilberforce pendulum";
  Rod rod;
  rod.name = "spring";
  const double wire = M / 4;
  rod.section = StiffnessSection{{}, soft.EI, soft.EI, soft.GJ, wire / soft.length, 1e-3};
  PolylineCurve curve;
  curve.points = soft.points;
  rod.rest = curve;
  scene.rods.push_back(rod);
  Clamp top;
  top.name = "top", top.rod = "spring";
  scene.clamps.push_back(top);
  RigidBody body;
  body.name = "body", body.mass = M - wire / 3, body.inertia = Vec3(0.6 * Iz, 0.6 * Iz, Iz),
  body.position = soft.points.back();
  scene.bodies.push_back(body);
  scene.joints.push_back({"weld", JointKind::rigid, {"spring", 1}, {"", 0, "body"}, Vec3::UnitZ()});
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -g)});
  scene.options["der"]["projection"] = std::string("conserving");
  constexpr int per_period = 24, lowering = 6, watched = 23;
  const double period = 2 * pi * std::sqrt(soft.stretch * M);
  scene.time.duration = (lowering + watched) * period;
  scene.time.frames_per_second = per_period / period;
  Simulation simulation = open_or_throw(scene);
  Exchange result;
  std::vector<double> bounce, turn;
  std::vector<std::vector<double>> rows;
  bool bouncing = true;
  for (int frame = 1; !simulation.finished(); ++frame) {
    const double u = std::min(1.0, frame / double(per_period * lowering));
    simulation.set_input("gravity", u < 1 ? u * u * u * (10 - 15 * u + 6 * u * u) : 1.08);
    if (simulation.advance_to(frame * period / per_period).outcome != Outcome::fine)
      throw std::runtime_error(simulation.report().message);
    const BodyState& now = simulation.frame().bodies[0];
    bounce.push_back(0.5 * body.mass.value() * now.motion.linear.z() * now.motion.linear.z());
    turn.push_back(0.5 * Iz * now.motion.angular.z() * now.motion.angular.z());
    if (frame <= per_period * (lowering + 1)) continue;
    double b = 0, t = 0;
    for (std::size_t i = bounce.size() - per_period; i < bounce.size(); ++i) b += bounce[i], t += turn[i];
    const double part = b / (b + t);
    result.least = std::min(result.least, part), result.most = std::max(result.most, part);
    if (bouncing ? part < 0.3 : part > 0.7) bouncing = !bouncing, ++result.handovers;
    rows.push_back({simulation.time(), now.pose.position.z(), bounce.back(), turn.back(), part});
  }
  context.write_csv("unguided",
                    {"time [s]", "z [m]", "bouncing [J]", "turning [J]", "bouncing part, mean over a period [1]"}, rows);
  return result;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  constexpr double slow = 10.92469888, fast = 11.27479301, beat = 0.350094133, drop = 0.08089058549;
  const Mat2 inverse = Vec2(1 / body_mass, 1 / body_inertia).asDiagonal();
  const Equilibrium coarse = guided_equilibrium(480), e = guided_equilibrium(960);
  const Modes modes = modes_of(inverse * e.K), coarse_modes = modes_of(inverse * coarse.K);
  const double order = std::log2((coarse_modes.slow - slow) / (modes.slow - slow));
  std::vector<Check> checks{
      relative_check("guided, 960 segments: drop of the body [m]", drop, e.drop, 0.01),
      absolute_check("guided, 960 segments: its rotation [rad]", 0.0431454945, e.angle, 0.001),
      relative_check("guided, 960 segments: stiffness along z [N/m]", 30.80874055, e.K(0, 0), 0.01),
      relative_check("guided, 960 segments: stiffness about z [N m]", 0.008585538815, e.K(1, 1), 0.01),
      relative_check("guided, 480 segments: slow mode [rad/s]", slow, coarse_modes.slow, 0.02),
      relative_check("guided, 480 segments: fast mode [rad/s]", fast, coarse_modes.fast, 0.02),
      relative_check("guided, 480 segments: beat [rad/s]", beat, coarse_modes.fast - coarse_modes.slow, 0.03),
      relative_check("guided, 960 segments: beat [rad/s]", beat, modes.fast - modes.slow, 0.01),
      absolute_check("guided: order of the slow mode in the segment", 2, order, 0.2),
  };
  if (context.full()) {
    // A third of the spring's own mass moves with the body.
    const double wire = wire_density * pi * 0.25e-6 * turns * std::hypot(2 * pi * radius, pitch);
    Mat2 heavier = inverse;
    heavier(0, 0) = 1 / (body_mass + wire / 3);
    heavier(1, 1) = 1 / (body_inertia + wire / 3 * radius * radius);
    const Modes expected = modes_of(heavier * guided_equilibrium(400).K), seen = swinging(context, 400);
    checks.push_back(relative_check("guided body in motion: slow mode [rad/s]", expected.slow, seen.slow, 0.02));
    checks.push_back(relative_check("guided body in motion: fast mode [rad/s]", expected.fast, seen.fast, 0.02));
    checks.push_back(
        relative_check("guided body in motion: beat [rad/s]", expected.fast - expected.slow, seen.fast - seen.slow, 0.03));
    const Exchange free = unguided(context);
    checks.push_back({"unguided: energy handed from bouncing to turning or back, times", 4, double(free.handovers), 0, 0,
                      free.handovers >= 4});
    checks.push_back(absolute_check("unguided: part that bounces at most", 1, free.most, 0.1));
    checks.push_back(bound_check("unguided: part that bounces at least", free.least, 0.3));
  }
  return checks;
}

}  // namespace tendril::experiments::der_wilberforce
