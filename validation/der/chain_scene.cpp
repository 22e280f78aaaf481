#include "validation/der/chain_scene.h"

#include <fmt/format.h>

#include <cmath>
#include "math/number.h"

namespace tendril {
namespace {

using math::pi;
constexpr double stiffness = 2;     // B = 2 I, beta = 2  [N m^2]
constexpr double line_mass = 0.01;  // [kg/m]
constexpr double gravity = 0.5;     // [m/s^2] the paper gives neither mass nor gravity: a link weighs 1.5 % of B/R^2
constexpr double apart = 1.8;       // of the centres of two neighbours, a little slack [m]
constexpr double bent_by = 2.2;     // the links start along an arc of this angle [rad]

// A circle whose gap looks to `side`, run through from the one end to the other in the plane of `along` and `side`.
ArcCurve open_circle(const Vec3& centre, const Vec3& along, const Vec3& side, double gap) {
  const double half = 0.5 * gap;
  const Vec3 out = std::cos(half) * side + std::sin(half) * along, tangent = std::cos(half) * along - std::sin(half) * side;
  return {centre + out, tangent, -out, 1, 2 * pi - gap};
}

}  // namespace

Scene chain_scene(const ChainLinks& choice) {
  Scene scene;
  scene.title = "Hanging chain";
  scene.about = "Open links hang in each other and are pulled until one of them opens and its neighbour slips off.";
  scene.time.duration = choice.pull + 2;
  const double radius = (choice.links - 1) * apart / bent_by;
  for (int i = 0; i < choice.links; ++i) {
    const double angle = bent_by * (static_cast<double>(i) / (choice.links - 1) - 0.5);
    const Vec3 along(std::cos(angle), 0, std::sin(angle)), up(-std::sin(angle), 0, std::cos(angle));
    const Vec3 centre(radius * std::sin(angle), 0, radius * (std::cos(0.5 * bent_by) - std::cos(angle)));
    Rod link;
    link.name = fmt::format("link{}", i + 1);
    link.section = StiffnessSection{.EA = {},
                                    .EI1 = stiffness,
                                    .EI2 = stiffness,
                                    .GJ = stiffness,
                                    .mass_per_length = line_mass,
                                    .radius = choice.radius};
    link.rest = open_circle(centre, along, i % 2 == 0 ? up : Vec3(Vec3::UnitY()), choice.gap);
    link.segments = choice.segments;
    link.damping.mass = 0.5;
    scene.rods.push_back(link);
  }
  for (const bool right : {false, true}) {
    Clamp end;
    end.name = right ? "right" : "left";
    end.rod = scene.rods[right ? scene.rods.size() - 1 : 0].name;
    end.at = std::round(choice.segments * (right ? 0.25 : 0.75)) / choice.segments;  // outermost, a quarter from the gap
    end.hold = {Hold::position};
    end.move.keys = {{choice.hang, Vec3::Zero()}, {choice.pull, Vec3((right ? 0.5 : -0.5) * choice.pulled, 0, 0)}};
    scene.clamps.push_back(end);
  }
  scene.loads = {GravityLoad{Vec3(0, 0, -gravity)}};
  scene.contact.enabled = true;
  return scene;
}

}  // namespace tendril
