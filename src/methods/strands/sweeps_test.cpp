#include <random>

#include "methods/strands/ends.h"
#include "methods/strands/uniform.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::strands {
namespace {

// Anisotropic, naturally bent and twisted, extensible or not, with follower loads along it.
Strand rich_strand(int segments, int order, bool stretches = false, double stiffening = 0) {
  Strand strand = uniform_strand({.length = 1.3,
                                  .segments = segments,
                                  .stiffness = {1, 0.6, 0.4},
                                  .u_rest = {0.7, -0.4, 1.1},
                                  .give = stretches ? V{0.01, 0.01, 0.02} : V{0, 0, 0},
                                  .order = order});
  strand.law.reference = stiffening;
  for (Segment& s : strand.segments) s.material_force = {0.4, -0.3, 0.2};
  strand.note_loads();
  return strand;
}
const Stress<double> rich_stress{{0.5, -0.8, 0.6}, {1.5, 0.7, -1.1}};

State tip_of(const Strand& strand) {
  Standard standard;
  standard.solve(strand, {0, 0, 0}, along_x(), rich_stress);
  return standard.states().back();
}

SENTENCE("strands", "the sweeps have orders one, two and four, with and without stretch, and with a law that stiffens") {
  for (const auto& [stretches, stiffening] : {std::pair{false, 0.0}, {true, 0.0}, {false, 1.5}}) {
    const V exact = tip_of(rich_strand(2560, 4, stretches, stiffening)).r;
    for (const auto& [order, most] : {std::pair{1, 2e-2}, {2, 2e-4}, {4, 1e-7}}) {
      double error[3];
      for (int k = 0; k < 3; ++k) error[k] = norm(tip_of(rich_strand(40 << k, order, stretches, stiffening)).r - exact);
      EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.25) << order << " " << error[0];
      EXPECT_NEAR(std::log2(error[1] / error[2]), order, 0.2) << order << " " << error[1];
      EXPECT_LT(error[2], most) << order;
    }
  }
}

SENTENCE("strands", "a tip moment bends a strand into the whole circle, exactly for every order") {
  for (const int order : {1, 2, 4}) {
    Strand strand = uniform_strand({.segments = 64, .order = order});
    Standard standard;
    standard.solve(strand, {0, 0, 0}, along_x(), {{0, math::two_pi, 0}, {0, 0, 0}});
    EXPECT_LT(norm(standard.states().back().r), 1e-13) << order;
  }
}

SENTENCE("strands", "force and moment balance exactly from node to node") {
  for (const int order : {2, 4}) {
    Strand strand = uniform_strand({.segments = 30, .stiffness = {1, 0.5, 0.3}, .u_rest = {0.3, 0.2, 2}, .order = order});
    Standard standard;
    standard.solve(strand, {0.1, 0.2, 0.3}, along_x(), rich_stress);
    const auto& states = standard.states();
    const auto force = [&](int j) { return into_world(states[z(j)].q, states[z(j)].x.n); };
    const auto moment = [&](int j) {
      return into_world(states[z(j)].q, states[z(j)].x.m) + cross(states[z(j)].r, force(j));
    };
    for (int j = 0; j < 30; ++j) {
      EXPECT_LT(norm(force(j) - force(30)), 1e-13);
      EXPECT_LT(norm(moment(j) - moment(30)), 1e-13);
    }
  }
}

SENTENCE("strands", "a sweep in world axes and the two sweeps of the standard problem are the same") {
  for (const int order : {1, 2, 4, 0}) {  // order 2 and 0 are plain, which has a way of its own: with and without loads
    Strand strand = rich_strand(50, order > 0 ? order : 2);
    EXPECT_TRUE(strand.plain);
    if (order == 0) {
      for (Segment& s : strand.segments) s.material_force = {0, 0, 0};
      strand.note_loads();
    }
    Standard standard;
    standard.solve(strand, {0, 0, 0}, along_x(), rich_stress);
    State at = standard.states().back();
    sweep_back(strand, strand.last(), 0, at);
    EXPECT_LT(norm(at.r), 1e-13);
    EXPECT_LT(norm(at.x.m - standard.states()[0].x.m), 1e-13);
  }
}

