// On the collision detection of the Open Dynamics Engine. Its spaces remember, so pairs are gone through in the order of
// indices. Geometry hangs on carriers: bodies of a world of its own in which nothing ever moves by itself.
#include "bodies/body_collisions.h"

#include <ode/ode.h>

#include <algorithm>
#include <array>

#include "bodies/body_extents.h"
#include "bodies/ode_setup.h"

namespace tendril {
namespace {

constexpr int largest_contact_count = 16;  // of one pair

struct MakeGeom {
  dGeomID operator()(const BoxBody& b) const { return dCreateBox(nullptr, b.size.x(), b.size.y(), b.size.z()); }
  dGeomID operator()(const SphereBody& s) const { return dCreateSphere(nullptr, s.radius); }
  dGeomID operator()(const CylinderBody& c) const { return dCreateCylinder(nullptr, c.radius, c.length); }
  dGeomID operator()(const CapsuleBody& c) const { return dCreateCapsule(nullptr, c.radius, c.length); }
};
// In units of length of the bodies (units_of), because ODE has tolerances of its own; powers of two change no bit.
struct InUnits {
  double f;
  BodyShape operator()(const BoxBody& b) const { return BoxBody{f * b.size}; }
  BodyShape operator()(const SphereBody& s) const { return SphereBody{f * s.radius}; }
  BodyShape operator()(const CylinderBody& c) const { return CylinderBody{f * c.radius, f * c.length}; }
  BodyShape operator()(const CapsuleBody& c) const { return CapsuleBody{f * c.radius, f * c.length}; }
};

// ODE finds one contact at most between a capsule and a box, at an end of where they touch: the box would fall over. A cylinder
// has two, so for boxes a capsule is a cylinder and two balls.
using Parts = std::array<dGeomID, 3>;
Parts parts_of(const BodyShape& shape, dBodyID carrier) {
  const auto* c = std::get_if<CapsuleBody>(&shape);
  if (c == nullptr) return {};
  const Parts parts{dCreateCylinder(nullptr, c->radius, c->length), dCreateSphere(nullptr, c->radius),
                    dCreateSphere(nullptr, c->radius)};
  for (const dGeomID g : parts) dGeomSetBody(g, carrier);
  dGeomSetOffsetPosition(parts[1], 0, 0, 0.5 * c->length);
  dGeomSetOffsetPosition(parts[2], 0, 0, -0.5 * c->length);
  return parts;
}

struct Pair {  // what goes into every contact of it
  int a = -1, b = -1, ground = -1;
  double friction = 0, restitution = 0;
};

}  // namespace

struct BodyCollisions::Geoms {
  double unit = 1;                // [m]; geometry below is in this unit, states and margins that come and go are in metres
  std::vector<BodyModel> bodies;  // shapes in units
  std::vector<GroundPlane> grounds;  // points in units
  dWorldID world = nullptr;
  std::vector<dBodyID> carriers;
  std::vector<dGeomID> whole, planes;  // whole: null where a body does not collide
  std::vector<Parts> parts;            // of capsules
  std::vector<double> reach;
  std::vector<std::array<int, 2>> ignored;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_round(int i) const { return is<SphereBody>(i) || is<CapsuleBody>(i); }
  template <class Shape>
  bool is(int i) const {
    return std::holds_alternative<Shape>(*bodies[at(i)].shape);
  }
  void place(std::span<const BodyState> states) const;
  void set_margin_of_grounds(double margin) const;
  void set_margin_of_round(int i, double margin) const;
  void collide_bodies(int i, int j, std::span<const BodyState> states, double margin, std::vector<BodyContact>& out) const;
  void collide(dGeomID a, dGeomID b, const Pair& pair, double margin, std::vector<BodyContact>& out) const;
};

BodyCollisions::BodyCollisions(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds)
    : geoms_(std::make_unique<Geoms>()) {
  set_up_ode();
  Geoms& g = *geoms_;
  g.bodies.assign(bodies.begin(), bodies.end());
  g.grounds.assign(grounds.begin(), grounds.end());
  g.unit = units_of(bodies).length;
  for (BodyModel& body : g.bodies)
    if (body.shape) body.shape = std::visit(InUnits{1 / g.unit}, *body.shape);
  for (GroundPlane& ground : g.grounds) ground.point /= g.unit;
  g.world = dWorldCreate();
  for (const BodyModel& body : g.bodies) {
    g.carriers.push_back(dBodyCreate(g.world));
    const bool collides = body.shape && body.collides;
    g.whole.push_back(collides ? std::visit(MakeGeom{}, *body.shape) : nullptr);
    if (collides) dGeomSetBody(g.whole.back(), g.carriers.back());
    g.parts.push_back(collides ? parts_of(*body.shape, g.carriers.back()) : Parts{});
    g.reach.push_back(collides ? reach_of(*body.shape) : 0);
  }
  for (const GroundPlane& ground : g.grounds) {
    const Vec3 n = ground.normal.normalized();
    g.planes.push_back(dCreatePlane(nullptr, n.x(), n.y(), n.z(), n.dot(ground.point)));
  }
}

BodyCollisions::~BodyCollisions() {
  for (const auto* list : {&geoms_->whole, &geoms_->planes})
    for (const dGeomID g : *list)
      if (g != nullptr) dGeomDestroy(g);
  for (const Parts& parts : geoms_->parts)
    for (const dGeomID g : parts)
      if (g != nullptr) dGeomDestroy(g);
  dWorldDestroy(geoms_->world);
}

void BodyCollisions::ignore_pair(int a, int b) { geoms_->ignored.push_back({std::min(a, b), std::max(a, b)}); }

void BodyCollisions::find(std::span<const BodyState> states, std::vector<BodyContact>& out, double margin) {
  set_up_ode();
  const Geoms& g = *geoms_;
  margin /= g.unit;
  g.place(states);
  if (margin > 0) g.set_margin_of_grounds(margin);
  out.clear();
  const int count = static_cast<int>(g.bodies.size());
  for (int i = 0; i < count; ++i) {
    if (g.whole[Geoms::at(i)] == nullptr) continue;
    // Each body with those after it, then with the grounds.
    const BodyModel& own = g.bodies[Geoms::at(i)];
    for (int j = i + 1; j < count; ++j) g.collide_bodies(i, j, states, margin, out);
    for (int k = 0; own.moves_freely() && k < static_cast<int>(g.grounds.size()); ++k) {
      const GroundPlane& ground = g.grounds[Geoms::at(k)];
      const Pair pair{i, -1, k, std::min(own.friction, ground.friction), std::min(own.restitution, ground.restitution)};
      g.collide(g.whole[Geoms::at(i)], g.planes[Geoms::at(k)], pair, margin, out);
    }
  }
  if (margin > 0) g.set_margin_of_grounds(0);
}

void BodyCollisions::Geoms::place(std::span<const BodyState> states) const {
  for (std::size_t i = 0; i < carriers.size(); ++i) {
    const Vec3 x = states[i].pose.position / unit;
    const Quat& q = states[i].pose.orientation;
    const dQuaternion o = {q.w(), q.x(), q.y(), q.z()};
    dBodySetPosition(carriers[i], x.x(), x.y(), x.z());
    dBodySetQuaternion(carriers[i], o);
  }
}

void BodyCollisions::Geoms::set_margin_of_grounds(double margin) const {
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const Vec3 n = grounds[k].normal.normalized();
    dGeomPlaneSetParams(planes[k], n.x(), n.y(), n.z(), n.dot(grounds[k].point) + margin);
  }
}

