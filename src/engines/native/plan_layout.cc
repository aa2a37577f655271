#include "engines/native/plan_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "fermata/error.h"

namespace fermata::native {
namespace {

// Why a value has a slot: a variable that is fetched is copied at one moment, and read anew by each callable.
enum class Use { kInput, kFetch };

class LayoutBuilder {
 public:
  LayoutBuilder(const Graph& graph, const Graph::Impl& impl, const PlanRequest& request)
      : graph_(graph), impl_(impl), request_(request) {}

  PlanLayout build() {
    check();
    add_feeds();
    find_needed();
    find_late();
    add_fetched_reads();
    add_calls(false);
    layout_.actions.insert(layout_.actions.end(), reads_.begin(), reads_.end());
    add_calls(true);
    add_fetches();
    layout_.num_slots = num_slots_;
    return std::move(layout_);
  }

 private:
  using SlotKey = std::tuple<std::uintptr_t, std::int32_t, Use>;

  void check() {
    for (const Output& output : request_.fetches) {
      impl_.require_own(graph_, output);
    }
    for (const Operation& target : request_.targets) {
      impl_.require_own(graph_, target);
    }
    if (request_.read_step) {
      layout_.step = impl_.find_step();
      if (!layout_.step) {
        throw Misuse("the step of a run was asked for, but the graph has no global step");
      }
    }
  }

  void add_feeds() {
    for (const Output& output : request_.feeds) {
      impl_.require_own(graph_, output);
      if (is_fed(output)) {
        throw Error(Code::kInvalidArgument,
                    fmt::format("tensor '{}' is fed twice in one run", output.name()));
      }
      const auto index = static_cast<std::size_t>(output.index);
      PlanLayout::Feed feed{new_slot(), impl_.node(output.node).outputs[index], output.name(), false};
      feed.fetched =
          std::find(request_.fetches.begin(), request_.fetches.end(), output) != request_.fetches.end();
      slots_[{output.node, output.index, Use::kInput}] = feed.slot;
      slots_[{output.node, output.index, Use::kFetch}] = feed.slot;
      fed_.insert({output.node, output.index});
      layout_.feeds.push_back(std::move(feed));
    }
  }

  // What the targets and fetches need, with whatever these need. A set is in the order of adding.
  void find_needed() {
    std::vector<std::size_t> open;
    for (const Operation& target : request_.targets) {
      open.push_back(target.node);
    }
    for (const Output& output : request_.fetches) {
      need(output, open);
    }
    while (!open.empty()) {
      const std::size_t id = open.back();
      open.pop_back();
      if (!needed_.insert(id).second) {
        continue;
      }
      const Node& node = impl_.nodes[id];
      open.insert(open.end(), node.after.begin(), node.after.end());
      for (const Output& input : node.inputs) {
        need(input, open);
      }
    }
    for (const std::size_t id : needed_) {
      const Node& node = impl_.nodes[id];
      if (node.is_placeholder && !node.constant.has_value() && !is_fed({&graph_, id, 0})) {
        layout_.unfed = &node;
        break;
      }
    }
  }

  void need(const Output& output, std::vector<std::size_t>& open) const {
    if (!is_fed(output)) {
      open.push_back(output.node);
    }
  }

  // Steps come last, and with them what uses their outputs. What a node refers to was added before it.
  void find_late() {
    for (const std::size_t id : needed_) {
      const Node& node = impl_.nodes[id];
      const bool late = node.increment ||
                        std::any_of(node.after.begin(), node.after.end(),
                                    [&](std::size_t n) { return late_.contains(n); }) ||
                        std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Output& input) {
                          return !is_fed(input) && late_.contains(input.node);
                        });
      if (late) {
        late_.insert(id);
      }
    }
  }

  void add_fetched_reads() {
    for (const Output& output : request_.fetches) {
      const Node& node = impl_.nodes[output.node];
      const SlotKey key{output.node, output.index, Use::kFetch};
      if (node.variable != nullptr && !slots_.contains(key)) {
        slots_[key] = new_slot();
        reads_.push_back(read(node, slots_[key]));
      }
    }
  }

  static PlanLayout::Action read(const Node& node, std::uint32_t slot) {
    PlanLayout::Action action;
    action.node = &node;
    action.is_read = true;
    action.slot = slot;
    action.needs = {node.variable};
    return action;
  }

