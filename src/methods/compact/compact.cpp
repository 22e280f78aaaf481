#include "methods/compact/compact.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril::compact {

Settings Settings::from(const Options& options) {
  Settings s;
  const std::string& scheme = options.word("scheme");
  s.scheme = scheme == "euler" ? Scheme::euler : scheme == "trbdf2" ? Scheme::trbdf2 : Scheme::bdf2;
  s.strain = options.word("strain") == "sine" ? StrainKind::sine : StrainKind::angle;
  s.solver.tolerance = options.number("tolerance");
  s.solver.relax_tolerance = options.number("relax_tolerance");
  s.solver.iterations = static_cast<int>(options.number("iterations"));
  s.solver.accept_unfinished = options.word("at_limit") == "accept";
  const std::string &matrix = options.word("matrix"), &solver = options.word("solver"),
                    &kind = options.word("preconditioner");
  s.solver.matrix = matrix == "paper"      ? NewtonMatrix::paper
                    : matrix == "positive" ? NewtonMatrix::positive
                                           : NewtonMatrix::exact;
  s.solver.linear.kind = solver == "pcg" ? LinearKind::pcg : solver == "dense" ? LinearKind::dense : LinearKind::exact;
  s.solver.linear.preconditioning = kind == "diagonal"         ? ChainPreconditioning::diagonal
                                    : kind == "block_diagonal" ? ChainPreconditioning::block_diagonal
                                                               : ChainPreconditioning::hybrid;
  s.active_set = options.word("contact") == "active_set";
  s.solver.linear.tolerance = options.number("solver_tolerance");
  return s;
}

namespace {
Parts parts_of(const Model& model, const Settings& settings) {
  Parts parts;
  const JoinPlan plan(model);
  for (int rod = 0; rod < static_cast<int>(model.rods.size()); ++rod)
    parts.push_back(std::make_unique<Part>(model, rod, settings.strain, settings.solver, &plan));
  return parts;
}

// How far a ring is open, and held points are from where they are held [m].
double gap_of(const Part& part, const Drive& drive) {
  const std::vector<Vec3>& y = part.state.points.y;
  double gap = part.chain.ring ? (y[z(part.chain.real())] - y[0]).norm() : 0;
  for (const HeldPoint& held : part.chain.held) {
    const ClampNow& clamp = drive.clamps[z(held.clamp)];
    const Vec3 away = y[z(held.link + 1)] - clamp.pose.position;
    if (clamp.active) gap = std::max(gap, (held.axes.leftCols(held.rows()).transpose() * away).norm());
  }
  return gap;
}

// A start that was disturbed (initial_noise) may leave a ring open. The nearest shape, by mass, that closes it: a step from rest, so
// short that nothing else acts. Where there is none the start stays, and the first step says so.
void start_on_rows(Part& part, const Drive& drive, const LoadsNow& loads) {
  const Chain& chain = part.chain;
  if (!(gap_of(part, drive) > 1e-12 * chain.length)) return;
  Stage stage = euler_stage(1e-4 * std::sqrt(chain.total * math::cube(chain.length) / chain.EI));
  stage.hat.v = 0;
  const ChainState before = part.state;
  if (!part.problem.solve(part.state, drive, loads, stage).fine) {
    part.state = before;
    return;
  }
  // Only places and frames have changed.
  for (auto* levels : {&part.state.points, &part.state.strains}) {
    const Levels& was = levels == &part.state.points ? before.points : before.strains;
    levels->y_before = levels->y;
    levels->v = was.v, levels->v_before = was.v_before, levels->a = was.a;
  }
  part.state.multiplier = before.multiplier, part.state.force = before.force, part.state.wall_holds = before.wall_holds;
}
}  // namespace

