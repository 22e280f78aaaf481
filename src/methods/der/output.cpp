// What leaves the method: frames and saved states.
#include <cmath>

#include "math/rotation.h"
#include "math/transport.h"
#include "methods/der/der.h"
#include "model/bodies.h"
#include "model/check_drive.h"

namespace tendril::der {

void Der::fill_output() const {
  *output_ = *chain_;
  fill_directors(*output_);
  update_gradient(*output_);
  loads_->add_couples(drive_, *output_);  // their pairs of forces are forces of the edges too
  synchronise(*output_);
}

namespace {
// Twist, moments and energies of bending and twisting.
void write_joints(const Chain& c, Frame& frame) {
  for (const ChainRod& rod : c.rods) {
    double bending = 0, twisting = 0;
    joint_energy(c, rod, &bending, &twisting);
    frame.own_energy.bending += bending;
    frame.own_energy.twisting += twisting;
  }
  for (int i = 0; i < frame.twist.size(); ++i) {
    const int s = c.joint_of_inner[z(i)];
    const int last = c.kind[z(s)] == SlotKind::wall ? s + 1 : s;  // the node's twist, across a wall that stands there
    frame.twist[InnerNodeIndex{i}] = c.theta[z(last)] + c.phi[z(last)] - c.theta[z(s - 1)] - c.phi[z(s - 1)];
  }
  for (const ChainRod& rod : c.rods) {
    for (int s = rod.first + 1; s < rod.first + rod.slots; ++s) {
      const bool inside_wall = c.kind[z(s - 1)] == SlotKind::wall && s - 1 > rod.first;
      Vec3& moment = frame.moment[NodeIndex{c.node[z(s)]}];
      const Vec3 here = to_eigen(c.moment.get(s));
      moment = inside_wall ? Vec3(0.5 * (moment + here)) : here;
    }
  }
}
}  // namespace

void Der::write(Frame& frame) const {
  fill_output();
  const Chain& c = *output_;
  take_shape(*model_, frame);
  frame.own_energy = {};
  for (int i = 0; i < frame.position.size(); ++i) {
    const int v = c.vertex_of_node[z(i)];
    const Vec3 x = to_eigen(c.x.get(v)), velocity = to_eigen(c.v.get(v));
    frame.position[NodeIndex{i}] = x;
    frame.velocity[NodeIndex{i}] = velocity;
    frame.moment[NodeIndex{i}] = Vec3::Zero();
    frame.own_energy.kinetic += 0.5 * c.mass[z(v)] * velocity.squaredNorm();
    frame.own_energy.gravity -= c.mass[z(v)] * drive_.gravity.dot(x);
  }
  if (joins_) {
    frame.bodies.assign(joins_->bodies().begin(), joins_->bodies().end());
    frame.own_energy.kinetic += joins_->junction_energy();
    for (std::size_t i = 0; i < frame.bodies.size(); ++i) {
      frame.own_energy.kinetic += kinetic_energy(model_->bodies[i], frame.bodies[i]);
      frame.own_energy.gravity -= model_->bodies[i].mass * drive_.gravity.dot(frame.bodies[i].pose.position);
    }
  }
  for (int e = 0; e < frame.orientation.size(); ++e) {
    const int s = c.slot_of_edge[z(e)];
    const V3<double> t = c.t.get(s), d1 = turned_about(t, c.m1.get(s), c.phi[z(s)]);
    const double strain = c.length[z(s)] / c.rest_length[z(s)] - 1;
    frame.orientation[EdgeIndex{e}] = quat_from_frame(to_eigen(d1), to_eigen(cross(t, d1)), to_eigen(t));
    frame.spin[EdgeIndex{e}] = to_eigen(c.inverse_length[z(s)] * cross(t, c.v.get(s + 1) - c.v.get(s)) + c.roll[z(s)] * t);
    frame.own_energy.kinetic += 0.5 * c.roll_inertia[z(s)] * c.roll[z(s)] * c.roll[z(s)];
    frame.force[EdgeIndex{e}] = to_eigen(c.gradient.get(s) + (c.tension[z(s)] * c.length[z(s)]) * t);
    frame.own_energy.stretching += 0.5 * c.EA[z(s)] * c.rest_length[z(s)] * strain * strain;
  }
  write_joints(c, frame);
  frame.contacts.clear();
  if (contacts_) frame.contacts.assign(contacts_->points().begin(), contacts_->points().end());
  frame.report = report_;
  // Where velocities stay half a step behind the positions, energies are those of their time.
  const bool synchronised = before_ > 0 && !joins_;
  if (!synchronised)
    frame.own_energy.kinetic +=
        0.5 * (before_ > 0 ? before_ : flow_.last_kick()) * power_of_potentials(*model_, c, drive_, joins_.get());
  frame.flow = flow_.after(synchronised ? 0.5 * before_ : 0);
  write_reactions(frame.reactions);
  write_drive(*model_, drive_, frame);
}

void Der::write_reactions(std::span<Wrench> at_clamps) const {
  const Chain& c = *output_;
  // What acts on each held node, once for all clamps: the cost is linear in nodes, clamps and hands.
  held_force_.assign(c.vertex_of_node.size(), Vec3::Zero());
  for (int v = c.begin; v < c.end; ++v)
    if (c.held[z(v)] && c.node[z(v)] >= 0)
      held_force_[z(c.node[z(v)])] += to_eigen(inner_force(c, v) - inner_force(c, v - 1) + loads_->force().get(v));
  for (std::size_t n = 0; n < held_force_.size(); ++n) {
    if (!c.held[z(c.vertex_of_node[n])]) continue;
    if (joins_) held_force_[n] += to_eigen(joins_->force_at(static_cast<int>(n)));
    if (contacts_) held_force_[n] += contacts_->force_at(static_cast<int>(n));
  }
  for (const Grip& grip : drive_.grips) {  // what pulls at a held node pulls at its clamp
    if (grip.rod < 0) continue;
    const Vec3 pull = pull_of(c, grip);
    held_force_[z(grip.a.value)] += (1 - grip.share) * pull;
    held_force_[z(grip.b.value)] += grip.share * pull;
  }
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    at_clamps[i] = {};
    const ClampModel& clamp = model_->clamps[i];
    if (c.active[i] && clamp.position) at_clamps[i].force = -held_force_[z(clamp.node.value)];
  }
  for (const Wall& wall : c.walls) {
    if (wall.clamp < 0) continue;
    Vec3 moment = to_eigen(c.moment.get(wall.slot) - c.moment.get(wall.slot + 1));
    const Vec3 t = to_eigen(c.t.get(wall.slot));
    if (wall.follows) moment = moment.dot(t) * t;  // it tilts with the rod; at an end its direction is the clamp's
    at_clamps[z(wall.clamp)].moment = moment;
  }
  for (std::size_t i = 0; i < model_->node_loads.size(); ++i) {  // moments on a wall are borne by its clamp
    const NodeLoad& load = model_->node_loads[i];
    const int vertex = c.vertex_of_node[z(load.node.value)];
    if (!load.is_moment || c.kind[z(vertex)] != SlotKind::wall) continue;
    Vec3 moment = drive_.node_factor[i] * load.value;
    if (load.axes == Axes::material) moment = node_axes(c, vertex) * moment;
    const Vec3 t = to_eigen(c.t.get(vertex));
    for (const Wall& wall : c.walls)
      if (wall.slot == vertex && wall.clamp >= 0)
        at_clamps[z(wall.clamp)].moment -= wall.follows ? Vec3(moment.dot(t) * t) : moment;
  }
}

