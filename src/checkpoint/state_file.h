// The state file of a folder of checkpoints: which one is the latest, and which there are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fermata/saver.h"
#include "platform/file_system.h"

namespace fermata {

// As get_checkpoint_state.
[[nodiscard]] std::optional<CheckpointState> read_state_file(FileSystem& files, const std::string& dir,
                                                             std::string_view latest_filename);

// Replaces the file at once and durably. The latest path is appended to the list if it is not its last.
// Paths are kept as they are, but: with `save_relative_paths` all become relative to `dir`; in a relative
// `dir` the relative ones do.
// Throws: Error kInvalidArgument if there are timestamps, but not one for each path; Error (system).
void write_state_file(FileSystem& files, const std::string& dir, std::string_view latest_filename,
                      CheckpointState state, bool save_relative_paths);

}  // namespace fermata
