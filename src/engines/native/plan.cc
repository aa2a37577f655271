#include "engines/native/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <span>
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

[[noreturn]] void fail_unset(const CallFrame& frame) {
  std::size_t output = 0;
  while (frame.outputs[output] == nullptr || frame.outputs[output]->filled()) {
    ++output;
  }
  throw Error(Code::kFailedPrecondition,
              fmt::format("output '{}' of '{}' is wanted, but its callable did not set it",
                          frame.node->output_names[output], frame.node->name),
              ErrorSource::kEngine);
}

bool is_step(const PlanLayout::Action& action) { return !action.is_read && action.node->increment; }

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

// One action, with all that it needs in one place.
struct Plan::Call {
  const PlanLayout::Action* action;
  const Node* node;
  const CallFrame* frame;
  native::StepOutputs out;
  // Of a read: where to. Of a call: what it must set.
  Slot* read_into;
  Slot* const* wanted;
  Slot* const* wanted_end;
  // Of a step: the counter, unless the graph has none.
  StepVariable* counter;
  Step increment;
  bool initializes;
};

// All that a run writes to, with everything that refers to something already in place.
struct Plan::Outputs : public fermata::StepOutputs {
  Outputs(const PlanLayout& of, SessionState& state)
      : layout(&of), slots(of.num_slots), fed(of.feeds.size()) {
    show_fetches();
    for (const std::uint32_t slot : of.inputs) {
      inputs.push_back(&slots[slot].view());
    }
    for (const std::uint32_t slot : of.outputs) {
      outputs.push_back(slot == PlanLayout::kNoSlot ? nullptr : &slots[slot]);
    }
    for (const PlanLayout::Fixed& fixed : of.fixed) {
      slots[fixed.slot].refer(fixed.value);
    }
    wanted.reserve(outputs.size());
    frames.reserve(of.actions.size());
    for (const PlanLayout::Action& action : of.actions) {
      add_call(action, state);
    }
  }

  // A value stands where it is fetched; for what is fetched again it is copied there after a run.
  void show_fetches() {
    values.resize(layout->fetches.size());
    std::vector<bool> shown(slots.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t slot = layout->fetches[i];
      if (shown[slot]) {
        again.push_back({i, slot});
      } else {
        slots[slot].show_at(values[i]);
        shown[slot] = true;
      }
    }
  }

  void add_call(const PlanLayout::Action& action, SessionState& state) {
    const Node& node = *action.node;
    const std::size_t num_inputs = action.is_read ? 0 : node.inputs.size();
    const std::size_t num_outputs = action.is_read ? 0 : node.outputs.size();
    const std::span own = std::span(outputs).subspan(action.outputs, num_outputs);
    const Inputs given({inputs.data() + action.inputs, num_inputs}, state.session);
    const std::size_t before = wanted.size();
    std::copy_if(own.begin(), own.end(), std::back_inserter(wanted),
                 [](const Slot* slot) { return slot != nullptr; });
    const CallFrame& frame = frames.emplace_back(CallFrame{&node, own.data(), given, &state});
    calls.push_back({.action = &action,
                     .node = &node,
                     .frame = &frame,
                     .out = StepOutputsAccess::make(frame),
                     .read_into = action.is_read ? &slots[action.slot] : nullptr,
                     .wanted = wanted.data() + before,
                     .wanted_end = wanted.data() + wanted.size(),
                     .counter = is_step(action) ? state.graph->step : nullptr,
                     .increment = node.increment.value_or(0),
                     .initializes = !node.initializes.empty()});
  }

  const PlanLayout* layout;
  std::vector<Slot> slots;
  std::vector<const TensorView*> inputs;
  std::vector<Slot*> outputs;
  std::vector<Slot*> wanted;  // those that are there, call by call
  std::vector<CallFrame> frames;
  std::vector<Call> calls;
  struct Again {
    std::size_t place;
    std::uint32_t slot;
  };
  std::vector<Again> again;
  // Keeps what was fed and fetched, for those who look at the results.
  std::vector<Tensor> fed;
};

