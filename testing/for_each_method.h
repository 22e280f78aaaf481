// The same question to every method of the registry, and small scenes to ask it with.
#pragma once

#include <functional>

#include "methods/method.h"
#include "tendril/tendril.h"
#include "testing/sentence.h"

namespace tendril {

inline void for_each_method(const std::function<void(const MethodEntry&)>& ask) {
  for (const MethodEntry& method : all_methods()) {
    SCOPED_TRACE(method.info.name);
    ask(method);
  }
}

// A rod of rubber from the origin along x, 0.5 m, 8 segments, clamped at its start, under gravity, 0.1 s.
inline Scene tiny_scene(const MethodEntry& method) {
  Scene scene;
  scene.title = "tiny";
  scene.method = method.info.name;
  scene.time.duration = 0.1;
  scene.time.frames_per_second = 100;
  Rod rod;
  rod.name = "rod";
  rod.section = StiffnessSection{500.0, 0.02, 0.02, 0.015, 0.2, 0.01};
  rod.rest = StraightCurve{Vec3::Zero(), Vec3(0.5, 0, 0)};
  rod.segments = 8;
  scene.rods.push_back(rod);
  Clamp clamp;
  clamp.name = "wall";
  clamp.rod = "rod";
  scene.clamps.push_back(clamp);
  scene.loads.push_back(GravityLoad{});
  scene.probes.push_back({"tip", "rod", 1, "", Quantity::position});
  if (!method.info.can.moves()) scene.time.mode = Mode::quasistatic;
  return scene;
}

// A second rod at the end of the first, perpendicular to it.
inline void add_arm(Scene& s, JointKind kind) {
  Rod arm = s.rods[0];
  arm.name = "arm";
  arm.rest = StraightCurve{Vec3(0.5, 0, 0), Vec3(0.5, 0.5, 0)};
  s.rods.push_back(arm);
  s.joints.push_back({"knee", kind, {"rod", 1}, {"arm", 0}, Vec3::UnitZ()});
}

// One thing a scene may ask for, and the features it needs; a scene of either mode, or of the one that `ask` sets.
struct Request {
  const char* name;
  FeatureSet needs;
  void (*ask)(Scene&);
};
inline const std::vector<Request>& all_requests() {
  static const std::vector<Request> requests{
      {"dynamics", {Feature::inertia}, [](Scene& s) { s.time.mode = Mode::dynamics; }},
      {"statics", {Feature::equilibria}, [](Scene& s) { s.time.mode = Mode::statics; }},
      {"quasistatics", {Feature::equilibria}, [](Scene& s) { s.time.mode = Mode::quasistatic; }},
      {"an anisotropic section",
       {Feature::anisotropic},
       [](Scene& s) { s.rods[0].section = StiffnessSection{500.0, 0.02, 0.03, 0.015, 0.2, 0.01}; }},
      {"natural curvature",
       {Feature::rest_curvature},
       [](Scene& s) {
         s.rods[0].rest = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 0.4, 1.2};
       }},
      {"a ring",
       {Feature::ring},
       [](Scene& s) {
         s.rods[0].rest = CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 0.1};
       }},
      {"a joint", {Feature::joints}, [](Scene& s) { add_arm(s, JointKind::rigid); }},
      {"a ball joint", {Feature::joints}, [](Scene& s) { add_arm(s, JointKind::ball); }},
      {"a hinge", {Feature::joints}, [](Scene& s) { add_arm(s, JointKind::hinge); }},
      {"a loop of rods",
       {Feature::joints},
       [](Scene& s) {
         add_arm(s, JointKind::rigid);
         Rod back = s.rods[0];
         back.name = "back";
         back.rest = StraightCurve{Vec3(0.5, 0.5, 0), Vec3(0.25, 0, 0)};
         s.rods.push_back(back);
         s.joints.push_back({"far", JointKind::rigid, {"arm", 1}, {"back", 0}, Vec3::UnitZ()});
         s.joints.push_back({"near", JointKind::hinge, {"back", 1}, {"rod", 0.5}, Vec3::UnitZ()});
       }},
      {"bodies",
       {Feature::joints, Feature::bodies},
       [](Scene& s) {
         for (const double at : {0.5, 1.0}) {
           RigidBody body;
           body.name = at < 1 ? "bead" : "bob", body.mass = 0.1, body.shape = BoxBody{Vec3(0.05, 0.04, 0.03)};
           body.position = Vec3(0.5 * at, 0, at < 1 ? 0.0 : -0.01), body.orientation = Vec3(0.3, 0, 0);
           s.bodies.push_back(body);
           s.joints.push_back({body.name, JointKind::rigid, {"rod", at}, {"", 0, body.name}, Vec3::UnitZ()});
         }
       }},
      {"a guided and a driven body",
       {Feature::joints, Feature::bodies},
       [](Scene& s) {
         RigidBody body;
         body.name = "slider", body.kind = BodyKind::guided, body.axis = Vec3::UnitX(), body.mass = 0.1,
         body.inertia = Vec3(1e-3, 1e-3, 1e-3);
         body.position = Vec3(0.5, 0, 0);
         s.bodies.push_back(body);
         s.joints.push_back({"slide", JointKind::hinge, {"rod", 1}, {"", 0, "slider"}, Vec3::UnitY()});
         body.name = "motor", body.kind = BodyKind::driven, body.axis = Vec3::UnitX(), body.position = Vec3::Zero();
         body.turn.keys = {{0, 0}, {0.1, 0.1}};
         s.bodies.push_back(body);
         s.joints.push_back({"drive", JointKind::rigid, {"rod", 0}, {"", 0, "motor"}, Vec3::UnitZ()});
         s.clamps.clear();
       }},
      {"a follower load",
       {Feature::follower_loads},
       [](Scene& s) {
         ForceLoad load;
         load.rod = "rod", load.value = Vec3(0.05, 0, 0), load.axes = Axes::material;
         s.loads.push_back(load);
       }},
      {"drag",
       {Feature::drag},
       [](Scene& s) {
         DragLoad load;
         load.normal = 0.5;
         s.loads.push_back(load);
       }},
      {"a coupling",
       {Feature::couplings},
       [](Scene& s) {
         Coupling coupling;
         coupling.name = "hand", coupling.rod = "rod", coupling.stiffness = 5, coupling.damping = 0.1;
         coupling.move.keys = {{0, Vec3::Zero()}, {0.1, Vec3(-0.1, 0.1, 0)}};
         s.couplings.push_back(coupling);
       }},
      {"a coupling that turns",
       {Feature::couplings, Feature::turning_couplings},
       [](Scene& s) {
         Coupling coupling;
         coupling.name = "hand", coupling.rod = "rod", coupling.angular_stiffness = 0.1;
         coupling.turn.keys = {{0, 0}, {0.1, 0.1}};
         s.couplings.push_back(coupling);
       }},
      {"a rod that stretches", {Feature::stretch}, [](Scene& s) { s.rods[0].stretch = Give::elastic; }},
      {"a rod that shears",
       {Feature::shear},
       [](Scene& s) {
         auto& section = std::get<StiffnessSection>(*s.rods[0].section);
         section.GA1 = section.GA2 = 200;
         s.rods[0].shear = Give::elastic;
       }},
      {"a rod that stiffens", {Feature::stiffening}, [](Scene& s) { s.rods[0].stiffening_strain = 2; }},
      {"a moment per length",
       {Feature::line_moments},
       [](Scene& s) {
         DistributedLoad load;
         load.rod = "rod", load.from = 0.3, load.moment = Vec3(0.01, 0.02, 0);
         s.loads.push_back(load);
       }},
      {"gravity that changes",
       {},
       [](Scene& s) {
         ChangingGravityLoad load;
         load.factor.keys = {{0, 0}, {0.1, 0.5}};
         s.loads.push_back(load);
       }},
      {"a clamp that slides", {Feature::sliding_clamps}, [](Scene& s) { s.clamps[0].slide = Vec3::UnitX(); }},
      {"a joint that comes and goes",
       {Feature::joints, Feature::switched_joints},
       [](Scene& s) { add_arm(s, JointKind::ball), s.joints[0].until = 0.05; }},
      {"a winch",
       {Feature::winch},
       [](Scene& s) {
         Winch winch;
         winch.name = "drum", winch.rod = "rod", winch.stored = 0.2;
         winch.speed.keys = {{0, 0}, {0.02, 0.8}, {0.1, 0.8}};  // 72 mm: a segment is cut
         s.winches.push_back(winch);
       }},
      {"a weld that comes and goes",
       {Feature::joints, Feature::switched_joints},
       [](Scene& s) { add_arm(s, JointKind::rigid), s.joints[0].from = 0.03, s.joints[0].until = 0.06; }},
      {"a hook",
       {Feature::joints, Feature::switched_joints, Feature::bodies},
       [](Scene& s) {
         RigidBody body;
         body.name = "load", body.mass = 0.1, body.shape = BoxBody{Vec3(0.05, 0.04, 0.03)};
         body.position = Vec3(0.5, 0, -0.07);
         s.bodies.push_back(body);
         s.joints.push_back({"hook", JointKind::ball, {"rod", 1}, {"", 0, "load"}, Vec3::UnitZ()});
         s.joints[0].b.point = Vec3(0, 0, 0.03), s.joints[0].reach = 0.05, s.joints[0].from = 0.02;
       }},
      {"a joint that slides",
       {Feature::joints, Feature::bodies, Feature::slider_joints},
       [](Scene& s) {
         RigidBody body;
         body.name = "bob", body.mass = 0.1, body.shape = BoxBody{Vec3(0.05, 0.04, 0.03)}, body.position = Vec3(0.5, 0, 0);
         s.bodies.push_back(body);
         s.joints.push_back({"end", JointKind::rigid, {"rod", 1}, {"", 0, "bob"}, Vec3::UnitZ()});
         s.joints.push_back({"rail", JointKind::slider, {"", 0, "bob"}, {"", 0, "", true}, Vec3(1, 0, 1)});
       }},
      {"a rope through sheaves",
       {Feature::bodies, Feature::reeving, Feature::winch},
       [](Scene& s) {
         RigidBody hook;
         hook.name = "block", hook.mass = 2, hook.inertia = Vec3(0.01, 0.01, 0.01), hook.position = Vec3(0, 1, 0);
         s.bodies.push_back(hook);
         Rod rope = s.rods[0];
         rope.name = "rope", rope.segments.reset(), rope.stretch = Give::elastic;
         PolylineCurve line;
         line.points = {Vec3(-0.1, 1, 1), Vec3(-0.05, 1, 0), Vec3(0, 1, 1), Vec3(0.05, 1, 0), Vec3(0.1, 1, 1)};
         rope.rest = line;
         s.rods.push_back(rope);
         Reeving reeving;
         reeving.name = "tackle", reeving.rod = "rope", reeving.points.resize(5);
         for (Sheave& sheave : reeving.points) sheave.radius = 0.05, sheave.inertia = 1e-4, sheave.bearing = 0.02;
         reeving.points[1].body = reeving.points[3].body = "block";
         s.reevings.push_back(reeving);
         Winch winch;
         winch.name = "drum", winch.rod = "rope", winch.stored = 1, winch.speed.keys = {{0, 0}, {0.05, 0.5}};
         s.winches.push_back(winch);
       }},
      {"damping", {Feature::damping}, [](Scene& s) { s.rods[0].damping.mass = 1; }},
      {"contact",
       {Feature::contact},
       [](Scene& s) {
         s.contact.enabled = true;
         s.contact.friction = 0.3;
         Obstacle floor;
         floor.name = "floor";
         floor.shape = HalfSpaceShape{Vec3(0, 0, -0.05), Vec3::UnitZ()};
         s.obstacles.push_back(floor);
       }},
      {"a hold of position only", {Feature::hold_position}, [](Scene& s) { s.clamps[0].hold = {Hold::position}; }},
      {"a hold of position and direction",
       {Feature::hold_position, Feature::hold_direction},
       [](Scene& s) {
         s.clamps[0].hold = {Hold::position, Hold::direction};
       }},
      {"a hold of everything",
       {Feature::hold_position, Feature::hold_direction, Feature::hold_twist},
       [](Scene& s) {
         s.clamps[0].hold = {Hold::position, Hold::direction, Hold::twist};
       }},
      {"a hold of the twist without the direction",
       {Feature::hold_position, Feature::hold_twist, Feature::hold_twist_alone},
       [](Scene& s) {
         s.clamps[0].hold = {Hold::position, Hold::twist};
       }},
      {"a rod without torsional stiffness",
       {Feature::limp_twist},
       [](Scene& s) { s.rods[0].section = StiffnessSection{500.0, 0.02, 0.02, 0, 0.2, 0.01}; }},
      {"a limp rope",
       {Feature::limp_twist, Feature::limp_bend},
       [](Scene& s) { s.rods[0].section = StiffnessSection{500.0, 0, 0, 0, 0.2, 0.01}; }},
      {"a hold inside the rod", {Feature::hold_inside}, [](Scene& s) { s.clamps[0].at = 0.5; }},
  };
  return requests;
}

