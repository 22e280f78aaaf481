// long: construction, one step of the paper's Algorithm 1 line by line, and what it calls.
#include "methods/der/der.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "math/transport.h"
#include "methods/der/failures.h"

namespace tendril::der {
Settings Settings::from(const Options& options) {
  Settings s;
  s.general = options.flag("general");
  s.push = options.word("projection") == "fast" ? Push::fast : Push::conserving;
  s.projection_tolerance = options.number("projection_tolerance");
  s.projection_iterations = static_cast<int>(options.number("projection_iterations"));
  s.contact_tolerance = options.number("contact_tolerance");
  s.contact_rounds = static_cast<int>(options.number("contact_rounds"));
  s.relax.tolerance = options.number("relax_tolerance");
  s.relax.max_iterations = static_cast<int>(options.number("relax_iterations"));
  s.relax.seek_minimum = options.flag("seek_minimum");
  return s;
}

Der::Der(std::shared_ptr<const Model> model, const Settings& settings)
    : model_(std::move(model)), settings_(settings), late_(*model_), flow_(*model_), workers_(settings.threads) {
  evaluate(*model_, Live{}, 0, 0, drive_);
  drive_.gravity = flow_.gravity();  // heights count from the start on
  all_stretch_ = std::all_of(model_->rods.begin(), model_->rods.end(), [](const RodModel& rod) { return rod.stretches; });
  if (!model_->joints.empty() || !model_->bodies.empty()) joins_ = std::make_unique<BodiesAndJoints>(*model_);
  if (model_->contact.enabled) contacts_ = std::make_unique<Contacts>(*model_, &workers_);
  chain_ = std::make_unique<Chain>(build_chain(*model_, model_->initial, drive_, choice()));
  allocate();
  if (!all_stretch_) start_on_lengths();
  update_edges(*chain_);
  update_bishop(*chain_, false);
  update_angles(*chain_, *angles_, 1);
  update_gradient(*chain_);
  loads_->update(drive_, *chain_);  // clamps bear them in the first frame too, as in one that was loaded
  if (is_leapfrog()) parts_.note(pace_of(*chain_, chain_->all()), !contacts_);
}

ChainChoice Der::choice() const {
  return {settings_.general, joins_ ? joins_->walls() : std::span<const CarriedWall>(),
          contacts_ && contacts_->has_friction()};
}

// What lengths are off by in a step of dt is a force of mass * off / dt^2, noise that heats the rod: with a shorter step the
// tolerance is smaller. Not below what the digits of positions allow.
double Der::length_tolerance(double dt, bool velocities) const {
  constexpr double finest = 1e-10;
  const double whole = settings_.projection_tolerance;
  return velocities ? std::min(whole, std::max(finest, whole * noise_rate_ * dt * dt)) : whole;
}

ProjectionReport Der::project_all(double dt, Push push, bool velocities, bool again) {
  const double tolerance = length_tolerance(dt, velocities);
  const int most = settings_.projection_iterations;
  if (joins_ && velocities && push == Push::conserving)
    return joins_->project_or_fast(*chain_, {dt, kick_}, tolerance, most, again);
  if (joins_) return joins_->project(*chain_, {dt, kick_}, tolerance, most, push, velocities, again);
  for_each_chunk([&](const Chunk& chunk, ChunkReport& report) {
    report.lengths = push == Push::fast ? project(*chain_, chunk, *projection_, {dt, kick_}, tolerance, most, push, again)
                                        : project_or_fast(*chain_, chunk, *projection_, {dt, kick_}, tolerance, most, again);
  });
  ProjectionReport worst;
  for (const ChunkReport& report : chunk_reports_) {
    worst.fine = worst.fine && report.lengths.fine;
    worst.iterations = std::max(worst.iterations, report.lengths.iterations);
    worst.residual = report.lengths.residual <= worst.residual ? worst.residual : report.lengths.residual;  // keeps NaN
  }
  return worst;
}

void Der::allocate() {
  Chain& c = *chain_;
  angles_ = std::make_unique<AngleWork>(c);
  projection_ = std::make_unique<ProjectionWork>(c);
  loads_ = std::make_unique<Loads>(*model_, c);
  drag_ = std::make_unique<AirDrag>(*model_, c);
  flow_.attach(c);
  internal_ = std::make_unique<InternalDamping>(c);
  relaxer_.reset();
  chunk_reports_.assign(c.chunks.size(), {});
  force_.assign(static_cast<int>(c.kind.size()), {0, 0, 0});
  decay_.assign(c.kind.size(), 1);
  decay_dt_ = 0;
  first_tangents_.resize(c.rods.size());
  held_was_.reserve(model_->clamps.size() + model_->joints.size());
  paths_ = paths_of(c, joins_ ? joins_->joined_nodes() : JoinedNodes{}, 2 * settings_.projection_tolerance);
  spans_.reserve(paths_.size());
  forget_walls();
  longest_ = 0;
  for (const RodModel& rod : model_->rods) longest_ = std::max(longest_, rod.length);
  output_ = std::make_unique<Chain>(c);
  if (joins_) {
    double total = 0;
    for (const double l : model_->rest_length) total += l;
    joins_->attach(c, total / model_->rest_length.size());
  }
  steady_ = !loads_->follow() && is_steady(*model_);
  // Noise is judged by the force that bends a segment, or by the weight.
  constexpr double of_bending = 64, of_weight = 1e4;
  const double gravity = model_->gravity.norm();
  noise_rate_ = 0;
  for (int s = c.begin; s < c.end; ++s) {
    if (c.kind[z(s)] != SlotKind::edge || !(c.mass[z(s)] > 0)) continue;
    const double l = c.rest_length[z(s)], bending = 0.5 * (c.B_xx[z(s)] + c.B_yy[z(s)]);
    noise_rate_ = std::max({noise_rate_, of_bending * bending / (c.mass[z(s)] * math::cube(l)), of_weight * gravity / l});
  }
}

// A start that was disturbed (initial_noise) is brought onto the rod's lengths first. Where that cannot be, it stays as it
// is and the first step says so.
void Der::start_on_lengths() {
  // Positions only; a start that cannot be projected is left alone. Tensions of this projection mean nothing.
  const Array3 x = chain_->x, v = chain_->v;
  kick_ = 1;
  const bool fine = project_all(1, Push::fast, false).fine;
  chain_->v = v;
  if (!fine) chain_->x = x;
  std::fill(chain_->tension.begin(), chain_->tension.end(), 0.0);
  if (!fine) return;
  update_edges(*chain_);
  for (std::size_t r = 0; r < chain_->rods.size(); ++r) {  // the first director was adapted to the disturbed edge
    const int first = chain_->rods[r].first;
    chain_->set_first_director(static_cast<int>(r),
                               orthonormalized(chain_->t.get(first), chain_->get_first_director(static_cast<int>(r))));
  }
}

bool Der::walls_changed() const {
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    if (drive_.clamps[i].active != (chain_->active[i] != 0)) return true;
  }
  return false;
}

