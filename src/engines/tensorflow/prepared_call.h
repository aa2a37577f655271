// TensorFlow's prepared calls (MakeCallable, RunCallable), which only its C++ API offers. This header shows
// nothing of that API; prepared_call.cc is the one source that includes it. To be used only where
// runtime().prepared_calls says so.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/plugin_abi.h"
#include "engines/tensorflow/handles.h"
#include "engines/tensorflow/shown_value.h"

namespace tensorflow {
class Tensor;
}

namespace fermata::tensorflow_plugin {

void delete_call_tensor(tensorflow::Tensor* tensor) noexcept;
using CallTensorHandle = std::unique_ptr<tensorflow::Tensor, HandleDeleter<&delete_call_tensor>>;

// Shares the memory of `tensor`. Throws: Failure.
[[nodiscard]] tensorflow::Tensor* to_call_tensor(const TF_Tensor* tensor);

struct CallRequest {
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> feeds;
  std::string run_options;  // a serialized tensorflow.RunOptions
  // Some fetched value may lie in a variable's memory.
  bool copy_shared = false;
};

// What one run at a time fetches into.
class CallTensors {
 public:
  virtual ~CallTensors() = default;
  CallTensors(const CallTensors&) = delete;
  CallTensors& operator=(const CallTensors&) = delete;

  // Lets go of what was fetched.
  virtual void clear() noexcept = 0;

 protected:
  CallTensors() = default;
};

// Threads: run may be called from several threads at once, each with tensors of its own.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  PreparedCall(const PreparedCall&) = delete;
  PreparedCall& operator=(const PreparedCall&) = delete;

  [[nodiscard]] virtual std::unique_ptr<CallTensors> make_tensors() const = 0;

  // Throws: Failure.
  virtual void run(std::span<const tensorflow::Tensor* const> feeds, CallTensors& tensors,
                   std::span<ShownValue> shown, FermataTensorView* views) = 0;

 protected:
  PreparedCall() = default;
};

// Null if prepared calls ignore something that the options ask for. The session must outlive the call.
// Throws: Failure.
[[nodiscard]] std::unique_ptr<PreparedCall> prepare_call(TF_Session* session, const CallRequest& request);

}  // namespace fermata::tensorflow_plugin
