// For tests: a saver over a file system in memory, with a clock that stands still.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/saver_core.h"
#include "fermata/error.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "platform/file_content.h"
#include "tests/support/fake_session.h"
#include "tests/support/memory_file_system.h"

namespace fermata {

class SaverCoreFixture : public testing::Test {
 protected:
  SaverCoreFixture() { session_.variables["w"] = Tensor::scalar(1.5F); }

  SaverCore saver(Saver::Options options = {}, SaverDef def = {}) {
    options.clock = clock_;
    return SaverCore(std::move(def), std::move(options), files_);
  }
  std::string save(SaverCore& saver, Step step, const std::string& prefix = "/d/m") {
    session_.variables["step"] = Tensor::scalar(step);
    return saver.save(session_, prefix, step);
  }
  float restored_w(const std::string& prefix, FileSystem& files) {
    FakeSession session(files);
    session.variables["w"] = Tensor::scalar(0.0F);
    SaverCore({}, {}, files).restore(session, prefix);
    return session.variables["w"].view().scalar<float>();
  }
  static std::string outcome(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return code_name(error.code()) + " " + error.what();
    }
    return "done";
  }
  std::string state_text(const std::string& path = "/d/checkpoint") { return read_whole_file(files_, path); }

  MemoryFileSystem files_;
  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  FakeSession session_{files_};
  testkit::LogCapture log_;
};

}  // namespace fermata
