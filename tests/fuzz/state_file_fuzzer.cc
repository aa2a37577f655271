// Any text as the state file of a folder; what is understood is written and understood again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkpoint/state_file.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "tests/support/memory_file_system.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fermata::set_log_level(fermata::LogLevel::kError);
  fermata::MemoryFileSystem files;
  files.create_directories("/d");
  files.create("/d/checkpoint")->write({reinterpret_cast<const char*>(data), size});
  const auto state = fermata::read_state_file(files, "/d", "checkpoint");
  if (!state) {
    return 0;
  }
  try {
    fermata::write_state_file(files, "/d", "checkpoint", *state, false);
  } catch (const fermata::Error&) {
    // Timestamps that are not one for each path.
    return 0;
  }
  const auto again = fermata::read_state_file(files, "/d", "checkpoint");
  if (!again || again->model_checkpoint_path != state->model_checkpoint_path) {
    std::abort();
  }
  return 0;
}
