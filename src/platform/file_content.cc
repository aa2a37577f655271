#include "platform/file_content.h"

#include <atomic>
#include <cstdio>
#include <random>

#include "platform/errno_error.h"
#include "platform/paths.h"

namespace fermata {
namespace {

constexpr std::string_view kAsideEnding = ".tempstate";
constexpr std::size_t kAsideDigits = 16;

void remove_quietly(FileSystem& files, const std::string& path) noexcept {
  try {
    files.remove(path);
  } catch (...) {
    // The failure that led here is the one to report; a file of this name is removed at a later start.
    return;
  }
}

}  // namespace

std::string read_whole_file(FileSystem& files, const std::string& path) {
  const std::unique_ptr<ReadableFile> file = files.open(path);
  std::string content(static_cast<std::size_t>(file->size()), '\0');
  content.resize(file->read_at(0, content.data(), content.size()));
  return content;
}

void write_synced_file(FileSystem& files, const std::string& path, std::string_view content) {
  const std::unique_ptr<WritableFile> file = files.create(path);
  file->write(content);
  file->sync();
  file->close();
}

void replace_file(FileSystem& files, const std::string& path, std::string_view content) {
  const std::string aside = aside_path(path);
  try {
    write_synced_file(files, aside, content);
    files.rename(aside, path);
  } catch (...) {
    remove_quietly(files, aside);
    throw;
  }
  files.sync_directory(folder_of(path));
}

void create_synced_directories(FileSystem& files, const std::string& path) {
  std::vector<std::string> parents;
  for (std::string level = path; !files.info(level); level = folder_of(level)) {
    parents.push_back(folder_of(level));
  }
  files.create_directories(path);
  for (const std::string& parent : parents) {
    files.sync_directory(parent);
  }
}

std::string aside_path(std::string_view path) {
  static std::atomic<std::uint64_t> count{std::random_device{}() * (std::uint64_t{1} << 32U)};
  char digits[kAsideDigits + 1];
  std::snprintf(digits, sizeof(digits), "%016llx",
                static_cast<unsigned long long>(count.fetch_add(1, std::memory_order_relaxed)));
  return std::string(path).append(kAsideEnding).append(digits);
}

bool is_aside_name(std::string_view name) noexcept {
  if (name.size() < kAsideEnding.size() + kAsideDigits) {
    return false;
  }
  const std::string_view digits = name.substr(name.size() - kAsideDigits);
  return name.substr(0, name.size() - kAsideDigits).ends_with(kAsideEnding) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

BufferedWriter::BufferedWriter(WritableFile& file, std::size_t capacity_bytes)
    : file_(file), capacity_bytes_(capacity_bytes) {}

void BufferedWriter::write(std::string_view bytes) {
  if (held_.size() + bytes.size() > capacity_bytes_) {
    flush();
  }
  if (bytes.size() >= capacity_bytes_) {
    file_.write(bytes);
  } else {
    held_.append(bytes);
  }
  bytes_written_ += bytes.size();
}

void BufferedWriter::flush() {
  if (!held_.empty()) {
    file_.write(held_);
    held_.clear();
  }
}

}  // namespace fermata
