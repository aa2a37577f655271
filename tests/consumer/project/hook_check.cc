// A user's own hook, tested with the installed testkit.
#include <cstdio>

#include "fermata/fermata.h"
#include "fermata/testkit/hook_driver.h"

namespace {

// Stops as soon as a run made more than one step.
class StopAtJumpHook : public fermata::SessionRunHook {
 public:
  void after_run(fermata::SessionRunContext& context, const fermata::SessionRunValues& values) override {
    if (*values.step() - *context.step() > 1) {
      context.request_stop("the step jumped");
    }
  }
};

}  // namespace

int main() {
  StopAtJumpHook hook;
  fermata::testkit::HookDriver driver(hook);
  const bool stopped_early = driver.run(3, 4).stop.has_value();
  const bool stopped_at_jump = driver.run(4, 9).stop.has_value();
  std::printf("one step: %d, five steps: %d\n", stopped_early, stopped_at_jump);
  return !stopped_early && stopped_at_jump ? 0 : 1;
}
