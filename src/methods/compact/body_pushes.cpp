#include "methods/compact/body_pushes.h"

#include <algorithm>
#include <cmath>

#include "bodies/body_extents.h"
#include "math/rotation.h"
#include "math/transport.h"
#include "methods/compact/joined.h"

namespace tendril::compact {
namespace {

constexpr int most_rounds = 60, most_sweeps = 500, most_samples = 64;
constexpr double closed = 1e-5, beside = 1e-2,
                 deep = 1e-2;         // over the size of the thinner body: gap that counts as none; found beside; fails
constexpr double kept_overlap = 0.8;  // of that at the start

}  // namespace

BodyPushes::BodyPushes(const Model& model, const Drive& drive) : model_(model), all_(model), collisions_(model) {
  const std::size_t own = model.bodies.size(), count = all_.bodies.size();
  start_.resize(count), end_.resize(count), between_.resize(count);
  for (std::size_t i = own; i < count; ++i) start_[i] = drive.obstacles[z(all_.obstacles[i - own])].pose;
  end_ = start_;
  states_.resize(own), wrench_.resize(own);
  obstacles_.assign(drive.obstacles.begin(), drive.obstacles.end());
  for (const BodyModel& body : all_.bodies) thin_.push_back(body.shape && body.collides ? thinnest_of(*body.shape) : 0);
  inverse_.resize(own), inverse_mass_.resize(own), moved_.resize(own), turned_.resize(own);
  hits_.reserve(64), contacts_.reserve(64), met_.reserve(64);
}

void BodyPushes::begin(std::span<const Vec3> place, std::span<const Quat> turn) {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) start_[b] = {place[b], turn[b]};
  std::fill(wrench_.begin(), wrench_.end(), Wrench{});
  contacts_.clear();
  rounds_ = 0, relaxation_ = 1, fails_ = false;
}

void BodyPushes::take_poses(const Joined& joined, const Drive& drive) {
  const std::size_t own = model_.bodies.size();
  for (std::size_t b = 0; b < own; ++b) end_[b] = joined.pose(static_cast<int>(b));
  for (std::size_t i = own; i < end_.size(); ++i) end_[i] = drive.obstacles[z(all_.obstacles[i - own])].pose;
  c_ = joined.stage_c();
  // P = M dy, and forces are c P: damping of masses makes a body heavier.
  for (std::size_t b = 0; b < own; ++b) {
    const BodyModel& body = model_.bodies[b];
    inverse_[b].setZero(), inverse_mass_[b].setZero();
    if (!body.moves_freely()) continue;
    const Mat3 free = joined.freedom(static_cast<int>(b)), axes = end_[b].orientation.toRotationMatrix();
    const double heavier = joined.c_of(static_cast<int>(b)) / c_;
    inverse_mass_[b] = free / (heavier * body.mass);
    inverse_[b] = free * axes * body.inertia.cwiseInverse().asDiagonal() * axes.transpose() * free / heavier;
  }
}

// ---- which bodies touch ----------------------------------------------------------------------------------------------------------
void BodyPushes::look_between(double fraction, const Drive& drive, double margin) {
  for (std::size_t i = 0; i < end_.size(); ++i) {
    if (fraction >= 1) {
      between_[i] = end_[i];
      continue;
    }
    between_[i].position = start_[i].position + fraction * (end_[i].position - start_[i].position);
    between_[i].orientation = start_[i].orientation.slerp(fraction, end_[i].orientation);
  }
  const std::size_t own = model_.bodies.size();
  for (std::size_t b = 0; b < own; ++b) states_[b].pose = between_[b];
  std::copy(drive.obstacles.begin(), drive.obstacles.end(), obstacles_.begin());
  for (std::size_t i = own; i < end_.size(); ++i) obstacles_[z(all_.obstacles[i - own])].pose = between_[i];
  collisions_.find(states_, obstacles_, hits_, margin);
}

