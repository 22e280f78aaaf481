#include "model/build/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/bodies.h"
#include "model/build/mesh.h"
#include "model/framing.h"

namespace tendril {

namespace {

using Size = std::size_t;

// Arc length along the polygon of a fraction of the curve's length: nodes exactly, linear between them.
double material_at(const RodShape& shape, double fraction) {
  const auto after = std::upper_bound(shape.fraction.begin() + 1, shape.fraction.end() - 1, fraction);
  const auto k = static_cast<Size>(after - shape.fraction.begin()) - 1;
  const double u = (fraction - shape.fraction[k]) / (shape.fraction[k + 1] - shape.fraction[k]);
  return shape.material[k] + std::clamp(u, 0.0, 1.0) * shape.rest_length[k];
}

struct Placer {
  const Scene& scene;
  const std::vector<RodShape>& shapes;
  Model& model;
  Problems& problems;

  void complain(std::string field, std::string what, std::string allowed = "", std::string remedy = "") {
    problems.push_back({Severity::error, "", std::move(field), std::move(what), std::move(allowed), std::move(remedy)});
  }
  int local_node(int rod, double at) const {
    const RodShape& shape = shapes[static_cast<Size>(rod)];
    return nearest_node(shape.fraction, at, shape.ring);
  }
  NodeIndex node(int rod, double at) const {
    return NodeIndex(model.rods[static_cast<Size>(rod)].span.first_node + local_node(rod, at));
  }

  void clamp(int index) {
    // At the nearest node: name, place, what it holds.
    const Clamp& c = scene.clamps[static_cast<Size>(index)];
    ClampModel t;
    t.name = c.name.empty() ? fmt::format("clamp{}", index + 1) : c.name;
    t.rod = find_rod(scene, c.rod);
    t.node = node(t.rod, c.at);
    t.material = model.material[t.node];
    for (const Hold h : c.hold) (h == Hold::position ? t.position : h == Hold::direction ? t.direction : t.twist) = true;
    // Pose at the start: the rod's own, unless the scene gives a direction, onto which the frame is carried.
    const RodShape& shape = shapes[static_cast<Size>(t.rod)];
    const int local = local_node(t.rod, c.at);
    t.start.position = shape.point[static_cast<Size>(local)];
    t.start.orientation = material_frame_at_node(shape, local);
    const auto usable = [](const std::optional<Vec3>& v) { return !v || (v->allFinite() && v->norm() > 1e-12); };
    if (!usable(c.direction))
      return complain(fmt::format("clamp[{}].direction", index), "a direction of length 0 or not finite");
    if (!usable(c.axis)) return complain(fmt::format("clamp[{}].axis", index), "a direction of length 0 or not finite");
    if (c.direction) t.start.orientation = carried_onto(t.start.orientation, c.direction->normalized());
    t.axis = c.axis ? Vec3(c.axis->normalized()) : director(t.start.orientation, 2);
    // Motion in time, as the scene gives it.
    t.move = c.move;
    t.turn = c.turn;
    t.from = c.from;
    t.until = c.until;
    if (!usable(c.slide)) return complain(fmt::format("clamp[{}].slide", index), "a direction of length 0 or not finite");
    if (c.slide) t.slides = true, t.slide = c.slide->normalized();
    model.clamps.push_back(t);
  }

  // Clamps may share a node when they hold different things or at different times. Direction and twist are one thing: the
  // frame. This is the only place that judges it: on the mesh it is known which node is whose.
  void check_doubles() {
    // Sorted by node, so that only clamps of the same node are compared.
    std::vector<Size> order(model.clamps.size());
    for (Size i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](Size i, Size j) { return model.clamps[i].node < model.clamps[j].node; });
    for (Size i = 0; i < order.size(); ++i)
      for (Size j = i; j-- > 0 && model.clamps[order[j]].node == model.clamps[order[i]].node;) {
        const ClampModel &a = model.clamps[order[j]], &b = model.clamps[order[i]];
        // Do both hold the same thing, at overlapping times?
        const bool points = a.position && b.position;
        const bool frames = (a.direction || a.twist) && (b.direction || b.twist);
        if (!(points || frames) || std::max(a.from, b.from) >= std::min(a.until, b.until)) continue;
        const char* what = points                       ? "position"
                           : a.direction && b.direction ? "direction"
                           : a.twist && b.twist         ? "twist"
                                                        : "frame";
        complain(fmt::format("clamp[{}]", order[i]), fmt::format("holds the {} that clamp {} holds already", what, a.name),
                 "one place can be held once at a time", "put what is held into one clamp, or let one end before the other");
      }
  }

