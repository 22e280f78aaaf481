#include "linear/block_ldlt.h"

#include <Eigen/Core>
#include <random>

#include "testing/allocation_count.h"
#include "testing/dense_reference.h"
#include "testing/sentence.h"

namespace tendril::block_ldlt_test {

namespace {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  std::mt19937_64 engine;
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  int below(int n) { return static_cast<int>(0.5 * ((*this)() + 1) * n) % n; }
  Matrix3d any() {
    Matrix3d m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = (*this)();
    return m;
  }
  Matrix3d positive(double size) {
    const Matrix3d m = any();
    return size * (m * m.transpose() + 0.1 * Matrix3d::Identity());
  }
};

// Writes every block into a dense copy too.
struct Both {
  BlockLDLT& sparse;
  MatrixXd* dense;
  void begin(int blocks) const {
    sparse.begin(blocks);
    if (dense) *dense = MatrixXd::Zero(3 * blocks, 3 * blocks);
  }
  void add(int i, int j, const Matrix3d& m) const {
    sparse.add(i, j, m);
    if (!dense) return;
    dense->block<3, 3>(3 * i, 3 * j) += m;
    if (i != j) dense->block<3, 3>(3 * j, 3 * i) += m.transpose();
  }
};

Matrix3d crossing(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// A rod held at its root: place of each segment's end, its turn, the multiplier of x_(k+1) - x_k - B t_k = 0; `pairs` of ends that
// touch. A mass of 0: an equilibrium, in which places have no diagonal.
struct Chain {
  int links = 10;
  double mass = 1, stiffness = 1e3, contact = 1e4;
  std::vector<std::pair<int, int>> pairs = {};
  bool tip_held = false;
  unsigned seed = 1;

  int blocks() const { return 3 * links + (tip_held ? 1 : 0); }
  int rows() const { return 3 * links + (tip_held ? 3 : 0); }
  static int place(int k) { return 3 * k; }
  static int turn(int k) { return 3 * k + 1; }
  static int multiplier(int k) { return 3 * k + 2; }
  void fill(const Both& to) const {
    Random random(seed);
    to.begin(blocks());
    for (int k = 0; k < links; ++k) {
      to.sparse.pair(multiplier(k), place(k));
      if (mass > 0) to.add(place(k), place(k), mass * Matrix3d::Identity());
      const Matrix3d joint = random.positive(stiffness);
      to.add(turn(k), turn(k), Matrix3d(joint + random.positive(0.01 * mass)));
      if (k > 0) to.add(turn(k - 1), turn(k - 1), joint), to.add(turn(k), turn(k - 1), Matrix3d(-joint));
      to.add(multiplier(k), place(k), Matrix3d::Identity());
      if (k > 0) to.add(place(k - 1), multiplier(k), Matrix3d(-Matrix3d::Identity()));
      to.add(multiplier(k), turn(k), crossing({random(), random(), random()}));
    }
    for (const auto& [i, j] : pairs) {
      const Vector3d normal = Vector3d(random(), random(), random()).normalized();
      const Matrix3d m = contact * normal * normal.transpose();
      to.add(place(i), place(i), m), to.add(place(j), place(j), m);
      to.add(place(i), place(j), Matrix3d(-m));
    }
    if (tip_held) to.add(3 * links, place(links - 1), Matrix3d::Identity());
  }
};

VectorXd right_side(int size) {
  Random random(99);
  VectorXd b(size);
  for (int i = 0; i < size; ++i) b[i] = random();
  return b;
}

void compare(const Chain& chain, double tolerance) {
  BlockLDLT sparse;
  MatrixXd dense;
  chain.fill({sparse, &dense});
  const PivotReport report = sparse.factor();
  const VectorXd b = right_side(static_cast<int>(dense.rows()));
  VectorXd x = b;
  sparse.solve({x.data(), static_cast<std::size_t>(x.size())});
  const VectorXd exact = dense_solution(dense, b);
  EXPECT_LT((x - exact).norm(), tolerance * exact.norm()) << chain.links << " links";
  EXPECT_EQ(report.negative, dense_negatives(dense));
  EXPECT_EQ(report.negative, chain.rows());  // as many as there are rows, of a rod that is stable
  EXPECT_TRUE(report.good());
}

}  // namespace

SENTENCE("linear",
         "block LDLT solves chains with multipliers, contacts and held ends as a dense solver does, with their inertia") {
  for (const int links : {1, 2, 3, 10, 40}) {
    for (const double mass : {0.0, 1e-6, 1.0, 1e6}) {
      Chain chain{.links = links, .mass = mass};
      compare(chain, 1e-9);
      if (links < 10) continue;
      chain.pairs = {{2, 7}, {3, 6}, {links - 1, 0}, {4, links - 2}};
      compare(chain, 1e-9);
      chain.tip_held = true;
      compare(chain, 1e-9);
    }
  }
}

SENTENCE("linear", "block LDLT counts unstable directions beside the rows") {
  for (int unstable = 0; unstable < 6; ++unstable) {
    Chain chain{.links = 12, .pairs = {{1, 8}, {2, 9}}};
    BlockLDLT sparse;
    MatrixXd dense;
    const Both both{sparse, &dense};
    chain.fill(both);
    for (int k = 0; k < unstable; ++k)
      both.add(Chain::turn(2 * k + 1), Chain::turn(2 * k + 1),
               Matrix3d(-3e4 * Vector3d(0.6, 0, 0.8) * Eigen::RowVector3d(0.6, 0, 0.8)));
    const PivotReport report = sparse.factor();
    EXPECT_EQ(report.negative, dense_negatives(dense));
    EXPECT_EQ(report.negative, chain.rows() + unstable);
  }
}

SENTENCE("linear", "block LDLT solves any symmetric system, whatever the pattern, for several right-hand sides") {
  Random random(5);
  BlockLDLT sparse;
  for (int round = 0; round < 40; ++round) {
    const int n = 1 + random.below(25);
    MatrixXd dense;
    const Both both{sparse, &dense};
    both.begin(n);
    for (int i = 0; i < n; ++i) {
      const Matrix3d m = random.any();
      both.add(i, i, Matrix3d(m + m.transpose() + (random() > 0 ? 8 : -8) * Matrix3d::Identity()));
    }
    for (int k = 0; k < 2 * n; ++k) {
      const int i = random.below(n), j = random.below(n);
      if (i != j) both.add(i, j, random.any());
    }
    if (n > 2) sparse.put_last(random.below(n));
    if (n > 3) sparse.pair(n - 1, n - 2);
    const PivotReport report = sparse.factor();
    const int columns = 1 + round % 3;
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> x(3 * n, columns), product(3 * n, columns);
    for (int i = 0; i < x.size(); ++i) x.data()[i] = random();
    const MatrixXd b = x;
    const auto span = [](auto& m) { return std::span<double>(m.data(), static_cast<std::size_t>(m.size())); };
    sparse.solve(span(x), columns);
    EXPECT_LT((dense * x - b).norm(), 1e-9 * b.norm() * (1 + x.norm())) << n;
    sparse.multiply(span(x), span(product), columns);
    EXPECT_LT((dense * x - product).norm(), 1e-12 * (1 + x.norm()) * n);
    EXPECT_EQ(report.negative, dense_negatives(dense));
  }
}

SENTENCE("linear", "block LDLT tells what repeats: a row that is given twice is a tiny pivot, not a wrong sign") {
  BlockLDLT sparse;
  Chain chain{.links = 6, .tip_held = true};
  MatrixXd dense;
  const Both both{sparse, &dense};
  chain.fill(both);
  EXPECT_TRUE(sparse.factor().good());
  sparse.begin(chain.blocks() + 1);
  // The same, and its last rows once more.
  for (int k = 0; k < chain.links; ++k) sparse.pair(Chain::multiplier(k), Chain::place(k));
  for (int i = 0; i < chain.blocks(); ++i)
    for (int j = 0; j <= i; ++j) {
      const Matrix3d m = dense.block<3, 3>(3 * i, 3 * j);
      if (!m.isZero(0)) sparse.add(i, j, m);
    }
  sparse.add(chain.blocks(), Chain::place(chain.links - 1), Matrix3d::Identity());
  EXPECT_EQ(sparse.factor().tiny, 3);
}

SENTENCE("linear",
         "block LDLT does not allocate once warm, also when the pattern changes, and its bits do not depend on what it did "
         "before") {
  BlockLDLT used;
  Chain chain{.links = 200};
  std::vector<Chain> chains;
  for (int k = 0; k < 6; ++k) {
    chain.pairs.clear();
    for (int m = 0; m < 30; ++m) chain.pairs.emplace_back(20 + m + k % 4, 160 - m - k / 2);
    chains.push_back(chain);
  }
  VectorXd b = right_side(3 * chain.blocks()), x = b;
  const std::span<double> span{x.data(), static_cast<std::size_t>(x.size())};
  const auto run = [&](BlockLDLT& solver, const Chain& which) {
    which.fill({solver, nullptr});
    std::ignore = solver.factor();
    x = b;
    solver.solve(span);
  };
  for (const Chain& c : chains) run(used, c);
  const AllocationCount count;
  for (const Chain& c : chains) run(used, c);
  const long counted = count.count();
  EXPECT_EQ(counted, 0);
  for (const Chain& c : chains) {
    run(used, c);
    const VectorXd kept = x;
    BlockLDLT fresh;
    run(fresh, c);
    EXPECT_EQ((kept - x).norm(), 0);
  }
}

SENTENCE("linear", "block LDLT fills chains with no more than the chain, and ladders of contacts little more") {
  const auto fill = [](const Chain& chain) {
    BlockLDLT sparse;
    chain.fill({sparse, nullptr});
    std::ignore = sparse.factor();
    return double(sparse.fill()) / chain.links;
  };
  Chain chain{.links = 100};
  const double alone = fill(chain);
  chain.links = 1000;
  EXPECT_NEAR(fill(chain), alone, 0.02 * alone);
  for (int m = 0; m < 450; ++m) chain.pairs.emplace_back(40 + m, 950 - m);
  EXPECT_LT(fill(chain), 8 * alone);
}

}  // namespace tendril::block_ldlt_test