// So many that nothing passes by more than half of what is thinnest from one to the next.
int BodyPushes::samples() const {
  double thinnest = HUGE_VAL, motion = 0;
  for (std::size_t i = 0; i < end_.size(); ++i) {
    if (thin_[i] == 0) continue;
    thinnest = std::min(thinnest, thin_[i]);
    motion = std::max(motion, (end_[i].position - start_[i].position).norm());
  }
  return static_cast<int>(std::clamp(std::ceil(2 * motion / thinnest), 1.0, double(most_samples)));
}

bool BodyPushes::is_known(const BodyContact& hit) const {
  return std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& c) {
    return c.a.body == hit.a && c.b.body == hit.b && (point(c.a, end_, Vec3::Zero()) - hit.point).norm() < 0.2 * c.size;
  });
}

// Contacts as they are at the end, with what is near; or, where bodies have passed, as they were when they met: that says from which side.
void BodyPushes::search(const Drive& drive) {
  double size = HUGE_VAL;
  for (const double thin : thin_) size = thin > 0 ? std::min(size, thin) : size;
  const int count = c_ > 0 ? samples() : 1;  // of an equilibrium there is no way
  met_.clear();
  for (int k = 1; k < count; ++k) {
    look_between(double(k) / count, drive, 0);
    for (const BodyContact& hit : hits_)
      if (hit.gap < 0 && !meets_again(hit, HUGE_VAL)) met_.push_back({hit, double(k) / count});
  }
  look_between(1, drive, 0);
  if (met_.empty() && std::none_of(hits_.begin(), hits_.end(), [](const BodyContact& hit) { return hit.gap < 0; })) return;
  look_between(1, drive, beside * size);
  for (const BodyContact& hit : hits_)
    if (!meets_again(hit, 0.5)) add(hit);
  const std::size_t at_end = contacts_.size();
  for (const Met& met : met_) {
    if (std::any_of(contacts_.begin(), contacts_.begin() + static_cast<std::ptrdiff_t>(at_end),
                    [&](const Contact& c) { return c.a.body == met.hit.a && c.b.body == met.hit.b && c.gap < 0; }))
      continue;
    look_between(met.fraction, drive, 0);
    add(met.hit);
  }
}

// Whether the pair has met before on the way, with another normal than that.
bool BodyPushes::meets_again(const BodyContact& hit, double cosine) const {
  return std::any_of(met_.begin(), met_.end(), [&](const Met& met) {
    return met.hit.a == hit.a && met.hit.b == hit.b && met.hit.ground == hit.ground &&
           met.hit.normal.dot(hit.normal) < cosine;
  });
}

bool BodyPushes::search_more(const Drive& drive) {
  look_between(1, drive, 0);
  bool more = false;
  for (const BodyContact& hit : hits_) {
    const double size = hit.b < 0 ? thin_[z(hit.a)] : std::min(thin_[z(hit.a)], thin_[z(hit.b)]);
    if (hit.gap > -10 * closed * size || contacts_.size() > 1000 || is_known(hit)) continue;
    add(hit), more = true;
  }
  return more;
}

void BodyPushes::add(const BodyContact& hit) {
  Contact c;
  c.a.body = hit.a, c.b.body = hit.b;
  c.axis[0] = hit.normal, c.axis[1] = any_perpendicular(hit.normal), c.axis[2] = hit.normal.cross(c.axis[1]);
  c.gap = hit.gap, c.friction = hit.friction;
  c.size = hit.b < 0 ? thin_[z(hit.a)] : std::min(thin_[z(hit.a)], thin_[z(hit.b)]);
  for (Side* side : {&c.a, &c.b}) {
    c.found[side == &c.a ? 0 : 1] = hit.point;
    if (side->body < 0) continue;
    const Pose& pose = between_[z(side->body)];
    side->local = pose.orientation.conjugate() * (hit.point - pose.position);
  }
  const Vec3 since = point(c.a, start_, hit.point) - point(c.b, start_, hit.point);
  c.least = std::min(0.0, kept_overlap * (c.gap + c.axis[0].dot(since)));
  contacts_.push_back(c);
}

