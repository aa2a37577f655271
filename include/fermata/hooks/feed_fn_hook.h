// Feeds new values each step.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/export.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// What the function throws leaves run: StopIteration ends the loop cleanly. A tensor that the caller or
// another hook feeds as well is an error of the run.
class FERMATA_API FeedFnHook : public SessionRunHook {
 public:
  struct Options {
    // Called once before each run; gives a value for each name it feeds, or nothing. The same names in the
    // same order each time keep the step cheap.
    std::function<std::vector<std::pair<std::string, Tensor>>()> feed_fn;
  };
  // Throws: Error kInvalidArgument without a function.
  explicit FeedFnHook(Options options);
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;

 private:
  [[nodiscard]] bool fits(const std::vector<std::pair<std::string, Tensor>>& feeds) const;
  void make_slots(const std::vector<std::pair<std::string, Tensor>>& feeds);

  Options options_;
  SessionRunArgs args_;
  std::vector<std::pair<std::string, FeedSlot>> slots_;
};

}  // namespace fermata
