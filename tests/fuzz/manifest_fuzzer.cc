// Any text as a manifest; what is understood is written and understood again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "checkpoint/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto decoded = fermata::decode_manifest({reinterpret_cast<const char*>(data), size});
  if (const auto* manifest = std::get_if<fermata::Manifest>(&decoded)) {
    const auto again = fermata::decode_manifest(fermata::encode_manifest(*manifest));
    if (!std::holds_alternative<fermata::Manifest>(again)) {
      std::abort();
    }
  }
  return 0;
}
