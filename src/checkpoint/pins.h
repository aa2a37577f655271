// Which checkpoints their user wants to keep: a file `<prefix>.pinned` beside each.
#pragma once

#include <string>
#include <string_view>

#include "platform/file_system.h"

namespace fermata {

[[nodiscard]] std::string pin_path(std::string_view prefix);
// Throws: Error (system).
[[nodiscard]] bool is_pinned(FileSystem& files, const std::string& prefix);
// Throws: Error kNotFound if there is no such checkpoint; Error (system).
void pin_checkpoint(FileSystem& files, const std::string& prefix);
void unpin_checkpoint(FileSystem& files, const std::string& prefix);

}  // namespace fermata
