// What bodies and joints add to the energy balance of a step; see energy_flow.h.
#include "methods/der/joints/bodies_and_joints.h"
#include "model/bodies.h"

namespace tendril::der {

namespace {
bool moves_smoothly(const BodyModel& body) {
  const auto smooth = [](const auto& table) { return table.keys.size() < 2 || table.shape == TimetableShape::smooth; };
  return smooth(body.move) && smooth(body.turn);
}
}  // namespace

// Momentum after the library's step, less what was there and what the wrenches give: the impulses of contacts among bodies. Called with -1
// before the step and with 1 after it.
void BodiesAndJoints::note_momentum(double sign, double dt) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyModel& body = model_.bodies[i];
    if (!body.moves_freely()) continue;
    Wrench& impulse = contact_impulse_[i];
    if (sign < 0) impulse = {};
    impulse.force += sign * (body.mass * bodies_[i].motion.linear + dt * wrenches_[i].force);
    impulse.moment +=
        sign * (world_inertia(body, bodies_[i].pose.orientation) * bodies_[i].motion.angular + dt * wrenches_[i].moment);
  }
  if (sign < 0 || !world_->contacts().empty()) return;
  for (Wrench& impulse : contact_impulse_) impulse = {};  // rounding
}

// A row gives the block of a driven body the impulse -lambda g / dt, which moves nothing: its drive takes it up, and does the opposite
// work. Nodes count their impulses with the mean of their velocities before and after, half a step to either side of the start of the step:
// so it is the body's velocity there that counts. Where it jumps, both sides of the jump do.
double BodiesAndJoints::work_of_driven(std::span<const BodyState> before, double dt) const {
  double sum = wall_work_;
  for (std::size_t t = 0; t < rows_.terms.size(); ++t) {
    const JoinRows::Term& term = rows_.terms[t];
    if (term.block < nodes_ || term.block >= nodes_ + 2 * plan_.bodies) continue;
    const bool turn = term.block >= nodes_ + plan_.bodies;
    const std::size_t body = z(term.block - nodes_ - (turn ? plan_.bodies : 0));
    if (model_.bodies[body].kind != BodyKind::driven) continue;
    const Motion &from = before[body].motion, &to = bodies_[body].motion;
    const double after = moves_smoothly(model_.bodies[body]) ? 0 : 0.5;
    const Vec3 velocity =
        turn ? (1 - after) * from.angular + after * to.angular : (1 - after) * from.linear + after * to.linear;
    sum += rows_.multiplier[z(term.row)] / dt * to_eigen(term.g).dot(velocity);
  }
  return sum;
}

}  // namespace tendril::der