void Der::forget_walls() {
  wall_orientation_.assign(model_->clamps.size(), Quat(0, 0, 0, 0));
  settled_ = false;
}

bool Der::walls_moved() {
  bool moved = false;
  swing_ = 0;
  for (const Wall& wall : chain_->walls) {
    if (wall.clamp < 0) continue;
    const ClampNow& clamp = drive_.clamps[z(wall.clamp)];
    const Quat& now = clamp.pose.orientation;
    Quat& last = wall_orientation_[z(wall.clamp)];
    moved = moved || now.coeffs() != last.coeffs() || clamp.turn != wall.turn;  // a whole turn shows in the number alone
    swing_ = std::max(swing_, swing_to(wall, pose_of(clamp)));
    last = now;
  }
  return moved;
}

// Happens only when a clamp takes hold or lets go, so it may allocate.
void Der::rebuild() {
  // A new chain in the present pose, from what the old one would write; only the history of rolling is carried over by hand.
  Frame pose = model_->initial;
  write(pose);
  flow_.settle(joins_ ? 0 : 0.5 * before_);
  before_ = 0;
  const std::unique_ptr<Chain> old = std::move(chain_);
  ChainChoice chosen = choice();
  chosen.before = output_.get();
  chain_ = std::make_unique<Chain>(build_chain(*model_, pose, drive_, chosen));
  for (std::size_t e = 0; e < chain_->slot_of_edge.size(); ++e)
    chain_->roll_change[z(chain_->slot_of_edge[e])] = old->roll_change[z(old->slot_of_edge[e])];
  allocate();
  refresh();
  update_gradient(*chain_);
}

