#include "tests/support/counted_allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> of_all{0};
thread_local std::int64_t of_this = 0;
// How many are left until one fails; 0 and less: none does.
std::atomic<std::int64_t> until_failure{0};
std::atomic<bool> failure_armed{false};
std::atomic<bool> failed{false};

bool is_to_fail() noexcept {
  if (!failure_armed.load(std::memory_order_relaxed) ||
      until_failure.fetch_sub(1, std::memory_order_relaxed) != 1) {
    return false;
  }
  failed.store(true, std::memory_order_relaxed);
  return true;
}

// Null if there is no memory.
void* counted(std::size_t size, std::size_t alignment) noexcept {
  of_all.fetch_add(1, std::memory_order_relaxed);
  ++of_this;
  if (is_to_fail()) {
    return nullptr;
  }
  const std::size_t wanted = size == 0 ? 1 : size;
  return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
             ? std::malloc(wanted)
             : std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
}

void* counted_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = counted(size, alignment)) {
    return memory;
  }
  throw std::bad_alloc();
}

constexpr std::size_t kPlain = 1;

std::size_t number(std::align_val_t alignment) noexcept { return static_cast<std::size_t>(alignment); }

}  // namespace

namespace fermata {

std::int64_t allocations_of_all_threads() noexcept { return of_all.load(std::memory_order_relaxed); }
std::int64_t allocations_of_this_thread() noexcept { return of_this; }

void fail_allocation(std::int64_t number) noexcept {
  failure_armed.store(false, std::memory_order_relaxed);
  until_failure.store(number, std::memory_order_relaxed);
  failed.store(false, std::memory_order_relaxed);
  failure_armed.store(number > 0, std::memory_order_relaxed);
}
bool allocation_has_failed() noexcept { return failed.load(std::memory_order_relaxed); }

}  // namespace fermata

// All forms, since a library may be called with one and take back with another.
using std::align_val_t, std::nothrow_t, std::size_t;

void* operator new(size_t size) { return counted_or_throw(size, kPlain); }
void* operator new[](size_t size) { return counted_or_throw(size, kPlain); }
void* operator new(size_t size, align_val_t alignment) { return counted_or_throw(size, number(alignment)); }
void* operator new[](size_t size, align_val_t alignment) { return counted_or_throw(size, number(alignment)); }
void* operator new(size_t size, const nothrow_t& /*tag*/) noexcept { return counted(size, kPlain); }
void* operator new[](size_t size, const nothrow_t& /*tag*/) noexcept { return counted(size, kPlain); }
void* operator new(size_t size, align_val_t alignment, const nothrow_t& /*tag*/) noexcept {
  return counted(size, number(alignment));
}
void* operator new[](size_t size, align_val_t alignment, const nothrow_t& /*tag*/) noexcept {
  return counted(size, number(alignment));
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/, align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t /*size*/, align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t /*alignment*/, const nothrow_t& /*tag*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, align_val_t /*alignment*/, const nothrow_t& /*tag*/) noexcept {
  std::free(memory);
}