  void load(const GravityLoad& g) { model.gravity += g.acceleration; }
  void load(const ChangingGravityLoad& g) { model.changing_gravity.push_back({g.acceleration, g.factor}); }
  void load(const ForceLoad& f) { point_load(f, false); }
  void load(const MomentLoad& m) { point_load(m, true); }
  void point_load(const PointLoad& p, bool is_moment) {
    const int rod = find_rod(scene, p.rod);
    const NodeIndex at = node(rod, p.at);
    model.node_loads.push_back({rod, at, is_moment, p.value, p.axes, p.factor, model.material[at]});
  }
  void load(const DistributedLoad& d) {
    LineLoad line;
    line.rod = find_rod(scene, d.rod);
    const RodShape& shape = shapes[static_cast<Size>(line.rod)];
    // The stretch of the rod in arc length, and the edges that it covers.
    const double from = material_at(shape, d.from), to = material_at(shape, d.to);
    const double rounding = same_place * shape.length();
    const auto& m = shape.material;
    int first = 0, last = shape.edges;  // edges touched by [from, to], leaving out those touched by rounding only
    while (first + 1 < last && m[static_cast<Size>(first) + 1] <= from + rounding) ++first;
    while (last - 1 > first && m[static_cast<Size>(last) - 1] >= to - rounding) --last;
    const auto covered = [&](int k) {
      const double low = std::max(from, m[static_cast<Size>(k)]), high = std::min(to, m[static_cast<Size>(k) + 1]);
      const double share = (high - low) / shape.rest_length[static_cast<Size>(k)];
      return share > 1 - same_place ? 1.0 : std::max(share, 0.0);
    };
    const int base = model.rods[static_cast<Size>(line.rod)].span.first_edge;
    // Whole edges count fully; only the first and the last may be covered in part.
    line.first = EdgeIndex(base + first);
    line.last = EdgeIndex(base + last);
    line.first_share = covered(first);
    // A load on part of a single edge has it all in first_share: the covered share of an edge is always the product of the
    // shares that apply to it.
    line.last_share = last - first > 1 ? covered(last - 1) : 1.0;
    line.force = d.force;
    line.moment = d.moment;
    line.axes = d.axes;
    line.factor = d.factor;
    line.from = from, line.to = to;
    model.line_loads.push_back(line);
  }
  void load(const DragLoad& d) {
    model.drags.push_back({d.rod.empty() ? -1 : find_rod(scene, d.rod), d.normal, d.tangential});
  }
  void load(const WindLoad& w) { model.winds.push_back({w.rod.empty() ? -1 : find_rod(scene, w.rod), w}); }

  void joint(int index) {
    const Joint& j = scene.joints[static_cast<Size>(index)];
    const std::string field = fmt::format("joint[{}]", index);
    JointModel made;
    // What the scene says as it is.
    made.name = j.name.empty() ? fmt::format("joint{}", index + 1) : j.name;
    made.kind = j.kind;
    made.from = j.from, made.until = j.until;
    made.reach = j.reach.value_or(forever);
    made.axis = j.axis.normalized();
    double size = 0;
    // Each side is a body, the world, or a node of a rod with its material frame.
    const auto side = [&](const JointPlace& place, int& rod, NodeIndex& at, int& body, Quat& frame) {
      if (!place.body.empty()) return void(body = find_body(scene, place.body));
      if (place.world) return;
      rod = find_rod(scene, place.rod);
      at = node(rod, place.at);
      frame = material_frame_at_node(shapes[static_cast<Size>(rod)], local_node(rod, place.at));
      size = std::max(size, model.rods[static_cast<Size>(rod)].length);
    };
    side(j.a, made.rod_a, made.node_a, made.body_a, made.frame_a);
    side(j.b, made.rod_b, made.node_b, made.body_b, made.frame_b);
    if (made.rod_a >= 0) made.material_a = model.material[made.node_a];
    if (made.rod_b >= 0) made.material_b = model.material[made.node_b];
    // The common point: a node, if a rod takes part; else the given point, else the centre of a body.
    const bool two_rods = made.rod_a >= 0 && made.rod_b >= 0;
    if (two_rods && made.node_a == made.node_b) complain(field, "joins a point with itself");
    if (made.rod_a >= 0 || made.rod_b >= 0) {
      made.point = model.initial.position[made.rod_a >= 0 ? made.node_a : made.node_b];
    } else {
      const int body = made.body_a >= 0 ? made.body_a : made.body_b;
      made.point = j.point ? *j.point : body >= 0 ? model.bodies[static_cast<Size>(body)].start.pose.position : Vec3::Zero();
    }
    // What joins later need not meet there yet: each side has its own point.
    const auto own_point = [&](const JointPlace& place, int rod, NodeIndex at, int body) {
      if (rod >= 0) return model.initial.position[at];
      if (body < 0 || !place.point) return made.point;
      const Pose& pose = model.bodies[static_cast<Size>(body)].start.pose;
      return Vec3(pose.position + pose.orientation * *place.point);
    };
    made.point_a = own_point(j.a, made.rod_a, made.node_a, made.body_a);
    made.point_b = own_point(j.b, made.rod_b, made.node_b, made.body_b);
    // Two rods that are joined from the start must meet there; bodies are held wherever they are.
    const double gap = two_rods && made.from <= 0 ? (made.point_b - made.point_a).norm() : 0.0;
    if (gap > 1e-6 * size)
      complain(field, fmt::format("the two points are {:.6g} m apart at the start", gap), "must be at the same place",
               "move one of the rods; a side that names nothing is the only rod, `world = true` the world");
    model.joints.push_back(made);
  }

