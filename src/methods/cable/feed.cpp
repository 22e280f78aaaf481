#include "methods/cable/feed.h"

#include <algorithm>
#include <cmath>

namespace tendril::cable {
namespace {
constexpr double longest = 1.6, shortest = 0.4;  // segments at a drum: cut, merged
constexpr double least = 0.1;                    // segments: what is left of one within a step
constexpr int most_trials = 8;
constexpr double near_enough = 1e-7;  // of a tension that is given
}  // namespace

Feed::Feed(const Model& model, Mesh& mesh, bool adaptive) : model_(model), mesh_(mesh), adaptive_(adaptive) {
  for (std::size_t w = 0; w < model.winches.size(); ++w) {
    const WinchModel& winch = model.winches[w];
    if (!mesh.chain(winch.rod).varies) continue;  // of a rope through sheaves
    Drum drum;
    drum.winch = static_cast<int>(w), drum.rod = winch.rod, drum.side = winch.end == RodEnd::start ? 0 : 1;
    drum.segment = mesh.length(drum.rod, end_number(drum));
    const RodSpan& span = model.rods[z(winch.rod)].span;
    const int node = drum.side == 0 ? span.first_node : span.first_node + span.nodes - 1;
    drum.on_clamp = std::any_of(model.clamps.begin(), model.clamps.end(),
                                [&](const ClampModel& c) { return c.node.value == node && c.position; });
    drum.give = 0;
    drums_.push_back(drum);
  }
}

// Drums that may turn as fast as they like have their speed from the start.
void Feed::start(const Drive& drive) {
  for (Drum& drum : drums_)
    if (model_.winches[z(drum.winch)].acceleration == forever) drum.speed = drive.winches[z(drum.winch)].speed;
}

double Feed::room_out(const Drum& drum) const { return std::max(0.0, model_.winches[z(drum.winch)].stored - drum.paid); }
double Feed::room_in(const Drum& drum) const {
  const std::vector<double>& s = mesh_.chain(drum.rod).material;
  return std::max(0.0, s.back() - s.front() - model_.winches[z(drum.winch)].shortest);
}

// As near to what is asked for as acceleration allows, and never so fast that it could not stop where the rope ends: after a step at
// the mean of both speeds, (u + u')/2 dt + u'^2/2a is at most what is left.
double Feed::limited_speed(const Drum& drum, double asked, double dt) const {
  const double most = model_.winches[z(drum.winch)].acceleration;
  const double sign = asked != 0 ? (asked > 0 ? 1 : -1) : (drum.speed >= 0 ? 1 : -1);
  const double room = sign > 0 ? room_out(drum) : room_in(drum);
  double fastest = 2 * room / dt - sign * drum.speed;
  if (most != forever) {
    const double half = 0.5 * most * dt, square = half * half + 2 * most * (room - 0.5 * dt * sign * drum.speed);
    fastest = square > 0 ? std::sqrt(square) - half : 0;
  }
  const double speed = sign * std::clamp(sign * asked, 0.0, std::max(0.0, fastest));
  return most == forever ? speed : std::clamp(speed, drum.speed - most * dt, drum.speed + most * dt);
}

void Feed::order(const Drive& drive, double dt) {
  for (Drum& drum : drums_) {
    const WinchModel& winch = model_.winches[z(drum.winch)];
    drum.by_force = winch.by_force(), drum.trials = 0;
    if (!mesh_.is_held(drum.rod, drum.side)) {
      drum.more = drum.speed = 0, drum.by_force = false;  // nothing holds the end: there is no drum
      continue;
    }
    if (!drum.by_force) {
      const double next = limited_speed(drum, drive.winches[z(drum.winch)].speed, dt);
      drum.more = std::clamp(0.5 * dt * (drum.speed + next), -room_in(drum), room_out(drum));
      drum.speed = next;
      continue;
    }
    // By force: within what speed and acceleration allow, the length is found from the tension.
    drum.wanted = drive.winches[z(drum.winch)].force;
    const double most = winch.acceleration == forever ? forever : winch.acceleration * dt;
    drum.high = std::min(dt * std::min(winch.top_speed, drum.speed + most), room_out(drum));
    drum.low = std::max(dt * std::max(-winch.top_speed, drum.speed - most), -room_in(drum));
    drum.high = std::max(drum.high, drum.low);
    drum.more = std::clamp(dt * drum.speed, drum.low, drum.high);
  }
}

// Where resolution follows need, segments at the drum are as long as the next one.
double Feed::usual_length(const Drum& drum) const {
  const int count = static_cast<int>(mesh_.chain(drum.rod).segments.size());
  if (!adaptive_ || count < 2) return drum.segment;
  return std::max(drum.segment, mesh_.length(drum.rod, drum.side == 0 ? 1 : count - 2));
}

// A segment at the drum is cut when it has become too long, and merged with the next one before it becomes too short.
void Feed::remesh() {
  for (Drum& drum : drums_) {
    const double l = usual_length(drum), ahead = std::min(0.0, drum.more);
    const auto length = [&] { return mesh_.length(drum.rod, end_number(drum)); };
    const auto count = [&] { return static_cast<int>(mesh_.chain(drum.rod).segments.size()); };
    while (length() > longest * l && count() < model_.rods[z(drum.rod)].max_edges && mesh_.has_room()) {
      const std::vector<double>& s = mesh_.chain(drum.rod).material;
      const int k = end_number(drum);
      mesh_.cut(drum.rod, k, drum.side == 0 ? s[z(k + 1)] - l : s[z(k)] + l);
    }
    while (length() + ahead < shortest * l && count() > 1) {
      const int k = drum.side == 0 ? 0 : count() - 2;
      if (mesh_.is_pinned(drum.rod, k)) break;
      mesh_.merge(drum.rod, k);
    }
    // What is left of a segment has a length.
    const double shortest_way = -std::max(0.0, length() - least * std::min(l, length()));
    drum.more = std::max(drum.more, shortest_way), drum.low = std::max(drum.low, shortest_way);
  }
}

void Feed::begin() {
  for (Drum& drum : drums_) {
    drum.from = mesh_.end_segment(drum.rod, drum.side);
    drum.tension = mesh_.tension(drum.rod, end_number(drum), drum.side);
    drum.give = mesh_.give_at_end(drum.rod, drum.side);
  }
}

void Feed::grow(double dt) {
  for (Drum& drum : drums_)
    if (drum.more != 0 || drum.by_force) mesh_.grow(drum.rod, drum.side, drum.from, drum.more, dt);
}

bool Feed::try_again(Drum& drum) {
  const double now = mesh_.tension(drum.rod, end_number(drum), drum.side), missing = drum.wanted - now;
  if (std::abs(missing) <= near_enough * std::max(std::abs(drum.wanted), 1e-3) || ++drum.trials > most_trials) return false;
  double next;
  if (drum.trials == 1) {
    // More rope out, less tension: a first trial to one side.
    const double some = 1e-3 * drum.segment + 0.01 * std::abs(drum.more);
    next = drum.more + (missing > 0 ? -some : some);
  } else {
    const double slope = (now - drum.other_tension) / (drum.more - drum.other_more);
    if (!(slope < 0)) return false;
    next = drum.more + missing / slope;
  }
  drum.other_more = drum.more, drum.other_tension = now;
  next = std::clamp(next, drum.low, drum.high);
  if (next == drum.more) return false;
  drum.more = next;
  return true;
}

bool Feed::adjust(double dt) {
  bool again = false;
  for (Drum& drum : drums_) {
    const double most = model_.winches[z(drum.winch)].max_force;
    const double tension = most == forever ? 0 : mesh_.tension(drum.rod, end_number(drum), drum.side);
    if (!drum.by_force && std::abs(tension) > most * (1 + near_enough)) {
      // It slips: whatever comes out bears as much as the winch does.
      drum.by_force = true, drum.wanted = tension > 0 ? most : -most;
      const double length = mesh_.length(drum.rod, end_number(drum)) - drum.more;
      drum.low = -std::min(room_in(drum), (1 - least) * length), drum.high = room_out(drum);
      (tension > 0 ? drum.low : drum.high) = drum.more;
    }
    if (drum.by_force) again = try_again(drum) || again;
  }
  if (again) grow(dt);
  return again;
}

// The drum's force goes with the rope that comes out; the rope is stretched when it does, and the joints on both sides of the segment
// give more by as much: -T more - T^2/2 (change of 1/k). The force of a step is the kick at its start; over the way to its end it goes on
// as it changed, where it changes little (as velocities at the level do, cable.h).
void Feed::finish(double dt, bool first) {
  clamps_ = bodies_ = 0;
  for (Drum& drum : drums_) {
    if (model_.winches[z(drum.winch)].by_force()) drum.speed = drum.more / dt;
    drum.paid += drum.more;
    const double tension = mesh_.tension(drum.rod, end_number(drum), drum.side),
                 give = mesh_.give_at_end(drum.rod, drum.side);
    if (first) drum.tension = tension;  // nothing is known of the level before
    const double square = 0.5 * (tension * tension + drum.tension * drum.tension);
    const double change = tension - drum.tension,
                 mean = std::abs(change) < 0.2 * std::abs(tension) ? tension + 0.5 * change : tension;
    (drum.on_clamp ? clamps_ : bodies_) -= mean * drum.more + 0.5 * square * (give - drum.give);
  }
}

double Feed::paid_out(std::size_t winch) const {
  for (const Drum& drum : drums_)
    if (z(drum.winch) == winch) return drum.paid;
  return 0;
}
double Feed::speed(std::size_t winch) const {
  for (const Drum& drum : drums_)
    if (z(drum.winch) == winch) return drum.speed;
  return 0;
}

void Feed::visit_state(StateArchive& archive) {
  for (Drum& drum : drums_) {
    archive(drum.speed, drum.paid);
    if (!std::isfinite(drum.speed) || !std::isfinite(drum.paid)) StateArchive::fail("the state is damaged: a winch");
  }
}

}  // namespace tendril::cable
