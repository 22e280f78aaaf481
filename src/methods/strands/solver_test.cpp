#include "methods/strands/solver.h"

#include "methods/strands/uniform.h"
#include "testing/sentence.h"
#include "validation/references.h"

namespace tendril::strands {
namespace {

Solver solved(const Strand& strand, Answer& answer, SolverSettings settings = {}) {
  Solver solver;
  solver.start(strand, settings, rest_states(strand, strand.holds[0].r, strand.holds[0].q));
  answer = solver.solve(strand);
  return solver;
}
Strand cantilever(int segments, int order) {
  Strand strand = uniform_strand({.segments = segments, .order = order});
  strand.holds = {held(0, {0, 0, 0}, along_x())};
  return strand;
}
Strand with_tip_load(double P, int segments, int order) {
  Strand strand = cantilever(segments, order);
  strand.set_loads({{segments, {0, P, 0}, {}, {}, {}}});
  return strand;
}

SENTENCE("strands", "a cantilever under a dead tip load lies where the elastica lies, to second and fourth order") {
  for (const reference::Tip& tip : reference::tip_load) {
    for (const auto& [order, bound] : {std::pair{2, 3e-4}, {4, 1e-6}}) {
      double error[2];
      for (const int k : {0, 1}) {
        Answer answer;
        const Solver solver = solved(with_tip_load(tip.load, 50 << k, order), answer);
        ASSERT_TRUE(answer.fine);
        EXPECT_EQ(answer.unstable, 0);
        error[k] = norm(solver.states().back().r - V{tip.x, tip.y, 0});
      }
      EXPECT_LT(error[1], bound) << tip.load;
      EXPECT_TRUE(error[1] < 1e-9 || std::abs(std::log2(error[0] / error[1]) - order) < 0.4) << tip.load;
    }
  }
}

SENTENCE("strands", "dead tip loads converge from a straight start for P L^2/EI of 0.5 to 100") {
  for (const double P : {0.5, 1.0, 3.0, 10.0, 30.0, 100.0}) {
    Answer answer;
    const Solver solver = solved(with_tip_load(P, 200, 4), answer);
    ASSERT_TRUE(answer.fine) << P;
    EXPECT_LT(answer.residual, 1e-10);
    EXPECT_EQ(answer.unstable, 0) << P;
    // The moment at the wall carries the load at its arm.
    EXPECT_LT(std::abs(solver.states()[0].x.m.x) + std::abs(solver.states()[0].x.m.z), 1e-8);
    EXPECT_NEAR(norm(solver.states()[0].x.m), P * solver.states().back().r.x, 1e-8 * P);
  }
}

SENTENCE("strands", "repeated sweeps converge for small dead loads and give up on large ones") {
  for (const double P : {0.5, 1.0, 2.0}) {
    Answer newton, fixed;
    const V exact = solved(with_tip_load(P, 50, 2), newton).states().back().r;
    const V found = solved(with_tip_load(P, 50, 2), fixed, {.fixed_point = true}).states().back().r;
    EXPECT_EQ(fixed.way, Way::fixed_point);
    EXPECT_LT(norm(found - exact), 1e-8);
    EXPECT_LT(newton.iterations, 10);
  }
  Answer large;
  solved(with_tip_load(6, 50, 2), large, {.fixed_point = true});
  EXPECT_NE(large.way, Way::fixed_point);  // Newton takes over
  EXPECT_TRUE(large.fine);
}

SENTENCE("strands", "a cantilever hangs under its own weight as the reference says") {
  for (const reference::Tip& tip : reference::self_weight) {
    for (const auto& [order, bound] : {std::pair{2, 3e-4}, {4, 1e-5}}) {
      Strand strand = cantilever(100, order);
      for (Segment& s : strand.segments) s.world_force = {0, -tip.load, 0};
      strand.note_loads();
      Answer answer;
      const Solver solver = solved(strand, answer);
      ASSERT_TRUE(answer.fine) << tip.load;
      EXPECT_LT(norm(solver.states().back().r - V{tip.x, tip.y, 0}), bound) << tip.load << " order " << order;
    }
  }
}

// Reference 5: shortened by a fifth towards +y, then turned by a quarter.
SENTENCE("strands", "a strip held at both ends, shortened and turned, has the reference's shape, forces and energy") {
  for (const auto& [order, bound] : {std::pair{2, 2e-3}, {4, 2e-5}}) {
    const int n = 100;
    Strand strand = uniform_strand({.segments = n, .stiffness = {1, 0.2, 0.25}, .order = order});
    Solver solver;
    for (int k = 0; k <= 20; ++k) {
      const double shortening = 0.2 * std::min(1.0, (k + 1) / 8.0), turn = math::pi / 2 * std::max(0.0, (k - 7) / 13.0);
      const Quaternion end = to_small(exp_quat(Vec3(turn, 0, 0))) * along_x();
      strand.holds = {held(0, {0, 0, 0}, along_x()), held(n, {1 - shortening, 0, 0}, end)};
      if (k == 0) {
        std::vector<State> bent = rest_states(strand, {0, 0, 0}, along_x());
        for (int j = 0; j <= n; ++j)  // towards +y: about d2
          bent[z(j)].q = bent[z(j)].q * to_small(exp_quat(Vec3(0, 0.3 * std::sin(math::two_pi * j / n), 0)));
        solver.start(strand, {}, bent);
      }
      const Answer answer = solver.solve(strand);
      ASSERT_TRUE(answer.fine) << k;
      EXPECT_EQ(answer.unstable, 0) << k;
    }
    const State& root = solver.states()[0];
    const V n0 = into_world(root.q, root.x.n), m0 = into_world(root.q, root.x.m);
    EXPECT_LT(norm(n0 - V{-10.87402253, -1.240655901, 1.240655901}), 10 * bound);
    EXPECT_LT(norm(m0 - V{1.035287113, -1.675144454, 0.6826197324}), 2 * bound);
    EXPECT_LT(norm(solver.states()[n / 2].r - V{0.4, 0.1823417723, 0.1823417723}), bound);
    EXPECT_LT(equilibrium_error(strand, solver.states()), 1e-9);
  }
}

SENTENCE("strands", "a column is a minimum below Euler's load and not above it") {
  const double critical = math::pi * math::pi / 4;
  for (const double part : {0.98, 1.02}) {
    Strand strand = cantilever(100, 2);
    strand.set_loads({{100, {-part * critical, 0, 0}, {}, {}, {}}});
    Answer answer;
    const Solver straight = solved(strand, answer, {.seek_minimum = false});
    EXPECT_EQ(answer.unstable > 0, part > 1);
    const Solver bent = solved(strand, answer);
    ASSERT_TRUE(answer.fine);
    EXPECT_EQ(answer.unstable, 0);
    EXPECT_EQ(bent.states().back().r.x<0.999, part> 1);
  }
}

SENTENCE("strands", "a twisted straight strand between clamps stays straight up to Greenhill's twist and not beyond") {
  const int n = 200;
  const double critical = 8.986818916;  // GJ = EI
  for (const double part : {0.98, 1.02}) {
    Strand strand = uniform_strand({.segments = n});
    const double turn = part * critical;
    strand.holds = {held(0, {0, 0, 0}, along_x()), held(n, {1, 0, 0}, along_x() * to_small(exp_quat(Vec3(0, 0, turn))))};
    std::vector<State> states = rest_states(strand, {0, 0, 0}, along_x());
    for (int j = 0; j <= n; ++j) {
      states[z(j)].q = along_x() * to_small(exp_quat(Vec3(0, 0, turn * j / n)));
      states[z(j)].x.m = {0, 0, turn};
    }
    EnergyDescent energy;
    energy.resize(strand);
    EXPECT_EQ(energy.unstable_directions(strand, states) > 0, part > 1) << part;
  }
}

SENTENCE("strands", "a strand held at three points carries what each hold needs, and the pieces do not feel each other") {
  const int n = 60;
  Strand strand = uniform_strand({.segments = n, .stiffness = {1, 0.8, 0.6}});
  const Quaternion turned = along_x() * to_small(exp_quat(Vec3(0.3, 0.4, 0.2)));
  strand.holds = {held(0, {0, 0, 0}, along_x()), held(30, {0.45, 0.05, 0.02}, turned), held(n, {0.9, 0.1, 0}, along_x())};
  Answer all;
  const Solver solver = solved(strand, all);
  ASSERT_TRUE(all.fine);
  EXPECT_EQ(all.way == Way::multiple || all.way == Way::descent, true);
  Strand half = uniform_strand({.length = 0.5, .segments = 30, .stiffness = {1, 0.8, 0.6}});
  half.holds = {held(0, {0, 0, 0}, along_x()), held(30, {0.45, 0.05, 0.02}, turned)};
  Answer one;
  const Solver alone = solved(half, one);
  ASSERT_TRUE(one.fine);
  for (int j = 0; j < 30; ++j) EXPECT_LT(norm(solver.states()[z(j)].r - alone.states()[z(j)].r), 1e-8);
}

SENTENCE("strands", "a strand on pins carries its weight, and spinning freely does not count as unstable") {
  const int n = 60;
  Strand strand = uniform_strand({.segments = n});
  for (Segment& s : strand.segments) s.world_force = {0, -3, 0};
  strand.note_loads();
  strand.holds = {{0, true, false, false, {0, 0, 0}, along_x()}, {n, true, false, false, {0.8, 0, 0}, along_x()}};
  Answer answer;
  const Solver solver = solved(strand, answer);
  ASSERT_TRUE(answer.fine);
  EXPECT_EQ(answer.unstable, 0);
  const State &a = solver.states()[0], &b = solver.states().back();
  EXPECT_LT(norm(a.x.m), 1e-9);
  EXPECT_LT(norm(b.x.m), 1e-9);
  EXPECT_NEAR(into_world(b.q, b.x.n).y - into_world(a.q, a.x.n).y, 3, 1e-9);
  EXPECT_NEAR(into_world(b.q, b.x.n).y, 1.5, 1e-5);  // the sweep goes one way: halves are equal to its order
  EXPECT_LT(solver.states()[n / 2].r.y, -0.2);       // it hangs, and does not stand
}

SENTENCE(
    "strands",
    "a strand on springs inside and at its end balances them, is solved in the same way from far and near, and is stable") {
  const int n = 60;
  Strand strand = uniform_strand({.segments = n, .stiffness = {1, 0.8, 0.6}});
  for (Segment& s : strand.segments) s.world_force = {0, -1, 0};
  strand.note_loads();
  strand.holds = {held(0, {0, 0, 0}, along_x())};
  const Quaternion turned = along_x() * to_small(exp_quat(Vec3(0.5, 0.6, 0.4)));
  Spring inside{30, 20.0, {0.4, 0.2, 0.1}, {}}, end{n, 50.0, {0.6, 0.3, -0.3}, {}};
  end.turning.push({2.0, turned}), end.turning.push({0.5, along_x()});
  strand.set_springs({inside, end});
  Answer answer;
  const Solver solver = solved(strand, answer);
  ASSERT_TRUE(answer.fine);
  EXPECT_EQ(answer.unstable, 0);
  // Force balance of the whole: wall, weight and both springs.
  const State& root = solver.states()[0];
  V sum = -into_world(root.q, root.x.n) + V{0, -1, 0};
  for (const Spring& spring : strand.springs) sum += spring.k * (spring.r - solver.states()[z(spring.node)].r);
  EXPECT_LT(norm(sum), 1e-8);
  // The descent finds the same shape, to its order.
  EnergyDescent descent;
  descent.resize(strand);
  std::vector<State> states = rest_states(strand, {0, 0, 0}, along_x());
  const DescentReport r = descent.minimise(strand, {}, states);
  ASSERT_TRUE(r.fine) << r.residual;
  EXPECT_LT(norm(states.back().r - solver.states().back().r), 1e-3);
}

SENTENCE("strands",
         "a round strand shortened and twisted between ends that share an axis lies in some plane, is a minimum, and "
         "converges with order two") {
  for (const int order : {2, 4}) {
    double force[3], moment[3];
    for (int k = 0; k < 3; ++k) {
      const int n = 50 << k;
      Strand strand = uniform_strand({.segments = n, .stiffness = {1, 1, 0.75}, .order = order});
      Solver solver;
      Answer answer;
      for (int step = 0; step <= 10; ++step) {
        const double t = 0.1 * step;
        const Quaternion end = along_x() * to_small(exp_quat(Vec3(0, 0, 3 * t)));
        strand.holds = {held(0, {0, 0, 0}, along_x()), held(n, {1 - 0.3 * t, 0, 0}, end)};
        if (step == 0) solver.start(strand, {}, rest_states(strand, {0, 0, 0}, along_x()));
        answer = solver.solve(strand);
        ASSERT_TRUE(answer.fine) << "order " << order << " n " << n << " step " << step << " " << answer.residual;
        EXPECT_EQ(answer.unstable, 0);
        EXPECT_LT(answer.residual, 1e-10);
        EXPECT_LT(answer.imbalance, 1e-8);
      }
      EXPECT_LT(norm(solver.states().back().r - V{0.7, 0, 0}), 1e-9);
      EXPECT_GT(norm(solver.states()[z(n / 2)].r - V{0.35, 0, 0}), 0.1);
      force[k] = into_world(solver.states()[0].q, solver.states()[0].x.n).x;
      moment[k] = solver.states()[0].x.m.z;
    }
    EXPECT_NEAR(std::log2((force[0] - force[1]) / (force[1] - force[2])), 2, 0.1);
    EXPECT_NEAR(std::log2((moment[0] - moment[1]) / (moment[1] - moment[2])), 2, 0.1);
  }
}

// With the same answer whether stretch is small or left out.
SENTENCE("strands", "an extensible round strand twisted between ends that share an axis stretches by its force over EA") {
  const int n = 60;
  V force[2];
  for (const double give : {0.0, 1e-6}) {
    Strand strand = uniform_strand({.segments = n, .stiffness = {1, 1, 0.75}, .give = {0, 0, give}});
    const Quaternion end = along_x() * to_small(exp_quat(Vec3(0, 0, 2)));
    strand.holds = {held(0, {0, 0, 0}, along_x()), held(n, {0.8, 0, 0}, end)};
    Answer answer;
    const Solver solver = solved(strand, answer);
    ASSERT_TRUE(answer.fine) << answer.residual;
    EXPECT_LT(norm(solver.states().back().r - V{0.8, 0, 0}), 1e-9);
    force[give > 0] = into_world(solver.states()[0].q, solver.states()[0].x.n);
  }
  EXPECT_LT(std::abs(force[0].x - force[1].x), 1e-3 * std::abs(force[0].x));
  EXPECT_GT(std::abs(force[0].x - force[1].x), 1e-9);
}

SENTENCE("strands", "the verdict knows loads without energy, and tells where they act on what is held") {
  const auto verdict = [](const Strand& strand) {
    Answer answer;
    solved(strand, answer);
    EXPECT_TRUE(answer.fine);
    return answer.unstable;
  };
  const auto loaded = [](Strand strand, const StrandLoad& load) {
    strand.set_loads({load});
    return strand;
  };
  const Strand free = cantilever(40, 2);
  EXPECT_EQ(verdict(loaded(free, {40, {0, 1, 0}, {}, {}, {}})), 0);          // a dead force
  EXPECT_EQ(verdict(loaded(free, {40, {}, {}, {0, 1, 0}, {}})), no_energy);  // one that turns with the strand
  EXPECT_EQ(verdict(loaded(free, {40, {}, {0, 0, 1}, {}, {}})), no_energy);  // a moment in fixed axes: neither has one
  EXPECT_EQ(verdict(loaded(free, {40, {}, {}, {}, {0, 0, 1}})), no_energy);
  Strand along = free;
  for (Segment& s : along.segments) s.material_force = {0, 0.5, 0};
  along.note_loads();
  EXPECT_EQ(verdict(along), no_energy);
  Strand guided = free;  // at the end the direction is held and the twist is free: moments turn about one axis only
  guided.holds.push_back({40, true, true, false, {0.8, 0.1, 0}, along_x()});
  EXPECT_EQ(verdict(loaded(guided, {40, {}, {0.1, 0, 0}, {}, {}})), 0);
  EXPECT_EQ(verdict(loaded(guided, {40, {}, {}, {0, 1, 0}, {}})), 0);  // does no work: the position is held
  EXPECT_EQ(verdict(loaded(guided, {20, {}, {}, {0, 1, 0}, {}})), no_energy);
}

}  // namespace
}  // namespace tendril::strands
