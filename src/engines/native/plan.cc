#include "engines/native/plan.h"

#include <fmt/format.h>

#include <chrono>
#include <typeinfo>
#include <utility>

#include "engines/native/run_trace.h"
#include "engines/native/text.h"
#include "fermata/clock.h"
#include "fermata/error.h"

namespace fermata::native {

struct Plan::Outputs : public fermata::StepOutputs {
  explicit Outputs(const PlanLayout& of) : layout(&of), slots(of.num_slots), fed(of.feeds.size()) {
    for (const std::uint32_t slot : of.inputs) {
      inputs.push_back(&slots[slot].view());
    }
    for (const std::uint32_t slot : of.outputs) {
      outputs.push_back(slot == PlanLayout::kNoSlot ? nullptr : &slots[slot]);
    }
    for (const PlanLayout::Fixed& fixed : of.fixed) {
      slots[fixed.slot].refer(fixed.value);
    }
    values.resize(of.fetches.size());
  }

  const PlanLayout* layout;
  std::vector<Slot> slots;
  std::vector<const TensorView*> inputs;
  std::vector<Slot*> outputs;
  // Keeps what was fed and fetched, for those who look at the results.
  std::vector<Tensor> fed;
};

// Does not look at the clock unless there is a limit.
class Plan::Deadline {
 public:
  Deadline(const RunOptions* options, const Clock& clock) : clock_(clock) {
    if (options != nullptr && options->timeout.count() > 0) {
      timeout_ = options->timeout;
      end_ = clock.now() + options->timeout;
    }
  }
  void check(const PlanLayout::Action& next) const {
    if (timeout_.count() > 0 && clock_.now() >= end_) {
      throw Error(Code::kDeadlineExceeded,
                  fmt::format("the run took longer than its timeout of {} ms and was ended before '{}'",
                              timeout_.count(), next.node->name),
                  ErrorSource::kEngine);
    }
  }

 private:
  const Clock& clock_;
  std::chrono::milliseconds timeout_{0};
  Clock::TimePoint end_;
};

Plan::Plan(PlanLayout layout, std::shared_ptr<SessionState> state)
    : layout_(std::move(layout)), state_(std::move(state)) {}

std::unique_ptr<fermata::StepOutputs> Plan::make_outputs() const {
  return std::make_unique<Outputs>(layout_);
}

void Plan::run(std::span<const Tensor* const> feeds, const RunOptions* options, fermata::StepOutputs& outputs,
               RunMetadata* metadata) {
  Outputs& out = own(outputs);
  state_->require_open();
  take_feeds(feeds, out);
  if (metadata != nullptr) {
    metadata->serialized.clear();
  }
  if (metadata != nullptr && options != nullptr && options->trace_level != TraceLevel::kNoTrace) {
    RunTrace trace(*state_->graph->clock);
    out.step = run_actions(options, out, &trace);
    metadata->serialized = trace.serialized();
  } else {
    out.step = run_actions(options, out, nullptr);
  }
  for (std::size_t i = 0; i < layout_.fetches.size(); ++i) {
    out.values[i] = out.slots[layout_.fetches[i]].view();
  }
}

Plan::Outputs& Plan::own(fermata::StepOutputs& outputs) const {
  if (typeid(outputs) == typeid(Outputs)) {
    if (auto& own = static_cast<Outputs&>(outputs); own.layout == &layout_) {
      return own;
    }
  }
  throw Error(Code::kInvalidArgument, "a plan was run into the outputs of another; use its own make_outputs");
}

void Plan::take_feeds(std::span<const Tensor* const> feeds, Outputs& outputs) const {
  if (feeds.size() != layout_.feeds.size()) {
    throw Error(Code::kInvalidArgument, fmt::format("the plan takes {} feeds, but {} were given",
                                                    layout_.feeds.size(), feeds.size()));
  }
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const PlanLayout::Feed& feed = layout_.feeds[i];
    const TensorView& value = feeds[i]->view();
    if (!value.has_value() || !fits(feed.spec, value)) {
      throw Error(Code::kInvalidArgument, fmt::format("the feed of '{}' must be {}, but it is {}", feed.name,
                                                      spec_text(feed.spec), value_text(value)));
    }
    if (feed.fetched) {
      outputs.fed[i] = *feeds[i];
    }
    outputs.slots[feed.slot].refer(value);
  }
  if (layout_.unfed != nullptr) {
    throw Error(Code::kInvalidArgument,
                fmt::format("the run needs the placeholder '{}', which is not fed; feed it {}",
                            layout_.unfed->name, spec_text(layout_.unfed->outputs.front())),
                ErrorSource::kEngine);
  }
}

std::optional<Step> Plan::run_actions(const RunOptions* options, Outputs& outputs, RunTrace* trace) {
  const Deadline deadline(options, *state_->graph->clock);
  const bool initialized = initialized_.load(std::memory_order_acquire);
  std::optional<Step> step;
  bool first = true;
  for (const PlanLayout::Action& action : layout_.actions) {
    if (!first) {
      state_->require_open();
      deadline.check(action);
    }
    first = false;
    if (!initialized) {
      require_initialized(action);
    }
    if (trace != nullptr && !action.is_read) {
      trace->begin();
    }
    run_action(action, outputs);
    if (trace != nullptr && !action.is_read) {
      trace->end(action.node->name);
    }
    if (action.node->increment && state_->graph->step != nullptr) {
      step = state_->graph->step->advance(*action.node->increment);
    }
  }
  if (!initialized) {
    initialized_.store(true, std::memory_order_release);
  }
  if (!layout_.step) {
    return std::nullopt;
  }
  return step ? step : state_->graph->step_value(*layout_.step);
}

void Plan::run_action(const PlanLayout::Action& action, Outputs& outputs) const {
  if (action.is_read) {
    action.node->variable->read(outputs.slots[action.slot]);
  } else {
    call(action, outputs);
  }
}

void Plan::call(const PlanLayout::Action& action, Outputs& outputs) const {
  const Node& node = *action.node;
  Slot* const* slots = outputs.outputs.data() + action.outputs;
  const std::size_t num_outputs = node.outputs.size();
  for (std::size_t i = 0; i < num_outputs; ++i) {
    if (slots[i] != nullptr) {
      slots[i]->expect();
    }
  }
  const CallFrame frame{&node, slots,
                        Inputs({outputs.inputs.data() + action.inputs, node.inputs.size()}, state_->session),
                        state_.get()};
  native::StepOutputs out = StepOutputsAccess::make(frame);
  node.body(out);
  for (std::size_t i = 0; i < num_outputs; ++i) {
    if (slots[i] != nullptr && !slots[i]->filled()) {
      throw Error(Code::kFailedPrecondition,
                  fmt::format("output '{}' of '{}' is wanted, but its callable did not set it",
                              node.output_names[i], node.name),
                  ErrorSource::kEngine);
    }
  }
  if (!node.initializes.empty()) {
    state_->initialized->mark(node.initializes);
  }
}

void Plan::require_initialized(const PlanLayout::Action& action) const {
  if (!action.needs.empty()) {
    state_->initialized->require(
        action.needs,
        fmt::format("{} '{}'", action.is_read ? "a read of" : action.node->type, action.node->name));
  }
}

}  // namespace fermata::native
