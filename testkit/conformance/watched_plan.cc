#include "conformance/watched_plan.h"

#include <algorithm>
#include <utility>

#include "conformance/errors.h"
#include "conformance/values.h"

namespace fermata::conformance {
namespace {

Json sorted_names(const TensorView& names) {
  std::vector<std::string> listed;
  for (std::int64_t i = 0; names.dtype() == DType::kString && i < names.size(); ++i) {
    listed.emplace_back(names.string(i));
  }
  std::sort(listed.begin(), listed.end());
  return listed;
}

}  // namespace

struct WatchedPlan::Outputs : StepOutputs {
  std::unique_ptr<StepOutputs> inner;
  std::unique_ptr<StepOutputs> with_loss;
  // A value that the scenario gave instead of a run.
  Tensor given;

  void take(const StepOutputs& from) {
    values = from.values;
    step = from.step;
  }
};

WatchedPlan::WatchedPlan(WatchedSession& session, PlanRequest request, std::unique_ptr<StepPlan> plan)
    : session_(session), request_(std::move(request)), plan_(std::move(plan)) {}

std::unique_ptr<StepOutputs> WatchedPlan::make_outputs() const {
  auto outputs = std::make_unique<Outputs>();
  outputs->inner = plan_->make_outputs();
  outputs->take(*outputs->inner);
  return outputs;
}

void WatchedPlan::run(std::span<const Tensor* const> feeds, const RunOptions* options, StepOutputs& outputs,
                      RunMetadata* metadata) {
  auto& ours = dynamic_cast<Outputs&>(outputs);
  if (!session_.watching()) {
    run_inner(feeds, options, ours, metadata);
  } else if (std::exchange(session_.world_.hooked_run_next, false)) {
    run_hooked(feeds, options, ours, metadata);
  } else {
    run_raw(feeds, options, ours, metadata);
  }
}

void WatchedPlan::run_inner(std::span<const Tensor* const> feeds, const RunOptions* options, Outputs& outputs,
                            RunMetadata* metadata) {
  plan_->run(feeds, options, *outputs.inner, metadata);
  outputs.take(*outputs.inner);
}

void WatchedPlan::run_with_loss(const Tensor& loss, std::span<const Tensor* const> feeds,
                                const RunOptions* options, Outputs& outputs, RunMetadata* metadata) {
  PlanRequest request = request_;
  const Output tensor = session_.graph_.tensor("loss:0");
  std::vector<const Tensor*> values(feeds.begin(), feeds.end());
  const auto fed = std::find(request.feeds.begin(), request.feeds.end(), tensor);
  if (fed != request.feeds.end()) {
    values[static_cast<std::size_t>(fed - request.feeds.begin())] = &loss;
  } else {
    request.feeds.push_back(tensor);
    values.push_back(&loss);
  }
  if (!plan_with_loss_) {
    plan_with_loss_ = session_.inner_->prepare(session_.graph_.inner(request));
  }
  if (!outputs.with_loss) {
    outputs.with_loss = plan_with_loss_->make_outputs();
  }
  plan_with_loss_->run(values, options, *outputs.with_loss, metadata);
  outputs.take(*outputs.with_loss);
}

void WatchedPlan::run_hooked(std::span<const Tensor* const> feeds, const RunOptions* options,
                             Outputs& outputs, RunMetadata* metadata) {
  World& world = session_.world_;
  ++world.runs;
  world.tick();
  const std::string line = "run " + session_.label_;
  const Json& fault = world.fault("run", world.runs);
  const std::string kind = fault.is_null() ? "" : fault["error"].get<std::string>();
  if (!fault.is_null() && !fault.value("after", false)) {
    world.say(line + " ! " + kind);
    raise(kind);
  }
  try {
    if (const std::optional<Tensor> loss = world.scripted_loss(world.runs)) {
      run_with_loss(*loss, feeds, options, outputs, metadata);
    } else {
      run_inner(feeds, options, outputs, metadata);
    }
  } catch (...) {
    world.say(line + " ! " + kind_of(std::current_exception()));
    throw;
  }
  world.say(fault.is_null() ? line : line + " done ! " + kind);
  if (!fault.is_null()) {
    raise(kind);
  }
}

void WatchedPlan::run_raw(std::span<const Tensor* const> feeds, const RunOptions* options, Outputs& outputs,
                          RunMetadata* metadata) {
  const std::string what = session_.name_of(request_);
  session_.raw(what, [&] {
    const Json& given = session_.world_.override_of(what, session_.label_);
    if (!given.is_null()) {
      const auto names = given["value"].get<std::vector<std::string>>();
      outputs.given = Tensor::strings({static_cast<std::int64_t>(names.size())}, names);
      outputs.values = {outputs.given.view()};
      return " = " + text_of(given["value"]);
    }
    run_inner(feeds, options, outputs, metadata);
    return result_words(what, outputs);
  });
}

std::string WatchedPlan::result_words(const std::string& what, const StepOutputs& outputs) const {
  if (what == "ready" || what == "ready_for_local_init") {
    return " = " + text_of(outputs.values.empty() ? Json::array() : sorted_names(outputs.values.front()));
  }
  if (what != "read_step" && what.rfind("eval ", 0) != 0) {
    return {};
  }
  Json values = Json::array();
  for (const TensorView& value : outputs.values) {
    values.push_back(plain(value));
  }
  const bool one = request_.fetches.size() + request_.targets.size() == 1;
  return " = " + text_of(one ? (values.empty() ? Json() : values.front()) : values);
}

}  // namespace fermata::conformance
