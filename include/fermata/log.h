// Where Fermata's messages go. One sink serves the whole process.
#pragma once

#include <memory>
#include <string_view>

#include "fermata/export.h"

namespace fermata {

enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };

// "DEBUG", "INFO", "WARNING", "ERROR".
[[nodiscard]] FERMATA_API std::string_view log_level_name(LogLevel level) noexcept;

// Receives each message once. Threads: write may be called from several threads at once.
class FERMATA_API LogSink {
 public:
  virtual ~LogSink();
  virtual void write(LogLevel level, std::string_view message) = 0;
};

// Replaces the sink and returns the one before. Without a call, INFO and up go to stderr, one line each.
// Null brings back that default.
FERMATA_API std::shared_ptr<LogSink> set_log_sink(std::shared_ptr<LogSink> sink);

// Messages below this level are dropped before a sink sees them. Default: kInfo.
FERMATA_API void set_log_level(LogLevel level) noexcept;
[[nodiscard]] FERMATA_API LogLevel log_level() noexcept;

// Writes one message. Never throws: a sink that fails loses its message.
FERMATA_API void log(LogLevel level, std::string_view message) noexcept;

}  // namespace fermata
