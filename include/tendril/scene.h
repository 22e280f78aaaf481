// What a user may say, as plain values in SI units and fractions of a rod's length. Never a node index, never a solver.
// Each struct is described once, in src/scene/describe_scene.h: names, units, ranges, sentences live there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "tendril/options.h"
#include "tendril/shapes.h"
#include "tendril/types.h"

namespace tendril {

enum class TimetableShape { hold, linear, smooth };
template <class T>
struct Timetable {  // keys in rising time; before the first and after the last key the value stays
  struct Key {
    double time = 0;
    T value = zero();  // Vec3{} would leave its numbers undefined
    static T zero() {
      if constexpr (std::is_arithmetic_v<T>)
        return 0;
      else
        return T::Zero();
    }
    bool operator==(const Key&) const = default;
  };
  TimetableShape shape = TimetableShape::smooth;
  std::vector<Key> keys;
  bool operator==(const Timetable&) const = default;
};

struct Material {
  std::string name;
  double density = 0;                                  // [kg/m^3]
  double young_modulus = 0;                            // [Pa]
  std::optional<double> poisson_ratio, shear_modulus;  // either one; neither: ratio 0.5 (rubber-like)
  bool operator==(const Material&) const = default;
};

struct Station {
  double at = 0;  // fraction of length
  CrossSection section;
  bool operator==(const Station&) const = default;
};

// How the section turns along a rest curve.
enum class SectionFollows { parallel, curve };  // parallel: twist-free (Bishop); curve: d1 points to the centre of curvature

struct Refinement {
  double from = 0, to = 1, factor = 1;  // between these fractions the segments are `factor` times shorter
  bool operator==(const Refinement&) const = default;
};
struct Damping {
  double mass = 0;      // [1/s] force per mass = -mass * velocity
  double internal = 0;  // [s] moment = stiffness * (strain + internal * strain rate)
  bool operator==(const Damping&) const = default;
};

inline constexpr int max_segments = 2'000'000;  // of all rods together
enum class Give { none, elastic };

struct Rod {
  std::string name;
  std::string material;
  std::optional<CrossSection> section;
  std::vector<Station> sections;            // instead of one section: stations along the rod, interpolated
  Give stretch = Give::none;                // by EA
  Give shear = Give::none;                  // by GA1 and GA2
  std::optional<double> stiffening_strain;  // [rad/m] k in  moment = stiffness e sqrt(1 + (e/k)^2); none: in proportion to e
  Curve rest;
  std::optional<Curve> initial;  // the shape at the start, when it is not the rest shape
  SectionFollows follows = SectionFollows::parallel;
  std::optional<Vec3> d1;                // direction of the section's first axis at the start of the rest curve
  std::optional<Vec3> initial_d1;        // the same for the initial curve
  double natural_twist = 0;              // [rad/m] of the rest shape
  double initial_twist = 0;              // [turns] over the whole rod, on top of the rest shape, at the start
  double initial_noise = 0;              // [m] size of a small random sideways displacement of the start, breaks symmetry
  Vec3 velocity = Vec3::Zero();          // [m/s] at the start
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s] at the start, about the rod's centre
  std::vector<Vec3> velocities;          // [m/s] at the start, of each node, added to these
  std::optional<int> segments;           // default 50; for a polyline: its points are the nodes
  std::vector<Refinement> refine;
  Damping damping;
  bool operator==(const Rod&) const = default;
};

enum class Hold { position, direction, twist };
struct Clamp {
  std::string name;
  std::string rod;
  double at = 0;  // fraction of length
  std::vector<Hold> hold = {Hold::position, Hold::direction, Hold::twist};
  Timetable<Vec3> move;              // [m] from where it starts
  Timetable<double> turn;            // [turns] about `axis`, any number
  std::optional<Vec3> axis;          // default: the rod's direction there at the start
  std::optional<Vec3> direction;     // default: the rod's direction there at the start
  double from = 0, until = forever;  // [s] holds only between these times
  std::optional<Vec3> slide;         // the held position may slide along this direction: a chute
  bool operator==(const Clamp&) const = default;
};

struct Coupling {  // a spring and a damper between a point of a rod and a place that may move
  std::string name;
  std::string rod;
  double at = 1;                                      // fraction of length
  std::optional<Vec3> position;                       // [m] of the place; default: where the point is at the start
  Timetable<Vec3> move;                               // [m] from there
  Timetable<double> turn;                             // [turns] about `axis`, any number
  std::optional<Vec3> axis;                           // default: the rod's direction there at the start
  double stiffness = 0, damping = 0;                  // [N/m], [N s/m]
  double angular_stiffness = 0, angular_damping = 0;  // [N m/rad], [N m s/rad]
  double from = 0, until = forever;                   // [s] pulls only between these times
  bool operator==(const Coupling&) const = default;
};

