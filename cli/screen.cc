#include "cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace fermata::cli {
namespace {

void put(std::FILE* stream, std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }

std::string_view prefix(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug: ";
    case LogLevel::kInfo:
      return "";
    case LogLevel::kWarning:
      return "warning: ";
    case LogLevel::kError:
      return "error: ";
  }
  return "";
}

class ScreenSink : public LogSink {
 public:
  explicit ScreenSink(std::shared_ptr<Screen> screen) : screen_(std::move(screen)) {}
  void write(LogLevel level, std::string_view message) override { screen_->message(level, message); }

 private:
  std::shared_ptr<Screen> screen_;
};

}  // namespace

Screen::~Screen() { status({}); }

void Screen::line(std::string_view text) {
  if (quiet_) {
    return;
  }
  const std::lock_guard lock(mutex_);
  erase_status();
  put(stdout, std::string(text) + "\n");
  draw_status();
  std::fflush(stdout);
}

void Screen::message(LogLevel level, std::string_view text) {
  if (quiet_ && level < LogLevel::kWarning) {
    return;
  }
  const std::lock_guard lock(mutex_);
  erase_status();
  std::fflush(stdout);
  put(stderr, std::string(prefix(level)).append(text).append("\n"));
  draw_status();
  std::fflush(stdout);
}

void Screen::status(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase_status();
  status_ = text;
  draw_status();
  std::fflush(stdout);
}

void Screen::erase_status() {
  if (!status_.empty()) {
    put(stdout, "\r\x1b[K");
  }
}

void Screen::draw_status() { put(stdout, status_); }

LogToScreen::LogToScreen(std::shared_ptr<Screen> screen)
    : before_(set_log_sink(std::make_shared<ScreenSink>(std::move(screen)))) {}

LogToScreen::~LogToScreen() { set_log_sink(before_); }

bool stdout_is_terminal() {
  const char* kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  return ::isatty(STDOUT_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace fermata::cli
