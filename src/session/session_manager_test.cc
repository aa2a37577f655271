#include "fermata/session_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "fermata/error.h"
#include "fermata/native.h"
#include "fermata/testkit/manual_clock.h"

namespace fermata {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// A counter with pieces that write down when they run.
class SessionManagerTest : public testing::Test {
 protected:
  SessionManagerTest() {
    std::filesystem::remove_all(dir_);
    graph_.variable("w", native::view(w_));
    init_ = graph_.operation("own_init", {.after = {graph_.default_init_op()}}, note("init"));
    local_ = graph_.operation("own_local_init", {}, note("local_init"));
    ready_ = answer("ready", [this] { return std::exchange(missing_once_, {}); });
    never_ = answer("never_ready", [] { return std::vector<std::string>{"part_a", "part_b"}; });
  }
  ~SessionManagerTest() override { std::filesystem::remove_all(dir_); }

  native::Callable note(std::string what) {
    return [this, what = std::move(what)](native::StepOutputs&) { lines_.push_back(what); };
  }

  // A ready op.
  Fetch answer(const std::string& name, std::function<std::vector<std::string>()> names) {
    return graph_.value(name, {}, [this, name, names = std::move(names)](native::Inputs) {
      lines_.push_back(name);
      if (ready_fault_) {
        std::rethrow_exception(ready_fault_);
      }
      const std::vector<std::string> missing = names();
      return Tensor::strings({static_cast<std::int64_t>(missing.size())}, missing);
    });
  }

  SessionManager manager(std::optional<Fetch> ready, std::vector<Fetch> local = {}) {
    return SessionManager(graph_,
                          {.local_init_op = std::move(local), .ready_op = std::move(ready), .clock = clock_});
  }

  std::shared_ptr<Saver> saver() { return std::make_shared<Saver>(*graph_.default_saver()); }

  void make_checkpoint(Step step) {
    const auto session = graph_.create_session({});
    static_cast<void>(session->run(graph_.default_init_op()));
    graph_.set_global_step(step);
    saver()->save(*session, dir_ + "/model.ckpt", step);
    graph_.set_global_step(0);
  }

