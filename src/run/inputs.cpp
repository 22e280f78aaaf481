// Live inputs: what they are called, what they do to Live, the log and its replay.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "model/material_point.h"
#include "run/check.h"
#include "run/input_state.h"
#include "run/inside.h"

namespace tendril {

// ---- values as numbers ---------------------------------------------------------------------------------------------------
InputNumbers numbers_of(const InputValue& value) {
  InputNumbers n{};
  // Numbers and vectors, alone or followed by their rate.
  if (const auto* number = std::get_if<double>(&value)) n[0] = *number;
  if (const auto* vector = std::get_if<Vec3>(&value)) std::copy_n(vector->data(), 3, n.begin());
  if (const auto* turning = std::get_if<WithRate<double>>(&value)) n[0] = turning->value, n[1] = turning->rate;
  if (const auto* moving = std::get_if<WithRate<Vec3>>(&value)) {
    std::copy_n(moving->value.data(), 3, n.begin());
    std::copy_n(moving->rate.data(), 3, n.begin() + 3);
  }
  // A hand: what it holds, pose, motion, spring and damper, point on a body. input_from reads them in this order, and
  // recorded input logs hold them: do not reorder.
  if (const auto* h = std::get_if<Hand>(&value)) {
    const Quat& q = h->pose.orientation;
    const Vec3 &x = h->pose.position, &v = h->motion.linear, &w = h->motion.angular;
    n = {static_cast<double>(h->rod),
         static_cast<double>(h->body),
         h->material,
         x.x(),
         x.y(),
         x.z(),
         q.w(),
         q.x(),
         q.y(),
         q.z(),
         v.x(),
         v.y(),
         v.z(),
         w.x(),
         w.y(),
         w.z(),
         h->stiffness,
         h->damping,
         h->angular_stiffness,
         h->angular_damping,
         h->point.x(),
         h->point.y(),
         h->point.z()};
  }
  return n;
}

InputValue input_from(std::size_t kind, const InputNumbers& n) {
  TENDRIL_REQUIRE(kind < std::variant_size_v<InputValue>,
                  "an input is a number or a vector, alone or with its rate, or a hand");
  if (kind == 0) return n[0];
  if (kind == 1) return Vec3(n[0], n[1], n[2]);
  if (kind == 3) return WithRate<double>{n[0], n[1]};
  if (kind == 4) return WithRate<Vec3>{Vec3(n[0], n[1], n[2]), Vec3(n[3], n[4], n[5])};
  Hand h;
  const auto whole = [](double v) { return v > -2 && v < 2e9 ? static_cast<int>(v) : v >= 2e9 ? 2'000'000'000 : -1; };
  h.rod = whole(n[0]), h.body = whole(n[1]), h.material = n[2];
  h.pose = {Vec3(n[3], n[4], n[5]), Quat(n[6], n[7], n[8], n[9])};
  h.motion = {Vec3(n[10], n[11], n[12]), Vec3(n[13], n[14], n[15])};
  h.stiffness = n[16], h.damping = n[17], h.angular_stiffness = n[18], h.angular_damping = n[19];
  h.point = Vec3(n[20], n[21], n[22]);
  return h;
}

void visit_state(StateArchive& archive, LoggedInput& input) {
  auto kind = static_cast<std::uint64_t>(input.value.index());
  InputNumbers numbers = numbers_of(input.value);
  archive(input.step, input.name, kind, numbers);
  if (archive.reading()) input.value = input_from(kind, numbers);
}

// ---- what an input does ----------------------------------------------------------------------------------------------
namespace {

PathInput& own_path(Live& live, const PathInput& owner) {
  auto& paths = live.paths;
  auto* path = std::find_if(paths.begin(), paths.end(), [&](const PathInput& p) { return p.same_owner(owner); });
  if (path != paths.end()) return *path;
  TENDRIL_REQUIRE(paths.push(owner), "no more than 16 clamps, couplings and bodies can be moved by hand");
  return *(paths.end() - 1);
}

// The value with its rate; a value that was given alone stands still.
template <class T>
std::optional<WithRate<T>> value_of(const InputValue& value, const T& still) {
  if (const auto* both = std::get_if<WithRate<T>>(&value)) return *both;
  if (const auto* alone = std::get_if<T>(&value)) return WithRate<T>{*alone, still};
  return std::nullopt;
}

bool set_path(std::string_view name, const std::string& owner_name, bool turns, const InputValue& value, Live& live,
              const PathInput& owner) {
  constexpr double turn_angle = 2 * std::numbers::pi;
  const bool turn = turns && name == owner_name + ".turn", move = name == owner_name + ".move";
  if (!turn && !move) return false;
  // Right kind of value, finite.
  const auto number = value_of<double>(value, 0);
  const auto vector = value_of<Vec3>(value, Vec3::Zero());
  TENDRIL_REQUIRE(turn ? number.has_value() : vector.has_value(),
                  std::string(name) + (turn ? " takes a number" : " takes a vector"));
  TENDRIL_REQUIRE(turn ? std::isfinite(number->value) && std::isfinite(number->rate)
                       : vector->value.allFinite() && vector->rate.allFinite(),
                  std::string(name) + " takes finite numbers");
  // Turns are given in turns and kept in radians.
  PathInput& path = own_path(live, owner);
  if (turn) path.turn = turn_angle * number->value, path.turn_rate = turn_angle * number->rate;
  if (move) path.move = vector->value, path.move_rate = vector->rate;
  return true;
}

void require(Feature feature, const std::string& name, const MethodInfo& method) {
  TENDRIL_REQUIRE(method.can.any(feature), fmt::format("{}: method `{}` {}; {}", name, method.name, info_of(feature).lack,
                                                       methods_that_can(feature)));
}

void switch_joint(const std::string& name, int joint, const InputValue& value, const MethodInfo& method, Live& live) {
  require(Feature::switched_joints, name, method);
  const auto* number = std::get_if<double>(&value);
  TENDRIL_REQUIRE(number != nullptr && (*number == 0 || *number == 1), name + " takes 1 (holds) or 0 (lets go)");
  const JointSwitch wanted{joint, *number == 1};
  for (JointSwitch& known : live.joints)
    if (known.joint == joint) return void(known = wanted);
  TENDRIL_REQUIRE(live.joints.push(wanted), "no more than 16 joints can be switched by hand");
}

void order_winch(const std::string& name, int winch, const InputValue& value, const MethodInfo& method, Live& live) {
  require(Feature::winch, name, method);
  const auto number = value_of<double>(value, 0);
  TENDRIL_REQUIRE(number.has_value() && std::isfinite(number->value), name + " takes a finite number in m/s");
  const WinchOrder wanted{winch, number->value};
  for (WinchOrder& known : live.winches)
    if (known.winch == winch) return void(known = wanted);
  TENDRIL_REQUIRE(live.winches.push(wanted), "no more than 8 winches can be moved by hand");
}

void check_hand(const Hand& hand, const std::string& name, const Model& model, const MethodInfo& method) {
  // Everything is checked here, so that a method may trust its inputs.
  const auto finite = [](const Pose& p, const Motion& m) {
    return p.position.allFinite() && p.orientation.coeffs().allFinite() && m.linear.allFinite() && m.angular.allFinite();
  };
  // The method takes hands; the hand holds one thing, and that exists.
  const bool turns = hand.angular_stiffness != 0 || hand.angular_damping != 0;
  require(Feature::couplings, name, method);
  TENDRIL_REQUIRE(hand.rod < 0 || hand.body < 0, name + " holds a rod or a body, not both");
  TENDRIL_REQUIRE(
      hand.body < static_cast<int>(model.bodies.size()),
      fmt::format("{} cannot hold body {}: the scene has {} (counted from 0)", name, hand.body, model.bodies.size()));
  TENDRIL_REQUIRE(
      hand.rod < static_cast<int>(model.rods.size()),
      fmt::format("{} cannot hold rod {}: the scene has {} (counted from 0)", name, hand.rod, model.rods.size()));
  if (hand.rod >= 0) {
    const RodModel& rod = model.rods[static_cast<std::size_t>(hand.rod)];
    const MaterialRange range = material_range(model, hand.rod);
    TENDRIL_REQUIRE(
        hand.material >= range.from && hand.material <= range.to + 1e-9 * rod.length,
        fmt::format("{} cannot hold rod {} at {} m: it is {} m long", name, rod.name, hand.material, rod.length));
  }
  // Numbers are finite, springs do not push; turning needs a method that can.
  TENDRIL_REQUIRE(hand.point.allFinite(), name + " must hold a body at a finite place");
  TENDRIL_REQUIRE(finite(hand.pose, hand.motion), name + " must be at a finite place with a finite velocity");
  for (const double k : {hand.stiffness, hand.damping, hand.angular_stiffness, hand.angular_damping})
    TENDRIL_REQUIRE(k >= 0 && std::isfinite(k), name + " needs stiffness and damping of at least 0");
  if (turns) require(hand.body < 0 ? Feature::turning_couplings : Feature::hands_turning_bodies, name, method);
}

// Hands stand in the order of their ids: the same hands give the same Live, whichever came first.
void set_hand(std::string_view name, const InputValue& value, const Model& model, const MethodInfo& method, Live& live) {
  // The name gives the id, hand.1 to hand.8 (max_hands has one digit).
  const std::string_view number = name.substr(5);
  const int id = number.size() == 1 && number[0] >= '1' && number[0] <= '0' + max_hands ? number[0] - '0' : 0;
  TENDRIL_REQUIRE(id > 0, fmt::format("there is no `{}`; hands are called hand.1 to hand.{}", name, max_hands));
  const auto* given = std::get_if<Hand>(&value);
  TENDRIL_REQUIRE(given != nullptr, std::string(name) + " takes a Hand");
  const bool holds = given->rod >= 0 || given->body >= 0;
  if (holds) check_hand(*given, std::string(name), model, method);
  // A new list, in the order of ids, in which this hand replaces the one of the same id; one that holds nothing is left out.
  FixedVec<Hand, max_hands> hands;
  const auto put = [&hands, &given, id] {
    Hand hand = *given;
    hand.id = id;
    hand.pose.orientation.normalize();
    hands.add(hand);
  };
  bool placed = !holds;
  for (const Hand& hand : live.hands) {
    if (!placed && hand.id >= id) put(), placed = true;
    if (hand.id != id) hands.add(hand);
  }
  if (!placed) put();
  live.hands = hands;
}

void apply(std::string_view name, const InputValue& value, const Model& model, const MethodInfo& method,
           const std::vector<std::string>& names, Live& live) {
  if (name == "gravity") {
    const auto* number = std::get_if<double>(&value);
    TENDRIL_REQUIRE(number != nullptr && std::isfinite(*number), "gravity takes a number");
    live.gravity_scale = *number;
    return;
  }
  // Names of paths are made of what they belong to; the first that fits takes the value.
  if (name.starts_with("hand.")) return set_hand(name, value, model, method, live);
  for (std::size_t i = 0; i < model.clamps.size(); ++i)
    if (set_path(name, "clamp." + model.clamps[i].name, true, value, live, {.clamp = static_cast<int>(i)})) return;
  for (std::size_t i = 0; i < model.couplings.size(); ++i) {
    const CouplingModel& c = model.couplings[i];
    const bool turns = c.angular_stiffness > 0 || c.angular_damping > 0;
    if (set_path(name, "coupling." + c.name, turns, value, live, {.coupling = static_cast<int>(i)})) return;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind != BodyKind::driven) continue;
    if (set_path(name, "body." + model.bodies[i].name, true, value, live, {.body = static_cast<int>(i)})) return;
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    if (name == "joint." + model.joints[i].name + ".on")
      return switch_joint(std::string(name), static_cast<int>(i), value, method, live);
  for (std::size_t i = 0; i < model.winches.size(); ++i)
    if (name == "winch." + model.winches[i].name + ".speed")
      return order_winch(std::string(name), static_cast<int>(i), value, method, live);
  TENDRIL_REQUIRE(false, fmt::format("there is no input `{}`; {}", name, suggest(name, names)));
}

}  // namespace

std::vector<std::string> Simulation::input_names() const {
  std::vector<std::string> names{"gravity"};
  for (const ClampModel& clamp : inside_->model->clamps) {
    names.push_back("clamp." + clamp.name + ".turn");
    names.push_back("clamp." + clamp.name + ".move");
  }
  for (const CouplingModel& c : inside_->model->couplings) {
    names.push_back("coupling." + c.name + ".move");
    if (c.angular_stiffness > 0 || c.angular_damping > 0) names.push_back("coupling." + c.name + ".turn");
  }
  for (const BodyModel& body : inside_->model->bodies) {
    if (body.kind != BodyKind::driven) continue;
    names.push_back("body." + body.name + ".turn");
    names.push_back("body." + body.name + ".move");
  }
  if (inside_->entry->info.can.any(Feature::switched_joints))
    for (const JointModel& joint : inside_->model->joints) names.push_back("joint." + joint.name + ".on");
  for (const WinchModel& winch : inside_->model->winches)
    if (!winch.by_force()) names.push_back("winch." + winch.name + ".speed");
  return names;
}

const Live& Simulation::live() const { return inside_->wanted; }
std::span<const LoggedInput> Simulation::input_log() const { return inside_->log; }
std::int64_t Simulation::inputs_taken() const { return inside_->taken; }

void Simulation::set_input(std::string_view name, const InputValue& value) {
  apply(name, value, *inside_->model, inside_->entry->info, input_names(), inside_->wanted);
  inside_->set_input(name, value);
}

void Simulation::replay(std::vector<LoggedInput> inputs) {
  Live live;  // all are tried before any is taken
  const std::vector<std::string> names = input_names();
  for (const LoggedInput& input : inputs) apply(input.name, input.value, *inside_->model, inside_->entry->info, names, live);
  std::stable_sort(inputs.begin(), inputs.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  inside_->script = std::move(inputs);
  inside_->script_at = 0;
}

// ---- taking them ---------------------------------------------------------------------------------------------------------
void Simulation::Inside::set_input(std::string_view name, const InputValue& value) {
  // Several values of one input before a step: only the last counts.
  for (LoggedInput& input : pending)
    if (input.name == name) return void(input.value = value);
  pending.push_back({0, std::string(name), value});
}

void Simulation::Inside::take_inputs() {
  // Inputs of a script whose step has come are set as a user would set them.
  const std::int64_t step = advances++;
  for (; script_at < script.size() && script[script_at].step <= step; ++script_at) {
    const LoggedInput& input = script[script_at];
    if (input.step < step) continue;  // before the checkpoint this run goes on from
    apply(input.name, input.value, *model, entry->info, {}, wanted);
    set_input(input.name, input.value);
  }
  if (pending.empty()) return;
  // All that is pending takes effect at once, before the step, and is logged with its number.
  live = wanted;
  for (LoggedInput& input : pending) {
    // A place or an angle without its rate: the thing is there at once, whatever that takes.
    const bool path = input.name.ends_with(".move") || input.name.ends_with(".turn");
    place.jumped = place.jumped || (path && input.value.index() < 2);
    place.held = place.held || path || std::holds_alternative<Hand>(input.value);
    input.step = step;
    log.push_back(input);
  }
  taken += static_cast<std::int64_t>(pending.size());
  pending.clear();
  // A retry must not replay older steps with the new input: what was kept ends here.
  keep_due = true;
  if (stuck) message.clear();
  stuck = false;
}

const Live& Simulation::Inside::in_force() const { return scene.time.mode == Mode::dynamics ? live : followed; }

}  // namespace tendril