  void coupling(int index) {
    const Coupling& c = scene.couplings[static_cast<Size>(index)];
    CouplingModel made;
    made.name = c.name.empty() ? fmt::format("coupling{}", index + 1) : c.name;
    made.rod = find_rod(scene, c.rod);
    made.node = node(made.rod, c.at);
    made.material = model.material[made.node];
    const RodShape& shape = shapes[static_cast<Size>(made.rod)];
    const int local = local_node(made.rod, c.at);
    // The anchor starts at the node, or where the scene puts it.
    made.start = {shape.point[static_cast<Size>(local)], material_frame_at_node(shape, local)};
    if (c.position) made.away = *c.position - made.start.position;
    if (c.axis && !(c.axis->allFinite() && c.axis->norm() > 1e-12))
      return complain(fmt::format("coupling[{}].axis", index), "a direction of length 0 or not finite");
    made.axis = c.axis ? Vec3(c.axis->normalized()) : director(made.start.orientation, 2);
    made.move = c.move;
    made.turn = c.turn;
    made.stiffness = c.stiffness, made.damping = c.damping;
    made.angular_stiffness = c.angular_stiffness, made.angular_damping = c.angular_damping;
    made.from = c.from;
    made.until = c.until;
    model.couplings.push_back(made);
  }

  void probe(int index) {
    const Probe& p = scene.probes[static_cast<Size>(index)];
    const std::string field = fmt::format("probe[{}]", index);
    ProbeModel made;
    made.name = p.name.empty() ? fmt::format("probe{}", index + 1) : p.name;
    // Of a clamp, a body, a coupling, or else of a point on a rod; errors name the field.
    made.quantity = p.quantity;
    if (!p.clamp.empty()) {
      for (Size i = 0; i < model.clamps.size(); ++i)
        if (model.clamps[i].name == p.clamp) made.clamp = static_cast<int>(i);
      if (made.clamp < 0) return complain(field + ".clamp", fmt::format("no clamp is called {}", p.clamp));
      made.rod = model.clamps[static_cast<Size>(made.clamp)].rod;
      made.material = model.material[model.clamps[static_cast<Size>(made.clamp)].node];
    } else if (!p.body.empty()) {
      made.body = find_body(scene, p.body);
      if (made.body < 0) return complain(field + ".body", fmt::format("no body is called {}", p.body));
    } else if (!p.coupling.empty()) {
      for (Size i = 0; i < model.couplings.size(); ++i)
        if (model.couplings[i].name == p.coupling) made.coupling = static_cast<int>(i);
      if (made.coupling < 0) return complain(field + ".coupling", fmt::format("no coupling is called {}", p.coupling));
      made.rod = model.couplings[static_cast<Size>(made.coupling)].rod;
      made.material = model.couplings[static_cast<Size>(made.coupling)].material;
    } else {
      made.rod = find_rod(scene, p.rod);
      if (made.rod < 0) return complain(field + ".rod", fmt::format("no rod is called \"{}\"", p.rod));
      made.material = material_at(shapes[static_cast<Size>(made.rod)], p.at);
    }
    model.probes.push_back(made);
  }
};

}  // namespace

std::string rod_name(const Scene& scene, int rod) {
  const std::string& name = scene.rods[static_cast<Size>(rod)].name;
  return name.empty() ? fmt::format("rod{}", rod + 1) : name;
}

int find_rod(const Scene& scene, const std::string& name) {
  const int count = static_cast<int>(scene.rods.size());
  for (int i = 0; i < count; ++i)
    if (rod_name(scene, i) == name) return i;
  return name.empty() && count == 1 ? 0 : -1;
}

std::vector<double> Marks::of_rod(int rod) const {
  std::vector<double> result;
  for (const Mark& mark : all)
    if (mark.rod == rod) result.push_back(mark.fraction);
  return result;
}