// A strand with every kind of load.
Strand loaded_strand(int order, bool stretches, double stiffening) {
  Strand strand = rich_strand(20, order, stretches, stiffening);
  for (Segment& s : strand.segments) s.world_force = {0.2, 0.5, -0.8};
  StrandLoad middle{9, {0.3, 0, 0.1}, {0.1, 0.2, 0}, {0, 0.2, 0.3}, {0, 0, 0.1}};
  StrandLoad end{20, {0, 0.3, 0.1}, {0.1, 0, 0.2}, {0.1, 0.2, 0}, {0, 0.3, 0.1}};
  strand.set_loads({end, middle});
  return strand;
}

SENTENCE("strands", "the swept tangent is that of finite differences, for every order, hold, law and load") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto vector = [&] { return V{any(random), any(random), any(random)}; };
  for (const int order : {1, 2, 4}) {
    for (const auto& [stretches, stiffening] : {std::pair{false, 0.0}, {true, 0.0}, {false, 1.5}}) {
      for (const int kind : {0, 1, 2, 3}) {  // held, free, position only, on springs
        Strand strand = loaded_strand(order, stretches, stiffening);
        const Quaternion q = to_small(exp_quat(to_eigen(vector())));
        if (kind != 2) strand.holds.push_back(held(0, {0, 0, 0}, along_x()));
        if (kind == 2) strand.holds.push_back({0, true, true, false, {0, 0, 0}, along_x()});
        if (kind == 0) strand.holds.push_back(held(strand.last(), {0.5, 0.2, 0.1}, q));
        if (kind == 2) strand.holds.push_back({strand.last(), true, false, false, {0.5, 0.2, 0.1}, q});
        if (kind == 3) {
          Spring far{20, 2.0, vector(), {}}, inside{13, 1.0, vector(), {}};
          far.turning.push({0.5, to_small(exp_quat(to_eigen(vector())))}), far.turning.push({0.3, q});
          inside.turning.push({0.2, q}), inside.turning.push({0.1, to_small(exp_quat(to_eigen(vector())))});
          strand.set_springs({inside, far});
        }
        FarEnd end{vector(), q, {vector(), vector()}};
        settle_far_end(strand, end);
        SingleShooting shooting;
        Six rows;
        SmallLU<6>::Block jacobian;
        shooting.linearise(strand, end, rows, jacobian);
        const Scales scales = Scales::of(strand);
        const auto f = [&](const Eigen::Matrix<double, 6, 1>& x) -> Eigen::VectorXd {
          Six step;
          for (int i = 0; i < 6; ++i) step[z(i)] = x[i];
          const Six at = shooting.residual(strand, SingleShooting::moved(strand, scales, end, step, 1), nullptr);
          return Eigen::Map<const Eigen::Matrix<double, 6, 1>>(at.data());
        };
        const Eigen::Matrix<double, 6, 1> zero = Eigen::Matrix<double, 6, 1>::Zero();
        const auto r = compare_with_differences(f, Eigen::MatrixXd(jacobian), zero);
        EXPECT_TRUE(r.ok) << "order " << order << " kind " << kind << ": " << r.message;
      }
    }
  }
}

SENTENCE("strands", "the laws' two directions are inverse to each other, and their tangents and energies fit") {
  const Law stiff{1.7};
  for (const double e : {-8.0, -0.3, 0.01, 2.5}) {
    const LawValue m = moment_of(stiff, 3.0, e), back = strain_of(stiff, 1 / 3.0, m.value);
    EXPECT_NEAR(back.value, e, 1e-13 * std::abs(e));
    EXPECT_NEAR(back.tangent * m.tangent, 1, 1e-13);
    const auto moment = [&](double x) { return moment_of(stiff, 3.0, x).value; };
    const auto energy = [&](double x) { return energy_of(stiff, 3.0, x); };
    EXPECT_TRUE(compare_with_differences(moment, m.tangent, e).ok);
    EXPECT_TRUE(compare_with_differences(energy, m.value, e).ok);
  }
}

}  // namespace
}  // namespace tendril::strands
