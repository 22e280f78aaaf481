#include "parallel/workers.h"

#if defined(__SANITIZE_THREAD__)

// ThreadSanitizer does not know how oneTBB synchronises and reports races on correct loops. Plain threads it understands.
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tendril {

struct Workers::Inside {};

Workers::Workers(int threads) : threads_(threads < 1 ? 1 : threads) {}
Workers::~Workers() = default;

void Workers::run(int chunks, void (*call)(void*, int), void* function) {
  // Every thread takes the next chunk; the first exception is thrown again here when all are done.
  std::atomic<int> next = 0;
  std::mutex mutex;
  std::exception_ptr trouble;
  const auto work = [&] {
    for (int k = next++; k < chunks; k = next++) {
      try {
        call(function, k);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!trouble) trouble = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads_ && t < chunks; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace tendril

#else

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace tendril {

struct Workers::Inside {
  explicit Inside(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), arena(threads) {}
  tbb::global_control limit;  // oneTBB starts as many threads as there are processors, unless it is allowed more
  tbb::task_arena arena;
};

Workers::Workers(int threads) : threads_(threads < 1 ? 1 : threads) {
  if (threads_ > 1) inside_ = std::make_unique<Inside>(threads_);
}
Workers::~Workers() = default;

void Workers::run(int chunks, void (*call)(void*, int), void* function) {
  inside_->arena.execute([&] {
    tbb::parallel_for(
        0, chunks, [&](int k) { call(function, k); }, tbb::simple_partitioner());
  });
}

}  // namespace tendril

#endif
