#include "methods/der/contact/contacts.h"

#include <algorithm>
#include <cmath>

#include "contact/body_obstacles.h"
#include "math/elementary.h"
#include "model/bodies.h"

namespace tendril::der {

Contacts::Contacts(const Model& model)
    : model_(model), geometry_(model), obstacles_(static_cast<int>(model.obstacles.size())) {
  has_friction_ = model.contact.friction > 0;
  for (const ObstacleModel& o : model.obstacles) has_friction_ = has_friction_ || o.friction > 0;
  body_of_ = add_bodies(model, geometry_);
  for (const int b : body_of_) has_friction_ = has_friction_ || model.bodies[z(b)].friction > 0;
  leeway_ = geometry_.margin();
  for (int e = 0; e < geometry_.edges(); ++e) leeway_ = std::min(leeway_, geometry_.radius(e));
  before_.assign(z(geometry_.nodes()), Vec3::Zero());
  after_ = before_;
  node_force_.assign(before_.size(), Vec3::Zero());  // asked for before the first step
  torque_.assign(z(geometry_.edges()), 0);
  places_before_.resize(z(obstacles_) + body_of_.size());
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) places_before_[o] = model.obstacles[o].start;
  places_after_ = places_before_;
}

void Contacts::remember(const Chain& c, const BodiesAndJoints* joins) {
  walls_before_ = c.walls;
  for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = to_eigen(c.x.get(c.vertex_of_node[i]));
  for (std::size_t o = 0; o < z(obstacles_); ++o) places_before_[o] = places_after_[o];
  for (std::size_t b = 0; b < body_of_.size(); ++b) places_before_[z(obstacles_) + b] = joins->bodies()[z(body_of_[b])].pose;
}

Found Contacts::look(const Chain& c, const BodiesAndJoints* joins) {
  for (std::size_t i = 0; i < after_.size(); ++i) after_[i] = to_eigen(c.x.get(c.vertex_of_node[i]));
  for (std::size_t b = 0; b < body_of_.size(); ++b) places_after_[z(obstacles_) + b] = joins->bodies()[z(body_of_[b])].pose;
  if (clock_) clock_->lap(Part::contact);
  const Found found = find_contacts(geometry_, {before_, places_before_}, {after_, places_after_}, workspace_, touches_);
  if (clock_) clock_->lap(Part::finding);
  return found;
}

Found Contacts::find(Chain& c, const Drive& drive, BodiesAndJoints* joins, AngleWork& angles, double dt) {
  for (std::size_t o = 0; o < z(obstacles_); ++o) places_after_[o] = drive.obstacles[o].pose;
  const Found found = look(c, joins);
  if (found != Found::fine) return found;
  memory_.begin(geometry_, touches_);
  set_rows(c, joins, dt);
  if (has_friction_ && !rows_.empty()) add_frame_mobility(c, angles, dt);
  start_from_memory(c, joins, dt);
  turn_frames(c, angles, dt);
  return found;
}

// Contacts that are still there keep their impulses, which are in the positions already. What has gone has done its push.
Found Contacts::find_again(Chain& c, BodiesAndJoints* joins, AngleWork& angles, double dt) {
  std::swap(earlier_, rows_);
  earlier_keys_.clear();
  for (const Touch& t : touches_) earlier_keys_.push_back(t.key);
  const Found found = look(c, joins);
  if (found != Found::fine) return found;
  memory_.begin(geometry_, touches_);
  set_rows(c, joins, dt);
  if (has_friction_ && !rows_.empty()) add_frame_mobility(c, angles, dt);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    take_from_memory(i, dt);
    const auto at = std::lower_bound(earlier_keys_.begin(), earlier_keys_.end(), touches_[i].key);
    const bool known = at != earlier_keys_.end() && *at == touches_[i].key;
    const ContactRows* old = known ? &earlier_[z(static_cast<int>(at - earlier_keys_.begin()))] : nullptr;
    rows_[i].row[0].impulse = old ? old->row[0].impulse : 0;
    for (int k = 1; k < 3; ++k) {
      const V3<double>& way = rows_[i].tangent[k - 1];
      rows_[i].row[k].impulse =
          !old ? 0 : old->row[1].impulse * dot(way, old->tangent[0]) + old->row[2].impulse * dot(way, old->tangent[1]);
    }
  }
  turn_frames(c, angles, dt);
  return found;
}

