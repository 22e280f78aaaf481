// What leaves the method: frames and saved states.
#include "methods/galpha/galpha.h"
#include "model/check_drive.h"
#include "model/framing.h"

namespace tendril::galpha {

void Galpha::write_rod(const RodMotion& motion, Frame& frame) const {
  const RodConstants& rod = motion.rod();
  const RodState& s = motion.state();
  const std::span<const SegmentNow> segments = motion.problem().segments();
  for (int i = 0; i < rod.nodes(); ++i) {
    const NodeIndex node = rod.node(i);
    frame.position[node] = s.r[z(i)];
    frame.velocity[node] = s.place.dot[z(i)];
    // Internal moment: of the segment behind the node, of the one before it, inside the mean of both.
    Vec3 moment = Vec3::Zero();
    if (i < rod.edges()) moment += segments[z(i)].on_a;
    if (i > 0) moment -= segments[z(i - 1)].on_b;
    frame.moment[node] = (i == 0 || i == rod.edges() ? 1.0 : 0.5) * moment;
  }
  for (int j = 0; j < rod.edges(); ++j) {
    const EdgeIndex e = rod.edge(j);
    const SegmentNow& now = segments[z(j)];
    const Vec3 along = s.r[z(j + 1)] - s.r[z(j)];
    frame.orientation[e] = carried_onto(Quat(now.mid).normalized(), along.normalized());
    frame.spin[e] = middle_spin(now, s.spin_of(j), s.spin_of(j + 1));
    frame.force[e] = s.n[z(j)];
  }
  for (int j = 1; j < rod.edges(); ++j) {
    const EdgeIndex e = rod.edge(j);
    frame.twist[InnerNodeIndex(rod.span.first_inner + j - 1)] = twist_between(
        frame.orientation[e - 1], frame.orientation[e], 0.5 * (segments[z(j - 1)].w.z() + segments[z(j)].w.z()));
  }
}

void Galpha::write(Frame& frame) const {
  take_shape(*model_, frame);
  frame.own_energy = {};
  frame.flow = {};
  for (const auto& rod : rods_) {
    write_rod(*rod, frame);
    const Energy e = rod->energy();
    Energy& sum = frame.own_energy;
    sum.kinetic += e.kinetic, sum.bending += e.bending, sum.twisting += e.twisting;
    sum.stretching += e.stretching, sum.shearing += e.shearing, sum.gravity += e.gravity;
    std::vector<double> parts;
    for_each_component(rod->flow(), [&parts](const char*, double part) { parts.push_back(part); });
    std::size_t k = 0;
    for_each_component(frame.flow, [&](const char*, double& part) { part += parts[k++]; });
  }
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    const RodMotion& rod = *rods_[z(model_->clamps[i].rod)];
    const int clamp = static_cast<int>(i);
    frame.reactions[i] = late_.holds(i) ? Wrench{rod.reaction_force(clamp), rod.reaction_moment(clamp)} : Wrench{};
  }
  frame.contacts.clear();
  frame.report = report_;
  write_drive(*model_, drive_, frame);
}

void Galpha::visit_state(StateArchive& archive) {
  archive(late_, drive_, report_, started_);
  archive.fixed(clamp_accelerations_), archive.fixed(clamp_motions_);
  for (auto& rod : rods_) archive(*rod);
  if (!archive.reading()) return;
  check_loaded(*model_, drive_);
  loads_.update(drive_);
  for (auto& rod : rods_) rod->set_drive(drive_, loads_, late_, clamp_accelerations_), rod->renew();
}

}  // namespace tendril::galpha
