// Whole files at once, and many small writes as few large ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/file_system.h"

namespace fermata {

// Throws: Error (system).
[[nodiscard]] std::string read_whole_file(FileSystem& files, const std::string& path);

// Creates the file, writes, syncs and closes it.
void write_synced_file(FileSystem& files, const std::string& path, std::string_view content);

// Replaces the file so that a crash leaves either the old content or the new one: writes aside, syncs,
// renames, syncs the folder. On failure the old file is untouched and nothing is left aside.
void replace_file(FileSystem& files, const std::string& path, std::string_view content);

// Makes a folder with all its levels, and puts the names of those that are new on disk.
void create_synced_directories(FileSystem& files, const std::string& path);

// A name that no other writer uses: `path` + ".tempstate" + 16 digits. Names of this form are left aside only
// by a crash and are safe to delete.
[[nodiscard]] std::string aside_path(std::string_view path);
// True for the last part of such a path.
[[nodiscard]] bool is_aside_name(std::string_view name) noexcept;

// Collects what is written and hands it on in large pieces.
class BufferedWriter {
 public:
  explicit BufferedWriter(WritableFile& file, std::size_t capacity_bytes = 256 * 1024);

  void write(std::string_view bytes);
  // Hands on what is collected. Needed before sync and close of the file.
  void flush();

  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }
  [[nodiscard]] std::size_t bytes_held() const noexcept { return held_.size(); }

 private:
  WritableFile& file_;
  std::size_t capacity_bytes_;
  std::string held_;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace fermata