// Features that no scene can ask for: by words of the scene (meshes that change) or because they are given by hands
// (src/run/inputs_test.cpp) and answers (stability: conformance_test.cpp; modes: modes_test.cpp).
inline constexpr FeatureSet not_asked_by_scenes{Feature::varying_nodes, Feature::hands_turning_bodies, Feature::stability,
                                                Feature::modes};

// The tiny scene with each request, in motion and in equilibrium, and whether the method claims what it needs.
inline void for_each_request(const MethodEntry& method,
                             const std::function<void(const Request& request, const Scene& scene, bool claimed)>& ask) {
  for (const Request& request : all_requests()) {
    for (const Mode mode : {Mode::dynamics, Mode::quasistatic}) {
      Scene scene = tiny_scene(method);
      scene.time.mode = mode;
      request.ask(scene);
      if (scene.time.mode != mode && mode == Mode::dynamics) continue;  // the request has its own mode: once is enough
      const bool moves = scene.time.mode == Mode::dynamics;
      const FeatureSet here = moves ? method.info.can.motion : method.info.can.equilibrium;
      const FeatureSet needs = request.needs.with({moves ? Feature::inertia : Feature::equilibria});
      SCOPED_TRACE(std::string(request.name) + (moves ? " in motion" : " in equilibrium"));
      ask(request, scene, needs.without(here).empty());
    }
  }
}

}  // namespace tendril
