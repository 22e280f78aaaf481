#include "methods/cable/reeving.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril::cable {

Reevings::Reevings(const Model& model, const Parts& parts) : model_(model), parts_(parts), owned_(model.rods.size(), 0) {
  winch_speed_.assign(model.winches.size(), 0.0), winch_speed_before_ = winch_speed_;
  for (const WinchModel& winch : model.winches) stored_.push_back(winch.stored);
  for (const ReevingModel& reeving : model.reevings) {
    const RodModel& rod = model.rods[z(reeving.rod)];
    owned_[z(reeving.rod)] = 1;
    Reeve reeve{reeving.rod, static_cast<int>(falls_.size()), rod.span.edges, static_cast<int>(points_.size()), 0, -1, -1};
    for (std::size_t w = 0; w < model.winches.size(); ++w)
      if (model.winches[w].rod == reeving.rod)
        (model.winches[w].end == RodEnd::start ? reeve.winch_start : reeve.winch_end) = static_cast<int>(w);
    for (int k = 0; k <= reeve.falls; ++k) {
      const SheaveModel& s = reeving.points[z(k)];
      Point point;
      point.element = s.body >= 0 ? parts.first_body + s.body : parts.world;
      point.local = s.local;
      point.radius = s.radius, point.inertia = s.inertia, point.bearing = s.bearing, point.friction = s.friction;
      point.locked = s.locked, point.inside = k > 0 && k < reeve.falls;
      point.winch = k == 0 ? reeve.winch_start : k == reeve.falls ? reeve.winch_end : -1;
      points_.push_back(point);
      fall_after_.push_back(reeve.first_fall + k);
    }
    double length = 0;
    const auto place = [&](int k) { return model.initial.position[NodeIndex(rod.span.first_node + k)]; };
    for (int k = 0; k < reeve.falls; ++k) length += (place(k + 1) - place(k)).norm();
    for (int k = 0; k < reeve.falls; ++k) {
      const Section& section = model.section[EdgeIndex(rod.span.first_edge + k)];
      Fall fall;
      fall.point = reeve.first_point + k;
      fall.EA = rod.stretches ? section.EA : 0, fall.line_mass = section.line_mass, fall.damping = rod.damping.internal;
      falls_.push_back(fall);
      s_.push_back((place(k + 1) - place(k)).norm() * (1 + reeving.slack / length));
    }
    reeve.start_length = length + reeving.slack;
    reeves_.push_back(reeve);
  }
  const std::size_t falls = falls_.size(), points = points_.size();
  for (auto* list : {&tension_, &tension_before_, &stiff_tension_, &new_tension_}) list->assign(falls, 0.0);
  for (auto* list : {&w_, &rate_, &friction_, &friction_before_, &new_w_, &new_friction_}) list->assign(points, 0.0);
  taut_.assign(falls, 1), mode_.assign(points, held);
  for (std::size_t p = 0; p < points; ++p)
    if (points_[p].inside) mode_[p] = is_free(points_[p]) ? forward : stick;
  answer_.assign(falls * falls, 0.0);
  matrix_.resize(static_cast<int>(falls + points)), unknown_.assign(falls + points, 0.0);
  kicks_.resize(parts.elements.size());
  group_of_.reserve(parts.elements.size()), touched_.reserve(parts.groups.size());
}

double Reevings::rope_out(const Reeve& reeve) const {
  double sum = 0;
  for (int k = 0; k < reeve.falls; ++k) sum += s_[z(reeve.first_fall + k)];
  return sum;
}

// ---- before a step ------------------------------------------------------------------------------------------------------------------
void Reevings::place(const State& state) {
  for (Point& point : points_) {
    point.lever = state.q[z(point.element)] * point.local;
    point.at = state.x[z(point.element)] + point.lever;
  }
  for (Fall& fall : falls_) {
    const Vec3 along = points_[z(fall.point + 1)].at - points_[z(fall.point)].at;
    fall.length = along.norm();
    if (fall.length > 0) fall.direction = along / fall.length;
  }
  for (std::size_t p = 0; p < points_.size(); ++p) {
    Point& point = points_[p];
    if (!point.inside) continue;
    const std::size_t a = z(before(static_cast<int>(p))), b = z(after(static_cast<int>(p)));
    point.mass = 0.5 * (falls_[a].line_mass * s_[a] + falls_[b].line_mass * s_[b]);
    if (!point.locked) point.mass += point.inertia / (point.radius * point.radius);
    const double turn = math::acos(std::clamp(falls_[a].direction.dot(falls_[b].direction), -1.0, 1.0));
    point.grip = point.locked ? math::exp(point.friction * turn) - 1 : 0;
  }
}

// The drum pulls with a given force: then its fall is taut.
void Reevings::give_force(int p, bool start) { mode_[z(p)] = given, taut_[z(start ? after(p) : before(p))] = 1; }

