#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "fermata/monitored_session.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/log_capture.h"
#include "hooks/checkpoint_saver_hook_fixture.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

namespace fs = std::filesystem;
using testkit::HookDriver;

// A disk that takes nothing more, also from the superuser.
class FullDisk {
 public:
  FullDisk() : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit none{0, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int);
};

class FullDiskTest : public CheckpointSaverHookTest {
 protected:
  CheckpointSaverHook::Options options(SaveMode mode, OnSaveFailure on_failure) {
    CheckpointSaverHook::Options made = every_steps(10);
    made.write_events = false;
    made.on_failure = on_failure;
    made.saver = std::make_shared<Saver>(*counter_.graph.default_saver(), Saver::Options{.mode = mode});
    saver_ = made.saver;
    return made;
  }
  std::shared_ptr<Saver> saver_;
};

// report CK-12
TEST_F(FullDiskTest, TrainingGoesOnAndTheNextSaveTriesAgain) {
  for (const SaveMode mode : {SaveMode::kGraph, SaveMode::kSync, SaveMode::kAsync}) {
    fs::remove_all(dir_);
    const auto session = counter_.session();
    CheckpointSaverHook hook(options(mode, OnSaveFailure::kContinue));
    hook.begin(counter_.graph);
    HookDriver driver(hook, session.get());
    driver.run(0, 1);
    EXPECT_TRUE(saver_->wait(std::chrono::minutes(1)));
    {
      const FullDisk full;
      EXPECT_EQ(thrown_by([&] { driver.run(10, 11); }), "");
      EXPECT_TRUE(saver_->wait(std::chrono::minutes(1)));
      EXPECT_EQ(thrown_by([&] { driver.run(11, 12); }), "");
    }
    EXPECT_EQ(hook.failed_saves(), 1);
    EXPECT_EQ(steps_of(hook), std::vector<Step>{1});
    EXPECT_FALSE(find_damage(hook.saved().front()));
    driver.run(20, 21);
    EXPECT_TRUE(saver_->wait(std::chrono::minutes(1)));
    driver.run(21, 22);
    EXPECT_EQ(steps_of(hook), (std::vector<Step>{1, 21}));
  }
}

TEST_F(FullDiskTest, APolicyMakesItTheErrorOfTheRun) {
  const auto session = counter_.session();
  CheckpointSaverHook hook(options(SaveMode::kSync, OnSaveFailure::kFail));
  hook.begin(counter_.graph);
  HookDriver driver(hook, session.get());
  const FullDisk full;
  EXPECT_NE(thrown_by([&] { driver.run(0, 1); }), "");
  EXPECT_EQ(hook.failed_saves(), 0);
}

TEST_F(FullDiskTest, TheLastSaveMustSucceed) {
  for (const SaveMode mode : {SaveMode::kGraph, SaveMode::kAsync}) {
    const auto session = counter_.session();
    CheckpointSaverHook hook(options(mode, OnSaveFailure::kContinue));
    hook.begin(counter_.graph);
    const FullDisk full;
    EXPECT_NE(thrown_by([&] { hook.end(*session); }), "");
  }
}

}  // namespace
}  // namespace fermata
