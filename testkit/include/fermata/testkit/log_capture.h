// Keeps the messages of Fermata's log while it lives.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fermata/log.h"
#include "fermata/testkit/trace.h"

namespace fermata::testkit {

// Takes the place of the log's sink, and gives it back at the end. Lines: "INFO loss = 0.25".
class LogCapture {
 public:
  LogCapture() : before_(set_log_sink(std::make_shared<Sink>(lines_))) {}
  ~LogCapture() { set_log_sink(std::move(before_)); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  [[nodiscard]] std::vector<std::string> lines() const { return lines_->lines(); }
  // What was written since the last call.
  [[nodiscard]] std::vector<std::string> take() { return lines_->take(); }

 private:
  class Sink : public LogSink {
   public:
    explicit Sink(TracePtr lines) : lines_(std::move(lines)) {}
    void write(LogLevel level, std::string_view message) override {
      lines_->add(std::string(log_level_name(level)) + " " + std::string(message));
    }

   private:
    TracePtr lines_;
  };

  TracePtr lines_ = std::make_shared<Trace>();
  std::shared_ptr<LogSink> before_;
};

}  // namespace fermata::testkit
