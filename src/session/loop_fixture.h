// A small native graph with recording hooks, for the tests of the session.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fermata/error.h"
#include "fermata/monitored_session.h"
#include "fermata/native.h"
#include "fermata/testkit/recording_hook.h"
#include "fermata/testkit/trace.h"

namespace fermata {

// A counter whose step can be told to throw: set `fault` to a function that gets the number of the call.
class LoopTest : public testing::Test {
 protected:
  LoopTest() {
    graph_.variable("w", native::view(w_));
    train_ = graph_.step("train", {.outputs = {"loss"}}, [this](native::StepOutputs& out) {
      ++calls_;
      if (fault_) {
        fault_(calls_);
      }
      w_ += 1;
      out.set("loss", static_cast<float>(calls_));
    });
    args_ = SessionRunArgs({train_, train_.output("loss")});
  }

  std::shared_ptr<testkit::RecordingHook> hook(const std::string& name) {
    return std::make_shared<testkit::RecordingHook>(
        testkit::RecordingHook::Options{.name = name, .trace = trace_});
  }

  MonitoredSession session(std::vector<HookPtr> hooks, RecoveryPolicy recovery = quick()) {
    return MonitoredSession(graph_, {.hooks = std::move(hooks), .announce = {&args_}, .recovery = recovery});
  }

  // Without pauses.
  static RecoveryPolicy quick() {
    return {.max_attempts = 3,
            .first_pause = std::chrono::nanoseconds(0),
            .max_pause = std::chrono::nanoseconds(0)};
  }

  // Lines since the last call.
  std::vector<std::string> lines() { return trace_->take(); }

  static std::string thrown_by(const std::function<void()>& body) {
    try {
      body();
    } catch (const std::exception& error) {
      return error.what();
    } catch (...) {
      return "something else";
    }
    return "nothing";
  }

  native::Graph graph_;
  float w_ = 0;
  int calls_ = 0;
  std::function<void(int)> fault_;
  Operation train_;
  SessionRunArgs args_;
  testkit::TracePtr trace_ = std::make_shared<testkit::Trace>();
};

}  // namespace fermata
