// The pieces that a Scaffold asks for.
#include <utility>

#include "engines/native/graph_impl.h"
#include "engines/native/summaries.h"
#include "fermata/native.h"

namespace fermata::native {
namespace {

enum class Which { kGlobal, kLocal, kAll };

std::vector<Variable*> select(const Graph::Impl& impl, Which which) {
  return which == Which::kAll ? impl.all_variables() : impl.variables_where(which == Which::kLocal);
}

// Looks at the variables when it runs, so that also those count that were added later.
Callable init_body(Which which) {
  return [which](StepOutputs& out) {
    SessionState& state = *StepOutputsAccess::frame(out).state;
    const std::vector<Variable*> variables = select(*state.graph, which);
    for (Variable* variable : variables) {
      variable->reset();
    }
    state.initialized->mark(variables);
  };
}

Callable report_body(Which which) {
  return [which](StepOutputs& out) {
    const SessionState& state = *StepOutputsAccess::frame(out).state;
    std::vector<std::string> names = state.initialized->missing(select(*state.graph, which));
    Shape shape{static_cast<std::int64_t>(names.size())};
    StepOutputsAccess::put_tensor(out, Tensor::strings(std::move(shape), std::move(names)));
  };
}

}  // namespace

Operation Graph::default_init_op() {
  if (!impl_->init) {
    OperationOptions options;
    for (const std::string& name : collection(collections::kSavedModelInitializers)) {
      options.after.push_back(operation(name));
    }
    impl_->init = operation(impl_->free_name("init"), std::move(options), init_body(Which::kGlobal)).node;
    impl_->add_to_collection(collections::kInitOp, impl_->nodes[*impl_->init].name);
  }
  return {this, *impl_->init};
}

Operation Graph::default_local_init_op() {
  if (!impl_->local_init) {
    impl_->local_init = operation(impl_->free_name("local_init"), {}, init_body(Which::kLocal)).node;
    impl_->add_to_collection(collections::kLocalInitOp, impl_->nodes[*impl_->local_init].name);
  }
  return {this, *impl_->local_init};
}

Output Graph::default_ready_op() {
  if (!impl_->ready) {
    const Output ready = add_value(impl_->free_name("report_uninitialized_variables"), {},
                                   {DType::kString, Shape{-1}}, report_body(Which::kAll));
    impl_->ready = ready.node;
    impl_->add_to_collection(collections::kReadyOp, ready.name());
  }
  return {this, *impl_->ready, 0};
}

Output Graph::default_ready_for_local_init_op() {
  if (!impl_->ready_for_local_init) {
    const Output ready = add_value(impl_->free_name("report_uninitialized_global_variables"), {},
                                   {DType::kString, Shape{-1}}, report_body(Which::kGlobal));
    impl_->ready_for_local_init = ready.node;
    impl_->add_to_collection(collections::kReadyForLocalInitOp, ready.name());
  }
  return {this, *impl_->ready_for_local_init, 0};
}

std::optional<Output> Graph::default_summary_op() {
  if (!impl_->merged_summary && !impl_->summaries.empty()) {
    std::vector<Output> summaries;
    for (const std::size_t id : impl_->summaries) {
      summaries.push_back({this, id, 0});
    }
    const Output merged = add_value(impl_->free_name("merged_summary"), std::move(summaries),
                                    {DType::kString, Shape{}}, merged_summary_body());
    impl_->merged_summary = merged.node;
    impl_->add_to_collection(collections::kSummaryOp, merged.name());
  }
  if (!impl_->merged_summary) {
    return std::nullopt;
  }
  return Output{this, *impl_->merged_summary, 0};
}

SaverDef Graph::add_saver(const std::map<std::string, std::string>& names) {
  require_saver_names(names);
  SaverDef saver;
  for (const auto& [key, variable] : names) {
    saver.keys.push_back(key);
    saver.variables.push_back(variable);
  }
  return saver;
}

std::optional<SaverDef> Graph::default_saver() {
  if (impl_->variables_where(false).empty()) {
    return std::nullopt;
  }
  return SaverDef{};
}

}  // namespace fermata::native
