// Cuts and merges, rope that comes out and goes in, what is owed.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/cable/mesh.h"
#include "methods/cable/system.h"

namespace tendril::cable {
namespace {
constexpr double paid_back_in = 0.2;  // [s]
Quat about_axis(double angle) { return exp_quat(Vec3(0, 0, angle)); }
// The smallest turn that takes one direction to another.
Quat turn_between(const Vec3& from, const Vec3& to) {
  const double c = from.dot(to);
  if (c < -1 + 1e-9) return Quat::Identity();
  const Vec3 k = from.cross(to);
  return Quat(1 + c, k.x(), k.y(), k.z()).normalized();
}
Vec3 axis_of(const Quat& q) { return q * Vec3::UnitZ(); }
}  // namespace

template <class F>
void Mesh::for_each_joint_at(int rod, int k, int side, F&& f) const {
  const Chain& c = chain(rod);
  if (side == 0 && k > 0) f(c.joints[z(k - 1)], true);
  if (side == 1 && k + 1 < static_cast<int>(c.segments.size())) f(c.joints[z(k)], false);
  for (const Held& held : held_) {
    if (held.rod != rod || held.side != side) continue;
    const Joint& joint = parts_.joints[z(held.joint)];
    if ((held.is_b ? joint.b : joint.a) == c.segments[z(k)]) f(held.joint, held.is_b);
  }
}

bool Mesh::is_held(int rod, int side) const {
  bool held = false;
  const int k = side == 0 ? 0 : static_cast<int>(chain(rod).segments.size()) - 1;
  for_each_joint_at(rod, k, side, [&](int j, bool) { held = held || state_.point_on[z(j)]; });
  return held;
}

Vec3 Mesh::internal_force(int rod, int k, int side) const {
  Vec3 sum = Vec3::Zero();
  for_each_joint_at(rod, k, side, [&](int j, bool is_b) {
    if (state_.point_on[z(j)]) sum += is_b ? state_.force[z(j)] : Vec3(-state_.force[z(j)]);
  });
  return side == 0 ? Vec3(-sum) : sum;
}

// What springs carry: multipliers have the forces of dampers too, and are not known before the first step.
Vec3 Mesh::elastic_force(int rod, int k, int side) const {
  Vec3 sum = Vec3::Zero();
  for_each_joint_at(rod, k, side, [&](int j, bool is_b) {
    if (!state_.point_on[z(j)]) return;
    const Joint& joint = parts_.joints[z(j)];
    const std::size_t a = z(joint.a), b = z(joint.b);
    const Vec3 gap = state_.x[b] + state_.q[b] * joint.point_b - state_.x[a] - state_.q[a] * joint.point_a;
    const Vec3 on_b = joint.stretch == rigid ? state_.force[z(j)] : Vec3(-joint.stretch * gap);
    sum += is_b ? on_b : Vec3(-on_b);
  });
  return side == 0 ? Vec3(-sum) : sum;
}

Vec3 Mesh::internal_moment(int rod, int k, int side) const {
  Vec3 sum = Vec3::Zero();
  for_each_joint_at(rod, k, side, [&](int j, bool is_b) {
    if (!state_.frame_on[z(j)]) return;
    const Joint& joint = parts_.joints[z(j)];
    const std::size_t a = z(joint.a), b = z(joint.b);
    JointRows rows;
    double twist = 0;
    place_rows(joint, {state_.x[a], state_.x[b], state_.q[a], state_.q[b]}, state_.twist[z(j)], true, rows, twist);
    Vec3 couple = state_.couple[z(j)];
    for (int i = 0; i < 3; ++i)
      if (joint.stiffness[i] != rigid) couple[i] = -joint.stiffness[i] * rows.strain[i];
    sum += (is_b ? 1.0 : -1.0) * (rows.turn.transpose() * couple);
  });
  return side == 0 ? Vec3(-sum) : sum;
}

Vec3 Mesh::strain(int rod, int i) const {
  const std::size_t j = z(chain(rod).joints[z(i)]);
  const Joint& joint = parts_.joints[j];
  const Quat between = (state_.q[z(joint.a)] * joint.frame_a).conjugate() * (state_.q[z(joint.b)] * joint.frame_b);
  return strain_point(joint.kind, between, state_.twist[j]).strain - joint.rest;
}

double Mesh::relative_spin(int rod, int i) const {
  const Joint& joint = parts_.joints[z(chain(rod).joints[z(i)])];
  return (spin(z(joint.b)) - spin(z(joint.a))).norm();
}

double Mesh::tension(int rod, int k, int side) const {
  return internal_force(rod, k, side).dot(axis_of(state_.q[z(segment(rod, k))]));
}

double Mesh::give(int rod, int k, int side) const {
  double sum = 0;
  for_each_joint_at(rod, k, side, [&](int j, bool) {
    if (state_.point_on[z(j)] && parts_.joints[z(j)].stretch != rigid) sum = 1 / parts_.joints[z(j)].stretch;
  });
  return sum;
}

double Mesh::give_at_end(int rod, int side) const {
  const int k = side == 0 ? 0 : static_cast<int>(chain(rod).segments.size()) - 1;
  return give(rod, k, 0) + give(rod, k, 1);
}

Vec3 Mesh::spin(std::size_t i) const {
  return state_.q[i] * (state_.q[i].conjugate() * state_.momentum[i]).cwiseQuotient(parts_.elements[i].inertia);
}
void Mesh::set_spin(std::size_t i, const Vec3& spin) {
  state_.momentum[i] = state_.q[i] * parts_.elements[i].inertia.cwiseProduct(state_.q[i].conjugate() * spin);
}

Mesh::Ends Mesh::ends_of(int rod, int first, int last) const {
  const std::size_t a = z(segment(rod, first)), b = z(segment(rod, last));
  Ends ends;
  ends.start = state_.x[a] + state_.q[a] * parts_.elements[a].end(0);
  ends.end = state_.x[b] + state_.q[b] * parts_.elements[b].end(1);
  for (const int side : {0, 1}) {
    const int k = side == 0 ? first : last;
    ends.force[side] = elastic_force(rod, k, side), ends.moment[side] = internal_moment(rod, k, side);
    ends.give[side] = give(rod, k, side);
  }
  return ends;
}

// An end of a segment stays at `place`: what lies between is owed.
void Mesh::owe(int rod, int k, int side, const Vec3& place) {
  const std::size_t i = z(segment(rod, k));
  Element& e = parts_.elements[i];
  e.owed[side].setZero();
  const Vec3 off = state_.q[i].conjugate() * (place - state_.x[i]) - e.end(side);
  if (off.norm() < 1e-15 * e.length) return;
  e.owed[side] = off, e.owed_left = paid_back_in;
  for_each_joint_at(rod, k, side, [&](int j, bool is_b) {
    (is_b ? parts_.joints[z(j)].point_b : parts_.joints[z(j)].point_a) = e.end(side);
  });
}

// A segment's frame was turned about its axis: twists of its joints follow, whole turns included.
void Mesh::turn_twists(int rod, int k, int side, double by) {
  for_each_joint_at(rod, k, side, [&](int j, bool is_b) {
    const Joint& joint = parts_.joints[z(j)];
    if (!joint.holds_frame || joint.kind != StrainKind::angle) return;
    const Quat between = (state_.q[z(joint.a)] * joint.frame_a).conjugate() * (state_.q[z(joint.b)] * joint.frame_b);
    state_.twist[z(j)] = strain_point(joint.kind, between, state_.twist[z(j)] + (is_b ? by : -by)).strain[2];
  });
}

void Mesh::cut(int rod, int k, double material) {
  constexpr double sharpest = 0.5;  // [rad] that a new joint bends at most
  Chain& c = parts_.chains[z(rod)];
  const Ends ends = ends_of(rod, k, k);
  const std::size_t a = z(c.segments[z(k)]);
  const int new_segment = take_segment(), new_joint = take_joint();
  const std::size_t b = z(new_segment), j = z(new_joint);
  const Vec3 x = state_.x[a], v = state_.v[a], w = spin(a), momentum = state_.momentum[a];
  const Quat q = state_.q[a];
  c.segments.insert(c.segments.begin() + k + 1, new_segment);
  c.joints.insert(c.joints.begin() + k, new_joint);
  c.material.insert(c.material.begin() + k + 1, material);
  for (const std::size_t i : {a, b}) parts_.elements[i].owed[0].setZero(), parts_.elements[i].owed[1].setZero();
  attach(rod);
  set_segment(rod, k), set_segment(rod, k + 1);
  touch(rod, k), touch(rod, k + 1);
  state_.point_on[j] = state_.frame_on[j] = 1;
  // What the rod carries at the cut.
  const Joint& joint = parts_.joints[j];
  const Element &ea = parts_.elements[a], &eb = parts_.elements[b];
  const double whole = ea.length + eb.length, share_a = ea.length / whole, share_b = eb.length / whole;
  const Vec3 force = share_b * ends.force[0] + share_a * ends.force[1];
  const Vec3 moment = q.conjugate() * (share_b * ends.moment[0] + share_a * ends.moment[1]);
  Vec3 bend = joint.rest;
  for (int i = 0; i < 3; ++i)
    if (joint.stiffness[i] > 0 && joint.stiffness[i] != rigid) bend[i] += moment[i] / joint.stiffness[i];
  if (bend.norm() > sharpest) bend *= sharpest / bend.norm();
  state_.q[a] = (q * exp_quat(Vec3(-share_b * bend))).normalized();
  state_.q[b] = (q * exp_quat(Vec3(share_a * bend))).normalized();
  const Vec3 apart = state_.q[a] * ea.end(1) - state_.q[b] * eb.end(0) +
                     (joint.stretch == rigid ? Vec3::Zero() : Vec3(force / joint.stretch));
  const double mass = ea.mass + eb.mass;
  state_.x[a] = x - (eb.mass / mass) * apart, state_.x[b] = x + (ea.mass / mass) * apart;
  // The velocity field stays. What it would change of the angular momentum goes into the spins.
  Vec3 rest = momentum;
  const Vec3 acceleration = state_.a[a], before = state_.a_before[a];
  state_.turn[b] = state_.turn[a], state_.turn_before[b] = state_.turn_before[a];
  for (const std::size_t i : {a, b}) {
    const Vec3 arm = state_.x[i] - x, inward = w.cross(w.cross(arm));
    state_.v[i] = v + w.cross(arm);
    state_.a[i] = acceleration + state_.turn[i].cross(arm) + inward;
    state_.a_before[i] = before + state_.turn_before[i].cross(arm) + inward;
    set_spin(i, w);
    rest -= state_.momentum[i] + (inertia_factor_ * parts_.elements[i].mass) * arm.cross(w.cross(arm));
  }
  state_.momentum[a] += share_a * rest, state_.momentum[b] += share_b * rest;
  state_.force[j] = -force, state_.couple[j] = -moment;
  state_.tension[a] = (ends.force[0] + force).dot(axis_of(state_.q[a]));
  state_.tension[b] = (ends.force[1] + force).dot(axis_of(state_.q[b]));
  state_.twist[j] = 0;
  turn_twists(rod, k, 1, -bend[2]);  // that of the new joint, next to bend[2]
  turn_twists(rod, k, 0, -share_b * bend[2]), turn_twists(rod, k + 1, 1, share_a * bend[2]);
  owe(rod, k, 0, ends.start + (give(rod, k, 0) - ends.give[0]) * ends.force[0]);
  owe(rod, k + 1, 1, ends.end - (give(rod, k + 1, 1) - ends.give[1]) * ends.force[1]);
  changed_.push_back(static_cast<int>(a)), changed_.push_back(static_cast<int>(b));
}

void Mesh::merge(int rod, int k) {
  Chain& c = parts_.chains[z(rod)];
  const Ends ends = ends_of(rod, k, k + 1);
  const std::size_t a = z(c.segments[z(k)]), b = z(c.segments[z(k + 1)]), j = z(c.joints[z(k)]);
  const double la = parts_.elements[a].length, lb = parts_.elements[b].length;
  const double ma = parts_.elements[a].mass, mb = parts_.elements[b].mass, mass = ma + mb;
  const auto mean = [&](const std::vector<Vec3>& list) { return Vec3((ma / mass) * list[a] + (mb / mass) * list[b]); };
  const Vec3 x = mean(state_.x), v = mean(state_.v), arm_a = state_.x[a] - x, arm_b = state_.x[b] - x;
  const Vec3 momentum =
      state_.momentum[a] + state_.momentum[b] +
      inertia_factor_ * (ma * arm_a.cross(Vec3(state_.v[a] - v)) + mb * arm_b.cross(Vec3(state_.v[b] - v)));
  // Half-way, by the twist of the joint and whole turns included; the axis below.
  const double twist = state_.twist[j], twist_a = twist * lb / (la + lb), twist_b = twist * la / (la + lb);
  const Quat q = state_.q[a] * about_axis(twist_a);
  for (auto* list : {&state_.a, &state_.turn, &state_.a_before, &state_.turn_before}) (*list)[a] = mean(*list);
  const Vec3 longer = axis_of(state_.q[la > lb ? a : b]);
  free_segment(static_cast<int>(b)), free_joint(static_cast<int>(j));
  c.segments.erase(c.segments.begin() + k + 1), c.joints.erase(c.joints.begin() + k),
      c.material.erase(c.material.begin() + k + 1);
  Element& e = parts_.elements[a];
  e.owed[0].setZero(), e.owed[1].setZero();
  attach(rod);
  touch(rod, k);
  const Vec3 start = ends.start + (give(rod, k, 0) - ends.give[0]) * ends.force[0],
             end = ends.end - (give(rod, k, 1) - ends.give[1]) * ends.force[1];
  const double chord = (end - start).norm();
  const Vec3 axis = chord > 0.1 * e.length ? Vec3((end - start) / chord) : longer;
  state_.q[a] = (turn_between(axis_of(q), axis) * q).normalized();
  state_.x[a] = x, state_.v[a] = v, state_.momentum[a] = momentum;
  state_.tension[a] = (ends.force[0] + ends.force[1]).dot(axis);
  turn_twists(rod, k, 0, twist_a), turn_twists(rod, k, 1, -twist_b);
  owe(rod, k, 0, start), owe(rod, k, 1, end);
  changed_.push_back(static_cast<int>(a));
}

// ---- ends that run ----------------------------------------------------------------------------------------------------------------------
void Mesh::begin_step() {
  for (Joint& joint : parts_.joints) joint.fed.setZero();
}

double Mesh::pay(double dt) {
  double work = 0;
  for (std::size_t r = 0; r < parts_.chains.size(); ++r) {
    const Chain& c = parts_.chains[r];
    for (int k = 0; c.varies && k < static_cast<int>(c.segments.size()); ++k) {
      const std::size_t i = z(c.segments[z(k)]);
      Element& e = parts_.elements[i];
      if (!(e.owed_left > 0)) continue;
      const double kept = e.owed_left > 1.000001 * dt ? 1 - dt / e.owed_left : 0;
      e.owed_left = kept > 0 ? e.owed_left - dt : 0;
      for (const int side : {0, 1}) {
        const Vec3 moved = state_.q[i] * Vec3((kept - 1) * e.owed[side]);
        e.owed[side] *= kept;
        work -= (side == 0 ? -1 : 1) * internal_force(static_cast<int>(r), k, side).dot(moved);
        for_each_joint_at(static_cast<int>(r), k, side, [&](int j, bool is_b) {
          Joint& joint = parts_.joints[z(j)];
          (is_b ? joint.point_b : joint.point_a) = e.end(side);
          joint.fed += (is_b ? 1 : -1) / dt * moved;
        });
      }
    }
  }
  return work;
}

Mesh::EndSegment Mesh::end_segment(int rod, int side) const {
  const Chain& c = chain(rod);
  const int element = side == 0 ? c.segments.front() : c.segments.back();
  const std::size_t i = z(element);
  return {element,
          state_.x[i],
          state_.v[i],
          spin(i),
          state_.a[i],
          state_.a_before[i],
          side == 0 ? c.material.front() : c.material.back()};
}

void Mesh::grow(int rod, int side, const EndSegment& from, double more, double dt) {
  Chain& c = parts_.chains[z(rod)];
  const std::size_t i = z(from.element);
  const int k = side == 0 ? 0 : static_cast<int>(c.segments.size()) - 1;
  const double sign = side == 0 ? -1 : 1;
  const Vec3 moved = (sign * more) * axis_of(state_.q[i]), shift = 0.5 * moved,
             inward = from.spin.cross(from.spin.cross(shift));
  (side == 0 ? c.material.front() : c.material.back()) = from.material + sign * more;
  touch(rod, k);
  state_.x[i] = from.x + shift, state_.v[i] = from.v + from.spin.cross(shift);
  state_.a[i] = from.a + state_.turn[i].cross(shift) + inward;
  state_.a_before[i] = from.a_before + state_.turn_before[i].cross(shift) + inward;
  set_spin(i, from.spin);
  for_each_joint_at(rod, k, side, [&](int j, bool is_b) { parts_.joints[z(j)].fed = (is_b ? 1 : -1) / dt * moved; });
}

}  // namespace tendril::cable