void Der::visit_clamps(StateArchive& archive) {
  if (!archive.reading()) return archive.fixed(chain_->active);
  std::vector<char> active(chain_->active.size());
  archive.fixed(active);
  if (active == chain_->active) return;
  for (std::size_t i = 0; i < active.size(); ++i) drive_.clamps[i].active = active[i] != 0;
  chain_ = std::make_unique<Chain>(build_chain(*model_, model_->initial, drive_, choice()));
  allocate();
}

void Der::visit_state(StateArchive& archive) {
  visit_clamps(archive);
  Chain& c = *chain_;
  for (Array* a : {&c.x.x, &c.x.y, &c.x.z, &c.v.x, &c.v.y, &c.v.z}) archive.fixed(*a);
  for (Array* a : {&c.theta, &c.roll, &c.roll_change, &c.tension, &c.first_director, &c.closure}) archive.fixed(*a);
  archive.fixed(c.walls);
  archive(late_, drive_, report_, before_, parts_, flow_);
  if (archive.reading()) check_loaded(*model_, drive_);
  if (joins_) archive(*joins_);
  if (contacts_) archive(*contacts_);
  if (!archive.reading()) return;
  // What is derived comes again from the same code; the next step sets the walls and asks for the drive.
  forget_walls();
  refresh();
  loads_->update(drive_, c);
}

}  // namespace tendril::der
