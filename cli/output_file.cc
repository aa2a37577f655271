#include "cli/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "cli/system_error.h"

namespace fermata::cli {
namespace {

bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (!is_special(path_)) {
    aside_ = fmt::format("{}.{}.tmp", path_, ::getpid());
  }
  file_ = std::fopen((aside_.empty() ? path_ : aside_).c_str(), "wbe");
  if (file_ == nullptr) {
    fail();
  }
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
    if (!aside_.empty()) {
      ::unlink(aside_.c_str());
    }
  }
}

void OutputFile::fail() const { throw system_error(fmt::format("{}: cannot be written", path_), errno); }

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail();
  }
  bytes_written_ += bytes.size();
}

void OutputFile::finish() {
  // What cannot be synced (a pipe) says EINVAL.
  if (std::fflush(file_) != 0 || (::fsync(::fileno(file_)) != 0 && errno != EINVAL)) {
    fail();
  }
  if (!aside_.empty() && std::rename(aside_.c_str(), path_.c_str()) != 0) {
    fail();
  }
  aside_.clear();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    fail();
  }
}

}  // namespace fermata::cli
