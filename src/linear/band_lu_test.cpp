#include "linear/band_lu.h"

#include <Eigen/Core>

#include "testing/sentence.h"

namespace tendril::band_lu_test {
namespace {

SENTENCE("linear", "a general band factorisation with pivoting solves as the dense one does") {
  for (const auto& [size, below, above] :
       {std::array{1, 0, 0}, std::array{7, 2, 1}, std::array{40, 17, 17}, std::array{60, 5, 9}}) {
    std::srand(7);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
    BandLU band;
    band.resize(size, below, above);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        if (!band.inside(i, j)) continue;
        dense(i, j) = (i == j ? 1e-3 : 1.0) * Eigen::internal::random<double>(-1, 1);  // the diagonal is no good pivot
        band.at(i, j) = dense(i, j);
      }
    }
    const Eigen::VectorXd b = Eigen::VectorXd::Random(size);
    Eigen::VectorXd x = b;
    ASSERT_TRUE(band.factor().good());
    band.solve({x.data(), std::size_t(x.size())});
    EXPECT_LT((dense * x - b).norm(), 1e-10 * (1 + x.norm())) << size;
  }
}

SENTENCE("linear", "a singular general band matrix is told") {
  BandLU band;
  band.resize(4, 1, 1);
  for (int i = 0; i < 4; ++i) band.at(i, i) = i == 2 ? 0 : 1;
  EXPECT_FALSE(band.factor().good());
}

}  // namespace
}  // namespace tendril::band_lu_test
