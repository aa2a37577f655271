// Any text as the file that says who holds a folder: whoever wrote it, the folder can be asked for.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "checkpoint/folder_holder.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "tests/support/memory_file_system.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fermata::set_log_level(fermata::LogLevel::kError);
  fermata::MemoryFileSystem files;
  files.create_directories("/d");
  files.create("/d/.fermata.lock")->write({reinterpret_cast<const char*>(data), size});
  try {
    const fermata::FolderHolder holder(files, "/d", 1.5e9);
  } catch (const fermata::Error&) {
    // Held by another process, says the file.
    return 0;
  }
  return 0;
}