void BodyCollisions::Geoms::set_margin_of_round(int i, double margin) const {
  if (const auto* s = std::get_if<SphereBody>(&*bodies[at(i)].shape)) {
    dGeomSphereSetRadius(whole[at(i)], s->radius + margin);
    return;
  }
  const auto& c = std::get<CapsuleBody>(*bodies[at(i)].shape);
  dGeomCapsuleSetParams(whole[at(i)], c.radius + margin, c.length);
  dGeomCylinderSetParams(parts[at(i)][0], c.radius + margin, c.length);
  for (const int end : {1, 2}) dGeomSphereSetRadius(parts[at(i)][at(end)], c.radius + margin);
}

void BodyCollisions::Geoms::collide_bodies(int i, int j, std::span<const BodyState> states, double margin,
                                           std::vector<BodyContact>& out) const {
  // Pairs that need not be looked at: nothing to touch, nothing that could move, too far apart, joined.
  const dGeomID a = whole[at(i)], b = whole[at(j)];
  const BodyModel &first = bodies[at(i)], &second = bodies[at(j)];
  if (a == nullptr || b == nullptr || !(first.moves_freely() || second.moves_freely())) return;
  const double far = unit * (reach[at(i)] + reach[at(j)] + margin);
  if ((states[at(i)].pose.position - states[at(j)].pose.position).squaredNorm() > far * far) return;
  if (std::find(ignored.begin(), ignored.end(), std::array<int, 2>{i, j}) != ignored.end()) return;
  // One of the two grows by the margin, if it can.
  const int grown = margin > 0 ? is_round(i) ? i : is_round(j) ? j : -1 : -1;
  if (grown >= 0) set_margin_of_round(grown, margin);
  const Pair pair{i, j, -1, std::min(first.friction, second.friction), std::min(first.restitution, second.restitution)};
  const auto meet = [&](dGeomID of_i, dGeomID of_j) { collide(of_i, of_j, pair, grown >= 0 ? margin : 0, out); };
  if (is<CapsuleBody>(i) && is<BoxBody>(j))
    for (const dGeomID part : parts[at(i)]) meet(part, b);
  else if (is<BoxBody>(i) && is<CapsuleBody>(j))
    for (const dGeomID part : parts[at(j)]) meet(a, part);
  else
    meet(a, b);
  if (grown >= 0) set_margin_of_round(grown, 0);
}

void BodyCollisions::Geoms::collide(dGeomID a, dGeomID b, const Pair& pair, double margin,
                                    std::vector<BodyContact>& out) const {
  std::array<dContactGeom, largest_contact_count> found{};
  const int count = dCollide(a, b, largest_contact_count, found.data(), sizeof(dContactGeom));
  for (int k = 0; k < count; ++k) {
    const dContactGeom& c = found[at(k)];
    out.push_back({pair.a, pair.b, pair.ground, unit * Vec3(c.pos[0], c.pos[1], c.pos[2]),
                   Vec3(c.normal[0], c.normal[1], c.normal[2]), unit * (margin - c.depth), pair.friction, pair.restitution});
  }
}

}  // namespace tendril
