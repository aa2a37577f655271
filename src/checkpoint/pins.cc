#include "checkpoint/pins.h"

#include <fmt/format.h>

#include "checkpoint/bundle_files.h"
#include "fermata/error.h"
#include "platform/file_content.h"
#include "platform/paths.h"

namespace fermata {

std::string pin_path(std::string_view prefix) { return std::string(prefix) + ".pinned"; }

bool is_pinned(FileSystem& files, const std::string& prefix) {
  return files.info(pin_path(prefix)).has_value();
}

void pin_checkpoint(FileSystem& files, const std::string& prefix) {
  if (!files.info(index_path(prefix))) {
    throw Error(Code::kNotFound,
                fmt::format("'{}' cannot be pinned: there is no {}; give the path without its "
                            "ending",
                            prefix, index_path(prefix)));
  }
  write_synced_file(files, pin_path(prefix), "");
  files.sync_directory(folder_of(prefix));
}

void unpin_checkpoint(FileSystem& files, const std::string& prefix) {
  files.remove(pin_path(prefix));
  files.sync_directory(folder_of(prefix));
}

}  // namespace fermata
