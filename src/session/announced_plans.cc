#include "session/announced_plans.h"

#include <algorithm>

#include "fermata/error.h"
#include "fermata/log.h"
#include "session/merged_request.h"

namespace fermata {
namespace {

// Each plan costs a node; hooks that are due at different steps rarely meet.
constexpr std::size_t kMostCombinations = 32;

using Choice = std::vector<Participant>;

// Every choice there is, and every choice with `args` of this hook in its place.
std::vector<Choice> with_hook(const std::vector<Choice>& choices, const NamedHook& hook) {
  std::vector<Choice> extended;
  for (const Choice& choice : choices) {
    extended.push_back(choice);
    extended.back().push_back({nullptr, hook.name});
  }
  for (const SessionRunArgs* args : hook.hook->announced()) {
    for (const Choice& choice : choices) {
      if (extended.size() < kMostCombinations) {
        extended.push_back(choice);
        extended.back().push_back({args, hook.name});
      }
    }
  }
  return extended;
}

bool is_traced(const SessionRunArgs* args) {
  return args->options() != nullptr && args->options()->trace_level != TraceLevel::kNoTrace;
}

bool is_traced(const NamedHook& hook) {
  const std::vector<const SessionRunArgs*> announced = hook.hook->announced();
  return std::any_of(announced.begin(), announced.end(),
                     [](const SessionRunArgs* args) { return is_traced(args); });
}

}  // namespace

std::vector<PlanRequest> announced_plans(const Graph& graph,
                                         const std::vector<const SessionRunArgs*>& callers,
                                         const std::vector<NamedHook>& hooks) {
  std::vector<PlanRequest> plans;
  for (const SessionRunArgs* caller : callers) {
    std::vector<Choice> choices = {{{caller, "the caller"}}};
    for (const NamedHook& hook : hooks) {
      choices = with_hook(choices, hook);
    }
    for (const Choice& choice : choices) {
      MergedRequest merged = merge(graph, choice);
      merged.plan.read_step = graph.has_global_step();
      merged.plan.traced = merged.options.trace_level != TraceLevel::kNoTrace;
      plans.push_back(std::move(merged.plan));
    }
  }
  // An engine that can record nothing must be kept from a session of this hook, whatever the caller will ask.
  if (callers.empty() && graph.has_global_step() &&
      std::any_of(hooks.begin(), hooks.end(), [](const NamedHook& hook) { return is_traced(hook); })) {
    plans.push_back({.read_step = true, .traced = true});
  }
  return plans;
}

}  // namespace fermata