  static std::optional<Code> code_thrown_by(const std::function<void()>& body, std::string* text = nullptr) {
    try {
      body();
    } catch (const Error& error) {
      if (text != nullptr) {
        *text = error.what();
      }
      return error.code();
    }
    return std::nullopt;
  }

  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  std::string dir_ = testing::TempDir() + "session_manager_test";
  float w_ = 3;
  native::Graph graph_;
  Operation init_;
  Operation local_;
  Fetch ready_ = "";
  Fetch never_ = "";
  std::vector<std::string> lines_;
  std::vector<std::string> missing_once_;
  std::exception_ptr ready_fault_;
};

// --- prepare_session

TEST_F(SessionManagerTest, WithoutACheckpointItInitialisesThenLocalInitThenAsks) {
  const CreatedSession created =
      manager(ready_, {local_})
          .prepare_session({.init_op = {init_}, .saver = saver(), .checkpoint_dir = dir_});
  EXPECT_THAT(lines_, ElementsAre("init", "local_init", "ready"));
  EXPECT_EQ(created.restored_from, "");
}

TEST_F(SessionManagerTest, RestoredItDoesNotInitialise) {
  make_checkpoint(4);
  CreatedSession created =
      manager(ready_, {local_})
          .prepare_session({.init_op = {init_}, .saver = saver(), .checkpoint_dir = dir_});
  EXPECT_THAT(lines_, ElementsAre("local_init", "ready"));
  EXPECT_EQ(created.session->read_step(), 4);
}

TEST_F(SessionManagerTest, AnExplicitFileIsRestored) {
  make_checkpoint(4);
  const std::string file = dir_ + "/model.ckpt-4";
  CreatedSession created =
      manager(ready_).prepare_session({.saver = saver(), .checkpoint_filename_with_path = file});
  EXPECT_EQ(created.restored_from, file);
  EXPECT_EQ(created.session->read_step(), 4);
}

TEST_F(SessionManagerTest, FolderAndFileTogetherAreRefused) {
  SessionManager both = manager(ready_);
  EXPECT_EQ(code_thrown_by([&] {
              static_cast<void>(both.prepare_session({.init_op = {init_},
                                                      .saver = saver(),
                                                      .checkpoint_dir = dir_,
                                                      .checkpoint_filename_with_path = dir_ + "/x"}));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(code_thrown_by([&] {
              static_cast<void>(both.recover_session(
                  {.saver = saver(), .checkpoint_dir = dir_, .checkpoint_filename_with_path = dir_ + "/x"}));
            }),
            Code::kInvalidArgument);
}

TEST_F(SessionManagerTest, WithoutASaverNothingIsRestored) {
  make_checkpoint(4);
  static_cast<void>(manager(ready_).prepare_session({.init_op = {init_}, .checkpoint_dir = dir_}));
  EXPECT_THAT(lines_, ElementsAre("init", "ready"));
}

TEST_F(SessionManagerTest, OpsOfSavedModelInitializersRunBeforeARestoreOnly) {
  graph_.operation("saved_model_init", {}, note("saved_model_init"));
  graph_.add_to_collection(collections::kSavedModelInitializers, "saved_model_init");
  static_cast<void>(manager(ready_).prepare_session({.init_op = {init_}}));
  EXPECT_THAT(std::exchange(lines_, {}), ElementsAre("init", "ready"));
  make_checkpoint(4);
  static_cast<void>(manager(ready_).prepare_session({.saver = saver(), .checkpoint_dir = dir_}));
  EXPECT_THAT(lines_, ElementsAre("saved_model_init", "ready"));
}

TEST_F(SessionManagerTest, InitOpsRunTogetherAndTheFunctionAfterThem) {
  const Operation first = graph_.operation("first", {}, note("first"));
  static_cast<void>(manager(ready_).prepare_session(
      {.init_op = {first, init_}, .init_fn = [this](Session&) { lines_.emplace_back("init_fn"); }}));
  EXPECT_THAT(lines_, ElementsAre("init", "first", "init_fn", "ready"));
}

TEST_F(SessionManagerTest, InitOpsAreFed) {
  const auto x = graph_.placeholder<float>("x");
  const Operation from_x =
      graph_.operation("w_from_x", {.inputs = {x}, .after = {graph_.default_init_op()}},
                       [this](native::StepOutputs& out) { w_ = out.inputs().scalar<float>(0); });
  static_cast<void>(
      manager(std::nullopt)
          .prepare_session({.init_op = {from_x}, .init_feed_dict = {{"x:0", Tensor::scalar(7.0F)}}}));
  EXPECT_EQ(w_, 7.0F);
}

TEST_F(SessionManagerTest, NothingToInitialiseWithIsAMisuse) {
  EXPECT_THROW(static_cast<void>(manager(ready_).prepare_session({})), Misuse);
  static_cast<void>(manager(ready_, {local_}).prepare_session({}));
  EXPECT_THAT(lines_, ElementsAre("local_init", "ready"));
}

TEST_F(SessionManagerTest, WhatIsNotReadyIsNamed) {
  std::string text;
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(manager(never_).prepare_session({.init_op = {init_}})); },
                           &text),
            Code::kFailedPrecondition);
  EXPECT_THAT(text, HasSubstr("part_a, part_b"));
}

TEST_F(SessionManagerTest, LocalInitDoesNotRunBeforeTheSessionIsReadyForIt) {
  SessionManager careful(graph_,
                         {.local_init_op = {local_}, .ready_op = ready_, .ready_for_local_init_op = never_});
  std::string text;
  code_thrown_by([&] { static_cast<void>(careful.prepare_session({.init_op = {init_}})); }, &text);
  EXPECT_THAT(text, HasSubstr("ready for local_init"));
  EXPECT_THAT(lines_, ElementsAre("init", "never_ready"));
}

TEST_F(SessionManagerTest, AnIntegerAnswerAndAnOperationCountAsReady) {
  const Output five = graph_.value("five", {}, [](native::Inputs) { return std::int32_t{5}; });
  static_cast<void>(manager(five).prepare_session({.init_op = {init_}}));
  static_cast<void>(manager(local_).prepare_session({.init_op = {init_}}));
  EXPECT_THAT(lines_, ElementsAre("init", "init", "local_init"));
}

TEST_F(SessionManagerTest, AnErrorOfTheReadyOpComesOutUnlessItSaysUninitialized) {
  ready_fault_ = std::make_exception_ptr(Error(Code::kFailedPrecondition, "no", ErrorSource::kEngine));
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(manager(ready_).wait_for_session({})); }),
            Code::kFailedPrecondition);
  ready_fault_ =
      std::make_exception_ptr(Error(Code::kFailedPrecondition, "uninitialized value", ErrorSource::kEngine));
  EXPECT_EQ(
      code_thrown_by([&] { static_cast<void>(manager(ready_).wait_for_session({.max_wait = seconds(0)})); }),
      Code::kDeadlineExceeded);
}

