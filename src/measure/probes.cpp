// One number, vector or orientation out of a Frame: at a material point of a rod, of a clamp, or of a whole rod.
#include <span>

#include "math/link.h"
#include "measure/along.h"
#include "measure/measure.h"
#include "model/bodies.h"

namespace tendril {
namespace {

double length_now(const Frame& frame, const RodSpan& rod) {
  double sum = 0;
  for (int k = 0; k < rod.edges; ++k) {
    const int end = k + 1 == rod.nodes ? 0 : k + 1;
    sum += (frame.position[NodeIndex(rod.first_node + end)] - frame.position[NodeIndex(rod.first_node + k)]).norm();
  }
  return sum;
}

double topology(const Frame& frame, const RodSpan& rod, double weld_turn, Quantity quantity) {
  // Twist, writhe, or link = twist + writhe, which for an open rod is a definition (math/link.h).
  const std::span<const Vec3> corners(frame.position.data() + rod.first_node, static_cast<std::size_t>(rod.nodes));
  const std::span<const double> twists(frame.twist.data() + rod.first_inner, static_cast<std::size_t>(rod.inner));
  const double at_weld = total_twist({&weld_turn, 1});
  if (quantity == Quantity::total_twist) return total_twist(twists) - at_weld;
  if (quantity == Quantity::writhe) return rod.ring ? writhe_closed(corners) : writhe_open(corners);
  return (rod.ring ? link_closed(corners, twists) : link_open(corners, twists)) - at_weld;
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

void Meter::measure_probe(const Frame& frame, const RestValues& rest, const ProbeModel& probe,
                          std::vector<double>& out) const {
  if (probe.coupling >= 0) {  // of one that does not pull now: zero
    Vec3 value = Vec3::Zero();
    for (const Pull& pull : frame.pulls)
      if (pull.coupling == probe.coupling) value = probe.quantity == Quantity::reaction_force ? pull.force : pull.moment;
    return set(out, value);
  }
  if (probe.quantity == Quantity::reaction_force || probe.quantity == Quantity::reaction_moment) {
    // Reactions of clamps.
    const auto clamp = static_cast<std::size_t>(probe.clamp);
    TENDRIL_REQUIRE(probe.clamp >= 0 && clamp < frame.reactions.size(), "a reaction probe needs the frame's reactions");
    const Wrench& reaction = frame.reactions[clamp];
    return set(out, probe.quantity == Quantity::reaction_force ? reaction.force : reaction.moment);
  }
  if (probe.body >= 0) return measure_body(frame, probe, out);
  const RodSpan& rod = frame.rods[static_cast<std::size_t>(probe.rod)];
  // Everything else is of a point of a rod, or of the whole rod.
  const MeasuredPoint point(*model_, frame, probe.rod, probe.material);
  const auto rod_energy = [&] { return energy_of_rod(frame, rest, probe.rod); };
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
      return set(out, topology(frame, rod, model_->rods[static_cast<std::size_t>(probe.rod)].weld_turn, probe.quantity));
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
  // One name per number, with its unit; a single number has a unit only.
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