// What a drum does: as it is asked, no quicker than it can, as far as there is rope. It brakes before its ends.
void Reevings::order_winch(const Drive& drive, const Reeve& reeve, int p, bool start, double dt) {
  Point& point = points_[z(p)];
  if (point.winch < 0) return;
  const WinchModel& winch = model_.winches[z(point.winch)];
  const double left = std::max(0.0, stored_[z(point.winch)]), out = std::max(0.0, rope_out(reeve) - winch.shortest);
  double &now = winch_speed_[z(point.winch)], wanted = drive.winches[z(point.winch)].speed;
  const double last = winch_speed_before_[z(point.winch)];  // a step may be tried more than once
  if (winch.acceleration < forever) {
    wanted = std::clamp(wanted, -std::sqrt(2 * winch.acceleration * out), std::sqrt(2 * winch.acceleration * left));
    wanted = std::clamp(wanted, last - winch.acceleration * dt, last + winch.acceleration * dt);
  }
  now = dt > 0 ? std::clamp(wanted, -out / dt, left / dt) : 0;
  point.speed = start ? now : -now;
  const double most = winch.by_force() ? winch.top_speed : forever;
  point.most_out = dt > 0 ? std::min(most, left / dt) : 0, point.most_in = dt > 0 ? std::min(most, out / dt) : 0;
  point.limit = winch.by_force() ? drive.winches[z(point.winch)].force : winch.max_force;
  if (winch.by_force() && mode_[z(p)] == held) give_force(p, start);
}

void Reevings::weigh(const StepSizes& step) {
  for (std::size_t k = 0; k < falls_.size(); ++k) {
    Fall& fall = falls_[k];
    const double open = fall.length - s_[k];
    if (fall.EA > 0) {
      const double stiffness = fall.EA / s_[k];
      // The damper feels what is led too, which has gone its way already.
      fall.led = step.still ? 0 : (fall.length - fall.end_length) / step.dt;
      fall.give = 1 / (stiffness * (step.dt + fall.damping));
      fall.pull = stiffness * (open + fall.damping * fall.led) * fall.give;
    } else {
      fall.give = 0, fall.pull = open / step.dt;
    }
  }
}

void Reevings::begin(const Drive& drive, const State& state, const StepSizes& step) {
  place(state);
  for (const Reeve& reeve : reeves_) {
    order_winch(drive, reeve, reeve.first_point, true, step.still ? 0 : step.dt);
    order_winch(drive, reeve, reeve.first_point + reeve.falls, false, step.still ? 0 : step.dt);
  }
  weigh(step);
  tension_before_ = tension_, friction_before_ = friction_, stiff_tension_ = tension_;
}

// ---- the solve ------------------------------------------------------------------------------------------------------------------------
// What one fall does to the elements at its ends, over h.
void Reevings::kick(int k, double tension, double h, const std::vector<Response>& elements,
                    std::vector<Vector6>& kicks) const {
  for (const int side : {0, 1}) {
    const Point& point = points_[z(falls_[z(k)].point + side)];
    const std::size_t e = z(point.element);
    if (parts_.elements[e].led) continue;
    const Response& r = elements[e];
    const Vec3 force = (side == 0 ? h : -h) * tension * falls_[z(k)].direction;
    const Vec3 moment = point.lever.cross(force);
    kicks[e].head<3>() += r.linear * force, kicks[e].tail<3>() += r.angular * moment;
    if (r.has_mixed) kicks[e].head<3>() += r.mixed * moment, kicks[e].tail<3>() += r.mixed.transpose() * force;
  }
}

void Reevings::note_groups(const Solvers& solvers, std::size_t elements) {
  group_of_.assign(elements, -1);
  touched_.assign(solvers.size(), 0);
  for (std::size_t g = 0; g < solvers.size(); ++g)
    for (const int e : solvers[g]->group().elements) group_of_[z(e)] = static_cast<int>(g);
  for (const Point& point : points_)
    if (group_of_[z(point.element)] >= 0) touched_[z(group_of_[z(point.element)])] = 1;
}

// How fast a fall grows longer, of the velocities in kicks_.
double Reevings::rate_of(int k) const {
  const auto velocity = [&](const Point& point) {
    const Vector6& kick = kicks_[z(point.element)];
    return Vec3(kick.head<3>() + Vec3(kick.tail<3>()).cross(point.lever));
  };
  const std::size_t p = z(falls_[z(k)].point);
  return falls_[z(k)].direction.dot(velocity(points_[p + 1]) - velocity(points_[p]));
}

