// Any bytes as the head of a .npy file.
#include <cstddef>
#include <cstdint>

#include "cli/npy_header.h"
#include "fermata/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(
        fermata::cli::parse_npy_header({reinterpret_cast<const char*>(data), size}, "file.npy"));
  } catch (const fermata::Error&) {
    // Refused in one sentence, as it should be.
    return 0;
  }
  return 0;
}
