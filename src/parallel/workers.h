// Threads, and the only place that has any. Work is cut into chunks that do not depend on the number of threads; each chunk
// writes to places of its own, and sums are taken afterwards in the order of the chunks: the same bits for any number of threads.
#pragma once

#include <memory>
#include <type_traits>

namespace tendril {

class Workers {
 public:
  explicit Workers(int threads = 1);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  int threads() const { return threads_; }

  // f(chunk) for chunk = 0 .. chunks - 1, side by side and in any order. With one thread, or one chunk, a plain loop.
  // An exception of f is thrown again here.
  template <class F>
  void for_each_chunk(int chunks, F&& f) {
    if (threads_ == 1 || chunks < 2) {
      for (int k = 0; k < chunks; ++k) f(k);
      return;
    }
    using Function = std::remove_reference_t<F>;
    run(
        chunks, [](void* function, int chunk) { (*static_cast<Function*>(function))(chunk); },
        const_cast<void*>(static_cast<const void*>(&f)));
  }

 private:
  void run(int chunks, void (*call)(void* function, int chunk), void* function);
  int threads_;
  struct Inside;
  std::unique_ptr<Inside> inside_;  // none: one thread
};

}  // namespace tendril