Plan::Plan(PlanLayout layout, std::shared_ptr<SessionState> state)
    : layout_(std::move(layout)),
      state_(std::move(state)),
      takes_feeds_(!layout_.feeds.empty() || layout_.unfed != nullptr),
      gives_step_(layout_.step.has_value()),
      counts_(state_->graph->step != nullptr &&
              std::any_of(layout_.actions.begin(), layout_.actions.end(),
                          [](const PlanLayout::Action& action) { return is_step(action); })) {}

std::unique_ptr<fermata::StepOutputs> Plan::make_outputs() const {
  return std::make_unique<Outputs>(layout_, *state_);
}

void Plan::act(Call& call, Outputs& outputs) const {
  if (call.read_into != nullptr) {
    call.node->variable->read(*call.read_into);
    return;
  }
  for (Slot* const* slot = call.wanted; slot != call.wanted_end; ++slot) {
    (*slot)->expect();
  }
  call.node->body(call.out);
  for (Slot* const* slot = call.wanted; slot != call.wanted_end; ++slot) {
    if (!(*slot)->filled()) [[unlikely]] {
      fail_unset(*call.frame);
    }
  }
  if (call.initializes) [[unlikely]] {
    state_->initialized->mark(call.node->initializes);
  }
  if (call.counter != nullptr) {
    outputs.step.emplace(call.counter->advance(call.increment));
  }
}

// Addresses are enough to compare types: nobody outside of this file can make one.
inline Plan::Outputs& Plan::own(fermata::StepOutputs& outputs) const {
  if (&typeid(outputs) == &typeid(Outputs)) {
    if (auto& own = static_cast<Outputs&>(outputs); own.layout == &layout_) {
      return own;
    }
  }
  throw Error(Code::kInvalidArgument, "a plan was run into the outputs of another; use its own make_outputs");
}

// The way of nearly every step.
inline void Plan::run_plain(Outputs& outputs) const {
  Call* call = outputs.calls.data();
  Call* const end = call + outputs.calls.size();
  if (call == end) {
    return;
  }
  act(*call, outputs);
  while (++call != end) {
    state_->require_open();
    act(*call, outputs);
  }
}

void Plan::run(std::span<const Tensor* const> feeds, const RunOptions* options, fermata::StepOutputs& outputs,
               RunMetadata* metadata) {
  Outputs& out = own(outputs);
  state_->require_open();
  if (takes_feeds_ || !feeds.empty()) {
    take_feeds(feeds, out);
  }
  if (options == nullptr && metadata == nullptr && initialized_.load(std::memory_order_acquire)) [[likely]] {
    run_plain(out);
  } else {
    run_watched(options, out, metadata);
  }
  if (!gives_step_) {
    out.step.reset();
  } else if (!counts_) {
    out.step.emplace(state_->graph->step_value(*layout_.step));
  }
  for (const Outputs::Again& again : out.again) {
    out.values[again.place] = out.slots[again.slot].view();
  }
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

// Looks at the clock, at what is initialised, and notes times, as far as there is a reason to.
void Plan::run_watched(const RunOptions* options, Outputs& outputs, RunMetadata* metadata) {
  const Clock& clock = *state_->graph->clock;
  const Deadline deadline(options, clock);
  const bool initialized = initialized_.load(std::memory_order_acquire);
  std::optional<RunTrace> trace;
  if (metadata != nullptr) {
    metadata->serialized.clear();
    if (options != nullptr && options->trace_level != TraceLevel::kNoTrace) {
      trace.emplace(clock);
    }
  }
  bool first = true;
  for (Call& call : outputs.calls) {
    const PlanLayout::Action& action = *call.action;
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
    act(call, outputs);
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

}  // namespace fermata::native
