// For tests: the native engine with faults that a test has scripted.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "fermata/native.h"
#include "fermata/session.h"

namespace fermata {

// The calls of an engine that may fail.
enum class EngineCall { kCreate, kPrepare, kMakeOutputs, kRun, kClose, kReadStep, kSave, kCapture, kRestore };

// What its graph, its sessions and their plans share.
struct EngineFaults {
  // Called before each call of the engine; what it throws is what the engine says.
  std::function<void(EngineCall)> before_call;
  // Sessions that are there, and such as went without anybody having tried to close them.
  int live_sessions = 0;
  int never_closed = 0;

  void call(EngineCall call) const {
    if (before_call) {
      before_call(call);
    }
  }
};

// A native graph whose sessions ask the script before each call.
class FaultyGraph final : public native::Graph {
 public:
  EngineFaults faults;
  [[nodiscard]] std::unique_ptr<Session> create_session(const SessionConfig& config) override;
};

}  // namespace fermata
