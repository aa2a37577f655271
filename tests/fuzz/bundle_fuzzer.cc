// Any bytes as the index of a checkpoint, with some data beside it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/damage.h"
#include "fermata/error.h"
#include "tests/support/memory_file_system.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fermata::MemoryFileSystem files;
  files.create_directories("/d");
  files.create("/d/m.index")->write({reinterpret_cast<const char*>(data), size});
  files.create("/d/m.data-00000-of-00001")->write(std::string(512, '\x3f'));
  try {
    const fermata::BundleReader reader = fermata::BundleReader::open("/d/m", files);
    for (const fermata::BundleEntry& entry : reader.entries()) {
      try {
        static_cast<void>(reader.read(entry.name));
      } catch (const fermata::Error&) {
        continue;
      }
    }
  } catch (const fermata::Error&) {
    // Refused in one sentence, as it should be.
    return 0;
  }
  static_cast<void>(fermata::find_damage(files, "/d/m"));
  return 0;
}
