#include "tests/support/memory_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "platform/errno_error.h"
#include "platform/paths.h"

namespace fermata {

class MemoryFileSystem::File final : public WritableFile {
 public:
  File(MemoryFileSystem& files, std::shared_ptr<Content> content, std::string path)
      : files_(files), content_(std::move(content)), path_(std::move(path)) {}

  void write(std::string_view bytes) override {
    files_.wait_while_held();
    try {
      files_.count("write", path_);
    } catch (...) {
      // A write that fails may have written a part.
      content_->bytes.append(bytes.substr(0, bytes.size() / 2));
      throw;
    }
    content_->bytes.append(bytes);
  }
  void sync() override {
    files_.count("sync", path_);
    content_->synced = content_->bytes;
  }
  void close() override {
    if (!std::exchange(closed_, true)) {
      files_.count("close", path_);
    }
  }

 private:
  MemoryFileSystem& files_;
  std::shared_ptr<Content> content_;
  std::string path_;
  bool closed_ = false;
};

class MemoryFileSystem::Lock final : public FolderLock {
 public:
  Lock(MemoryFileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~Lock() override { files_.locked_.erase(path_); }

 private:
  MemoryFileSystem& files_;
  std::string path_;
};

namespace {

class MemoryReadableFile final : public ReadableFile {
 public:
  explicit MemoryReadableFile(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, void* to, std::size_t size) const override {
    if (offset >= bytes_.size()) {
      return 0;
    }
    size = std::min<std::size_t>(size, bytes_.size() - static_cast<std::size_t>(offset));
    std::memcpy(to, bytes_.data() + offset, size);
    return size;
  }

 private:
  std::string bytes_;
};

bool is_below(const std::string& path, const std::string& folder) { return path.starts_with(folder + "/"); }

}  // namespace

MemoryFileSystem::MemoryFileSystem() : folders_{"/", "."} {}

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::after_power_loss() const {
  auto left = std::make_unique<MemoryFileSystem>();
  left->folders_ = folders_;
  for (const auto& [path, content] : synced_names_) {
    left->names_[path] = std::make_shared<Content>(Content{content->synced, content->synced});
  }
  left->synced_names_ = left->names_;
  return left;
}

// For each path of the folder in which something is open: all that may be found there.
std::vector<std::vector<MemoryFileSystem::Choice>> MemoryFileSystem::legal_choices(
    const std::string& folder) const {
  std::set<std::string> paths;
  for (const Names* names : {&names_, &synced_names_}) {
    for (const auto& entry : *names) {
      if (folder_of(entry.first) == folder) {
        paths.insert(entry.first);
      }
    }
  }
  std::vector<std::vector<Choice>> all;
  for (const std::string& path : paths) {
    std::set<std::optional<std::string>> contents;
    for (const Names* names : {&names_, &synced_names_}) {
      const auto found = names->find(path);
      if (found == names->end()) {
        contents.insert(std::nullopt);
        continue;
      }
      const Content& content = *found->second;
      contents.insert(content.synced);
      contents.insert(content.bytes);
      contents.insert(content.bytes.substr(0, std::max(content.bytes.size() / 2, content.synced.size())));
    }
    std::vector<Choice>& choices = all.emplace_back();
    for (const std::optional<std::string>& content : contents) {
      choices.emplace_back(path, content);
    }
  }
  return all;
}

std::size_t MemoryFileSystem::each_legal_loss(
    const std::string& folder, const std::function<void(MemoryFileSystem& left)>& visit) const {
  const std::vector<std::vector<Choice>> all = legal_choices(folder);
  std::vector<std::size_t> chosen(all.size());
  std::size_t count = 0;
  while (true) {
    MemoryFileSystem left;
    left.folders_ = folders_;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (const auto& [path, content] = all[i][chosen[i]]; content) {
        left.names_[path] = std::make_shared<Content>(Content{*content, *content});
      }
    }
    left.synced_names_ = left.names_;
    visit(left);
    ++count;
    std::size_t place = 0;
    while (place < all.size() && ++chosen[place] == all[place].size()) {
      chosen[place++] = 0;
    }
    if (place == all.size()) {
      return count;
    }
  }
}

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::after_kill() const {
  auto left = std::make_unique<MemoryFileSystem>();
  left->folders_ = folders_;
  for (const auto& [path, content] : names_) {
    left->names_[path] = std::make_shared<Content>(Content{content->bytes, content->bytes});
  }
  left->synced_names_ = left->names_;
  return left;
}

void MemoryFileSystem::hold() {
  const std::lock_guard lock(hold_mutex_);
  held_ = true;
}

void MemoryFileSystem::release() {
  const std::lock_guard lock(hold_mutex_);
  held_ = false;
  released_.notify_all();
}

void MemoryFileSystem::wait_while_held() {
  std::unique_lock lock(hold_mutex_);
  released_.wait(lock, [this] { return !held_; });
}

void MemoryFileSystem::fail_from(std::size_t number, int error_number) {
  fail_from_ = number;
  fail_to_ = std::numeric_limits<std::size_t>::max();
  error_number_ = error_number;
}

void MemoryFileSystem::fail_once(std::size_t number, int error_number) {
  fail_from_ = fail_to_ = number;
  error_number_ = error_number;
}

void MemoryFileSystem::count(const std::string& call, const std::string& path) {
  calls_.push_back(call + " " + path);
  if (error_number_ != 0 && calls_.size() >= fail_from_ && calls_.size() <= fail_to_) {
    throw_errno(error_number_, call, path);
  }
}

std::string MemoryFileSystem::normal(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') {
    text.pop_back();
  }
  return text;
}