// ---- pushes ----------------------------------------------------------------------------------------------------------------------
Vec3 BodyPushes::point(const Side& side, std::span<const Pose> poses, const Vec3& otherwise) const {
  if (side.body < 0) return otherwise;
  return poses[z(side.body)].position + poses[z(side.body)].orientation * side.local;
}

Vec3 BodyPushes::gap_and_slip(const Contact& c) const {
  const Vec3 a = point(c.a, end_, c.found[0]), b = point(c.b, end_, c.found[1]);
  const Vec3 from = point(c.a, start_, c.found[0]) - point(c.b, start_, c.found[1]);
  return {c.gap + c.axis[0].dot(a - b), c.axis[1].dot(a - b - from), c.axis[2].dot(a - b - from)};
}

void BodyPushes::respond(const Contact& c, const Vec3& push) {
  const Vec3 p = push.x() * c.axis[0] + push.y() * c.axis[1] + push.z() * c.axis[2];
  for (const Side* side : {&c.a, &c.b}) {
    if (side->body < 0 || z(side->body) >= moved_.size()) continue;
    const Vec3 own = side == &c.a ? p : Vec3(-p);
    moved_[z(side->body)] += inverse_mass_[z(side->body)] * own;
    turned_[z(side->body)] += inverse_[z(side->body)] * side->arm.cross(own);
  }
}

Vec3 BodyPushes::response_of(const Contact& c) const {
  Vec3 sum = Vec3::Zero();
  for (const Side* side : {&c.a, &c.b}) {
    if (side->body < 0 || z(side->body) >= moved_.size()) continue;
    const Vec3 own = moved_[z(side->body)] + turned_[z(side->body)].cross(side->arm);
    sum += side == &c.a ? own : Vec3(-own);
  }
  return {c.axis[0].dot(sum), c.axis[1].dot(sum), c.axis[2].dot(sum)};
}

// What a change of its pushes does at a contact, over the size of the body.
double BodyPushes::moved_by(const Contact& c, const Vec3& change) {
  double squares = 0;
  for (int i = 0; i < 3; ++i)
    squares += c.stiffness[i] > 0 ? (change[i] / c.stiffness[i]) * (change[i] / c.stiffness[i]) : 0;
  return std::sqrt(squares) / c.size;
}

// Projected sweeps over all contacts (Gauss-Seidel), from the pushes at hand.
void BodyPushes::sweep() {
  for (int k = 0; k < most_sweeps; ++k) {
    double most = 0;
    for (Contact& c : contacts_) {
      const Vec3 now = c.base + response_of(c);
      Vec3 p = c.wanted;
      p.x() = std::max(0.0, p.x() + c.stiffness.x() * (c.least - now.x()));
      for (int i = 1; i < 3; ++i) p[i] -= c.stiffness[i] * now[i];
      const double along = std::hypot(p.y(), p.z()), limit = c.friction * p.x();
      if (along > limit) p.y() *= limit / along, p.z() *= limit / along;
      const Vec3 change = p - c.wanted;
      respond(c, change);
      c.wanted = p;
      most = std::max(most, moved_by(c, change));
    }
    if (most < 1e-3 * closed) break;
  }
}

double BodyPushes::follow() {
  double over = 0, under = 0, most = 0;
  for (const Contact& c : contacts_) {
    const Vec3 change = c.wanted - c.push, more = change - c.change;
    over += c.change.dot(more), under += more.squaredNorm();
    most = std::max(most, moved_by(c, change));
  }
  if (rounds_ > 1 && under > 0) relaxation_ = std::clamp(-relaxation_ * over / under, 0.1, 1e6);
  for (Contact& c : contacts_) {
    c.change = c.wanted - c.push;
    c.push += relaxation_ * c.change;
    c.push.x() = std::max(0.0, c.push.x());
    const double along = std::hypot(c.push.y(), c.push.z()), limit = c.friction * c.push.x();
    if (along > limit) c.push.y() *= limit / along, c.push.z() *= limit / along;
  }
  return most;
}

