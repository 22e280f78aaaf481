#include "live/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/shapes.h"
#include "model/bodies.h"
#include "model/grips.h"
#include "model/material_point.h"
#include "model/model.h"
#include "run/open.h"

namespace tendril {
namespace {

constexpr double lag = 0.025;               // of hands and inputs behind their users [s of the users' clock]
constexpr double updates_per_second = 400;  // of the users' clock: smooth, and cheap to log
constexpr double max_rate_of_users = 1;     // faster simulations do not make users faster than this
constexpr double least_rate_of_users = 0.001;
constexpr double max_reach = 20;  // hands and moves go this far, in sizes of the scene
constexpr double equilibria_per_second = 60;
constexpr int equilibria_to_settle = 8;  // after a hand took, moved or let go: one may not reach the target

// How far and how fast an input goes; turns in turns, moves in sizes of the scene.
struct Limits {
  double most, max_rate;
};
Limits limits_of(const std::string& name, double size) {
  if (name == "gravity") return {10, 5};
  if (name.ends_with(".turn")) return {1000, 2};
  if (name.ends_with(".move")) return {max_reach * size, 2 * size};
  if (name.ends_with(".on")) return {1, 1e9};  // holds or lets go: there is nothing between
  return {1e3, 1e9};                           // a speed: the winch itself limits its change
}

}  // namespace

Stage::Stage(Simulation simulation) : simulation_(std::move(simulation)) {
  simulation_.go_on_forever();
  // Size and middle of the scene: reach of hands and inputs are measured by them.
  Eigen::AlignedBox3d box;
  for (const Vec3& p : model_of(simulation_).initial.position) box.extend(p);
  middle_ = box.center();
  size_ = box.diagonal().norm();
  for (const RodModel& rod : model_of(simulation_).rods) size_ = std::max(size_, rod.length);
  // Every input is smoothed by a follower that starts where the scene has it.
  for (const std::string& name : simulation_.input_names()) {
    const Limits limits = limits_of(name, size_);
    Vec3 start = name == "gravity" ? Vec3(1, 0, 0) : Vec3(0, 0, 0);
    for (const Joint& joint : simulation_.scene().joints)
      if (name == "joint." + joint.name + ".on") start.x() = joint.from <= 0;
    inputs_.push_back({name, name.ends_with(".move"), limits.most, limits.max_rate, Follower(start)});
    for (const RigidBody& body : simulation_.scene().bodies) {
      if (name != "body." + body.name + ".move") continue;
      Input& input = inputs_.back();
      if (body.low && body.high) input.low = *body.low, input.high = *body.high;
      input.max_rate = body.top_speed.value_or(input.max_rate), input.acceleration = body.acceleration.value_or(0);
    }
  }
  // Simulated time of one advance, by which the pace is kept.
  switch (simulation_.scene().time.mode) {
    case Mode::dynamics:
      pace_ = simulation_.step_size();
      break;
    case Mode::quasistatic:
      pace_ = 1 / simulation_.scene().time.frames_per_second;
      break;
    case Mode::statics:
      pace_ = 1 / equilibria_per_second;
      break;
  }
}

std::string Stage::set_input(const std::string& name, const Setting& value) {
  const auto input = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& i) { return i.name == name; });
  if (input == inputs_.end())
    return fmt::format("there is no input `{}`; {}", name, suggest(name, simulation_.input_names()));
  // A number where a number is wanted, a vector where a vector is; both finite.
  const Vec3* vector = std::get_if<Vec3>(&value);
  if ((vector != nullptr) != input->vector)
    return fmt::format("{} takes {}", name, input->vector ? "three numbers" : "a number");
  Vec3 wanted = vector != nullptr ? *vector : Vec3(std::get<double>(value), 0, 0);
  if (!wanted.allFinite()) return fmt::format("{} takes finite numbers", name);
  // Within its limits, by size; the follower goes there smoothly.
  if (!input->vector) wanted.x() = std::clamp(wanted.x(), -input->most, input->most);
  if (wanted.stableNorm() > input->most) wanted *= input->most / wanted.stableNorm();
  if (input->vector) wanted = wanted.cwiseMax(input->low).cwiseMin(input->high);
  if (name.ends_with(".on")) {
    wanted.x() = wanted.x() > 0.5;
    input->follower = Follower(wanted);
    simulation_.set_input(name, wanted.x());
  }
  input->follower.target = wanted;
  complaint_.clear();
  return {};
}

