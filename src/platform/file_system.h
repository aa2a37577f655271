// Files and folders, behind an interface so that tests can lose, tear and refuse what is written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermata {

// A file open for writing. Threads: one at a time.
class WritableFile {
 public:
  // Closes what is still open; a failure of that is not seen, so close() first.
  virtual ~WritableFile();
  WritableFile() = default;
  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;

  // Writes all of it, or throws.
  virtual void write(std::string_view bytes) = 0;
  // Returns once the content is on disk.
  virtual void sync() = 0;
  // The second call does nothing.
  virtual void close() = 0;
};

// A file open for reading at any place. Threads: read_at may be called from any thread.
class ReadableFile {
 public:
  virtual ~ReadableFile();
  ReadableFile() = default;
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;

  // Bytes in the file when it was opened.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Reads up to `size` bytes; fewer only at the end of the file. Returns how many.
  [[nodiscard]] virtual std::size_t read_at(std::uint64_t offset, void* to, std::size_t size) const = 0;
};

// A folder held by this process, until this is destroyed or the process ends, however it ends.
class FolderLock {
 public:
  virtual ~FolderLock();
  FolderLock() = default;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
};

struct FileInfo {
  bool is_directory = false;
  std::uint64_t size = 0;
  std::chrono::system_clock::time_point modified;
};

// What the rest of the library asks of the operating system about files. All functions throw Error (system)
// with the path and what to do. Threads: every function may be called from any thread.
class FileSystem {
 public:
  virtual ~FileSystem();
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  // Opens an empty file, in the place of one that is there.
  [[nodiscard]] virtual std::unique_ptr<WritableFile> create(const std::string& path) = 0;
  // Opens a new file; nothing if there is one already.
  [[nodiscard]] virtual std::unique_ptr<WritableFile> create_new(const std::string& path) = 0;
  // Opens a file to write at its end; makes it if there is none.
  [[nodiscard]] virtual std::unique_ptr<WritableFile> append(const std::string& path) = 0;
  [[nodiscard]] virtual std::unique_ptr<ReadableFile> open(const std::string& path) = 0;

  // Puts the content of a file on disk that somebody else has written.
  virtual void sync_file(const std::string& path) = 0;
  // Puts names on disk: what was created, renamed and removed in the folder.
  virtual void sync_directory(const std::string& path) = 0;

  // Replaces `to` if it is there.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // Removes a file; it is no error if there is none.
  virtual void remove(const std::string& path) = 0;
  // Removes a folder with all it holds; it is no error if there is none.
  virtual void remove_tree(const std::string& path) = 0;
  // Makes a folder with all its levels; those that are there stay.
  virtual void create_directories(const std::string& path) = 0;

  // Throws if this process may not make files in the folder.
  virtual void check_writable(const std::string& path) = 0;

  // Null if somebody else holds the folder, it is not there, or the file system knows no locks.
  [[nodiscard]] virtual std::unique_ptr<FolderLock> try_lock(const std::string& path) = 0;

  // Nothing if there is neither file nor folder of this name.
  [[nodiscard]] virtual std::optional<FileInfo> info(const std::string& path) = 0;
  // Names (not paths) in a folder, sorted, without "." and "..".
  [[nodiscard]] virtual std::vector<std::string> list(const std::string& path) = 0;

  // The machine's.
  [[nodiscard]] static FileSystem& system();
};

}  // namespace fermata
