#include "checkpoint/folder_holder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "checkpoint/json_tree.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "platform/process.h"

namespace fermata {
namespace {

constexpr double kMostPid = 2147483647;
constexpr double kLatestTime = 253402300799.0;  // the last second of the year 9999

// What the file says. Without a host it could not be read.
struct Holder {
  std::string host;
  std::int64_t pid = 0;
  double since = 0;
};

Holder this_process(double now) { return {host_name(), process_id(), now}; }

bool same(const Holder& a, const Holder& b) { return a.host == b.host && a.pid == b.pid; }

std::string encode(const Holder& holder) {
  JsonTree::Object object;
  object.emplace("host", JsonTree(is_json_text(holder.host) ? holder.host : std::string("?")));
  object.emplace("pid", JsonTree(static_cast<std::uint64_t>(holder.pid)));
  object.emplace("since", JsonTree(holder.since));
  return JsonTree(std::move(object)).dump();
}

Holder decode(const std::string& text) {
  const JsonTree object = JsonTree::parse(text);
  const double pid = object.at("pid").number();
  const bool possible = pid >= 0 && pid <= kMostPid;
  return {object.at("host").text(), possible ? static_cast<std::int64_t>(pid) : 0,
          object.at("since").number()};
}

// Nothing if there is no file.
std::optional<Holder> read_holder(FileSystem& files, const std::string& path) {
  try {
    return files.info(path) ? std::optional(decode(read_whole_file(files, path))) : std::nullopt;
  } catch (const std::exception&) {
    // Cut by a crash, or by a full disk.
    return Holder();
  }
}

// Its number may have come back to this process, as that of the first one in a container does.
bool may_run(const Holder& holder) {
  return holder.host != host_name() || (holder.pid != process_id() && process_runs(holder.pid));
}

std::string describe_holder(const Holder& holder) {
  // No number of a file is beyond doubt, not even that it is one.
  const double since = holder.since > 0 ? std::min(holder.since, kLatestTime) : 0.0;
  return fmt::format("process {} on {}, since {:%Y-%m-%d %H:%M:%S} UTC", holder.pid, holder.host,
                     fmt::gmtime(static_cast<std::time_t>(since)));
}

[[noreturn]] void refuse(const std::string& folder, const std::optional<Holder>& holder, bool locks_work) {
  const bool known = holder && !holder->host.empty() && (!locks_work || may_run(*holder));
  const std::string who =
      known ? describe_holder(*holder) : std::string("a process that has not written its name");
  const std::string remedy =
      locks_work
          ? "wait for its end or save in another folder"
          : fmt::format("wait for its end or save in another folder, or remove {} if it no longer runs",
                        join_path(folder, kHolderFileName));
  throw Error(
      Code::kFailedPrecondition,
      fmt::format("{}: only one process may save checkpoints in a folder, and this one is held by {}; {}",
                  folder, who, remedy),
      ErrorSource::kSystem);
}

// A folder that nobody else can hold is tried. What an interrupted attempt leaves is removed like a draft.
bool knows_locks(FileSystem& files, const std::string& folder) {
  const std::string probe = aside_path(join_path(folder, kHolderFileName));
  try {
    files.create_directories(probe);
    const bool locked = files.try_lock(probe) != nullptr;
    files.remove_tree(probe);
    return locked;
  } catch (const Error&) {
    // Whoever cannot write here is told so by the save.
    return false;
  }
}

// False if another process was faster, which only happens where there are no locks.
bool write_holder(FileSystem& files, const std::string& path, const Holder& holder) {
  try {
    const std::unique_ptr<WritableFile> file = files.create_new(path);
    if (!file) {
      return false;
    }
    file->write(encode(holder));
    file->close();
  } catch (const Error& error) {
    // A lock without a name is worth more than no training.
    log(LogLevel::kWarning, fmt::format("{}; other processes are not told who saves there", error.what()));
  }
  return true;
}

// A folder held by this process.
class Claim {
 public:
  Claim(FileSystem& files, const std::string& folder, double now)
      : files_(files),
        path_(join_path(folder, kHolderFileName)),
        self_(this_process(now)),
        lock_(files.try_lock(folder)) {
    const bool locks_work = lock_ != nullptr || knows_locks(files, folder);
    const std::optional<Holder> found = read_holder(files, path_);
    const bool held = lock_ == nullptr && (locks_work || (found && (found->host.empty() || may_run(*found))));
    if (held) {
      refuse(folder, found, locks_work);
    }
    if (found) {
      take_over(*found);
    }
    if (!write_holder(files, path_, self_)) {
      refuse(folder, read_holder(files, path_), locks_work);
    }
  }

  ~Claim() {
    // A forked child has no right to what its parent holds.
    if (self_.pid != process_id()) {
      return;
    }
    try {
      const std::optional<Holder> found = read_holder(files_, path_);
      if (found && (same(*found, self_) || found->host.empty())) {
        files_.remove(path_);
      }
    } catch (const std::exception& error) {
      log(LogLevel::kWarning, error.what());
    }
  }

  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  int users = 0;

 private:
  void take_over(const Holder& before) {
    log(LogLevel::kInfo,
        fmt::format("{}: taken over from {}, which no longer holds the folder", path_,
                    before.host.empty() ? std::string("a process that has not written its name")
                                        : describe_holder(before)));
    try {
      files_.remove(path_);
    } catch (const Error& error) {
      log(LogLevel::kWarning, error.what());
    }
  }

  FileSystem& files_;
  std::string path_;
  Holder self_;
  std::unique_ptr<FolderLock> lock_;
};

// What this process holds.
struct Claims {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Claim>> by_folder;
};

// Never destroyed: hooks that live in statics go after it.
Claims& claims() {
  static Claims& all = *new Claims;
  return all;
}

}  // namespace

FolderHolder::FolderHolder(FileSystem& files, const std::string& folder, double unix_seconds)
    // With the process: what a forked child finds here are its parent's.
    : key_(fmt::format("{} {} {}", process_id(), static_cast<const void*>(&files), canonical_path(folder))) {
  Claims& all = claims();
  const std::scoped_lock lock(all.mutex);
  auto found = all.by_folder.find(key_);
  if (found == all.by_folder.end()) {
    found = all.by_folder.emplace(key_, std::make_unique<Claim>(files, folder, unix_seconds)).first;
  }
  ++found->second->users;
}

FolderHolder::~FolderHolder() {
  Claims& all = claims();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.by_folder.find(key_);
  if (found != all.by_folder.end() && --found->second->users == 0) {
    all.by_folder.erase(found);
  }
}

void make_checkpoint_folder(FileSystem& files, const std::string& folder) {
  try {
    create_synced_directories(files, folder);
  } catch (const Error& error) {
    if (error.code() == Code::kFailedPrecondition) {
      throw Error(Code::kInvalidArgument, error.what());
    }
    throw;
  }
}

}  // namespace fermata
