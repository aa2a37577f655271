// The graph of docs/moving_from_tf1.md on either engine, in an empty current folder.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/native.h"
#include "fermata/tensorflow.h"
#include "fermata/testkit/log_capture.h"
#include "tests/support/temp_folder.h"

// Changes the current folder to a new one while it lives.
class EmptyFolder {
 public:
  EmptyFolder() { std::filesystem::current_path(folder_.path()); }
  ~EmptyFolder() { std::filesystem::current_path(before_); }
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  fermata::TempFolder folder_;
};

inline std::string page_model() {
  const char* const project = std::getenv("FERMATA_PROJECT_DIR");
  return std::string(project == nullptr ? "." : project) + "/tests/fixtures/softmax.meta";
}

// A loss that falls with each step, under the names of the TensorFlow graph.
class NativePageGraph : public fermata::native::Graph {
 public:
  NativePageGraph() {
    namespace native = fermata::native;
    placeholder_with_default("x", fermata::Tensor::of<float>({64, 64}, std::vector<float>(4096)));
    placeholder_with_default("y", fermata::Tensor::of<std::int64_t>({64}, std::vector<std::int64_t>(64)));
    const fermata::Output weights = variable("weights", native::view(weights_, {64, 10}));
    const fermata::Output loss = value(
        "loss", {weights}, [](const native::Inputs& in) { return 2.3F - in[0].values<float>().front(); });
    step("train", {}, [this](native::StepOutputs&) {
      for (float& weight : weights_) {
        weight += 0.1F;
      }
    });
    scalar_summary("watched/loss", loss);
    operation("enqueue", {}, [this](native::StepOutputs&) { ++enqueued; });
  }

  std::atomic<int> enqueued{0};

 private:
  std::vector<float> weights_ = std::vector<float>(640);
};

inline std::unique_ptr<fermata::Graph> page_graph(std::string_view engine) {
  if (engine == "native") {
    return std::make_unique<NativePageGraph>();
  }
  // A model cannot be moved, so it is made in its place.
  return std::unique_ptr<fermata::Graph>(new auto(fermata::tensorflow::open(page_model())));
}

// The parameter is the engine.
class MovingPageTest : public testing::TestWithParam<std::string_view> {
 protected:
  EmptyFolder folder_;
  fermata::testkit::LogCapture log_;
  std::unique_ptr<fermata::Graph> owned_ = page_graph(GetParam());
  fermata::Graph& graph = *owned_;
  fermata::Tensor rows = fermata::Tensor::of<float>({64, 64}, std::vector<float>(4096, 1.0F));
  fermata::Tensor digits = fermata::Tensor::of<std::int64_t>({64}, std::vector<std::int64_t>(64, 1));
};
