#include "methods/der/contact/contacts.h"

#include <algorithm>
#include <cmath>

namespace tendril::der {
namespace {
std::span<const BodyState> bodies_of(const BodiesAndJoints* joins) {
  return joins != nullptr ? joins->bodies() : std::span<const BodyState>();
}
auto nodes_of(const Chain& c) {
  return [&c](int node) { return c.x.get(c.vertex_of_node[z(node)]); };
}
double value_now(const Chain& c, const BodiesAndJoints* joins, const FramedRows& rows, int k) {
  return row_value(
      rows, k, [&](int i) { return c.x.get(rows.vertex[i]); },
      rows.body >= 0 ? &joins->bodies()[z(rows.body)].pose : nullptr);
}
}  // namespace

Contacts::Contacts(const Model& model, Workers* workers) : model_(model), watch_(model) {
  watch_.set_workers(workers);
  node_force_.assign(z(watch_.geometry().nodes()), Vec3::Zero());  // asked for before the first step
  torque_.assign(z(watch_.geometry().edges()), 0);
}

void Contacts::remember(const Chain& c, const BodiesAndJoints* joins) {
  walls_before_ = c.walls;
  watch_.begin_step(nodes_of(c), bodies_of(joins));
}

bool Contacts::is_outdated(const Chain& c, const BodiesAndJoints* joins) const {
  return watch_.is_outdated(nodes_of(c), bodies_of(joins));
}

// What touches where everything is now, and its rows.
Found Contacts::look(const Chain& c, const BodiesAndJoints* joins, double dt, AngleWork& angles) {
  // Positions after the motion so far; those before were noted by remember.
  watch_.set_after(nodes_of(c), bodies_of(joins));
  if (clock_) clock_->lap(Part::contact);
  const Found found = watch_.find();
  if (clock_) clock_->lap(Part::finding);
  if (found != Found::fine) return found;
  // Constraint rows: directions, bounds, effective masses; with friction also the compliance of the material frames.
  memory_.begin(watch_.geometry(), watch_.touches());
  set_rows(c, joins, dt);
  if (has_friction() && !rows_.empty()) add_frame_compliance(c, angles, dt);
  return found;
}

Found Contacts::find(Chain& c, const Drive& drive, BodiesAndJoints* joins, AngleWork& angles, double dt) {
  // Obstacles where they are at the end of the step.
  watch_.set_obstacles(drive.obstacles);
  const Found found = look(c, joins, dt, angles);
  if (found != Found::fine) return found;
  // Warm start: the impulses of the last step for contacts that were known then.
  // That of an impact would carry its contact out of reach, where it is forgotten with its push: young ones are limited.
  constexpr int young = 2;
  const double reach = 0.5 * watch_.geometry().margin();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    FramedRows& rows = rows_[i];
    take_impulses(memory_.now(i), dt, rows);
    const double room = (reach - value_now(c, joins, rows, 0)) / rows.row[0].inverse_effective_mass;
    if (memory_.now(i).age > young || !(rows.row[0].impulse > std::max(0.0, room))) continue;
    const double part = std::max(0.0, room) / rows.row[0].impulse;
    for (ContactRow& row : rows.row) row.impulse *= part;
  }
  ContactSystem system{c, joins, dt};
  push_warm_start(rows_, system);
  c.match_twins();
  turn_frames(c, angles, dt);
  return found;
}

Found Contacts::find_again(Chain& c, BodiesAndJoints* joins, AngleWork& angles, double dt) {
  // Within one step: impulses stay pushed and go over to the new rows of the same contacts.
  earlier_.remember(watch_.touches(), rows_);
  const Found found = look(c, joins, dt, angles);
  if (found != Found::fine) return found;
  for (std::size_t i = 0; i < rows_.size(); ++i) earlier_.give_back(watch_.touches()[i].key, rows_[i]);
  turn_frames(c, angles, dt);
  return found;
}

double ContactSystem::value(const FramedRows& rows, int k) const { return value_now(chain, joins, rows, k); }

void ContactSystem::push(FramedRows& rows, int k, double impulse) const {
  // An impulse moves nodes by their inverse masses, at once in position and in velocity.
  ContactRow& row = rows.row[k];
  row.impulse += impulse;
  for (int i = 0; i < 4; ++i) {
    if (rows.w[i] == 0) continue;
    const V3<double> d = (rows.w[i] * impulse) * row.h[i];
    chain.x.add(rows.vertex[i], d);
    chain.v.add(rows.vertex[i], (1 / dt) * d);
  }
  // The reaction acts on the body.
  if (rows.body >= 0) joins->push_body(rows.body, -impulse * to_eigen(rows.direction(k)), rows.local, dt);
}

