#include "tendril/modes.h"

#include <cmath>
#include <numbers>

#include "tendril/simulate.h"
#include "testing/for_each_method.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

constexpr double L = 1.5, EI = 0.4, line_mass = 0.3;

// A straight rod along x; another stiffness across, so that bending in the two planes has different frequencies.
Scene rod_scene(int segments, double other = 4 * EI) {
  Scene scene;
  scene.method = "compact";
  Rod rod;
  rod.name = "rod", rod.rest = StraightCurve{Vec3::Zero(), Vec3(L, 0, 0)}, rod.segments = segments;
  rod.section =
      StiffnessSection{.EA = {}, .EI1 = EI, .EI2 = other, .GJ = 0.3, .mass_per_length = line_mass, .radius = 0.002};
  scene.rods.push_back(rod);
  return scene;
}
Clamp hold(double at, std::vector<Hold> what = {Hold::position, Hold::direction, Hold::twist}) {
  Clamp clamp;
  clamp.name = at == 0 ? "near" : "far", clamp.rod = "rod", clamp.at = at, clamp.hold = std::move(what);
  return clamp;
}
std::vector<double> frequencies(const Scene& scene, int count) {
  const Checked<Modes> modes = natural_modes(scene, count);
  if (!modes) throw Misuse(to_text(modes.problems()));
  std::vector<double> list;
  for (const NaturalMode& m : modes->list) list.push_back(m.frequency());
  return list;
}
// beta: root of the frequency equation times the length.
double of_beam(double beta, double stiffness = EI) {
  return beta * beta / (L * L) * std::sqrt(stiffness / line_mass) / (2 * std::numbers::pi);
}

SENTENCE("run", "frequencies of a cantilever are those of the beam within 0.2 % at 100 segments, with order two") {
  Scene scene = rod_scene(100);
  scene.clamps = {hold(0)};
  // cos b cosh b = -1; in the stiff plane twice as fast.
  const double soft[] = {1.8751040687, 4.6940911330, 7.8547574382};
  std::vector<double> wanted;
  for (const double b : soft) wanted.push_back(of_beam(b)), wanted.push_back(of_beam(b, 4 * EI));
  std::sort(wanted.begin(), wanted.end());
  const std::vector<double> found = frequencies(scene, 5);
  ASSERT_EQ(found.size(), 5u);
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 2e-3 * wanted[k]) << k;
  // Third in the soft plane, coarser: errors fall with the square.
  const auto error = [&](int segments) {
    Scene coarse = rod_scene(segments, 1e4 * EI);
    coarse.clamps = {hold(0)};
    return std::abs(frequencies(coarse, 3)[2] / of_beam(soft[2]) - 1);
  };
  EXPECT_NEAR(std::log2(error(15) / error(30)), 2, 0.25);
}

SENTENCE("run", "frequencies of a rod clamped at both ends are those of the beam") {
  Scene scene = rod_scene(100, 1e4 * EI);
  scene.clamps = {hold(0), hold(1)};
  scene.clamps[1].slide = Vec3::UnitX();
  const double roots[] = {4.7300407449, 7.8532046241, 10.9956078380};
  const std::vector<double> found = frequencies(scene, 3);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], of_beam(roots[k]), 2e-3 * of_beam(roots[k])) << k;
}

// A limp chain that hangs from its top, with the weight of `tip_length` more of it at its tip. Height s above the point where all of it would
// end: (g s y')' + w^2 y = 0, so y = F0(u), u = 2 w sqrt(s/g), F0 of J0 and Y0; at the tip -w^2 y = g y', that is F1(u) = u/2 F0(u); at the top y = 0.
double chain_equation(double omega, double g, double length, double tip_length) {
  const double tip = 2 * omega * std::sqrt(tip_length / g), top = 2 * omega * std::sqrt((length + tip_length) / g);
  const double a = std::cyl_bessel_j(1, tip) - 0.5 * tip * std::cyl_bessel_j(0, tip);
  const double b = std::cyl_neumann(1, tip) - 0.5 * tip * std::cyl_neumann(0, tip);
  return std::cyl_bessel_j(0, top) * b - std::cyl_neumann(0, top) * a;
}
double chain_root(int number, double g, double length, double tip_length) {
  double last = chain_equation(1e-3, g, length, tip_length);
  for (double w = 2e-3;; w += 1e-3) {
    const double now = chain_equation(w, g, length, tip_length);
    if ((now > 0) != (last > 0) && number-- == 0) return w - 1e-3 * now / (now - last);
    last = now;
  }
}

SENTENCE("run", "a limp chain that hangs with a weight at its tip swings with the roots of Bessel's equation") {
  const double g = 9.81, m = 0.2;
  const Vec3 tip(0.6 * L, 0, -0.8 * L);  // where it starts; it hangs from its top
  Scene scene = rod_scene(100);
  scene.rods[0].rest = StraightCurve{Vec3::Zero(), tip};
  scene.rods[0].section =
      StiffnessSection{.EA = {}, .EI1 = 1e-6, .EI2 = 1e-6, .GJ = 1e-3, .mass_per_length = line_mass, .radius = 0.002};
  scene.clamps = {hold(0, {Hold::position})};
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  RigidBody bob;
  bob.name = "bob", bob.mass = m, bob.inertia = Vec3(1e-9, 1e-9, 1e-9), bob.position = tip, bob.collides = false;
  scene.bodies = {bob};
  Joint joint;
  joint.name = "tie", joint.a.rod = "rod", joint.a.at = 1, joint.b.body = "bob";
  scene.joints = {joint};
  const Checked<Modes> modes = natural_modes(scene, 7);
  ASSERT_TRUE(modes) << to_text(modes.problems());
  ASSERT_EQ(modes->list.size(), 7u);
  EXPECT_EQ(modes->list[0].omega_squared, 0);  // it rolls about itself
  for (int k = 0; k < 3; ++k)
    for (const int direction : {0, 1}) {  // in x and in y
      const double wanted = chain_root(k, g, L, m / line_mass);
      EXPECT_NEAR(std::sqrt(modes->list[static_cast<std::size_t>(1 + 2 * k + direction)].omega_squared), wanted,
                  2e-3 * wanted)
          << k;
    }
}