void Der::refresh() {
  update_edges(*chain_);
  update_bishop(*chain_, false);
  update_angles(*chain_, *angles_, HUGE_VAL);  // computes, does not iterate
}

double Der::update_all_gradients() {
  for_each_chunk([&](const Chunk& chunk, ChunkReport& report) { report.openness = update_gradient(*chain_, chunk); });
  double smallest = 2;
  for (const ChunkReport& report : chunk_reports_)
    smallest = report.openness >= smallest ? smallest : report.openness;  // keeps NaN
  return smallest;
}

// Velocities, and positions where no drag is to come, of the rods of a chunk; returns the square of the largest speed.
double Der::move_freely(const Chunk& chunk, double dt) {
  Chain& c = *chain_;
  for (int v = chunk.begin; v < chunk.end; v += pack_size) {
    // Force on a vertex: loads, and the elastic gradients of the edges before and after it.
    store(force_, v, der::load(loads_->force(), v) + der::load(c.gradient, v) - der::load(c.gradient, v - 1));
  }
  // Twins are one node: their forces are added, and both get the sum.
  const auto twins = c.twins_of(chunk);
  for (const Twin& twin : twins) force_.add(twin.first, force_.get(twin.second));
  for (const Twin& twin : twins) force_.set(twin.second, force_.get(twin.first));
  const Pack h(dt), kick(kick_);
  // Four vertices at a time: first the velocity, then the position with the new velocity.
  Pack fastest(0);
  for (int v = chunk.begin; v < chunk.end; v += pack_size) {
    const V3<Pack> velocity =
        der::load(decay_, v) * (der::load(c.v, v) + (kick * der::load(c.inverse_mass, v)) * der::load(force_, v));
    store(c.v, v, velocity);
    if (!drag_->any()) store(c.x, v, der::load(c.x, v) + h * velocity);
    fastest = math::max(fastest, squared_norm(velocity));
  }
  double worst = 0;
  for (int lane = 0; lane < pack_size; ++lane)
    worst = fastest[lane] <= worst ? worst : static_cast<double>(fastest[lane]);  // keeps NaN
  return worst;
}

void Der::integrate(double dt) {
  Chain& c = *chain_;
  // Mass damping, implicit: v/(1 + kick c). The factors change only with the step.
  if (kick_ != decay_dt_) {
    decay_dt_ = kick_;
    for (std::size_t v = 0; v < decay_.size(); ++v) decay_[v] = 1 / (1 + kick_ * c.mass_damping[v]);
  }
  for_each_chunk([&](const Chunk& chunk, ChunkReport& report) {
    // Internal damping first: what the last projection left is how the rod really moves, and a rod at rest stays there.
    if (internal_->any()) internal_->apply(c, chunk, drive_, kick_, flow_.internal());
    report.speed2 = move_freely(chunk, dt);
  });
  // Hands and drag change velocities, so with drag the positions move only here.
  if (!drive_.grips.empty()) pull_grips(dt, !drag_->any());
  if (drag_->any()) {
    drag_->apply(drive_, c, kick_, &flow_.air());
    const Pack h(dt);
    for (int v = c.begin; v < c.end; v += pack_size) store(c.x, v, der::load(c.x, v) + h * der::load(c.v, v));
  }
  // The largest speed of all chunks, for the checks of the step. What is held goes where its clamp is.
  double worst = 0;
  for (const ChunkReport& report : chunk_reports_) worst = report.speed2 <= worst ? worst : report.speed2;  // keeps NaN
  fastest_ = std::sqrt(worst);
  place_held();
}

void Der::place_held() {
  Chain& c = *chain_;
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    const ClampModel& clamp = model_->clamps[i];
    if (!clamp.position || !drive_.clamps[i].active) continue;
    const int vertex = c.vertex_of_node[z(clamp.node.value)];
    c.x.set(vertex, to_small(drive_.clamps[i].pose.position));
    c.v.set(vertex, to_small(drive_.clamps[i].motion.linear));
  }
  for (const Twin& twin : c.twins) {
    if (!c.held[z(twin.first)]) continue;
    c.x.set(twin.second, c.x.get(twin.first));
    c.v.set(twin.second, c.v.get(twin.first));
  }
}