Vec3 Stage::within_reach(const Vec3& position) const {
  const Vec3 away = position - middle_;
  const double distance = away.stableNorm(), reach = max_reach * size_;
  return distance > reach ? Vec3(middle_ + away * (reach / distance)) : position;
}

// Where the held point is now.
Vec3 Stage::point_of(const Hand& hand) const {
  const Frame& frame = simulation_.frame();
  if (hand.body >= 0) {
    const Pose& pose = frame.bodies[static_cast<std::size_t>(hand.body)].pose;
    return pose.position + pose.orientation * hand.point;
  }
  return MaterialPoint(model_of(simulation_), frame, hand.rod, hand.material).at_nodes(frame.position);
}

// In its own axes. What the client saw may be a little old: a point off the body is brought back to it.
Vec3 Stage::point_on_body(int body, const Vec3& position) const {
  const Pose& pose = simulation_.frame().bodies[static_cast<std::size_t>(body)].pose;
  const BodyModel& model = model_of(simulation_).bodies[static_cast<std::size_t>(body)];
  const Vec3 local = pose.orientation.conjugate() * (within_reach(position) - pose.position);
  // The nearest point of the shape; a body without a shape is held at its centre.
  if (!model.shape) return Vec3::Zero();
  const Nearest at = std::visit(
      [&](const auto& shape) {
        if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, shape::Mesh>)
          return Nearest{};  // bodies are no meshes
        else
          return nearest(shape, local);
      },
      rigid_shape(*model.shape));
  return at.distance > 0 ? Vec3(local - at.distance * at.normal) : local;
}

Stage::Held* Stage::find(ClientId client, int number) {
  for (Held& held : held_)
    if (held.used && held.client == client && held.number == number) return &held;
  return nullptr;
}

std::string Stage::grab(ClientId client, const Grab& grab) {
  const Frame& frame = simulation_.frame();
  // Nothing that a client sends is trusted.
  const bool body = grab.body >= 0;
  const auto count = body ? frame.bodies.size() : frame.rods.size();
  const int which = body ? grab.body : grab.rod;
  if (which < 0 || static_cast<std::size_t>(which) >= count)
    return fmt::format("there is no {} {}", body ? "body" : "rod", which);
  if (!std::isfinite(grab.material) || !grab.position.allFinite()) return "a hand takes finite numbers";
  // The client's own hand of this number, or a free one.
  Held* held = find(client, grab.hand);
  if (held == nullptr) held = std::find_if(held_, held_ + max_hands, [](const Held& h) { return !h.used; });
  if (held == held_ + max_hands) return fmt::format("no more than {} hands can hold something", max_hands);
  held->client = client, held->number = grab.hand, held->used = true;
  // Spring and damper that suit what is held.
  if (body) {
    held->hand = suggested_hand(model_of(simulation_), which, point_on_body(which, grab.position));
  } else {
    const MaterialRange range = material_range(model_of(simulation_), which);
    held->hand = suggested_hand(model_of(simulation_), which, std::clamp(grab.material, range.from, range.to));
  }
  // The hand begins where the point is, whatever the client says, and goes from there to where the client wants it.
  held->follower = Follower(point_of(held->hand));
  held->follower.target = within_reach(grab.position);
  held->hand.pose.position = held->follower.value;
  const auto slot = static_cast<std::size_t>(held - held_);
  try {
    tell_hand(slot);
  } catch (const Misuse& error) {  // a method that takes no hands
    held->used = false;
    return error.what();
  }
  return {};
}

void Stage::move(ClientId client, const MoveHand& move) {
  Held* held = find(client, move.hand);
  if (held != nullptr && move.position.allFinite()) held->follower.target = within_reach(move.position);
}

