// What leaves the method: frames and saved states.
#include "methods/compact/compact.h"
#include "model/bodies.h"
#include "model/check_drive.h"

namespace tendril::compact {

void Compact::write_rod(const Part& part, Frame& frame) const {
  const Chain& chain = part.chain;
  const ChainState& s = part.state;
  Energy& energy = frame.own_energy;
  for (std::size_t i = 0; i < s.points.y.size(); ++i) energy.kinetic += 0.5 * chain.mass[i] * s.points.v[i].squaredNorm();
  for (int k = 0; k < chain.nodes(); ++k) {
    const NodeIndex node(k == 0 ? chain.root_node : chain.links[z(k - 1)].far);
    energy.gravity -= chain.mass[z(k)] * drive_.gravity.dot(s.points.y[z(k)]);
    if (chain.ring && k == chain.real()) break;  // the first again
    frame.position[node] = s.points.y[z(k)];
    frame.velocity[node] = s.points.v[z(k)];
    frame.moment[node].setZero();
  }
  for (int i = 0; i < chain.real(); ++i) {
    const EdgeIndex e(chain.links[z(i)].edge);
    frame.orientation[e] = s.q[z(i)];
    frame.spin[e] = spin_of(part, i);
    frame.force[e] = s.force[z(i)];
  }
  for (std::size_t i = 1; i < chain.joints.size(); ++i) {
    const Joint& joint = chain.joints[i];
    const JointReading r = read_joint(part, static_cast<int>(i), frames());
    frame.twist[InnerNodeIndex(joint.inner)] = s.twist[i] + joint.weld;
    if (part.problem.is_off(static_cast<int>(i))) continue;
    frame.moment[NodeIndex(joint.node)] = r.moment;
    energy.bending += r.bending, energy.twisting += r.twisting;
  }
  for (std::size_t w = 0; w < chain.walls.size(); ++w) {
    if (s.wall_holds[w] == 0) continue;
    const Joint& wall = chain.walls[w];
    const JointReading r = read_wall(part, static_cast<int>(w), frames());
    frame.moment[NodeIndex(wall.node)] += (wall.replaces >= 0 ? 0.5 : 1.0) * r.moment;  // inside: of both sides
    energy.bending += r.bending, energy.twisting += r.twisting;
  }
}

void Compact::write(Frame& frame) const {
  take_shape(*model_, frame);
  frame.own_energy = {};
  for (const auto& part : parts_) write_rod(*part, frame);
  frame.bodies.resize(model_->bodies.size());
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    frame.bodies[b] = joined_->state_of(static_cast<int>(b));
    frame.own_energy.kinetic += kinetic_energy(model_->bodies[b], frame.bodies[b]);
    frame.own_energy.gravity -= model_->bodies[b].mass * drive_.gravity.dot(frame.bodies[b].pose.position);
  }
  frame.contacts.clear();
  if (active_set_) frame.contacts.assign(active_set_->points().begin(), active_set_->points().end());
  if (meeting_) {
    frame.contacts.assign(meeting_->points().begin(), meeting_->points().end());
    frame.own_energy.contact = meeting_->energy();
  }
  frame.flow = flow_.flow();
  frame.report = report_;
  read_reactions(*model_, parts_, drive_, loads_, frame.reactions);
  write_drive(*model_, drive_, frame);
}

void Compact::visit_state(StateArchive& archive) {
  archive(late_, drive_, report_, levels_, before_, flow_);
  if (archive.reading()) check_loaded(*model_, drive_);
  for (auto& part : parts_) {
    archive(part->state);
    if (archive.reading()) part->problem.restore(part->state);
  }
  if (meeting_) archive(*meeting_);
  if (active_set_) archive(*active_set_);
  if (archive.reading()) loads_.update(drive_);
  if (joined_) archive(*joined_);
  if (joined_ && archive.reading()) joined_->drive(drive_);
}

}  // namespace tendril::compact
