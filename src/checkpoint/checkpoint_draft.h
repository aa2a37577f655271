// A checkpoint on its way: written in a folder of its own, put in place when all of it is on disk.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/manifest.h"
#include "platform/file_system.h"

namespace fermata {

// Until commit() nothing of what is in the checkpoints' folder is touched. A draft that is destroyed removes
// its folder; after a crash it is left behind, under a name of aside_path() and held by nobody.
// Threads: one at a time.
class CheckpointDraft {
 public:
  // Makes the draft's folder in that of `prefix`, which must be there. Throws: Error (system).
  CheckpointDraft(FileSystem& files, std::string prefix);
  ~CheckpointDraft();
  CheckpointDraft(const CheckpointDraft&) = delete;
  CheckpointDraft& operator=(const CheckpointDraft&) = delete;

  // Where the engine writes the bundle: another folder, the same name.
  [[nodiscard]] const std::string& aside_prefix() const noexcept { return aside_prefix_; }

  void write_meta(std::string_view meta_graph_def, std::string_view suffix = "meta");

  // Looks whether the bundle is complete, syncs its files (engines need not), completes `manifest` with the
  // files and writes it; then puts all in place, the index last, and syncs the folder. Throws: Error; what
  // was there is untouched unless a file of the same name had been replaced already.
  void commit(Manifest manifest);

 private:
  [[nodiscard]] std::vector<std::string> sync_files();
  void put_in_place(const std::vector<std::string>& names);
  void make_folder();
  void remove_folder() noexcept;

  FileSystem& files_;
  std::string prefix_;
  std::string aside_folder_;
  std::string aside_prefix_;
  // Name of the file of the graph's definition; empty if there is none.
  std::string meta_name_;
  std::unique_ptr<FolderLock> lock_;
};

// Removes the folders of drafts that nobody holds: what an interrupted save has left.
void remove_left_drafts(FileSystem& files, const std::string& folder);

// Removes all files of a checkpoint, the index first: without it the rest is no checkpoint.
// The graph's definition is the file that ends in `.<meta_graph_suffix>`. Throws: Error (system).
void delete_checkpoint(FileSystem& files, const std::string& prefix,
                       std::string_view meta_graph_suffix = "meta");

}  // namespace fermata
