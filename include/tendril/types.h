// Basic values. SI everywhere: m, kg, s, N, rad. World axes unless said.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>
#include <stdexcept>
#include <string>

namespace tendril {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

inline constexpr double forever = std::numeric_limits<double>::infinity();

struct Pose {
  Vec3 position = Vec3::Zero();         // [m]
  Quat orientation = Quat::Identity();  // columns of its matrix: d1, d2, d3 = tangent
};
struct Motion {
  Vec3 linear = Vec3::Zero();   // [m/s]
  Vec3 angular = Vec3::Zero();  // [rad/s]
};
struct Wrench {
  Vec3 force = Vec3::Zero();   // [N]
  Vec3 moment = Vec3::Zero();  // [N m]
};

// Misuse of the C++ interface: throws with a sentence, in every build.
struct Misuse : std::logic_error {
  using std::logic_error::logic_error;
};
#define TENDRIL_REQUIRE(condition, sentence)                                              \
  do {                                                                                    \
    if (!(condition)) throw ::tendril::Misuse(std::string(__func__) + ": " + (sentence)); \
  } while (false)

}  // namespace tendril
