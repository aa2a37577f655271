// Each call of the engine fails once, at each count, with each kind of error: a loop that recovers goes on,
// any other ends with one verdict, and nothing is left behind.
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/monitored_session.h"
#include "fermata/saver.h"
#include "fermata/scaffold.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/recording_hook.h"
#include "tests/support/faulty_graph.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using testkit::Callback;
using testkit::RecordingHook;

enum class Fault { kUnavailable, kAborted, kInternal, kEndOfInput, kStdException, kOther };

void raise(Fault fault) {
  switch (fault) {
    case Fault::kUnavailable:
      throw Error(Code::kUnavailable, "scripted", ErrorSource::kEngine);
    case Fault::kAborted:
      throw Error(Code::kAborted, "scripted", ErrorSource::kEngine);
    case Fault::kInternal:
      throw Error(Code::kInternal, "scripted", ErrorSource::kEngine);
    case Fault::kEndOfInput:
      throw Error(Code::kOutOfRange, "scripted", ErrorSource::kEngine);
    case Fault::kStdException:
      throw std::runtime_error("scripted");
    case Fault::kOther:
      throw 7;  // NOLINT(hicpp-exception-baseclass): somebody may
  }
}

bool is_recoverable(Fault fault) { return fault == Fault::kUnavailable || fault == Fault::kAborted; }

struct Case {
  EngineCall call;
  Fault fault;
};

std::string case_name(const testing::TestParamInfo<Case>& of) {
  constexpr const char* kCalls[] = {"create",    "prepare", "make_outputs", "run",    "close",
                                    "read_step", "save",    "capture",      "restore"};
  constexpr const char* kFaults[] = {"unavailable",  "aborted",       "internal",
                                     "end_of_input", "std_exception", "other"};
  return std::string(kCalls[static_cast<int>(of.param.call)]) + "_" +
         kFaults[static_cast<int>(of.param.fault)];
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const EngineCall call : {EngineCall::kCreate, EngineCall::kPrepare, EngineCall::kMakeOutputs,
                                EngineCall::kRun, EngineCall::kClose, EngineCall::kReadStep,
                                EngineCall::kSave, EngineCall::kCapture, EngineCall::kRestore}) {
    for (const Fault fault : {Fault::kUnavailable, Fault::kAborted, Fault::kInternal, Fault::kEndOfInput,
                              Fault::kStdException, Fault::kOther}) {
      cases.push_back({call, fault});
    }
  }
  return cases;
}