Compact::Compact(std::shared_ptr<const Model> model, const Settings& settings)
    : model_(std::move(model)),
      settings_(settings),
      late_(*model_),
      loads_(*model_),
      parts_(parts_of(*model_, settings)),
      joined_(std::make_unique<Joined>(*model_, parts_, settings.solver)),
      coupled_(*model_, parts_, settings.solver),
      flow_(*model_, parts_),
      workers_(settings.threads) {
  if (!joined_->any()) joined_.reset();
  for (auto& part : parts_)
    if (joined_) part->problem.set_frames(&joined_->frames());
  drive_to(0, 1, Live{}, false);
  if (joined_) joined_->watch_bodies(drive_);
  flow_.start(drive_, joined_.get());
  // Walls as they stand at the start: with the moments of the half segments beside them.
  for (auto& part : parts_) {
    if (!joined_ || !joined_->is_joined(part->chain.rod)) start_on_rows(*part, drive_, loads_);
    part->problem.begin(part->state, drive_, loads_, Stage{});
    std::ignore = part->problem.evaluate();
    part->problem.accept();
    part->state.reaction.setZero();
  }
  flow_.note_loads(parts_, drive_, loads_);
  if (model_->contact.enabled && settings_.active_set)
    active_set_ = std::make_unique<ActiveSet>(*model_, parts_, settings_.solver, drive_);
  else if (model_->contact.enabled)
    meeting_ = std::make_unique<Meeting>(*model_, parts_, settings_.solver, drive_, joined_.get());
}

void Compact::drive_to(double time, double load_factor, const Live& live, bool still) {
  evaluate(*model_, live, time, load_factor, drive_);
  if (still) stand_still(drive_);
  late_.follow(*model_, drive_,
               [&](const ClampModel& clamp) { return pose_at(*model_, *parts_[z(clamp.rod)], clamp.node.value); });
  loads_.update(drive_);
  if (joined_) joined_->drive(drive_);
}

bool Compact::take_stage(const Stage& stage) {
  if (active_set_) {
    std::ignore = active_set_->solve(drive_, loads_, stage);
    collect();
    report_.contacts = active_set_->touching(), report_.penetration = active_set_->penetration();
    return report_.outcome == Outcome::fine;
  }
  if (meeting_) {
    const bool fine = meeting_->solve(drive_, loads_, stage, workers_);
    if (meeting_->takes_joined())
      joined_solved_ = meeting_->joined_solved();
    else if (fine && joined_ && solve_joined(stage))
      joined_->finish();
    collect();
    report_.contacts = meeting_->touching();
    return report_.outcome == Outcome::fine;
  }
  // Rods do not meet: each is solved alone, side by side, and those that are joined together.
  workers_.for_each_chunk(static_cast<int>(parts_.size()) + 1, [&](int rod) {
    if (rod == static_cast<int>(parts_.size())) {
      if (joined_ && solve_joined(stage)) {
        for (const int r : joined_->rods()) parts_[z(r)]->problem.finish();
        joined_->finish();
      }
      return;
    }
    Part& part = *parts_[z(rod)];
    if (!joined_ || !joined_->is_joined(rod)) part.solved = part.problem.solve(part.state, drive_, loads_, stage);
  });
  collect();
  return report_.outcome == Outcome::fine;
}

bool Compact::begin_joined(const Stage& stage) {
  bool potential = true;
  joined_->begin(drive_, stage);
  for (const int r : joined_->rods()) {
    Part& part = *parts_[z(r)];
    part.problem.begin(part.state, drive_, loads_, stage);
    potential = potential && part.problem.has_potential();
  }
  joined_->settle(joined_->rods());
  return potential;
}

