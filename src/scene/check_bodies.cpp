// Bodies, and what joints join.
#include <fmt/format.h>

#include <algorithm>

#include "scene/check_scene.h"
#include "scene/describe_scene.h"
#include "scene/write_value.h"

namespace tendril {
namespace {
using scene_detail::number_text;
using scene_detail::quote;
using scene_detail::value_text;
using scene_detail::word;

class BodyChecker {
 public:
  explicit BodyChecker(const Scene& scene) : scene_(scene) {}

  void check_body(const RigidBody& b, const std::string& path) {
    const bool moves = b.kind == BodyKind::dynamic || b.kind == BodyKind::guided;
    if (b.mass && b.density)
      error(path + ".density", "mass and density are both given", "must be one of them", "remove one");
    if (b.density && !b.shape) error(path + ".density", "is given without a shape", {}, "give a shape, or the mass");
    if (moves && !b.mass && !b.density)
      error(path + ".mass", "is missing", "a body that moves needs a mass", "give mass, or density and a shape");
    if (moves && !b.shape && !b.inertia)
      error(path + ".inertia", "is missing", "a body without a shape needs its moments of inertia",
            "give inertia or a shape");
    if (const auto* box = b.shape ? std::get_if<BoxBody>(&*b.shape) : nullptr; box && !(box->size.minCoeff() > 0))
      error(path + ".shape.box.size", "got " + value_text(box->size) + " m", "each side must be > 0");
    if (b.inertia) check_inertia(*b.inertia, path + ".inertia");
    check_motion(b, path);
    check_reach(b, path);
  }

  void check_joint(const Joint& joint, const std::string& path) {
    check_place(joint.a, path + ".a");
    check_place(joint.b, path + ".b");
    if (joint.a.world && joint.b.world) error(path + ".b", "joins the world with itself", "a joint must join two things");
    if (!joint.a.body.empty() && joint.a.body == joint.b.body)
      error(path + ".b", "is the same body as a", "a joint must join two things");
    const bool rods = !joint.a.rod.empty() || !joint.b.rod.empty();
    if (rods && joint.point) error(path + ".point", "is given, but the joint is at the rod's point", {}, "remove it");
    if (rods && joint.kind == JointKind::slider)
      error(path + ".kind", "slides along a rod", "a slider joins two bodies, or a body and the world",
            "let a clamp slide, or join the rod to a body that does");
    const auto held = [&](const JointPlace& p) {
      const auto b = std::find_if(scene_.bodies.begin(), scene_.bodies.end(), [&](auto& x) { return x.name == p.body; });
      return p.world || (b != scene_.bodies.end() && (b->kind == BodyKind::fixed || b->kind == BodyKind::driven));
    };
    if (held(joint.a) && held(joint.b)) error(path, "joins two things that nothing can move", {}, "remove it");
    for (const JointPlace* place : {&joint.a, &joint.b}) {
      if (!place->point) continue;
      const std::string field = path + (place == &joint.a ? ".a.point" : ".b.point");
      if (place->body.empty()) error(field, "is given, but this side is no body", {}, "remove it");
      if (!joint.reach)
        error(field, "is given, but the joint has no `reach`", "without it both sides are joined at one point",
              "give joint.reach, or joint.point instead");
    }
  }

  Problems problems;

