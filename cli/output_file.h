// A file that is written piece by piece and takes its name once it is whole.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace fermata::cli {

// Written beside `path` and put in its place by finish(); destroyed unfinished it leaves nothing. What is no
// plain file (a pipe, /dev/stdout) is written to directly. Threads: one at a time.
class OutputFile {
 public:
  // Throws: Error (system), as do all functions.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }
  // Syncs, closes, renames.
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  // Empty: written to directly.
  std::string aside_;
  std::FILE* file_ = nullptr;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace fermata::cli
