#include "methods/der/der.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "math/transport.h"

namespace tendril::der {
Settings Settings::from(const Options& options) {
  Settings s;
  s.extensible = options.flag("extensible");
  s.general = options.flag("general");
  s.push = options.word("projection") == "fast" ? Push::fast : Push::conserving;
  s.projection_tolerance = options.number("projection_tolerance");
  s.projection_iterations = static_cast<int>(options.number("projection_iterations"));
  s.relax.tolerance = options.number("relax_tolerance");
  s.relax.most_iterations = static_cast<int>(options.number("relax_iterations"));
  return s;
}

Der::Der(std::shared_ptr<const Model> model, const Settings& settings) : model_(std::move(model)), settings_(settings) {
  evaluate(*model_, Live{}, 0, 0, drive_);
  chain_ = std::make_unique<Chain>(build_chain(*model_, model_->initial, drive_, {settings_.extensible, settings_.general}));
  allocate();
  if (!settings_.extensible) start_on_lengths();
  update_edges(*chain_);
  update_bishop(*chain_, false);
  update_angles(*chain_, *angles_, 1);
  update_gradient(*chain_, 0);
  remember_curvature(*chain_);
}

namespace {
// Nothing in the drive changes with time, but for gusts.
bool is_steady(const Model& model) {
  bool steady = true;
  for (const Target& t : model.targets) {
    steady = steady && t.move.keys.empty() && t.turn.keys.empty() && t.from <= 0 && t.until == forever;
  }
  for (const NodeLoad& load : model.node_loads) steady = steady && load.factor.keys.empty();
  for (const LineLoad& load : model.line_loads) steady = steady && load.factor.keys.empty();
  for (const Wind& wind : model.winds) steady = steady && wind.law.factor.keys.empty();
  return steady;
}
}  // namespace

void Der::allocate() {
  Chain& c = *chain_;
  angles_ = std::make_unique<AngleWork>(c);
  projection_ = std::make_unique<ProjectionWork>(c);
  loads_ = std::make_unique<Loads>(*model_, c);
  drag_ = std::make_unique<AirDrag>(*model_, c);
  relaxer_.reset();
  force_.assign(static_cast<int>(c.kind.size()), {0, 0, 0});
  decay_.assign(c.kind.size(), 1);
  decay_dt_ = 0;
  first_tangents_.resize(c.rods.size());
  forget_walls();
  longest_ = 0;
  for (const RodModel& rod : model_->rods) longest_ = std::max(longest_, rod.length);
  output_ = std::make_unique<Chain>(c);
  steady_ = !loads_->follow() && is_steady(*model_);
}

// A start that was disturbed (initial_noise) is brought onto the rod's lengths first. Where that can not be, it stays as it
// is and the first step says so.
void Der::start_on_lengths() {
  const Array3 x = chain_->x, v = chain_->v;
  const bool fine = project(*chain_, *projection_, 1, settings_.projection_tolerance, settings_.projection_iterations).fine;
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
  for (std::size_t i = 0; i < model_->targets.size(); ++i) {
    if (drive_.targets[i].active != (chain_->active[i] != 0)) return true;
  }
  return false;
}

void Der::forget_walls() {
  wall_orientation_.assign(model_->targets.size(), Quat(0, 0, 0, 0));
  settled_ = false;
}

bool Der::walls_moved() {
  bool moved = false;
  for (const Wall& wall : chain_->walls) {
    const Quat& now = drive_.targets[z(wall.target)].pose.orientation;
    Quat& last = wall_orientation_[z(wall.target)];
    moved = moved || now.coeffs() != last.coeffs();
    last = now;
  }
  return moved;
}

// Happens only when a clamp takes hold or lets go, so it may allocate.
void Der::rebuild() {
  Frame pose = model_->initial;
  write(pose);
  chain_ = std::make_unique<Chain>(build_chain(*model_, pose, drive_, {settings_.extensible, settings_.general}));
  allocate();
  refresh();
  update_gradient(*chain_, 0);
  remember_curvature(*chain_);
}

void Der::refresh() {
  update_edges(*chain_);
  update_bishop(*chain_, false);
  update_angles(*chain_, *angles_, HUGE_VAL);  // computes, does not iterate
}

void Der::integrate(double dt) {
  Chain& c = *chain_;
  if (dt != decay_dt_) {
    decay_dt_ = dt;
    for (std::size_t v = 0; v < decay_.size(); ++v) decay_[v] = 1 / (1 + dt * c.mass_damping[v]);
  }
  for (int v = c.begin; v < c.end; v += pack_size) {
    store(force_, v, der::load(loads_->force(), v) + der::load(c.gradient, v) - der::load(c.gradient, v - 1));
  }
  for (const Twin& twin : c.twins) force_.add(twin.first, force_.get(twin.second));
  for (const Twin& twin : c.twins) force_.set(twin.second, force_.get(twin.first));
  const Pack h(dt);
  Pack fastest(0);
  for (int v = c.begin; v < c.end; v += pack_size) {
    const V3<Pack> velocity =
        der::load(decay_, v) * (der::load(c.v, v) + (h * der::load(c.inverse_mass, v)) * der::load(force_, v));
    store(c.v, v, velocity);
    if (!drag_->any()) store(c.x, v, der::load(c.x, v) + h * velocity);
    fastest = math::max(fastest, squared_norm(velocity));
  }
  if (drag_->any()) {
    drag_->apply(*model_, drive_, c, dt);
    for (int v = c.begin; v < c.end; v += pack_size) store(c.x, v, der::load(c.x, v) + h * der::load(c.v, v));
  }
  double worst = 0;
  for (int lane = 0; lane < pack_size; ++lane)
    worst = fastest[lane] <= worst ? worst : static_cast<double>(fastest[lane]);  // keeps NaN
  fastest_ = std::sqrt(worst);
  place_held();
}

void Der::place_held() {
  Chain& c = *chain_;
  for (std::size_t i = 0; i < model_->targets.size(); ++i) {
    const Target& target = model_->targets[i];
    if (!target.position || !drive_.targets[i].active) continue;
    const int vertex = c.vertex_of_node[z(target.node.value)];
    c.x.set(vertex, to_small(drive_.targets[i].pose.position));
    c.v.set(vertex, to_small(drive_.targets[i].motion.linear));
  }
  for (const Twin& twin : c.twins) {
    if (!c.held[z(twin.first)]) continue;
    c.x.set(twin.second, c.x.get(twin.first));
    c.v.set(twin.second, c.v.get(twin.first));
  }
}

// A short rod's step is cheaper than asking all timetables, so they are asked only where something can change.
void Der::ask_drive(double time, const Live& live) {
  const bool untouched = live.paths.count == 0 && live.hands.count == 0 && live.gravity_scale == 1;
  if (steady_ && settled_ && untouched) {
    drive_.time = time;
    return;
  }
  evaluate(*model_, live, time, 1, drive_);
  if (walls_changed()) rebuild();
  move_walls_ = walls_moved();
  loads_->update(drive_, *chain_);
  settled_ = untouched && !move_walls_;
}

StepReport Der::step(double time, double dt, const Live& live) {
  ask_drive(time + dt, live);
  Chain& c = *chain_;
  report_ = {};
  report_.step_taken = dt;
  resting_ = false;
  const auto failed = [&](Cause cause) {
    report_.outcome = Outcome::diverged;
    report_.cause = cause;
    return report_;
  };
  const double openness = update_gradient(c, dt);
  if (!(openness > folded)) return failed(openness != openness ? Cause::not_finite : Cause::folded_joint);
  loads_->add_couples(drive_, c);
  for (std::size_t r = 0; r < c.rods.size(); ++r) first_tangents_[r] = c.t.get(c.rods[r].first);
  integrate(dt);
  if (!std::isfinite(fastest_)) return failed(Cause::not_finite);
  if (fastest_ * dt > longest_) return failed(Cause::step_too_large);
  if (!settings_.extensible) {
    const ProjectionReport p =
        project(c, *projection_, dt, settings_.projection_tolerance, settings_.projection_iterations, settings_.push);
    report_.iterations = p.iterations;
    report_.residual = p.residual;
    if (!p.fine) return failed(Cause::projection);
  }
  if (move_walls_) set_walls(c, drive_);
  update_edges(c);
  carry_first_directors(c, first_tangents_);
  update_bishop(c, false);
  const AngleReport a = update_angles(c, *angles_, 1);
  if (!a.fine) return failed(Cause::frame_update);
  return report_;
}

StepReport Der::relax(double time, double load_factor, const Live& live) {
  evaluate(*model_, live, time, load_factor, drive_);
  if (walls_changed()) rebuild();
  Chain& c = *chain_;
  if (!relaxer_) relaxer_ = std::make_unique<Relaxer>(c);
  resting_ = true;
  place_held();
  c.v.assign(static_cast<int>(c.kind.size()), {0, 0, 0});
  for (std::size_t r = 0; r < c.rods.size(); ++r) first_tangents_[r] = c.t.get(c.rods[r].first);
  set_walls(c, drive_);
  forget_walls();
  update_edges(c);
  carry_first_directors(c, first_tangents_);
  fill_directors(c);
  const RelaxReport r = relaxer_->relax(c, drive_, *loads_, settings_.relax);
  report_ = {};
  report_.iterations = r.iterations;
  report_.residual = r.residual;
  report_.negative_pivots = r.negative_pivots;
  if (!r.fine) {
    report_.outcome = Outcome::not_converged;
    report_.cause = Cause::newton;
  }
  refresh();
  update_gradient(c, 0);
  remember_curvature(c);
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

void Der::fill_output() const {
  *output_ = *chain_;
  fill_directors(*output_);
  update_gradient(*output_, 0);
}

void Der::write(Frame& frame) const {
  fill_output();
  const Chain& c = *output_;
  if (frame.position.size() != model_->initial.position.size()) {  // a new frame takes its shape from the model
    const double time = frame.time;
    const std::int64_t step = frame.step;
    frame = model_->initial;
    frame.time = time, frame.step = step;
  }
  frame.own_energy = {};
  for (int i = 0; i < frame.position.size(); ++i) {
    const int v = c.vertex_of_node[z(i)];
    const Vec3 x = to_eigen(c.x.get(v)), velocity = to_eigen(c.v.get(v));
    frame.position[NodeIndex{i}] = x;
    frame.velocity[NodeIndex{i}] = velocity;
    frame.moment[NodeIndex{i}] = Vec3::Zero();
    frame.own_energy.kinetic += 0.5 * c.mass[z(v)] * velocity.squaredNorm();
    frame.own_energy.gravity -= c.mass[z(v)] * drive_.gravity.dot(x);
  }
  for (int e = 0; e < frame.orientation.size(); ++e) {
    const int s = c.slot_of_edge[z(e)];
    const V3<double> t = c.t.get(s), d1 = turned_about(t, c.m1.get(s), c.phi[z(s)]);
    const double strain = c.length[z(s)] / c.rest_length[z(s)] - 1;
    frame.orientation[EdgeIndex{e}] = quat_from_frame(to_eigen(d1), to_eigen(cross(t, d1)), to_eigen(t));
    frame.spin[EdgeIndex{e}] = to_eigen(c.inverse_length[z(s)] * cross(t, c.v.get(s + 1) - c.v.get(s)));
    frame.force[EdgeIndex{e}] = to_eigen(c.gradient.get(s) + (c.tension[z(s)] * c.length[z(s)]) * t);
    frame.own_energy.stretching += 0.5 * c.EA[z(s)] * c.rest_length[z(s)] * strain * strain;
  }
  for (const ChainRod& rod : c.rods) {
    double bending = 0, twisting = 0;
    joint_energy(c, rod, &bending, &twisting);
    frame.own_energy.bending += bending;
    frame.own_energy.twisting += twisting;
  }
  for (int i = 0; i < frame.twist.size(); ++i) {
    const int s = c.joint_of_inner[z(i)];
    const int last = c.kind[z(s)] == SlotKind::wall ? s + 1 : s;  // the node's twist, across a wall that stands there
    frame.twist[InnerNodeIndex{i}] = c.theta[z(last)] + c.phi[z(last)] - c.theta[z(s - 1)] - c.phi[z(s - 1)];
  }
  for (const ChainRod& rod : c.rods) {
    for (int s = rod.first + 1; s < rod.first + rod.slots; ++s) {
      const bool inside_wall = c.kind[z(s - 1)] == SlotKind::wall && s - 1 > rod.first;
      Vec3& moment = frame.moment[NodeIndex{c.node[z(s)]}];
      const Vec3 here = to_eigen(c.moment.get(s));
      moment = inside_wall ? Vec3(0.5 * (moment + here)) : here;
    }
  }
  frame.report = report_;
}

void Der::reactions(std::span<Wrench> at_targets) const {
  fill_output();
  const Chain& c = *output_;
  const auto inner_force = [&](int s) -> V3<double> {
    if (c.kind[z(s)] != SlotKind::edge) return {0, 0, 0};
    return c.gradient.get(s) + (c.tension[z(s)] * c.length[z(s)]) * c.t.get(s);
  };
  for (std::size_t i = 0; i < model_->targets.size(); ++i) {
    at_targets[i] = {};
    const Target& target = model_->targets[i];
    if (!c.active[i] || !target.position) continue;
    for (int v = c.begin; v < c.end; ++v) {
      if (c.node[z(v)] != target.node.value) continue;
      const V3<double> felt = inner_force(v) - inner_force(v - 1) + loads_->force().get(v);
      at_targets[i].force -= to_eigen(felt);
    }
  }
  for (const Wall& wall : c.walls) {
    Vec3 moment = to_eigen(c.moment.get(wall.slot) - c.moment.get(wall.slot + 1));
    const Vec3 t = to_eigen(c.t.get(wall.slot));
    if (wall.follows || !wall.direction) moment = moment.dot(t) * t;
    at_targets[z(wall.target)].moment = moment;
  }
}

void Der::save(StateWriter& writer) const {
  const Chain& c = *chain_;
  writer.array(c.active);
  for (const Array3* a : {&c.x, &c.v}) writer.array(a->x), writer.array(a->y), writer.array(a->z);
  for (const Array2* a : {&c.old_first, &c.old_second}) writer.array(a->x), writer.array(a->y);
  writer.array(c.theta);
  writer.array(c.tension);
  writer.array(c.first_director);
  writer.array(c.closure);
  writer.array(c.walls);
  writer.value(drive_.gravity.x()), writer.value(drive_.gravity.y()), writer.value(drive_.gravity.z());
  writer.value(report_);
  writer.value(resting_);
}

void Der::load(StateReader& reader) {
  std::vector<char> active(chain_->active.size());
  reader.array(active);
  if (active != chain_->active) {  // other walls stood when this was saved
    for (std::size_t i = 0; i < active.size(); ++i) drive_.targets[i].active = active[i] != 0;
    chain_ =
        std::make_unique<Chain>(build_chain(*model_, model_->initial, drive_, {settings_.extensible, settings_.general}));
    allocate();
  }
  Chain& c = *chain_;
  for (Array3* a : {&c.x, &c.v}) reader.array(a->x), reader.array(a->y), reader.array(a->z);
  for (Array2* a : {&c.old_first, &c.old_second}) reader.array(a->x), reader.array(a->y);
  reader.array(c.theta);
  reader.array(c.tension);
  reader.array(c.first_director);
  reader.array(c.closure);
  reader.array(c.walls);
  reader.value(drive_.gravity.x()), reader.value(drive_.gravity.y()), reader.value(drive_.gravity.z());
  reader.value(report_);
  reader.value(resting_);
  forget_walls();
  refresh();
}

}  // namespace tendril::der