 private:
  void error(const std::string& field, std::string what, std::string allowed = {}, std::string remedy = {}) {
    problems.push_back(
        {Severity::error, locate(scene_, field), field, std::move(what), std::move(allowed), std::move(remedy)});
  }
  // Each moment of inertia is a sum over mass of two squared distances: none can exceed the sum of the others.
  void check_inertia(const Vec3& i, const std::string& field) {
    if (!(i.minCoeff() > 0)) return error(field, "got " + value_text(i) + " kg m^2", "each moment of inertia must be > 0");
    Eigen::Index at = 0;
    const double largest = i.maxCoeff(&at), others = i[(at + 1) % 3] + i[(at + 2) % 3];
    if (largest > (1 + 1e-9) * others)
      error(field, "got " + value_text(i) + " kg m^2",
            fmt::format("no moment of inertia can be larger than the sum of the other two, but {} > {}",
                        number_text(largest), number_text(others)),
            "no distribution of mass has these; look for a wrong unit or axis");
  }
  void check_motion(const RigidBody& b, const std::string& path) {
    const std::string kind = std::string("the body is ") + word(b.kind);
    if (b.kind != BodyKind::driven && !(b.move.keys.empty() && b.turn.keys.empty()))
      error(path + (b.move.keys.empty() ? ".turn" : ".move"), "is given, but " + kind, {}, "set kind = \"driven\"");
    const bool stands = b.kind == BodyKind::fixed || b.kind == BodyKind::driven;
    if (stands && !b.velocity.isZero(0)) error(path + ".velocity", "is given, but " + kind, {}, "remove it");
    if (stands && !b.angular_velocity.isZero(0)) error(path + ".angular_velocity", "is given, but " + kind, {}, "remove it");
    if (b.kind == BodyKind::guided && b.axis.norm() > 0) {
      const Vec3 axis = b.axis.normalized();
      if (b.velocity.cross(axis).norm() > 1e-9 * b.velocity.norm())
        error(path + ".velocity", "does not point along the axis", "a guided body slides along `axis` only");
      if (b.angular_velocity.cross(axis).norm() > 1e-9 * b.angular_velocity.norm())
        error(path + ".angular_velocity", "does not point along the axis", "a guided body turns about `axis` only");
    }
    const auto rising = [&](const auto& table, const std::string& name) {
      for (std::size_t i = 1; i < table.keys.size(); ++i)
        if (table.keys[i].time <= table.keys[i - 1].time)
          error(fmt::format("{}.{}.keys[{}]", path, name, i), "is not later than the key before",
                "times must rise from key to key");
    };
    rising(b.move, "move");
    rising(b.turn, "turn");
  }
  // What a driven body may be asked for while it runs.
  void check_reach(const RigidBody& b, const std::string& path) {
    const std::pair<bool, const char*> given[] = {{b.low.has_value(), ".low"},
                                                  {b.high.has_value(), ".high"},
                                                  {b.top_speed.has_value(), ".top_speed"},
                                                  {b.acceleration.has_value(), ".acceleration"}};
    for (const auto& [is_given, name] : given)
      if (is_given && b.kind != BodyKind::driven)
        error(path + name, std::string("is given, but the body is ") + word(b.kind), {}, "set kind = \"driven\"");
    if (b.low.has_value() != b.high.has_value())
      error(path + (b.low ? ".high" : ".low"), "is missing", "low and high are given together", "give both");
    if (b.low && b.low->maxCoeff() > 0) error(path + ".low", "got " + value_text(*b.low) + " m", "none may be above 0");
    if (b.high && b.high->minCoeff() < 0) error(path + ".high", "got " + value_text(*b.high) + " m", "none may be below 0");
    if (b.acceleration && !b.top_speed)
      error(path + ".acceleration", "is given without top_speed", {}, "give top_speed too");
  }
  void check_place(const JointPlace& place, const std::string& path) {
    const int said = !place.rod.empty() + !place.body.empty() + place.world;
    if (said == 1) return;
    if (said == 0 && scene_.rods.size() == 1 && scene_.bodies.empty()) return;
    error(path, said == 0 ? "says neither rod, body nor world" : "says more than one of rod, body and world",
          "must be exactly one of them");
  }
  const Scene& scene_;
};

}  // namespace

Problems check_bodies(const Scene& scene) {
  BodyChecker checker(scene);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) checker.check_body(scene.bodies[i], fmt::format("body[{}]", i));
  for (std::size_t i = 0; i < scene.joints.size(); ++i) checker.check_joint(scene.joints[i], fmt::format("joint[{}]", i));
  return std::move(checker.problems);
}

}  // namespace tendril
