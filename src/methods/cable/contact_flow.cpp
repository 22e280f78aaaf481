// Contact in the balance of energy, and in the velocities of a level.
//
// Velocities stand half a step before their level: v_level = v + (dt/2) a, a being what goes on of the last kick. So the energy of motion
// at a level has the work of half a kick that is still to come. Contacts count what they have in it as pending, until the kick itself takes its place:
//   a kick of h at a level:  h F.u,       u = (v + v')/2 + (before - dt)/4 g     v, v': before and after it; g: by weight and loads alone
//   pending:                 (dt/2) F.u,  u = v' + (dt/4) (g + a)
// So contacts work after weight and loads, together with joints: what gravity does meanwhile is exactly what height says of it, and a
// load that comes to rest leaves nothing in the balance. Forces that jump are impulses: only what was there before goes on.
#include "math/rotation.h"
#include "methods/cable/cable.h"
#include "model/bodies.h"

namespace tendril::cable {

void Contacts::sum_up(const Touching& c) {
  const Vec3 force = c.force();
  const double share = c.lasting_share();
  const auto add = [&](int e, const Vec3& arm, double sign) {
    const Vec3 f = sign * force, moment = arm.cross(f);
    pushes_[z(e)].force += f, pushes_[z(e)].moment += moment;
    lasting_[z(e)].force += share * f, lasting_[z(e)].moment += share * moment;
  };
  add(c.a, c.arm_a, 1);
  if (c.b >= 0) add(c.b, c.arm_b, -1);
}

Motion Cable::answer_alone(std::size_t i, const Wrench& push) const {
  const Element& e = parts_.elements[i];
  if (e.kind == Element::Kind::body) {
    const BodyModel& body = model_->bodies[z(e.number)];
    return {inverse_mass(body) * push.force, inverse_inertia(body, state_.q[i]) * push.moment};
  }
  return {push.force / e.mass, state_.q[i] * (state_.q[i].conjugate() * push.moment).cwiseQuotient(e.inertia)};
}

void Cable::count_contacts(const StepSizes& step) {
  std::vector<Motion>& by_loads = contacts_->by_loads();
  for (std::size_t i = 0; i < by_loads.size(); ++i)
    if (!parts_.elements[i].led) by_loads[i] = answer_alone(i, {force_[i], moment_[i]});
  contacts_->add_flow(response_, state_, step, flow_.of_contacts());
}

// Before the motion. Where a contact of its group jumped, what else acts on an element (joints above all) is believed if it is much as it was.
void Cable::note_acceleration(std::size_t i, const StepSizes& step) {
  const Response& r = response_[i];
  const Vec3 linear = (r.v - state_.v[i]) / step.h, angular = (r.spin - spin_of(i)) / step.h;
  const bool begun = step.before > 0;
  Vec3 &a = state_.a[i], &turn = state_.turn[i];
  const Vec3 a_was = begun ? a : Vec3::Zero(), turn_was = begun ? turn : Vec3::Zero();
  if (!contacts_ || step.still) {
    state_.a_before[i] = a_was, state_.turn_before[i] = turn_was;
    a = linear, turn = angular;
    return;
  }
  const Motion all = answer_alone(i, contacts_->push_on(i));
  if (!contacts_->was_hit(i)) {
    state_.a_before[i] = a_was, state_.turn_before[i] = turn_was;
    a = linear, turn = angular;
    contacts_->set_share(i, all);
    // Of what touches no change goes on: pending work is that of the forces themselves.
    if (contacts_->push_on(i).force != Vec3::Zero()) state_.a_before[i] = a, state_.turn_before[i] = turn;
    return;
  }
  const auto smooth = [](const Vec3& now, const Vec3& before) {
    return (now - before).squaredNorm() <= 0.25 * std::max(now.squaredNorm(), before.squaredNorm()) ? now : before;
  };
  const Motion& share = contacts_->share_of(i);
  const Vec3 rest = smooth(linear - all.linear, a - share.linear),
             rest_turn = smooth(angular - all.angular, turn - share.angular);
  const Motion lasts = answer_alone(i, contacts_->lasting_push_on(i));
  contacts_->set_share(i, lasts);
  a = state_.a_before[i] = rest + lasts.linear, turn = state_.turn_before[i] = rest_turn + lasts.angular;
}

namespace {
struct KickVelocities {  // of a kick: u above
  const Ahead& start;
  const std::vector<Response>& after;
  const std::vector<Motion>& free;
  double longer;  // (before - dt)/4
  Vec3 linear(int e) const { return 0.5 * (start.v[z(e)] + after[z(e)].v) + longer * free[z(e)].linear; }
  Vec3 angular(int e) const { return 0.5 * (start.spin[z(e)] + after[z(e)].spin) + longer * free[z(e)].angular; }
};
struct PendingVelocities {  // of the half kick that is pending
  const std::vector<Response>& after;
  const State& state;
  const std::vector<Motion>& free;
  double quarter;  // dt/4
  Vec3 linear(int e) const { return after[z(e)].v + quarter * (state.a[z(e)] + free[z(e)].linear); }
  Vec3 angular(int e) const { return after[z(e)].spin + quarter * (state.turn[z(e)] + free[z(e)].angular); }
};
// What a force gives to one side and not to the other comes from a surface that is led, or is gone.
void add_work(const Touching& c, const Vec3& slip, double kick, EnergyFlow& flow) {
  const double pressed = -kick * c.normal * c.axis[0].dot(slip), rubbed = -kick * c.friction_force().dot(slip);
  (c.by_body ? flow.bodies : flow.obstacles) += kick * c.force().dot(c.surface);
  flow.impacts += pressed, flow.friction += rubbed;
}
void add(const EnergyFlow& more, double sign, EnergyFlow& flow) {
  flow.obstacles += sign * more.obstacles, flow.bodies += sign * more.bodies;
  flow.friction += sign * more.friction, flow.impacts += sign * more.impacts;
}
}  // namespace

void Contacts::add_flow(const std::vector<Response>& response, const State& state, const StepSizes& step, EnergyFlow& flow) {
  add(pending_, -1, flow);
  pending_ = {};
  for (const Touching& c : list_) {
    if (!c.presses()) continue;
    add_work(c, c.slip(KickVelocities{start_, response, by_loads_, 0.25 * (step.before - step.dt)}), step.h, flow);
    add_work(c, c.slip(PendingVelocities{response, state, by_loads_, 0.25 * step.dt}), 0.5 * step.dt * c.lasting_share(),
             pending_);
  }
  add(pending_, 1, flow);
}

}  // namespace tendril::cable
