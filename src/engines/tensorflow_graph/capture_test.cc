// What is captured between two steps is what the graph's own saver writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/checkpoint_write.h"
#include "engines/tensorflow_graph/model_test_support.h"
#include "fermata/saver.h"
#include "platform/file_system.h"
#include "tests/support/temp_folder.h"

namespace fermata::tensorflow {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

SaverDef saver_of(Trainer& trainer) { return trainer.model.default_saver().value(); }

void write(VariableCapture captured, const std::string& prefix) {
  EXPECT_EQ(captured.unavailable, "");
  write_capture(FileSystem::system(), captured, prefix);
}

// Every tensor of the one is in the other, bit for bit.
void expect_same(const std::string& a, const std::string& b) {
  const BundleReader first = BundleReader::open(a);
  const BundleReader second = BundleReader::open(b);
  ASSERT_EQ(first.entries().size(), second.entries().size());
  EXPECT_GT(first.entries().size(), 0U);
  for (const BundleEntry& entry : first.entries()) {
    ASSERT_NE(second.find(entry.name), nullptr) << entry.name;
    EXPECT_EQ(second.find(entry.name)->slices.size(), entry.slices.size()) << entry.name;
    EXPECT_TRUE(identical(first.read(entry.name).view(), second.read(entry.name).view())) << entry.name;
  }
}

// Steps that need no input.
const char* const kFixtures[] = {"counter.meta", "counter_ref.meta",   "partitioned.meta",
                                 "dataset.meta", "lookup_table.meta",  "softmax.meta",
                                 "trainer.meta", "while_loop_v1.meta", "step_after.meta"};

TEST(CaptureTest, IsWhatTheGraphsSaverWritesAndStaysWhileStepsGoOn) {
  for (const char* name : kFixtures) {
    SCOPED_TRACE(name);
    const TempFolder folder;
    Trainer trainer(fixture(name));
    trainer.train(3);
    const SaverDef saver = saver_of(trainer);
    trainer.session->save_variables(saver, folder / "by_graph");
    VariableCapture captured = trainer.session->capture_variables(saver, kNoLimit);
    trainer.train(3);
    write(std::move(captured), folder / "captured");
    expect_same(folder / "by_graph", folder / "captured");
  }
}

TEST(CaptureTest, SavedModelsKeepTheirObjectGraph) {
  for (const std::string& path : {fixture("saved_model_module"), fixture("saved_model_keras"),
                                  project_file("examples/digits/digits_saved_model")}) {
    SCOPED_TRACE(path);
    const TempFolder folder;
    Trainer trainer(path);
    const SaverDef saver = saver_of(trainer);
    trainer.session->save_variables(saver, folder / "by_graph");
    write(trainer.session->capture_variables(saver, kNoLimit), folder / "captured");
    expect_same(folder / "by_graph", folder / "captured");
    EXPECT_NE(BundleReader::open(folder / "captured").find("_CHECKPOINTABLE_OBJECT_GRAPH"), nullptr);
  }
}

TEST(CaptureTest, IsNotMadeBeyondItsLimit) {
  Trainer trainer(fixture("counter.meta"));
  EXPECT_EQ(trainer.session->capture_variables(saver_of(trainer), 3).unavailable,
            "the variables take 12 bytes, a capture may take 3 at most");
}

TEST(CaptureTest, ASaverWritesItWhileStepsGoOn) {
  const TempFolder folder;
  Trainer trainer(fixture("counter.meta"));
  Saver saver(saver_of(trainer), {.mode = SaveMode::kAsync});
  for (Step step = 1; step <= 20; ++step) {
    trainer.train(1);
    saver.save(*trainer.session, folder / "m", step);
  }
  EXPECT_TRUE(saver.wait(std::chrono::minutes(1)));
  EXPECT_EQ(saver.take_saved().size(), 20U);
  const BundleReader newest = BundleReader::open(folder / "m-20");
  EXPECT_EQ(newest.read("w").view().scalar<float>(), 20.0F);
  EXPECT_EQ(newest.read("global_step").view().scalar<std::int64_t>(), 20);
}

TEST(CaptureTest, OutlivesItsSession) {
  const TempFolder folder;
  VariableCapture captured;
  {
    Trainer trainer(fixture("counter.meta"));
    trainer.train(2);
    captured = trainer.session->capture_variables(saver_of(trainer), kNoLimit);
    trainer.session->close();
  }
  write(std::move(captured), folder / "m");
  EXPECT_EQ(BundleReader::open(folder / "m").read("w").view().scalar<float>(), 2.0F);
}

}  // namespace
}  // namespace fermata::tensorflow
