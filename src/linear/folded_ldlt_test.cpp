#include "linear/folded_ldlt.h"

#include <Eigen/Dense>
#include <random>

#include "testing/sentence.h"

using namespace tendril;

namespace {

using Eigen::Matrix3d, Eigen::Vector3d, Eigen::VectorXd;

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
  Vector3d arm() { return 0.3 * Vector3d((*this)(), (*this)(), (*this)()).normalized(); }
};

Matrix3d crossing(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// A chain, its root held or free: places of nodes 0 .. links, then turns, then a body that some turns and places are coupled with, a row at
// the tip, then (not folded) multipliers of x_(k+1) - x_k = t x a.
struct Folding {
  int links = 10;
  bool root_held = false;
  double unstable = 0;  // stiffness taken from one turn
  unsigned seed = 1;

  int place(int k) const { return root_held ? k - 1 : k; }
  int places() const { return root_held ? links : links + 1; }
  int turn(int k) const { return places() + k; }
  int body() const { return turn(links); }
  int row() const { return body() + 1; }
  int blocks(bool folded) const { return row() + 1 + (folded ? 0 : links); }

  void fill(FoldedLDLT& to, bool folded) const {
    Random random(seed);
    to.begin(blocks(folded));
    std::vector<Vector3d> arm;
    for (int k = 0; k < links; ++k) arm.push_back(random.arm());
    for (int k = 0; k < links; ++k) {
      const int near = place(k), far = place(k + 1), multiplier = row() + 1 + k;
      if (folded) {
        to.fold(turn(k), near, far, arm[std::size_t(k)]);
        continue;
      }
      to.add(multiplier, far, Matrix3d::Identity());
      if (near >= 0) to.add(multiplier, near, Matrix3d(-Matrix3d::Identity()));
      to.add(multiplier, turn(k), crossing(arm[std::size_t(k)]));
      to.pair(multiplier, far);
    }
    for (int k = 0; k < places(); ++k) to.add(k, k, random.positive(2));
    for (int k = 0; k < links; ++k) {
      const Matrix3d joint = random.positive(30), half = crossing({random(), random(), random()});
      to.add(turn(k), turn(k), Matrix3d(joint + random.positive(1)));
      if (k > 0) to.add(turn(k - 1), turn(k - 1), joint), to.add(turn(k), turn(k - 1), Matrix3d(-joint + half));
    }
    to.add(body(), body(), random.positive(50));
    for (int m = 0; m < links / 2; ++m) {  // what touches and rubs, far apart along the chain
      const int i = random.below(links), j = random.below(links);
      to.add(turn(i), body(), random.any());
      to.add(body(), turn(j), random.any());
      to.add(place(i + 1), turn(j), random.any());
      to.add(turn(i), place(j + 1), random.any());
      if (i != j) to.add(turn(i), turn(j), random.any());
      to.add(turn(i), turn(i), random.positive(3)), to.add(turn(j), turn(j), random.positive(3));
    }
    if (unstable != 0) to.add(turn(links / 2), turn(links / 2), Matrix3d(-unstable * Matrix3d::Identity()));
    to.add(row(), place(links), Matrix3d::Identity());
    to.add(row(), row(), Matrix3d(-1e-6 * Matrix3d::Identity()));
    to.put_last(row());
  }
};

}  // namespace

SENTENCE(
    "linear",
    "turns folded into places: the solution and the number of unstable directions are those with all unknowns, held and "
    "free, with contacts, bodies and rows") {
  int unstable = 0;
  for (const int links : {1, 2, 3, 10, 40})
    for (const bool held : {false, true})
      for (const double taken : {0.0, 300.0}) {
        const Folding chain{.links = links, .root_held = held, .unstable = taken, .seed = unsigned(7 * links + held)};
        FoldedLDLT whole, folded;
        chain.fill(whole, false), chain.fill(folded, true);
        const int negative = whole.factor().negative - 3 * links;
        EXPECT_EQ(folded.factor().negative - links, negative);
        unstable += negative > 3;  // the row's own three
        Random random(5);
        VectorXd x(3 * chain.blocks(false)), y(3 * chain.blocks(true));
        x.setZero();
        for (int i = 0; i < y.size(); ++i) y[i] = x[i] = random();
        whole.solve({x.data(), std::size_t(x.size())});
        folded.solve({y.data(), std::size_t(y.size())});
        EXPECT_LT((x.head(y.size()) - y).norm(), 1e-9 * y.norm()) << links << " " << held << " " << taken;
      }
  EXPECT_GT(unstable, 3);
}

SENTENCE("linear", "turns folded into places: bits do not depend on what was done before") {
  FoldedLDLT used;
  VectorXd x;
  const auto run = [&](FoldedLDLT& solver, unsigned seed) {
    const Folding chain{.links = 30, .seed = seed};
    chain.fill(solver, true);
    std::ignore = solver.factor();
    x.resize(3 * chain.blocks(true));
    for (int i = 0; i < x.size(); ++i) x[i] = 1 + i % 7;
    solver.solve({x.data(), std::size_t(x.size())});
  };
  for (unsigned k = 1; k < 5; ++k) run(used, k);
  run(used, 2);
  const VectorXd kept = x;
  FoldedLDLT fresh;
  run(fresh, 2);
  EXPECT_EQ((kept - x).norm(), 0);
}
