// Changes to a single record of a file, with the right checksums put around it afterwards: what a fuzzer
// changes at random is refused by its checksum, and the code behind that would never see it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// libFuzzer's own changes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace fuzz {

// How much a record may grow at once.
constexpr std::size_t kMostGrowth = 32;

inline std::string mutated(std::string bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + kMostGrowth);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

// `made` as the new input; where it is too long, a change of the old one.
inline std::size_t hand_over(std::string_view made, std::uint8_t* data, std::size_t size,
                             std::size_t max_size) {
  if (made.size() > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::copy(made.begin(), made.end(), reinterpret_cast<char*>(data));
  return made.size();
}

}  // namespace fuzz
