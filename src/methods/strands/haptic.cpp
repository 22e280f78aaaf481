#include "tendril/strand.h"

#include <algorithm>
#include <cmath>

#include "methods/strands/coupling.h"
#include "methods/strands/ends.h"
#include "methods/strands/solver.h"

namespace tendril {

using namespace strands;

namespace {
// Quite straight, a strand whose ends look elsewhere has no finite tension: this much of its length is used.
constexpr double reach = 0.995;
}  // namespace

struct HapticStrand::Inside {
  Strand strand;
  Solver solver;
  VirtualCoupling coupling;
  std::vector<State> kept;
  double length = 0, tolerance = 0;
  enum class End { free, held, sprung } end = End::free;

  State tip() const { return solver.states().back(); }
  HeldNode& wall() { return strand.holds.front(); }
  void set_end(End next);
  StrandAnswer solve();
  double elastic() const;
  double weight() const;
};

// The solver is made for the kinds of hold there are; all three were made once, so a change allocates nothing.
void HapticStrand::Inside::set_end(End next) {
  if (next == end) return;
  end = next;
  if (end != End::sprung) coupling.end();
  strand.holds.resize(end == End::held ? 2 : 1);
  strand.springs.resize(end == End::sprung ? 1 : 0);
  strand.spring_at.back() = end == End::sprung ? 0 : -1;
  if (end == End::sprung) strand.springs[0].node = strand.last(), strand.springs[0].k = 1;
  if (end == End::held) strand.holds[1] = {strand.last(), true, true, true, tip().r, tip().q};
  if (end != End::free) strand.loads.clear(), strand.load_at.back() = -1, strand.note_loads();
  solver.restart(strand);
}

StrandAnswer HapticStrand::Inside::solve() {
  const Answer answer = solver.solve(strand);
  StrandAnswer out;
  out.fine = answer.fine;
  out.iterations = answer.iterations, out.sweeps = answer.sweeps, out.residual = answer.residual;
  out.verdict = answer.verdict, out.imbalance = answer.imbalance;
  return out;
}

double HapticStrand::Inside::elastic() const {
  double sum = 0;
  const std::vector<State>& states = solver.states();
  for (int j = 0; j < strand.last(); ++j) {
    const Segment& s = strand.segments[z(j)];
    for (int i = 0; i < 3; ++i) {
      // Integral of m^2/(2 EI) with m linear along the segment, exact.
      const double a = states[z(j)].x.m[i], b = states[z(j + 1)].x.m[i];
      sum += s.h / 6 * s.compliance[i] * (a * a + a * b + b * b);
    }
  }
  return sum;
}
double HapticStrand::Inside::weight() const {
  double sum = 0;
  const std::vector<State>& states = solver.states();
  for (int j = 0; j < strand.last(); ++j)
    sum -= 0.5 * strand.segments[z(j)].h * dot(strand.segments[z(j)].world_force, states[z(j)].r + states[z(j + 1)].r);
  return sum;
}

HapticStrand::HapticStrand(const StrandDesign& design) : inside_(std::make_unique<Inside>()) {
  TENDRIL_REQUIRE(design.length > 0 && design.segments >= 2, "needs a length and at least two segments");
  TENDRIL_REQUIRE(design.EI1 > 0 && design.EI2 > 0 && design.GJ > 0, "needs stiffnesses above zero");
  TENDRIL_REQUIRE(design.order == 1 || design.order == 2 || design.order == 4, "the order is 1, 2 or 4");
  TENDRIL_REQUIRE(design.max_iterations >= 1 && design.max_descents >= 0, "needs at least one iteration");
  Inside& in = *inside_;
  // Equal segments; weight as a dead load along them.
  Segment s;
  s.h = design.length / design.segments;
  s.u_rest = to_small(design.rest_strain);
  s.compliance = {1 / design.EI1, 1 / design.EI2, 1 / design.GJ};
  s.world_force = to_small(design.line_force);
  in.strand.segments.assign(z(design.segments), s);
  in.strand.order = design.order;
  in.strand.set_loads({});
  in.strand.set_springs({});
  in.length = design.length, in.tolerance = design.tolerance;
  // Bounded work per call: iterations, sweeps, steps of descent.
  SolverSettings settings;
  settings.tolerance = design.tolerance;
  settings.max_iterations = design.max_iterations;
  settings.max_sweeps = 3 * design.max_iterations + 2;
  settings.pieces = std::clamp(design.segments / 6, 2, 16);
  settings.descent_iterations = design.max_descents;
  settings.may_descend = design.max_descents > 0;
  settings.verdict = settings.seek_minimum = design.verdict;
  const V r = to_small(design.root.position);
  const Quaternion q = to_small(Quat(design.root.orientation.normalized()));
  // The rest shape, without weight, is the first guess: two sweeps find it.
  Strand bare = in.strand;
  for (Segment& segment : bare.segments) segment.world_force = {0, 0, 0};
  bare.note_loads();
  Standard rest;
  rest.solve(bare, r, q, {{0, 0, 0}, {0, 0, 0}});
  in.strand.holds = {{0, true, true, true, r, q},
                     {in.strand.last(), true, true, true, rest.states().back().r, rest.states().back().q}};
  // Both ends held, a load and a spring: the most there can be, so that nothing is allocated later.
  Strand fullest = in.strand;
  fullest.set_loads({{.node = fullest.last()}});
  fullest.set_springs({{fullest.last(), 1, {}, {}}});
  in.solver.start(fullest, settings, rest.states());
  in.solver.reserve(fullest);
  in.solver.restart(in.strand);
  in.end = Inside::End::held;
  in.set_end(Inside::End::free);
  in.strand.loads.reserve(1), in.strand.springs.reserve(1);
  in.kept = in.solver.states();
  in.solve();
}
HapticStrand::~HapticStrand() = default;
HapticStrand::HapticStrand(HapticStrand&&) noexcept = default;
HapticStrand& HapticStrand::operator=(HapticStrand&&) noexcept = default;

void HapticStrand::move_root(const Pose& root) {
  inside_->wall().r = to_small(root.position);
  inside_->wall().q = to_small(Quat(root.orientation.normalized()));
}

// At most one moderate step a call: a tenth of the length, half a radian.
StrandAnswer HapticStrand::lead(const Pose& end) {
  Inside& in = *inside_;
  in.set_end(Inside::End::held);
  // A pose out of reach is held at the nearest place in reach.
  V r = to_small(end.position);
  const Quaternion q = to_small(Quat(end.orientation.normalized()));
  const double most = reach * in.length, distance = norm(r - in.wall().r);
  const bool in_reach = distance <= most;
  if (distance > most) r = in.wall().r + (most / distance) * (r - in.wall().r);
  const State tip = in.tip();
  // The whole distance, or as much of it as one step may be.
  const V way = r - tip.r, turn = log_of(Quaternion(conjugate(tip.q) * q));
  const double part = std::min({1.0, 0.1 * in.length / std::max(norm(way), 1e-300), 0.5 / std::max(norm(turn), 1e-300)});
  HeldNode& hold = in.strand.holds[1];
  hold.r = part < 1 ? tip.r + part * way : r;
  hold.q = part < 1 ? normalized(tip.q * to_small(exp_quat(to_eigen(V(part * turn))))) : q;
  StrandAnswer answer = in.solve();
  answer.in_reach = in_reach;
  answer.arrived = part == 1;
  // What the hand feels is the opposite of what holds the end.
  const Stress<double> reaction = in.solver.far_reaction();
  answer.on_hand = {-to_eigen(reaction.n), -to_eigen(reaction.m)};
  return answer;
}

namespace {
void set_tip_load(Strand& strand, const StrandLoad& load) {
  strand.loads.resize(1);
  strand.loads[0] = load;
  strand.load_at.back() = 0;
  strand.note_loads();
}
}  // namespace

StrandAnswer HapticStrand::pull_in_material_axes(const Wrench& end) {
  Inside& in = *inside_;
  in.set_end(Inside::End::free);
  set_tip_load(in.strand, {in.strand.last(), {}, {}, to_small(end.force), to_small(end.moment)});
  StrandAnswer answer = in.solve();
  const State tip = in.tip();
  answer.on_hand = {-to_eigen(into_world(tip.q, to_small(end.force))), -to_eigen(into_world(tip.q, to_small(end.moment)))};
  return answer;
}
StrandAnswer HapticStrand::pull_in_world_axes(const Wrench& end) {
  Inside& in = *inside_;
  in.set_end(Inside::End::free);
  set_tip_load(in.strand, {in.strand.last(), to_small(end.force), to_small(end.moment), {}, {}});
  StrandAnswer answer = in.solve();
  answer.on_hand = {-end.force, -end.moment};
  return answer;
}

StrandAnswer HapticStrand::couple(const Hand& given, double dt) {
  Inside& in = *inside_;
  Hand hand = given;
  hand.pose.orientation.normalize();
  // The spring of the virtual coupling replaces hold and load.
  in.set_end(Inside::End::sprung);
  if (!in.coupling.active()) in.coupling.begin(hand, in.tip(), in.elastic() + in.weight());
  in.strand.springs[0] = in.coupling.spring(hand, dt, in.strand.last(), in.wall().r, reach * in.length);
  in.kept = in.solver.states();
  StrandAnswer answer = in.solve();
  answer.in_reach = in.coupling.in_reach();
  // Passivity: energy that the shape would give to the hand is taken off as drag, within bounds; beyond, the shape is
  // refused.
  const double max_drag = 2 * in.length * (hand.stiffness + (dt > 0 ? 2 * hand.damping / dt : 0));
  if (answer.fine && in.coupling.needed_drag(hand, dt, in.tip(), in.elastic() + in.weight()) > max_drag) {
    in.solver.set_states(in.strand, in.kept);  // uphill: another branch than the one the hand leads
    answer.fine = false;
  }
  const VirtualCoupling::Felt felt = in.coupling.close(hand, dt, in.tip(), in.elastic() + in.weight());
  answer.on_hand = {-to_eigen(felt.force), -to_eigen(felt.moment)};
  return answer;
}
void HapticStrand::let_go() { inside_->coupling.end(); }

int HapticStrand::nodes() const { return inside_->strand.nodes(); }
Pose HapticStrand::pose(int node) const {
  const State& at = inside_->solver.states()[z(node)];
  return {to_eigen(at.r), to_eigen(at.q)};
}
Wrench HapticStrand::stress(int node) const {
  const State& at = inside_->solver.states()[z(node)];
  return {to_eigen(into_world(at.q, at.x.n)), to_eigen(into_world(at.q, at.x.m))};
}
double HapticStrand::elastic_energy() const { return inside_->elastic(); }
double HapticStrand::stored_energy() const {
  return inside_->coupling.active() ? inside_->coupling.stored() : inside_->elastic() + inside_->weight();
}
double HapticStrand::work() const { return inside_->coupling.work(); }
double HapticStrand::corrected() const { return inside_->coupling.corrected(); }

}  // namespace tendril
