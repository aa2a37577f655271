#include "engines/tensorflow_graph/graph_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "fermata/error.h"
#include "wire/session_protos.h"

namespace fermata::tensorflow {
namespace {

using Clock = std::chrono::steady_clock;

std::string options_for(Executor executor) {
  wire::RunOptionFields fields;
  if (executor == Executor::kCaller) {
    fields.inter_op_thread_pool = -1;
  }
  return wire::merge_run_options({}, fields);
}

std::string serialize(const RunOptions& options, Executor executor) {
  wire::RunOptionFields fields;
  fields.trace_level = static_cast<int>(options.trace_level);
  fields.timeout = options.timeout;
  fields.inter_op_thread_pool = options.inter_op_thread_pool;
  if (!fields.inter_op_thread_pool && options.serialized.empty() && executor == Executor::kCaller) {
    fields.inter_op_thread_pool = -1;
  }
  fields.output_partition_graphs = options.output_partition_graphs;
  fields.report_tensor_allocations_upon_oom = options.report_tensor_allocations_upon_oom;
  fields.reset_disk_byte_usage = options.reset_disk_byte_usage;
  fields.debug_tensor_watches = options.debug_tensor_watches;
  return wire::merge_run_options(options.serialized, fields);
}

bool fits(const std::optional<Shape>& wanted, std::span<const std::int64_t> given) {
  return !wanted || std::ranges::equal(*wanted, given, [](std::int64_t want, std::int64_t size) {
    return want < 0 || want == size;
  });
}

[[noreturn]] void refuse(const PlanLayout::Feed& feed, const Tensor* value) {
  const std::string wanted = fmt::format("{}{}", dtype_name(feed.spec.dtype),
                                         feed.spec.shape ? " of shape " + shape_text(*feed.spec.shape) : "");
  if (value == nullptr || !value->has_value()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("'{}' is fed and takes {}, but its feed has no value; set it before the run",
                            feed.name, wanted));
  }
  throw Error(Code::kInvalidArgument,
              fmt::format("'{}' takes {}, but was fed {} of shape {}; feed what the graph declares",
                          feed.name, wanted, dtype_name(value->dtype()), shape_text(value->shape())));
}

void require_fitting(const PlanLayout::Feed& feed, const Tensor* value) {
  if (value == nullptr || value->dtype() != feed.spec.dtype || !fits(feed.spec.shape, value->shape())) {
    refuse(feed, value);
  }
}

}  // namespace

// Outlives the plan if outputs do.
struct GraphPlan::Shared {
  Shared(std::shared_ptr<SessionCore> core, PlanLayout plan_layout)
      : session(std::move(core)), layout(std::move(plan_layout)) {
    for (const Tensor& value : layout.fixed_values) {
      fixed.emplace_back(session->api(), value);
    }
    runs_engine = !layout.request.fetches.empty() || !layout.request.targets.empty();
    if (layout.step_from == PlanLayout::StepFrom::kOwnRun) {
      step_plan = std::make_unique<EnginePlan>(
          session,
          EngineRequest{.fetches = {layout.step_read}, .run_options = options_for(Executor::kCaller)});
    }
  }

  // One for the caller's thread, one for the others; made when it is first needed.
  EnginePlan& plan_for(Executor executor) {
    const std::size_t place = executor == Executor::kCaller ? 1 : 0;
    if (EnginePlan* const ready = plans_ready[place].load(std::memory_order_acquire)) {
      return *ready;
    }
    const std::lock_guard lock(session->prepare_mutex);
    if (!plans[place]) {
      EngineRequest request = layout.request;
      request.run_options = options_for(executor);
      plans[place] = std::make_unique<EnginePlan>(session, request);
      plans_ready[place].store(plans[place].get(), std::memory_order_release);
    }
    return *plans[place];
  }

  const std::shared_ptr<SessionCore> session;
  const PlanLayout layout;
  std::vector<FedTensor> fixed;
  bool runs_engine = false;
  std::array<std::unique_ptr<EnginePlan>, 2> plans;
  std::array<std::atomic<EnginePlan*>, 2> plans_ready{};
  std::unique_ptr<EnginePlan> step_plan;
};

struct GraphPlan::Outputs final : StepOutputs {
  explicit Outputs(std::shared_ptr<Shared> plan)
      : shared(std::move(plan)),
        fed(shared->layout.feeds.size()),
        handles(fed.size() + shared->fixed.size()) {
    values.resize(shared->layout.sources.size());
    for (std::size_t i = 0; i < shared->fixed.size(); ++i) {
      handles[fed.size() + i] = shared->fixed[i].handle();
    }
    if (shared->step_plan) {
      step_outputs = shared->step_plan->make_outputs();
    }
  }

