// Random end poses from a straight start: how many are solved, and is each verdict of stability true? The verdict counts
// negative pivots of the discrete second variation. It is checked with conjugate points, which know nothing of that: the
// tangents of the sweep from the held far end are the Jacobi fields of the strand, and an equilibrium is a minimum when no
// combination of them vanishes before the other end (Jacobi; for held positions Manning, Rogers and Maddocks 1998).
#include <fmt/format.h>

#include <Eigen/LU>

#include "methods/strands/ends.h"
#include "methods/strands/solver.h"
#include "methods/strands/uniform.h"
#include "testing/random_rods.h"
#include "validation/experiment.h"

namespace tendril::experiments::strands_random_poses {
namespace {

using namespace strands;

// Sign changes of the determinant of pose by far-end stress, node by node.
int conjugate_points(const Strand& strand, const FarEnd& end) {
  const Scales scales = Scales::of(strand);
  Slice<Jet> at = started<Jet>(strand, scales, end);
  int changes = 0;
  double sign = 0;
  for (int node = strand.last(); node > 0; --node) {
    sweep_back(strand, node, node - 1, at);
    const V3<Jet> turn = 2.0 * vector_part(conjugate(constant<Jet>(value_of(at.q))) * at.q);
    Eigen::Matrix<double, 6, 6> fields;
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 6; ++d) fields(i, d) = at.r[i].slope(d), fields(3 + i, d) = turn[i].slope(d);
    // Near the held end the fields are zero to high order: counted from where they are above rounding.
    if (strand.last() - node < 3) continue;
    const double now = fields.determinant() > 0 ? 1 : -1;
    changes += sign != 0 && now != sign;
    sign = now;
  }
  return changes;
}

struct Counts {
  int solved = 0, minima = 0, agreeing = 0, judged = 0, unstable_seen = 0;
  double worst = 0, seconds = 0;
};

void try_pose(Random& random, int n, Counts& counts) {
  Strand strand =
      uniform_strand({.length = 1, .segments = n, .stiffness = {1, 1, 0.7}, .u_rest = {}, .give = {}, .order = 2});
  const Vec3 place = 0.9 * std::cbrt(random.uniform()) * random.unit_vector();
  const Quat turn = random.rotation();
  strand.holds = {held(0, {0, 0, 0}, along_x()), held(n, to_small(place), to_small(turn))};
  Solver solver;
  SolverSettings settings;
  settings.tolerance = 1e-8;
  solver.start(strand, settings, rest_states(strand, {0, 0, 0}, along_x()));
  const Answer answer = solver.solve(strand);
  if (!answer.fine) return;
  ++counts.solved;
  counts.minima += answer.verdict.minimum();
  counts.worst = std::max(counts.worst, answer.residual);
  ++counts.judged;
  counts.agreeing += (conjugate_points(strand, solver.end()) == 0) == (answer.verdict.minimum());
  // Single shooting from a wild guess finds equilibria that are no minima: the verdict has to tell them too.
  SingleShooting wild;
  FarEnd end = solver.end();
  end.x.m = end.x.m + to_small(random.vector(6)), end.x.n = end.x.n + to_small(random.vector(30));
  std::vector<State> states = solver.states();
  if (!wild.solve(strand, {1e-8, 40, 300}, end, states).fine) return;
  EnergyDescent energy;
  energy.resize(strand);
  const int unstable = energy.judge(strand, states).unstable;
  ++counts.judged;
  counts.unstable_seen += unstable > 0;
  counts.agreeing += (conjugate_points(strand, end) == 0) == (unstable == 0);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const int poses = context.full() ? 10000 : 1000, n = 60;
  Random random(20);
  Counts counts;
  for (int k = 0; k < poses; ++k) try_pose(random, n, counts);
  std::vector<Check> checks;
  const double solved = 1.0 * counts.solved / poses, agreeing = 1.0 * counts.agreeing / counts.judged;
  checks.push_back({fmt::format("poses solved, of {}, at least", poses), 0.999, solved, 1 - solved, 1e-3, solved >= 0.999});
  checks.push_back(bound_check("worst residual of those solved", counts.worst, 1e-8));
  checks.push_back(
      absolute_check(fmt::format("verdicts that conjugate points confirm, of {}", counts.judged), 1, agreeing, 0));
  checks.push_back({"equilibria among them that are no minimum, at least", 20, 1.0 * counts.unstable_seen, 0, 0,
                    counts.unstable_seen >= 20});
  context.write_csv("counts", {"poses", "solved", "minima", "judged", "confirmed", "unstable seen", "worst residual"},
                    {{1.0 * poses, 1.0 * counts.solved, 1.0 * counts.minima, 1.0 * counts.judged, 1.0 * counts.agreeing,
                      1.0 * counts.unstable_seen, counts.worst}});
  return checks;
}

}  // namespace tendril::experiments::strands_random_poses