// What is known now, for the next step or the next look.
void Contacts::keep(double dt) {
  const double rate2 = 1 / (dt * dt);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ContactRows& rows = rows_[i];
    ContactMemoryEntry& memory = memory_.now(i);
    memory.normal_force = trust_ * rate2 * rows.row[0].impulse;
    memory.friction =
        trust_ * rate2 * to_eigen(rows.row[1].impulse * rows.tangent[0] + rows.row[2].impulse * rows.tangent[1]);
  }
  memory_.commit();
}

void Contacts::take_from_memory(std::size_t i, double dt) {
  ContactRows& rows = rows_[i];
  const ContactMemoryEntry& memory = memory_.now(i);
  rows.row[0].impulse = dt * dt * memory.normal_force;
  for (int k = 1; k < 3; ++k) {
    rows.row[k].impulse = dt * dt * to_eigen(rows.tangent[k - 1]).dot(memory.friction);
  }
}

void Contacts::start_from_memory(Chain& c, BodiesAndJoints* joins, double dt) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    take_from_memory(i, dt);
    for (int k = 0; k < 3; ++k) {
      const double impulse = rows_[i].row[k].impulse;
      rows_[i].row[k].impulse = 0;
      if (impulse != 0) push(c, joins, rows_[i], k, impulse, dt);
    }
  }
  c.match_twins();
}

double Contacts::value(const Chain& c, const BodiesAndJoints* joins, const ContactRows& rows, int k) const {
  const ContactRow& row = rows.row[k];
  double sum = row.offset;
  for (int i = 0; i < 4; ++i) sum += dot(row.g[i], c.x.get(rows.vertex[i]));
  if (rows.body >= 0)
    sum -= to_eigen(k == 0 ? rows.normal : rows.tangent[k - 1]).dot(carried(joins->bodies()[z(rows.body)].pose, rows.local));
  return sum;
}

void Contacts::push(Chain& c, BodiesAndJoints* joins, ContactRows& rows, int k, double impulse, double dt) const {
  ContactRow& row = rows.row[k];
  row.impulse += impulse;
  for (int i = 0; i < 4; ++i) {
    if (rows.w[i] == 0) continue;
    const V3<double> d = (rows.w[i] * impulse) * row.h[i];
    c.x.add(rows.vertex[i], d);
    c.v.add(rows.vertex[i], (1 / dt) * d);
  }
  if (rows.body >= 0)
    joins->push_body(rows.body, -impulse * to_eigen(k == 0 ? rows.normal : rows.tangent[k - 1]), rows.local, dt);
}

double Contacts::sweep(Chain& c, BodiesAndJoints* joins, double dt) {
  const std::size_t n = rows_.size();
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j) {
    ContactRows& rows = rows_[forward_ == 1 ? j : n - 1 - j];
    ContactRow& normal = rows.row[0];
    for (ContactRow& row : rows.row) row.last = row.impulse;
    if (normal.mobility == 0) continue;
    const double wanted = normal.impulse + (normal.least - value(c, joins, rows, 0)) / normal.mobility;
    const double impulse = std::max(0.0, wanted);
    if (impulse != normal.impulse) push(c, joins, rows, 0, impulse - normal.impulse, dt);
    if (rows.friction > 0 && (impulse > 0 || rows.row[1].impulse != 0 || rows.row[2].impulse != 0))
      solve_friction(c, joins, rows, dt);
    for (const ContactRow& row : rows.row)
      largest = std::max(largest, std::abs(row.impulse - row.last) * row.mobility / rows.radius);
  }
  forward_ = 1 - forward_;
  c.match_twins();
  return largest;
}

