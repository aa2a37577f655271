// Savers that are built later, that save nothing, and what one save may say otherwise.
#include <gtest/gtest.h>

#include "checkpoint/saver_core_fixture.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;

class SaverBuildTest : public SaverCoreFixture {
 protected:
  // The graph of the fake session has no variables.
  SaverCore over_graph(Saver::Options options) {
    options.clock = clock_;
    return SaverCore(session_.graph(), std::move(options), files_);
  }
  void save_all(SaverCore& core, Step last) {
    for (Step step = 1; step <= last; ++step) {
      save(core, step);
    }
  }
};

TEST_F(SaverBuildTest, BeforeItIsBuiltNothingIsSavedOrRestored) {
  SaverCore other = saver();
  save(other, 1);
  SaverCore core = saver({.defer_build = true});
  EXPECT_FALSE(core.is_built());
  const std::string refusal = "the saver is not built yet; call build() first, or leave defer_build out";
  EXPECT_THROW(core.save(session_, "/d/m", 2), Misuse);
  EXPECT_THROW(core.restore(session_, "/d/m-1"), Misuse);
  EXPECT_TRUE(outcome([&] { core.save(session_, "/d/m", 2); }).ends_with(refusal));
  EXPECT_TRUE(outcome([&] { core.restore(session_, "/d/m-9"); }).starts_with("INVALID_ARGUMENT"));
  EXPECT_FALSE(files_.info("/d/m-2.index"));
  core.build();
  core.build();
  EXPECT_TRUE(core.is_built());
  EXPECT_EQ(core.save(session_, "/d/m", 2), "/d/m-2");
  core.restore(session_, "/d/m-1");
}

TEST_F(SaverBuildTest, ThePeriodsOfKeptCheckpointsBeginWhenItIsBuilt) {
  SaverCore core = saver({.max_to_keep = 1, .keep_checkpoint_every_n_hours = 1, .defer_build = true});
  clock_->advance(std::chrono::hours(2));
  core.build();
  save_all(core, 2);
  EXPECT_FALSE(files_.info("/d/m-1.index"));
}

TEST_F(SaverBuildTest, AListAndDeferredBuildingDoNotGoTogether) {
  EXPECT_TRUE(outcome([&] {
                over_graph({.var_list = {{{"w", "w"}}}, .defer_build = true});
              }).starts_with("INVALID_ARGUMENT Saver: a saver that is built later"));
  // An empty list says nothing.
  EXPECT_FALSE(
      over_graph({.var_list = std::map<std::string, std::string>(), .defer_build = true, .allow_empty = true})
          .is_built());
  EXPECT_TRUE(outcome([&] {
                saver({.var_list = {{{"w", "w"}}}});
              }).starts_with("INVALID_ARGUMENT Saver: a var_list"));
}

TEST_F(SaverBuildTest, NothingToSaveIsAnErrorWhenItIsBuilt) {
  const std::string refusal =
      "INVALID_ARGUMENT Saver: there are no variables to save; name some, or say with allow_empty that there "
      "need not be any";
  EXPECT_EQ(outcome([&] { over_graph({}); }), refusal);
  EXPECT_EQ(outcome([&] { over_graph({.var_list = std::map<std::string, std::string>()}); }), refusal);
  SaverCore later = over_graph({.defer_build = true});
  EXPECT_EQ(outcome([&] { later.build(); }), refusal);
  EXPECT_FALSE(later.is_built());
}

TEST_F(SaverBuildTest, AnEmptySaverWritesTheGraphOnlyAndRestoresNothing) {
  session_.meta_graph = "meta";
  SaverCore core = over_graph({.allow_empty = true});
  EXPECT_TRUE(core.is_empty());
  EXPECT_EQ(core.save(session_, "/d/e/m", 1), "");
  EXPECT_EQ(files_.list("/d/e"), Names{"m-1.meta"});
  EXPECT_EQ(core.save(session_, "/d/f/m", 1, {.write_meta_graph = false}), "");
  EXPECT_FALSE(files_.info("/d/f"));
  EXPECT_TRUE(core.last_checkpoints().empty());
  EXPECT_TRUE(core.take_saved().empty());
  core.restore(session_, "/d/e/m-1");
  core.restore(session_, "");
  EXPECT_EQ(session_.variables["w"].view().scalar<float>(), 1.5F);
  EXPECT_TRUE(outcome([&] {
                core.save(session_, "/d/e/m", 1, {.latest_filename = "a/b"});
              }).starts_with("INVALID_ARGUMENT"));
}

