#include "fermata/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "fermata/error.h"

namespace fermata {
namespace {

// Plans of runs outside of the loop that are kept; the one used longest ago makes room.
constexpr std::size_t kKeptPlans = 32;

Output resolve_tensor(const Graph& graph, const Fetch& fetch) {
  if (const auto* output = std::get_if<Output>(&fetch.what())) {
    if (output->graph != &graph) {
      throw Error(Code::kInvalidArgument,
                  fmt::format("tensor '{}' belongs to another graph than the session", output->name()));
    }
    return *output;
  }
  if (const auto* name = std::get_if<std::string>(&fetch.what())) {
    return graph.tensor(*name);
  }
  throw Error(Code::kInvalidArgument,
              fmt::format("'{}' is an operation, but only tensors can be fed", fetch.name()));
}

Operation resolve_operation(const Graph& graph, const Operation& operation) {
  if (operation.graph != &graph) {
    throw Error(Code::kInvalidArgument,
                fmt::format("operation '{}' belongs to another graph than the session", operation.name()));
  }
  return operation;
}

bool names_operation(const Fetch& fetch) {
  const auto* name = std::get_if<std::string>(&fetch.what());
  return name != nullptr && name->find(':') == std::string::npos;
}

std::int32_t place_of(std::vector<Output>& fetches, const Output& output) {
  const auto found = std::find(fetches.begin(), fetches.end(), output);
  if (found != fetches.end()) {
    return static_cast<std::int32_t>(found - fetches.begin());
  }
  fetches.push_back(output);
  return static_cast<std::int32_t>(fetches.size() - 1);
}

void add_target(std::vector<Operation>& targets, const Operation& operation) {
  if (std::find(targets.begin(), targets.end(), operation) == targets.end()) {
    targets.push_back(operation);
  }
}

}  // namespace

std::string_view executor_name(Executor executor) noexcept {
  switch (executor) {
    case Executor::kAuto:
      return "auto";
    case Executor::kPool:
      return "pool";
    case Executor::kCaller:
      return "caller";
    case Executor::kSingle:
      return "single";
  }
  return "unknown";
}

ResolvedArgs resolve(const Graph& graph, const SessionRunArgs& args) {
  ResolvedArgs resolved;
  for (const Fetch& fetch : args.fetches()) {
    if (const auto* operation = std::get_if<Operation>(&fetch.what())) {
      add_target(resolved.request.targets, resolve_operation(graph, *operation));
      resolved.places.push_back(-1);
    } else if (names_operation(fetch)) {
      add_target(resolved.request.targets, graph.operation(fetch.name()));
      resolved.places.push_back(-1);
    } else {
      resolved.places.push_back(place_of(resolved.request.fetches, resolve_tensor(graph, fetch)));
    }
  }
  for (const SessionRunArgs::Feed& feed : args.feeds()) {
    const Output output = resolve_tensor(graph, feed.tensor);
    if (std::find(resolved.request.feeds.begin(), resolved.request.feeds.end(), output) !=
        resolved.request.feeds.end()) {
      throw Misuse(
          fmt::format("one request feeds '{}' twice, by name and by handle; keep one", output.name()));
    }
    resolved.request.feeds.push_back(output);
  }
  return resolved;
}

StepOutputs::~StepOutputs() = default;
StepPlan::~StepPlan() = default;

// Several threads may run side by side, so a plan is shared and each run has outputs of its own.
struct Session::Plans {
  struct Entry {
    std::uint64_t id = 0;
    std::shared_ptr<StepPlan> plan;
    std::vector<std::int32_t> places;
  };
  std::mutex mutex;
  std::vector<std::shared_ptr<const Entry>> entries;  // the latest used last

  std::shared_ptr<const Entry> find(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    const auto found =
        std::find_if(entries.begin(), entries.end(), [id](const auto& e) { return e->id == id; });
    if (found == entries.end()) {
      return nullptr;
    }
    std::rotate(found, found + 1, entries.end());
    return entries.back();
  }

  void add(std::shared_ptr<const Entry> entry) {
    const std::lock_guard lock(mutex);
    if (entries.size() == kKeptPlans) {
      entries.erase(entries.begin());
    }
    entries.push_back(std::move(entry));
  }
};

Session::Session() : plans_(std::make_unique<Plans>()) {}
Session::~Session() = default;

VariableCapture Session::capture_variables(const SaverDef& /*saver*/, std::uint64_t /*most_bytes*/) {
  return {{}, fmt::format("the {} engine cannot capture its variables", graph().engine())};
}

std::vector<std::string> Session::restore_available(const SaverDef& /*saver*/, const std::string& prefix) {
  throw Error(
      Code::kUnimplemented,
      fmt::format("the {} engine cannot start from a part of a checkpoint ('{}'); restore a whole one",
                  graph().engine(), prefix));
}

void Session::save_state(HookState& /*state*/) const {}
void Session::load_state(const HookState& /*state*/) {}

void Session::set_run_state_source(std::function<std::map<std::string, HookState, std::less<>>()> source) {
  run_state_source_ = std::move(source);
}

RunState Session::run_state() const {
  RunState state;
  if (run_state_source_) {
    state.hooks = run_state_source_();
  }
  save_state(state.engine);
  return state;
}

Executor Session::executor() const noexcept { return Executor::kCaller; }

std::vector<Tensor> Session::run(const SessionRunArgs& args) {
  std::shared_ptr<const Plans::Entry> entry = plans_->find(args.id());
  if (!entry) {
    ResolvedArgs resolved = resolve(graph(), args);
    entry = std::make_shared<Plans::Entry>(
        Plans::Entry{args.id(), prepare(resolved.request), std::move(resolved.places)});
    plans_->add(entry);
  }
  std::vector<const Tensor*> feeds;
  for (const SessionRunArgs::Feed& feed : args.feeds()) {
    feeds.push_back(&feed.value);
  }
  const std::unique_ptr<StepOutputs> outputs = entry->plan->make_outputs();
  entry->plan->run(feeds, args.options(), *outputs, nullptr);
  std::vector<Tensor> results;
  for (const std::int32_t place : entry->places) {
    results.push_back(place < 0 ? Tensor() : outputs->values[static_cast<std::size_t>(place)].copy());
  }
  return results;
}

Tensor Session::run(const Fetch& fetch) { return run(SessionRunArgs({fetch})).front(); }

}  // namespace fermata
