// One save, made ready between two steps, to be carried out then or on another thread.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "checkpoint/manifest.h"
#include "checkpoint/retention.h"
#include "fermata/session.h"
#include "platform/file_system.h"

namespace fermata {

// Owns all that it needs but the file system.
struct CheckpointWrite {
  FileSystem* files = nullptr;
  std::string prefix;
  // Without the files, which are not there yet.
  Manifest manifest;
  // Empty: none is written.
  std::string meta_graph_def;
  // Writes the bundle to the prefix that it is given.
  std::function<void(const std::string& prefix)> write_values;
  std::string latest_filename;
  std::string meta_graph_suffix = "meta";
  bool save_relative_paths = false;
  // False: no state file is written, and `retention` is what it was.
  bool write_state = true;
  // As it will be once this checkpoint is committed, and what is to be removed then.
  Retention retention;
  std::optional<std::string> obsolete;
};

struct WriteResult {
  // Whether the state file names it, also if something failed afterwards.
  bool committed = false;
  std::exception_ptr error;
};

// Writes, commits, removes what is obsolete and not pinned. Throws nothing.
[[nodiscard]] WriteResult write_checkpoint(const CheckpointWrite& work) noexcept;

// Writes values to a bundle; each is let go of once it is written. Throws: Error.
void write_capture(FileSystem& files, VariableCapture& capture, const std::string& prefix);

}  // namespace fermata
