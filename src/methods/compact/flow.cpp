#include "methods/compact/flow.h"

#include "math/rotation.h"

namespace tendril::compact {

FlowMeter::FlowMeter(const Model& model, const Parts& parts)
    : model_(model),
      reactions_(model.clamps.size()),
      reactions_before_(model.clamps.size()),
      place_(model.clamps.size(), Vec3::Zero()),
      turn_(model.clamps.size(), 0.0),
      active_(model.clamps.size(), 0),
      loads_(parts.size()) {
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const auto on = [r](const auto& load) { return load.rod == static_cast<int>(r); };
    if (std::none_of(model.node_loads.begin(), model.node_loads.end(), on) &&
        std::none_of(model.line_loads.begin(), model.line_loads.end(), on))
      continue;
    loads_[r].force.assign(z(parts[r]->chain.nodes()), Vec3::Zero());
    loads_[r].moment.assign(z(parts[r]->chain.real()), Vec3::Zero());
  }
}

void FlowMeter::start(const Drive& drive, const Joined* joined) {
  if (joined != nullptr) bodies_.assign(drive.bodies.begin(), drive.bodies.end()), on_bodies_.resize(bodies_.size());
  gravity_ = drive.gravity;
  for (std::size_t i = 0; i < place_.size(); ++i) {
    place_[i] = drive.clamps[i].pose.position;
    turn_[i] = drive.clamps[i].turn;
    active_[i] = drive.clamps[i].active;
  }
}

// Loads that are there from the start do the whole of their first step's work.
void FlowMeter::note_loads(const Parts& parts, const Drive& drive, const LoadsNow& loads) {
  for (std::size_t r = 0; r < parts.size(); ++r) count_loads(*parts[r], loads_[r], drive, loads, Stage{});
  flow_.loads = 0;
}

// The potential -g.mx changes by -dg.mx where everything is now.
void FlowMeter::note_gravity(const Parts& parts, const Joined* joined, const Drive& drive) {
  const Vec3 change = drive.gravity - gravity_;
  gravity_ = drive.gravity;
  if (change == Vec3::Zero()) return;
  Vec3 sum = Vec3::Zero();
  for (const auto& part : parts)
    for (int k = 0; k < part->chain.nodes(); ++k) sum += part->chain.mass[z(k)] * part->state.points.y[z(k)];
  for (std::size_t b = 0; joined != nullptr && b < bodies_.size(); ++b)
    sum += model_.bodies[b].mass * joined->levels().y[4 * b];
  flow_.gravity -= change.dot(sum);
}

void FlowMeter::count_clamps(const Parts& parts, const Drive& drive, const LoadsNow& loads) {
  read_reactions(model_, parts, drive, loads, reactions_);
  for (const auto& part : parts) flow_.clamps += part->problem.blow();
  for (std::size_t i = 0; i < place_.size(); ++i) {
    const ClampNow& now = drive.clamps[i];
    if (now.active && active_[i]) {
      const Vec3 axis = now.pose.orientation * (model_.clamps[i].start.orientation.conjugate() * model_.clamps[i].axis);
      const Vec3 moved = now.pose.position - place_[i], turned = (now.turn - turn_[i]) * axis;
      flow_.clamps += 0.5 * (reactions_[i].force + reactions_before_[i].force).dot(moved) +
                      0.5 * (reactions_[i].moment + reactions_before_[i].moment).dot(turned);
    }
    place_[i] = now.pose.position, turn_[i] = now.turn, active_[i] = now.active;
  }
  std::copy(reactions_.begin(), reactions_.end(), reactions_before_.begin());
}