// Loads without a potential are taken as they are, until they stay (Problem::freeze_loads).
bool Compact::solve_joined_by(const Stage& stage) {
  constexpr int most_rounds = 120;
  constexpr double stays = 1e-6;
  std::ignore = begin_joined(stage);
  int iterations = 0;
  for (int round = 0; round < most_rounds; ++round) {
    double changed = 0;
    for (const int r : joined_->rods()) parts_[z(r)]->problem.freeze_loads();
    coupled_.take(joined_->rods(), nullptr, joined_.get());
    joined_solved_ = coupled_.iterate();
    iterations += joined_solved_.iterations;
    if (!joined_solved_.fine) break;
    for (const int r : joined_->rods()) changed = std::max(changed, parts_[z(r)]->problem.thaw());
    if (changed > stays) continue;
    if (stage.c != euler_stage(stage.h > 0 ? stage.h : 1).c || !joined_->change_pushes()) break;
  }
  if (joined_->pushes_fail()) joined_solved_.fine = false, joined_solved_.cause = bodies_press;
  joined_solved_.iterations = iterations;
  for (const int r : joined_->rods()) {
    Part& part = *parts_[z(r)];
    part.solved = joined_solved_;
    part.solved.folded = joined_solved_.fine && part.problem.is_folded_now();
    if (!joined_solved_.fine) part.problem.take_back();
  }
  return joined_solved_.fine;
}

// Where bodies meet each other, in this step or the last one, by backward Euler: see Meeting::solve.
bool Compact::solve_joined(const Stage& stage) {
  Stage first = euler_stage(stage.h > 0 ? stage.h : 1);
  first.keeps_acceleration = stage.keeps_acceleration;
  const bool by_first = !stage.still() && stage.c != first.c;
  if (!solve_joined_by(by_first && joined_->pushed_before() ? first : stage)) return false;
  if (!by_first || joined_->stage_c() == first.c || !joined_->bodies_overlap()) return true;
  for (const int r : joined_->rods()) parts_[z(r)]->problem.take_back();
  return solve_joined_by(first);
}

// What backward Euler takes where bodies meet, and what contacts take there; see Meeting::lost_by_euler.
void Compact::count_pushes() {
  if (!joined_ || !joined_->pushes_now()) return;
  const BodyPushes::Work work = joined_->push_work();
  double lost = work.taken;
  if (settings_.scheme != Scheme::euler && !(meeting_ && meeting_->takes_joined())) {
    lost += joined_->lost_by_euler();
    for (const int r : joined_->rods()) {
      const Levels& p = parts_[z(r)]->state.points;
      for (std::size_t i = 0; i < p.v.size(); ++i)
        lost += 0.5 * parts_[z(r)]->chain.mass[i] * (p.v[i] - p.v_before[i]).squaredNorm();
    }
  }
  flow_.add_contacts(work.obstacles, 0, lost);
  flow_.add_bodies(work.bodies);
}

// In the order of the rods; one that failed makes the whole fail.
void Compact::collect() {
  const int rods = static_cast<int>(parts_.size());
  for (int r = 0; r < rods + (joined_ && joined_->rods().empty() ? 1 : 0); ++r) {
    const Solved& s = r < rods ? parts_[z(r)]->solved : joined_solved_;
    report_.iterations = std::max(report_.iterations, s.iterations);
    report_.residual = std::max(report_.residual, s.residual);
    if (report_.outcome != Outcome::fine) continue;
    if (r < rods && (!s.fine || s.folded)) report_.rod = r;
    if (!s.fine) {
      report_.outcome = s.cause == Cause::not_finite ? Outcome::diverged : Outcome::not_converged;
      report_.cause = s.cause;
    } else if (s.folded) {
      report_.outcome = Outcome::diverged;
      report_.cause = joint_folded;
    }
  }
  if (report_.outcome == Outcome::fine || !joined_ || report_.cause == joint_folded) return;
  if (const int rod = joined_->rod_out_of_reach(); rod >= 0) report_.rod = rod, report_.cause = joints_out_of_reach;
}

