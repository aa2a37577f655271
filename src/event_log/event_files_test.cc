#include "fermata/event_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fermata/error.h"
#include "fermata/event_writer.h"
#include "fermata/testkit/log_capture.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Lines = std::vector<std::string>;

std::string name_with_order(int order) { return "events.out.tfevents." + std::to_string(order) + ".host"; }

class EventFilesTest : public testing::Test {
 protected:
  // One file of a run that starts at `start` and writes loss = step for the steps given.
  std::string write_file(int order, Step start, const std::vector<Step>& steps) {
    std::string path;
    {
      EventWriter writer(folder_.path());
      writer.add_session_start(start);
      for (const Step step : steps) {
        writer.add_scalar("loss", static_cast<double>(order), step);
      }
      writer.close();
      path = writer.path();
    }
    const std::string wanted = folder_ / name_with_order(order);
    std::filesystem::rename(path, wanted);
    return wanted;
  }
  Lines curve(const std::string& path, EventFiles::Options options = {}) {
    Lines lines;
    EventFiles(path, options).read([&](const LoggedEvent& event) {
      for (const EventValue& value : event.values) {
        std::ostringstream line;
        line << value.tag << " " << event.step << " " << value.scalar.value_or(-1);
        lines.push_back(line.str());
      }
    });
    return lines;
  }
  static std::string bytes_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::string outcome(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return code_name(error.code()) + " " + error.what();
    }
    return "done";
  }

  TempFolder folder_;
  testkit::LogCapture log_;
};

TEST_F(EventFilesTest, AStartEndsWhatCameBeforeIt) {
  write_file(1, 1, {1, 2, 3, 4});
  write_file(2, 3, {3, 4, 5});
  write_file(3, 5, {5});
  EXPECT_THAT(curve(folder_.path()), ElementsAre("loss 1 1", "loss 2 1", "loss 3 2", "loss 4 2", "loss 5 3"));
}

TEST_F(EventFilesTest, AStartFurtherBackCountsForAllBeforeIt) {
  write_file(1, 1, {1, 2});
  write_file(2, 3, {3, 4});
  write_file(3, 2, {2});
  EXPECT_THAT(curve(folder_.path()), ElementsAre("loss 1 1", "loss 2 3"));
}

TEST_F(EventFilesTest, AllCanBeShown) {
  write_file(1, 1, {1, 2});
  write_file(2, 2, {2});
  EXPECT_THAT(curve(folder_.path(), {.apply_restarts = false}),
              ElementsAre("loss 1 1", "loss 2 1", "loss 2 2"));
}

TEST_F(EventFilesTest, OneFileCanBeNamed) {
  const std::string path = write_file(1, 1, {1});
  write_file(2, 1, {1});
  EXPECT_THAT(curve(path), ElementsAre("loss 1 1"));
}

TEST_F(EventFilesTest, ATornTailIsNamedAndTolerated) {
  const std::string path = write_file(1, 1, {1, 2});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  EXPECT_THAT(curve(path), ElementsAre("loss 1 1"));
  ASSERT_THAT(log_.lines(), SizeIs(1));
  EXPECT_THAT(log_.lines()[0], HasSubstr("is not complete"));
  EXPECT_THAT(check_event_file(path).torn_tail, HasSubstr("is not complete"));
  EXPECT_TRUE(check_event_file(path).damage.empty());
}

TEST_F(EventFilesTest, DamageIsAnErrorThatSaysWhere) {
  const std::string path = write_file(1, 1, {1, 2, 3});
  std::string bytes = bytes_of(path);
  const std::size_t at = bytes.find("loss", bytes.find("loss") + 1);
  bytes[at] = 'm';
  std::ofstream(path) << bytes;
  EXPECT_THAT(outcome([&] { curve(path); }), HasSubstr("DATA_LOSS " + path + ": the record at byte "));
  EXPECT_THAT(curve(path, {.skip_damaged = true}), ElementsAre("loss 1 1", "loss 3 1"));
  EXPECT_THAT(log_.lines(), SizeIs(1));
  const EventFileCheck check = check_event_file(path);
  EXPECT_EQ(check.records, 4U);
  EXPECT_THAT(check.damage, SizeIs(1));
  EXPECT_EQ(check.size_bytes, bytes.size());
}

TEST_F(EventFilesTest, EachKindOfValueIsTold) {
  EventWriter writer(folder_.path());
  writer.add_histogram("h", Tensor::of<float>({3}, {1, 2, 4}).view(), 1);
  writer.add_image("i", Tensor::of<std::uint8_t>({1, 2, 1}, {0, 255}).view(), 1);
  writer.add_text("t", "**bold**", 1);
  writer.add_text("t", "second", 2);
  writer.add_tensor("x", Tensor::of<double>({2}, {1, 2}).view(), 1);
  writer.close();
  Lines lines;
  EventFiles(folder_.path()).read([&](const LoggedEvent& event) {
    for (const EventValue& value : event.values) {
      lines.push_back(value.tag + " " + std::string(event_value_kind_name(value.kind)) + " " + value.text);
    }
  });
  EXPECT_THAT(lines, ElementsAre("h histogram 3 values from 1 to 4", "i image 2 x 1 pixels",
                                 "t text **bold**", "t text second", "x tensor "));
}

TEST_F(EventFilesTest, SaysWhatItLookedFor) {
  EXPECT_THAT(outcome([&] { EventFiles(folder_.path()); }), HasSubstr("found a folder without any"));
  EXPECT_THAT(outcome([&] { EventFiles(folder_ / "none"); }), HasSubstr("found nothing"));
}

}  // namespace
}  // namespace fermata