void Der::take_hold() {
  bool written = false;
  // A late clamp holds what it finds: the present pose of its node, with frames filled in at most once.
  late_.follow(*model_, drive_, [&](const ClampModel& clamp) -> Pose {
    if (!written) fill_output();
    written = true;
    const int vertex = output_->vertex_of_node[z(clamp.node.value)];
    return {to_eigen(output_->x.get(vertex)), Quat(node_axes(*output_, vertex))};
  });
}

// A short rod's step is cheaper than asking all timetables, so they are asked only where something can change.
void Der::ask_drive(double time, const Live& live) {
  // Nothing depends on time, and nothing has changed since the last evaluation.
  const bool untouched = live.paths.count == 0 && live.hands.count == 0 && live.gravity_scale == 1;
  same_drive_ = steady_ && settled_ && untouched;
  if (same_drive_) {
    drive_.time = time;
    return;
  }
  evaluate(*model_, live, time, 1, drive_);
  take_hold();
  if (walls_changed()) rebuild();
  move_walls_ = walls_moved();
  loads_->update(drive_, *chain_);
  settled_ = untouched && !move_walls_;
}

StepReport Der::step(double time, double dt, const Live& live) {
  // Substeps where edges turn far or rods are taut; the report of the whole step holds the worst of each.
  // Under a hand steps are whole: its speed is limited per step.
  by_hand_ = live.hands.count > 0 || live.paths.count > 0;
  const int count = by_hand_ ? parts_for_contact(dt) : parts_of(dt);
  StepReport worst;
  for (int k = 0; k < count; ++k) {
    StepReport one = take_step(time + k * dt / count, dt / count, live);
    if (one.outcome != Outcome::fine) return one;
    if (k == count - 1 && !by_hand_) note_pace();
    if (count == 1) return one;
    one.iterations = std::max(one.iterations, worst.iterations);
    one.residual = std::max(one.residual, worst.residual);
    one.penetration = std::max(one.penetration, worst.penetration);
    worst = one;
  }
  worst.step_taken = dt;
  return report_ = worst;
}

namespace {
constexpr double max_growth = 0.01;  // of the radius: overlap that a step may add
}  // namespace

// Lines 10 and 11 of the paper's Algorithm 1: frames of a centerline that has moved.
bool Der::follow_with_frames(double dt) {
  Chain& c = *chain_;
  // Boundary conditions of the frames: walls of clamps and of bodies.
  if (move_walls_) set_walls(c, drive_);
  if (joins_) joins_->set_walls(c);
  // 10: Bishop frames (sec. 4.2.2): the first director in time, the others along the rod.
  for_each_chunk([&](const Chunk& chunk, ChunkReport& report) {
    update_edges(c, chunk);
    if (is_leapfrog() && !all_stretch_) report.pace = pace_of(c, chunk);  // of edges that keep their length
    carry_first_directors(c, chunk, first_tangents_);
    update_bishop(c, chunk, false);
  });
  // 11: quasistatic material frames (sec. 5.1), under the torque of friction; rods that nothing holds from turning roll.
  if (contacts_ && contacts_->has_friction()) {
    if (!loads_->follow()) std::fill(c.torque.begin(), c.torque.end(), 0.0);
    contacts_->add_torques(c, dt);
  }
  for_each_chunk([&](const Chunk& chunk, ChunkReport& report) { report.angles = update_angles(c, chunk, *angles_, 1); });
  for (const ChunkReport& report : chunk_reports_)
    if (!report.angles.fine) return false;
  if (c.has_rolling) end_roll(c, *angles_, dt);
  return true;
}

