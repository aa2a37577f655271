// Saves that are captured between two steps and written by a thread.
#include <gtest/gtest.h>

#include <cerrno>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/damage.h"
#include "checkpoint/pins.h"
#include "checkpoint/saver_core_fixture.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;

constexpr std::chrono::minutes kLong{1};

class SaverAsyncTest : public SaverCoreFixture {
 protected:
  SaverAsyncTest() { session_.can_capture = true; }

  static Saver::Options async(WhenBusy when_busy = WhenBusy::kWait) {
    return {.mode = SaveMode::kAsync, .when_busy = when_busy};
  }
  static Names prefixes(const std::vector<Saver::Saved>& all) {
    Names names;
    for (const Saver::Saved& saved : all) {
      names.push_back(saved.prefix);
    }
    return names;
  }
};

TEST_F(SaverAsyncTest, WhatWasCapturedIsWrittenWhateverTheStepsDo) {
  SaverCore core = saver(async());
  session_.variables["w"] = Tensor::scalar(1.0F);
  files_.hold();
  EXPECT_EQ(core.save(session_, "/d/m", 1, {.write_meta_graph = false}), "/d/m-1");
  session_.variables["w"] = Tensor::scalar(2.0F);
  session_.engine_state.set("step", std::int64_t{9});
  EXPECT_TRUE(core.busy());
  EXPECT_TRUE(core.take_saved().empty());
  files_.release();
  EXPECT_TRUE(core.wait(kLong));
  EXPECT_EQ(prefixes(core.take_saved()), Names{"/d/m-1"});
  EXPECT_EQ(restored_w("/d/m-1", files_), 1.0F);
  EXPECT_TRUE(session_.saved_to.empty()) << "the engine's own saver was not asked";
}

TEST_F(SaverAsyncTest, TheStateOfTheRunIsOfTheSameMoment) {
  SaverCore core = saver(async());
  session_.engine_state.set("step", std::int64_t{4});
  files_.hold();
  core.save(session_, "/d/m", 4, {.write_meta_graph = false});
  session_.engine_state.set("step", std::int64_t{9});
  files_.release();
  EXPECT_TRUE(core.wait(kLong));
  core.restore(session_, "/d/m-4");
  EXPECT_EQ(session_.engine_state.integer("step"), 4);
}

TEST_F(SaverAsyncTest, ASecondSaveWaits) {
  SaverCore core = saver(async());
  core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  EXPECT_EQ(core.save(session_, "/d/m", 2, {.write_meta_graph = false}), "/d/m-2");
  EXPECT_TRUE(core.wait(kLong));
  EXPECT_EQ(prefixes(core.take_saved()), (Names{"/d/m-1", "/d/m-2"}));
  EXPECT_EQ(core.last_checkpoints(), (Names{"/d/m-1", "/d/m-2"}));
}

TEST_F(SaverAsyncTest, OrIsLeftOut) {
  SaverCore core = saver(async(WhenBusy::kSkip));
  files_.hold();
  core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  EXPECT_EQ(core.save(session_, "/d/m", 2, {.write_meta_graph = false}), "");
  files_.release();
  EXPECT_TRUE(core.wait(kLong));
  EXPECT_EQ(core.save(session_, "/d/m", 3, {.write_meta_graph = false}), "/d/m-3");
  EXPECT_TRUE(core.wait(kLong));
  EXPECT_EQ(prefixes(core.take_saved()), (Names{"/d/m-1", "/d/m-3"}));
  EXPECT_EQ(log_.lines(), Names{"INFO /d/m-2: not saved, since /d/m-1 is still being written"});
}

TEST_F(SaverAsyncTest, AnErrorIsToldOnceAndTheNextSaveTriesAgain) {
  SaverCore core = saver(async());
  core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  EXPECT_TRUE(core.wait(kLong));
  files_.fail_once(files_.calls().size() + 4, ENOSPC);
  core.save(session_, "/d/m", 2, {.write_meta_graph = false});
  EXPECT_TRUE(core.wait(kLong));
  EXPECT_TRUE(outcome([&] { (void)core.take_saved(); }).starts_with("RESOURCE_EXHAUSTED "));
  EXPECT_EQ(prefixes(core.take_saved()), Names{"/d/m-1"});
  EXPECT_EQ(core.last_checkpoints(), Names{"/d/m-1"});
  core.save(session_, "/d/m", 3, {.write_meta_graph = false});
  EXPECT_TRUE(core.wait(kLong));
  EXPECT_EQ(prefixes(core.take_saved()), Names{"/d/m-3"});
  EXPECT_FALSE(find_damage(files_, "/d/m-1"));
}

TEST_F(SaverAsyncTest, AnErrorThatNobodyAskedForIsLogged) {
  {
    SaverCore core = saver(async());
    core.save(session_, "/d/m", 1, {.write_meta_graph = false});
    EXPECT_TRUE(core.wait(kLong));
    files_.fail_from(files_.calls().size() + 1, EIO);
    core.save(session_, "/d/m", 2, {.write_meta_graph = false});
  }
  files_.fail_from(0, 0);
  ASSERT_FALSE(log_.lines().empty());
  EXPECT_TRUE(log_.lines().back().starts_with("ERROR a checkpoint was not saved: ")) << log_.lines().back();
}

