// Forces are minus the gradient of the energy that is left when the material frame has found its equilibrium.
#include "methods/der/rod/forces.h"

#include "math/transport.h"
#include "methods/der/der_testing.h"
#include "methods/der/rod/frames.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

using namespace tendril;
using namespace tendril::der;

namespace {

// A chain whose vertices may be moved by a test, with frames that follow.
class Bench {
 public:
  Bench(const Scene& scene, bool force_general) : model_(model_of(scene)) {
    evaluate(*model_, Live{}, scene.time.duration, 1, drive_);
    start_ = build_chain(*model_, model_->initial, drive_, {force_general});
    work_ = std::make_unique<AngleWork>(start_);
    update_edges(start_);
    settle(start_);
    shake();
  }
  int nodes() const { return model_->rest_position.size(); }
  const Chain& start() const { return start_; }

  // The chain with its nodes moved by delta (3 per node), frames carried along and settled.
  Chain moved(const Eigen::VectorXd& delta) const {
    Chain c = start_;
    for (int v = c.begin; v < c.end; ++v) {
      const int node = c.node[static_cast<std::size_t>(v)];
      if (node >= 0) c.x.add(v, {delta[3 * node], delta[3 * node + 1], delta[3 * node + 2]});
    }
    std::vector<V3<double>> old;
    for (const ChainRod& rod : c.rods) old.push_back(c.t.get(rod.first));
    update_edges(c);
    carry_first_directors(c, c.all(), old);
    settle(c);
    return c;
  }
  double energy(const Eigen::VectorXd& delta) const {
    const Chain c = moved(delta);
    double sum = 0;
    for (const ChainRod& rod : c.rods) sum += joint_energy(c, rod, nullptr, nullptr);
    return sum;
  }
  Eigen::VectorXd gradient() const {
    Chain c = start_;
    update_gradient(c);
    Eigen::VectorXd g = Eigen::VectorXd::Zero(3 * nodes());
    for (int v = c.begin; v < c.end; ++v) {
      const int node = c.node[static_cast<std::size_t>(v)];
      if (node < 0) continue;
      const V3<double> f = c.gradient.get(v) - c.gradient.get(v - 1);
      for (int k = 0; k < 3; ++k) g[3 * node + k] -= f[k];
    }
    return g;
  }

 private:
  void settle(Chain& c) const {
    update_bishop(c, false);
    const AngleReport report = update_angles(c, *work_, 1e-3);
    EXPECT_TRUE(report.fine || report.residual < 1);
  }
  void shake() {  // away from any symmetric place
    Random random(11);
    Eigen::VectorXd delta(3 * nodes());
    for (int i = 0; i < delta.size(); ++i) delta[i] = 0.01 * random.uniform(-1, 1);
    start_ = moved(delta);
  }
  std::shared_ptr<const Model> model_;
  Drive drive_;
  Chain start_;
  std::unique_ptr<AngleWork> work_;
};

void expect_forces_are_gradient(const Scene& scene, bool force_general = false) {
  const Bench bench(scene, force_general);
  DifferenceOptions options;
  options.step = 4e-4;
  options.rounding = 1e-6;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3 * bench.nodes());
  const auto r =
      compare_with_differences([&](const Eigen::VectorXd& d) { return bench.energy(d); }, bench.gradient(), zero, options);
  EXPECT_TRUE(r.ok) << r.message;
}

const Curve arc = ArcCurve{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), 0.6, 1.7};

Scene twisted_between_clamps(const Curve& curve, const CrossSection& section) {
  Scene scene = one_rod(curve, 9, section);
  add_clamp(scene, 0);
  add_clamp(scene, 1).turn = ramp(0.4);
  return scene;
}

}  // namespace

SENTENCE("der", "forces of a straight isotropic rod twisted between clamps are minus the gradient of its energy") {
  expect_forces_are_gradient(twisted_between_clamps(line, plain_section()));
  expect_forces_are_gradient(twisted_between_clamps(line, plain_section()), true);
}

SENTENCE("der", "forces of a curved anisotropic rod twisted between clamps are minus the gradient of its energy") {
  expect_forces_are_gradient(twisted_between_clamps(arc, plain_section(1, 0.3)));
}

SENTENCE("der", "forces of a free curved anisotropic rod are minus the gradient of its energy") {
  expect_forces_are_gradient(one_rod(arc, 9, plain_section(0.4, 1.5)));
}

SENTENCE("der", "forces of twisted rings are minus the gradient of their energy") {
  Scene ring = one_rod(StraightCurve{Vec3(0, 0, 0), Vec3(6.283185307179586, 0, 0)}, 12);
  ring.rods[0].initial = CircleCurve{};
  ring.rods[0].initial_twist = 0.7;
  expect_forces_are_gradient(ring);
  expect_forces_are_gradient(ring, true);
  Scene curved = one_rod(CircleCurve{}, 12, plain_section(1, 0.4));
  curved.rods[0].initial_twist = 0.3;
  expect_forces_are_gradient(curved);
  add_clamp(curved, 0).turn = ramp(0.1);
  expect_forces_are_gradient(curved);
}

SENTENCE("der", "forces beside clamps inside a rod are minus the gradient of its energy, whatever they hold") {
  for (const std::vector<Hold>& hold : {std::vector<Hold>{Hold::position, Hold::direction, Hold::twist},
                                        {Hold::direction},
                                        {Hold::twist},
                                        {Hold::position, Hold::twist},
                                        {Hold::direction, Hold::twist}}) {
    for (const bool straight : {true, false}) {
      Scene scene = one_rod(straight ? line : arc, 9, straight ? plain_section() : plain_section(1, 0.3));
      add_clamp(scene, 0);
      add_clamp(scene, 0.5, hold).turn = ramp(0.15);
      add_clamp(scene, 1, {Hold::twist}).turn = ramp(-0.2);
      expect_forces_are_gradient(scene);
      expect_forces_are_gradient(scene, true);
    }
  }
}

SENTENCE("der", "internal forces and moments balance: they move no rod as a whole and turn none") {
  for (const bool straight : {true, false}) {
    const Bench bench(one_rod(straight ? line : arc, 9, straight ? plain_section() : plain_section(1, 0.3)), false);
    const Eigen::VectorXd g = bench.gradient();
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    const Chain& c = bench.start();
    for (int i = 0; i < bench.nodes(); ++i) {
      const Vec3 x = to_eigen(c.x.get(c.vertex_of_node[static_cast<std::size_t>(i)])), f = g.segment<3>(3 * i);
      force += f;
      moment += x.cross(f);
    }
    EXPECT_GT(g.norm(), 1);
    EXPECT_LT(force.norm(), 1e-12 * g.norm());
    EXPECT_LT(moment.norm(), 1e-11 * g.norm());
  }
}
