// What the user sees: lines on stdout, messages on stderr, and below them a status line on a terminal.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "fermata/log.h"

namespace fermata::cli {

// The status line is taken away before anything else is written and comes back behind it, so neither tears
// the other. What cannot be written (a reader that is gone) is dropped: nobody loses a training run for it.
// Threads: every function may be called from any thread.
class Screen {
 public:
  // Quiet: no lines, and messages from warnings up.
  explicit Screen(bool quiet) : quiet_(quiet) {}
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void line(std::string_view text);
  void message(LogLevel level, std::string_view text);
  // Replaces the status line; empty: takes it away. Only for a terminal.
  void status(std::string_view text);

 private:
  void erase_status();
  void draw_status();

  bool quiet_;
  std::mutex mutex_;
  std::string status_;
};

// Hands the library's messages to a screen while it lives.
class LogToScreen {
 public:
  explicit LogToScreen(std::shared_ptr<Screen> screen);
  ~LogToScreen();
  LogToScreen(const LogToScreen&) = delete;
  LogToScreen& operator=(const LogToScreen&) = delete;

 private:
  std::shared_ptr<LogSink> before_;
};

// Whether a status line can be shown on stdout.
[[nodiscard]] bool stdout_is_terminal();
// Its width now; 80 if that cannot be told.
[[nodiscard]] std::size_t terminal_width();

}  // namespace fermata::cli