TEST_F(SessionManagerTest, ReadyForLocalInitWithoutLocalInitIsRefused) {
  EXPECT_EQ(code_thrown_by([&] { SessionManager(graph_, {.ready_for_local_init_op = ready_}); }),
            Code::kInvalidArgument);
}

TEST_F(SessionManagerTest, WaitsForACheckpointInPausesUntilTheBoundThenInitialises) {
  static_cast<void>(manager(ready_).prepare_session({.init_op = {init_},
                                                     .saver = saver(),
                                                     .checkpoint_dir = dir_,
                                                     .wait_for_checkpoint = true,
                                                     .max_wait = seconds(60)}));
  EXPECT_THAT(clock_->pauses(), ElementsAre(seconds(30), seconds(30)));
  EXPECT_THAT(lines_, ElementsAre("init", "ready"));
}

TEST_F(SessionManagerTest, ACheckpointThatComesMeanwhileIsRestored) {
  clock_->on_pause([this](std::chrono::nanoseconds) { make_checkpoint(8); });
  CreatedSession created = manager(ready_).prepare_session(
      {.saver = saver(), .checkpoint_dir = dir_, .wait_for_checkpoint = true});
  EXPECT_EQ(created.session->read_step(), 8);
  EXPECT_EQ(clock_->pauses().size(), 1U);
}

TEST_F(SessionManagerTest, AStopEndsTheWaitForACheckpoint) {
  std::stop_source stop;
  clock_->on_pause([&](std::chrono::nanoseconds) { stop.request_stop(); });
  EXPECT_THROW(
      static_cast<void>(manager(ready_).prepare_session(
          {.saver = saver(), .checkpoint_dir = dir_, .wait_for_checkpoint = true, .stop = stop.get_token()})),
      Interrupted);
}

// --- recover_session

TEST_F(SessionManagerTest, RecoveringWithoutACheckpointSaysNo) {
  const auto recovered =
      manager(ready_, {local_}).recover_session({.saver = saver(), .checkpoint_dir = dir_});
  EXPECT_FALSE(recovered.initialized);
  EXPECT_FALSE(recovered.created.session->closed());
  EXPECT_THAT(lines_, ElementsAre("local_init"));
}

TEST_F(SessionManagerTest, RecoveringFromACheckpointSaysYes) {
  make_checkpoint(4);
  const auto recovered =
      manager(ready_, {local_}).recover_session({.saver = saver(), .checkpoint_dir = dir_});
  EXPECT_TRUE(recovered.initialized);
  EXPECT_EQ(recovered.created.session->read_step(), 4);
}

TEST_F(SessionManagerTest, RecoveredButNotReadySaysWhatIsMissing) {
  make_checkpoint(4);
  const auto recovered = manager(never_).recover_session({.saver = saver(), .checkpoint_dir = dir_});
  EXPECT_FALSE(recovered.initialized);
  EXPECT_THAT(recovered.reason, HasSubstr("part_a"));
}

TEST_F(SessionManagerTest, RecoveredButNotReadyForLocalInitAsksNoFurther) {
  make_checkpoint(4);
  SessionManager careful(graph_,
                         {.local_init_op = {local_}, .ready_op = ready_, .ready_for_local_init_op = never_});
  EXPECT_FALSE(careful.recover_session({.saver = saver(), .checkpoint_dir = dir_}).initialized);
  EXPECT_THAT(lines_, ElementsAre("never_ready"));
}

