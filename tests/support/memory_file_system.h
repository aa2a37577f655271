// For tests: a file system in memory that knows what a crash would leave, and fails when it is told to.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/file_system.h"

namespace fermata {

// Content is safe after a sync of the file, names (new, renamed, removed) after a sync of their folder.
class MemoryFileSystem : public FileSystem {
 public:
  MemoryFileSystem();

  // What a machine finds that lost its power now: nothing that was not synced.
  [[nodiscard]] std::unique_ptr<MemoryFileSystem> after_power_loss() const;
  // Everything that a machine may find that lost its power now, one after the other: of each name in `folder`
  // that was changed since the folder was synced the old or the new, of each file there that was written
  // since its sync all, a half, or what was synced. Returns how many there were.
  std::size_t each_legal_loss(const std::string& folder,
                              const std::function<void(MemoryFileSystem& left)>& visit) const;
  // What another process finds if this one is killed now: everything that was written.
  [[nodiscard]] std::unique_ptr<MemoryFileSystem> after_kill() const;

  // Calls that change something, counted from 1 (write, sync, rename, …), with their names.
  [[nodiscard]] const std::vector<std::string>& calls() const noexcept { return calls_; }
  // Folders that were listed, in order.
  [[nodiscard]] const std::vector<std::string>& listed() const noexcept { return listed_; }
  // From call `number` on every call that changes something fails with `error_number`; 0: none does.
  void fail_from(std::size_t number, int error_number);
  // Only call `number` does.
  void fail_once(std::size_t number, int error_number);

  // Between the two, whoever writes to a file waits.
  void hold();
  void release();

  std::unique_ptr<WritableFile> create(const std::string& path) override;
  std::unique_ptr<WritableFile> create_new(const std::string& path) override;
  std::unique_ptr<WritableFile> append(const std::string& path) override;
  std::unique_ptr<ReadableFile> open(const std::string& path) override;
  void sync_file(const std::string& path) override;
  void sync_directory(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  void remove_tree(const std::string& path) override;
  void create_directories(const std::string& path) override;
  void check_writable(const std::string& path) override;
  std::unique_ptr<FolderLock> try_lock(const std::string& path) override;
  std::optional<FileInfo> info(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;

 private:
  struct Content {
    std::string bytes;
    std::string synced;
  };
  using Names = std::map<std::string, std::shared_ptr<Content>>;
  class File;
  class Lock;
  // How one thing may be found: a path with its content, or without any.
  using Choice = std::pair<std::string, std::optional<std::string>>;
  [[nodiscard]] std::vector<std::vector<Choice>> legal_choices(const std::string& folder) const;

  void wait_while_held();
  // Counts one call; throws if this one is to fail.
  void count(const std::string& call, const std::string& path);
  std::shared_ptr<Content> put(const std::string& path);
  static std::string normal(const std::string& path);

  std::vector<std::string> calls_;
  std::vector<std::string> listed_;
  std::size_t fail_from_ = 0;
  std::size_t fail_to_ = 0;
  int error_number_ = 0;
  Names names_;
  Names synced_names_;
  std::set<std::string> folders_;
  std::set<std::string> locked_;
  std::mutex hold_mutex_;
  std::condition_variable released_;
  bool held_ = false;
};

}  // namespace fermata
