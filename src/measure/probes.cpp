// One number, vector or orientation out of a Frame: at a material point of a rod, of a clamp, or of a whole rod.
#include <algorithm>
#include <cmath>
#include <span>

#include "math/link.h"
#include "measure/measure.h"
#include "model/bodies.h"

namespace tendril {
namespace {

// A place between two samples: value = (1 - share) a + share b. The share may leave [0, 1] by half a segment: values that
// sit on edges or inner nodes are carried on to the end of the rod in a straight line, which keeps them second order there.
struct Between {
  int a = 0, b = 0;  // counted from the rod's first
  double share = 0;
};

// `coordinate(i)` rises with i = 0 .. count - 1; `period` > 0 for a ring.
template <class Coordinate>
Between place(double s, int count, double period, const Coordinate& coordinate) {
  if (count <= 1) return {};
  if (period > 0) {
    s = s - period * std::floor((s - coordinate(0)) / period);
    if (s >= coordinate(count - 1)) {
      const double gap = coordinate(0) + period - coordinate(count - 1);
      return {count - 1, 0, (s - coordinate(count - 1)) / gap};
    }
  }
  int low = 0, high = count - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (coordinate(middle) <= s ? low : high) = middle;
  }
  const double gap = coordinate(high) - coordinate(low);
  return {low, high, gap > 0 ? (s - coordinate(low)) / gap : 0.0};
}

class Point {  // a material point of one rod of a frame
 public:
  Point(const Model& model, const Frame& frame, int rod, double s)
      : model_(model),
        frame_(frame),
        span_(frame.rods[static_cast<std::size_t>(rod)]),
        s_(s),
        period_(span_.ring ? model.rods[static_cast<std::size_t>(rod)].length : 0.0) {}

  Between on_nodes() const {
    Between p = place(s_, span_.nodes, period_, [this](int i) { return node_s(i); });
    if (!span_.ring) p.share = std::clamp(p.share, 0.0, 1.0);
    return p;
  }
  Between on_edges() const {
    return place(s_, span_.edges, period_, [this](int i) { return edge_s(i); });
  }
  Between on_inner() const {
    return place(s_, span_.inner, period_, [this](int i) { return node_s(span_.ring ? i : i + 1); });
  }
  Vec3 at_nodes(const OnNodes<Vec3>& v) const {
    const Between p = on_nodes();
    return (1 - p.share) * v[NodeIndex(span_.first_node + p.a)] + p.share * v[NodeIndex(span_.first_node + p.b)];
  }
  Vec3 at_edges(const OnEdges<Vec3>& v) const {
    const Between p = on_edges();
    return (1 - p.share) * v[EdgeIndex(span_.first_edge + p.a)] + p.share * v[EdgeIndex(span_.first_edge + p.b)];
  }
  Quat orientation() const {
    const Between p = on_edges();
    const Quat a = frame_.orientation[EdgeIndex(span_.first_edge + p.a)];
    const Quat b = frame_.orientation[EdgeIndex(span_.first_edge + p.b)];
    Quat step = a.conjugate() * b;
    if (step.w() < 0) step.coeffs() = -step.coeffs();
    const double sine = step.vec().norm();
    const double half = std::atan2(sine, step.w());
    if (sine < 1e-15) return a;
    const double turned = half * p.share;
    Quat part;
    part.w() = std::cos(turned);
    part.vec() = step.vec() * (std::sin(turned) / sine);
    return (a * part).normalized();
  }
  // Curvature about d1 and d2 and twist, per rest length; a rod of one edge has none.
  Vec3 strain() const {
    if (span_.inner == 0) return Vec3::Zero();
    const Between p = on_inner();
    return (1 - p.share) * joint(p.a) + p.share * joint(p.b);
  }
  double tension() const {
    const Between p = on_edges();
    const auto of = [this](int k) {
      const EdgeIndex e(span_.first_edge + k);
      return frame_.force[e].dot(frame_.orientation[e] * Vec3::UnitZ());
    };
    return (1 - p.share) * of(p.a) + p.share * of(p.b);
  }
  // Twist between the start of the rod and here: each joint's is spread evenly over the half edges beside it.
  double twist_from_start() const { return twist_up_to(s_) - twist_up_to(node_s(0)); }

 private:
  double node_s(int i) const { return frame_.material[NodeIndex(span_.first_node + i)]; }
  double edge_s(int k) const { return node_s(k) + 0.5 * model_.rest_length[EdgeIndex(span_.first_edge + k)]; }
  double twist_up_to(double s) const {
    double sum = 0;
    for (int i = 0; i < span_.inner; ++i) {
      const JointEdges e = edges_at_inner(span_, i);
      const double before = 0.5 * model_.rest_length[e.before], after = 0.5 * model_.rest_length[e.after];
      const double start = node_s(span_.ring ? i : i + 1) - before;
      sum += frame_.twist[InnerNodeIndex(span_.first_inner + i)] * std::clamp((s - start) / (before + after), 0.0, 1.0);
    }
    return sum;
  }
  Vec3 joint(int i) const {
    const JointEdges e = edges_at_inner(span_, i);
    const double twist = frame_.twist[InnerNodeIndex(span_.first_inner + i)];
    const JointStrain strain = joint_strain(frame_.orientation[e.before], frame_.orientation[e.after], twist);
    const double length = 0.5 * (model_.rest_length[e.before] + model_.rest_length[e.after]);
    return Vec3(strain.bend1, strain.bend2, twist) / length;
  }
  const Model& model_;
  const Frame& frame_;
  const RodSpan span_;
  double s_, period_;
};

double length_now(const Frame& frame, const RodSpan& rod) {
  double sum = 0;
  for (int k = 0; k < rod.edges; ++k) {
    const int end = k + 1 == rod.nodes ? 0 : k + 1;
    sum += (frame.position[NodeIndex(rod.first_node + end)] - frame.position[NodeIndex(rod.first_node + k)]).norm();
  }
  return sum;
}

double topology(const Frame& frame, const RodSpan& rod, Quantity quantity) {
  const std::span<const Vec3> corners(frame.position.data() + rod.first_node, static_cast<std::size_t>(rod.nodes));
  const std::span<const double> twists(frame.twist.data() + rod.first_inner, static_cast<std::size_t>(rod.inner));
  if (quantity == Quantity::total_twist) return total_twist(twists);
  if (quantity == Quantity::writhe) return rod.ring ? writhe_closed(corners) : writhe_open(corners);
  return rod.ring ? link_closed(corners, twists) : link_open(corners, twists);
}

void set(std::vector<double>& out, double value) { out.assign(1, value); }
void set(std::vector<double>& out, const Vec2& v) { out.assign({v.x(), v.y()}); }
void set(std::vector<double>& out, const Vec3& v) { out.assign({v.x(), v.y(), v.z()}); }
void set(std::vector<double>& out, const Quat& q) { out.assign({q.w(), q.x(), q.y(), q.z()}); }

}  // namespace