void Reevings::find_answers(const Solvers& solvers, const std::vector<JointRows>& rows, const StepSizes& step,
                            const std::vector<Response>& elements) {
  const int falls = static_cast<int>(falls_.size());
  for (std::size_t e = 0; e < kicks_.size(); ++e) {
    kicks_[e].setZero();
    if (!parts_.elements[e].led) kicks_[e] << elements[e].v, elements[e].spin;
  }
  for (int k = 0; k < falls; ++k) falls_[z(k)].rate = rate_of(k);
  for (int l = 0; l < falls; ++l) {
    std::fill(kicks_.begin(), kicks_.end(), Vector6(Vector6::Zero()));
    kick(l, 1, step.h, elements, kicks_);
    for (std::size_t g = 0; g < solvers.size(); ++g)
      if (touched_[g]) solvers[g]->follow(rows, step, kicks_, false);
    for (int k = 0; k < falls; ++k) answer_[z(k * falls + l)] = -rate_of(k);
  }
}

// Rows: falls, then points.
void Reevings::assemble(const StepSizes& step) {
  const int falls = static_cast<int>(falls_.size()), size = matrix_.size();
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) matrix_.at(i, j) = 0;
  for (const Reeve& reeve : reeves_) {
    for (int k = reeve.first_fall; k < reeve.first_fall + reeve.falls; ++k) {
      if (!taut_[z(k)]) {
        matrix_.at(k, k) = 1, unknown_[z(k)] = 0;
        continue;
      }
      const int p = falls + falls_[z(k)].point;
      for (int l = 0; l < falls; ++l) matrix_.at(k, l) = answer_[z(k * falls + l)];
      matrix_.at(k, k) += falls_[z(k)].give;
      matrix_.at(k, p) = 1, matrix_.at(k, p + 1) = -1;
      unknown_[z(k)] = falls_[z(k)].pull + falls_[z(k)].rate;
    }
    for (int p = reeve.first_point; p <= reeve.first_point + reeve.falls; ++p) {
      const Point& point = points_[z(p)];
      const int row = falls + p, a = before(p), b = after(p);
      const char mode = mode_[z(p)];
      if (mode == given) {
        matrix_.at(row, p == reeve.first_point ? b : a) = 1, unknown_[z(row)] = point.limit;
      } else if (mode == forward || mode == backward) {
        const double sign = mode == forward ? 1 : -1;
        matrix_.at(row, row) = point.mass / step.h, unknown_[z(row)] = point.mass / step.h * w_[z(p)];
        matrix_.at(row, b) = -1, matrix_.at(row, a) = 1;
        if (point.locked)
          matrix_.at(row, mode == forward ? a : b) += sign * point.grip;
        else
          matrix_.at(row, a) += sign * point.bearing, matrix_.at(row, b) += sign * point.bearing;
      } else {
        matrix_.at(row, row) = 1;
        unknown_[z(row)] = mode == held       ? point.speed
                           : mode == fast_out ? (p == reeve.first_point ? point.most_out : -point.most_out)
                           : mode == fast_in  ? (p == reeve.first_point ? -point.most_in : point.most_in)
                                              : 0;
      }
    }
  }
  for (int i = 0; i < size; ++i) {  // newtons and metres: each row by its own size
    double most = 0;
    for (int j = 0; j < size; ++j) most = std::max(most, std::abs(matrix_.at(i, j)));
    if (!(most > 0)) continue;
    for (int j = 0; j < size; ++j) matrix_.at(i, j) /= most;
    unknown_[z(i)] /= most;
  }
}

double Reevings::bound_at(int p) const {
  const double a = new_tension_[z(before(p))], b = new_tension_[z(after(p))];
  const Point& point = points_[z(p)];
  return point.locked ? point.grip * std::min(a, b) : point.bearing * (a + b);
}
double Reevings::force_at(int p, const StepSizes& step) const {
  return points_[z(p)].mass * (new_w_[z(p)] - w_[z(p)]) / step.h - new_tension_[z(after(p))] + new_tension_[z(before(p))];
}

bool Reevings::correct_fall(int k, const StepSizes& step) {
  char& taut = taut_[z(k)];
  if (taut) {
    if (new_tension_[z(k)] >= 0 || mode_[z(falls_[z(k)].point)] == given || mode_[z(falls_[z(k)].point + 1)] == given)
      return false;
    taut = 0;
    return true;
  }
  // A slack fall: would it be longer than its rope?
  const int falls = static_cast<int>(falls_.size());
  double rate = falls_[z(k)].rate;
  for (int l = 0; l < falls; ++l) rate -= answer_[z(k * falls + l)] * new_tension_[z(l)];
  const std::size_t p = z(falls_[z(k)].point);
  rate -= new_w_[p] - new_w_[p + 1];
  if (falls_[z(k)].length - s_[z(k)] + step.dt * rate <= 1e-12 * falls_[z(k)].length) return false;
  taut = 1;
  return true;
}

