// For tests: counts what `operator new` gives out. A program that has counted_allocations.cc among its
// sources has all its forms replaced.
#pragma once

#include <cstdint>

namespace fermata {

// Since the start of the process, on all threads.
[[nodiscard]] std::int64_t allocations_of_all_threads() noexcept;
// Since the start of this thread.
[[nodiscard]] std::int64_t allocations_of_this_thread() noexcept;

}  // namespace fermata
