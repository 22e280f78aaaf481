// The discretised scene, built once, const: geometry, stiffness, boundary conditions and loads at their places.
// Geometry and stiffness, never strain: each method applies its own strain measure to the shared rest configuration.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/constitutive.h"
#include "tendril/frame.h"
#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

struct Section {                    // of one edge
  double EA = 0;                    // [N]; 0: not given
  double GA1 = 0, GA2 = 0;          // [N]; GA1 resists shear along d1; 0: not given
  double EI1 = 0, EI2 = 0, GJ = 0;  // [N m^2]; EI1 resists bending about d1
  double line_mass = 0;             // [kg/m]
  double rotary1 = 0, rotary2 = 0;  // [kg m] rho I about d1, d2 (polar: their sum)
  bool rotary_given = false;        // by the scene, not found from shape, mass and radius
  double extent1 = 0, extent2 = 0;  // half sizes along d1, d2, for drawing and contact [m]
  double radius() const { return extent1 > extent2 ? extent1 : extent2; }
  enum class Shape { round, box } shape = Shape::round;
};

class RestCurve;  // rest_curve.h

struct RodModel {
  std::string name;
  RodSpan span;
  double length = 0;  // of the rest rod [m]
  Damping damping;
  bool stretches = false, shears = false;  // by EA, by GA1 and GA2 of its sections; otherwise not at all
  Law law = {};                            // of bending and twist
  std::shared_ptr<const RestCurve> rest_curve =
      nullptr;        // by material coordinate: where a method puts a node that the model has not
  int max_edges = 0;  // that can ever be out: those of the model, and one more where one is cut in two
  // Of a ring [rad]: its ends were turned against each other by any angle before they were welded, and the frames step by this
  // at node 0. The twist of the rod is what the frames show less this step.
  double weld_turn = 0;
  bool reeved = false;  // it runs through points and is straight between them: a Reeving's
};

// What is placed on a rod has a material coordinate [m], arc length in the rest rod, which never changes, and a node of the model's
// mesh there, which only methods that keep these nodes may use.
struct ClampModel {  // a clamp at its node
  std::string name;
  int rod = 0;
  NodeIndex node;
  bool position = false, direction = false, twist = false;
  Pose start;                 // the rod's pose there at the start, d3 = held direction
  Vec3 axis = Vec3::UnitX();  // of the turn
  Timetable<Vec3> move;       // [m]
  Timetable<double> turn;     // [turns]
  double from = 0, until = forever;
  double material = 0;  // [m]
  bool slides = false;  // along the direction `slide` (unit)
  Vec3 slide = Vec3::UnitX();
};

