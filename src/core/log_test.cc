#include "fermata/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fermata {
namespace {

struct ListSink : LogSink {
  void write(LogLevel level, std::string_view message) override {
    lines.push_back(std::string(log_level_name(level)) + " " + std::string(message));
  }
  std::vector<std::string> lines;
};

TEST(LogTest, TheSinkGetsMessagesFromTheLevelUp) {
  const auto sink = std::make_shared<ListSink>();
  const auto before = set_log_sink(sink);
  log(LogLevel::kDebug, "quiet");
  log(LogLevel::kInfo, "said");
  log(LogLevel::kError, "loud");
  set_log_sink(before);
  EXPECT_EQ(sink->lines, (std::vector<std::string>{"INFO said", "ERROR loud"}));
}

TEST(LogTest, ASinkThatFailsHarmsNobody) {
  struct Failing : LogSink {
    void write(LogLevel /*level*/, std::string_view /*message*/) override { throw 1; }
  };
  const auto before = set_log_sink(std::make_shared<Failing>());
  log(LogLevel::kInfo, "lost");
  EXPECT_NE(set_log_sink(before), nullptr);
}

}  // namespace
}  // namespace fermata
