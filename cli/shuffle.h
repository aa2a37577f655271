// The order of rows in a shuffled epoch.
#pragma once

#include <cstdint>
#include <vector>

namespace fermata::cli {

// A permutation of 0 … rows − 1 that depends on its arguments alone, on every machine and for good: runs that
// are resumed, and checkpoints of other versions, count on it.
//
// A splitmix64 generator starts at the first number of splitmix64(seed), plus the epoch, and gives the four
// words of state of a xoshiro256** generator. Fisher–Yates then goes from the last place down to the second
// and swaps place i with place j of 0 … i, where j is a number of xoshiro modulo i + 1; numbers from the
// incomplete last round of the 64-bit range are drawn again, so that each order is equally likely.
[[nodiscard]] std::vector<std::uint32_t> shuffled_rows(std::uint64_t seed, std::uint64_t epoch,
                                                       std::uint32_t rows);

}  // namespace fermata::cli