// Schemes of second order need accelerations to start with: a step of backward Euler would leave an error of second order, and half of
// what it gives to the motion. They come from a short step that is not taken. Where one of twice the length finds others, a clamp
// starts at once, or velocities stretch the rod: an impact, which backward Euler takes best. [ERRATA B20]
bool Compact::start_smoothly(double time, double dt, const Live& live) {
  constexpr double part = 1.0 / 32, apart = 0.25;  // of the step; squared difference
  for (const double h : {2 * part * dt, part * dt}) {
    drive_to(time + h, 1, live, false);
    for (auto& part_of : parts_) {
      Levels& p = part_of->state.points;
      std::copy(p.a.begin(), p.a.end(), p.v_before.begin());  // of the longer one; nobody looks back on it yet
      const bool alone = !joined_ || !joined_->is_joined(part_of->chain.rod);
      if (alone && !part_of->problem.find_accelerations(part_of->state, drive_, loads_, h)) return false;
    }
    if (!joined_) continue;
    const bool fine = solve_joined(euler_stage(h));
    for (const int r : joined_->rods()) {
      if (fine) parts_[z(r)]->problem.take_accelerations(parts_[z(r)]->state);
      parts_[z(r)]->problem.take_back();
    }
    if (!fine) return false;
    joined_->take_accelerations();
  }
  double difference = 0, size = 0;
  for (const auto& part_of : parts_) {
    const Levels& p = part_of->state.points;
    for (std::size_t i = 0; i < p.a.size(); ++i) {
      difference += part_of->chain.mass[i] * (p.a[i] - p.v_before[i]).squaredNorm();
      size += part_of->chain.mass[i] * p.a[i].squaredNorm();
    }
  }
  return difference <= apart * size;
}

StepReport Compact::step(double time, double dt, const Live& live) {
  report_ = {};
  report_.step_taken = dt;
  const bool two = settings_.scheme == Scheme::trbdf2, euler = settings_.scheme == Scheme::euler;
  const double first = two ? trapezoid_part * dt : dt;
  const bool starts =
      levels_ == 0 && !euler && !active_set_ && !(meeting_ && meeting_->touches_now()) && start_smoothly(time, dt, live);
  for (int k = 0; k < (two ? 2 : 1); ++k) {
    const double h = k == 0 ? first : dt - first;
    Stage stage = euler_stage(h);
    if (starts && k == 0)
      stage = trapezoid_stage(h);
    else if (levels_ > 0 && !euler)
      stage = two && k == 0 ? trapezoid_stage(h) : bdf2_stage(h, before_);
    stage.keeps_acceleration = two;
    drive_to(k == 0 && two ? time + first : time + dt, 1, live, false);
    flow_.note_gravity(parts_, joined_.get(), drive_);
    if (!take_stage(stage)) return report_;
    flow_.count(parts_, joined_.get(), drive_, loads_, stage);
    if (meeting_) flow_.add_contacts(meeting_->work().obstacles, meeting_->work().friction, meeting_->work().impacts);
    count_pushes();
    levels_ = 1;
    before_ = h;
  }
  return report_;
}

StepReport Compact::relax(double time, double load_factor, const Live& live) {
  report_ = {};
  if (active_set_) {
    report_.outcome = Outcome::not_converged, report_.cause = no_active_set_at_rest;
    return report_;
  }
  drive_to(time, load_factor, live, true);
  if (!take_stage(Stage{})) return report_;
  if (meeting_) flow_.add_contacts(meeting_->work().obstacles, meeting_->work().friction, 0);
  if (joined_ && joined_->bodies_overlap()) {
    report_.outcome = Outcome::not_converged, report_.cause = bodies_collide;
    return report_;
  }
  report_.verdict.kind = Verdict::Kind::counted;
  if (joined_ && (!meeting_ || !meeting_->takes_joined())) report_.verdict.add(coupled_.judge());
  if (meeting_) return report_.verdict.add(meeting_->judge()), report_;
  workers_.for_each_chunk(static_cast<int>(parts_.size()), [&](int rod) {
    if (!joined_ || !joined_->is_joined(rod)) parts_[z(rod)]->verdict = parts_[z(rod)]->problem.judge();
  });
  for (const auto& part : parts_)
    if (!joined_ || !joined_->is_joined(part->chain.rod)) report_.verdict.add(part->verdict);
  return report_;
}

}  // namespace tendril::compact
