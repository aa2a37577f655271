#include "cli/version.h"

#include <fmt/format.h>

namespace fermata::cli {

std::string fermata_version() { return FERMATA_CLI_VERSION; }

std::string compiler_version() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace fermata::cli
