// Plain builds replace malloc and its kin by counting wrappers around glibc's own (operator new ends there too, and so
// does Eigen, which does not use operator new). Under a sanitizer, whose runtime owns malloc, its hooks count.
#include "testing/allocation_count.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENDRIL_SANITIZER_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TENDRIL_SANITIZER_HOOKS 1
#endif
#endif
#ifdef TENDRIL_SANITIZER_HOOKS
// From sanitizer/allocator_interface.h, which Debian's g++ does not bring along.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
#endif

namespace {
std::atomic<long> allocations{0};
}

#ifdef TENDRIL_SANITIZER_HOOKS
namespace {
void count_malloc(const volatile void*, std::size_t) { allocations.fetch_add(1, std::memory_order_relaxed); }
void count_free(const volatile void*) {}
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
}  // namespace
#elif defined(__GLIBC__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const p = memalign(alignment, size);
  if (p == nullptr) return ENOMEM;
  *result = p;
  return 0;
}
void free(void* p) { __libc_free(p); }
}
#else
#error "allocation_count.cpp knows glibc and the sanitizers"
#endif

namespace tendril {
AllocationCount::AllocationCount() : before_(allocations.load(std::memory_order_relaxed)) {}
long AllocationCount::count() const { return allocations.load(std::memory_order_relaxed) - before_; }
}  // namespace tendril
