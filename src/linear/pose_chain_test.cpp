#include "linear/pose_chain.h"

#include <Eigen/Dense>
#include <cmath>

#include "testing/sentence.h"

namespace tendril::pose_chain_test {
namespace {

constexpr double pi = 3.14159265358979323846;

Mat3 cross_matrix(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}
Mat3 random_matrix() { return Mat3::Random(); }

enum class Ends { clamped, pinned, free, slides, twist_free };
struct Case {
  int nodes = 12;
  double dt = 1e-2, thrust = 0, bent = 0.3,
         any = 0;  // thrust in Euler's loads of a clamped-free rod; any: entries without a meaning
  Ends near = Ends::clamped, far = Ends::free;
  int inner = -1;  // a node that is held as `far` is
  double give = 0;
};

void hold(PoseChain& chain, int node, Ends ends) {
  if (ends == Ends::free) return;
  PoseChain::HeldRows& rows = chain.hold(node);
  for (int i = 0; i < 3; ++i) {
    rows.place_held[i] = ends != Ends::slides || i > 0;
    rows.turn_held[i] = ends == Ends::clamped || (ends == Ends::twist_free && i > 0);
  }
  // Any axes will do.
  const Mat3 axes = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  rows.place = axes;
  if (rows.any_turn()) rows.turn = axes;
}

// A rod of length, stiffness and line mass 1 in an arc, pushed together: its Newton matrix in a time step; dt 0: in equilibrium.
void fill(PoseChain& chain, const Case& c) {
  std::srand(5);
  chain.resize(c.nodes, c.nodes, 1);
  const double h = 1.0 / (c.nodes - 1), c2 = c.dt > 0 ? 1 / (c.dt * c.dt) : 0;
  const Vec3 stiffness(1, 1.5, 0.8);
  for (int j = 0; j < c.nodes; ++j) {
    const double m = (j == 0 || j + 1 == c.nodes ? 0.5 : 1.0) * h;
    chain.node(j) = {c2 * m * Mat3::Identity(), c.any * random_matrix(), c.any * random_matrix(),
                     c2 * m * 1e-6 * Mat3::Identity() + c.any * random_matrix(), -1};
  }
  for (int j = 0; j + 1 < c.nodes; ++j) {
    const double angle = c.bent * (j + 0.5) * h;
    const Vec3 p = h * Vec3(std::cos(angle), std::sin(angle), 0.2).normalized(), n(-c.thrust * pi * pi / 4, 0.1, 0.2);
    const Mat3 P = cross_matrix(p), K = (stiffness / h).asDiagonal(), G = -0.25 * cross_matrix(n) * P;
    PoseChain::Link& l = chain.link(j);
    l.aa = K + G, l.bb = K + G, l.ab = l.ba = -K + G;
    l.ta = l.tb = -0.5 * P, l.pa = l.pb = 0.5 * P;
    l.give = c.give * h * Mat3::Identity();
    for (Mat3* block : {&l.aa, &l.ab, &l.ba, &l.bb, &l.ta, &l.tb, &l.pa, &l.pb}) *block += c.any * h * random_matrix();
  }
  hold(chain, 0, c.near), hold(chain, c.nodes - 1, c.far);
  if (c.inner >= 0) hold(chain, c.inner, Ends::pinned);
}

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
struct Dense {
  Wide matrix, right;
};

// The system as its header writes it down, node by node.
Dense dense_of(PoseChain& chain, const PoseChain::Column& x, const PoseChain::Pair* pair = nullptr) {
  const int count = chain.nodes(), size = 9 * count - 3;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(size, size), b = Eigen::MatrixXd::Zero(size, 1);
  for (int j = 0; j < count; ++j) {
    const int r = 9 * j, q = r + 3, n = r + 6;
    const PoseChain::Node& node = chain.node(j);
    a.block<3, 3>(r, r) += node.rr, a.block<3, 3>(r, q) += node.rt;
    a.block<3, 3>(q, r) += node.tr, a.block<3, 3>(q, q) += node.tt;
    if (j > 0) {
      const PoseChain::Link& l = chain.link(j - 1);
      a.block<3, 3>(r, n - 9) += Mat3::Identity();
      a.block<3, 3>(q, q - 9) += l.ba, a.block<3, 3>(q, q) += l.bb, a.block<3, 3>(q, n - 9) += l.tb;
    }
    if (j + 1 < count) {
      const PoseChain::Link& l = chain.link(j);
      a.block<3, 3>(r, n) -= Mat3::Identity();
      a.block<3, 3>(q, q) += l.aa, a.block<3, 3>(q, q + 9) += l.ab, a.block<3, 3>(q, n) += l.ta;
      a.block<3, 3>(n, r) -= Mat3::Identity(), a.block<3, 3>(n, r + 9) += Mat3::Identity();
      a.block<3, 3>(n, q) += l.pa, a.block<3, 3>(n, q + 9) += l.pb, a.block<3, 3>(n, n) -= l.give;
    }
    if (pair && pair->node == j) a.block<3, 3>(r, r + 9) += pair->near_far;
    if (pair && pair->node == j - 1) a.block<3, 3>(r, r - 9) += pair->far_near;
    if (node.held < 0) continue;
    const PoseChain::HeldRows& rows = chain.hold(j);
    for (const bool turn : {false, true}) {
      const int first = turn ? q : r;
      const Mat3& of = turn ? rows.turn : rows.place;
      a.middleRows<3>(first) = (of * a.middleRows<3>(first)).eval();
      for (int i = 0; i < 3; ++i)
        if (turn ? rows.turn_held[i] : rows.place_held[i])
          a.row(first + i).setZero(), a.block<1, 3>(first + i, first) = of.row(i);
    }
  }
  for (int j = 0; j < count; ++j) {
    b.block<3, 1>(9 * j, 0) = x.r[std::size_t(j)], b.block<3, 1>(9 * j + 3, 0) = x.q[std::size_t(j)];
    if (j + 1 < count) b.block<3, 1>(9 * j + 6, 0) = x.n[std::size_t(j)];
  }
  return {a.cast<long double>(), b.cast<long double>()};
}

PoseChain::Column random_column(int nodes) {
  PoseChain::Column x;
  x.resize(nodes);
  for (auto* part : {&x.r, &x.q, &x.n})
    for (Vec3& v : *part) v.setRandom();
  for (Vec3& v : x.n) v *= 0.1;
  return x;
}

// Largest difference of places, turns and forces, each over its own largest value.
double apart(const PoseChain::Column& x, const Wide& y) {
  double worst = 0;
  const auto compare = [&](const std::vector<Vec3>& part, int first) {
    double size = 0, away = 0;
    for (std::size_t j = 0; j < part.size(); ++j) {
      const Vec3 exact = y.block<3, 1>(9 * int(j) + first, 0).cast<double>();
      size = std::max(size, exact.norm()), away = std::max(away, (part[j] - exact).norm());
    }
    worst = std::max(worst, away / size);
  };
  compare(x.r, 0), compare(x.q, 3), compare(x.n, 6);
  return worst;
}

double error_of(const Case& c, bool reversed, bool expect_recursion) {
  PoseChain chain;
  fill(chain, c);
  chain.set_reversed(reversed);
  PoseChain::Column x = random_column(c.nodes);
  const Dense dense = dense_of(chain, x);
  EXPECT_TRUE(chain.factor());
  EXPECT_EQ(chain.by_recursion(), expect_recursion) << chain.smallest_pivot();
  chain.solve(x);
  return apart(x, Wide(dense.matrix.partialPivLu().solve(dense.right)));
}

SENTENCE("linear",
         "a chain of poses is solved as a dense matrix is, for steps of 1e-5 to 100 and thrusts up to 400 times Euler's") {
  for (const double dt : {1e-5, 1e-3, 1e-2, 0.1, 1.0, 100.0, 0.0})
    for (const double thrust : {0.0, 0.9, 12.0, 400.0})
      for (const Ends far : {Ends::free, Ends::clamped, Ends::pinned, Ends::slides, Ends::twist_free}) {
        const Case c{.nodes = 14, .dt = dt, .thrust = thrust, .far = far};
        EXPECT_LT(error_of(c, false, true), 3e-9) << dt << " s, " << thrust << ", " << int(far);
      }
}

SENTENCE("linear", "a chain of poses takes any blocks, held rows at any node, and stretch") {
  for (const Ends near : {Ends::clamped, Ends::pinned, Ends::free, Ends::slides, Ends::twist_free})
    for (const int inner : {-1, 4, 7})
      for (const double give : {0.0, 0.3}) {
        const Case c{
            .nodes = 12, .dt = 0.3, .any = 0.2, .near = near, .far = Ends::twist_free, .inner = inner, .give = give};
        EXPECT_LT(error_of(c, false, true), 1e-9) << int(near) << " " << inner << " " << give;
        EXPECT_LT(error_of(c, true, true), 1e-9) << "reversed " << int(near) << " " << inner << " " << give;
      }
}

SENTENCE("linear", "a chain of poses that is free at its near end and at rest is solved from its far end, or by bands") {
  const Case c{.nodes = 20, .dt = 0, .near = Ends::free, .far = Ends::clamped};
  EXPECT_LT(error_of(c, true, true), 1e-9);
  EXPECT_LT(error_of(c, false, false), 1e-9);
  const Case inside{.nodes = 20, .dt = 0, .near = Ends::free, .far = Ends::free, .inner = 7};
  PoseChain chain;
  fill(chain, inside);
  chain.hold(7).turn_held[0] = chain.hold(7).turn_held[1] = chain.hold(7).turn_held[2] = true;
  PoseChain::Column x = random_column(20);
  const Dense dense = dense_of(chain, x);
  ASSERT_TRUE(chain.factor());
  EXPECT_FALSE(chain.by_recursion());
  chain.solve(x);
  EXPECT_LT(apart(x, Wide(dense.matrix.partialPivLu().solve(dense.right))), 1e-9);
}

SENTENCE("linear", "a chain of poses with a spring between two neighbours is solved by bands") {
  PoseChain chain;
  fill(chain, {.nodes = 10, .dt = 0.1});
  const PoseChain::Pair pair{4, 3 * random_matrix(), 3 * random_matrix()};
  chain.add_pair(pair);
  PoseChain::Column x = random_column(10);
  const Dense dense = dense_of(chain, x, &pair);
  ASSERT_TRUE(chain.factor());
  EXPECT_FALSE(chain.by_recursion());
  chain.solve(x);
  EXPECT_LT(apart(x, Wide(dense.matrix.partialPivLu().solve(dense.right))), 1e-11);
}

SENTENCE("linear", "a chain of poses that nothing holds at rest is singular, and says so") {
  PoseChain chain;
  fill(chain, {.nodes = 10, .dt = 0, .near = Ends::free});
  PoseChain::Column x = random_column(10);
  const bool factored = chain.factor();
  if (factored) chain.solve(x);
  EXPECT_FALSE(chain.by_recursion());
  EXPECT_TRUE(!factored || !(x.r[5].norm() < 1e9));
}

}  // namespace
}  // namespace tendril::pose_chain_test
