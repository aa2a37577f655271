// What the tests of the checkpoint saver hook have in common.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/monitored_session.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "fermata/testkit/trace.h"
#include "hooks/hook_test_support.h"
#include "tests/support/temp_folder.h"

namespace fermata {

class CheckpointSaverHookTest : public testing::Test {
 protected:
  CheckpointSaverHook::Options every_steps(Step steps) {
    return {.checkpoint_dir = dir_, .save_steps = steps, .clock = clock_};
  }
  CheckpointSaverHook::Options every_secs(double seconds) {
    return {.checkpoint_dir = dir_, .save_secs = seconds, .clock = clock_};
  }

  // Steps of what the hook wrote.
  static std::vector<Step> steps_of(const CheckpointSaverHook& hook) {
    std::vector<Step> steps;
    for (const std::string& prefix : hook.saved()) {
      steps.push_back(step_of_checkpoint(prefix).value_or(-1));
    }
    return steps;
  }

  // A loop that restores from the folder of the hook.
  MonitoredSession restoring_loop(CounterGraph& counter, std::shared_ptr<CheckpointSaverHook> hook) {
    return MonitoredSession(counter.graph,
                            {.session_creator = std::make_shared<ChiefSessionCreator>(
                                 counter.graph, ChiefSessionCreator::Options{.checkpoint_dir = dir_}),
                             .hooks = {std::move(hook)}});
  }

  TempFolder folder_;
  std::string dir_ = folder_ / "run";
  CounterGraph counter_;
  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  std::shared_ptr<testkit::Trace> trace_ = std::make_shared<testkit::Trace>();
  testkit::LogCapture log_;
};

}  // namespace fermata
