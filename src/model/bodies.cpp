#include "model/bodies.h"

#include <fmt/format.h>

#include "math/rotation.h"

namespace tendril {
namespace {
constexpr double pi = 3.14159265358979323846;
Vec3 about_axis(double along, double across) { return {across, across, along}; }
}  // namespace

int find_body(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const std::string& own = scene.bodies[i].name;
    if ((own.empty() ? fmt::format("body{}", i + 1) : own) == name) return static_cast<int>(i);
  }
  return -1;
}

namespace {
struct InOwnShape {
  RigidShape operator()(const BoxBody& b) const { return shape::Box{0.5 * b.size}; }
  RigidShape operator()(const SphereBody& s) const { return shape::Sphere{s.radius}; }
  RigidShape operator()(const CylinderBody& c) const { return shape::Cylinder{0.5 * c.length, c.radius}; }
  RigidShape operator()(const CapsuleBody& c) const { return shape::Capsule{0.5 * c.length, c.radius}; }
};
struct Volume {
  double operator()(const BoxBody& b) const { return b.size.prod(); }
  double operator()(const SphereBody& s) const { return 4 * pi / 3 * s.radius * s.radius * s.radius; }
  double operator()(const CylinderBody& c) const { return pi * c.radius * c.radius * c.length; }
  double operator()(const CapsuleBody& c) const { return pi * c.radius * c.radius * (c.length + 4 * c.radius / 3); }
};
struct Inertia {
  double mass;
  Vec3 operator()(const BoxBody& b) const {
    const Vec3 s = b.size.cwiseProduct(b.size);
    return mass / 12 * Vec3(s.y() + s.z(), s.z() + s.x(), s.x() + s.y());
  }
  Vec3 operator()(const SphereBody& s) const { return Vec3::Constant(0.4 * mass * s.radius * s.radius); }
  Vec3 operator()(const CylinderBody& c) const {
    const double r2 = c.radius * c.radius;
    return about_axis(mass * r2 / 2, mass * (3 * r2 + c.length * c.length) / 12);
  }
  // A cylinder and two half balls; a half ball's centre of mass lies 3/8 r from its flat side.
  Vec3 operator()(const CapsuleBody& c) const {
    const double r = c.radius, h = c.length;
    const double tube = mass * h / (h + 4 * r / 3), balls = mass - tube;
    const double across = tube * (3 * r * r + h * h) / 12 + balls * (0.4 * r * r + 0.375 * r * h + 0.25 * h * h);
    return about_axis(tube * r * r / 2 + balls * 0.4 * r * r, across);
  }
};
}  // namespace

RigidShape rigid_shape(const BodyShape& shape) { return std::visit(InOwnShape{}, shape); }
double volume_of(const BodyShape& shape) { return std::visit(Volume{}, shape); }
Vec3 inertia_of(const BodyShape& shape, double mass) { return std::visit(Inertia{mass}, shape); }

Mat3 world_inertia(const BodyModel& body, const Quat& orientation) {
  const Mat3 turn = orientation.toRotationMatrix();
  return turn * body.inertia.asDiagonal() * turn.transpose();
}

// A guided body is a mask: one direction of translation and one of rotation are left, both along its axis.
Mat3 inverse_inertia(const BodyModel& body, const Quat& orientation) {
  if (!body.moves_freely()) return Mat3::Zero();
  const Mat3 turn = orientation.toRotationMatrix();
  if (body.kind == BodyKind::guided) {
    const Vec3 own = turn.transpose() * body.axis;
    return body.axis * body.axis.transpose() / own.dot(body.inertia.cwiseProduct(own));
  }
  return turn * body.inertia.cwiseInverse().asDiagonal() * turn.transpose();
}

Mat3 inverse_mass(const BodyModel& body) {
  if (!body.moves_freely()) return Mat3::Zero();
  if (body.kind == BodyKind::guided) return body.axis * body.axis.transpose() / body.mass;
  return Mat3::Identity() / body.mass;
}

double kinetic_energy(const BodyModel& body, const BodyState& state) {
  const Vec3 spin = state.pose.orientation.conjugate() * state.motion.angular;
  return 0.5 * body.mass * state.motion.linear.squaredNorm() + 0.5 * spin.dot(body.inertia.cwiseProduct(spin));
}
Vec3 spin_momentum(const BodyModel& body, const BodyState& state) {
  const Quat& q = state.pose.orientation;
  return q * body.inertia.cwiseProduct(q.conjugate() * state.motion.angular);
}
Vec3 spin_of_momentum(const BodyModel& body, const Quat& orientation, const Vec3& momentum) {
  return orientation * (orientation.conjugate() * momentum).cwiseQuotient(body.inertia);
}

void place_bodies(const Scene& scene, Model& model, Problems& problems) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const RigidBody& b = scene.bodies[i];
    const std::string field = fmt::format("body[{}]", i);
    const auto complain = [&](std::string where, std::string what, std::string allowed, std::string remedy) {
      problems.push_back({Severity::error, "", field + where, std::move(what), std::move(allowed), std::move(remedy)});
    };
    // Name, kind, shape, pose and velocity at the start.
    BodyModel made;
    made.name = b.name.empty() ? fmt::format("body{}", i + 1) : b.name;
    made.kind = b.kind;
    made.shape = b.shape;
    made.axis = b.axis.normalized();
    made.start = {{b.position, exp_quat(b.orientation)}, {b.velocity, b.angular_velocity}};
    // A guided body slides along its axis and turns about it: other velocities are left out.
    if (b.kind == BodyKind::guided) {
      made.start.motion.linear = made.axis.dot(b.velocity) * made.axis;
      made.start.motion.angular = made.axis.dot(b.angular_velocity) * made.axis;
    }
    made.move = b.move, made.turn = b.turn, made.damping = b.damping;
    made.collides = b.collides && b.shape.has_value();
    made.friction = b.friction, made.restitution = b.restitution;
    // Mass and inertia: given, or from density and shape. Bodies that are driven or fixed need none, and start at rest.
    if (made.moves_freely()) {
      made.mass = b.mass ? *b.mass : b.density && b.shape ? *b.density * volume_of(*b.shape) : 0.0;
      if (!(made.mass > 0)) complain(".mass", "the body has no mass", "must be > 0", "give mass, or density and a shape");
      if (!b.inertia && !b.shape) complain(".inertia", "is missing", "a body without a shape needs it", "give inertia");
      made.inertia = b.inertia ? *b.inertia : b.shape ? inertia_of(*b.shape, made.mass) : Vec3::Zero();
    } else {
      made.start.motion = {};
    }
    model.initial.bodies.push_back(made.start);
    model.bodies.push_back(std::move(made));
  }
}

}  // namespace tendril
