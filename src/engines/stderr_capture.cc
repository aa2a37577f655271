#include "engines/stderr_capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace fermata::tensorflow {
namespace {

// Parts of the lines that say nothing about the user's doing.
constexpr std::array<std::string_view, 6> kStartupLines = {
    "oneDNN custom operations are on",
    "This TensorFlow binary is optimized to use available CPU instructions",
    "To enable the following instructions:",
    "All log messages before absl::InitializeLog() is called are written to STDERR",
    "Could not find cuda drivers on your machine",
    "cpu_feature_guard.cc",
};

bool is_startup_line(std::string_view line) {
  for (const std::string_view known : kStartupLines) {
    if (line.find(known) != std::string_view::npos) {
      return true;
    }
  }
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::string read_all(int file) {
  std::string text;
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size > 0) {
    text.resize(static_cast<std::size_t>(size));
    const ssize_t read = ::pread(file, text.data(), text.size(), 0);
    text.resize(read < 0 ? 0 : static_cast<std::size_t>(read));
  }
  return text;
}

}  // namespace

StderrCapture::StderrCapture() noexcept {
  std::fflush(stderr);
  memory_ = ::memfd_create("fermata-stderr", MFD_CLOEXEC);
  if (memory_ < 0) {
    return;
  }
  original_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (original_ < 0 || ::dup2(memory_, STDERR_FILENO) < 0) {
    static_cast<void>(finish());
  }
}

StderrCapture::~StderrCapture() { static_cast<void>(finish()); }

std::string StderrCapture::finish() noexcept {
  std::string text;
  if (original_ >= 0) {
    std::fflush(stderr);
    ::dup2(original_, STDERR_FILENO);
    ::close(original_);
    original_ = -1;
  }
  if (memory_ >= 0) {
    try {
      text = read_all(memory_);
    } catch (...) {  // Without memory the lines are lost.
    }
    ::close(memory_);
    memory_ = -1;
  }
  return text;
}

std::string without_startup_lines(const std::string& text) {
  std::string kept;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (!is_startup_line(line)) {
      kept.append(kept.empty() ? "" : "\n").append(line);
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return kept;
}

}  // namespace fermata::tensorflow
