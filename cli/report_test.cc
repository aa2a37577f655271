#include "cli/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fermata/error.h"

namespace fermata::cli {
namespace {

using nlohmann::json;

json parsed(const Report& report, const TrainOptions& options = {}) {
  return json::parse(report_text(report, options));
}

TEST(ReportTest, SaysWhatHappened) {
  Report report;
  report.verdict = {
      .reason = StopReason::kTargetReached, .step = 2000, .by = "StopAtStepHook", .message = "done"};
  report.start_step = 0;
  report.steps_run = 2000;
  report.checkpoints = {"run/model.ckpt-2000"};
  report.values = {{"loss", Tensor::scalar(0.1F)}};
  report.evaluation = {{"accuracy", 0.975}};
  report.executor = "single";
  report.seconds_to_first_step = 0.25;
  report.tensorflow_version = "2.21.0";
  const json found = parsed(report);
  EXPECT_EQ(found["verdict"],
            json::parse(R"({"reason":"target_reached","step":2000,"by":"StopAtStepHook","message":"done"})"));
  EXPECT_EQ(found["steps_run"], 2000);
  EXPECT_EQ(found["start_step"], 0);
  EXPECT_TRUE(found["restored_from"].is_null());
  EXPECT_EQ(found["checkpoints"], json::parse(R"(["run/model.ckpt-2000"])"));
  EXPECT_EQ(found["values"].dump(), R"({"loss":0.1})");
  EXPECT_EQ(found["evaluation"].dump(), R"({"accuracy":0.975})");
  EXPECT_EQ(found["executor"], "single");
  EXPECT_EQ(found["versions"]["tensorflow"], "2.21.0");
}

TEST(ReportTest, AFailureHasTheTextOfItsError) {
  Report report;
  report.verdict.reason = StopReason::kFailure;
  report.verdict.error = std::make_exception_ptr(Error(Code::kNotFound, "no such thing"));
  const json found = parsed(report);
  EXPECT_EQ(found["verdict"]["reason"], "failure");
  EXPECT_EQ(found["verdict"]["message"], "no such thing");
  EXPECT_TRUE(found["verdict"]["step"].is_null());
  EXPECT_TRUE(found["start_step"].is_null());
  EXPECT_TRUE(found["executor"].is_null());
  EXPECT_EQ(found["values"], json::object());
}

TEST(ReportTest, KeepsTheOptionsAsTheyWereTyped) {
  const TrainOptions options =
      parse_train_options({"m.meta", "--last-step", "5", "--input", "x=a.npy", "--quiet", "--log", "a,b"})
          .value();
  EXPECT_EQ(parsed({}, options)["options"],
            json::parse(R"({"model":"m.meta","last_step":5,"input":["x=a.npy"],"quiet":true,"log":"a,b"})"));
}

}  // namespace
}  // namespace fermata::cli
