// One process writes the checkpoints of a folder; others are told which one it is.
#pragma once

#include <string>

#include "platform/file_system.h"

namespace fermata {

// In the folder of the checkpoints while it is held: who holds it.
inline constexpr const char* kHolderFileName = ".fermata.lock";

// Holds a folder for this process while it lives; several may hold one folder together. The system's lock on
// the folder decides, which ends with the process however that ends; a file says to others who has it. Where
// the file system knows no locks the file decides: its process holds the folder while it runs, or until
// somebody removes the file if it ran on another machine. Threads: may be made and destroyed by any thread.
class FolderHolder {
 public:
  // `folder` must be there. A file of a process that no longer holds the folder is replaced, which the log
  // says. Throws: Error (system) kFailedPrecondition that names the process which holds the folder.
  FolderHolder(FileSystem& files, const std::string& folder, double unix_seconds);
  ~FolderHolder();
  FolderHolder(const FolderHolder&) = delete;
  FolderHolder& operator=(const FolderHolder&) = delete;

 private:
  std::string key_;
};

// Makes the folder that checkpoints go to. A file in its place is a wrong argument. Throws: Error.
void make_checkpoint_folder(FileSystem& files, const std::string& folder);

}  // namespace fermata