// One pass through the loop of the paper's Algorithm 1; numbers are its lines. Lines 1 and 2 (rest strain, first material
// frame) are in build_chain and in the constructor.
StepReport Der::take_step(double time, double dt, const Live& live) {
  // Require: boundary conditions, as they are at the end of the step; clamps that take hold or let go rebuild the chain.
  if (clock_) clock_->start();
  ask_drive(time + dt, live);
  bend_compressed(dt);
  Chain& c = *chain_;
  report_ = {};
  report_.step_taken = dt;
  kick_ = kick_of(dt);
  const auto failed = [&](Cause cause) {
    report_.outcome = Outcome::diverged;
    report_.cause = cause;
    return report_;
  };
  if (swing_ > max_swing) return failed(turned_too_far);
  // 6: elastic forces on the centerline (sec. 7.1), before the bodies, which feel the moments that come with them.
  const double openness = update_all_gradients();
  if (!(openness > folded)) return failed(openness != openness ? Cause::not_finite : joint_folded);
  loads_->add_couples(drive_, c);
  flow_.begin(c, drive_, same_drive_, *loads_, joins_.get());
  // What the end of the step needs to know of its start.
  for (std::size_t r = 0; r < c.rods.size(); ++r) first_tangents_[r] = c.t.get(c.rods[r].first);
  if (c.has_rolling) begin_roll(c, *angles_, dt);
  if (contacts_) contacts_->remember(c, joins_.get());
  // 4, 5: torques of the rods on bodies (sec. 8.2), bodies integrated by the library.
  if (joins_ && !joins_->step(c, drive_, {dt, kick_})) return failed(bodies_lost);
  if (joins_ && joins_->turns_too_far(c, dt)) return failed(turned_too_far);
  // 6, 7: loads, then the centerline (sec. 7.2).
  // differs from the paper: leapfrog, but with the fast projection symplectic Euler as there.
  integrate(dt);
  lap(Part::forces);
  if (!std::isfinite(fastest_) || (joins_ && !joins_->finite())) return failed(Cause::not_finite);
  if (fastest_ * dt > longest_) return failed(Cause::step_too_large);
  // 8, 9: inextensibility and coupling to bodies (sec. 8); collisions.
  // differs from the paper: one after the other there; here in turn until both hold (keep_apart), friction included.
  if (const Cause cause = contacts_ ? keep_apart(dt) : keep_lengths(dt); cause != Cause::none) return failed(cause);
  lap(Part::projection);
  if (!drive_.grips.empty()) damp_grips(dt);
  if (!follow_with_frames(dt)) return failed(frame_lost);
  lap(Part::frames);
  // The step is judged and remembered.
  if (contacts_) {
    contacts_->finish(c, joins_.get(), dt, report_);
    if (contacts_->growth() > max_growth) return failed(Cause::contact);
  }
  flow_.end(c, drive_, *loads_, joins_.get(), contacts_.get(), {dt, kick_}, push_);
  if (is_leapfrog()) before_ = dt;
  lap(Part::contact);
  return report_;
}

StepReport Der::relax(double time, double load_factor, const Live& live) {
  if (joins_ || contacts_) {  // not claimed, and refused by check
    report_ = {};
    report_.outcome = Outcome::not_converged;
    report_.cause = Cause::no_equilibrium;
    return report_;
  }
  // Boundary conditions and loads at this load factor; in an equilibrium nothing moves.
  evaluate(*model_, live, time, load_factor, drive_);
  stand_still(drive_);
  take_hold();
  if (walls_changed()) rebuild();
  Chain& c = *chain_;
  if (!relaxer_) relaxer_ = std::make_unique<Relaxer>(c);
  place_held();
  c.v.assign(static_cast<int>(c.kind.size()), {0, 0, 0});
  before_ = 0;
  for (std::size_t r = 0; r < c.rods.size(); ++r) first_tangents_[r] = c.t.get(c.rods[r].first);
  set_walls(c, drive_);
  forget_walls();
  update_edges(c);
  carry_first_directors(c, c.all(), first_tangents_);
  fill_directors(c);
  const RelaxReport r = relaxer_->relax(c, drive_, *loads_, settings_.relax);
  report_ = {};
  report_.iterations = r.iterations;
  report_.residual = r.residual;
  report_.verdict = r.verdict;
  if (!r.fine) {
    report_.outcome = Outcome::not_converged;
    report_.cause = r.taut ? Cause::taut : Cause::no_equilibrium;
  }
  refresh();
  update_gradient(c);
  return report_;
}

int Der::negative_pivots(double time, const Live& live, double below) {
  evaluate(*model_, live, time, 1, drive_);
  Chain& c = *chain_;
  if (!relaxer_) relaxer_ = std::make_unique<Relaxer>(c);
  fill_directors(c);
  const int count = relaxer_->negative_pivots(c, drive_, *loads_, below);
  refresh();
  return count;
}

}  // namespace tendril::der
