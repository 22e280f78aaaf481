#include "validation/der/tree_scene.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "math/rotation.h"

namespace tendril {
namespace {

using math::pi;
constexpr double young = 6e7, density = 400;  // [Pa], [kg/m^3] light and supple
constexpr double golden_angle = 2.39996322972865332;

struct Level {
  double length, thick, thin;  // [m] radius at its start and its end
  int segments;
  double spread;  // [rad] between it and the branch it grows from
};
constexpr Level levels[] = {{1.5, 0.075, 0.062, 18, 0.0},
                            {1.1, 0.046, 0.036, 10, 0.62},
                            {0.85, 0.027, 0.021, 8, 0.60},
                            {0.68, 0.0155, 0.012, 11, 0.58},
                            {0.55, 0.0085, 0.0045, 20, 0.50}};

StiffnessSection wood(double radius, bool resists_twist) {
  const double EI = young * pi * std::pow(radius, 4) / 4;
  return {.EA = {},
          .EI1 = EI,
          .EI2 = EI,
          .GJ = resists_twist ? EI / 1.3 : 0,
          .mass_per_length = density * pi * radius * radius,
          .radius = radius};
}

class Grower {
 public:
  Grower(Scene& scene, const TreeChoice& choice) : scene_(scene), choice_(choice) {}
  void grow(const Vec3& start, const Vec3& direction, int level, const std::string& foot) {
    const Level& l = levels[level];
    const double length = l.length * (level == 0 ? 1 : 1 + 0.15 * random());
    const Vec3 end = start + length * direction;
    Rod rod;
    rod.name = level == 0 ? "trunk" : fmt::format("branch{}", scene_.rods.size());
    rod.sections = {{0, wood(l.thick, choice_.resists_twist)}, {1, wood(l.thin, choice_.resists_twist)}};
    rod.rest = StraightCurve{start, end};
    rod.segments = l.segments;
    rod.damping.mass = 0.1;
    scene_.rods.push_back(rod);
    if (!foot.empty()) weld(rod.name, 0, foot);
    if (level + 1 == choice_.levels) return;
    RigidBody knot;
    knot.name = fmt::format("fork{}", scene_.bodies.size() + 1);
    knot.shape = SphereBody{1.6 * l.thin};
    knot.density =
        3 * density;  // the wood of a fork is dense, and heavy enough to carry its branches without a shorter step
    knot.position = end;
    knot.collides = false;
    scene_.bodies.push_back(knot);
    weld(rod.name, 1, knot.name);
    const Quat upright = Quat::FromTwoVectors(Vec3::UnitZ(), direction);
    turn_ += golden_angle;
    const double turn = turn_;
    for (int k = 0; k < 3; ++k) {
      const double spread = levels[level + 1].spread * (1 + 0.25 * random()),
                   azimuth = turn + k * 2 * pi / 3 + 0.3 * random();
      const Vec3 side(std::cos(azimuth), std::sin(azimuth), 0);
      const Vec3 aim = upright * Vec3(std::sin(spread) * side + std::cos(spread) * Vec3::UnitZ());
      grow(end, Vec3(aim + 0.15 * Vec3::UnitZ()).normalized(), level + 1, knot.name);  // branches seek the light
    }
  }

 private:
  void weld(const std::string& rod, double at, const std::string& body) {
    scene_.joints.push_back(
        {fmt::format("weld{}", scene_.joints.size() + 1), JointKind::rigid, {rod, at}, {"", 0, body}, Vec3::UnitZ()});
  }
  double random() { return 2 * (static_cast<double>(engine_() >> 11) * 0x1p-53) - 1; }

  Scene& scene_;
  const TreeChoice& choice_;
  std::mt19937_64 engine_{12};
  double turn_ = 0;
};

}  // namespace

Scene tree_scene(const TreeChoice& choice) {
  Scene scene;
  scene.title = "Tree in the wind";
  scene.about =
      "Rods welded together by bodies at the forks, in a strong gusty wind with vortices. Watch it bend and twist.";
  scene.time.duration = 6;
  scene.time.frames_per_second = 30;
  Grower(scene, choice).grow(Vec3::Zero(), Vec3::UnitZ(), 0, "");
  Clamp ground;
  ground.name = "ground";
  ground.rod = "trunk";
  scene.clamps = {ground};
  WindLoad wind;
  wind.velocity = Vec3(10, 0, 0);
  wind.gust = 0.6;
  wind.gust_period = 3;
  wind.gust_length = 5;
  wind.vortex = 0.6;
  wind.whirl = Vec3(0, 0, 8);
  wind.whirl_radius = 3;
  wind.factor.keys = {{0, 0.0}, {1, 1.0}};
  scene.loads = {GravityLoad{}, wind};
  Probe twist;
  twist.name = "trunk_twist";
  twist.rod = "trunk";
  twist.quantity = Quantity::total_twist;
  scene.probes = {twist};
  return scene;
}

}  // namespace tendril
