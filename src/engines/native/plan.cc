#include "engines/native/plan.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <typeinfo>
#include <utility>
#include <vector>

#include "engines/native/run_trace.h"
#include "engines/native/slot.h"
#include "engines/native/text.h"
#include "fermata/clock.h"
#include "fermata/error.h"

namespace fermata::native {
namespace {

// When a run must not call anything any more. Does not look at the clock unless there is a limit.
class Deadline {
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

bool is_plain(const RunOptions* options) noexcept {
  return options == nullptr ||
         (options->timeout.count() <= 0 && options->trace_level == TraceLevel::kNoTrace);
}

[[noreturn]] void fail_unset(const Node& node, std::size_t output) {
  throw Error(Code::kFailedPrecondition,
              fmt::format("output '{}' of '{}' is wanted, but its callable did not set it",
                          node.output_names[output], node.name),
              ErrorSource::kEngine);
}

// As TensorFlow labels its nodes: the first output of an operation has the operation's name.
std::string label_of(const Node& node) {
  std::string inputs;
  for (const Output& input : node.inputs) {
    std::string name = input.name();
    if (input.index == 0) {
      name.resize(name.rfind(':'));
    }
    inputs += (inputs.empty() ? "" : ", ") + name;
  }
  return fmt::format("{} = {}({})", node.name, node.type, inputs);
}

}  // namespace

// All that a run writes to, with everything that refers to something already in place.
struct Plan::Outputs : public fermata::StepOutputs {
  Outputs(const PlanLayout& of, SessionState& state)
      : layout(&of), slots(of.num_slots), fed(of.feeds.size()) {
    for (const std::uint32_t slot : of.inputs) {
      inputs.push_back(&slots[slot].view());
    }
    for (const std::uint32_t slot : of.outputs) {
      outputs.push_back(slot == PlanLayout::kNoSlot ? nullptr : &slots[slot]);
    }
    for (const PlanLayout::Fixed& fixed : of.fixed) {
      slots[fixed.slot].refer(fixed.value);
    }
    for (const PlanLayout::Action& action : of.actions) {
      const std::size_t num_inputs = action.is_read ? 0 : action.node->inputs.size();
      const Inputs given({inputs.data() + action.inputs, num_inputs}, state.session);
      frames.push_back({action.node, outputs.data() + action.outputs, given, &state});
    }
    values.resize(of.fetches.size());
  }

  const PlanLayout* layout;
  std::vector<Slot> slots;
  std::vector<const TensorView*> inputs;
  std::vector<Slot*> outputs;
  std::vector<CallFrame> frames;  // of each action; unused for reads
  // Keeps what was fed and fetched, for those who look at the results.
  std::vector<Tensor> fed;
  // The step after the last step of this run.
  Step counted = 0;
  bool has_counted = false;
};

Plan::Plan(PlanLayout layout, std::shared_ptr<SessionState> state)
    : layout_(std::move(layout)), state_(std::move(state)), counter_(state_->graph->step) {}

std::unique_ptr<fermata::StepOutputs> Plan::make_outputs() const {
  return std::make_unique<Outputs>(layout_, *state_);
}

void Plan::act(const PlanLayout::Action& action, Outputs& outputs) const {
  if (action.is_read) {
    action.node->variable->read(outputs.slots[action.slot]);
    return;
  }
  call(action, outputs);
  if (action.node->increment && counter_ != nullptr) {
    outputs.counted = counter_->advance(*action.node->increment);
    outputs.has_counted = true;
  }
}

void Plan::call(const PlanLayout::Action& action, Outputs& outputs) const {
  const CallFrame& frame = outputs.frames[static_cast<std::size_t>(&action - layout_.actions.data())];
  const Node& node = *frame.node;
  const std::size_t num_outputs = node.outputs.size();
  for (std::size_t i = 0; i < num_outputs; ++i) {
    if (frame.outputs[i] != nullptr) {
      frame.outputs[i]->expect();
    }
  }
  native::StepOutputs out = StepOutputsAccess::make(frame);
  node.body(out);
  for (std::size_t i = 0; i < num_outputs; ++i) {
    if (frame.outputs[i] != nullptr && !frame.outputs[i]->filled()) {
      fail_unset(node, i);
    }
  }
  if (!node.initializes.empty()) {
    state_->initialized->mark(node.initializes);
  }
}

void Plan::run(std::span<const Tensor* const> feeds, const RunOptions* options, fermata::StepOutputs& outputs,
               RunMetadata* metadata) {
  Outputs& out = own(outputs);
  state_->require_open();
  if (feeds.size() + layout_.feeds.size() != 0 || layout_.unfed != nullptr) {
    take_feeds(feeds, out);
  }
  if (metadata != nullptr) {
    metadata->serialized.clear();
  }
  out.has_counted = false;
  if (is_plain(options) && initialized_.load(std::memory_order_acquire)) {
    run_plain(out);
  } else {
    run_watched(options, out, metadata);
  }
  if (layout_.step) {
    read_step(out);
  }
  for (std::size_t i = 0; i < layout_.fetches.size(); ++i) {
    out.values[i] = out.slots[layout_.fetches[i]].view();
  }
}

// Addresses are enough to compare types: nobody outside of this file can make one.
Plan::Outputs& Plan::own(fermata::StepOutputs& outputs) const {
  if (&typeid(outputs) == &typeid(Outputs)) {
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

// The way of nearly every step.
void Plan::run_plain(Outputs& outputs) const {
  bool first = true;
  for (const PlanLayout::Action& action : layout_.actions) {
    if (!first) {
      state_->require_open();
    }
    first = false;
    act(action, outputs);
  }
}

// Looks at the clock, at what is initialised, and notes times, as far as there is a reason to.
void Plan::run_watched(const RunOptions* options, Outputs& outputs, RunMetadata* metadata) {
  const Clock& clock = *state_->graph->clock;
  const Deadline deadline(options, clock);
  const bool initialized = initialized_.load(std::memory_order_acquire);
  std::optional<RunTrace> trace;
  if (metadata != nullptr && options != nullptr && options->trace_level != TraceLevel::kNoTrace) {
    trace.emplace(clock);
  }
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
    if (trace) {
      trace->begin();
    }
    act(action, outputs);
    if (trace && !action.is_read) {
      trace->end(action.node->name, label_of(*action.node));
    }
  }
  initialized_.store(true, std::memory_order_release);
  if (trace) {
    metadata->serialized = trace->serialized();
  }
}

void Plan::require_initialized(const PlanLayout::Action& action) const {
  if (!action.needs.empty()) {
    state_->initialized->require(
        action.needs,
        fmt::format("{} '{}'", action.is_read ? "a read of" : action.node->type, action.node->name));
  }
}

// The number is put into the optional as such: copying one optional right after it was written in two parts
// makes the processor wait.
void Plan::read_step(Outputs& outputs) const {
  outputs.step.emplace(outputs.has_counted ? outputs.counted : state_->graph->step_value(*layout_.step));
}

}  // namespace fermata::native
