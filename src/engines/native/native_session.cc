#include "engines/native/native_session.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "core/log_made.h"
#include "engines/native/plan.h"
#include "engines/native/plan_layout.h"
#include "engines/native/variable_files.h"
#include "fermata/error.h"

namespace fermata::native {
namespace {

// Sessions of one target share what is initialised.
std::shared_ptr<Initialized> marks_of(Graph::Impl& impl, const std::string& target) {
  if (target.empty()) {
    return std::make_shared<Initialized>();
  }
  const std::lock_guard lock(impl.targets_mutex);
  std::shared_ptr<Initialized>& shared = impl.targets[target];
  if (!shared) {
    shared = std::make_shared<Initialized>();
  }
  return shared;
}

}  // namespace

NativeSession::NativeSession(Graph& graph, std::shared_ptr<Graph::Impl> impl, const SessionConfig& config)
    : graph_(graph), state_(std::make_shared<SessionState>()) {
  state_->initialized = marks_of(*impl, config.target);
  state_->graph = std::move(impl);
  state_->session = this;
}

NativeSession::~NativeSession() {
  try {
    close();
  } catch (...) {
    log_made(LogLevel::kError,
             [] { return "closing a session failed: " + describe(std::current_exception()); });
  }
}

fermata::Graph& NativeSession::graph() const { return graph_; }

std::unique_ptr<StepPlan> NativeSession::prepare(const PlanRequest& request) {
  if (closed()) {
    throw Misuse("a request was prepared on a session that is closed");
  }
  return std::make_unique<Plan>(build_layout(graph_, *state_->graph, request), state_);
}

void NativeSession::close() {
  if (state_->closed.exchange(true)) {
    return;
  }
  std::exception_ptr first;
  for (const auto& function : state_->graph->close_functions) {
    try {
      function(*this);
    } catch (...) {
      first = first ? first : std::current_exception();
    }
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

bool NativeSession::closed() const noexcept { return state_->closed.load(std::memory_order_acquire); }

Step NativeSession::read_step() {
  const std::optional<std::size_t> step = state_->graph->find_step();
  if (!step) {
    throw Misuse("the step of a session was read, but its graph has no global step");
  }
  state_->require_open();
  if (Variable* variable = state_->graph->nodes[*step].variable) {
    state_->initialized->require({&variable, 1}, "reading the step");
  }
  return state_->graph->step_value(*step);
}

void NativeSession::save_variables(const SaverDef& saver, const std::string& prefix) {
  state_->require_open();
  const std::vector<Variable*> variables = variables_of_saver(*state_->graph, saver);
  state_->initialized->require(variables, fmt::format("saving '{}'", prefix));
  write_variables(variables, keys_of(variables, saver), prefix);
}

VariableCapture NativeSession::capture_variables(const SaverDef& saver, std::uint64_t most_bytes) {
  state_->require_open();
  const std::vector<Variable*> variables = variables_of_saver(*state_->graph, saver);
  state_->initialized->require(variables, "capturing for a checkpoint");
  return capture(variables, keys_of(variables, saver), most_bytes, capture_memory_);
}

void NativeSession::restore_variables(const SaverDef& saver, const std::string& prefix) {
  state_->require_open();
  const std::vector<Variable*> variables = variables_of_saver(*state_->graph, saver);
  read_variables(variables, keys_of(variables, saver), prefix);
  state_->initialized->mark(variables);
}

std::vector<std::string> NativeSession::restore_available(const SaverDef& saver, const std::string& prefix) {
  state_->require_open();
  std::vector<std::string> absent;
  const std::vector<Variable*> variables = variables_of_saver(*state_->graph, saver);
  state_->initialized->mark(read_available_variables(variables, keys_of(variables, saver), prefix, absent));
  return absent;
}

}  // namespace fermata::native
