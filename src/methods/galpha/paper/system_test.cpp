#include "methods/galpha/paper/system.h"

#include "methods/galpha/paper/paper_testing.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"

namespace tendril::galpha::paper {
namespace {

// A rod of odd section, curved at rest, loaded in every way, at two random levels.
struct Instant {
  std::shared_ptr<const Model> model;
  RodData rod;
  LoadsNow loads;
  Level before, now;

  Instant(bool held, int seed) : model(make()), rod(rod_data(*model, 0)), loads(*model), before(rod), now(rod) {
    Random random(seed);
    Drive drive;
    evaluate(*model, Live{}, 0, 1, drive);
    loads.update(drive);
    for (Level* level : {&before, &now}) {
      for (Fields& x : level->x) x = {random.vector(1), random.vector(1), random.vector(2), random.vector(3)};
      for (Rates& rate : level->rate) rate = {random.vector(1), random.vector(1), random.vector(1)};
      level->ends.near = drive.clamps[0].pose;
      level->ends.motion = {random.vector(1), random.vector(1)};
      level->ends.held = held;
      level->ends.far_motion = {random.vector(1), random.vector(1)};
      level->ends.load = loads.at_node(rod.node(rod.count()));
      place_frames(rod, *level);
    }
  }
  static std::shared_ptr<const Model> make() {
    Scene scene = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 1), 0.5, 1.1}, 3, plain_section(1, 1.7, 0.6));
    scene.rods[0].damping.mass = 0.4;
    add_clamp(scene, 0);
    ForceLoad force = tip_force(Vec3(0.5, -1, 0.7)), follower = tip_force(Vec3(0.2, 0.3, -0.4));
    follower.axes = Axes::material;
    DistributedLoad line_load;
    line_load.rod = "rod", line_load.force = Vec3(1, 2, 3), line_load.axes = Axes::material;
    scene.loads = {gravity(Vec3(1, -2, -9)), force, follower, tip_moment(Vec3(0.3, 0.1, -0.2)), line_load};
    return model_of(scene);
  }
};

Eigen::MatrixXd dense_of(System& system) {
  system.assemble();
  auto& m = system.matrix();
  const int n = m.blocks(), b = unknowns;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n * b, n * b);
  for (int i = 0; i < n; ++i) {
    dense.block(i * b, i * b, b, b) = m.diagonal(i);
    if (i + 1 < n) dense.block(i * b, (i + 1) * b, b, b) = m.upper(i), dense.block((i + 1) * b, i * b, b, b) = m.lower(i);
  }
  return dense;
}

// Turns are no unknowns of the residual: they follow from the curvatures. The rows that say how give them; what is left is the
// derivative in the fields alone.
Eigen::MatrixXd without_turns(const Eigen::MatrixXd& full, std::vector<int>& rows) {
  std::vector<int> turns, fields;
  for (int i = 0; i < full.rows(); ++i) {
    const int in_block = i % unknowns;
    (in_block >= of_turn ? turns : fields).push_back(i);
  }
  std::vector<int> turn_rows;
  rows.clear();
  for (int i = 0; i < full.rows(); ++i) (i % unknowns >= 6 && i % unknowns < 9 ? turn_rows : rows).push_back(i);
  const Eigen::MatrixXd ff = full(rows, fields), ft = full(rows, turns), tf = full(turn_rows, fields),
                        tt = full(turn_rows, turns);
  return ff - ft * tt.lu().solve(tf);
}

// The tangent at a random level against differences of the residual.
DifferenceResult compare_tangent(const Settings& settings, bool held, double dt, int seed) {
  Instant at(held, seed);
  System system(at.rod, settings);
  const StepSizes sizes{settings.triple, dt};
  find_rows(at.rod, settings.space, weights_of(settings), at.loads, at.before);
  system.begin(at.before, at.loads, sizes, at.now);
  std::ignore = system.evaluate();
  std::vector<int> rows;
  const Eigen::MatrixXd tangent = without_turns(dense_of(system), rows);
  const auto f = [&](const Eigen::VectorXd& x) {
    std::vector<double> change(z(system.size()), 0.0);
    for (int i = 0; i < x.size(); ++i) change[z(i / 12 * unknowns + i % 12)] = x[i];
    system.shift(change, 1);
    std::ignore = system.evaluate();
    Eigen::VectorXd out(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) out[static_cast<Eigen::Index>(i)] = system.residual()[z(rows[i])];
    // Rows whose values are set before a step, and those of an equilibrium's velocities, stand for themselves.
    const int alone = sizes.still() ? static_cast<int>(at.rod.nodes.size()) : 1;
    for (int k = 0; k < alone; ++k) out.segment(12 * k, 6) += x.segment(12 * k, 6);
    return out;
  };
  return compare_with_differences(f, tangent, Eigen::VectorXd(Eigen::VectorXd::Zero(tangent.cols())));
}

SENTENCE("galpha", "paper: the tangent of a step is the derivative of its residual, in both box schemes, held and free") {
  for (const Space space : {Space::products_of_means, Space::means_of_products})
    for (const bool held : {false, true}) {
      const auto result = compare_tangent(of(Triple::of_radius(0.6), space), held, 0.05, held ? 3 : 4);
      EXPECT_TRUE(result.ok) << result.message;
    }
}
SENTENCE("galpha", "paper: the tangent of an equilibrium is the derivative of its residual") {
  for (const Space space : {Space::products_of_means, Space::means_of_products}) {
    const auto result = compare_tangent(of(Triple::of_radius(0.6), space), false, 0, 5);
    EXPECT_TRUE(result.ok) << result.message;
  }
}
// Where it keeps nothing of the node before, gamma = 1 and beta = 0, the printed tangent is true.
SENTENCE("galpha",
         "paper: the recurrence's tangent is the derivative of its residual where nothing is frozen, and not elsewhere") {
  for (const double gamma : {1.0, 0.7}) {
    const auto result = compare_tangent(of({1 - gamma, 0, gamma}, Space::recurrence), false, 0.05, 7);
    EXPECT_EQ(result.ok, gamma == 1) << result.message;
  }
}

SENTENCE("galpha", "paper: a triple of rho_infinity is of second order and ends where the printed formulas say") {
  for (const double rho : {0.0, 0.3, 0.6, 0.9, 1.0}) {
    const auto [alpha, beta, gamma] = Triple::of_radius(rho);
    EXPECT_NEAR(alpha - beta + gamma, 0.5, 1e-15);
    const double lambda = -rho;  // [Sobottka 2008, section 4.2]
    EXPECT_NEAR(alpha, (3 * lambda + 1) / (2 * lambda - 2), 1e-15);
  }
}

}  // namespace
}  // namespace tendril::galpha::paper