SENTENCE("run",
         "a column under its weight and a load swings slower, stands still at Euler's load, and beyond it falls away") {
  const double critical = EI * std::pow(std::numbers::pi / (2 * L), 2);
  const auto lowest = [&](double share) {
    Scene scene = rod_scene(60, 1e4 * EI);
    scene.clamps = {hold(0)};
    ForceLoad push;
    push.rod = "rod", push.value = Vec3(-share * critical, 0, 0);
    scene.loads = {push};
    const Checked<Modes> modes = natural_modes(scene, 1);
    if (!modes) throw Misuse(to_text(modes.problems()));
    return modes->list.at(0).omega_squared;
  };
  const double free = lowest(0);
  EXPECT_GT(free, 0);
  double last = free;
  for (const double share : {0.3, 0.6, 0.9}) {
    EXPECT_NEAR(lowest(share) / free, 1 - share, 0.02) << share;  // nearly a straight line
    EXPECT_LT(lowest(share), last);
    last = lowest(share);
  }
  EXPECT_LT(lowest(1.2), 0);
}

SENTENCE("run", "shapes have unit mass, obey their clamps, and swinging out keeps what is held in place") {
  Scene scene = rod_scene(40);
  scene.clamps = {hold(0), hold(1, {Hold::position})};
  scene.clamps[1].slide = Vec3::UnitX();
  const Checked<Modes> modes = natural_modes(scene, 4);
  ASSERT_TRUE(modes) << to_text(modes.problems());
  for (std::size_t k = 0; k < 4; ++k) {
    const NaturalMode& mode = modes->list[k];
    EXPECT_LT(mode.move[NodeIndex(0)].norm(), 1e-9);
    EXPECT_LT(std::hypot(mode.move[NodeIndex(40)].y(), mode.move[NodeIndex(40)].z()), 1e-6);
    double mass = 0;
    for (int i = 0; i <= 40; ++i)
      mass += (i % 40 == 0 ? 0.5 : 1.0) * line_mass * L / 40 * mode.move[NodeIndex(i)].squaredNorm();
    EXPECT_NEAR(mass, 1, 1e-3) << k;  // but for the rotary inertia
    const Frame out = swung(*modes, k, 0.1);
    double far = 0;
    for (int i = 0; i <= 40; ++i)
      far = std::max(far, (out.position[NodeIndex(i)] - modes->equilibrium.position[NodeIndex(i)]).norm());
    EXPECT_NEAR(far, 0.1, 1e-9);
  }
}

SENTENCE("run", "a rod that nothing holds moves for nothing in six ways, then bends as a free beam") {
  const Checked<Modes> modes = natural_modes(rod_scene(60, 1e4 * EI), 8);
  ASSERT_TRUE(modes) << to_text(modes.problems());
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(modes->list[k].omega_squared, 0) << k;
  EXPECT_NEAR(modes->list[6].frequency(), of_beam(4.7300407449), 5e-3 * of_beam(4.7300407449));
}

SENTENCE("run", "what has no natural frequencies is refused by name") {
  const auto refused = [](const Scene& scene) { return to_text(natural_modes(scene, 3).problems()); };
  Scene scene = rod_scene(10);
  scene.clamps = {hold(0)};
  Scene other = scene;
  other.method = "der";
  EXPECT_NE(refused(other).find("method `der` finds no natural frequencies; methods that can: compact"), std::string::npos)
      << refused(other);
  other = scene;
  other.loads = {DragLoad{"", 1, 1}};
  EXPECT_NE(refused(other).find("on rod `rod` acts a moment, a load in material axes, drag or wind"), std::string::npos)
      << refused(other);
  other = scene;
  other.contact.enabled = true;
  EXPECT_NE(refused(other).find("contact.enabled: natural frequencies are those of what does not touch"), std::string::npos)
      << refused(other);
  other = scene;
  other.rods[0].segments = 900;
  EXPECT_NE(refused(other).find("rod: 2703 unknowns swing together, at most 2100 are allowed"), std::string::npos)
      << refused(other);
  other = rod_scene(10);
  other.loads = {GravityLoad{}};  // it falls
  EXPECT_NE(refused(other).find("none was found"), std::string::npos) << refused(other);
  EXPECT_NE(to_text(natural_modes(scene, 0).problems()).find("count: got 0, must be 1 to 100"), std::string::npos);
}

SENTENCE("run", "a method finds natural frequencies if and only if it claims to") {
  for_each_method([](const MethodEntry& method) {
    Scene scene = tiny_scene(method);
    const Checked<Modes> modes = natural_modes(scene, 2);
    EXPECT_EQ(static_cast<bool>(modes), method.info.can.any(Feature::modes)) << to_text(modes.problems());
    if (modes) {
      EXPECT_GT(modes->list.at(0).frequency(), 0);
    }
  });
}

}  // namespace
}  // namespace tendril