double Contacts::mean_push() const {
  double sum = 0;
  int pressing = 0;
  for (const ContactRows& rows : rows_) {
    if (!(rows.row[0].impulse > 0)) continue;
    sum += rows.row[0].impulse * rows.row[0].mobility / rows.radius;
    ++pressing;
  }
  return pressing > 0 ? sum / pressing : 0;
}

// Coulomb's law for the two tangents together, exactly for this contact alone: with D the mobilities and p = b/D the
// impulses that would stop all sliding, a sliding contact has p = b/(D + lambda) on the cone, and so slides by lambda p
// against p.
void Contacts::solve_friction(Chain& c, BodiesAndJoints* joins, ContactRows& rows, double dt) const {
  double b[2], D[2], p[2];
  for (int k = 0; k < 2; ++k) {
    const ContactRow& row = rows.row[k + 1];
    D[k] = row.mobility + row.frame;
    const double slide = value(c, joins, rows, k + 1) + row.turned + row.frame * (row.impulse - row.counted);
    b[k] = D[k] * row.impulse - slide;
    p[k] = b[k] / D[k];
  }
  const double most = rows.friction * rows.row[0].impulse;
  double size = math::hypot(p[0], p[1]);
  if (size > most) {
    double lambda = 0;
    for (int k = 0; k < 20 && most > 0 && size > (1 + 1e-9) * most; ++k) {  // Newton's method on 1/|p|, from below
      const double slope = (p[0] * p[0] / (D[0] + lambda) + p[1] * p[1] / (D[1] + lambda)) / (size * size);
      lambda += (size / most - 1) / slope;
      for (int i = 0; i < 2; ++i) p[i] = b[i] / (D[i] + lambda);
      size = math::hypot(p[0], p[1]);
    }
    for (double& part : p) part *= most / size;
  }
  for (int k = 0; k < 2; ++k) {
    const double change = p[k] - rows.row[k + 1].impulse;
    if (change != 0) push(c, joins, rows, k + 1, change, dt);
  }
}

// After each sweep that did not suffice. A sweep's change stands for the gradient; where it grows, the search starts anew.
// Rows that mostly turn frames are not coupled by lengths: a sweep solves them, and what is added only disturbs.
void Contacts::accelerate(Chain& c, BodiesAndJoints* joins, double dt, bool first) {
  const auto leads = [](const ContactRow& row) { return row.frame < row.mobility; };
  double change2 = 0;
  for (const ContactRows& rows : rows_) {
    for (const ContactRow& row : rows.row)
      if (leads(row)) change2 += (row.mobility + row.frame) * (row.impulse - row.last) * (row.impulse - row.last);
  }
  const double ratio = first || !(change2 < last_change2_) ? 0 : change2 / last_change2_;
  last_change2_ = change2;
  for (ContactRows& rows : rows_) {
    for (int k = 0; k < 3; ++k) {
      ContactRow& row = rows.row[k];
      if (!leads(row)) continue;
      const double change = row.impulse - row.last, on = ratio * row.way;
      row.way = on + change;
      if (on == 0) continue;
      push(c, joins, rows, k, k == 0 ? std::max(on, -row.impulse) : on, dt);
    }
  }
  c.match_twins();
}

// Contacts are looked for along straight lines in the axes of what turns (find_contacts.h).
bool Contacts::turns_too_far() const {
  constexpr double most = 0.5;  // [rad]
  for (std::size_t o = 0; o < places_after_.size(); ++o) {
    const Pose &from = places_before_[o], &to = places_after_[o];
    if (std::abs(from.orientation.dot(to.orientation)) > math::cos(0.5 * most)) continue;
    const double near = geometry_.obstacles()[o].reach + (to.position - from.position).norm();
    for (int e = 0; e < geometry_.edges(); ++e) {
      const auto& [i, j] = geometry_.ends(e);
      const Vec3 &p = before_[z(i)], &q = after_[z(i)];
      const double around = (before_[z(j)] - p).norm() + (q - p).norm() + (after_[z(j)] - before_[z(j)]).norm();
      if ((p - from.position).norm() < near + around + geometry_.radius(e)) return true;
    }
  }
  return false;
}

