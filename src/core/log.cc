#include "fermata/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace fermata {
namespace {

struct State {
  std::mutex mutex;
  std::shared_ptr<LogSink> sink;
};

// Never destroyed: messages may still come while the process ends.
State& state() {
  static auto* instance = new State;
  return *instance;
}

std::atomic<LogLevel>& threshold() {
  static std::atomic<LogLevel> level{LogLevel::kInfo};
  return level;
}

void write_to_stderr(LogLevel level, std::string_view message) {
  std::string line;
  line.append(log_level_name(level)).append(" ").append(message).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

LogSink::~LogSink() = default;

std::string_view log_level_name(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarning:
      return "WARNING";
    case LogLevel::kError:
      return "ERROR";
  }
  return "LOG";
}

std::shared_ptr<LogSink> set_log_sink(std::shared_ptr<LogSink> sink) {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().sink, std::move(sink));
}

void set_log_level(LogLevel level) noexcept { threshold().store(level, std::memory_order_relaxed); }

LogLevel log_level() noexcept { return threshold().load(std::memory_order_relaxed); }

void log(LogLevel level, std::string_view message) noexcept {
  if (level < log_level()) {
    return;
  }
  try {
    std::shared_ptr<LogSink> sink;
    {
      const std::lock_guard lock(state().mutex);
      sink = state().sink;
    }
    if (sink) {
      sink->write(level, message);
    } else {
      write_to_stderr(level, message);
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): a message is not worth a failure
  }
}

}  // namespace fermata