// Files in memory where there is such a place: each loop saves several times.
std::filesystem::path quick_parent() {
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

// How one loop ended.
struct Outcome {
  bool made = false;
  bool thrown = false;
  bool fault_met = false;
  std::optional<StopVerdict> verdict;
};

class EngineFaultsTest : public testing::TestWithParam<Case> {
 protected:
  // Far more than an untouched loop needs; one that goes round and round is a failure and no hang.
  static constexpr int kMostCalls = 2000;

  EngineFaultsTest() {
    graph_.variable("w", native::view(w_));
    train_ = graph_.step("train", {}, [this](native::StepOutputs&) { w_ += 1; });
    args_ = SessionRunArgs({train_});
  }

  // From now on the n-th call of the case's kind fails; 0: none does.
  void script(int n) {
    seen_ = 0;
    total_ = 0;
    met_ = false;
    graph_.faults.before_call = [this, n](EngineCall call) {
      if (++total_ > kMostCalls) {
        throw Error(Code::kInternal, "the loop does not come to an end");
      }
      if (call == GetParam().call && ++seen_ == n) {
        met_ = true;
        raise(GetParam().fault);
      }
    };
  }

  MonitoredSession::Options options(const std::string& dir) {
    hooks_.clear();
    for (const char* name : {"h0", "h1", "h2"}) {
      hooks_.push_back(
          std::make_shared<RecordingHook>(RecordingHook::Options{.name = name, .trace = trace_}));
    }
    const auto scaffold = std::make_shared<Scaffold>(Scaffold::Options{
        .saver_options = {.mode =
                              GetParam().call == EngineCall::kCapture ? SaveMode::kSync : SaveMode::kGraph}});
    const std::chrono::nanoseconds none(0);
    return {
        .session_creator = std::make_shared<ChiefSessionCreator>(
            graph_, ChiefSessionCreator::Options{.scaffold = scaffold, .checkpoint_dir = dir}),
        .hooks = {hooks_[0],
                  make_hook<CheckpointSaverHook>(
                      {.checkpoint_dir = dir, .save_steps = 1, .scaffold = scaffold, .write_events = false}),
                  hooks_[1], make_hook<StopAtStepHook>({.last_step = 4}), hooks_[2]},
        .recovery = {.max_attempts = 3, .first_pause = none, .max_pause = none}};
  }

  // Begins with a checkpoint of step 1, so that there is something to restore.
  Outcome drive(const std::string& dir) {
    Outcome outcome;
    std::optional<MonitoredSession> loop;
    try {
      loop.emplace(graph_, options(dir));
      outcome.made = true;
      loop->run_until_stopped([&] { loop->run(args_); });
    } catch (...) {
      outcome.thrown = true;
    }
    outcome.fault_met = met_;
    if (loop) {
      outcome.verdict = loop->verdict();
    }
    return outcome;
  }

  void expect_told(const Outcome& outcome) {
    const std::vector<std::string> lines = trace_->take();
    for (const auto& hook : hooks_) {
      EXPECT_EQ(hook->calls(Callback::kFinished), 1U);
      EXPECT_EQ(hook->calls(Callback::kEnd), hooks_[0]->calls(Callback::kEnd));
      EXPECT_LE(hook->calls(Callback::kEnd), 1U);
    }
    ASSERT_GE(lines.size(), 3U);
    for (std::size_t i = lines.size() - 3; i < lines.size(); ++i) {
      EXPECT_NE(lines[i].find(".finished"), std::string::npos) << lines[i];
    }
    if (!outcome.thrown) {
      EXPECT_EQ(hooks_[0]->calls(Callback::kEnd), 1U);
    }
  }

  void expect_one_verdict(const Outcome& outcome) {
    EXPECT_EQ(outcome.verdict.has_value(), outcome.made);
    if (outcome.verdict) {
      EXPECT_EQ(outcome.verdict->failed(), outcome.thrown) << outcome.verdict->to_string();
    }
    if (!outcome.thrown) {
      const bool early =
          GetParam().fault == Fault::kEndOfInput && outcome.verdict->reason == StopReason::kEndOfInput;
      EXPECT_TRUE(early || outcome.verdict->step == 4) << outcome.verdict->to_string();
    }
  }

  void expect_nothing_left() {
    EXPECT_EQ(graph_.faults.live_sessions, 0);
    EXPECT_EQ(graph_.faults.never_closed, 0);
    EXPECT_FALSE(graph_.finalized());
    EXPECT_LE(total_, kMostCalls);
  }

  testkit::LogCapture log_;
  testkit::TracePtr trace_ = std::make_shared<testkit::Trace>();
  FaultyGraph graph_;
  float w_ = 0;
  Operation train_;
  SessionRunArgs args_;
  std::vector<std::shared_ptr<RecordingHook>> hooks_;
  int seen_ = 0;
  int total_ = 0;
  bool met_ = false;
};

INSTANTIATE_TEST_SUITE_P(Every, EngineFaultsTest, testing::ValuesIn(all_cases()), case_name);

TEST_P(EngineFaultsTest, OneFaultAtAnyCountEndsWellOrWithOneVerdict) {
  const TempFolder model(quick_parent());
  {
    MonitoredSession loop(graph_, options(model.path()));
    loop.run(args_);
  }
  int n = 1;
  for (bool met = true; met && !HasFailure(); ++n) {
    SCOPED_TRACE(n);
    const TempFolder folder(quick_parent());
    std::filesystem::copy(model.path(), folder.path(), std::filesystem::copy_options::recursive);
    static_cast<void>(trace_->take());
    script(n);
    const Outcome outcome = drive(folder.path());
    met = outcome.fault_met;
    EXPECT_TRUE(met || !outcome.thrown);
    expect_told(outcome);
    expect_one_verdict(outcome);
    expect_nothing_left();
    // What was saved is whole, and the next loop reaches the target.
    script(0);
    const Outcome again = drive(folder.path());
    EXPECT_FALSE(again.thrown);
    EXPECT_EQ(again.verdict->step, 4);
    EXPECT_EQ(w_, 4.0F);
  }
  EXPECT_GT(n, 1 + 1);
}

std::vector<Case> losses_before_the_end() {
  std::vector<Case> losses;
  for (const Case& each : all_cases()) {
    if (is_recoverable(each.fault) && each.call != EngineCall::kClose) {
      losses.push_back(each);
    }
  }
  return losses;
}

class EngineLossTest : public EngineFaultsTest {};

INSTANTIATE_TEST_SUITE_P(Every, EngineLossTest, testing::ValuesIn(losses_before_the_end()), case_name);

// A fault that is taken for a loss costs a session and nothing else, unless it comes on the way out.
TEST_P(EngineLossTest, ALossBeforeTheEndIsRecovered) {
  const TempFolder folder(quick_parent());
  {
    MonitoredSession loop(graph_, options(folder.path()));
    loop.run(args_);
  }
  script(1);
  const Outcome outcome = drive(folder.path());
  EXPECT_TRUE(outcome.fault_met);
  EXPECT_FALSE(outcome.thrown);
  EXPECT_EQ(outcome.verdict->reason, StopReason::kTargetReached);
  expect_nothing_left();
}

// A server that never comes back ends the loop after the attempts that the policy allows.
TEST_P(EngineFaultsTest, AFaultThatStaysEndsTheLoop) {
  const TempFolder folder(quick_parent());
  {
    MonitoredSession loop(graph_, options(folder.path()));
    loop.run(args_);
  }
  static_cast<void>(trace_->take());
  total_ = 0;
  graph_.faults.before_call = [this](EngineCall call) {
    met_ = met_ || call == GetParam().call;
    if (++total_ > kMostCalls) {
      throw Error(Code::kInternal, "the loop does not come to an end");
    }
    if (call == GetParam().call) {
      raise(GetParam().fault);
    }
  };
  const Outcome outcome = drive(folder.path());
  EXPECT_TRUE(outcome.fault_met);
  expect_told(outcome);
  expect_one_verdict(outcome);
  expect_nothing_left();
}

}  // namespace
}  // namespace fermata