std::string Stage::let_go(std::size_t slot) {
  held_[slot].used = false;
  held_[slot].hand = Hand{};
  try {
    tell_hand(slot);
  } catch (const Misuse& error) {
    return error.what();
  }
  return {};
}

std::string Stage::release(ClientId client, int hand) {
  const Held* held = find(client, hand);
  return held == nullptr ? std::string() : let_go(static_cast<std::size_t>(held - held_));
}

std::string Stage::leave(ClientId client) {
  std::string problem;
  for (std::size_t slot = 0; slot < max_hands; ++slot)
    if (held_[slot].used && held_[slot].client == client) problem = let_go(slot);
  return problem;
}

void Stage::tell_hand(std::size_t slot) {
  to_settle_ = equilibria_to_settle;
  simulation_.set_input(fmt::format("hand.{}", slot + 1), held_[slot].hand);
}

// Hands and inputs go on by the simulated time that has passed since they last did.
void Stage::move_on(double rate) {
  // The lag is constant on the users' clock; a slow simulation has less simulated time for it.
  const double of_users = std::clamp(rate, least_rate_of_users, max_rate_of_users);
  if (waited_ < of_users / updates_per_second * (1 - 1e-9)) return;
  for (Input& input : inputs_) {
    if (input.follower.at_rest()) continue;
    // A slow view may turn a clamp faster than a fast one, but not as much faster as it is slower. Drives have their own speed.
    if (input.acceleration > 0)
      input.follower.drive(waited_, input.max_rate, input.acceleration);
    else
      input.follower.advance(waited_, lag * of_users, input.max_rate / std::max(of_users, 0.2));
    // Clamps get their velocity too: targets need it.
    const Vec3 &now = input.follower.value, &rate_now = input.follower.rate;
    const InputValue value = input.name == "gravity" ? InputValue(now.x())
                             : input.vector          ? InputValue(WithRate<Vec3>{now, rate_now})
                                                     : InputValue(WithRate<double>{now.x(), rate_now.x()});
    try {
      simulation_.set_input(input.name, value);
    } catch (const Misuse& error) {  // too many live inputs: this one is ignored
      input.follower = Follower(Vec3(0, 0, 0));
      complaint_ = error.what();
    }
  }
  for (std::size_t slot = 0; slot < max_hands; ++slot) {
    // Hands likewise, with a speed limit that only stops jumps across the scene.
    Held& held = held_[slot];
    if (!held.used || held.follower.at_rest()) continue;
    held.follower.advance(waited_, lag * of_users, max_reach * size_ / (lag * of_users));
    held.hand.pose.position = held.follower.value;
    held.hand.motion.linear = held.follower.rate;
    tell_hand(slot);
  }
  waited_ = 0;
}

bool Stage::moving() const {
  // Time moves in all modes but in statics after the ramp; there something has to move it.
  if (simulation_.scene().time.mode != Mode::statics || simulation_.time() < simulation_.scene().time.duration) return true;
  return to_settle_ > 0 ||
         std::any_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return !i.follower.at_rest(); }) ||
         std::any_of(held_, held_ + max_hands, [](const Held& h) { return h.used && !h.follower.at_rest(); });
}

StepReport Stage::advance(double rate) {
  move_on(rate);
  if (to_settle_ > 0) --to_settle_;
  const double before = simulation_.time();
  const StepReport report = simulation_.advance();
  waited_ += simulation_.scene().time.mode == Mode::statics ? pace_ : std::max(0.0, simulation_.time() - before);
  // An equilibrium that was not found is tried again with the next input; only divergence is the end.
  if (report.outcome == Outcome::diverged) failed_ = true;
  message_ = report.outcome == Outcome::fine ? complaint_ : simulation_.report().message;
  return report;
}

std::vector<std::pair<std::string, Setting>> Stage::inputs() const {
  std::vector<std::pair<std::string, Setting>> all;
  for (const Input& input : inputs_) {
    if (input.vector)
      all.emplace_back(input.name, input.follower.target);
    else
      all.emplace_back(input.name, input.follower.target.x());
  }
  return all;
}

}  // namespace tendril
