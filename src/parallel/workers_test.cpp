#include "parallel/workers.h"

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "testing/sentence.h"

namespace tendril {
namespace {

SENTENCE("parallel", "every chunk is done exactly once, for any number of threads and chunks") {
  for (const int threads : {1, 2, 3, 8}) {
    Workers workers(threads);
    for (const int chunks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(chunks));
      workers.for_each_chunk(chunks, [&](int k) { ++done[static_cast<std::size_t>(k)]; });
      for (const auto& times : done) EXPECT_EQ(times, 1) << threads << " threads, " << chunks << " chunks";
    }
  }
}

SENTENCE("parallel", "sums over chunks in their order have the same bits for any number of threads") {
  const auto sum = [](int threads) {
    Workers workers(threads);
    std::vector<double> part(64);
    workers.for_each_chunk(64, [&](int k) {
      for (int i = 0; i < 1000; ++i) part[static_cast<std::size_t>(k)] += std::sin(1000.0 * k + i);
    });
    double all = 0;
    for (const double p : part) all += p;
    return all;
  };
  const double one = sum(1);
  EXPECT_NE(one, 0);
  for (const int threads : {2, 3, 4, 5, 6, 7, 8}) EXPECT_EQ(sum(threads), one);
}

SENTENCE("parallel", "what a chunk throws is thrown to who asked") {
  for (const int threads : {1, 4}) {
    Workers workers(threads);
    EXPECT_THROW(workers.for_each_chunk(100,
                                        [](int k) {
                                          if (k == 57) throw std::runtime_error("no");
                                        }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace tendril
