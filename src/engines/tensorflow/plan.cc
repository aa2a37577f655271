#include "engines/tensorflow/plan.h"

#include <utility>

#include "engines/tensorflow/dtype_names.h"
#include "engines/tensorflow/graph.h"
#include "engines/tensorflow/runtime.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

const FedValue& as_value(void* tensor) { return *static_cast<const FedValue*>(tensor); }

void require_fetchable(const TF_Output& output) {
  const int dtype = without_reference(TF_OperationOutputType(output));
  if (has_value(dtype)) return;
  throw Failure(TF_INVALID_ARGUMENT, "'" + output_name(output) + "' cannot be fetched: it is of type " +
                                         dtype_name(dtype) + ", which has no value outside of TensorFlow");
}

std::vector<std::string> names_of(const std::vector<TF_Output>& outputs) {
  std::vector<std::string> names;
  for (const TF_Output& output : outputs) names.push_back(output_name(output));
  return names;
}

void show(const TF_Tensor* tensor, ShownValue& shown, bool copy, FermataTensorView& view) {
  const int rank = TF_NumDims(tensor);
  int64_t* const sizes = shown.shape(rank);
  for (int i = 0; i < rank; ++i) sizes[i] = TF_Dim(tensor, i);
  shown.show(TF_TensorType(tensor), TF_TensorData(tensor), TF_TensorElementCount(tensor), copy, view);
}

}  // namespace

void Outputs::delete_results() noexcept {
  for (TF_Tensor*& result : results) {
    if (result != nullptr) TF_DeleteTensor(result);
    result = nullptr;
  }
}

Plan::Plan(SessionHandle session, PlanRequest request)
    : session_(std::move(session)), request_(std::move(request)), copies_(session_->has_references()) {
  for (const TF_Output& output : request_.fetches) require_fetchable(output);
  for (const TF_Output& output : request_.feeds) places_.emplace_back(session_->graph(), output);
  // A node that the session has not been told of would be unknown to it.
  session_->extend();
  prepared_ = prepare();
}

std::unique_ptr<PreparedCall> Plan::prepare() const {
  if (!runtime().prepared_calls || !session_->in_process()) return nullptr;
  CallRequest call{names_of(request_.fetches), {}, names_of(request_.feeds), request_.run_options, copies_};
  for (TF_Operation* const target : request_.targets) call.targets.emplace_back(TF_OperationName(target));
  return prepare_call(session_->get(), call);
}

std::unique_ptr<Outputs> Plan::make_outputs() const {
  auto outputs = std::make_unique<Outputs>();
  outputs->shown.resize(request_.fetches.size());
  if (prepared_) outputs->call_tensors = prepared_->make_tensors();
  outputs->call_feeds.resize(request_.feeds.size());
  outputs->status = new_status();
  outputs->feeds.resize(request_.feeds.size());
  outputs->results.resize(request_.fetches.size());
  return outputs;
}

void Plan::require_accepted(void* const* feeds) const {
  for (size_t i = 0; i < places_.size(); ++i) places_[i].require_accepts(as_value(feeds[i]));
}

void Plan::run(void* const* feeds, const RunExtras& extras, Outputs& outputs, FermataTensorView* views) {
  require_accepted(feeds);
  outputs.delete_results();
  if (prepared_ && extras.options == nullptr && extras.metadata == nullptr) {
    run_prepared(feeds, outputs, views);
  } else {
    run_by_c_api(feeds, extras, outputs, views);
  }
}

void Plan::run_prepared(void* const* feeds, Outputs& outputs, FermataTensorView* views) {
  for (size_t i = 0; i < places_.size(); ++i) outputs.call_feeds[i] = as_value(feeds[i]).call_tensor.get();
  prepared_->run(outputs.call_feeds, *outputs.call_tensors, outputs.shown, views);
}

void Plan::run_by_c_api(void* const* feeds, const RunExtras& extras, Outputs& outputs,
                        FermataTensorView* views) {
  if (outputs.call_tensors) outputs.call_tensors->clear();
  for (size_t i = 0; i < places_.size(); ++i) outputs.feeds[i] = as_value(feeds[i]).tensor.get();
  const TF_Buffer planned = borrowed(request_.run_options.data(), request_.run_options.size());
  const TF_Buffer* const options =
      extras.options == nullptr && planned.length > 0 ? &planned : extras.options;
  const BufferHandle metadata(extras.metadata != nullptr ? TF_NewBuffer() : nullptr);
  const int num_feeds = static_cast<int>(request_.feeds.size());
  const int num_fetches = static_cast<int>(request_.fetches.size());
  const int num_targets = static_cast<int>(request_.targets.size());
  TF_SessionRun(session_->get(), options, request_.feeds.data(), outputs.feeds.data(), num_feeds,
                request_.fetches.data(), outputs.results.data(), num_fetches, request_.targets.data(),
                num_targets, metadata.get(), outputs.status.get());
  check(outputs.status.get());
  // Which memory is shared with a variable cannot be seen from here.
  for (size_t i = 0; i < outputs.shown.size(); ++i) {
    show(outputs.results[i], outputs.shown[i], copies_, views[i]);
  }
  if (metadata) extras.metadata(extras.metadata_user, metadata->data, metadata->length);
}

}  // namespace fermata::tensorflow_plugin