Marks collect_marks(const Scene& scene, Problems& problems) {
  Marks marks;
  // Every place on a rod that the scene names, with its field for error messages. Nodes are put there by the mesh.
  const auto rod_of = [&](const std::string& rod, const std::string& field) {
    const int index = find_rod(scene, rod);
    if (index < 0) problems.push_back({Severity::error, "", field, fmt::format("no rod is called \"{}\"", rod), "", ""});
    return index;
  };
  const auto fraction = [&](double at, const std::string& field) {
    if (at >= 0 && at <= 1) return true;
    problems.push_back(
        {Severity::error, "", field, fmt::format("got {}", at), "must be between 0 and 1 (fraction of length)", ""});
    return false;
  };
  const auto mark = [&](const std::string& rod, double at, const std::string& field) {
    const int index = rod_of(rod, field + ".rod");
    if (fraction(at, field + ".at") && index >= 0) marks.all.push_back({index, at});
  };
  // Clamps, couplings and joints stand at nodes. A joint's side may be a body, which then has to exist.
  for (Size i = 0; i < scene.clamps.size(); ++i) mark(scene.clamps[i].rod, scene.clamps[i].at, fmt::format("clamp[{}]", i));
  const auto mark_side = [&](const JointPlace& place, const std::string& field) {
    if (!place.body.empty()) {
      if (find_body(scene, place.body) < 0)
        problems.push_back(
            {Severity::error, "", field + ".body", fmt::format("no body is called \"{}\"", place.body), "", ""});
    } else if (!place.world) {
      mark(place.rod, place.at, field);
    }
  };
  for (Size i = 0; i < scene.couplings.size(); ++i)
    mark(scene.couplings[i].rod, scene.couplings[i].at, fmt::format("coupling[{}]", i));
  for (Size i = 0; i < scene.joints.size(); ++i) {
    mark_side(scene.joints[i].a, fmt::format("joint[{}].a", i));
    mark_side(scene.joints[i].b, fmt::format("joint[{}].b", i));
  }
  for (Size i = 0; i < scene.winches.size(); ++i) rod_of(scene.winches[i].rod, fmt::format("winch[{}].rod", i));
  for (Size i = 0; i < scene.reevings.size(); ++i) rod_of(scene.reevings[i].rod, fmt::format("reeving[{}].rod", i));
  for (Size i = 0; i < scene.tresses.size(); ++i)
    for (Size k = 0; k < scene.tresses[i].guides.size(); ++k)
      rod_of(scene.tresses[i].guides[k], fmt::format("tress[{}].guides[{}]", i, k));
  for (Size i = 0; i < scene.loads.size(); ++i) {
    // Point loads need nodes. Distributed loads do not: their names and stretches are checked only.
    const std::string field = fmt::format("load[{}]", i);
    if (const auto* f = std::get_if<ForceLoad>(&scene.loads[i])) mark(f->rod, f->at, field + ".force");
    if (const auto* m = std::get_if<MomentLoad>(&scene.loads[i])) mark(m->rod, m->at, field + ".moment");
    if (const auto* d = std::get_if<DistributedLoad>(&scene.loads[i])) {
      rod_of(d->rod, field + ".distributed.rod");
      if (fraction(d->from, field + ".distributed.from") && fraction(d->to, field + ".distributed.to") && !(d->from < d->to))
        problems.push_back(
            {Severity::error, "", field + ".distributed.to", fmt::format("got {}", d->to), "must be > from", ""});
    }
    if (const auto* d = std::get_if<DragLoad>(&scene.loads[i]); d != nullptr && !d->rod.empty())
      rod_of(d->rod, field + ".drag.rod");
    if (const auto* w = std::get_if<WindLoad>(&scene.loads[i]); w != nullptr && !w->rod.empty())
      rod_of(w->rod, field + ".wind.rod");
  }
  return marks;
}

void place_everything(const Scene& scene, const std::vector<RodShape>& shapes, Model& model, Problems& problems) {
  // Bodies before joints, which stand on them; clamps and couplings before probes, which name them.
  Placer placer{scene, shapes, model, problems};
  for (Size i = 0; i < scene.clamps.size(); ++i) placer.clamp(static_cast<int>(i));
  placer.check_doubles();
  for (const Load& load : scene.loads) std::visit([&](const auto& l) { placer.load(l); }, load);
  place_bodies(scene, model, problems);
  for (Size i = 0; i < scene.joints.size(); ++i) placer.joint(static_cast<int>(i));
  if (!has_errors(problems)) place_ropes(scene, model, problems);
  if (!has_errors(problems)) place_tresses(scene, model, problems);
  for (Size i = 0; i < scene.couplings.size(); ++i) placer.coupling(static_cast<int>(i));
  for (Size i = 0; i < scene.probes.size(); ++i) placer.probe(static_cast<int>(i));
}

}  // namespace tendril
