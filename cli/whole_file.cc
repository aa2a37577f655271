#include "cli/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/system_error.h"

namespace fermata::cli {
namespace {

bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

// 0, or what went wrong.
int write_to(const std::string& path, std::string_view text, int flags) {
  const int file = ::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) {
    return errno;
  }
  int failure = 0;
  while (!text.empty() && failure == 0) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failure = errno;
    }
  }
  // What cannot be synced (a pipe) says EINVAL.
  if (failure == 0 && ::fsync(file) != 0 && errno != EINVAL) {
    failure = errno;
  }
  return ::close(file) != 0 && failure == 0 ? errno : failure;
}

void require_written(const std::string& path, int failure) {
  if (failure != 0) {
    throw system_error(fmt::format("{}: cannot be written", path), failure);
  }
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view text) {
  if (is_special(path)) {
    require_written(path, write_to(path, text, 0));
    return;
  }
  const std::string aside = fmt::format("{}.{}.tmp", path, ::getpid());
  int failure = write_to(aside, text, O_CREAT | O_TRUNC);
  if (failure == 0 && std::rename(aside.c_str(), path.c_str()) != 0) {
    failure = errno;
  }
  if (failure != 0) {
    ::unlink(aside.c_str());
  }
  require_written(path, failure);
}

}  // namespace fermata::cli
