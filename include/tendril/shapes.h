// The forms a scene is made of: cross sections, curves, solid shapes. Described in src/scene, as all of a scene.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tendril/types.h"

namespace tendril {

// ---- cross sections; d1 and d2 are the section's axes -------------------------------------------------------------------
struct CircleSection {
  double radius = 0;
  bool operator==(const CircleSection&) const = default;
};
struct EllipseSection {
  double a = 0, b = 0;
  bool operator==(const EllipseSection&) const = default;
};  // semi-axes along d1, d2
struct RectangleSection {
  double width = 0, height = 0;
  bool operator==(const RectangleSection&) const = default;
};                                           // sides along d1, d2
struct StiffnessSection {                    // given directly; needs no material
  std::optional<double> EA;                  // [N]
  double EI1 = 0, EI2 = 0, GJ = 0;           // [N m^2]; EI1 resists bending about d1
  double mass_per_length = 0;                // [kg/m]
  double radius = 0;                         // for drawing and contact [m]
  std::optional<double> GA1 = {}, GA2 = {};  // [N]; GA1 resists shear along d1
  std::optional<double> rotary1 = {},
                        rotary2 = {};  // [kg m] rotary inertia per length about d1, d2; none: of a round section
  bool operator==(const StiffnessSection&) const = default;
};
using CrossSection = std::variant<CircleSection, EllipseSection, RectangleSection, StiffnessSection>;

// ---- curves -------------------------------------------------------------------------------------------------------------------
struct StraightCurve {
  Vec3 start = Vec3::Zero(), end = Vec3::UnitX();
  bool operator==(const StraightCurve&) const = default;
};
struct ArcCurve {  // starts at `start` along `direction`, bends towards `towards` with `radius` through `angle`
  Vec3 start = Vec3::Zero(), direction = Vec3::UnitX(), towards = Vec3::UnitY();
  double radius = 1, angle = 1.5707963267948966;
  bool operator==(const ArcCurve&) const = default;
};
struct CircleCurve {  // a closed ring
  Vec3 center = Vec3::Zero(), normal = Vec3::UnitZ();
  double radius = 1;
  bool operator==(const CircleCurve&) const = default;
};
struct HelixCurve {  // center + radius (cos t R + sin t A x R) + pitch t/(2 pi) A;  A = axis, R = radial (right-handed)
  Vec3 center = Vec3::Zero(), axis = Vec3(0, 0, -1), radial = Vec3::UnitX();
  double radius = 1, pitch = 0.5, turns = 3;
  bool left_handed = false;
  bool operator==(const HelixCurve&) const = default;
};
struct PolylineCurve {  // points; a CSV file is replaced by its points when the scene is read, so that a Scene is whole
  std::vector<Vec3> points;
  std::string file;
  bool closed = false;
  bool operator==(const PolylineCurve&) const = default;
};
struct SineCurve {  // start + x direction + amplitude sin(2 pi waves x/span) normal
  Vec3 start = Vec3::Zero(), direction = Vec3::UnitX(), normal = Vec3::UnitY();
  double span = 1, amplitude = 0.1, waves = 1;
  bool operator==(const SineCurve&) const = default;
};
struct ParabolaCurve {  // from start to end, bulging by `height` along `normal`
  Vec3 start = Vec3::Zero(), end = Vec3::UnitX(), normal = Vec3::UnitY();
  double height = 0.25;
  bool operator==(const ParabolaCurve&) const = default;
};
struct TrefoilCurve {  // closed: center + size ((2+cos 3t) cos 2t, (2+cos 3t) sin 2t, sin 3t)
  Vec3 center = Vec3::Zero();
  double size = 1;
  bool operator==(const TrefoilCurve&) const = default;
};
struct BentCurve {  // constant natural strain: curvature about d1 and d2 and twist
  Vec3 start = Vec3::Zero(), direction = Vec3::UnitX();
  std::optional<Vec3> d1;
  double length = 1;
  Vec2 curvature = Vec2::Zero();  // [rad/m] about d1, d2
  double twist = 0;               // [rad/m]
  bool operator==(const BentCurve&) const = default;
};
using Curve = std::variant<StraightCurve, ArcCurve, CircleCurve, HelixCurve, PolylineCurve, SineCurve, ParabolaCurve,
                           TrefoilCurve, BentCurve>;

// ---- obstacles -------------------------------------------------------------------------------------------------------------
struct HalfSpaceShape {
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();
  bool operator==(const HalfSpaceShape&) const = default;
};
struct SphereShape {
  Vec3 center = Vec3::Zero();
  double radius = 0;
  bool operator==(const SphereShape&) const = default;
};
struct CapsuleShape {
  Vec3 start = Vec3::Zero(), end = Vec3::Zero();
  double radius = 0;
  bool operator==(const CapsuleShape&) const = default;
};
struct CylinderShape {
  Vec3 start = Vec3::Zero(), end = Vec3::Zero();
  double radius = 0;
  bool operator==(const CylinderShape&) const = default;
};
struct BoxShape {
  Vec3 center = Vec3::Zero(), size = Vec3::Zero();         // [m] whole sides
  Vec3 x_axis = Vec3::UnitX(), y_towards = Vec3::UnitY();  // of the first side; to which the second one points
  bool operator==(const BoxShape&) const = default;
};
struct MeshShape {  // closed; an OBJ file is replaced by what it holds when the scene is read, so that a Scene is whole
  std::string file;
  std::vector<Vec3> vertices;
  std::vector<int> triangles;  // three vertices each, counted from 0, counter-clockwise as seen from outside
  double scale = 1;
  Vec3 position = Vec3::Zero();  // [m] where the mesh's origin stands
  bool operator==(const MeshShape&) const = default;
};
using ObstacleShape = std::variant<HalfSpaceShape, SphereShape, CapsuleShape, CylinderShape, BoxShape, MeshShape>;

// ---- rigid bodies; shapes stand about the centre of mass, cylinders and capsules along the body's z -----------------------
struct BoxBody {
  Vec3 size = Vec3::Zero();
  bool operator==(const BoxBody&) const = default;
};  // [m] whole sides
struct SphereBody {
  double radius = 0;
  bool operator==(const SphereBody&) const = default;
};
struct CylinderBody {
  double radius = 0, length = 0;
  bool operator==(const CylinderBody&) const = default;
};
struct CapsuleBody {
  double radius = 0, length = 0;
  bool operator==(const CapsuleBody&) const = default;
};  // length without the round ends
using BodyShape = std::variant<BoxBody, SphereBody, CylinderBody, CapsuleBody>;

}  // namespace tendril