enum class Axes { world, material };
struct GravityLoad {
  Vec3 acceleration = Vec3(0, 0, -9.81);
  bool operator==(const GravityLoad&) const = default;
};
struct ChangingGravityLoad {  // gravity that comes and goes
  Vec3 acceleration = Vec3(0, 0, -9.81);
  Timetable<double> factor;
  bool operator==(const ChangingGravityLoad&) const = default;
};
struct PointLoad {
  std::string rod;
  double at = 1;
  Vec3 value = Vec3::Zero();  // [N] or [N m]
  Axes axes = Axes::world;
  Timetable<double> factor;
  bool operator==(const PointLoad&) const = default;
};
struct ForceLoad : PointLoad {
  bool operator==(const ForceLoad&) const = default;
};
struct MomentLoad : PointLoad {
  bool operator==(const MomentLoad&) const = default;
};
struct DistributedLoad {
  std::string rod;
  double from = 0, to = 1;
  Vec3 force = Vec3::Zero();  // [N/m]
  Axes axes = Axes::world;
  Timetable<double> factor;
  Vec3 moment = Vec3::Zero();  // [N m/m]
  bool operator==(const DistributedLoad&) const = default;
};
struct DragLoad {                     // force per length = -normal * v across the rod - tangential * v along it
  std::string rod;                    // empty: every rod
  double normal = 0, tangential = 0;  // [N s/m^2]
  bool operator==(const DragLoad&) const = default;
};
struct WindLoad {   // 1/2 density coefficient width |w| w, w = the air's velocity across the rod, relative to it
  std::string rod;  // empty: every rod
  Vec3 velocity = Vec3::Zero();  // [m/s]
  double density = 1.2;          // [kg/m^3]
  double coefficient = 1.2;      // drag coefficient of the section
  double gust = 0;               // fraction of the speed that comes and goes
  double gust_period = 2;        // [s]
  double gust_length = 2;        // [m] distance between gusts along the wind
  double vortex = 0;             // fraction of the speed that swirls sideways
  Vec3 whirl = Vec3::Zero();     // [rad/s] axis times rate: a vortex in which the air turns about the axis through whirl_at
  Vec3 whirl_at = Vec3::Zero();  // [m]
  double whirl_radius = 2;       // [m] outside it turns ever slower
  Timetable<double> factor;
  bool operator==(const WindLoad&) const = default;
};
using Load = std::variant<GravityLoad, ForceLoad, MomentLoad, DistributedLoad, DragLoad, WindLoad, ChangingGravityLoad>;

enum class JointKind { ball, hinge, rigid, slider };
struct JointPlace {  // a point of a rod, a body, or the world
  std::string rod;
  double at = 0;
  std::string body = {};
  bool world = false;
  std::optional<Vec3> point = {};  // [m] of a body, in its own axes; default: where the joint is at the start
  bool operator==(const JointPlace&) const = default;
};
struct Joint {
  std::string name;
  JointKind kind = JointKind::rigid;
  JointPlace a, b;
  Vec3 axis = Vec3::UnitZ();         // of a hinge or a slider, at the start
  std::optional<Vec3> point = {};    // [m] where it is at the start, when no rod is joined
  double from = 0, until = forever;  // [s] joins only between these times
  std::optional<double> reach =
      {};  // [m] a hook: takes hold when its two points are no farther apart, and draws them together
  bool operator==(const Joint&) const = default;
};

// ---- ropes that run -----------------------------------------------------------------------------------------------------
enum class RodEnd { start, end };
struct Winch {  // a drum that pays out rope at an end of a rod, or reels it in; the end is held by a clamp or a joint
  std::string name;
  std::string rod;
  RodEnd end = RodEnd::start;
  Timetable<double> speed;             // [m/s] > 0: pays out
  double top_speed = 2;                // [m/s] of what may be asked for
  std::optional<double> acceleration;  // [m/s^2] at most; none: at once
  std::optional<double> max_force;     // [N] slips beyond it; none: never
  Timetable<double> force;             // [N] instead of speed: it pulls with this force
  double stored = 0;                   // [m] rope on the drum at the start
  double shortest = 0;                 // [m] stops when no more than this is out
  std::string follows;                 // another winch, whose speed is added to its own
  bool operator==(const Winch&) const = default;
};
struct Sheave {                      // where a rope that runs is led: over a sheave, or where it ends
  std::string body;                  // to which it is fixed; empty: the world
  double radius = 0.1, inertia = 0;  // [m], [kg m^2]
  double bearing = 0;                // friction of its bearing, of the sum of both tensions
  double friction = 0;               // of the rope on it, when locked
  bool locked = false;               // it does not turn
  bool operator==(const Sheave&) const = default;
};
struct Reeving {  // a rope that runs through points: the rod is a polyline with a node at each
  std::string name;
  std::string rod;
  std::vector<Sheave> points;  // one per node of the rod
  double slack = 0;            // [m] that the rope is longer than its falls at the start
  bool operator==(const Reeving&) const = default;
};

