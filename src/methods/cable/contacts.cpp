#include "methods/cable/contacts.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "math/rotation.h"

namespace tendril::cable {
namespace {
using Mode = Touching::Mode;
}

bool Contacts::needed(const Model& model) { return model.contact.enabled || BodyTouches::needed(model); }

Contacts::Contacts(const Model& model, const Parts& parts, Workers* workers) : model_(model), parts_(parts) {
  if (model.contact.enabled) {
    watch_.emplace(model);
    watch_->set_workers(workers);
  }
  if (BodyTouches::needed(model)) bodies_.emplace(model, parts);
  states_.resize(model.bodies.size());
  group_of_.assign(parts.elements.size(), -1);
  for (std::size_t g = 0; g < parts.groups.size(); ++g)
    for (const int e : parts.groups[g].elements) group_of_[z(e)] = static_cast<int>(g);
  hit_.assign(parts.groups.size(), 0);
  pushes_.resize(parts.elements.size()), lasting_.resize(parts.elements.size());
  share_.resize(parts.elements.size()), by_loads_.resize(parts.elements.size());
}

// ---- where everything is ----------------------------------------------------------------------------------------------------------
Vec3 Contacts::node_at(const Ahead& at, int node) const {
  Vec3 sum = Vec3::Zero();
  int sides = 0;
  const auto& beside = watch_->geometry().beside(node);
  for (int side = 0; side < 2; ++side) {
    const int e = beside[z(side)];
    if (e < 0) continue;
    sum += at.x[z(e)] + at.q[z(e)] * Vec3(0, 0, (side == 0 ? 0.5 : -0.5) * parts_.elements[z(e)].length);
    ++sides;
  }
  return sides > 0 ? Vec3(sum / sides) : sum;
}

void Contacts::place_bodies(const Ahead& at, std::vector<BodyState>& out) const {
  for (std::size_t b = 0; b < out.size(); ++b) {
    const std::size_t e = z(parts_.first_body) + b;
    out[b].pose = {at.x[e], at.q[e]}, out[b].motion = {at.v[e], at.spin[e]};
  }
}

void Contacts::begin(const Ahead& now) {
  start_ = now;
  place_bodies(now, states_);
  if (watch_) watch_->begin_step([&](int node) { return to_small(node_at(now, node)); }, states_);
  if (bodies_) bodies_->begin(states_);
}

bool Contacts::is_outdated(const Ahead& ahead) {
  place_bodies(ahead, states_);
  return (watch_ && watch_->is_outdated([&](int node) { return to_small(node_at(ahead, node)); }, states_)) ||
         (bodies_ && bodies_->is_outdated(states_));
}

Contacts::Look Contacts::look(const Ahead& ahead, const Drive& drive, const StepSizes& step, bool first) {
  place_bodies(ahead, states_);
  fewest_wrong_ = INT_MAX;
  if (first)
    before_.clear(), list_.clear();
  else
    std::swap(before_, list_);
  list_.clear();
  if (watch_) {
    watch_->set_obstacles(drive.obstacles);
    watch_->set_after([&](int node) { return to_small(node_at(ahead, node)); }, states_);
    if (watch_->find() != Found::fine) return Look::failed;
    memory_.begin(watch_->geometry(), watch_->touches());
    for (std::size_t i = 0; i < watch_->touches().size(); ++i) add_touch(i, ahead, step);
    if (std::any_of(list_.begin(), list_.end(), [](const Touching& c) { return c.is_extra; })) sort_touches();
  }
  if (bodies_) {
    bodies_->look(states_, drive);
    for (int i = 0; i < bodies_->found(); ++i) list_.push_back(bodies_->contact(i, ahead, start_, drive, step));
  }
  return take_over(step) ? Look::news : Look::same;
}

void Contacts::add_touch(std::size_t i, const Ahead& ahead, const StepSizes& step) {
  const Touch& t = watch_->touches()[i];
  const auto is_fall = [&](int edge) { return edge >= 0 && parts_.elements[z(edge)].kind == Element::Kind::fall; };
  if (is_fall(t.edge_a) || (t.is_between_rods() && is_fall(t.edge_b))) return;  // ropes through sheaves touch nothing
  Touching c;
  c.touch = static_cast<int>(i), c.key = t.key;
  c.a = t.edge_a;
  c.axis[0] = t.normal;
  const auto on_axis = [&](int e, double place) {
    return Vec3(ahead.q[z(e)] * Vec3(0, 0, (place - 0.5) * parts_.elements[z(e)].length));
  };
  c.arm_a = on_axis(c.a, t.s) - t.radius_a * t.normal;
  c.size = t.radius_a, c.friction = t.friction, c.gap = t.gap, c.is_passing = t.is_passing();
  const int body = t.obstacle >= 0 ? watch_->body_of(t.obstacle) : -1;
  if (t.is_between_rods()) {
    c.b = t.edge_b, c.arm_b = on_axis(c.b, t.t) + t.radius_b * t.normal;
    c.size = std::min(t.radius_a, t.radius_b);
  } else if (body >= 0 && model_.bodies[z(body)].moves_freely()) {
    c.b = parts_.first_body + body, c.arm_b = ahead.q[z(c.b)] * t.local;
  } else {
    ContactRows rows;
    watch_->set_nodes(t, rows);
    const ContactMotion motion = watch_->motion_of(t, rows);
    c.surface = to_eigen((1 / step.dt) * (motion.surface_after - motion.surface_before));
    c.by_body = body >= 0;
  }
  set_tangents(ahead.q[z(c.a)] * Vec3::UnitZ(), c);
  const ContactMemoryEntry& known = memory_.now(i);
  go_on(parts_, ahead, {known.friction, known.normal_force, known.gap, known.age}, step, c);
  list_.push_back(c);
  if (c.is_passing && t.obstacle >= 0) add_ends(t, c, ahead, step);
}

// Of a segment that passes through something one contact is known, at one place. Pushed back there alone it would turn, and pass through
// with its other end: both ends stay before the plane of the touch, until contacts are looked for again.
void Contacts::add_ends(const Touch& t, const Touching& middle, const Ahead& ahead, const StepSizes& step) {
  const auto& ends = watch_->geometry().ends(t.edge_a);
  for (int end = 0; end < 2; ++end) {
    Touching c = middle;
    c.key = ContactKey::node_on_obstacle(watch_->geometry().node_number(ends[z(end)]), t.obstacle, t.key.part);
    c.is_extra = true;
    const Vec3 along = ahead.q[z(c.a)] * Vec3(0, 0, (end - t.s) * parts_.elements[z(c.a)].length);
    c.arm_a += along, c.gap += along.dot(t.normal);
    go_on(parts_, ahead, {}, step, c);
    list_.push_back(c);
  }
}

// By key; what is known twice, at a node where two segments pass through, once.
void Contacts::sort_touches() {
  std::sort(list_.begin(), list_.end(), [](const Touching& a, const Touching& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.is_extra != b.is_extra ? b.is_extra : a.gap < b.gap;
  });
  list_.erase(std::unique(list_.begin(), list_.end(), [](const Touching& a, const Touching& b) { return a.key == b.key; }),
              list_.end());
}

// The same contact in the look before, within a try.
Touching* Contacts::earlier(const Touching& c) {
  if (c.touch >= 0) {
    const auto end = std::find_if(before_.begin(), before_.end(), [](const Touching& t) { return t.touch < 0; });
    const auto at =
        std::lower_bound(before_.begin(), end, c.key, [](const Touching& t, const ContactKey& k) { return t.key < k; });
    return at != end && at->key == c.key ? &*at : nullptr;
  }
  Touching* nearest = nullptr;
  double least = c.size;
  for (Touching& t : before_) {
    if (t.touch >= 0 || t.a != c.a || t.other != c.other) continue;
    const double away = (t.arm_a - c.arm_a).norm();
    if (away < least) least = away, nearest = &t;
  }
  return nearest;
}

bool Contacts::take_over(const StepSizes& step) {
  constexpr double near_enough = 0.02;  // [1] of the size: a gap as it was expected
  constexpr double beside = 0.1;        // likewise: what may take the place of a contact that is not found again
  bool news = false, lost = false;
  for (Touching& t : before_) t.found_again = false;
  for (Touching& c : list_) {
    c.gap_after = c.gap;
    Touching* old = earlier(c);
    c.is_new = old == nullptr;
    if (old == nullptr) continue;
    old->found_again = true;
    c.mode = old->mode, c.normal = old->normal, c.limit = old->limit, c.trial = old->trial;
    c.stiffness = std::max(c.stiffness, old->stiffness);
    const Vec3 rubs = old->friction_force(), way = old->way[0] * old->axis[1] + old->way[1] * old->axis[2];
    for (int k = 0; k < 2; ++k) c.tangential[k] = rubs.dot(c.axis[k + 1]);
    // Tangents have turned with the normal.
    const double size = std::hypot(way.dot(c.axis[1]), way.dot(c.axis[2]));
    for (int k = 0; k < 2 && size > 0; ++k) c.way[k] = way.dot(c.axis[k + 1]) / size;
    const double expected = old->gap + step.dt * (c.rate - old->rate);
    news = news || (old->presses() && std::abs(c.gap - expected) > near_enough * c.size);
  }
  for (const Touching& t : before_) lost = lost || (t.presses() && !t.found_again);
  for (Touching& c : list_) {
    if (c.presses()) continue;
    const bool closes = c.bounce > 0 || c.normal0 - c.stiffness * (c.gap - c.gap0) > 0 || (c.is_new && c.normal_before > 0);
    if (!closes && !(lost && c.is_new && c.gap < beside * c.size)) continue;
    c.mode = c.slid || !(c.limit > 0) ? Mode::slides : Mode::sticks, c.normal = std::max(c.normal, c.normal0), news = true;
  }
  return news || lost;
}

// ---- the solve --------------------------------------------------------------------------------------------------------------------
namespace {
// f = b - D u along a direction; the rows of a contact that presses, and what acts besides.
struct Law {
  Vec3 direction;
  double D = 0, b = 0;
};
template <class F>
void for_each_law(const Touching& c, const StepSizes& step, const F& f) {
  const double D = c.stiffness * step.dt;
  f(Law{c.axis[0], D, c.bounce > 0 ? D * c.bounce : c.normal0 - c.stiffness * (c.gap - c.gap0 - step.dt * c.rate)});
  if (!(c.limit > 0)) return;
  if (c.mode == Touching::Mode::sticks) {
    for (int k = 0; k < 2; ++k) f(Law{c.axis[k + 1], D, c.held[k]});
    return;
  }
  const Vec3 along = c.way[0] * c.axis[1] + c.way[1] * c.axis[2], across = c.way[0] * c.axis[2] - c.way[1] * c.axis[1];
  f(Law{along, 0, c.limit});
  if (c.trial > 0) f(Law{across, c.limit * D / c.trial, c.limit * (c.way[0] * c.held[1] - c.way[1] * c.held[0]) / c.trial});
}
void push(const Vec3& d, const Vec3& arm, double impulse, Response& r) {
  const Vec3 turn = arm.cross(d);
  r.y += impulse * (r.linear * d), r.y_spin += impulse * (r.angular * turn);
  if (r.has_mixed) r.y += impulse * (r.mixed * turn), r.y_spin += impulse * (r.mixed.transpose() * d);
}
}  // namespace

void Contacts::add_to(std::vector<Response>& response, const StepSizes& step) const {
  for (const Touching& c : list_) {
    if (!c.presses()) continue;
    for_each_law(c, step, [&](const Law& law) {
      if (law.D == 0) {
        push(law.direction, c.arm_a, step.h * law.b, response[z(c.a)]);
        if (c.b >= 0) push(law.direction, c.arm_b, -step.h * law.b, response[z(c.b)]);
      } else if (c.b < 0) {
        add_row(law.direction, c.arm_a, law.D, law.b + law.D * c.surface.dot(law.direction), step.h, response[z(c.a)]);
      }
    });
  }
}

bool Contacts::solve_pairs(std::span<const std::unique_ptr<GroupSolver>> solvers, const std::vector<JointRows>& rows,
                           std::vector<Response>& response, const StepSizes& step) {
  border_.clear();
  for (const Touching& c : list_) {
    if (!c.presses() || c.b < 0) continue;
    for_each_law(c, step, [&](const Law& law) {
      if (law.D == 0) return;
      PairRow row;
      row.a = c.a, row.b = c.b, row.D = law.D, row.b0 = law.b;
      row.of_a << law.direction, c.arm_a.cross(law.direction);
      row.of_b << -law.direction, -c.arm_b.cross(law.direction);
      border_.add(row);
    });
  }
  return border_.solve(solvers, group_of_, rows, response, step);
}

// Forces, and what each contact should be. With the limits of friction given, pressing and rubbing together are one convex problem, for
// which active sets do not go in circles: all that is wrong changes at once as long as that becomes less, else only the first.
// [Judice 1994; Murty 1974]
bool Contacts::judge(const std::vector<Response>& response, const StepSizes& step) {
  constexpr int patience = 3;
  constexpr double rounding = 1e-12;
  int wrong = 0;
  bool turns = false;
  for (Touching& c : list_) {
    const Vec3 slip = c.slip(ResponseVelocities{response});
    const double u = slip.dot(c.axis[0]);
    c.gap_after = c.gap + step.dt * (u - c.rate);
    c.normal = c.bounce > 0 ? c.stiffness * step.dt * (c.bounce - u) : c.normal0 - c.stiffness * (c.gap_after - c.gap0);
    const Mode rubs = c.presses() ? judge_friction(slip, step, c, turns) : Mode::slides;
    // What sticks by more than friction has says nothing about opening: its moment may lift the surface off.
    const bool beyond = c.mode == Mode::sticks && rubs == Mode::slides;
    // What is open closes by more than rounding, or it would go in circles where surfaces meet without a force.
    const bool pushed = c.normal > (c.presses() ? 0 : rounding * c.stiffness * c.size);
    c.should_be = pushed || beyond ? rubs : Mode::open;
    wrong += c.mode != c.should_be;
  }
  if (wrong < fewest_wrong_)
    fewest_wrong_ = wrong, patience_ = patience;
  else if (patience_ > 0)
    --patience_;
  for (Touching& c : list_) {
    if (c.mode == c.should_be) continue;
    if (!c.presses()) c.limit = 0;  // what closes does not rub yet
    c.mode = c.should_be;
    if (patience_ == 0) break;
  }
  return wrong > 0 || turns;
}

Touching::Mode Contacts::judge_friction(const Vec3& slip, const StepSizes& step, Touching& c, bool& turns) const {
  constexpr double accuracy = 1e-3;
  c.tangential[0] = c.tangential[1] = 0;
  double q[2];
  for (int k = 0; k < 2; ++k) q[k] = c.held[k] - c.stiffness * step.dt * slip.dot(c.axis[k + 1]);
  const double size = std::hypot(q[0], q[1]);
  if (!(c.limit > 0)) {  // it does not rub yet; where it would, to begin with
    c.trial = size;
    for (int k = 0; k < 2 && size > 0; ++k) c.way[k] = q[k] / size;
    return Mode::slides;
  }
  const bool slid = c.mode == Mode::slides, turned_back = slid && q[0] * c.way[0] + q[1] * c.way[1] < 0;
  if (!(size > c.limit) || turned_back) {
    c.tangential[0] = q[0], c.tangential[1] = q[1];
    return Mode::sticks;
  }
  const double way[2] = {q[0] / size, q[1] / size};
  turns = turns || (slid && std::hypot(way[0] - c.way[0], way[1] - c.way[1]) > accuracy);
  c.trial = size;
  for (int k = 0; k < 2; ++k) c.way[k] = way[k], c.tangential[k] = c.limit * way[k];
  return Mode::slides;
}

bool Contacts::renew() {
  constexpr double accuracy = 0.01;  // of friction that slides: the next step begins with what was found
  constexpr double too_deep = 0.02;  // [1] of the size: contacts give way too much
  constexpr double harder = 16;
  bool changed = false;
  fewest_wrong_ = INT_MAX;
  for (Touching& c : list_) {
    if (!c.presses()) {
      c.normal = c.tangential[0] = c.tangential[1] = 0;
      continue;
    }
    if (!(c.bounce > 0) && c.normal - c.normal0 > c.stiffness * too_deep * c.size) c.stiffness *= harder, changed = true;
    const double limit = c.friction * c.normal, rubs = std::hypot(c.tangential[0], c.tangential[1]);
    // What sticks feels its limit only when it is reached.
    const bool felt = c.mode == Mode::slides ? std::abs(limit - c.limit) > accuracy * limit : rubs > limit;
    changed = changed || felt;
    if (limit > 0 && !(c.limit > 0) && !(c.trial > limit)) c.mode = Mode::sticks;
    c.limit = limit;
  }
  return changed;
}

}  // namespace tendril::cable
