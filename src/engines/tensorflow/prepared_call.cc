#include "engines/tensorflow/prepared_call.h"

#include <cstdint>

#include "engines/tensorflow/runtime.h"
#include "engines/tensorflow/status.h"
#include "tensorflow/c/c_api_internal.h"
#include "tensorflow/c/tf_tensor_helper.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"

namespace fermata::tensorflow_plugin {
namespace {

void check_status(const absl::Status& status) {
  if (!status.ok()) throw Failure(static_cast<int>(status.code()), std::string(status.message()));
}

class TensorLists final : public CallTensors {
 public:
  void clear() noexcept override { fetched.clear(); }

  std::vector<tensorflow::Tensor> fed;
  std::vector<tensorflow::Tensor> fetched;
  tensorflow::RunMetadata metadata;
};

void show(const tensorflow::Tensor& tensor, ShownValue& shown, bool copy_shared, FermataTensorView& view) {
  const int rank = tensor.dims();
  int64_t* const sizes = shown.shape(rank);
  for (int i = 0; i < rank; ++i) sizes[i] = tensor.dim_size(i);
  // Memory that is ours alone cannot change, whoever made it.
  const bool copy = copy_shared && !tensor.RefCountIsOne();
  shown.show(tensor.dtype(), tensor.data(), tensor.NumElements(), copy, view);
}

class Callable final : public PreparedCall {
 public:
  Callable(tensorflow::Session* session, tensorflow::Session::CallableHandle handle, bool copy_shared)
      : session_(session), handle_(handle), copy_shared_(copy_shared) {}

  ~Callable() override {
    const absl::Status status = session_->ReleaseCallable(handle_);
    if (!status.ok()) log_warning(std::string(status.message()).c_str());
  }

  std::unique_ptr<CallTensors> make_tensors() const override { return std::make_unique<TensorLists>(); }

  void run(std::span<const tensorflow::Tensor* const> feeds, CallTensors& tensors,
           std::span<ShownValue> shown, FermataTensorView* views) override {
    auto& lists = static_cast<TensorLists&>(tensors);
    lists.fed.clear();
    for (const tensorflow::Tensor* const value : feeds) lists.fed.push_back(*value);
    // Let go before the run, or an update would have to copy what is still held here.
    lists.fetched.clear();
    lists.metadata.Clear();
    const absl::Status status = session_->RunCallable(handle_, lists.fed, &lists.fetched, &lists.metadata);
    lists.fed.clear();
    if (!status.ok()) lists.fetched.clear();
    check_status(status);
    for (size_t i = 0; i < shown.size(); ++i) show(lists.fetched[i], shown[i], copy_shared_, views[i]);
  }

 private:
  tensorflow::Session* session_;
  tensorflow::Session::CallableHandle handle_;
  bool copy_shared_;
};

// Options that record something are for the C API, which hands the record out; a callable would gather it for
// nobody. And it never attaches the debugger.
bool can_be_callable(const tensorflow::RunOptions& options) {
  return options.trace_level() == tensorflow::RunOptions::NO_TRACE && !options.output_partition_graphs() &&
         options.debug_options().debug_tensor_watch_opts_size() == 0;
}

tensorflow::CallableOptions make_options(const CallRequest& request) {
  tensorflow::CallableOptions options;
  for (const std::string& name : request.feeds) options.add_feed(name);
  for (const std::string& name : request.fetches) options.add_fetch(name);
  for (const std::string& name : request.targets) options.add_target(name);
  if (!options.mutable_run_options()->ParseFromString(request.run_options)) {
    throw Failure(TF_INVALID_ARGUMENT, "the run options are no serialized tensorflow.RunOptions");
  }
  return options;
}

}  // namespace

void delete_call_tensor(tensorflow::Tensor* tensor) noexcept { delete tensor; }

tensorflow::Tensor* to_call_tensor(const TF_Tensor* tensor) {
  auto copy = std::make_unique<tensorflow::Tensor>();
  check_status(tensorflow::TF_TensorToTensor(tensor, copy.get()));
  return copy.release();
}

std::unique_ptr<PreparedCall> prepare_call(TF_Session* session, const CallRequest& request) {
  const tensorflow::CallableOptions options = make_options(request);
  if (!can_be_callable(options.run_options())) return nullptr;
  tensorflow::Session::CallableHandle handle = 0;
  check_status(session->session->MakeCallable(options, &handle));
  return std::make_unique<Callable>(session->session, handle, request.copy_shared);
}

}  // namespace fermata::tensorflow_plugin
