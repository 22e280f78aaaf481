#include "linear/two_ended.h"

#include <Eigen/Core>
#include <random>
#include <vector>

#include "testing/dense_reference.h"
#include "testing/sentence.h"

namespace tendril::two_ended_test {

SENTENCE("linear", "a tridiagonal system solved from both ends agrees with a dense solver for every size from 1 to 40") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int n = 1; n <= 40; ++n) {
    std::vector<double> d(n), l(n), u(n), r(n);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd right(n);
    for (int i = 0; i < n; ++i) {
      dense(i, i) = d[i] = 2.5 + number(random);
      right[i] = r[i] = number(random);
      l[i] = number(random) * 0.7;
      u[i] = number(random) * 0.7;
      if (i > 0) dense(i, i - 1) = l[i];
      if (i + 1 < n) dense(i, i + 1) = u[i];
    }
    const Eigen::VectorXd exact = dense_solution(dense, right);
    solve_tridiagonal_two_ended(d.data(), l.data(), u.data(), r.data(), n);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(r[i], exact[i], 1e-12) << n << " " << i;
  }
}

}  // namespace tendril::two_ended_test
