// For tests: counts what `operator new` gives out, and lets one call fail. A program that has
// counted_allocations.cc among its sources has all its forms replaced.
#pragma once

#include <cstdint>

namespace fermata {

// Since the start of the process, on all threads.
[[nodiscard]] std::int64_t allocations_of_all_threads() noexcept;
// Since the start of this thread.
[[nodiscard]] std::int64_t allocations_of_this_thread() noexcept;

// The allocation with this number from now on, counted from 1 on all threads, finds no memory; those after it
// do again. 0: none fails.
void fail_allocation(std::int64_t number) noexcept;
// Whether the one that was to fail has been asked for.
[[nodiscard]] bool allocation_has_failed() noexcept;

}  // namespace fermata