double Contacts::sweep(Chain& c, BodiesAndJoints* joins, double dt) {
  ContactSystem system{c, joins, dt};
  // Projected Gauss-Seidel, forwards and backwards in turn, which is symmetric and prefers no end of the rod.
  const double largest = tendril::sweep(rows_, forward_ == 1, system);
  forward_ = 1 - forward_;
  c.match_twins();
  return largest;
}

void Contacts::accelerate(Chain& c, BodiesAndJoints* joins, double dt, bool first) {
  ContactSystem system{c, joins, dt};
  tendril::accelerate(rows_, first, change2_, system);
  c.match_twins();
}

void Contacts::sum_torques(double dt, Array& torque) const {
  const double rate2 = 1 / (dt * dt);
  for (const FramedRows& rows : rows_) {
    if (rows.friction == 0) continue;
    // Impulses are in units of length times mass (force times dt^2).
    const V3<double> force = rate2 * rows.tangential_impulse();
    for (int side = 0; side < 2; ++side) {
      if (rows.slot[side] < 0) continue;
      // the lever goes from the centerline to the surface: -r n for a, which gets +force; +r n for b, which gets -force
      torque[z(rows.slot[side])] -= rows.lever[side] * dot(cross(rows.normal, force), rows.axis[side]);
    }
  }
}

void Contacts::add_torques(Chain& c, double dt) {
  // Torque of friction per slot, kept per edge because slots change with the walls.
  weight_.assign(c.kind.size(), 0);
  sum_torques(dt, weight_);
  for (std::size_t s = 0; s < weight_.size(); ++s) c.torque[s] += weight_[s];
  for (std::size_t e = 0; e < torque_.size(); ++e) torque_[e] = weight_[z(c.slot_of_edge[e])];
}

void Contacts::finish(const Chain& c, const BodiesAndJoints* joins, double dt, StepReport& report) {
  points_.clear();
  growth_ = 0;
  for (Vec3& f : node_force_) f.setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    // What the contact exerts on its nodes, for the reactions of clamps.
    const FramedRows& rows = rows_[i];
    for (int k = 0; k < 4; ++k) {
      Vec3& felt = node_force_[z(rows.node[k])];
      for (const ContactRow& row : rows.row) felt += (row.impulse / (dt * dt)) * to_eigen(row.h[k]);
    }
    // What is shown and remembered; an overlap that is new or deeper than it was is growth.
    ContactMemoryEntry& memory = memory_.now(i);
    const double before = memory.age > 0 ? std::min(0.0, memory.gap) : -unseen_overlap * rows.radius;
    memory.gap = 0;
    if (rows.row[0].impulse > 0 || value_now(c, joins, rows, 0) < 0) note_point(c, joins, i, dt, report);
    growth_ = std::max(growth_, (before - memory.gap) / rows.radius);
    keep_impulses(rows, warm_start_factor_, dt, memory);
  }
  memory_.commit();
}

// The gap is measured anew: places of contact have moved a little within the step.
void Contacts::note_point(const Chain& c, const BodiesAndJoints* joins, std::size_t i, double dt, StepReport& report) {
  const FramedRows& rows = rows_[i];
  // Between rods the closest points anew; against an obstacle the row's own, linear value.
  Touch touch = watch_.touches()[i];
  const auto x = [&](int k) { return c.x.get(rows.vertex[k]); };
  if (touch.edge_b >= 0) {
    const ClosestPoints<double> at = closest_points(x(0), x(1), x(2), x(3));
    touch.s = at.s, touch.t = at.t;
    touch.gap = std::sqrt(at.squared) - (touch.radius_a + touch.radius_b);
  } else {
    touch.gap = value_now(c, joins, rows, 0);
  }
  const double rate2 = 1 / (dt * dt);
  V3<double> force = rows.row[0].impulse * rows.normal;
  for (int k = 1; k < 3; ++k) force = force + rows.row[k].impulse * rows.tangent[k - 1];
  // Force of all three rows at the contact point, for frames, the log and the view.
  points_.push_back(
      contact_point(touch, to_eigen((1 - touch.s) * x(0) + touch.s * x(1)), rate2 * to_eigen(force), rows.body));
  if (rows.row[0].impulse > 0) ++report.contacts;
  memory_.now(i).gap = touch.gap;
  report.penetration = std::max(report.penetration, -touch.gap / rows.radius);
}

void Contacts::visit_state(StateArchive& archive) {
  archive(memory_, forward_);
  archive.fixed(node_force_);
  archive(watch_);
  archive.fixed(torque_);
  archive(points_);
  if (!archive.reading()) return;
  const auto among = [](int number, auto count) { return number >= -1 && number < static_cast<std::int64_t>(count); };
  for (const ContactPoint& p : points_)
    TENDRIL_REQUIRE(among(p.edge_a, watch_.geometry().edges()) && among(p.edge_b, watch_.geometry().edges()) &&
                        among(p.obstacle_b, model_.obstacles.size()) && among(p.body_b, model_.bodies.size()),
                    "the state is damaged");
}

}  // namespace tendril::der
