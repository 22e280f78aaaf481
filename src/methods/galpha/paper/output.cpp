// What leaves the formulation: frames, saved states, and what went in and out.
#include "math/rotation.h"
#include "methods/galpha/paper/paper.h"
#include "model/check_drive.h"
#include "model/framing.h"

namespace tendril::galpha::paper {

namespace {
Mat3 middle_frame(const Level& level, int k) { return level.frame[z(k)] * level.half[z(k)]; }
Vec3 mean_place(const Level& level, int k) { return 0.5 * (level.place[z(k)] + level.place[z(k + 1)]); }
Vec3 turned_by(const Mat3& from, const Mat3& to) { return log_rotation(Mat3(to * from.transpose())); }

// A given load in world axes.
Wrench wrench_of(const GivenLoad& load, const Mat3& frame) {
  return {to_eigen(load.world_force) + frame * to_eigen(load.material_force),
          to_eigen(load.world_moment) + frame * to_eigen(load.material_moment)};
}
// Work of a wrench along a step, by the trapezoid rule.
double work_along(const Wrench& before, const Wrench& now, const Vec3& moved, const Vec3& turned) {
  return 0.5 * ((before.force + now.force).dot(moved) + (before.moment + now.moment).dot(turned));
}
// Twice the kinetic energy of a segment, by the means of its nodes: what the box scheme keeps. [J]
double twice_kinetic(const Segment& s, const Fields& a, const Fields& b) {
  const Vec3 u = 0.5 * (a.u + b.u), w = 0.5 * (a.w + b.w);
  return s.length * (s.mass * u.squaredNorm() + w.dot(s.inertia.cwiseProduct(w)));
}
}  // namespace

Vec3 Paper::first_moment() const {
  Vec3 sum = Vec3::Zero();
  for (const auto& part : parts_)
    for (int k = 0; k < part->data.count(); ++k) {
      const Segment& s = part->data.segments[z(k)];
      sum += s.mass * s.length * mean_place(part->now, k);
    }
  return sum;
}

// What the clamp at an end exerts on the rod.
Wrench Paper::reaction(const Part& part, const Level& level, bool far) const {
  const int k = far ? part.data.count() : 0;
  const Fields& x = level.x[z(k)];
  const Mat3& frame = level.frame[z(k)];
  const Wrench inner{frame * x.n, frame * part.data.moment(k, x)};
  if (!far) return {-inner.force, -inner.moment};
  const Wrench load = wrench_of(level.ends.load, frame);
  return {inner.force - load.force, inner.moment - load.moment};
}

void Paper::count_end(const Part& part, bool far) {
  const std::size_t k = far ? z(part.data.count()) : 0;
  const Level &before = part.before, &now = part.now;
  const Vec3 moved = now.place[k] - before.place[k], turned = turned_by(before.frame[k], now.frame[k]);
  if (!far || now.ends.held)
    flow_.clamps += work_along(reaction(part, before, far), reaction(part, now, far), moved, turned);
  if (far)
    flow_.loads +=
        work_along(wrench_of(before.ends.load, before.frame[k]), wrench_of(now.ends.load, now.frame[k]), moved, turned);
}

void Paper::count_flow(const Part& part, double dt) {
  const Level &before = part.before, &now = part.now;
  count_end(part, false), count_end(part, true);
  for (int k = 0; k < part.data.count(); ++k) {
    const Segment& s = part.data.segments[z(k)];
    const EdgeIndex e = part.data.edge(k);
    flow_.damping += 0.5 * dt * s.damping *
                     (twice_kinetic(s, before.x[z(k)], before.x[z(k + 1)]) + twice_kinetic(s, now.x[z(k)], now.x[z(k + 1)]));
    if (model_->line_loads.empty()) continue;
    const Mat3 from = middle_frame(before, k), to = middle_frame(now, k);
    Wrench a = wrench_of(open_loads_.on_edge(e), from), b = wrench_of(loads_.on_edge(e), to);
    a.force -= model_->section[e].line_mass * open_.gravity, b.force -= model_->section[e].line_mass * used_.gravity;
    flow_.loads += s.length * work_along(a, b, mean_place(now, k) - mean_place(before, k), turned_by(from, to));
  }
}

void Paper::write_rod(const Part& part, Frame& frame) const {
  const RodData& rod = part.data;
  const Level& level = part.now;
  Energy& energy = frame.own_energy;
  for (int k = 0; k <= rod.count(); ++k) {
    const NodeIndex i = rod.node(k);
    const Fields& x = level.x[z(k)];
    frame.position[i] = level.place[z(k)];
    frame.velocity[i] = level.frame[z(k)] * x.u;
    frame.moment[i] = level.frame[z(k)] * rod.moment(k, x);
  }
  double twist_before = 0;  // along the segment before
  for (int k = 0; k < rod.count(); ++k) {
    const EdgeIndex e = rod.edge(k);
    const Segment& s = rod.segments[z(k)];
    const Fields &a = level.x[z(k)], &b = level.x[z(k + 1)];
    const Mat3 middle = middle_frame(level, k);
    frame.orientation[e] = carried_onto(Quat(middle), (level.place[z(k + 1)] - level.place[z(k)]).normalized());
    frame.spin[e] = middle * (0.5 * (a.w + b.w));
    frame.force[e] = 0.5 * (level.frame[z(k)] * a.n + level.frame[z(k + 1)] * b.n);
    const double twist = 0.5 * s.length * (a.k.z() + b.k.z());
    if (k > 0)
      frame.twist[InnerNodeIndex(rod.span.first_inner + k - 1)] =
          twist_between(frame.orientation[e - 1], frame.orientation[e], 0.5 * (twist_before + twist));
    twist_before = twist;
    // By the means of both nodes, which is what the box scheme keeps of a rod of one section.
    const Vec3 strain = 0.5 * (a.k - rod.nodes[z(k)].rest + b.k - rod.nodes[z(k + 1)].rest);
    const Vec3 moment = 0.5 * (rod.moment(k, a) + rod.moment(k + 1, b));
    energy.bending += 0.5 * s.length * (moment.x() * strain.x() + moment.y() * strain.y());
    energy.twisting += 0.5 * s.length * moment.z() * strain.z();
    energy.kinetic += 0.5 * twice_kinetic(s, a, b);
    energy.gravity -= s.mass * s.length * drive_.gravity.dot(mean_place(level, k));
  }
}

void Paper::write(Frame& frame) const {
  take_shape(*model_, frame);
  frame.own_energy = {};
  for (const auto& part : parts_) write_rod(*part, frame);
  for (const auto& part : parts_) {
    frame.reactions[z(part->data.near_clamp)] = reaction(*part, part->now, false);
    if (part->data.far_clamp < 0) continue;
    frame.reactions[z(part->data.far_clamp)] = part->now.ends.held ? reaction(*part, part->now, true) : Wrench{};
  }
  frame.contacts.clear();
  frame.flow = flow_;
  frame.report = report_;
  write_drive(*model_, drive_, frame);
}

void Paper::visit_state(StateArchive& archive) {
  archive(drive_, used_, flow_, gravity_, fresh_, report_);
  if (archive.reading()) check_loaded(*model_, drive_), check_loaded(*model_, used_), loads_.update(used_);
  for (auto& part : parts_) {
    for (Fields& x : part->now.x) archive(x.u, x.w, x.k, x.n);
    for (Rates& rate : part->now.rate) archive(rate.u, rate.w, rate.k);
    if (!archive.reading()) continue;
    part->now.ends = ends_of(*part, used_, loads_);
    place_frames(part->data, part->now);
  }
}

}  // namespace tendril::galpha::paper