// --- wait_for_session

TEST_F(SessionManagerTest, AWaiterIsReadyAtOnceOrTriesAgainWithANewSession) {
  missing_once_ = {"w"};
  static_cast<void>(manager(ready_, {local_}).wait_for_session({}));
  EXPECT_THAT(lines_, ElementsAre("local_init", "ready", "local_init", "ready"));
  EXPECT_THAT(clock_->pauses(), ElementsAre(seconds(30)));
}

// The bound is compared strictly, and no time passes here but in the pauses.
TEST_F(SessionManagerTest, AWaiterGivesUpWhenNoPauseFitsTheBound) {
  std::string text;
  EXPECT_EQ(
      code_thrown_by([&] { static_cast<void>(manager(never_).wait_for_session({.max_wait = seconds(29)})); },
                     &text),
      Code::kDeadlineExceeded);
  EXPECT_THAT(text, HasSubstr("part_a, part_b"));
  EXPECT_EQ(std::exchange(lines_, {}).size(), 1U);
  code_thrown_by([&] { static_cast<void>(manager(never_).wait_for_session({.max_wait = seconds(60)})); });
  EXPECT_EQ(lines_.size(), 3U);
}

// Contract SC-3.
TEST_F(SessionManagerTest, AnotherPauseMayBeChosen) {
  SessionManager often(graph_, {.ready_op = never_, .recovery_wait = seconds(1), .clock = clock_});
  code_thrown_by([&] { static_cast<void>(often.wait_for_session({.max_wait = seconds(3)})); });
  EXPECT_THAT(clock_->pauses(), ElementsAre(seconds(1), seconds(1), seconds(1)));
}

TEST_F(SessionManagerTest, AWaiterThatIsNotReadyForLocalInitAsksNothingElse) {
  SessionManager careful(
      graph_,
      {.local_init_op = {local_}, .ready_op = ready_, .ready_for_local_init_op = never_, .clock = clock_});
  code_thrown_by([&] { static_cast<void>(careful.wait_for_session({.max_wait = seconds(0)})); });
  EXPECT_THAT(lines_, ElementsAre("never_ready"));
}

TEST_F(SessionManagerTest, AStopEndsTheWaitForAChiefAndNamesIt) {
  std::stop_source stop;
  clock_->on_pause([&](std::chrono::nanoseconds) { stop.request_stop(); });
  try {
    static_cast<void>(manager(never_).wait_for_session({.stop = stop.get_token()}));
    FAIL();
  } catch (const Interrupted& error) {
    EXPECT_THAT(error.what(), HasSubstr("waited for its chief (not initialized: part_a, part_b)"));
  }
}

// Contract SM-15, SM-16.
TEST_F(SessionManagerTest, ASessionThatDidNotBecomeReadyIsClosed) {
  int closed = 0;
  graph_.on_close([&closed](Session&) { ++closed; });
  code_thrown_by([&] { static_cast<void>(manager(never_).prepare_session({.init_op = {init_}})); });
  EXPECT_EQ(closed, 1);
  ready_fault_ = std::make_exception_ptr(Error(Code::kInternal, "no", ErrorSource::kEngine));
  code_thrown_by([&] { static_cast<void>(manager(ready_).wait_for_session({})); });
  EXPECT_EQ(closed, 2);
}

// Contract SM-18.
TEST_F(SessionManagerTest, ALocalInitThatReadsWhatIsNotInitialisedFailsAsItIs) {
  const Operation reads = graph_.operation("reads", {.inputs = {graph_.tensor("w:0")}}, note("reads"));
  std::string text;
  const auto wait = [&] { static_cast<void>(manager(ready_, {reads}).wait_for_session({})); };
  EXPECT_EQ(code_thrown_by(wait, &text), Code::kFailedPrecondition);
  EXPECT_THAT(text, HasSubstr("'reads' needs what is uninitialized"));
  EXPECT_THAT(lines_, ElementsAre());
}

}  // namespace
}  // namespace fermata