// report CK-27
TEST_F(SaverAsyncTest, TheDestructorWaitsForTheSave) {
  {
    SaverCore core = saver(async());
    core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  }
  EXPECT_EQ(newest_whole_checkpoint(files_, "/d", "checkpoint", nullptr), "/d/m-1");
}

TEST_F(SaverAsyncTest, WhereNothingCanBeCapturedTheGraphSavesAndTheReasonIsSaidOnce) {
  session_.can_capture = false;
  SaverCore core = saver(async());
  core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  core.save(session_, "/d/m", 2, {.write_meta_graph = false});
  EXPECT_EQ(prefixes(core.take_saved()), (Names{"/d/m-1", "/d/m-2"})) << "already written";
  EXPECT_EQ(session_.saved_to.size(), 2U);
  EXPECT_EQ(log_.lines(), Names{"WARNING checkpoints are written by the graph's own saver while the loop "
                                "waits: the fake engine cannot capture its variables"});
}

TEST_F(SaverAsyncTest, ACaptureThatTakesTooMuchIsNotMade) {
  Saver::Options options = async();
  options.capture_limit_bytes = 3;
  SaverCore core = saver(std::move(options));
  core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  EXPECT_EQ(session_.saved_to.size(), 1U);
  EXPECT_EQ(log_.lines(), Names{"WARNING checkpoints are written by the graph's own saver while the loop "
                                "waits: the variables take too much"});
}

TEST_F(SaverAsyncTest, SyncWritesTheSameFilesAtOnce) {
  SaverCore core = saver({.mode = SaveMode::kSync});
  core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  EXPECT_FALSE(core.busy());
  EXPECT_EQ(prefixes(core.take_saved()), Names{"/d/m-1"});
  const std::string captured = read_whole_file(files_, "/d/m-1.data-00000-of-00001");
  SaverCore other = saver();
  other.save(session_, "/d/n", 1, {.write_meta_graph = false});
  EXPECT_EQ(read_whole_file(files_, "/d/n-1.data-00000-of-00001"), captured);
  EXPECT_EQ(read_whole_file(files_, "/d/n-1.index"), read_whole_file(files_, "/d/m-1.index"));
}

TEST_F(SaverAsyncTest, PartsKeepTheirPlaces) {
  session_.parts["p"] = {{"4 2 0,3:0,2", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})},
                         {"4 2 3,1:0,2", Tensor::of<float>({1, 2}, {7, 8})}};
  SaverCore core = saver({.mode = SaveMode::kSync});
  core.save(session_, "/d/m", 1, {.write_meta_graph = false});
  const Tensor whole = BundleReader::open("/d/m-1", files_).read("p");
  EXPECT_TRUE(identical(whole.view(), Tensor::of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}).view()));
}

TEST_F(SaverAsyncTest, PinnedOnesStay) {
  SaverCore core = saver({.max_to_keep = 1});
  save(core, 1);
  pin_checkpoint(files_, "/d/m-1");
  save(core, 2);
  save(core, 3);
  EXPECT_FALSE(find_damage(files_, "/d/m-1"));
  EXPECT_TRUE(find_damage(files_, "/d/m-2"));
  EXPECT_EQ(core.last_checkpoints(), Names{"/d/m-3"});
  EXPECT_TRUE(outcome([&] { pin_checkpoint(files_, "/d/m-9"); }).starts_with("NOT_FOUND "));
  unpin_checkpoint(files_, "/d/m-1");
  EXPECT_FALSE(is_pinned(files_, "/d/m-1"));
}

// report CK-25
// report CK-28
TEST_F(SaverAsyncTest, TheBestStayAndAreFoundAgainByALaterProcess) {
  std::map<Step, double> values = {{1, 0.5}, {2, 0.1}, {3, 0.9}, {4, 0.7}, {5, 0.8}};
  Step step = 0;
  const auto options = [&] {
    return Saver::Options{.max_to_keep = 1, .keep_best = 1, .value = [&] { return values[step]; }};
  };
  SaverCore core = saver(options());
  for (step = 1; step <= 4; ++step) {
    save(core, step);
  }
  EXPECT_EQ(core.last_checkpoints(), (Names{"/d/m-2", "/d/m-4"}));
  SaverCore later = saver(options());
  later.recover_last_checkpoints(core.last_checkpoints());
  step = 5;
  save(later, 5);
  EXPECT_EQ(later.last_checkpoints(), (Names{"/d/m-2", "/d/m-5"}));
  EXPECT_FALSE(find_damage(files_, "/d/m-2"));
  EXPECT_TRUE(find_damage(files_, "/d/m-4"));
}

}  // namespace
}  // namespace fermata