void BodyPushes::make_wrenches() {
  std::fill(wrench_.begin(), wrench_.end(), Wrench{});
  for (const Contact& c : contacts_) {
    const Vec3 force = c_ * (c.push.x() * c.axis[0] + c.push.y() * c.axis[1] + c.push.z() * c.axis[2]);
    for (const Side* side : {&c.a, &c.b}) {
      if (side->body < 0 || z(side->body) >= wrench_.size()) continue;
      const Vec3 own = side == &c.a ? force : Vec3(-force);
      wrench_[z(side->body)].force += own, wrench_[z(side->body)].moment += side->arm.cross(own);
    }
  }
}

bool BodyPushes::overlap(const Joined& joined, const Drive& drive) {
  take_poses(joined, drive);
  search(drive);
  const bool any = !contacts_.empty();
  contacts_.clear();
  return any;
}

bool BodyPushes::change(const Joined& joined, const Drive& drive) {
  take_poses(joined, drive);
  if (contacts_.empty()) search(drive);
  if (contacts_.empty()) return false;
  for (;;) {
    std::fill(moved_.begin(), moved_.end(), Vec3::Zero()), std::fill(turned_.begin(), turned_.end(), Vec3::Zero());
    for (Contact& c : contacts_) {
      for (Side* side : {&c.a, &c.b})
        if (side->body >= 0) side->arm = end_[z(side->body)].orientation * side->local;
      for (int i = 0; i < 3; ++i) {
        double give = 0;
        for (const Side* side : {&c.a, &c.b}) {
          if (side->body < 0 || z(side->body) >= moved_.size()) continue;
          const Vec3 lever = side->arm.cross(c.axis[i]);
          give += c.axis[i].dot(inverse_mass_[z(side->body)] * c.axis[i]) + lever.dot(inverse_[z(side->body)] * lever);
        }
        c.stiffness[i] = give > 0 ? 1 / give : 0;
      }
      respond(c, c.push);
      c.wanted = c.push;
    }
    for (Contact& c : contacts_) c.base = gap_and_slip(c) - response_of(c);
    sweep();
    double least = 0;
    for (const Contact& c : contacts_) least = std::min(least, (gap_and_slip(c).x() - c.least) / c.size);
    ++rounds_;
    if (follow() < closed) {
      if (!search_more(drive)) return false;
      relaxation_ = 1, rounds_ = 0;
      continue;
    }
    fails_ = rounds_ > most_rounds && least < -deep;
    if (rounds_ > most_rounds) return false;
    make_wrenches();
    return true;
  }
}

void BodyPushes::finish(const Joined& joined, const Drive& drive) {
  take_poses(joined, drive);
  pushed_before_ = push();
  note_work();
  for (std::size_t i = model_.bodies.size(); i < end_.size(); ++i) start_[i] = end_[i];
}

void BodyPushes::note_work() {
  Work w;
  const auto is_free = [&](const Side& side) {
    return side.body >= 0 && z(side.body) < model_.bodies.size() && model_.bodies[z(side.body)].moves_freely();
  };
  for (const Contact& c : contacts_) {
    const Vec3 force = c_ * (c.push.x() * c.axis[0] + c.push.y() * c.axis[1] + c.push.z() * c.axis[2]);
    Vec3 moved[2];
    for (const Side* side : {&c.a, &c.b})
      moved[side == &c.a ? 0 : 1] = point(*side, end_, Vec3::Zero()) - point(*side, start_, Vec3::Zero());
    w.taken -= force.dot(moved[0] - moved[1]);
    for (const Side* side : {&c.a, &c.b}) {
      if (is_free(*side)) continue;
      const double given = side == &c.a ? -force.dot(moved[0]) : force.dot(moved[1]);
      (side->body >= 0 && z(side->body) < model_.bodies.size() ? w.bodies : w.obstacles) += given;
    }
  }
  work_ = w;
}

void BodyPushes::visit_state(StateArchive& archive) {
  archive(pushed_before_);
  archive.fixed(start_);
}

}  // namespace tendril::compact