// All pairs within the margin are known. What moved by less than half of it cannot have met anything else, and by less than
// half a radius, the core of a pair, cannot have passed through anything else either.
bool Contacts::is_outdated(const Chain& c, const BodiesAndJoints* joins) const {
  const double most = 0.5 * leeway_;
  for (std::size_t i = 0; i < after_.size(); ++i) {
    if (squared_norm(c.x.get(c.vertex_of_node[i]) - to_small(after_[i])) > most * most) return true;
  }
  for (std::size_t b = 0; b < body_of_.size(); ++b) {
    const std::size_t o = z(obstacles_) + b;
    const Pose &now = joins->bodies()[z(body_of_[b])].pose, &then = places_after_[o];
    const double turned = 2 * (now.orientation.coeffs() - then.orientation.coeffs()).norm();
    if ((now.position - then.position).norm() + turned * geometry_.obstacles()[o].reach > most) return true;
  }
  return false;
}

void Contacts::sum_torques(double dt, Array& torque) const {
  const double rate2 = 1 / (dt * dt);
  for (const ContactRows& rows : rows_) {
    if (rows.friction == 0) continue;
    const V3<double> force = rate2 * (rows.row[1].impulse * rows.tangent[0] + rows.row[2].impulse * rows.tangent[1]);
    for (int side = 0; side < 2; ++side) {
      if (rows.slot[side] < 0) continue;
      // the lever goes from the centerline to the surface: -r n for a, which gets +force; +r n for b, which gets -force
      torque[z(rows.slot[side])] -= rows.lever[side] * dot(cross(rows.normal, force), rows.axis[side]);
    }
  }
}

void Contacts::add_torques(Chain& c, double dt) {
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
    ContactRows& rows = rows_[i];
    for (int k = 0; k < 4; ++k) {
      Vec3& felt = node_force_[z(c.node[z(rows.vertex[k])])];
      for (const ContactRow& row : rows.row) felt += (row.impulse / (dt * dt)) * to_eigen(row.h[k]);
    }
    ContactMemoryEntry& memory = memory_.now(i);
    const double before = memory.age > 0 ? std::min(0.0, memory.gap) : -most_unknown * rows.radius;
    memory.gap = 0;
    if (rows.row[0].impulse > 0 || value(c, joins, rows, 0) < 0) note_point(c, joins, i, dt, report);
    growth_ = std::max(growth_, (before - memory.gap) / rows.radius);
  }
  keep(dt);
}

// The gap is measured anew: places of contact have moved a little within the step.
void Contacts::note_point(const Chain& c, const BodiesAndJoints* joins, std::size_t i, double dt, StepReport& report) {
  const ContactRows& rows = rows_[i];
  Touch touch = touches_[i];
  const auto x = [&](int k) { return c.x.get(rows.vertex[k]); };
  if (touch.edge_b >= 0) {
    const ClosestPoints<double> at = closest_points(x(0), x(1), x(2), x(3));
    touch.s = at.s, touch.t = at.t;
    touch.gap = std::sqrt(at.squared) - (touch.radius_a + touch.radius_b);
  } else {
    touch.gap = value(c, joins, rows, 0);
  }
  const double rate2 = 1 / (dt * dt);
  V3<double> force = rows.row[0].impulse * rows.normal;
  for (int k = 1; k < 3; ++k) force = force + rows.row[k].impulse * rows.tangent[k - 1];
  points_.push_back(
      contact_point(touch, to_eigen((1 - touch.s) * x(0) + touch.s * x(1)), rate2 * to_eigen(force), rows.body));
  if (rows.row[0].impulse > 0) ++report.contacts;
  memory_.now(i).gap = touch.gap;
  report.penetration = std::max(report.penetration, -touch.gap / rows.radius);
}

void Contacts::visit_state(StateArchive& archive) {
  archive(memory_, forward_);
  archive.fixed(node_force_);
  archive.fixed(places_after_);
  archive.fixed(torque_);
  archive(points_);
  for (const ContactPoint& p : points_)
    TENDRIL_REQUIRE(p.edge_a < geometry_.edges() && p.edge_b < geometry_.edges(), "the state is damaged");
}

}  // namespace tendril::der
