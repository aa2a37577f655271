// Feeds new values each step.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/export.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Contract FEED. StopIteration from the function ends the loop cleanly.
class FERMATA_API FeedFnHook : public SessionRunHook {
 public:
  struct Options {
    // Called once before each run; gives a value for each name it feeds. The same names each time keep the
    // step cheap.
    std::function<std::vector<std::pair<std::string, Tensor>>()> feed_fn;
  };
  explicit FeedFnHook(Options options);
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;

 private:
  Options options_;
  SessionRunArgs args_;
  std::vector<std::pair<std::string, FeedSlot>> slots_;
};

}  // namespace fermata