struct NodeLoad {  // a point force or moment
  int rod = 0;
  NodeIndex node;
  bool is_moment = false;
  Vec3 value = Vec3::Zero();
  Axes axes = Axes::world;
  Timetable<double> factor;
  double material = 0;  // [m]
};
struct LineLoad {  // per rest length, on the edges [first, last) of the flat arrays; the end edges may be covered in part
  int rod = 0;
  EdgeIndex first, last;
  double first_share = 1,
         last_share = 1;       // covered fraction of the first and the last edge; a single edge: all in first_share
  Vec3 force = Vec3::Zero();   // [N/m]
  Vec3 moment = Vec3::Zero();  // [N m/m]
  Axes axes = Axes::world;
  Timetable<double> factor;
  double from = 0, to = 0;  // material coordinates of the covered part [m]
};
struct ChangingGravity {
  Vec3 acceleration = Vec3::Zero();  // [m/s^2]
  Timetable<double> factor;
};
struct Drag {
  int rod = -1;  // -1: every rod
  double normal = 0, tangential = 0;
};
struct Wind {
  int rod = -1;
  WindLoad law;
};
struct JointModel {  // each side: a rod (rod >= 0), a body (body >= 0), or the world (neither)
  std::string name;
  JointKind kind = JointKind::rigid;
  int rod_a = -1, rod_b = -1;
  NodeIndex node_a, node_b;
  Vec3 axis = Vec3::UnitZ();  // at the start, unit
  int body_a = -1, body_b = -1;
  Vec3 point = Vec3::Zero();                                    // where it is at the start [m]
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();          // of each side, where they start apart [m]
  Quat frame_a = Quat::Identity(), frame_b = Quat::Identity();  // of a rod: its material frame at the node at the start
  double material_a = 0, material_b = 0;                        // of a rod [m]
  double from = 0, until = forever;
  double reach = forever;                           // [m] of a hook
  bool is_hook() const { return reach < forever; }  // it waits until its points are near, and closes its gap
  bool comes_and_goes() const { return from > 0 || until < forever; }  // by its times
};
struct WinchModel {  // at an end of a rod that is held
  std::string name;
  int rod = 0;
  RodEnd end = RodEnd::start;
  Timetable<double> speed;          // [m/s] > 0: pays out
  double top_speed = 2;             // [m/s]
  double acceleration = forever;    // [m/s^2]
  double max_force = forever;       // [N]
  Timetable<double> force;          // [N]
  double stored = 0, shortest = 0;  // [m]
  int follows = -1;                 // winch whose speed is added
  bool by_force() const { return !force.keys.empty(); }
};
struct SheaveModel {
  int body = -1;              // -1: the world
  Vec3 local = Vec3::Zero();  // in the body's axes; in the world [m]
  double radius = 0, inertia = 0, bearing = 0, friction = 0;
  bool locked = false;
};
struct ReevingModel {
  std::string name;
  int rod = 0;
  std::vector<SheaveModel> points;  // one per node of the rod
  double slack = 0;                 // [m]
};
struct TressModel {  // fibres that are drawn about guides; src/view/fibres.h says where
  std::string name;
  std::vector<int> guides;  // rods
  std::vector<std::array<int, 2>>
      near;                           // between guides: of each, the places in `guides` of the two that start nearest to it
  int fibres = 1, points = 2;         // of each guide; of a fibre
  double spread = 0, tip_spread = 0;  // [m]
  double radius = 0;                  // [m]; 0: the guide's
  std::uint32_t seed = 0;
};
struct BodyModel {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  double mass = 0;              // [kg]; 0: fixed or driven, nothing can move it
  Vec3 inertia = Vec3::Zero();  // [kg m^2] about its own axes
  std::optional<BodyShape> shape;
  BodyState start;
  Vec3 axis = Vec3::UnitZ();  // unit
  Timetable<Vec3> move;       // [m]
  Timetable<double> turn;     // [turns]
  double damping = 0;         // [1/s]
  bool collides = true;
  double friction = 0, restitution = 0;
  bool moves_freely() const { return kind == BodyKind::dynamic || kind == BodyKind::guided; }
};
struct GroundPlane {  // bodies stay on the side its normal points to
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();
  double friction = 0.5, restitution = 1;  // of a pair the smaller one counts: that of the body
};
struct CouplingModel {  // a spring and damper at its node
  std::string name;
  int rod = 0;
  NodeIndex node;
  double material = 0;                                // [m]
  Pose start;                                         // the rod's pose there at the start
  Vec3 away = Vec3::Zero();                           // from there to the place [m]
  Vec3 axis = Vec3::UnitX();                          // of the turn
  Timetable<Vec3> move;                               // [m]
  Timetable<double> turn;                             // [turns]
  double stiffness = 0, damping = 0;                  // [N/m], [N s/m]
  double angular_stiffness = 0, angular_damping = 0;  // [N m/rad], [N m s/rad]
  double from = 0, until = forever;
};
// Obstacles in their own axes: half-spaces lie below z = 0, capsules and cylinders along z, all about the origin.
namespace shape {
struct HalfSpace {};
struct Sphere {
  double radius = 0;
};
struct Capsule {
  double half_length = 0, radius = 0;
};
struct Cylinder {
  double half_length = 0, radius = 0;
};
struct Box {
  Vec3 half = Vec3::Zero();
};
struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise as seen from outside; closed
};
}  // namespace shape
using RigidShape = std::variant<shape::HalfSpace, shape::Sphere, shape::Capsule, shape::Cylinder, shape::Box, shape::Mesh>;
struct ObstacleModel {
  std::string name;
  RigidShape shape;
  Pose start;
  Vec3 axis = Vec3::UnitZ(), pivot = Vec3::Zero();  // of the turn
  Timetable<Vec3> move;                             // [m]
  Timetable<double> turn;                           // [turns]
  double friction = 0;
  bool moves() const { return !move.keys.empty() || !turn.keys.empty(); }
};
struct ContactModel {
  bool enabled = false, self = true, between_rods = true;
  double friction = 0;
  double neighbour_length = 1;  // [circumferences]
  double margin = 0;            // [m]
};
struct ProbeModel {
  std::string name;
  Quantity quantity = Quantity::position;
  int rod = -1;
  double material = 0;  // [m]
  int clamp = -1, coupling = -1;
  int body = -1;
};

struct Model {
  std::vector<RodModel> rods;
  OnNodes<double> material;     // arc length along the rest rod [m]
  OnNodes<Vec3> rest_position;  // a ring bent from an OPEN rest curve: its last rest edge does not end at node 0, so take
                                // directions and lengths of rest edges from rest_frame and rest_length
  OnEdges<Quat> rest_frame;     // columns d1, d2, d3 = tangent
  OnEdges<double> rest_length;
  OnNodes<Quat> rest_node_frame;  // the material frame at the node itself: d3 = the rest curve's true tangent there
  OnInnerNodes<double>
      rest_twist;  // unwrapped twist of the rest frames beyond parallel transport [rad]; node 0 of a twisted
                   // ring also keeps the angle it was welded with (rod_shape.cpp, add_initial_frames)
  OnEdges<Section> section;
  Frame initial;  // positions, velocities, frames, unwrapped twist at the start
  std::vector<ClampModel> clamps;
  std::vector<NodeLoad> node_loads;
  std::vector<LineLoad> line_loads;
  std::vector<Drag> drags;
  std::vector<Wind> winds;
  std::vector<BodyModel> bodies;
  std::vector<GroundPlane> grounds;  // for bodies
  std::vector<JointModel> joints;
  std::vector<WinchModel> winches;
  std::vector<ReevingModel> reevings;
  std::vector<TressModel> tresses;
  std::vector<CouplingModel> couplings;
  std::vector<ProbeModel> probes;
  std::vector<ObstacleModel> obstacles;
  ContactModel contact;
  Vec3 gravity = Vec3::Zero();  // sum of all gravity loads that do not change [m/s^2]
  std::vector<ChangingGravity> changing_gravity;
  double end_time = 0;  // statics: the drive of this time
};

// Sampling places a node exactly at every clamp, coupling, point load and joint; between these, segments are as even as they can be.
Checked<Model> build_model(const Scene& scene);

// [EI2 0; 0 EI1] in the section's own axes: the stiffness that belongs to the curvatures (towards d1, towards d2) of Discrete
// Elastic Rods. The one place where bending ABOUT d1 becomes bending TOWARDS d2. [ERRATA D4, cross-method 2]
Mat2 bending_matrix_towards(const Section& section);

double mass_of(const Model& model, const RodModel& rod);  // [kg]

}  // namespace tendril
