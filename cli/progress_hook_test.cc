#include "cli/progress_hook.h"

#include <gtest/gtest.h>

#include <vector>

#include "fermata/native.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/manual_clock.h"

namespace fermata::cli {
namespace {

// What a hook writes to stdout over a hundred steps of 10 ms; the loss of each tenth one is shown.
class ProgressHookTest : public testing::Test {
 protected:
  std::string output_of(ProgressStyle style, bool quiet = false) {
    native::Graph graph;
    ProgressHook hook({.style = style,
                       .screen = std::make_shared<Screen>(quiet),
                       .goal = [] { return std::optional<Step>(100); },
                       .clock = clock_});
    const std::unique_ptr<Session> session = graph.create_session({});
    static_cast<void>(session->run(graph.default_init_op()));
    hook.after_create_session(*session, nullptr);
    testing::internal::CaptureStdout();
    testkit::HookDriver driver(hook);
    for (Step step = 0; step < 100; ++step) {
      clock_->advance(std::chrono::milliseconds(10));
      driver.run(step, step + 1);
      if (step == 0 || step + 1 == 60 || step + 1 == 100) {
        show(hook, step + 1);
      }
    }
    hook.finished({});
    return testing::internal::GetCapturedStdout();
  }

  static void show(ProgressHook& hook, Step step) {
    const Tensor loss = Tensor::scalar(0.25F);
    const std::vector<NamedView> views = {{"loss", loss.view()}};
    hook.show({step, views});
  }

  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
};

TEST_F(ProgressHookTest, ALineForEachStepThatIsShown) {
  EXPECT_EQ(output_of(ProgressStyle::kLines),
            "step 1/100  loss 0.25\n"
            "step 60/100  loss 0.25  100 steps/s  0 s left\n"
            "step 100/100  loss 0.25  100 steps/s  0 s left\n");
}

TEST_F(ProgressHookTest, ABarIsDrawnTenTimesASecondAndStaysAtTheEnd) {
  const std::string text = output_of(ProgressStyle::kBar);
  std::size_t erased = 0;
  for (std::size_t at = text.find("\r\x1b[K"); at != std::string::npos; at = text.find("\r\x1b[K", at + 1)) {
    ++erased;
  }
  EXPECT_EQ(erased, 10U);
  const std::string last = text.substr(text.rfind("\r\x1b[K") + 4);
  EXPECT_TRUE(last.starts_with("step 100/100 [========================] 100%")) << last;
  EXPECT_TRUE(last.ends_with("\n"));
}

TEST_F(ProgressHookTest, NothingWhereNothingIsWanted) { EXPECT_EQ(output_of(ProgressStyle::kNone), ""); }

TEST_F(ProgressHookTest, NoLinesWhenQuiet) { EXPECT_EQ(output_of(ProgressStyle::kLines, true), ""); }

}  // namespace
}  // namespace fermata::cli
