#include "methods/strands/energy.h"

#include <random>

#include "methods/strands/uniform.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::strands {
namespace {

SENTENCE("strands", "gradient and second variation of a segment's energy are those of finite differences") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const double stiffening : {0.0, 2.0}) {
    for (const double turn : {0.3, 2.0}) {
      Segment s;
      s.h = 0.3, s.u_rest = {0.5, -0.7, 1}, s.compliance = {1, 1.5, 2};
      const Law law{stiffening};
      const auto vector = [&] { return Vec3(any(random), any(random), any(random)); };
      const Quaternion near = to_small(exp_quat(vector())), far = near * to_small(exp_quat(turn * vector()));
      using X = Eigen::Matrix<double, 6, 1>;
      const auto energy = [&](const X& x) {
        const Quaternion a = near * to_small(exp_quat(Vec3(x.head<3>()))), b = far * to_small(exp_quat(Vec3(x.tail<3>())));
        const V w = log_of(Quaternion(conjugate(a) * b));
        double sum = 0;
        for (int i = 0; i < 3; ++i) sum += s.h * energy_of(law, 1 / s.compliance[i], w[i] / s.h - s.u_rest[i]);
        return sum;
      };
      const SegmentDerivatives d = segment_derivatives(s, law, near, far);
      const X gradient = Eigen::Map<const X>(d.gradient);
      const SegmentGradient alone = segment_gradient(s, law, near, far);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(alone.near[i], d.gradient[i], 1e-13);
        EXPECT_NEAR(alone.far[i], d.gradient[3 + i], 1e-13);
      }
      const auto r = compare_with_differences(energy, gradient, X(X::Zero()));
      EXPECT_TRUE(r.ok) << r.message;
      // Second differences of the energy itself.
      const double h = 1e-4;
      for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 6; ++k) {
          const auto at = [&](double a, double b) {
            X x = X::Zero();
            x[i] += a, x[k] += b;
            return energy(x);
          };
          const double second = (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h);
          EXPECT_NEAR(second, d.hessian[i][k], 1e-5) << i << " " << k;
        }
      }
    }
  }
}

SENTENCE("strands", "the gradient of a whole strand's energy with dead loads is that of finite differences") {
  Strand strand = uniform_strand({.segments = 8, .stiffness = {1, 0.7, 0.5}, .u_rest = {0.2, 0.5, 1}});
  for (Segment& s : strand.segments) s.world_force = {0.3, -1, 0.5};
  strand.set_loads({{5, {1, 0, 2}, {}, {}, {}}, {8, {0, 1, 1}, {}, {}, {}}});
  strand.holds = {{2, true, false, false, {0, 0, 0}, along_x()}};
  std::vector<State> states = rest_states(strand, {0, 0, 0}, along_x());
  EnergyDescent descent;
  descent.resize(strand);
  descent.load(strand, states);
  descent.assemble(strand, false);
  Eigen::VectorXd gradient(27);
  for (int i = 0; i < 27; ++i) gradient[i] = descent.gradient()[z(i)];
  const std::vector<Quaternion> start = descent.orientations();
  const auto energy = [&](const Eigen::VectorXd& x) {
    for (int j = 0; j < 9; ++j) descent.orientations()[z(j)] = start[z(j)] * to_small(exp_quat(Vec3(x.segment<3>(3 * j))));
    return descent.energy(strand);
  };
  const auto r = compare_with_differences(energy, gradient, Eigen::VectorXd(Eigen::VectorXd::Zero(27)));
  EXPECT_TRUE(r.ok) << r.message;
}

}  // namespace
}  // namespace tendril::strands
