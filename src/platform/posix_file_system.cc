// The file system of the machine, by POSIX calls.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/errno_error.h"
#include "platform/file_system.h"

namespace fermata {
namespace {

// Calls again as long as a signal got in between. `call` answers −1 on failure.
template <typename Call>
auto retry(const Call& call) {
  auto result = call();
  while (result == -1 && errno == EINTR) {
    result = call();
  }
  return result;
}

// Owns a descriptor; −1 is none.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  [[nodiscard]] int number() const noexcept { return number_; }

  // 0, or what close said. The descriptor is gone either way: Linux frees it even when interrupted.
  [[nodiscard]] int close() noexcept {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int number_;
};

Descriptor open_descriptor(const std::string& path, int flags, std::string_view action) {
  const int number = retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (number < 0) {
    throw_errno(errno, action, path);
  }
  return Descriptor(number);
}

// A file that is this much longer than when the disk last began with it is for the disk to begin with.
constexpr std::size_t kBeginBytes = std::size_t{8} << 20U;

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = retry([&] { return ::write(file_.number(), bytes.data(), bytes.size()); });
      if (count < 0) {
        throw_errno(errno, "write the file", path_);
      }
      bytes.remove_prefix(static_cast<std::size_t>(count));
      waiting_bytes_ += static_cast<std::size_t>(count);
    }
    if (waiting_bytes_ >= kBeginBytes) {
      begin_writing();
    }
  }

  void sync() override {
    if (retry([&] { return ::fdatasync(file_.number()); }) != 0) {
      throw_errno(errno, "put the file on disk", path_);
    }
  }

  void close() override {
    if (const int error = file_.close(); error != 0) {
      throw_errno(error, "close the file", path_);
    }
  }

 private:
  // Lets the disk begin with what is there while the rest is put together: all at once, at the sync, takes
  // longer. An error is told by the sync.
  void begin_writing() noexcept {
#ifdef SYNC_FILE_RANGE_WRITE
    static_cast<void>(::sync_file_range(file_.number(), 0, 0, SYNC_FILE_RANGE_WRITE));
#endif
    waiting_bytes_ = 0;
  }

  Descriptor file_;
  std::string path_;
  std::size_t waiting_bytes_ = 0;
};

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(Descriptor file, std::uint64_t size, std::string path)
      : file_(std::move(file)), size_(size), path_(std::move(path)) {}

  [[nodiscard]] std::uint64_t size() const override { return size_; }

  [[nodiscard]] std::size_t read_at(std::uint64_t offset, void* to, std::size_t size) const override {
    if (offset >= size_) {
      return 0;
    }
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, size_ - offset));
    std::size_t done = 0;
    while (done < size) {
      const ssize_t count = retry([&] {
        return ::pread(file_.number(), static_cast<char*>(to) + done, size - done,
                       static_cast<off_t>(offset + done));
      });
      if (count < 0) {
        throw_errno(errno, "read the file", path_);
      }
      if (count == 0) {
        break;
      }
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

 private:
  Descriptor file_;
  std::uint64_t size_;
  std::string path_;
};

// The system lets go of the lock with the last descriptor of the open folder.
class PosixFolderLock final : public FolderLock {
 public:
  explicit PosixFolderLock(Descriptor folder) : folder_(std::move(folder)) {}

 private:
  Descriptor folder_;
};

FileInfo info_of(const struct stat& status) {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  using std::chrono::system_clock;
  const auto since_epoch = seconds(status.st_mtim.tv_sec) + nanoseconds(status.st_mtim.tv_nsec);
  return {S_ISDIR(status.st_mode), static_cast<std::uint64_t>(status.st_size),
          system_clock::time_point(duration_cast<system_clock::duration>(since_epoch))};
}

struct CloseDirectory {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

class PosixFileSystem final : public FileSystem {
 public:
  std::unique_ptr<WritableFile> create(const std::string& path) override {
    return std::make_unique<PosixWritableFile>(
        open_descriptor(path, O_WRONLY | O_CREAT | O_TRUNC, "create the file"), path);
  }

  std::unique_ptr<WritableFile> create_new(const std::string& path) override {
    const int number =
        retry([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (number < 0) {
      if (errno == EEXIST) {
        return nullptr;
      }
      throw_errno(errno, "create the file", path);
    }
    return std::make_unique<PosixWritableFile>(Descriptor(number), path);
  }

  std::unique_ptr<WritableFile> append(const std::string& path) override {
    return std::make_unique<PosixWritableFile>(
        open_descriptor(path, O_WRONLY | O_CREAT | O_APPEND, "open the file for writing"), path);
  }

  std::unique_ptr<ReadableFile> open(const std::string& path) override {
    Descriptor file = open_descriptor(path, O_RDONLY, "open the file");
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) {
      throw_errno(errno, "open the file", path);
    }
    if (S_ISDIR(status.st_mode)) {
      throw_errno(EISDIR, "open the file", path);
    }
    return std::make_unique<PosixReadableFile>(std::move(file), static_cast<std::uint64_t>(status.st_size),
                                               path);
  }

  void sync_file(const std::string& path) override {
    const Descriptor file = open_descriptor(path, O_RDONLY, "open the file");
    if (retry([&] { return ::fsync(file.number()); }) != 0) {
      throw_errno(errno, "put the file on disk", path);
    }
  }

  void sync_directory(const std::string& path) override {
    const Descriptor folder = open_descriptor(path, O_RDONLY | O_DIRECTORY, "open the folder");
    // Some network file systems cannot sync a folder and say EINVAL: their names are on the server already.
    if (retry([&] { return ::fsync(folder.number()); }) != 0 && errno != EINVAL && errno != ENOTSUP) {
      throw_errno(errno, "put the names in the folder on disk", path);
    }
  }

  void rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) {
      throw_errno(errno, "rename " + from + " to it", to);
    }
  }

  void remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      throw_errno(errno, "remove the file", path);
    }
  }

  void remove_tree(const std::string& path) override {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) {
      throw_errno(error.value(), "remove the folder", path);
    }
  }

  void create_directories(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) {
      // A file in its place is what the system calls "exists".
      const bool is_file = error.value() == EEXIST && !std::filesystem::is_directory(path);
      throw_errno(is_file ? ENOTDIR : error.value(), "make the folder", path);
    }
  }

  void check_writable(const std::string& path) override {
    if (::access(path.c_str(), W_OK | X_OK) != 0) {
      throw_errno(errno, "write in the folder", path);
    }
  }

  std::unique_ptr<FolderLock> try_lock(const std::string& path) override {
    const int number = retry([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (number < 0) {
      return nullptr;
    }
    Descriptor folder(number);
    const bool held = retry([&] { return ::flock(number, LOCK_EX | LOCK_NB); }) == 0;
    return held ? std::make_unique<PosixFolderLock>(std::move(folder)) : nullptr;
  }

  std::optional<FileInfo> info(const std::string& path) override {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
      return info_of(status);
    }
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::nullopt;
    }
    throw_errno(errno, "look at the file", path);
  }

  std::vector<std::string> list(const std::string& path) override {
    const std::unique_ptr<DIR, CloseDirectory> folder(::opendir(path.c_str()));
    if (folder == nullptr) {
      throw_errno(errno, "list the folder", path);
    }
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
      names.emplace_back(entry->d_name);
      errno = 0;
    }
    if (errno != 0) {
      throw_errno(errno, "list the folder", path);
    }
    std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

FileSystem& FileSystem::system() {
  // Never destroyed: writers with a longer life than main's statics still use it.
  static auto* const files = new PosixFileSystem;
  return *files;
}

}  // namespace fermata