// --- one save

TEST_F(SaverBuildTest, WithoutStateNothingIsListedNamedOrRemoved) {
  SaverCore core = saver({.max_to_keep = 1});
  save(core, 1);
  const std::string state = state_text();
  EXPECT_EQ(core.save(session_, "/d/m", 2, {.write_state = false}), "/d/m-2");
  EXPECT_EQ(core.last_checkpoints(), Names{"/d/m-1"});
  EXPECT_EQ(state_text(), state);
  EXPECT_TRUE(files_.info("/d/m-1.index"));
  EXPECT_EQ(core.take_saved().size(), 2U);
  save(core, 3);
  EXPECT_FALSE(files_.info("/d/m-1.index"));
  EXPECT_EQ(restored_w("/d/m-2", files_), 1.5F);
}

TEST_F(SaverBuildTest, AnotherThreadKeepsToTheOptionsOfTheSaveToo) {
  session_.meta_graph = "meta";
  SaverCore core = saver({.mode = SaveMode::kAsync});
  core.save(session_, "/d/m", 1, {.latest_filename = "other", .meta_graph_suffix = "graph"});
  ASSERT_TRUE(core.wait(std::chrono::minutes(1)));
  EXPECT_EQ(files_.list("/d"),
            (Names{"m-1.data-00000-of-00001", "m-1.graph", "m-1.index", "m-1.manifest.json", "other"}));
}

TEST_F(SaverBuildTest, EachStateFileHasTheListAsItIsThen) {
  SaverCore core = saver({.max_to_keep = 2});
  save(core, 1);
  core.save(session_, "/d/m", 2, {.latest_filename = "other"});
  core.save(session_, "/d/m", 3, {.latest_filename = "other"});
  EXPECT_EQ(state_text(), "model_checkpoint_path: \"/d/m-1\"\nall_model_checkpoint_paths: \"/d/m-1\"\n");
  EXPECT_EQ(state_text("/d/other"),
            "model_checkpoint_path: \"/d/m-3\"\nall_model_checkpoint_paths: \"/d/m-2\"\n"
            "all_model_checkpoint_paths: \"/d/m-3\"\n");
  EXPECT_FALSE(files_.info("/d/m-1.index"));
}

TEST_F(SaverBuildTest, TheSuffixOfASaveIsThatOfWhatItRemoves) {
  session_.meta_graph = "meta";
  SaverCore core = saver({.max_to_keep = 1});
  core.save(session_, "/d/m", 1, {.meta_graph_suffix = "graph"});
  core.save(session_, "/d/m", 2, {.meta_graph_suffix = "graph"});
  EXPECT_FALSE(files_.info("/d/m-1.graph"));
  EXPECT_EQ(read_whole_file(files_, "/d/m-2.graph"), "meta");
  EXPECT_FALSE(files_.info("/d/m-2.meta"));
  save(core, 3);
  EXPECT_TRUE(files_.info("/d/m-2.graph"));
}

TEST_F(SaverBuildTest, RefusesNamesThatClash) {
  SaverCore core = saver();
  const auto refuses = [&](SaveOptions options, const std::string& prefix = "/d/m") {
    return outcome([&] { core.save(session_, prefix, std::nullopt, options); })
        .starts_with("INVALID_ARGUMENT");
  };
  for (const char* name : {"", ".", "..", "a/b", "a/", "/b"}) {
    EXPECT_TRUE(refuses({.latest_filename = name})) << name;
  }
  for (const char* suffix : {"index", "manifest.json", "pinned", "data-00000-of-00001", "a/b"}) {
    EXPECT_TRUE(refuses({.meta_graph_suffix = suffix})) << suffix;
  }
  EXPECT_TRUE(refuses({.latest_filename = "m"}));
  EXPECT_TRUE(refuses({.latest_filename = "m.graph", .meta_graph_suffix = "graph"}));
  EXPECT_FALSE(files_.info("/d"));
  // The usual name is free if the save has another state file.
  EXPECT_FALSE(refuses({.latest_filename = "other"}, "/d/checkpoint"));
}

}  // namespace
}  // namespace fermata