  // Checks and wraps what is fed; a value that was fed the last time is wrapped already.
  void feed(std::span<const Tensor* const> given) {
    const PlanLayout& layout = shared->layout;
    if (given.size() != layout.feeds.size()) {
      throw Error(Code::kInvalidArgument, fmt::format("the plan takes {} feeds, but was given {}",
                                                      layout.feeds.size(), given.size()));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] != nullptr && fed[i].holds(*given[i])) {
        continue;
      }
      require_fitting(layout.feeds[i], given[i]);
      fed[i] = FedTensor(shared->session->api(), *given[i]);
      handles[i] = fed[i].handle();
    }
  }

  EngineOutputs& outputs_for(Executor executor) {
    std::unique_ptr<EngineOutputs>& outputs = engine[executor == Executor::kCaller ? 1 : 0];
    if (!outputs) {
      outputs = shared->plan_for(executor).make_outputs();
    }
    return *outputs;
  }

  // `results`: null if everything fetched is fed, so that the engine had nothing to do.
  void show(const EngineOutputs* results) {
    const PlanLayout& layout = shared->layout;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int32_t source = layout.sources[i];
      if (source < 0) {
        values[i] = fed[static_cast<std::size_t>(-1 - source)].value().view();
      } else if (results != nullptr) {
        values[i] = results->view(static_cast<std::size_t>(source));
      }
    }
  }

  // Options are as a rule the same from run to run.
  const std::string& serialized(const RunOptions& options, Executor executor) {
    if (!last_options || last_executor != executor || *last_options != options) {
      last_options = options;
      last_executor = executor;
      last_serialized = serialize(options, executor);
    }
    return last_serialized;
  }

  std::shared_ptr<Shared> shared;
  std::vector<FedTensor> fed;
  std::vector<void*> handles;
  std::array<std::unique_ptr<EngineOutputs>, 2> engine;
  std::unique_ptr<EngineOutputs> step_outputs;
  std::size_t executor_used = 0;
  std::optional<RunOptions> last_options;
  Executor last_executor = Executor::kAuto;
  std::string last_serialized;
};

GraphPlan::GraphPlan(std::shared_ptr<SessionCore> session, PlanLayout layout)
    : shared_(std::make_shared<Shared>(std::move(session), std::move(layout))) {
  if (shared_->runs_engine) {
    const Executor chosen = shared_->session->executor().chosen();
    static_cast<void>(shared_->plan_for(chosen == Executor::kAuto ? Executor::kCaller : chosen));
  }
}

std::unique_ptr<StepOutputs> GraphPlan::make_outputs() const { return std::make_unique<Outputs>(shared_); }

// Only steps are measured: other runs are of another kind and few.
Executor GraphPlan::executor_for_run() {
  ExecutorChoice& choice = shared_->session->executor();
  const Executor chosen = choice.chosen();
  if (chosen != Executor::kAuto) {
    return chosen;
  }
  return shared_->layout.is_measured ? choice.next() : Executor::kCaller;
}

void GraphPlan::run(std::span<const Tensor* const> feeds, const RunOptions* options,
                    StepOutputs& step_outputs, RunMetadata* metadata) {
  auto& outputs = static_cast<Outputs&>(step_outputs);
  SessionCore& session = *shared_->session;
  const SessionCore::Run under_way(session);
  outputs.feed(feeds);
  if (shared_->runs_engine) {
    const Executor executor = executor_for_run();
    const bool measures = shared_->layout.is_measured && session.executor().chosen() == Executor::kAuto;
    const Clock::time_point start = measures ? Clock::now() : Clock::time_point();
    run_with(executor, options, outputs, metadata);
    if (measures) {
      session.executor().measured(executor, Clock::now() - start);
    }
  } else {
    outputs.show(nullptr);
  }
  if (shared_->layout.trains) {
    session.counted_steps.fetch_add(1, std::memory_order_relaxed);
  }
  outputs.step = step_after(outputs);
}

void GraphPlan::run_with(Executor executor, const RunOptions* options, Outputs& outputs,
                         RunMetadata* metadata) {
  EngineOutputs& results = outputs.outputs_for(executor);
  RunExtras extras;
  if (options != nullptr) {
    extras.options = &outputs.serialized(*options, executor);
  }
  if (metadata != nullptr) {
    metadata->serialized.clear();
    extras.metadata = &metadata->serialized;
  }
  shared_->plan_for(executor).run(outputs.handles, results, extras);
  outputs.executor_used = executor == Executor::kCaller ? 1 : 0;
  outputs.show(&results);
}

std::optional<Step> GraphPlan::step_after(Outputs& outputs) const {
  const PlanLayout& layout = shared_->layout;
  switch (layout.step_from) {
    case PlanLayout::StepFrom::kNowhere:
      return std::nullopt;
    case PlanLayout::StepFrom::kFetch:
      return step_in(outputs.engine[outputs.executor_used]->view(layout.step_fetch));
    case PlanLayout::StepFrom::kCount:
      return shared_->session->counted_steps.load(std::memory_order_relaxed);
    case PlanLayout::StepFrom::kOwnRun:
      shared_->step_plan->run({}, *outputs.step_outputs);
      return step_in(outputs.step_outputs->view(0));
  }
  return std::nullopt;
}

}  // namespace fermata::tensorflow
