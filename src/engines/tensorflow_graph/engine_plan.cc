#include "engines/tensorflow_graph/engine_plan.h"

#include <cstddef>
#include <utility>

#include "engines/tensorflow_graph/engine_error.h"

namespace fermata::tensorflow {
namespace {

static_assert(sizeof(StringRef) == sizeof(FermataString) &&
                  offsetof(StringRef, size) == offsetof(FermataString, size),
              "strings cross the boundary as they are");

void release_tensor(void* user) { delete static_cast<Tensor*>(user); }

void append(void* user, const void* data, std::uint64_t size) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

std::vector<FermataOutput> as_c(const std::vector<NodeOutput>& outputs) {
  std::vector<FermataOutput> list;
  list.reserve(outputs.size());
  for (const NodeOutput& output : outputs) {
    list.push_back({output.node, output.index});
  }
  return list;
}

}  // namespace

FedTensor::FedTensor(const FermataPluginApi& api, const Tensor& value) : api_(&api), value_(value) {
  const TensorView& view = value.view();
  FermataTensorView c_view{};
  c_view.dtype = static_cast<std::int32_t>(view.dtype());
  c_view.rank = static_cast<std::int32_t>(view.shape().size());
  c_view.dims = view.shape().data();
  c_view.data = view.data();
  c_view.num_elements = static_cast<std::uint64_t>(view.size());
  FermataStatus status{};
  // TensorFlow may keep the memory for longer than this object lives.
  handle_ = api.tensor_new(&c_view, release_tensor, new Tensor(value), &status);
  check(status, "handing over a fed value");
}

FedTensor::~FedTensor() {
  if (handle_ != nullptr) {
    api_->tensor_delete(handle_);
  }
}

FedTensor::FedTensor(FedTensor&& other) noexcept
    : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)), value_(std::move(other.value_)) {}

FedTensor& FedTensor::operator=(FedTensor&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(handle_, other.handle_);
  std::swap(value_, other.value_);
  return *this;
}

EngineOutputs::EngineOutputs(const FermataPluginApi& api, void* plan, std::size_t num_fetches)
    : api_(api), handle_(api.outputs_new(plan)), views_(num_fetches) {
  if (handle_ == nullptr) {
    throw Error(Code::kResourceExhausted, "TensorFlow has no memory for the results of a run",
                ErrorSource::kEngine);
  }
}

EngineOutputs::~EngineOutputs() { api_.outputs_delete(handle_); }

TensorView EngineOutputs::view(std::size_t fetch) const noexcept {
  const FermataTensorView& view = views_[fetch];
  return {static_cast<DType>(view.dtype), std::span(view.dims, static_cast<std::size_t>(view.rank)),
          view.data};
}

EnginePlan::EnginePlan(std::shared_ptr<SessionCore> session, const EngineRequest& request)
    : session_(std::move(session)), num_fetches_(request.fetches.size()) {
  const std::vector<FermataOutput> fetches = as_c(request.fetches);
  const std::vector<FermataOutput> feeds = as_c(request.feeds);
  FermataStatus status{};
  plan_ =
      session_->api().plan_new(session_->handle(), fetches.data(), static_cast<std::int32_t>(fetches.size()),
                               request.targets.data(), static_cast<std::int32_t>(request.targets.size()),
                               feeds.data(), static_cast<std::int32_t>(feeds.size()),
                               request.run_options.data(), request.run_options.size(), &status);
  check(status, "preparing a run");
}

EnginePlan::~EnginePlan() { session_->api().plan_delete(plan_); }

std::unique_ptr<EngineOutputs> EnginePlan::make_outputs() const {
  return std::make_unique<EngineOutputs>(session_->api(), plan_, num_fetches_);
}

void EnginePlan::run(const std::vector<void*>& feeds, EngineOutputs& outputs, const RunExtras& extras) {
  FermataStatus status;  // not cleared, which would cost as much as a small step
  status.code = 0;
  session_->api().plan_run(plan_, feeds.data(), extras.options == nullptr ? nullptr : extras.options->data(),
                           extras.options == nullptr ? 0 : extras.options->size(), outputs.handle(),
                           outputs.views(), extras.metadata == nullptr ? nullptr : append, extras.metadata,
                           &status);
  check(status);
}

}  // namespace fermata::tensorflow
