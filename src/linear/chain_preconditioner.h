// Approximate inverses of a chain's matrix (chain_ldlt.h) for conjugate gradients, built and applied in O(n).  [Zhao 2022, sec. 3.3]
//
// A is the sum of what the places carry, J^T H_p J, a full matrix, and of what the turns carry, which is block tridiagonal. The block
// (i, i) of the first is B_i^T (sum of `node` beyond link i) B_i, by sums from the tip. [Zhao 2022, eq. (28); ERRATA Z12]
//   hybrid          those blocks and the whole of the second: block tridiagonal. [Zhao 2022, eq. (22), (23)]
//   block_diagonal  the blocks (i, i) of A
//   diagonal        the diagonal of A
// Positive where the blocks are; where a pivot is not, alpha is added to every diagonal, ten times more from try to try, until all are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/block_tridiagonal.h"
#include "linear/chain_ldlt.h"

namespace tendril {

enum class ChainPreconditioning : std::uint8_t { hybrid, block_diagonal, diagonal };

class ChainPreconditioner {
 public:
  void resize(int links) {
    blocks_.resize(links + 1);
    block_.resize(std::size_t(links) + 1), inverse_.resize(block_.size());
    diagonal_.assign(3 * std::size_t(links) + 3, 0.0);
  }
  // Returns the alpha that was needed, 0 where H is positive. The chain has no crosses.
  double build(const ChainLDLT& chain, ChainPreconditioning kind);
  void apply(std::span<const double> r, std::span<double> z) const;  // z = P^-1 r

 private:
  void gather(const ChainLDLT& chain);
  bool factor(double alpha);  // false: not positive

  ChainPreconditioning kind_ = ChainPreconditioning::hybrid;
  BlockTridiagonalLDLT<3> blocks_;
  std::vector<Eigen::Matrix3d> block_, inverse_;  // diagonal blocks, root first
  std::vector<double> diagonal_;                  // inverse
  bool root_held_ = false;
};

}  // namespace tendril
