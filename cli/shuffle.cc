#include "cli/shuffle.h"

#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace fermata::cli {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += kGolden;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

class Xoshiro256 {
 public:
  explicit Xoshiro256(SplitMix64 seeds) {
    for (std::uint64_t& word : state_) {
      word = seeds.next();
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Equally likely among 0 … count − 1.
  std::uint64_t below(std::uint64_t count) {
    // 2^64 modulo count numbers at the top would make small results likelier.
    const std::uint64_t surplus = (std::numeric_limits<std::uint64_t>::max() % count + 1) % count;
    const std::uint64_t last_fair = std::numeric_limits<std::uint64_t>::max() - surplus;
    std::uint64_t number = next();
    while (number > last_fair) {
      number = next();
    }
    return number % count;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace

std::vector<std::uint32_t> shuffled_rows(std::uint64_t seed, std::uint64_t epoch, std::uint32_t rows) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  Xoshiro256 random(SplitMix64(SplitMix64(seed).next() + epoch));
  for (std::uint32_t i = rows; i-- > 1;) {
    std::swap(order[i], order[random.below(std::uint64_t{i} + 1)]);
  }
  return order;
}

}  // namespace fermata::cli
