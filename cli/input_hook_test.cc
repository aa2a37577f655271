#include "cli/input_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/npy_testing.h"
#include "fermata/error.h"
#include "fermata/native.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/log_capture.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class InputHookTest : public testing::Test {
 protected:
  InputHook make(std::int32_t rows, Dataset::Options options) {
    return {Dataset({NpyFile(write_numbers(folder_ / "x.npy", rows))}, options), {x_}};
  }

  // The first row of the batch that is fed next.
  static std::int32_t next(InputHook& hook) {
    const SessionRunArgs* request = testkit::HookDriver(hook).run(0, 1).request;
    return request->feeds().at(0).value.view().values<std::int32_t>()[0];
  }

  // A session that says it was restored from a checkpoint.
  std::unique_ptr<Session> session_at(Step step, const std::string& restored_from) {
    std::unique_ptr<Session> session = graph_.create_session({});
    static_cast<void>(session->run(graph_.default_init_op()));
    graph_.set_global_step(step);
    session->set_restored_from(restored_from);
    return session;
  }

  TempFolder folder_;
  native::Graph graph_;
  Output x_ = graph_.placeholder<std::int32_t>("x", Shape{-1});
};

TEST_F(InputHookTest, FeedsBatchAfterBatchByOneRequest) {
  InputHook hook = make(4, {.batch_size = 2});
  EXPECT_EQ(next(hook), 0);
  const SessionRunArgs* request = hook.announced().at(0);
  EXPECT_EQ(testkit::HookDriver(hook).run(0, 1).request, request);
  EXPECT_EQ(next(hook), 0);
}

TEST_F(InputHookTest, TheEndOfTheDataIsTheEndOfInput) {
  InputHook hook = make(4, {.batch_size = 4, .epochs = 1});
  next(hook);
  try {
    next(hook);
    FAIL();
  } catch (const StopIteration& end) {
    EXPECT_STREQ(end.what(), "1 epoch of 4 rows");
  }
}

// report ST-15
TEST_F(InputHookTest, GoesOnWhereItsStateWasKept) {
  HookState state;
  InputHook before = make(6, {.batch_size = 2, .shuffle_seed = 3});
  next(before);
  next(before);
  before.save_state(state);
  const std::int32_t expected = next(before);
  InputHook after = make(6, {.batch_size = 2, .shuffle_seed = 3});
  after.load_state(state);
  EXPECT_EQ(next(after), expected);
}

TEST_F(InputHookTest, StateOfOtherInputIsNamedAndNotUsed) {
  HookState state;
  InputHook before = make(6, {.batch_size = 2});
  next(before);
  before.save_state(state);
  for (const bool shuffled : {false, true}) {
    const testkit::LogCapture messages;
    InputHook after = shuffled ? make(6, {.batch_size = 2, .shuffle_seed = 3}) : make(7, {.batch_size = 2});
    after.load_state(state);
    EXPECT_EQ(after.batches().position(), Dataset::Position{});
    EXPECT_THAT(messages.lines(), ElementsAre(HasSubstr("the checkpoint was made with other input")));
  }
}

TEST_F(InputHookTest, ACheckpointWithoutStateHasUsedABatchForEachStep) {
  const testkit::LogCapture messages;
  InputHook hook = make(6, {.batch_size = 2});
  hook.after_create_session(*session_at(4, "run/model.ckpt-4"), nullptr);
  EXPECT_EQ(next(hook), 2);
  EXPECT_THAT(messages.lines(), ElementsAre(HasSubstr("says nothing about the input")));
}

TEST_F(InputHookTest, AWarmStartBeginsWithTheFirstRow) {
  const testkit::LogCapture messages;
  InputHook hook = make(6, {.batch_size = 2});
  hook.after_create_session(*session_at(4, ""), nullptr);
  EXPECT_EQ(next(hook), 0);
  EXPECT_THAT(messages.lines(), IsEmpty());
}

TEST_F(InputHookTest, StateThatWasLoadedIsNotReplacedByTheStep) {
  HookState state;
  make(6, {.batch_size = 2}).save_state(state);
  InputHook hook = make(6, {.batch_size = 2});
  hook.load_state(state);
  hook.after_create_session(*session_at(4, "run/model.ckpt-4"), nullptr);
  EXPECT_EQ(next(hook), 0);
}

}  // namespace
}  // namespace fermata::cli
