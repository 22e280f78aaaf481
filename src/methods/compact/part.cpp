#include "methods/compact/part.h"

#include "math/rotation.h"

namespace tendril::compact {
namespace {

JointReading read(const Part& part, const Joint& joint, double near, std::size_t level,
                  const std::vector<ClampNow>& clamps) {
  const StrainPoint p = strain_point(joint.kind, joint_quaternion(joint, part.state.q, clamps), near);
  const Vec3 away = p.strain - joint.rest;
  Vec3 stress = joint.kappa.cwiseProduct(away);
  JointReading r;
  r.bending = 0.5 * (stress.x() * away.x() + stress.y() * away.y());
  r.twisting = 0.5 * stress.z() * away.z();
  r.twist = joint.kind == StrainKind::angle ? p.strain.z() : near;
  if (part.chain.damping.internal > 0)
    stress += part.chain.damping.internal * joint.kappa.cwiseProduct(part.state.strains.v[level]);
  const Quat& a = joint.a >= 0 ? part.state.q[z(joint.a)] : clamps[z(joint.clamp)].pose.orientation;
  const Vec3 moment = strain_gradient(p).transpose() * stress;
  r.moment = a * (joint.weld == 0 ? moment : Vec3(joint.turn_a * moment));
  return r;
}

}  // namespace

JointReading read_joint(const Part& part, int i, const std::vector<ClampNow>& clamps) {
  return read(part, part.chain.joints[z(i)], part.state.twist[z(i)], z(i), clamps);
}
JointReading read_wall(const Part& part, int w, const std::vector<ClampNow>& clamps) {
  return read(part, part.chain.walls[z(w)], part.state.wall_twist[z(w)], part.chain.joints.size() + z(w), clamps);
}

Pose pose_at(const Model& model, const Part& part, int node) {
  const Chain& chain = part.chain;
  const ChainState& state = part.state;
  int at = node == chain.root_node ? 0 : -1;
  for (int i = 0; i < chain.real() && at < 0; ++i)
    if (chain.links[z(i)].far == node) at = i + 1;
  Pose pose;
  pose.position = state.points.y[z(at)];
  for (std::size_t i = 1; i < chain.joints.size(); ++i) {
    const Joint& joint = chain.joints[i];
    if (joint.node != node) continue;
    // Half-way between the two segments.
    const Quat a = state.q[z(joint.a)] * joint.turn_a, b = state.q[z(joint.b)] * joint.turn_b;
    pose.orientation = (a * exp_quat(Vec3(0.5 * log_rotation(Quat(a.conjugate() * b))))).normalized();
    return pose;
  }
  // At a free end there is no moment: as the half segment is at rest.
  const int link = at == 0 ? 0 : chain.real() - 1;
  const Quat& rest = model.rest_frame[EdgeIndex(chain.links[z(link)].edge)];
  pose.orientation = state.q[z(link)] * rest.conjugate() * model.rest_node_frame[NodeIndex(node)];
  return pose;
}

// The mean of what the three directors say: d x d' of each.
Vec3 spin_of(const Part& part, int link) {
  const Chain& chain = part.chain;
  const Levels& p = part.state.points;
  const int at = chain.d1(link);
  const Vec3 &d1 = p.y[z(at)], &d2 = p.y[z(at + 1)], d3 = d1.cross(d2);
  const Vec3 v3 = (chain.sign() / chain.links[z(link)].length) * (p.v[z(link + 1)] - p.v[z(link)]);
  return 0.5 * (d1.cross(p.v[z(at)]) + d2.cross(p.v[z(at + 1)]) + d3.cross(v3));
}

void read_reactions(const Model& model, const Parts& parts, const Drive& drive, const LoadsNow& loads,
                    std::span<Wrench> out) {
  for (Wrench& wrench : out) wrench = {};
  for (const auto& part : parts) {
    const Chain& chain = part->chain;
    const ChainState& state = part->state;
    for (auto c = chain.root_clamps.rbegin(); c != chain.root_clamps.rend(); ++c) {
      if (!state.root_held || !drive.clamps[z(*c)].active) continue;
      out[z(*c)].force = state.reaction;
      break;
    }
    for (std::size_t h = 0; h < chain.held.size(); ++h)
      if (drive.clamps[z(chain.held[h].clamp)].active)
        out[z(chain.held[h].clamp)].force = -(chain.held[h].axes * Eigen::Map<const Vec3>(state.multiplier.data() + 3 * h));
    for (std::size_t w = 0; w < chain.walls.size(); ++w) {
      if (state.wall_holds[w] == 0) continue;
      const Joint& wall = chain.walls[w];
      if (z(wall.clamp) >= out.size()) continue;  // a body's or a junction's
      Wrench& wrench = out[z(wall.clamp)];
      const Vec3 moment = read_wall(*part, static_cast<int>(w), drive.clamps).moment;
      wrench.moment += wall.a < 0 ? Vec3(-moment) : moment;
      // Moments that act on a wall are borne by its clamp: once, where it has two joints.
      const bool second = w > 0 && chain.walls[w - 1].clamp == wall.clamp;
      const ClampModel& clamp = model.clamps[z(wall.clamp)];
      if (second || !clamp.twist || !clamp.direction) continue;
      const Mat3 frame = drive.clamps[z(wall.clamp)].pose.orientation.toRotationMatrix();
      const LoadedPoint<double> at{{0, 0, 0}, {0, 0, 0}, to_small(frame)};
      wrench.moment -= to_eigen(loads.at_node(NodeIndex(wall.node), at).moment);
    }
  }
}

}  // namespace tendril::compact