// ---- contact ------------------------------------------------------------------------------------------------------------
struct Obstacle {
  std::string name;
  ObstacleShape shape;
  Timetable<Vec3> move;    // [m] from its place
  Timetable<double> turn;  // [turns] about `axis` through `pivot`
  Vec3 axis = Vec3::UnitZ();
  std::optional<Vec3> pivot;       // default: the shape's centre; moves along
  std::optional<double> friction;  // default: contact.friction
  bool operator==(const Obstacle&) const = default;
};
struct Contact {
  bool enabled = false;
  double friction = 0;  // Coulomb's coefficient
  bool self = true;     // a rod touches itself
  bool between_rods = true;
  double neighbour_length = 1;   // [circumferences] stretches of one rod nearer than this along it do not touch each other
  std::optional<double> margin;  // [m] contacts are known from this gap on; none: "auto"
  bool operator==(const Contact&) const = default;
};

// ---- rigid bodies ------------------------------------------------------------------------------------------------------------
enum class BodyKind { dynamic, guided, driven, fixed };
struct RigidBody {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  std::optional<BodyShape> shape;
  std::optional<double> mass, density;   // [kg], [kg/m^3]: one of them
  std::optional<Vec3> inertia;           // [kg m^2] about its own axes; default: from shape and mass
  Vec3 position = Vec3::Zero();          // [m] of the centre of mass
  Vec3 orientation = Vec3::Zero();       // [rad] axis times angle
  Vec3 velocity = Vec3::Zero();          // [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
  Vec3 axis = Vec3::UnitZ();             // guided: slides along and turns about it; driven: of the turn
  Timetable<Vec3> move;                  // [m] driven: from where it starts
  Timetable<double> turn;                // [turns] driven
  std::optional<Vec3> low, high;         // [m] driven: how far it can be moved by hand while it runs, added to its path
  std::optional<double> top_speed, acceleration;  // [m/s], [m/s^2] driven: of what is done by hand
  double damping = 0;                             // [1/s] force per mass and velocity, moment per inertia and spin
  bool collides = true;                           // with other bodies and the ground
  double friction = 0.5, restitution = 0;
  bool operator==(const RigidBody&) const = default;
};

enum class Quantity {
  position,
  velocity,
  direction,
  orientation,
  curvature,
  twist,
  twist_rate,
  force,
  moment,
  tension,  // at a point
  reaction_force,
  reaction_moment,  // of a clamp
  length,
  total_twist,
  writhe,
  link,
  bending_energy,
  twisting_energy,
  kinetic_energy,
  total_energy,     // of a whole rod
  angular_velocity  // of a body
};
struct Probe {
  std::string name;
  std::string rod;
  double at = 1;
  std::string clamp;  // for reactions
  Quantity quantity = Quantity::position;
  std::string body = {};      // instead of a rod
  std::string coupling = {};  // for reactions, instead of a clamp
  bool operator==(const Probe&) const = default;
};

enum class Mode { dynamics, statics, quasistatic };
struct Time {
  double duration = 1;  // [s]
  Mode mode = Mode::dynamics;
  std::optional<double> step;  // [s]; none: "auto"
  double frames_per_second = 60;
  bool allow_unstable = false;  // a step above the stable one is taken as it is
  bool operator==(const Time&) const = default;
};

// Field path ("rod[0].section.circle.radius") -> where it stands in the text. Says nothing about the scene itself.
struct SourceMap {
  struct Place {
    int line = 0, column = 0;
  };  // line 0: not from the text, set afterwards (--set)
  std::string file;
  std::map<std::string, Place> places;
  bool operator==(const SourceMap&) const { return true; }
};

struct Scene {
  std::string title;
  std::string about;  // what to watch for
  std::string method = "der";
  std::string start_from;  // folder of a run: its last state is the start
  Time time;
  std::vector<Material> materials;
  std::vector<Rod> rods;
  std::vector<Clamp> clamps;
  std::vector<RigidBody> bodies;
  std::vector<Coupling> couplings;
  std::vector<Joint> joints;
  std::vector<Winch> winches;
  std::vector<Reeving> reevings;
  std::vector<Load> loads;
  Contact contact;
  std::vector<Obstacle> obstacles;
  std::vector<Probe> probes;
  std::map<std::string, OptionTable> options;  // one table per method
  SourceMap source;
  bool operator==(const Scene&) const = default;
};

}  // namespace tendril
