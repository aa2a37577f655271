// A file that a thread writes, so that those who add to it do not wait for the disk.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "platform/file_system.h"

namespace fermata {

// Threads: every function may be called from any thread.
class BackgroundFile {
 public:
  struct Options {
    // What is held is written after this time at the latest,
    std::chrono::milliseconds flush_interval = std::chrono::seconds(5);
    // or as soon as it is this much.
    std::size_t flush_bytes = std::size_t{64} * 1024;
    // More than this does not wait for the disk: who adds it waits.
    std::size_t queue_bytes = std::size_t{16} * 1024 * 1024;
  };

  // `file` must outlive this.
  BackgroundFile(WritableFile& file, Options options);
  // Writes what is held; an error is not seen, so flush() first.
  ~BackgroundFile();
  BackgroundFile(const BackgroundFile&) = delete;
  BackgroundFile& operator=(const BackgroundFile&) = delete;

  // Both throw the first error that the file said, at each call since then: what was held is lost then.
  void write(std::string_view bytes);
  // Returns once all that was added before is handed to the file.
  void flush();

 private:
  void run();
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  void throw_failure() const;

  WritableFile& file_;
  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable progress_;
  std::string held_;
  std::uint64_t added_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
  bool flush_asked_ = false;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace fermata