// Point and line loads, weight apart, along what the nodes and frames have done since the last level.
void FlowMeter::count_loads(const Part& part, Loads& before, const Drive& drive, const LoadsNow& loads, const Stage& stage) {
  const Chain& chain = part.chain;
  const Levels& p = part.state.points;
  const auto point = [&](int i, int k) {
    const Mat3 frame = part.state.q[z(i)].toRotationMatrix();
    return LoadedPoint<double>{to_small(p.y[z(k)]), to_small(p.v[z(k)]), to_small(frame)};
  };
  Vec3 carried = Vec3::Zero();  // force on the near node, from the link before
  for (int i = 0; i < chain.real() && !before.force.empty(); ++i) {
    Vec3 moment = Vec3::Zero(), near = carried;
    const Link& link = chain.links[z(i)];
    const EdgeIndex e(link.edge);
    carried.setZero();
    for (const bool far : {false, true}) {
      const int k = far ? i + 1 : i;
      const auto at = point(i, k);
      const WrenchOf<double> along = loads.given_per_length(e, at),
                             node = loads.at_node(NodeIndex(far ? link.far : link.near), at);
      const double share = chain.ring || (k > 0 && k < chain.real()) ? 0.5 : 1.0;
      const Vec3 weight = model_.section[e].line_mass * drive.gravity;
      (far ? carried : near) += 0.5 * link.length * (to_eigen(along.force) - weight) + share * to_eigen(node.force);
      moment += 0.5 * link.length * to_eigen(along.moment) + (part.problem.is_borne(k) ? 0 : share) * to_eigen(node.moment);
    }
    const auto work = [&](int k, const Vec3& force) {
      flow_.loads += 0.5 * (force + before.force[z(k)]).dot(p.y[z(k)] - p.y_before[z(k)]);
      before.force[z(k)] = force;
    };
    work(i, near);
    if (i + 1 == chain.real()) work(i + 1, carried);
    // How far the frame has turned: the mean of what its directors say.
    const int d = chain.d1(i);
    const Vec3 &a1 = p.y_before[z(d)], &a2 = p.y_before[z(d + 1)], &b1 = p.y[z(d)], &b2 = p.y[z(d + 1)];
    const Vec3 turned = 0.5 * (a1.cross(b1) + a2.cross(b2) + a1.cross(a2).cross(b1.cross(b2)));
    flow_.loads += 0.5 * (moment + before.moment[z(i)]).dot(turned);
    before.moment[z(i)] = moment;
  }
  if (model_.drags.empty() && model_.winds.empty()) return;
  for (int i = 0; i < chain.real(); ++i) {
    for (const int k : {i, i + 1}) {
      const LoadsNow::AirPower power = loads.air_power(EdgeIndex(chain.links[z(i)].edge), point(i, k));
      wind_ += 0.5 * chain.links[z(i)].length * power.wind, drag_ += 0.5 * chain.links[z(i)].length * power.drag;
    }
  }
  std::ignore = stage;
}

void FlowMeter::count_damping(const Part& part) {
  const Chain& chain = part.chain;
  const Levels &p = part.state.points, &s = part.state.strains;
  const auto gone = [](const Levels& l, std::size_t i) {
    return Vec3(0.5 * (l.v[i] + l.v_before[i]).cwiseProduct(l.y[i] - l.y_before[i]));
  };
  if (chain.damping.mass > 0)
    for (std::size_t i = 0; i < p.y.size(); ++i) flow_.damping += chain.damping.mass * chain.mass[i] * gone(p, i).sum();
  if (chain.damping.internal <= 0) return;
  for (std::size_t i = 1; i < chain.joints.size(); ++i)
    if (!part.problem.is_off(static_cast<int>(i)))
      flow_.damping += chain.damping.internal * chain.joints[i].kappa.dot(gone(s, i));
  for (std::size_t w = 0; w < chain.walls.size(); ++w)
    if (part.state.wall_holds[w] != 0)
      flow_.damping += chain.damping.internal * chain.walls[w].kappa.dot(gone(s, chain.joints.size() + w));
}

// Driven bodies give what their joints take; free ones lose to their damping.
void FlowMeter::count_bodies(const Joined& joined, const Drive& drive) {
  hands_ += joined.grip_power();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyModel& body = model_.bodies[b];
    if (!body.moves_freely()) {
      const Wrench now = joined.on_led(static_cast<int>(b));
      const Pose &from = bodies_[b].pose, &to = drive.bodies[b].pose;
      const Vec3 turned = log_rotation(Quat(to.orientation * from.orientation.conjugate()));
      flow_.bodies += 0.5 * (now.force + on_bodies_[b].force).dot(to.position - from.position) +
                      0.5 * (now.moment + on_bodies_[b].moment).dot(turned);
      on_bodies_[b] = now, bodies_[b] = drive.bodies[b];
      continue;
    }
    const Levels& l = joined.levels();
    for (std::size_t k = 0; k < 4 && body.damping > 0; ++k) {
      const std::size_t i = 4 * b + k;
      const double mass = k == 0 ? body.mass : joined.inertia(static_cast<int>(b), static_cast<int>(k) - 1);
      flow_.damping += body.damping * mass * 0.5 * (l.v[i] + l.v_before[i]).dot(l.y[i] - l.y_before[i]);
    }
  }
}

void FlowMeter::count(const Parts& parts, const Joined* joined, const Drive& drive, const LoadsNow& loads,
                      const Stage& stage) {
  const double hands = hands_, wind = wind_, drag = drag_;
  hands_ = wind_ = drag_ = 0;
  count_clamps(parts, drive, loads);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    hands_ += parts[r]->problem.grip_power();
    count_loads(*parts[r], loads_[r], drive, loads, stage);
    count_damping(*parts[r]);
  }
  if (joined != nullptr) count_bodies(*joined, drive);
  flow_.hands += 0.5 * stage.h * (hands + hands_);
  flow_.wind += 0.5 * stage.h * (wind + wind_);
  flow_.drag += 0.5 * stage.h * (drag + drag_);
}

void FlowMeter::visit_state(StateArchive& archive) {
  archive(flow_, gravity_, hands_, wind_, drag_);
  archive.fixed(reactions_), archive.fixed(reactions_before_);
  archive.fixed(place_), archive.fixed(turn_), archive.fixed(active_);
  for (Loads& load : loads_) archive.fixed(load.force), archive.fixed(load.moment);
  archive.fixed(bodies_), archive.fixed(on_bodies_);
}

}  // namespace tendril::compact