std::shared_ptr<MemoryFileSystem::Content> MemoryFileSystem::put(const std::string& path) {
  if (folders_.contains(path)) {
    throw_errno(EISDIR, "create the file", path);
  }
  const std::string folder = folder_of(path);
  if (!folders_.contains(folder)) {
    throw_errno(names_.contains(folder) ? ENOTDIR : ENOENT, "create the file", path);
  }
  auto& content = names_[path];
  if (content == nullptr) {
    content = std::make_shared<Content>();
  }
  return content;
}

std::unique_ptr<WritableFile> MemoryFileSystem::create(const std::string& path) {
  count("create", path);
  std::shared_ptr<Content> content = put(normal(path));
  content->bytes.clear();
  return std::make_unique<File>(*this, std::move(content), normal(path));
}

std::unique_ptr<WritableFile> MemoryFileSystem::create_new(const std::string& path) {
  return names_.contains(normal(path)) ? nullptr : create(path);
}

std::unique_ptr<WritableFile> MemoryFileSystem::append(const std::string& path) {
  count("append", path);
  return std::make_unique<File>(*this, put(normal(path)), normal(path));
}

std::unique_ptr<ReadableFile> MemoryFileSystem::open(const std::string& path) {
  const auto found = names_.find(normal(path));
  if (found == names_.end()) {
    throw_errno(folders_.contains(normal(path)) ? EISDIR : ENOENT, "open the file", path);
  }
  return std::make_unique<MemoryReadableFile>(found->second->bytes);
}

void MemoryFileSystem::sync_file(const std::string& path) {
  count("sync", path);
  const auto found = names_.find(normal(path));
  if (found == names_.end()) {
    throw_errno(ENOENT, "put the file on disk", path);
  }
  found->second->synced = found->second->bytes;
}

void MemoryFileSystem::sync_directory(const std::string& path) {
  count("sync folder", path);
  const auto in_folder = [&](const auto& entry) { return folder_of(entry.first) == normal(path); };
  std::erase_if(synced_names_, in_folder);
  for (const auto& entry : names_) {
    if (in_folder(entry)) {
      synced_names_.insert(entry);
    }
  }
}

void MemoryFileSystem::rename(const std::string& from, const std::string& to) {
  count("rename", to);
  const auto found = names_.find(normal(from));
  if (found == names_.end()) {
    throw_errno(ENOENT, "rename " + from + " to it", to);
  }
  const std::shared_ptr<Content> content = found->second;
  put(normal(to));
  names_.erase(normal(from));
  names_[normal(to)] = content;
}

void MemoryFileSystem::remove(const std::string& path) {
  count("remove", path);
  names_.erase(normal(path));
}

void MemoryFileSystem::remove_tree(const std::string& path) {
  count("remove folder", path);
  std::erase_if(names_, [&](const auto& entry) { return is_below(entry.first, normal(path)); });
  std::erase_if(folders_,
                [&](const auto& name) { return name == normal(path) || is_below(name, normal(path)); });
}

void MemoryFileSystem::create_directories(const std::string& path) {
  for (std::string folder = normal(path); !folders_.contains(folder); folder = folder_of(folder)) {
    count("make folder", folder);
    if (names_.contains(folder)) {
      throw_errno(ENOTDIR, "make the folder", path);
    }
    folders_.insert(folder);
  }
}

void MemoryFileSystem::check_writable(const std::string& path) {
  if (!folders_.contains(normal(path))) {
    throw_errno(ENOENT, "write in the folder", path);
  }
}

std::unique_ptr<FolderLock> MemoryFileSystem::try_lock(const std::string& path) {
  if (!folders_.contains(normal(path)) || !locked_.insert(normal(path)).second) {
    return nullptr;
  }
  return std::make_unique<Lock>(*this, normal(path));
}

std::optional<FileInfo> MemoryFileSystem::info(const std::string& path) {
  if (folders_.contains(normal(path))) {
    return FileInfo{true, 0, {}};
  }
  const auto found = names_.find(normal(path));
  return found == names_.end() ? std::nullopt
                               : std::optional<FileInfo>(FileInfo{false, found->second->bytes.size(), {}});
}

std::vector<std::string> MemoryFileSystem::list(const std::string& path) {
  listed_.push_back(normal(path));
  if (!folders_.contains(normal(path))) {
    throw_errno(ENOENT, "list the folder", path);
  }
  std::vector<std::string> found;
  for (const auto& entry : names_) {
    if (folder_of(entry.first) == normal(path)) {
      found.push_back(name_of(entry.first));
    }
  }
  for (const std::string& folder : folders_) {
    if (folder != normal(path) && folder_of(folder) == normal(path)) {
      found.push_back(name_of(folder));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace fermata