void Meter::measure_body(const Frame& frame, const ProbeModel& probe, std::vector<double>& out) const {
  const BodyState& body = frame.bodies[static_cast<std::size_t>(probe.body)];
  switch (probe.quantity) {
    case Quantity::velocity:
      return set(out, body.motion.linear);
    case Quantity::orientation:
      return set(out, body.pose.orientation);
    case Quantity::angular_velocity:
      return set(out, body.motion.angular);
    case Quantity::kinetic_energy:
      return set(out, kinetic_energy(model_->bodies[static_cast<std::size_t>(probe.body)], body));
    default:
      return set(out, body.pose.position);
  }
}

void Meter::measure_probe(const Frame& frame, std::span<const Wrench> reactions, double gravity_scale,
                          const ProbeModel& probe, std::vector<double>& out) const {
  if (probe.quantity == Quantity::reaction_force || probe.quantity == Quantity::reaction_moment) {
    const auto target = static_cast<std::size_t>(probe.target);
    TENDRIL_REQUIRE(probe.target >= 0 && target < reactions.size(), "a reaction probe needs the reactions of the clamps");
    return set(out, probe.quantity == Quantity::reaction_force ? reactions[target].force : reactions[target].moment);
  }
  if (probe.body >= 0) return measure_body(frame, probe, out);
  const RodSpan& rod = frame.rods[static_cast<std::size_t>(probe.rod)];
  const Point point(*model_, frame, probe.rod, probe.material);
  const auto rod_energy = [&] { return energy_of_rod(frame, probe.rod, gravity_scale); };
  switch (probe.quantity) {
    case Quantity::position:
      return set(out, point.at_nodes(frame.position));
    case Quantity::velocity:
      return set(out, point.at_nodes(frame.velocity));
    case Quantity::moment:
      return set(out, point.at_nodes(frame.moment));
    case Quantity::force:
      return set(out, point.at_edges(frame.force));
    case Quantity::tension:
      return set(out, point.tension());
    case Quantity::orientation:
      return set(out, point.orientation());
    case Quantity::direction:
      return set(out, Vec3(point.orientation() * Vec3::UnitZ()));
    case Quantity::curvature:
      return set(out, Vec2(point.strain().head<2>()));
    case Quantity::twist_rate:
      return set(out, point.strain().z());
    case Quantity::twist:
      return set(out, point.twist_from_start());
    case Quantity::length:
      return set(out, length_now(frame, rod));
    case Quantity::total_twist:
    case Quantity::writhe:
    case Quantity::link:
      return set(out, topology(frame, rod, probe.quantity));
    case Quantity::bending_energy:
      return set(out, rod_energy().bending);
    case Quantity::twisting_energy:
      return set(out, rod_energy().twisting);
    case Quantity::kinetic_energy:
      return set(out, rod_energy().kinetic);
    case Quantity::total_energy:
      return set(out, rod_energy().total());
    case Quantity::reaction_force:
    case Quantity::reaction_moment:
    case Quantity::angular_velocity:
      break;  // above
  }
}

std::vector<std::string> probe_columns(Quantity quantity) {
  const auto xyz = [](const std::string& unit) {
    return std::vector<std::string>{"x [" + unit + "]", "y [" + unit + "]", "z [" + unit + "]"};
  };
  switch (quantity) {
    case Quantity::position:
      return xyz("m");
    case Quantity::velocity:
      return xyz("m/s");
    case Quantity::angular_velocity:
      return xyz("rad/s");
    case Quantity::direction:
      return xyz("1");
    case Quantity::orientation:
      return {"w [1]", "x [1]", "y [1]", "z [1]"};
    case Quantity::curvature:
      return {"about_d1 [rad/m]", "about_d2 [rad/m]"};
    case Quantity::twist:
      return {"[rad]"};
    case Quantity::twist_rate:
      return {"[rad/m]"};
    case Quantity::force:
    case Quantity::reaction_force:
      return xyz("N");
    case Quantity::moment:
    case Quantity::reaction_moment:
      return xyz("N m");
    case Quantity::tension:
      return {"[N]"};
    case Quantity::length:
      return {"[m]"};
    case Quantity::total_twist:
    case Quantity::writhe:
    case Quantity::link:
      return {"[turns]"};
    case Quantity::bending_energy:
    case Quantity::twisting_energy:
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
      return {"[J]"};
  }
  return {};
}

}  // namespace tendril