  void add_calls(bool late) {
    for (const std::size_t id : needed_) {
      if (impl_.nodes[id].body && late_.contains(id) == late) {
        add_call(id);
      }
    }
  }

  void add_call(std::size_t id) {
    const Node& node = impl_.nodes[id];
    PlanLayout::Action call;
    call.node = &node;
    if (node.increment) {
      call.needs = impl_.all_variables();
    }
    std::vector<std::uint32_t> inputs;
    for (const Output& input : node.inputs) {
      inputs.push_back(input_slot(input, call.needs));
    }
    call.inputs = static_cast<std::uint32_t>(layout_.inputs.size());
    layout_.inputs.insert(layout_.inputs.end(), inputs.begin(), inputs.end());
    call.outputs = static_cast<std::uint32_t>(layout_.outputs.size());
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      layout_.outputs.push_back(output_slot(id, static_cast<std::int32_t>(i)));
    }
    layout_.actions.push_back(std::move(call));
  }

  std::uint32_t input_slot(const Output& input, std::vector<Variable*>& needs) {
    const Node& node = impl_.nodes[input.node];
    if (node.variable == nullptr || is_fed(input)) {
      return value_slot(input);
    }
    if (std::find(needs.begin(), needs.end(), node.variable) == needs.end()) {
      needs.push_back(node.variable);
    }
    const auto [place, is_new] = slots_.try_emplace({input.node, input.index, Use::kInput}, 0);
    if (is_new) {
      place->second = new_slot();
      if (const std::optional<TensorView> memory = node.variable->in_place()) {
        layout_.fixed.push_back({place->second, *memory});
      }
    }
    if (!node.variable->in_place()) {
      layout_.actions.push_back(read(node, place->second));
    }
    return place->second;
  }

  // Of what is not a variable, or is fed: the same for all uses.
  std::uint32_t value_slot(const Output& output) {
    const auto [place, is_new] = slots_.try_emplace({output.node, output.index, Use::kInput}, 0);
    if (is_new) {
      place->second = new_slot();
      if (const Node& node = impl_.nodes[output.node]; node.constant.has_value()) {
        layout_.fixed.push_back({place->second, node.constant.view()});
      }
    }
    return place->second;
  }

  // A value that is fed may be computed all the same, since another output of its operation is wanted.
  std::uint32_t output_slot(std::size_t id, std::int32_t index) {
    const Output output{&graph_, id, index};
    if (is_fed(output) || !is_wanted(output)) {
      return PlanLayout::kNoSlot;
    }
    return value_slot(output);
  }

  [[nodiscard]] bool is_wanted(const Output& output) const {
    if (std::find(request_.fetches.begin(), request_.fetches.end(), output) != request_.fetches.end()) {
      return true;
    }
    return std::any_of(needed_.begin(), needed_.end(), [&](std::size_t id) {
      const std::vector<Output>& inputs = impl_.nodes[id].inputs;
      return std::find(inputs.begin(), inputs.end(), output) != inputs.end();
    });
  }

  void add_fetches() {
    for (const Output& output : request_.fetches) {
      const bool is_variable = impl_.nodes[output.node].variable != nullptr;
      layout_.fetches.push_back(is_variable ? slots_.at({output.node, output.index, Use::kFetch})
                                            : value_slot(output));
    }
  }

  [[nodiscard]] bool is_fed(const Output& output) const { return fed_.contains({output.node, output.index}); }
  std::uint32_t new_slot() { return num_slots_++; }

  const Graph& graph_;
  const Graph::Impl& impl_;
  const PlanRequest& request_;
  PlanLayout layout_;
  std::set<std::pair<std::uintptr_t, std::int32_t>> fed_;
  std::map<SlotKey, std::uint32_t> slots_;
  std::set<std::size_t> needed_;
  std::set<std::size_t> late_;
  std::vector<PlanLayout::Action> reads_;
  std::uint32_t num_slots_ = 0;
};

}  // namespace

PlanLayout build_layout(const Graph& graph, const Graph::Impl& impl, const PlanRequest& request) {
  return LayoutBuilder(graph, impl, request).build();
}

}  // namespace fermata::native