bool Reevings::correct_point(const Reeve& reeve, int p, const StepSizes& step) {
  const Point& point = points_[z(p)];
  char& mode = mode_[z(p)];
  const char was = mode;
  if (point.inside) {
    if (is_free(point)) return false;
    if (mode == stick) {
      const double force = force_at(p, step), bound = bound_at(p);
      if (std::abs(force) > bound * (1 + 1e-9) + 1e-12) mode = force < 0 ? forward : backward;
    } else if (new_w_[z(p)] * (mode == forward ? 1 : -1) < 0) {
      mode = stick;
    }
    return mode != was;
  }
  if (point.winch < 0) return false;
  const bool start = p == reeve.first_point, by_force = model_.winches[z(point.winch)].by_force();
  const double out = start ? new_w_[z(p)] : -new_w_[z(p)], asked = start ? point.speed : -point.speed;
  const double tension = new_tension_[z(start ? after(p) : before(p))];
  if (mode == held && !by_force && tension > point.limit) mode = given;
  if (mode == given && !by_force && out < asked) mode = held;
  if (mode == given && out > point.most_out) mode = fast_out;
  if (mode == given && out < -point.most_in) mode = fast_in;
  if ((mode == fast_out && tension < point.limit) || (mode == fast_in && tension > point.limit)) mode = given;
  if (mode == given && was != given) give_force(p, start);
  return mode != was;
}

bool Reevings::correct(const StepSizes& step, bool one_only) {
  bool changed = false;
  for (int k = 0; k < static_cast<int>(falls_.size()); ++k) {
    changed = correct_fall(k, step) || changed;
    if (changed && one_only) return true;
  }
  for (const Reeve& reeve : reeves_) {
    for (int p = reeve.first_point; p <= reeve.first_point + reeve.falls; ++p) {
      changed = correct_point(reeve, p, step) || changed;
      if (changed && one_only) return true;
    }
  }
  return changed;
}

bool Reevings::solve(const Solvers& solvers, const std::vector<JointRows>& rows, const StepSizes& step,
                     std::vector<Response>& elements) {
  constexpr int together = 10, most = 100;  // passes: all that is wrong is changed, then one thing at a time
  const std::size_t falls = falls_.size();
  note_groups(solvers, elements.size());
  find_answers(solvers, rows, step, elements);
  bool settled = false;
  for (int pass = 0; pass < most && !settled; ++pass) {
    assemble(step);
    if (!std::isfinite(matrix_.factor().smallest)) return false;
    matrix_.solve(unknown_);
    std::copy_n(unknown_.begin(), falls, new_tension_.begin());
    std::copy(unknown_.begin() + static_cast<std::ptrdiff_t>(falls), unknown_.end(), new_w_.begin());
    settled = !correct(step, pass >= together);
  }
  if (!settled) return false;
  for (std::size_t p = 0; p < points_.size(); ++p)
    new_friction_[p] = points_[p].inside ? force_at(static_cast<int>(p), step) : 0;
  std::fill(kicks_.begin(), kicks_.end(), Vector6(Vector6::Zero()));
  for (std::size_t k = 0; k < falls; ++k) kick(static_cast<int>(k), new_tension_[k], step.h, elements, kicks_);
  for (std::size_t g = 0; g < solvers.size(); ++g)
    if (touched_[g]) solvers[g]->follow(rows, step, kicks_, true);
  for (std::size_t e = 0; e < kicks_.size(); ++e)
    if (!parts_.elements[e].led) elements[e].v += kicks_[e].head<3>(), elements[e].spin += kicks_[e].tail<3>();
  return true;
}

void Reevings::move(const StepSizes& step) {
  for (const Reeve& reeve : reeves_) {
    for (int k = 0; k < reeve.falls; ++k) {
      const std::size_t p = z(reeve.first_point + k);
      s_[z(reeve.first_fall + k)] += step.dt * (new_w_[p] - new_w_[p + 1]);
    }
    if (reeve.winch_start >= 0) stored_[z(reeve.winch_start)] -= step.dt * new_w_[z(reeve.first_point)];
    if (reeve.winch_end >= 0) stored_[z(reeve.winch_end)] += step.dt * new_w_[z(reeve.first_point + reeve.falls)];
  }
  for (std::size_t p = 0; p < w_.size(); ++p) rate_[p] = (new_w_[p] - w_[p]) / step.h;
  std::copy(new_w_.begin(), new_w_.end(), w_.begin());
  std::copy(winch_speed_.begin(), winch_speed_.end(), winch_speed_before_.begin());
  std::copy(new_tension_.begin(), new_tension_.end(), tension_.begin());
  std::copy(new_friction_.begin(), new_friction_.end(), friction_.begin());
}

void Reevings::come_to_rest() {
  for (auto* list : {&w_, &rate_}) std::fill(list->begin(), list->end(), 0.0);
}

}  // namespace tendril::cable
